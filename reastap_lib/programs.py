"""The small logical form behind a question, and its execution in plain Python.

A program is executed here for its answer and the cells that prove it; `reastap_lib.sql` states the same program as SQL
for the second route. Nothing is guessed: where a table does not determine the answer, `Undetermined` says why.
A program of another kind is a class of its own, made known by `@execute.register` and `@to_sql.register`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import singledispatch
from typing import Any, Literal

from reastap_lib.columns import Mask, TypedTable, rows_in
from reastap_lib.conditions import Condition, Is, ProgramError, Undetermined, Where, matching, matching_all
from reastap_lib.dates import Date
from reastap_lib.formats import format_number, time_between

MAX_ANSWERS = 10
MAX_TIED = 3


@dataclass(frozen=True, slots=True)
class Select:
    """The cells of `column` in the rows that meet all conditions."""

    column: int
    where: Where


@dataclass(frozen=True, slots=True)
class Count:
    """How many rows meet all conditions."""

    where: Where


@dataclass(frozen=True, slots=True)
class Aggregate:
    """The sum or the average of a number column over the rows that meet all conditions."""

    operator: Literal["sum", "average"]
    column: int
    where: Where


@dataclass(frozen=True, slots=True)
class Rank:
    """The cell of `column` in the row with the k-th largest (latest) or smallest (earliest) cell of `by`.

    Rows whose cell is missing are not ranked. Ties: all rows that tie for the first place are the answer, up to three;
    no later place is asked for where two rows tie at or above it.
    """

    column: int
    by: int
    k: int
    largest: bool
    where: Where


@dataclass(frozen=True, slots=True)
class TimeBetween:
    """The time between the `date` cells of the two rows whose `column` cells are `first` and `second`."""

    column: int
    first: str
    second: str
    date: int


@dataclass(frozen=True, slots=True)
class Quantified:
    """Whether every row that meets `where` meets `then`; or whether only such rows meet `then`."""

    quantifier: Literal["only", "every"]
    where: Condition
    then: Condition


@dataclass(frozen=True, slots=True)
class Answer:
    """What a program returns: the answer's items in the order of the rows, and the (row, column) cells behind it."""

    items: tuple[str, ...]
    evidence: tuple[tuple[int, int], ...]


@singledispatch
def execute(program: Any, table: TypedTable) -> Answer:
    """The answer of a program.

    Raises:
        Undetermined: no row, a missing cell, a tie, or answers that read as another list than they are.
        ProgramError: the program does not fit the table.
    """
    raise ProgramError(f"not a program: {program!r}")


@execute.register
def _select(program: Select, table: TypedTable) -> Answer:
    rows = _some(matching_all(program.where, table))
    evidence = [(i, program.column) for i in rows] + _cells(program.where, rows)
    return Answer(_texts(program.column, rows, table), _sorted(evidence))


@execute.register
def _count(program: Count, table: TypedTable) -> Answer:
    rows = _some(matching_all(program.where, table))
    return Answer((str(len(rows)),), _sorted(_cells(program.where, rows)))


@execute.register
def _aggregate(program: Aggregate, table: TypedTable) -> Answer:
    column = table.columns[program.column]
    if column.arithmetic != "all" and (program.operator == "sum" or column.arithmetic == "none"):
        raise Undetermined(f"no {program.operator} of such a column")
    rows = _some(matching_all(program.where, table))
    numbers = [value for i in rows if isinstance(value := column.values[i], Decimal)]
    if len(numbers) < len(rows):
        raise Undetermined("a missing cell among the numbers")
    total = sum(numbers, Decimal(0))
    average = program.operator == "average"
    text = format_number(total / len(numbers) if average else total, column.format, average=average)
    return Answer((text,), _sorted([(i, program.column) for i in rows] + _cells(program.where, rows)))


@execute.register
def _rank(program: Rank, table: TypedTable) -> Answer:
    by = table.columns[program.by]
    if by.kind == "string":
        raise ProgramError(f"column {by.name!r} is a string and has no order: {program!r}")
    rows = [i for i in rows_in(matching_all(program.where, table)) if by.values[i] is not None]
    winners = _at_place(program, rows, table)
    evidence = [(i, program.by) for i in rows] + _cells(program.where, rows) + [(i, program.column) for i in winners]
    return Answer(_texts(program.column, winners, table), _sorted(evidence))


def _at_place(program: Rank, rows: Sequence[int], table: TypedTable) -> list[int]:
    values = table.columns[program.by].values
    ranked: list[Any] = sorted((values[i] for i in rows), reverse=program.largest)
    k = program.k
    if not 1 <= k <= len(ranked):
        raise Undetermined("fewer rows than the place asked for")
    winners = [i for i in rows if values[i] == ranked[k - 1]]
    if k > 1 and (len(set(ranked[:k])) < k or len(winners) > 1):
        raise Undetermined("a tie at or above the place asked for")
    if len(winners) > MAX_TIED:
        raise Undetermined(f"more than {MAX_TIED} rows that tie")
    return winners


@execute.register
def _time_between(program: TimeBetween, table: TypedTable) -> Answer:
    dates = table.columns[program.date]
    if dates.kind != "date" or dates.precision == "range":
        raise ProgramError(f"column {dates.name!r} is a {dates.label}, not a date: {program!r}")
    found = [rows_in(matching(Is(program.column, text), table)) for text in (program.first, program.second)]
    if any(len(rows) != 1 for rows in found):
        raise Undetermined("a name of no row or of several rows")
    rows = [rows[0] for rows in found]
    first, second = (dates.values[i] for i in rows)
    if not isinstance(first, Date) or not isinstance(second, Date):
        raise Undetermined("a missing date")
    if first == second:
        raise Undetermined("no time between the two")
    number, unit = time_between(first, second)
    text = f"{number} {unit}{'' if number == 1 else 's'}"
    return Answer((text,), _sorted([(i, c) for i in rows for c in (program.column, program.date)]))


@execute.register
def _quantified(program: Quantified, table: TypedTable) -> Answer:
    for condition in (program.where, program.then):
        if not table.columns[condition.column].complete:
            raise Undetermined("a missing cell under only or every")
    inner, outer = matching(program.where, table), matching(program.then, table)
    if program.quantifier == "only":
        inner, outer = outer, inner
    rows, _ = _some(inner), _some(outer)
    evidence = [(i, condition.column) for i in rows for condition in (program.where, program.then)]
    return Answer(("No" if inner & ~outer else "Yes",), _sorted(evidence))


def _some(mask: Mask) -> list[int]:
    if not mask:
        raise Undetermined("no row meets the conditions")
    return rows_in(mask)


def _texts(column: int, rows: Sequence[int], table: TypedTable) -> tuple[str, ...]:
    """The cells as an answer; a list must read as the list it is."""
    cells = table.columns[column]
    texts = tuple(cells.cells[i] for i in rows)
    if not cells.complete and not set(rows) <= set(cells.present):
        raise Undetermined("a missing cell in the answer")
    if len(texts) > MAX_ANSWERS:
        raise Undetermined(f"more than {MAX_ANSWERS} answers")
    if len(texts) > 1 and len({cells.texts[i] for i in rows}) < len(rows):
        raise Undetermined("the same answer twice")
    if len(texts) > 1 and any("," in text for text in texts):
        raise Undetermined("a comma inside one of several answers")
    return texts


def _cells(where: Iterable[Condition], rows: Iterable[int]) -> list[tuple[int, int]]:
    columns = [condition.column for condition in where]
    return [(i, column) for i in rows for column in columns]


def _sorted(cells: Iterable[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    return tuple(sorted(set(cells)))
