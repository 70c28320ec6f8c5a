"""Numerical comparison (ReasTAP, Table 1): what has the k-th largest or smallest number."""

from __future__ import annotations

from decimal import Decimal

from reastap_lib.columns import Column, TypedTable
from reastap_lib.skills.drawing import Draw
from reastap_lib.skills.places import place_question, rankable
from reastap_lib.skills.registry import Question, skill
from reastap_lib.skills.wording import is_plural, noun

SIZES = ("largest", "highest"), ("smallest", "lowest")
LENGTHS = ("longest",), ("shortest",)
COUNTS = ("most", "largest number of", "highest number of"), ("fewest", "smallest number of", "lowest number of")
PLURALS = ("highest",), ("lowest",)


def _columns(table: TypedTable) -> list[int]:
    """The number columns whose sizes mean something: no years, ranks or indexes."""
    return rankable(table, [i for i in table.of_kind("number") if not table.columns[i].role])


@skill("numerical_comparison", share=0.14, serves=lambda table: bool(_columns(table)))
def numerical_comparison(table: TypedTable, draw: Draw) -> Question:
    """Which col:1, with col:2 was CONDITION:2, has the ORDINAL col:3?

    Raises:
        Undetermined: the conditions leave fewer than three rows, or all of them.
    """
    by = draw.choice(_columns(table))
    largest = draw.chance(0.5)
    adjectives = _adjectives(table.columns[by])[0 if largest else 1]
    return place_question(table, draw, by, largest, adjectives)


def _adjectives(column: Column) -> tuple[tuple[str, ...], tuple[str, ...]]:
    if column.unit == "s":
        return LENGTHS
    if not is_plural(noun(column)):
        return SIZES
    counts = all(isinstance(v, Decimal) and v >= 0 and v % 1 == 0 for v in column.values if v is not None)
    return COUNTS if counts and not column.unit and "(" not in column.name else PLURALS
