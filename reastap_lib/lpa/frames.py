"""A table as LPA operators see it: columns by name, each with its cells' texts, words, and numbers where they read so.

A column is a number (date) column when at least half of its cells that are not missing read as numbers (dates), units
aside; the others of its cells have no number then. This is more lenient than `reastap_lib.column_types`, which proves
answers: here a total row or a "dnf" must not turn a column of numbers into text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import Literal

from reastap_lib.dates import Date, parse_date
from reastap_lib.lpa.words import fold, stems, tokens
from reastap_lib.tables import Table, normalise
from reastap_lib.values import is_missing, parse_number

ColumnKind = Literal["number", "date", "text"]


@dataclass(frozen=True)
class FrameColumn:
    """One column.

    Args:
        name: The header as programs write it; a header that comes again has its place among them behind it.
        texts: The cells, in lower case.
        numbers: What each cell is worth in comparisons (a date as yyyymmdd); None where it is no number.
    """

    name: str
    texts: tuple[str, ...]
    kind: ColumnKind
    numbers: tuple[Decimal | None, ...]

    @cached_property
    def stems(self) -> tuple[tuple[str, ...], ...]:
        """The stems of each cell's words."""
        return tuple(map(stems, self.texts))

    def read(self, text: str) -> Decimal | None:
        """A value as this column counts: a number beside numbers, a date beside dates, else None."""
        if self.kind == "text":
            return None
        return number_of(text) if self.kind == "number" else date_number(text)


@dataclass(frozen=True)
class Frame:
    """A table for LPA programs; its columns have different names."""

    title: str
    columns: tuple[FrameColumn, ...]
    size: int

    @cached_property
    def _by_words(self) -> dict[str, FrameColumn]:
        return {_key(column.name): column for column in reversed(self.columns)}

    def column(self, name: str) -> FrameColumn | None:
        """The column of that name; marks, case and spaces make no difference."""
        return self._by_words.get(_key(name))

    @property
    def rows(self) -> tuple[int, ...]:
        """All rows, in order."""
        return tuple(range(self.size))


def frame_of(table: Table) -> Frame:
    """The frame of a table.

    >>> frame = frame_of(Table("t", "", ("Year", "Pos", "Pos"), (("1998", "1st", "a"), ("1999", "dnf", "b"))))
    >>> [(column.name, column.kind) for column in frame.columns], frame.column("POS.").numbers
    ([('year', 'number'), ('pos', 'number'), ('pos (2)', 'text')], (Decimal('1'), None))
    """
    columns = zip(_names(table.header), zip(*table.rows, strict=True), strict=True)
    return Frame(normalise(table.title), tuple(_column(name, cells) for name, cells in columns), len(table.rows))


def number_of(text: str) -> Decimal | None:
    """The number that a text is, units aside.

    >>> number_of("28,610"), number_of("- 2 years"), number_of("12 May 1998")
    (Decimal('28610'), Decimal('-2'), None)
    """
    number = parse_number(text)
    return None if number is None else number.value


def date_number(text: str) -> Decimal | None:
    """A date as yyyymmdd, which sorts like it; 00 stands for what it does not say.

    >>> date_number("may 1998")
    Decimal('19980500')
    """
    date = parse_date(text)
    return Decimal(date.year * 10_000 + date.month * 100 + date.day) if isinstance(date, Date) else None


def _names(header: Sequence[str]) -> list[str]:
    """The headers in lower case, made different from one another."""
    found: dict[str, str] = {}
    for name in map(normalise, header):
        different, place = name, 1
        while _key(different) in found:
            place += 1
            different = f"{name} ({place})"
        found[_key(different)] = different
    return list(found.values())


def _key(name: str) -> str:
    return " ".join(tokens(name)) or fold(name)


def _column(name: str, cells: Sequence[str]) -> FrameColumn:
    texts = tuple(map(normalise, cells))
    present = sum(not is_missing(text) for text in texts)
    kinds: tuple[ColumnKind, ...] = ("number", "date")
    for kind, read in zip(kinds, (number_of, date_number), strict=True):
        numbers = tuple(map(read, texts))
        if present and 2 * sum(number is not None for number in numbers) >= present:
            return FrameColumn(name, texts, kind, numbers)
    return FrameColumn(name, texts, "text", (None,) * len(texts))
