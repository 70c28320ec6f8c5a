"""The examples of an error frame behind controls: one view of each kind, words, and how wrong they must be."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import ipywidgets
import pandas as pd

from reastap_lib.error_analysis import VIEWS, chosen, show_examples
from workbench_lib.display import Live
from workbench_lib.tasks import Example
from workbench_lib.widgets import beside, choice, follow

ALL = [("any", "")]


def explore_errors(examples: Sequence[Example], frame: pd.DataFrame) -> ipywidgets.Widget:
    """Filter the examples of a run, and see each with its table, evidence, prediction and gold.

    Args:
        frame: Of `error_frame`, for these examples.
    """
    controls: dict[str, Any] = {
        view: choice(view.replace("_", " ").capitalize(), [*ALL, *((kind, kind) for kind in kinds)])
        for view, kinds in VIEWS.items()
    }
    controls["words"] = ipywidgets.Text(description="Words", placeholder="in question, prediction or gold")
    controls["at_most"] = choice("Show", [("wrong ones", 0.5), ("all", 1.0)])

    def show(**wanted: Any) -> Live:
        return show_examples(examples, chosen(frame, **wanted))

    return ipywidgets.VBox([beside(*controls.values()), follow(show, controls)])
