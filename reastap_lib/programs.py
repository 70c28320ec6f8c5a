"""The small logical form behind a question, and its execution in plain Python.

A program is executed here for its answer and the cells that prove it; `reastap_lib.sql` states the same program as SQL
for the second route. Nothing is guessed: where a table does not determine the answer, `Undetermined` says why.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal

from reastap_lib.column_types import TypedTable
from reastap_lib.formats import TooManyDigits, format_number, time_between
from reastap_lib.values import Date
from workbench_lib.errors import WorkbenchError

Comparison = Literal["=", "<", ">", "<=", ">="]
Timing = Literal["before", "after", "on"]
Rows = tuple[int, ...]
MAX_ANSWERS = 10


class ProgramError(WorkbenchError):
    """A program that does not fit its table: no such column, or a column of another type."""


class Undetermined(WorkbenchError):
    """The table gives no answer, or more than one reading; its text is the reason that is counted."""


@dataclass(frozen=True)
class Is:
    """The whole cell is `text`."""

    column: int
    text: str


@dataclass(frozen=True)
class Compare:
    """The cell's number compared with `value`."""

    column: int
    operator: Comparison
    value: Decimal


@dataclass(frozen=True)
class Happened:
    """The cell's date before, after or on `value`, which has the column's precision."""

    column: int
    timing: Timing
    value: Date


Condition = Is | Compare | Happened
Where = tuple[Condition, ...]


@dataclass(frozen=True)
class Select:
    """The cells of `column` in the rows that meet all conditions."""

    column: int
    where: Where


@dataclass(frozen=True)
class Count:
    """How many rows meet all conditions."""

    where: Where


@dataclass(frozen=True)
class Aggregate:
    """The sum or the average of a number column over the rows that meet all conditions."""

    operator: Literal["sum", "average"]
    column: int
    where: Where


@dataclass(frozen=True)
class Rank:
    """The cell of `column` in the row with the k-th largest (latest) or smallest (earliest) cell of `by`.

    Rows whose cell is missing are not ranked. Ties: all rows that tie for the first place are the answer; no later
    place is asked for where two rows tie at or above it.
    """

    column: int
    by: int
    k: int
    largest: bool
    where: Where


@dataclass(frozen=True)
class TimeBetween:
    """The time between the `date` cells of the two rows whose `column` cells are `first` and `second`."""

    column: int
    first: str
    second: str
    date: int


@dataclass(frozen=True)
class Quantified:
    """Whether every row that meets `where` meets `then`; or whether only such rows meet `then`."""

    quantifier: Literal["only", "every"]
    where: Condition
    then: Condition


Program = Select | Count | Aggregate | Rank | TimeBetween | Quantified


@dataclass(frozen=True)
class Answer:
    """What a program returns: the answer's items in the order of the rows, and the (row, column) cells behind it."""

    items: tuple[str, ...]
    evidence: tuple[tuple[int, int], ...]


def execute(program: Program, table: TypedTable) -> Answer:
    """The answer of a program.

    Raises:
        Undetermined: no row, a missing cell, a tie, or answers that read as another list than they are.
        ProgramError: the program does not fit the table.
    """
    try:
        run: Callable[..., Answer] = _EXECUTE[type(program)]
    except KeyError:
        raise ProgramError(f"not a program: {program!r}") from None
    try:
        return run(program, table)
    except TooManyDigits as error:
        raise Undetermined("a result of too many digits") from error


def matching(condition: Condition, table: TypedTable) -> Rows:
    """The rows that meet a condition; a missing cell meets none.

    Raises:
        ProgramError: the column has another type than the condition needs.
    """
    column = table.columns[condition.column]
    if isinstance(condition, Is):
        if column.clashes:
            raise Undetermined("cells that differ only in case")
        return tuple(i for i in column.present if column.cells[i] == condition.text)
    wanted = "number" if isinstance(condition, Compare) else "date"
    if column.kind != wanted:
        raise ProgramError(f"column {column.name!r} is a {column.kind}, not a {wanted}: {condition!r}")
    if isinstance(condition, Compare):
        test, bound = _TESTS[condition.operator], condition.value
        return tuple(i for i in column.present if test(column.values[i], bound))
    if condition.value.precision != column.precision:
        raise ProgramError(f"column {column.name!r} holds dates to the {column.precision}: {condition!r}")
    test, date = _TESTS[condition.timing], condition.value
    return tuple(i for i in column.present if test(column.values[i], date))


