"""Columns typed as a whole: string, number with its unit, or date with its precision.

A column is a number (date) only when every cell that is not missing reads as one, all with the same unit (precision);
anything doubtful stays a string, with the doubt as a note. Nothing depends on the order of the rows.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property
from typing import Literal

from reastap_lib.headers import says_average, says_rank, says_year
from reastap_lib.tables import Table, header_fault, html_of, normalise
from reastap_lib.values import (
    Date,
    DayOrder,
    Number,
    Precision,
    is_missing,
    is_numeric_date,
    is_year,
    parse_date,
    parse_number,
)

Kind = Literal["string", "number", "date"]
Role = Literal["", "year", "rank", "index"]
Arithmetic = Literal["none", "average", "all"]

MAX_NAME_WORDS = 12
_TOTAL = re.compile(r"(?:grand |sub|sub-|overall )?totals?(?:\W.*)?|sum|overall|all|average|mean")


@dataclass(frozen=True)
class NumberFormat:
    """How the numbers of a column are written, so that results can be written the same way.

    Args:
        places: The most digits after the point in any cell.
        even: Whether every cell has that many.
        plain: Whether a result can be written so at all (not for fractions, ordinals, 3.4M, durations).
    """

    places: int = 0
    even: bool = True
    separator: str = ""
    prefix: str = ""
    suffix: str = ""
    minus: str = "-"
    plain: bool = True


@dataclass(frozen=True)
class Column:
    """One column: its texts, their values, and what may be done with them.

    Args:
        values: A Decimal or a Date for each cell of a number or date column, None where missing; all None for strings.
        unit: "", "%", a currency, "s" or "ordinal", for numbers.
        precision: For dates.
        role: year, rank or index: numbers that name things, and are never added.
        arithmetic: Whether the numbers may be averaged, or also summed.
        note: Why a column that looks like numbers or dates is a string.
    """

    name: str
    kind: Kind
    cells: tuple[str, ...]
    values: tuple[Decimal | Date | None, ...]
    unit: str = ""
    precision: Precision | None = None
    role: Role = ""
    arithmetic: Arithmetic = "none"
    format: NumberFormat = NumberFormat()
    note: str = ""

    @cached_property
    def present(self) -> tuple[int, ...]:
        """The rows whose cell is not missing."""
        return tuple(i for i, cell in enumerate(self.cells) if not is_missing(cell))

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """Each cell normalised, for equality: case and spaces make no difference."""
        return tuple(map(normalise, self.cells))

    @cached_property
    def distinct(self) -> bool:
        """Whether no cell is missing and no two read the same."""
        return len(self.present) == len(self.cells) and len(set(self.texts)) == len(self.cells)

    @cached_property
    def clashes(self) -> bool:
        """Whether two different cells read the same but for case or spaces, so that equality would be unclear."""
        return len({self.cells[i] for i in self.present}) > len({self.texts[i] for i in self.present})

    @cached_property
    def varies(self) -> bool:
        """Whether a condition on the column can pick some rows out of several by more than their name."""
        different = len({self.texts[i] for i in self.present})
        repeats = different < len(self.present) and not self.clashes
        return different > 1 and (self.kind != "string" or repeats)

    def take(self, order: Sequence[int]) -> Column:
        """The column with its rows in another order."""
        return replace(self, cells=tuple(self.cells[i] for i in order), values=tuple(self.values[i] for i in order))

    @property
    def label(self) -> str:
        """A few words for people: number (%), date (day), string: mixed units."""
        more = self.role or (self.precision if self.kind == "date" else self.unit)
        return self.kind + (f" ({more})" if more else "") + (f": {self.note}" if self.note else "")


@dataclass(frozen=True)
class TypedTable:
    """A table with its columns typed.

    Args:
        columns: One for each header.
        key: The column that names the rows: the leftmost string column whose cells are all distinct, else the leftmost
            such date column, else None.
    """

    table: Table
    columns: tuple[Column, ...]
    key: int | None

    def __len__(self) -> int:
        return len(self.table.rows)

    def take(self, order: Sequence[int]) -> TypedTable:
        """The same with the rows in another order; types do not depend on it."""
        return TypedTable(self.table.take(order), tuple(c.take(order) for c in self.columns), self.key)

    def of_kind(self, kind: Kind) -> tuple[int, ...]:
        """The columns of a kind, by index."""
        return tuple(i for i, column in enumerate(self.columns) if column.kind == kind)

    @cached_property
    def conditionable(self) -> tuple[int, ...]:
        """The columns that a condition may be about: strings with some value twice, numbers and dates that vary."""
        return tuple(i for i, column in enumerate(self.columns) if self.plain_names[i] and column.varies)

    @cached_property
    def askable(self) -> tuple[int, ...]:
        """The columns that may be asked for: no bare indexes, no constant columns."""
        return tuple(
            i
            for i, column in enumerate(self.columns)
            if self.plain_names[i] and column.role != "index" and len(set(column.texts)) > 1
        )

    @cached_property
    def plain_names(self) -> tuple[bool, ...]:
        """Whether each header can be said in a question: not empty, not double, at most 12 words."""
        names = [normalise(name) for name in self.table.header]
        return tuple(bool(n) and names.count(n) == 1 and len(n.split()) <= MAX_NAME_WORDS for n in names)

    def _repr_html_(self) -> str:
        notes = [c.label + (", key" if i == self.key else "") for i, c in enumerate(self.columns)]
        return html_of(self.table, notes)


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
    if 2 * len(present) >= len(cells) and len(present) >= 2:
        typed = _as_date(name, cells, present) or _as_number(name, cells, present)
        if typed:
            return typed
    return _string(name, cells)


def total_rows(table: Table) -> tuple[int, ...]:
    """The rows that sum up the others: one of the first two cells is Total, Sum, Overall, Average or the like.

    >>> total_rows(Table("t", "", ("Nation", "Gold"), (("Norway", "3"), ("Total", "3"))))
    (1,)
    """
    return tuple(i for i, row in enumerate(table.rows) if any(_TOTAL.fullmatch(normalise(cell)) for cell in row[:2]))


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
    dates = [parse_date(cell) for cell in present]
    if not all(dates):
        return None
    if len({date.precision for date in dates if date}) > 1:
        return _string(name, cells, "dates of mixed precision")
    return _date_column(name, cells, None)


def _date_column(name: str, cells: tuple[str, ...], order: DayOrder | None, *, bare_year: bool = False) -> Column:
    values = tuple(parse_date(cell, order, bare_year=bare_year) for cell in cells)
    precision = next(value.precision for value in values if value)
    return Column(name, "date", cells, values, precision=precision, role="year" if bare_year else "")


def _as_number(name: str, cells: tuple[str, ...], present: list[str]) -> Column | None:
    found = [parse_number(cell) for cell in present]
    numbers = [number for number in found if number]
    if len(numbers) < len(found):
        return None
    if len({number.unit for number in numbers}) > 1:
        return _string(name, cells, "mixed units")
    values = tuple(None if is_missing(cell) else _value(cell) for cell in cells)
    role = _role(name, present, numbers)
    unit, form = numbers[0].unit, _format(present, numbers)
    arithmetic = "none" if role or not form.plain else _arithmetic(name, unit)
    return Column(name, "number", cells, values, unit=unit, role=role, arithmetic=arithmetic, format=form)


def _value(cell: str) -> Decimal:
    number = parse_number(cell)
    assert number is not None
    return number.value


def _role(name: str, present: list[str], numbers: list[Number]) -> Role:
    whole = sorted(int(n.value) for n in numbers if n.value == n.value.to_integral_value() and not n.unit)
    if len(whole) == len(numbers):
        if all(map(is_year, present)) and whole[0] >= 1700 and whole[-1] <= 2100:
            return "year"
        if whole[0] in (0, 1) and whole == list(range(whole[0], whole[0] + len(whole))):
            return "index"
    if numbers[0].unit == "ordinal":
        return "rank"
    return "rank" if says_rank(name) else ""


def _arithmetic(name: str, unit: str) -> Arithmetic:
    return "average" if unit in ("%", "s") or says_average(name) else "all"


def _format(present: list[str], numbers: list[Number]) -> NumberFormat:
    places = {number.places for number in numbers}
    around = {(number.prefix, number.suffix) for number in numbers}
    separators = sorted({number.separator for number in numbers} - {""})
    prefix, suffix = min(around)
    return NumberFormat(
        places=max(places),
        even=len(places) == 1,
        separator=separators[0] if separators else "",
        prefix=prefix,
        suffix=suffix,
        minus="−" if any("−" in cell for cell in present) else "-",
        plain=all(n.plain for n in numbers) and len(around) == 1 and len(separators) < 2,
    )
