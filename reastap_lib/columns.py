"""Typed columns and tables as values, and what follows from the types: which rows hold what, what may be asked.

Sets of rows are whole numbers used as bit masks: bit i stands for row i. So conditions are met, joined and counted
in a few machine operations.
"""

from __future__ import annotations

import itertools
import operator
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property
from typing import Literal

from reastap_lib.cell_words import padded_words, standing_words, telling_words
from reastap_lib.dates import Date, Precision, Span
from reastap_lib.tables import Table, html_of, normalise
from reastap_lib.values import is_missing, without_footnotes

Kind = Literal["string", "number", "date"]
Role = Literal["", "year", "rank", "index"]
Arithmetic = Literal["none", "average", "all"]
Value = Decimal | Date | Span
Mask = int

MAX_NAME_WORDS = 12


def rows_in(mask: Mask) -> list[int]:
    """The rows of a mask, in order.

    >>> rows_in(0b1011)
    [0, 1, 3]
    """
    return [i for i in range(mask.bit_length()) if mask >> i & 1]


def mask_of(rows: Iterable[int]) -> Mask:
    """The mask of some rows."""
    mask = 0
    for row in rows:
        mask |= 1 << row
    return mask


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
    plus: str = ""
    plain: bool = True


@dataclass(frozen=True)
class Column:
    """One column: its texts, their values, and what may be done with them.

    Args:
        values: For each cell of a number column a Decimal, of a date column a Date (or, all of them, a Span), None
            where missing; all None for strings.
        unit: Of numbers: "", "%", a currency, "s" (seconds), "ordinal", or words such as "km".
        precision: Of dates; "range" where the values are spans.
        role: year, rank or index: numbers that name things, and are never added.
        arithmetic: Whether the numbers may be averaged, or also summed.
        note: Why a column that looks like numbers or dates is a string.
    """

    name: str
    kind: Kind
    cells: tuple[str, ...]
    values: tuple[Value | None, ...]
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

    @property
    def complete(self) -> bool:
        """Whether no cell is missing."""
        return len(self.present) == len(self.cells)

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """Each cell as it is compared: case, spaces and footnote marks make no difference."""
        return tuple(normalise(without_footnotes(cell)) for cell in self.cells)

    @cached_property
    def different(self) -> int:
        """How many different texts there are, without missing ones."""
        return len({self.texts[i] for i in self.present})

    @cached_property
    def distinct(self) -> bool:
        """Whether no cell is missing and no two read the same."""
        return self.complete and self.different == len(self.cells)

    @cached_property
    def clashes(self) -> bool:
        """Whether two different cells read the same but for case, spaces or marks, so that equality is unclear."""
        return len(self.rows_with) > self.different

    @cached_property
    def rows_with(self) -> dict[str, Mask]:
        """For each cell text, not missing, the rows that hold it."""
        rows: dict[str, Mask] = {}
        for i in self.present:
            rows[self.cells[i]] = rows.get(self.cells[i], 0) | 1 << i
        return rows

    @cached_property
    def ladder(self) -> tuple[list[Value], list[Mask]]:
        """Of a number or date column: the distinct values, ascending, and for k = 0, 1 ... the rows of the k lowest."""
        rows: dict[Value, Mask] = {}
        for i in self.present:
            value = self.values[i]
            assert value is not None
            rows[value] = rows.get(value, 0) | 1 << i
        values = sorted(rows)
        return values, list(itertools.accumulate((rows[value] for value in values), operator.or_, initial=0))

    @cached_property
    def words(self) -> tuple[dict[str, Mask], dict[str, Mask]]:
        """For each word the rows that hold it: between spaces, and also as a part (York in York-based)."""
        standing: dict[str, Mask] = {}
        also_parts: dict[str, Mask] = {}
        for i in self.present:
            for word in standing_words(self.cells[i]):
                standing[word] = standing.get(word, 0) | 1 << i
            for word in padded_words(self.cells[i]).split():
                also_parts[word] = also_parts.get(word, 0) | 1 << i
        return standing, also_parts

    @cached_property
    def shared_words(self) -> dict[str, Mask]:
        """Of a string column: words, as first written, that stand in several cells but not in all, nowhere as parts.

        "York" is none where another cell says York-based: a reader could count it or not. Nor is a word that makes up
        all of the cells that hold it.
        """
        if self.kind != "string":
            return {}
        standing, also_parts = self.words
        written: dict[str, str] = {}
        for i in self.present:
            for word in telling_words(self.cells[i]):
                written.setdefault(normalise(word), word)
        return {
            word: mask
            for key, word in written.items()
            if 1 < (mask := standing.get(key, 0)).bit_count() < len(self.present)
            and also_parts.get(key) == mask
            and any(self.texts[i] != key for i in rows_in(mask))
        }

    def rows_with_word(self, word: str) -> Mask | None:
        """The rows whose cell holds the word, or None where it depends on what a word is (York in York-based)."""
        standing, also_parts = (rows.get(normalise(word), 0) for rows in self.words)
        return standing if standing == also_parts else None

    @cached_property
    def varies(self) -> bool:
        """Whether a condition on the column can pick some rows out of several by more than their name."""
        if self.kind != "string":
            return self.different > 1
        return (1 < self.different < len(self.present) and not self.clashes) or bool(self.shared_words)

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
        """The columns that a condition may be about: strings with a value or word twice, others that vary."""
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
        """Whether each header can be said: it holds a letter or figure, is not double, and has at most 12 words."""
        names = [normalise(name) for name in self.table.header]
        return tuple(
            any(map(str.isalnum, n)) and names.count(n) == 1 and len(n.split()) <= MAX_NAME_WORDS for n in names
        )

    @property
    def notes(self) -> list[str]:
        """A few words on each column for people: its type, and which one names the rows."""
        return [c.label + (", key" if i == self.key else "") for i, c in enumerate(self.columns)]

    def _repr_html_(self) -> str:
        return html_of(self.table, self.notes)
