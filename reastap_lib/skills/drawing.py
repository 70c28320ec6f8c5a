"""What skills draw with: choices, columns, conditions in words, and the parts of grammatical questions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from typing import TypeVar

import numpy as np

from reastap_lib.column_types import Column, TypedTable
from reastap_lib.formats import ordinal
from reastap_lib.programs import Compare, Comparison, Condition, Happened, Is, Timing, Undetermined
from reastap_lib.tables import words
from reastap_lib.values import Date, without_footnotes

T = TypeVar("T")
MAX_CELL_WORDS = 12
_COMPARED: dict[Comparison, tuple[str, ...]] = {
    ">": ("greater than", "more than", "above"),
    "<": ("less than", "below", "smaller than"),
    ">=": ("at least", "greater than or equal to"),
    "<=": ("at most", "less than or equal to"),
    "=": ("equal to", "exactly"),
}
_TIMED: dict[Timing, tuple[str, ...]] = {
    "before": ("before", "earlier than"),
    "after": ("after", "later than"),
    "on": ("on",),
}


@dataclass(frozen=True)
class Clause:
    """A condition in words: the column's name, and what its cell was said to be.

    >>> Clause(Is(0, "Italy"), "Country", "Italy").was
    'the Country was Italy'
    """

    condition: Condition
    name: str
    said: str

    @property
    def was(self) -> str:
        return f"the {self.name} was {self.said}"

    @property
    def whose(self) -> str:
        return f"whose {self.name} was {self.said}"


class Draw:
    """The random choices of one example, all from its own generator.

    Args:
        rng: The generator of the example.

    Attributes:
        yes: Whether a yes/no question should come out Yes; drawn once an example, so that both come about evenly.
    """

    def __init__(self, rng: np.random.Generator):
        self._random = rng.random
        self.yes = self.chance(0.5)

    def chance(self, probability: float) -> bool:
        return bool(self._random() < probability)

    def choice(self, options: Sequence[T]) -> T:
        """One of the options, each as likely.

        Raises:
            Undetermined: there is none.
        """
        if not options:
            raise Undetermined("no column or cell to choose from")
        return options[int(self._random() * len(options))]

    def target(self, table: TypedTable, taken: Sequence[int] = ()) -> int:
        """A column to ask for: mostly the one that names the rows, else any but bare indexes."""
        if table.key is not None and table.key not in taken and self.chance(0.7):
            return table.key
        return self.choice([i for i in table.askable if i not in taken])

    def clause(self, table: TypedTable, taken: Sequence[int] = (), row: int | None = None) -> Clause:
        """A condition on one of the columns that are not `taken`; one that holds in `row`, when it is given."""
        index = self.choice([i for i in table.conditionable if i not in taken])
        column = table.columns[index]
        if column.kind == "string":
            return self._is(index, column, row)
        return self._compare(index, column, row) if column.kind == "number" else self._happened(index, column, row)

    def ordinal(self, rows: int, limit: int = 12) -> int:
        """A place from the 1st on, among `rows`."""
        return 1 + int(self._random() * min(rows, limit))

    def _cell(self, column: Column, row: int | None) -> int:
        if row is not None and row not in column.present:
            raise Undetermined("a missing cell in a condition")
        return self.choice(column.present) if row is None else row

    def _is(self, index: int, column: Column, row: int | None) -> Clause:
        text = column.cells[self._cell(column, row)]
        if len(text.split()) > MAX_CELL_WORDS:
            raise Undetermined(f"a cell of more than {MAX_CELL_WORDS} words in a condition")
        return Clause(Is(index, text), column.name, text)

    def _compare(self, index: int, column: Column, row: int | None) -> Clause:
        bound_row = self.choice(column.present)
        bound = column.values[bound_row]
        assert isinstance(bound, Decimal)
        operators: list[Comparison] = [">", "<", ">=", "<=", "="]
        operator = self.choice(operators)
        if row is not None:
            operator = self._fitting(column.values[self._cell(column, row)], bound, operator)
        said = f"{self.choice(_COMPARED[operator])} {without_footnotes(column.cells[bound_row])}"
        return Clause(Compare(index, operator, bound), column.name, said)

    def _fitting(self, value: object, bound: Decimal, operator: Comparison) -> Comparison:
        """The operator, turned where it must be so that `value` meets it."""
        assert isinstance(value, Decimal)
        loose = operator in (">=", "<=")
        if value == bound:
            return operator if loose else "="
        return (">=" if loose else ">") if value > bound else ("<=" if loose else "<")

    def _happened(self, index: int, column: Column, row: int | None) -> Clause:
        bound_row = self.choice(column.present)
        bound = column.values[bound_row]
        assert isinstance(bound, Date)
        timings: list[Timing] = ["before", "after", "before", "after", "on"]
        timing = self.choice(timings)
        if row is not None:
            value = column.values[self._cell(column, row)]
            assert isinstance(value, Date)
            timing = "on" if value == bound else "after" if value > bound else "before"
        words = ("in",) if timing == "on" and column.precision != "day" else _TIMED[timing]
        said = f"{self.choice(words)} {without_footnotes(column.cells[bound_row])}"
        return Clause(Happened(index, timing, bound), column.name, said)


def place(k: int, adjective: str, *, figure: bool) -> str:
    """The words for a place: largest or 1st largest, 2nd largest, 11th largest.

    >>> place(1, "largest", figure=False), place(12, "largest", figure=False)
    ('largest', '12th largest')
    """
    return adjective if k == 1 and not figure else f"{ordinal(k)} {adjective}"


@lru_cache(maxsize=4096)
def plural(name: str) -> str | None:
    """The plural of a header that is a plain singular noun, or None where that is not sure.

    >>> plural("Player"), plural("Home city"), plural("Goals"), plural("No.")
    ('Players', 'Home cities', None, None)
    """
    if not re.fullmatch(r"[A-Za-z][a-z]{2,}(?: [A-Za-z]?[a-z]+)*", name):
        return None
    word = name.split()[-1].lower()
    if word in _IRREGULAR:
        return name[: len(name) - len(word) + 1] + _IRREGULAR[word][1:]
    if word.endswith("man"):
        return None if word in ("human", "german", "roman", "talisman", "shaman") else name[:-2] + "en"
    if word.endswith(("s", "ed", "ing", "er than")) or word in _UNCOUNTED or len(word) < 3:
        return None
    if word.endswith("y") and word[-2] not in "aeiou":
        return name[:-1] + "ies"
    return name + ("es" if word.endswith(("x", "z", "ch", "sh")) else "s")


_IRREGULAR = {"person": "people", "child": "children", "half": "halves"}
_UNCOUNTED = frozenset(
    words(
        """weather information data music population attendance attended capacity total percentage high low average
        height weight length media personnel people men women children staff money revenue income notes home away"""
    )
)