def matching_all(where: Iterable[Condition], table: TypedTable) -> Rows:
    """The rows that meet all conditions, in their order."""
    rows: Rows = tuple(range(len(table)))
    for condition in where:
        met = frozenset(matching(condition, table))
        rows = tuple(i for i in rows if i in met)
    return rows


_TESTS: dict[str, Callable[[Any, Any], bool]] = {
    "=": operator.eq,
    "<": operator.lt,
    ">": operator.gt,
    "<=": operator.le,
    ">=": operator.ge,
    "before": operator.lt,
    "after": operator.gt,
    "on": operator.eq,
}


def _select(program: Select, table: TypedTable) -> Answer:
    rows = _some(matching_all(program.where, table))
    evidence = [(i, program.column) for i in rows] + _cells(program.where, rows)
    return Answer(_texts(program.column, rows, table), _sorted(evidence))


def _count(program: Count, table: TypedTable) -> Answer:
    rows = _some(matching_all(program.where, table))
    return Answer((str(len(rows)),), _sorted(_cells(program.where, rows)))


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


def _rank(program: Rank, table: TypedTable) -> Answer:
    by = table.columns[program.by]
    if by.kind == "string":
        raise ProgramError(f"column {by.name!r} is a string and has no order: {program!r}")
    rows = [i for i in matching_all(program.where, table) if by.values[i] is not None]
    ranked = sorted(rows, key=lambda i: by.values[i], reverse=program.largest)  # type: ignore[arg-type,return-value]
    k = program.k
    if not 1 <= k <= len(ranked):
        raise Undetermined("fewer rows than the place asked for")
    values = [by.values[i] for i in ranked]
    winners = sorted(i for i in ranked if by.values[i] == values[k - 1])
    if k > 1 and (len(set(values[:k])) < k or len(winners) > 1):
        raise Undetermined("a tie at or above the place asked for")
    evidence = [(i, program.by) for i in rows] + _cells(program.where, rows) + [(i, program.column) for i in winners]
    return Answer(_texts(program.column, winners, table), _sorted(evidence))


def _time_between(program: TimeBetween, table: TypedTable) -> Answer:
    dates = table.columns[program.date]
    if dates.kind != "date":
        raise ProgramError(f"column {dates.name!r} is a {dates.kind}, not a date: {program!r}")
    found = [matching(Is(program.column, text), table) for text in (program.first, program.second)]
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


def _quantified(program: Quantified, table: TypedTable) -> Answer:
    for condition in (program.where, program.then):
        if len(table.columns[condition.column].present) < len(table):
            raise Undetermined("a missing cell under only or every")
    inner, outer = _some(matching(program.where, table)), _some(matching(program.then, table))
    if program.quantifier == "only":
        inner, outer = outer, inner
    evidence = [(i, condition.column) for i in inner for condition in (program.where, program.then)]
    return Answer(("Yes" if set(inner) <= set(outer) else "No",), _sorted(evidence))


_EXECUTE: dict[type, Callable[..., Answer]] = {
    Select: _select,
    Count: _count,
    Aggregate: _aggregate,
    Rank: _rank,
    TimeBetween: _time_between,
    Quantified: _quantified,
}


def _some(rows: Rows) -> Rows:
    if not rows:
        raise Undetermined("no row meets the conditions")
    return rows


def _texts(column: int, rows: Sequence[int], table: TypedTable) -> tuple[str, ...]:
    """The cells as an answer; a list must read as the list it is."""
    cells = table.columns[column]
    texts = tuple(cells.cells[i] for i in rows)
    if not set(rows) <= set(cells.present):
        raise Undetermined("a missing cell in the answer")
    if len(texts) > MAX_ANSWERS:
        raise Undetermined(f"more than {MAX_ANSWERS} answers")
    if len({cells.texts[i] for i in rows}) < len(rows):
        raise Undetermined("the same answer twice")
    if len(texts) > 1 and any("," in text for text in texts):
        raise Undetermined("a comma inside one of several answers")
    return texts


def _cells(where: Iterable[Condition], rows: Iterable[int]) -> list[tuple[int, int]]:
    columns = [condition.column for condition in where]
    return [(i, column) for i in rows for column in columns]


def _sorted(cells: Iterable[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    return tuple(sorted(set(cells)))
