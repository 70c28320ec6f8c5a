"""The conditions of questions (ReasTAP, Table 1), and which rows meet them.

A condition is a whole cell, a word of a cell, a number compared in one of five ways, or a date before, after or on
another. Rows come as bit masks (see `reastap_lib.columns`).
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from reastap_lib.cell_words import padded_words
from reastap_lib.columns import Column, Kind, Mask, TypedTable, Value
from reastap_lib.dates import Date, Span
from workbench_lib.errors import WorkbenchError

Comparison = Literal["=", "<", ">", "<=", ">="]
Timing = Literal["before", "after", "on"]


class ProgramError(WorkbenchError):
    """A program that does not fit its table: no such column, or a column of another type."""


class Undetermined(WorkbenchError):
    """The table gives no answer, or more than one reading; its text is the reason that is counted."""


@dataclass(frozen=True, slots=True)
class Is:
    """The whole cell is `text`."""

    column: int
    text: str


@dataclass(frozen=True, slots=True)
class Contains:
    """The cell holds `word` as a whole word; case makes no difference."""

    column: int
    word: str


@dataclass(frozen=True, slots=True)
class Compare:
    """The cell's number compared with `value`."""

    column: int
    operator: Comparison
    value: Decimal


@dataclass(frozen=True, slots=True)
class Happened:
    """The cell's date before, after or on `value`, which has the column's precision."""

    column: int
    timing: Timing
    value: Date | Span


Condition = Is | Contains | Compare | Happened
Where = tuple[Condition, ...]


def matching(condition: Condition, table: TypedTable) -> Mask:
    """The rows that meet a condition; missing cells meet none.

    Raises:
        Undetermined: cells that differ in case only, or a word that is part of another, so that it is unclear.
        ProgramError: the condition does not fit the column's type.
    """
    column = table.columns[condition.column]
    if isinstance(condition, Is):
        if column.clashes:
            raise Undetermined("cells that differ in case only")
        return column.rows_with.get(condition.text, 0)
    if isinstance(condition, Contains):
        _check(column, "string", condition)
        if len(padded_words(condition.word).split()) != 1:
            raise ProgramError(f"not one word: {condition!r}")
        rows = column.shared_words.get(condition.word)
        rows = column.rows_with_word(condition.word) if rows is None else rows
        if rows is None:
            raise Undetermined("a word that is part of another")
        return rows
    if isinstance(condition, Compare):
        _check(column, "number", condition)
        return _compared(column, condition.operator, condition.value)
    _check(column, "date", condition)
    if condition.value.precision != column.precision:
        raise ProgramError(f"column {column.name!r} holds dates to the {column.precision}: {condition!r}")
    return _compared(column, _TIMED[condition.timing], condition.value)


def matching_all(where: Iterable[Condition], table: TypedTable) -> Mask:
    """The rows that meet all conditions."""
    rows = (1 << len(table)) - 1
    for condition in where:
        rows &= matching(condition, table)
    return rows


_TIMED: dict[Timing, Comparison] = {"before": "<", "after": ">", "on": "="}


def _compared(column: Column, operator: Comparison, value: Value) -> Mask:
    values, lowest = column.ladder
    below = lowest[bisect_left(values, value)]
    not_above = lowest[bisect_right(values, value)]
    if operator == "<":
        return below
    if operator == "<=":
        return not_above
    if operator == "=":
        return not_above ^ below
    return lowest[-1] ^ (not_above if operator == ">" else below)


def _check(column: Column, kind: Kind, condition: Condition) -> None:
    if column.kind != kind:
        raise ProgramError(f"column {column.name!r} is a {column.kind}, not a {kind}: {condition!r}")
