"""The book of a search: every value beside the program that gives it, computed once and known by its number."""

from __future__ import annotations

from typing import NamedTuple

from reastap_lib.lpa.frames import Frame, FrameColumn
from reastap_lib.lpa.operators import Operator, ProgramError, Value
from reastap_lib.lpa.programs import ALL_ROWS, Call
from reastap_lib.lpa.sentences import Reading

COUNT, ANY = "<count>", "<any>"
Known = int  # the number of a thing in the book
_COUNTING = frozenset(["count", "half", "one_third", "uniq_num", "uniq_str"])


class Thing(NamedTuple):
    """A value, or a column.

    Args:
        said: The program or the text that gives it.
        of: The column that it is a value of; COUNT for a number of rows; ANY for a number that the sentence just says.
        made: The key of the function that made it; "" for what the sentence named.
        filtered: For rows: the columns that they were filtered by.
    """

    value: Value | FrameColumn
    said: Call | str
    of: str = ""
    made: str = ""
    filtered: frozenset[str] = frozenset()


class State(NamedTuple):
    """What a search holds at some point: things by their kind, the row sets not used yet, and what was done."""

    texts: tuple[Known, ...]
    numbers: tuple[Known, ...]
    truths: tuple[Known, ...]
    rows: tuple[Known, ...]
    unused: frozenset[Known]
    done: frozenset[Known]

    @property
    def left(self) -> int:
        """How many things are still to be brought together; a step lowers it by one at most."""
        return len(self.texts) + len(self.numbers) + len(self.truths) + len(self.unused)


class Book:
    """All values of a search over one table."""

    def __init__(self, frame: Frame) -> None:
        self.frame = frame
        self.things: list[Thing] = []
        self._calls: dict[tuple[str, tuple[Known, ...]], Known | None] = {}
        self._columns: dict[str, Known] = {}
        self.all_rows = self._add(Thing(frame.rows, ALL_ROWS))
        self.named: tuple[Known, ...] = ()

    def start(self, reading: Reading) -> State:
        """The state that a sentence starts from."""
        self.named = tuple(self.column(column) for column in reading.columns)
        texts = [self._add(Thing(text, text, column.name)) for column, text in reading.texts]
        numbers = [self._add(Thing(number, str(number), column.name)) for column, number in reading.numbers]
        counts = [self._add(Thing(number, str(number), ANY)) for number in reading.counts]
        return State(tuple(texts), (*numbers, *counts), (), (self.all_rows,), frozenset(), frozenset())

    def column(self, column: FrameColumn) -> Known:
        """The number of a column."""
        if column.name not in self._columns:
            self._columns[column.name] = self._add(Thing(column, column.name, column.name))
        return self._columns[column.name]

    def column_of(self, thing: Known) -> Known:
        """The number of the column that a thing is a value of."""
        return self._columns[self.things[thing].of]

    def size(self, rows: Known) -> int:
        """How many rows a row set has."""
        value = self.things[rows].value
        return len(value) if isinstance(value, tuple) else 0

    def call(self, operator: Operator, arguments: tuple[Known, ...]) -> Known | None:
        """The number of what a function returns; None where it returns nothing, or no row."""
        key = (operator.key, arguments)
        if key not in self._calls:
            self._calls[key] = self._called(operator, [self.things[argument] for argument in arguments])
        return self._calls[key]

    def _called(self, operator: Operator, arguments: list[Thing]) -> Known | None:
        values: list[object] = [argument.value for argument in arguments]
        try:
            value = operator.apply(self.frame, *([tuple(values)] if operator.takes == ("texts",) else values))
        except ProgramError:
            return None
        if value == ():
            return None
        if operator.key in ("inc_num", "inc_str"):
            return self._add(arguments[0])
        said = Call(operator.name, tuple(argument.said for argument in arguments))
        return self._add(Thing(value, said, _of(operator, arguments), operator.key, _filtered(operator, arguments)))

    def _add(self, thing: Thing) -> Known:
        self.things.append(thing)
        return len(self.things) - 1


def _of(operator: Operator, arguments: list[Thing]) -> str:
    if operator.key in _COUNTING:
        return COUNT
    return arguments[-1].of if operator.gives in ("number", "text") else ""


def _filtered(operator: Operator, arguments: list[Thing]) -> frozenset[str]:
    if operator.gives != "rows":
        return frozenset()
    by = {arguments[1].of} if operator.key.startswith("filter") else set()
    return arguments[0].filtered | by
