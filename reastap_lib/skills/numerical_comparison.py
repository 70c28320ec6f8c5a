"""Numerical comparison (ReasTAP, Table 1): what has the k-th largest or smallest number."""

from __future__ import annotations

from reastap_lib.column_types import TypedTable
from reastap_lib.programs import Rank
from reastap_lib.skills.drawing import Draw, place
from reastap_lib.skills.registry import Question, skill
from reastap_lib.skills.temporal_comparison import MIN_ROWS, ROW_PLACE, fill, rank_rows

TEMPLATES = (
    "Which {target} {whose}had the {place} {by}?",
    "Which {target} {whose}has the {place} {by}?",
    "What was the {target} with the {place} {by}{where}?",
    "{among}which {target} had the {place} {by}?",
)
LARGEST, SMALLEST = ("largest", "highest"), ("smallest", "lowest")


def ranked_columns(table: TypedTable) -> list[int]:
    """The number columns whose sizes mean something: no years, ranks or indexes."""
    return [
        i
        for i in table.of_kind("number")
        if not table.columns[i].role and table.plain_names[i] and len(table.columns[i].present) >= MIN_ROWS
    ]


@skill("numerical_comparison", share=0.14, serves=lambda table: bool(ranked_columns(table)))
def numerical_comparison(table: TypedTable, draw: Draw) -> Question:
    """Which col:1, with col:2 was CONDITION:2, has the ORDINAL col:3?

    Raises:
        Undetermined: the conditions leave fewer than three rows, or all of them.
    """
    by = draw.choice(ranked_columns(table))
    target = draw.target(table, (by,))
    clause = draw.clause(table, (by, target)) if draw.chance(0.5) else None
    k = draw.ordinal(rank_rows(table, by, clause))
    largest = draw.chance(0.6)
    words = place(k, draw.choice(LARGEST if largest else SMALLEST), figure=draw.chance(0.3))
    names = table.columns[target].kind != "number"
    text = fill(draw.choice(TEMPLATES if names else ROW_PLACE), table, target, by, clause, words, k)
    return Question(text, Rank(target, by, k, largest, (clause.condition,) if clause else ()))
