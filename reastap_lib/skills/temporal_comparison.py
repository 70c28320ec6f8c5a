"""Temporal comparison (ReasTAP, Table 1): what came k-th by a date, from the earliest or from the latest."""

from __future__ import annotations

from reastap_lib.columns import TypedTable
from reastap_lib.skills.drawing import Draw
from reastap_lib.skills.places import place_question, rankable
from reastap_lib.skills.registry import Question, skill

ORDER_TEMPLATES = (
    "Going by the {by}, which {target} came {ordinal}?",
    "Which {target} came {ordinal} in the order of the {by}?",
)
EARLIEST, LATEST = ("earliest",), ("latest", "most recent")


@skill("temporal_comparison", share=0.145, serves=lambda table: bool(rankable(table, table.of_kind("date"))))
def temporal_comparison(table: TypedTable, draw: Draw) -> Question:
    """Which col:1, with col:2 was CONDITION:2, happened the ORDINAL according to col:3?

    Raises:
        Undetermined: the conditions leave fewer than three rows, or all of them.
    """
    by = draw.choice(rankable(table, table.of_kind("date")))
    latest = draw.chance(0.5)
    return place_question(table, draw, by, latest, LATEST if latest else EARLIEST, () if latest else ORDER_TEMPLATES)
