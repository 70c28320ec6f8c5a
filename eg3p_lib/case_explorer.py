"""Case studies behind controls, for notebook 05: filter by metric, stance, size and error."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import ipywidgets

from eg3p_lib.case_studies import Case, metrics_of, select
from eg3p_lib.explagraphs import STANCES
from eg3p_lib.structure import FAULTS
from workbench_lib.display import Live, show_note, stack
from workbench_lib.widgets import beside, choice, follow, number


def explore_cases(cases: Sequence[Case]) -> ipywidgets.Widget:
    """The cases that the controls ask for, one at a time."""
    sizes = sorted({case.size for case in cases})
    stances = [stance for stance in STANCES if any(case.texts.get("stance") == stance for case in cases)]
    controls = {
        "metric": choice("Gain in", [("any (file order)", ""), *((name, name) for name in metrics_of(cases))]),
        "stance": choice("Stance", [("any", ""), *((stance, stance) for stance in stances)]),
        "size": choice("Edges", [("any", 0), *((str(size), size) for size in sizes)]),
        "fault": choice("Error", [("any", ""), *((text, name) for name, text in FAULTS.items())]),
        "place": number("Case", 1, 1, max(len(cases), 1)),
    }
    area = follow(lambda **values: _show(cases, **values), controls)
    return ipywidgets.VBox([beside(*controls.values()), area])


def _show(cases: Sequence[Case], place: int, **wanted: Any) -> Live:
    found = select(cases, **wanted, limit=len(cases))
    if not found:
        return show_note("No case is like that.")
    place = min(place, len(found))
    return stack(show_note(f"Case {place} of {len(found)}; edges that differ are orange and dashed."), found[place - 1])
