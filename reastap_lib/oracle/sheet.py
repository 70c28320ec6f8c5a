"""A table as a reader looks at it: cells, the columns that words name, and rows that a condition leaves.

Sets of rows are frozen sets of row numbers. What a reader could not decide raises `Unclear`; what this reader cannot
read raises `Unreadable`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import TypeVar

from reastap_lib.oracle.calendar import Time, day_comes_first, is_numeric, time
from reastap_lib.oracle.quantities import CLOCK, ORDINAL, Quantity, quantity, without_marks
from reastap_lib.tables import words

T = TypeVar("T")
Rows = frozenset[int]
_SAID_NOTHING = frozenset(["n/a", "n / a", "tba", "tbd"])
_TOTAL = frozenset(["total", "totals", "grand total", "overall", "sum", "average"])
_NAMING = frozenset(
    words("year rank position pos place no number # id round week season episode car start finish grid division tier")
)
_RUNS, _EDGES = re.compile(r"[^\W_]+"), re.compile(r"^\W+|\W+$")
_ADDED_NOUNS = (" figure", " entry", " year", " date", " period")


class Unclear(Exception):
    """A reader could take it in more than one way; says how."""


class Unreadable(Exception):
    """This reader cannot read it; says what."""


@lru_cache(maxsize=65536)
def plain(text: str) -> str:
    """A text for comparing: without footnote marks, case and doubled spaces.

    >>> plain(" The  Reds[a] ")
    'the reds'
    """
    return " ".join(unicodedata.normalize("NFKC", without_marks(text)).casefold().split())


@lru_cache(maxsize=65536)
def is_blank(text: str) -> bool:
    """Whether a cell says nothing: it is empty, dashes, dots, commas or question marks, or n/a, TBA, TBD.

    >>> is_blank("—"), is_blank("N/A"), is_blank("NA"), is_blank("✓")
    (True, True, False, False)
    """
    return not text.strip(" -–—−―‒.…?,;:/") or text.strip().casefold() in _SAID_NOTHING


class Sheet:
    """One table.

    Args:
        header: (columns,)
        rows: (rows, columns)

    >>> sheet = Sheet(["Name", "Goals"], [["Ann", "9"], ["Bob", "12"]])
    >>> sheet.named("Goals"), sorted(sheet.equal(0, "bob")), sheet.numbers(1)[0].value
    ([1], [1], Fraction(9, 1))
    """

    def __init__(self, header: Sequence[str], rows: Sequence[Sequence[str]]):
        self.header = [" ".join(name.split()).rstrip(" :") for name in header]
        self.columns = [list(column) for column in zip(*rows, strict=True)]
        self.size = len(rows)
        self.all_rows: Rows = frozenset(range(self.size))
        self._memory: dict[tuple[str, object], object] = {}

    def remember(self, kind: str, key: object, make: Callable[[], T]) -> T:
        """What `make` gives, or raised, once for every key."""
        place = kind, key
        if place not in self._memory:
            try:
                self._memory[place] = make()
            except (Unclear, Unreadable) as error:
                self._memory[place] = error
        found = self._memory[place]
        if isinstance(found, Unclear | Unreadable):
            raise found
        return found  # type: ignore[return-value]

    def named(self, text: str) -> list[int]:
        """The columns that the words may name: a header, or a header with a noun behind it (the Founded year)."""
        names = [text, *(text[: -len(noun)] for noun in _ADDED_NOUNS if text.endswith(noun))]
        return [i for i, header in enumerate(self.header) if header in names]

    def present(self, column: int) -> list[int]:
        """The rows whose cell says something."""
        cells = self.columns[column]
        return self.remember("present", column, lambda: [i for i, cell in enumerate(cells) if not is_blank(cell)])

    @cached_property
    def fault(self) -> str:
        """Why nothing can be asked of the table: rows that are no data, such as a total, or the header again."""
        header = list(map(plain, self.header))
        for row in zip(*self.columns, strict=True):
            texts = list(map(plain, row))
            if _TOTAL.intersection(texts[:2]):
                return f"a total row is in the table: {list(row)}"
            if 2 * sum(text == name for text, name in zip(texts, header, strict=True)) > len(header):
                return f"the header is in the table again: {list(row)}"
        return ""

    def measures(self, column: int) -> dict[int, Quantity]:
        """The column's numbers where they measure or count; those that name or order things are unclear."""
        numbers, name = self.numbers(column), re.sub(r" ?\(.*\)|\.", "", self.header[column].casefold()).strip()
        years = all(n.unit == "#" and n.places == 0 and 1800 <= n.value <= 2050 for n in numbers.values())
        plain_years = years and not any("," in self.columns[column][i] for i in numbers)
        if name in _NAMING or plain_years or any(n.unit == ORDINAL for n in numbers.values()):
            raise Unclear(f"the numbers of {self.header[column]!r} name or order things")
        return numbers

    def numbers(self, column: int) -> dict[int, Quantity]:
        """The column's numbers by row, all of one unit."""
        return self.remember("numbers", column, lambda: self._numbers(column))

    def times(self, column: int) -> dict[int, Time]:
        """The column's times by row, all said as exactly."""
        return self.remember("times", column, lambda: self._times(column))

    def _numbers(self, column: int) -> dict[int, Quantity]:
        found = {i: quantity(self.columns[column][i]) for i in self.present(column)}
        bad = [self.columns[column][i] for i, value in found.items() if value is None]
        if bad or not found:
            raise Unreadable(f"{(bad or [''])[0]!r} is no number")
        numbers = {i: value for i, value in found.items() if value is not None}
        units = {number.unit for number in numbers.values()}
        if len(units) > 1 and units not in ({"#", ORDINAL}, {"#", CLOCK}):
            raise Unreadable(f"different units: {sorted(units)}")
        return numbers

    def _times(self, column: int) -> dict[int, Time]:
        cells, order = {i: self.columns[column][i] for i in self.present(column)}, self.day_first(column)
        if order is None and any(map(is_numeric, cells.values())):
            raise Unreadable("day or month may come first")
        found = {i: time(cell, order) for i, cell in cells.items()}
        bad = [cells[i] for i, value in found.items() if value is None]
        if bad or not found:
            raise Unreadable(f"{(bad or [''])[0]!r} is no date")
        times = {i: value for i, value in found.items() if value is not None}
        precisions = {value.precision for value in times.values()}
        if len(precisions) > 1 and "range" not in precisions:
            raise Unreadable("dates of mixed precision")
        return times

    def day_first(self, column: int) -> bool | None:
        """Whether the column's dates in figures begin with the day; None where there are none, or that is unclear."""
        cells = (self.columns[column][i] for i in self.present(column))
        return self.remember("day first", column, lambda: day_comes_first(list(filter(is_numeric, cells))))

    def time_of(self, column: int, text: str) -> Time:
        """A time said in the question, read as the column's cells are."""
        found = time(text, self.day_first(column))
        if found is None:
            raise Unreadable(f"{text!r} is no date")
        return found

    def equal(self, column: int, text: str) -> Rows:
        """The rows whose cell is what the text says: as a text, and as a number or time where the column holds such."""
        return self.remember("equal", (column, text), lambda: self._equal(column, text))

    def _equal(self, column: int, text: str) -> Rows:
        wanted, cells = plain(text), self.columns[column]
        same = frozenset(i for i in self.present(column) if plain(cells[i]) == wanted)
        by_value = self._equal_in_value(column, text)
        if by_value is None and len({" ".join(cells[i].split()) for i in same}) > 1:
            raise Unclear(f"cells of {self.header[column]!r} differ from {text!r} only in case or marks")
        return same if by_value is None else same | by_value

    def _equal_in_value(self, column: int, text: str) -> Rows | None:
        number = quantity(text)
        try:
            if number and "(" not in number.unit:
                numbers = self.numbers(column)
                return frozenset(i for i, n in numbers.items() if same_unit(n, number) and n.value == number.value)
        except Unreadable:
            pass
        try:
            wanted, times = self.time_of(column, text), self.times(column)
            return frozenset(i for i, t in times.items() if (t.first, t.last) == (wanted.first, wanted.last))
        except Unreadable:
            return None

    def holding(self, column: int, word: str) -> Rows:
        """The rows whose cell holds the word between spaces; unclear where another cell has it inside a longer one."""
        return self.remember("holding", (column, word), lambda: self._holding(column, word))

    def _holding(self, column: int, word: str) -> Rows:
        wanted, cells = plain(word), self.columns[column]
        texts = {i: " ".join(unicodedata.normalize("NFKC", cells[i]).casefold().split()) for i in self.present(column)}
        somewhere = frozenset(i for i, text in texts.items() if wanted in _RUNS.findall(text))
        apart = frozenset(i for i in somewhere if any(_EDGES.sub("", w) == wanted for w in texts[i].split()))
        if apart != somewhere:
            raise Unclear(f"{word!r} is a word of its own in some cells of {self.header[column]!r}, a part in others")
        return apart


def same_unit(one: Quantity, other: Quantity) -> bool:
    """Whether two quantities can be compared; a place (3rd), or a time of seconds, can with a plain number."""
    return one.unit == other.unit or {one.unit, other.unit} in ({"#", ORDINAL}, {"#", CLOCK})


def values(numbers: dict[int, Quantity]) -> dict[int, Fraction]:
    """The bare numbers by row."""
    return {i: number.value for i, number in numbers.items()}
