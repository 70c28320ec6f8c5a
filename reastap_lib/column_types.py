"""Columns typed as a whole: string, number with its unit, or date with its precision.

A column is a number (date) only when every cell that is not missing reads as one, all with the same unit (precision);
anything doubtful stays a string, with the doubt as a note. Nothing depends on the order of the rows.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeVar

from reastap_lib.columns import Arithmetic, Column, NumberFormat, Role, TypedTable
from reastap_lib.dates import (
    DayOrder,
    Span,
    is_numeric_date,
    is_plain_years,
    is_year,
    may_be_month,
    parse_date,
    parse_span,
)
from reastap_lib.headers import (
    says_average,
    says_clock,
    says_period,
    says_rank,
    says_time,
    says_time_of_day,
    says_year,
)
from reastap_lib.tables import Table, header_fault, normalise, words
from reastap_lib.values import UNITS, Number, is_missing, parse_number

T = TypeVar("T")
LONG_INDEX = 8
_TOTAL = re.compile(
    r"(?:(?:grand|sub|overall|career|season|team|league|combined|net)[ -]?)?totals?(?:\W.*)?|overall(?:\W.*)?"
    r"|sum|all|averages?|mean|median|career"
)
_AVERAGED_UNITS = frozenset([*words("% s km/h mph kn knot knots ° °C °F"), "ft in"])


def type_table(table: Table) -> TypedTable:
    """The table with a type for every column (ReasTAP, section 2.1).

    >>> rows = (("Ann", "12 May 1998", "1,234"), ("Bob", "3 June 2001", "56"))
    >>> [c.kind for c in type_table(Table("t", "", ("Name", "Born", "Votes"), rows)).columns]
    ['string', 'date', 'number']
    """
    cells = zip(*table.rows, strict=True)
    columns = tuple(type_column(name, column) for name, column in zip(table.header, cells, strict=True))
    unclear = header_fault(table.header) == "duplicate headers"
    keys = [i for kind in ("string", "date") for i, c in enumerate(columns) if c.kind == kind and c.distinct]
    return TypedTable(table, columns, keys[0] if keys and not unclear else None)


def type_column(name: str, cells: Sequence[str]) -> Column:
    """The column `name` typed by all its cells.

    >>> type_column("Share", ["12%", "$5"]).label
    'string: mixed units'
    """
    cells = tuple(cells)
    present = [cell for cell in cells if not is_missing(cell)]
    if 2 * len(present) >= len(cells) and len(present) >= 2 and _has_figures(present[0]) and _has_figures(present[-1]):
        typed = _as_date(name, cells, present) or _as_range(name, cells, present) or _as_number(name, cells, present)
        if typed:
            return typed
    return _string(name, cells)


def total_rows(table: Table) -> tuple[int, ...]:
    """The rows that say they sum up the others: one of the first two cells, or the first that says anything, is Total,
    Sum, Overall, Average or the like.

    >>> total_rows(Table("t", "", ("Nation", "Gold"), (("Norway", "3"), ("Total", "3"))))
    (1,)
    """
    return tuple(
        i for i, row in enumerate(table.rows) if any(_TOTAL.fullmatch(normalise(cell)) for cell in _first(row))
    )


def sum_rows(table: Table) -> tuple[int, ...]:
    """The rows that are the sum of all others in two number columns at least, and in half of them.

    >>> rows = (("Norway", "3", "5"), ("Sweden", "2", "0"), ("Denmark", "0", "1"), ("Europe", "5", "6"))
    >>> sum_rows(Table("t", "", ("Nation", "Gold", "Silver"), rows))
    (3,)
    """
    hits: Counter[int] = Counter()
    columns = 0
    for cells in zip(*table.rows, strict=True):
        numbers = {i: number.value for i, cell in enumerate(cells) if (number := parse_number(cell)) and number.value}
        if len(numbers) > 2 and not any(map(is_year, cells)):
            columns += 1
            total = sum(numbers.values())
            hits.update(i for i, value in numbers.items() if 2 * value == total)
    return tuple(sorted(i for i, count in hits.items() if count > 1 and 2 * count >= columns))


def _first(row: Sequence[str]) -> tuple[str, ...]:
    return (*row[:2], *itertools.islice((cell for cell in row if not is_missing(cell)), 1))


def _all_read(read: Callable[[str], T | None], cells: Sequence[str]) -> list[T] | None:
    """Every cell read, or None where one cannot be."""
    found: list[T] = []
    for cell in cells:
        value = read(cell)
        if value is None:
            return None
        found.append(value)
    return found


def _has_figures(text: str) -> bool:
    return any(map(str.isnumeric, text))


def _string(name: str, cells: tuple[str, ...], note: str = "") -> Column:
    return Column(name, "string", cells, (None,) * len(cells), note=note)


def _as_date(name: str, cells: tuple[str, ...], present: list[str]) -> Column | None:
    if all(map(is_year, present)):
        return _date_column(name, cells, None, bare_year=True) if says_year(name) else None
    if all(map(is_numeric_date, present)):
        orders: list[DayOrder] = ["dmy", "mdy"]
        good = [order for order in orders if all(parse_date(cell, order) for cell in present)]
        if len(good) != 1:
            return _string(name, cells, "unclear order of day and month" if good else "not a calendar's dates")
        return _date_column(name, cells, good[0])
    dates = _all_read(parse_date, present)
    if dates is None:
        return None
    if len({date.precision for date in dates}) > 1:
        return _string(name, cells, "dates of mixed precision")
    return _date_column(name, cells, None)


def _date_column(name: str, cells: tuple[str, ...], order: DayOrder | None, *, bare_year: bool = False) -> Column:
    values = tuple(parse_date(cell, order, bare_year=bare_year) for cell in cells)
    precision = next(value.precision for value in values if value)
    return Column(name, "date", cells, values, precision=precision, role="year" if bare_year else "")


def _as_range(name: str, cells: tuple[str, ...], present: list[str]) -> Column | None:
    """A column of ranges that lie one after the other; a single date among them is a range of its own."""
    spans = _all_read(_span, present)
    if spans is None or all(map(_is_single, spans)):
        return None
    if not says_period(name) and all(is_plain_years(cell) or is_year(cell) for cell in present):
        return _string(name, cells, "years or numbers")
    if all(map(may_be_month, present)) and not _look_like_seasons(spans):
        return _string(name, cells, "seasons or months")
    if len({span.first.precision for span in spans}) > 1:
        return _string(name, cells, "dates of mixed precision")
    if not _one_after_the_other(spans):
        return _string(name, cells, "ranges that overlap")
    values = tuple(None if is_missing(cell) else _span(cell) for cell in cells)
    return Column(name, "date", cells, values, precision="range")


def _span(cell: str) -> Span | None:
    span = parse_span(cell)
    date = None if span else parse_date(cell, bare_year=True)
    return Span(date, date) if date else span


def _is_single(span: Span) -> bool:
    return span.first == span.last


def _look_like_seasons(spans: list[Span]) -> bool:
    """Whether 2001-02 is a season: each goes into the next year, and there are three different ones."""
    return len(set(spans)) >= 3 and all(span.last.year == span.first.year + 1 for span in spans)


def _one_after_the_other(spans: list[Span]) -> bool:
    """Whether the ranges have an order: each ends before the next begins, or as it begins (1998–99, 1999–2000)."""
    return all(
        a.last < b.first or (a.last == b.first and not _is_single(a) and not _is_single(b))
        for a, b in itertools.pairwise(sorted(set(spans)))
    )


def _as_number(name: str, cells: tuple[str, ...], present: list[str]) -> Column | None:
    numbers = _all_read(partial(parse_number, clock=says_clock(name)), present)
    if numbers is None:
        return None
    unit = _common_unit(name, numbers)
    if unit is None:
        return _string(name, cells, "mixed units")
    if (unit.endswith("()") and "(" not in name) or (unit not in UNITS and all(map(_like_a_year, numbers))):
        return None
    found = iter(numbers)
    values = tuple(None if is_missing(cell) else next(found).value for cell in cells)
    if unit == "s" and says_time_of_day(name):
        return _string(name, cells, "times of day")
    role, form = _role(name, unit, present, numbers), _format(numbers)
    arithmetic = "none" if role or not form.plain else _arithmetic(name, unit)
    return Column(name, "number", cells, values, unit=unit, role=role, arithmetic=arithmetic, format=form)


def _common_unit(name: str, numbers: list[Number]) -> str | None:
    """The one unit of all; T3 among places 1, 2, 5 makes them places, 59.8 among 1:02.3 below "Time" seconds."""
    units = {number.unit for number in numbers}
    if len(units) == 1:
        return units.pop()
    plain = [number for number in numbers if not number.unit]
    if units == {"", "ordinal"} and all(map(_is_whole, plain)):
        return "ordinal"
    return "s" if units == {"", "s"} and says_time(name) else None


def _is_whole(number: Number) -> bool:
    return number.value == number.value.to_integral_value()


def _like_a_year(number: Number) -> bool:
    return number.places == 0 and not number.separator and 1000 <= number.value <= 2999


def _role(name: str, unit: str, present: list[str], numbers: list[Number]) -> Role:
    if unit == "ordinal":
        return "rank"
    if unit:
        return ""
    if not all(map(_is_whole, numbers)):
        return "rank" if says_rank(name) and not says_time(name) else ""
    whole = sorted(int(number.value) for number in numbers)
    if all(map(is_year, present)) and whole[0] >= 1700 and whole[-1] <= 2100:
        return "year"
    if whole == list(range(whole[0], whole[0] + len(whole))) and (whole[0] in (0, 1) or len(whole) >= LONG_INDEX):
        return "index"
    return "rank" if says_rank(name) else ""


def _arithmetic(name: str, unit: str) -> Arithmetic:
    measured = unit in _AVERAGED_UNITS or "/" in unit
    return "average" if measured or says_average(name) or says_time(name) else "all"


def _format(numbers: list[Number]) -> NumberFormat:
    places = {number.places for number in numbers}
    around = {(number.prefix, number.suffix) for number in numbers}
    separators = sorted({number.separator for number in numbers} - {""})
    minuses = sorted({number.sign for number in numbers if number.value < 0})
    pluses = sorted({number.sign for number in numbers if number.value > 0})
    one_way = max(map(len, (around, separators, minuses, pluses))) < 2
    prefix, suffix = min(around)
    return NumberFormat(
        places=max(places),
        even=len(places) == 1,
        separator=separators[0] if separators else "",
        prefix=prefix,
        suffix=suffix,
        minus=minuses[0] if minuses else "-",
        plus=pluses[0] if pluses else "",
        plain=all(n.plain for n in numbers) and one_way,
    )
