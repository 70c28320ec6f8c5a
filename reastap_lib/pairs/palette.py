"""What SQL pairs are drawn with: the columns that fit, rows, and constants as they are shown."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from decimal import Decimal
from functools import cached_property
from typing import TYPE_CHECKING

from reastap_lib.columns import Column as TypedColumn
from reastap_lib.columns import TypedTable
from reastap_lib.conditions import Undetermined
from reastap_lib.dates import Date
from reastap_lib.pairs.grammar import (
    Column,
    Compare,
    Constant,
    quoted,
)
from reastap_lib.values import without_footnotes

if TYPE_CHECKING:
    from reastap_lib.skills.drawing import Draw

MAX_CELL_WORDS = 12
_BARE_NUMBER = re.compile(r"-?[0-9]+(?:\.[0-9]+)?")
_SAID_UNIT = re.compile(r"\([^()]*\)")


class Fitting:
    """A table, and which of its columns fit what; only those that a question can name."""

    def __init__(self, table: TypedTable):
        self.table = table
        self._columns = table.columns
        self._plain = [i for i, plain in enumerate(table.plain_names) if plain]

    def column(self, index: int) -> TypedColumn:
        return self._columns[index]

    @cached_property
    def numbers(self) -> list[int]:
        """Number columns that differ and are no bare indexes."""
        return self._of("number", lambda column: column.role != "index")

    @cached_property
    def summable(self) -> list[int]:
        """Number columns that may be added up."""
        return [i for i in self.numbers if self._columns[i].arithmetic == "all"]

    @cached_property
    def dates(self) -> list[int]:
        """Date columns that differ; ranges are none."""
        return self._of("date", lambda column: column.precision != "range")

    @cached_property
    def years(self) -> list[int]:
        """Date columns of several calendar years."""
        values = {i: [v for v in self._columns[i].values if isinstance(v, Date)] for i in self.dates}
        return [i for i, dates in values.items() if len({date.year for date in dates}) > 1]

    @cached_property
    def groups(self) -> list[int]:
        """Text columns with some value twice."""
        return self._of("string", lambda column: not column.clashes and len(set(column.texts)) < len(column.present))

    @cached_property
    def comparable(self) -> list[int]:
        """The columns that a condition may be about."""
        return [*self.groups, *self.numbers, *self.dates]

    @cached_property
    def names(self) -> list[int]:
        """Columns whose cells name the rows, each another."""
        return [i for i in self._plain if self._columns[i].kind == "string" and self._columns[i].distinct]

    @cached_property
    def incomplete(self) -> list[int]:
        """Columns with a missing cell, and others."""
        return [i for i in self._plain if not self._columns[i].complete and self._columns[i].present]

    def _of(self, kind: str, fits: Callable[[TypedColumn], bool]) -> list[int]:
        columns = ((i, self._columns[i]) for i in self._plain)
        return [i for i, column in columns if column.kind == kind and column.varies and fits(column)]


class Palette(Fitting):
    """What is drawn from a table; all choices come from `draw`."""

    def __init__(self, table: TypedTable, draw: Draw):
        super().__init__(table)
        self.draw = draw

    def name(self) -> int:
        return self.draw.choice(self.names)

    def target(self, *taken: int) -> Column:
        """A column to select: mostly one that names the rows."""
        named = [i for i in self.names if i not in taken]
        if named and self.draw.chance(0.7):
            return Column(self.draw.choice(named))
        return Column(self.draw.choice([i for i in self.table.askable if i not in taken]))

    def typed(self, index: int) -> Column:
        """The column's values where it has typed ones, else its texts."""
        kind = self._columns[index].kind
        return Column(index, "" if kind == "string" else kind)

    def constant(self, index: int, row: int) -> Constant:
        """The value of a cell, shown as the cell is.

        Raises:
            Undetermined: the cell is missing or long.
        """
        column = self._columns[index]
        text = column.cells[row]
        if row not in column.present or len(text.split()) > MAX_CELL_WORDS:
            raise Undetermined(f"a missing cell, or one of more than {MAX_CELL_WORDS} words, as a constant")
        value = text if column.kind == "string" else column.values[row]
        assert value is not None
        shown = text if column.kind == "string" else without_footnotes(text)
        if isinstance(value, Decimal) and column.unit == "":
            shown = f"{value:f}"
        return Constant(value, shown if column.kind != "string" and _BARE_NUMBER.fullmatch(shown) else quoted(shown))

    def row(self) -> int:
        return self.draw.choice(range(len(self.table)))

    def keyed(self, name: int, row: int) -> Compare:
        """The condition that names one row."""
        return Compare(Column(name), "=", self.constant(name, row))

    def two_rows(self) -> tuple[int, int]:
        """Two rows, not the same."""
        first, step = self.row(), 1 + self.draw.choice(range(max(1, len(self.table) - 1)))
        return first, (first + step) % len(self.table)

    def pair_of(self, options: Sequence[int]) -> tuple[int, int]:
        """Two different columns of one unit whose cells are written alike.

        Raises:
            Undetermined: there are no two.
        """
        first = self.draw.choice(options)
        like = [i for i in options if i != first and _alike(self._columns[first], self._columns[i])]
        return first, self.draw.choice(like)


def _alike(first: TypedColumn, second: TypedColumn) -> bool:
    if _SAID_UNIT.findall(first.name) != _SAID_UNIT.findall(second.name):
        return False
    return (first.unit, first.precision, first.format) == (second.unit, second.precision, second.format)
