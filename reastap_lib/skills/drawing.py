"""What skills draw with: choices, columns, conditions, and conditions in words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import TypeVar

from reastap_lib.columns import Column, TypedTable, rows_in
from reastap_lib.conditions import (
    Compare,
    Comparison,
    Condition,
    Contains,
    Happened,
    Is,
    Timing,
    Undetermined,
    matching,
)
from reastap_lib.dates import Date, Span
from reastap_lib.skills.wording import is_plural, noun, was
from reastap_lib.values import without_footnotes

T = TypeVar("T")
MAX_CELL_WORDS = 12
CONTAINS_SHARE = 0.35
OPERATORS: tuple[Comparison, ...] = (">", "<", ">=", "<=", "=")
TIMINGS: tuple[Timing, ...] = ("before", "after", "before", "after", "on")
_COMPARED: dict[Comparison, tuple[str, ...]] = {
    ">": ("greater than", "more than", "above"),
    "<": ("less than", "below", "lower than"),
    ">=": ("at least", "greater than or equal to"),
    "<=": ("at most", "less than or equal to"),
    "=": ("", "equal to", "exactly"),
}
_LASTED: dict[Comparison, tuple[str, ...]] = {
    ">": ("longer than", "above"),
    "<": ("shorter than", "below"),
    ">=": ("at least",),
    "<=": ("at most",),
    "=": ("", "exactly"),
}
_TIMED: dict[Timing, tuple[str, ...]] = {
    "before": ("before", "earlier than"),
    "after": ("after", "later than"),
    "on": ("",),
}


@dataclass(frozen=True, slots=True)
class Clause:
    """A condition in words, for every place in a sentence.

    >>> clause = Clause(Is(0, "Italy"), "Country", "Italy")
    >>> clause.was, clause.asked, clause.whose
    ('the Country was Italy', 'was the Country Italy', 'whose Country was Italy')
    >>> Clause(Contains(0, "Art"), "Motto", 'the word "Art"').asked
    'did the Motto contain the word "Art"'
    """

    condition: Condition
    name: str
    said: str

    @property
    def was(self) -> str:
        return f"the {self.name} {self._verb} {self.said}"

    @property
    def asked(self) -> str:
        if isinstance(self.condition, Contains):
            return f"did the {self.name} contain {self.said}"
        return f"{self._verb} the {self.name} {self.said}"

    @property
    def whose(self) -> str:
        return f"whose {self.name} {self._verb} {self.said}"

    @property
    def had(self) -> str | None:
        """had Goals above 5, where that can be said."""
        return f"had {self.name} {self.said}" if isinstance(self.condition, Compare) and is_plural(self.name) else None

    @property
    def _verb(self) -> str:
        return "contained" if isinstance(self.condition, Contains) else was(self.name)


class Draw:
    """The random choices of one example, all from one generator.

    Args:
        random: Gives the next number in [0, 1), such as `np.random.default_rng([seed, i]).random`.
        wish: A number in [0, 1) that a corpus spreads evenly over a skill's examples; what may give an answer away (Yes
            or No, how many, which place) is chosen by it, so that no answer is more frequent than it must be.
    """

    def __init__(self, random: Callable[[], float], wish: float | None = None):
        self._random = random
        self.wish = float(random()) if wish is None else wish

    @property
    def yes(self) -> bool:
        """Whether a yes/no question should come out Yes."""
        return self.wish < 0.5

    def wished(self, most: int) -> int:
        """A number from 1 to `most`, by the wish."""
        return 1 + int(self.wish * most)

    def chance(self, probability: float) -> bool:
        return self._random() < probability

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
        if table.key is not None and table.key not in taken and table.plain_names[table.key] and self.chance(0.7):
            return table.key
        return self.choice([i for i in table.askable if i not in taken])

    def clause(self, table: TypedTable, taken: Sequence[int] = (), row: int | None = None) -> Clause:
        """A condition with its words; see `condition`."""
        return self.say(self.condition(table, taken, row), table)

    def condition(self, table: TypedTable, taken: Sequence[int] = (), row: int | None = None) -> Condition:
        """A condition on one of the columns that are not `taken`; one that holds in `row`, when it is given.

        Raises:
            Undetermined: no column is left, or the row's cell is missing or too long.
        """
        index = self.choice([i for i in table.conditionable if i not in taken])
        column = table.columns[index]
        if row is not None and not column.complete and row not in column.present:
            raise Undetermined("a missing cell in a condition")
        if column.kind == "string":
            return self._on_text(index, column, row)
        return self._compare(index, column, row) if column.kind == "number" else self._happened(index, column, row)

    def say(self, condition: Condition, table: TypedTable) -> Clause:
        """A condition in words."""
        column = table.columns[condition.column]
        if isinstance(condition, Is):
            return Clause(condition, noun(column), condition.text)
        if isinstance(condition, Contains):
            return Clause(condition, noun(column), f'the word "{condition.word}"')
        cell = without_footnotes(column.cells[rows_in(_bound_rows(condition, table))[0]])
        if isinstance(condition, Compare):
            word = self.choice((_LASTED if column.unit == "s" else _COMPARED)[condition.operator])
        else:
            word = self.choice(_TIMED[condition.timing])
        return Clause(condition, noun(column), f"{word} {cell}".lstrip())

    def _on_text(self, index: int, column: Column, row: int | None) -> Condition:
        word_rows = column.shared_words
        shared = [word for word, rows in word_rows.items() if row is None or rows >> row & 1]
        whole = not column.clashes and column.different < len(column.present)
        if shared and (not whole or self.chance(CONTAINS_SHARE)):
            return Contains(index, self.choice(shared))
        if not whole:
            raise Undetermined("no word that several cells share")
        text = column.cells[self.choice(column.present) if row is None else row]
        if len(text.split()) > MAX_CELL_WORDS:
            raise Undetermined(f"a cell of more than {MAX_CELL_WORDS} words in a condition")
        return Is(index, text)

    def _compare(self, index: int, column: Column, row: int | None) -> Condition:
        if column.unit == "ordinal":  # "more than 2nd" cannot be said
            own = column.values[self.choice(column.present) if row is None else row]
            assert isinstance(own, Decimal)
            return Compare(index, "=", own)
        bound = column.values[self.choice(column.present)]
        assert isinstance(bound, Decimal)
        operator = self.choice(OPERATORS)
        if row is None:
            return Compare(index, operator, bound)
        value, loose = column.values[row], operator in (">=", "<=")
        assert isinstance(value, Decimal)
        if value == bound:
            return Compare(index, operator if loose else "=", bound)
        return Compare(index, (">=" if loose else ">") if value > bound else ("<=" if loose else "<"), bound)

    def _happened(self, index: int, column: Column, row: int | None) -> Condition:
        bound = column.values[self.choice(column.present)]
        assert isinstance(bound, Date | Span)
        if row is None:
            return Happened(index, self.choice(TIMINGS), bound)
        value = column.values[row]
        timing: Timing = "on" if value == bound else "after" if value > bound else "before"  # type: ignore[operator]
        return Happened(index, timing, bound)


def _bound_rows(condition: Compare | Happened, table: TypedTable) -> int:
    """The rows whose cell is what the condition compares with."""
    if isinstance(condition, Compare):
        return matching(Compare(condition.column, "=", condition.value), table)
    return matching(Happened(condition.column, "on", condition.value), table)
