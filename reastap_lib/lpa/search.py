"""Breadth-first search for the programs that a sentence may mean, as in LogicNLG's parser.

A state holds what the sentence named and what was computed from it. A step applies one function to things in it; a
program is found when a truth value is all that is left and every set of rows was used. So programs come in the order
of their length. The number of states that are opened is bounded, and what is found does not depend on the machine; a
limit in seconds stands behind it, and says so where it ended a search.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from reastap_lib.lpa.book import Book, Known, State
from reastap_lib.lpa.frames import Frame
from reastap_lib.lpa.moves import FIRST_STEP, Arguments, moves
from reastap_lib.lpa.operators import OPERATORS, Operator
from reastap_lib.lpa.programs import Call
from reastap_lib.lpa.sentences import Reading
from reastap_lib.lpa.triggers import allowed

MAX_STEPS = 7
DOUBLING = frozenset(["inc_num", "inc_str"])
MAX_ROW_SETS, MAX_COMPUTED, MAX_TRUTHS = 2, 3, 2


@dataclass(frozen=True)
class Limits:
    """When a search ends.

    Args:
        programs: As many programs are enough; the score looks at the first 36.
        states: As many states are opened at most.
        seconds: A search takes no longer; where this ends it, what is found depends on the machine.
    """

    programs: int = 36
    states: int = 20_000
    seconds: float = 30.0


class Found(NamedTuple):
    """What a search found: programs and what they return, the shortest first; whether a limit cut it short."""

    programs: tuple[tuple[Call, bool], ...]
    states: int
    cut: bool
    timed_out: bool


def search(reading: Reading, frame: Frame, limits: Limits) -> Found:
    """The programs that use all that a sentence names, in at most seven steps.

    >>> from reastap_lib.lpa.frames import frame_of
    >>> from reastap_lib.lpa.linking import TableIndex
    >>> from reastap_lib.lpa.sentences import read_sentence
    >>> from reastap_lib.tables import Table
    >>> frame = frame_of(Table("t", "", ("Player", "Goals"), (("Ann", "9"), ("Bob", "12"))))
    >>> found = search(read_sentence("Bob scored more goals than Ann", TableIndex(frame)), frame, Limits())
    >>> bob, ann = (f"hop{{filter_eq{{all_rows; player; {name}}}; goals}}" for name in ("bob", "ann"))
    >>> {str(program): holds for program, holds in found.programs}[f"greater{{{bob}; {ann}}}"]
    True
    """
    book, ends = Book(frame), time.monotonic() + limits.seconds
    may = allowed(reading.words)
    operators = [operator for operator in OPERATORS.values() if operator.key in may]
    level, finished, opened = [book.start(reading)], dict[str, Known](), 0
    for step in range(1, MAX_STEPS + 1):
        following: dict[frozenset[Known], State] = {}
        for state in level:
            enough = len(finished) >= limits.programs
            timed_out = not enough and time.monotonic() > ends
            if enough or timed_out or opened >= limits.states:
                return Found(_programs(book, finished.values(), limits), opened, not enough, timed_out)
            opened += 1
            for after in _after_a_step(book, state, operators, step):
                if isinstance(after, Known):
                    finished.setdefault(str(book.things[after].said), after)
                elif len(following) <= limits.states - opened:  # no more of them could be opened
                    following.setdefault(after.done, after)
        level = list(following.values())
    return Found(_programs(book, finished.values(), limits), opened, False, False)


def _programs(book: Book, finished: Iterable[Known], limits: Limits) -> tuple[tuple[Call, bool], ...]:
    things = [book.things[known] for known in finished][: limits.programs]
    return tuple((thing.said, thing.value is True) for thing in things if isinstance(thing.said, Call))


def _after_a_step(book: Book, state: State, operators: Sequence[Operator], step: int) -> Iterator[State | Known]:
    """The states that one more function leads to, and the programs that it completes."""
    for operator in operators:
        if (step > 1 and operator.key in FIRST_STEP) or _is_full(book, state, operator):
            continue
        for arguments in moves(book, state, operator):
            made = book.call(operator, arguments)
            if made is None or made in state.done:
                continue
            after = _used(state, operator, arguments)
            if operator.gives == "truth" and not after.left:
                yield made
                continue
            after = _with(after, operator, made)
            if 0 < after.left <= MAX_STEPS - step + 1 and len(after.truths) <= MAX_TRUTHS:
                yield after


def _is_full(book: Book, state: State, operator: Operator) -> bool:
    """Whether a state holds as much of what the function gives as it may."""
    if operator.gives == "rows":
        return len(state.rows) > MAX_ROW_SETS
    held = {"number": state.numbers, "text": state.texts}.get(operator.gives, ())
    return sum(bool(book.things[known].made) for known in held) >= MAX_COMPUTED


def _used(state: State, operator: Operator, arguments: Arguments) -> State:
    """The state without the values that a function took, its row sets marked as used."""
    taken = frozenset() if operator.key in DOUBLING else frozenset(arguments)
    return state._replace(
        texts=tuple(known for known in state.texts if known not in taken),
        numbers=tuple(known for known in state.numbers if known not in taken),
        truths=tuple(known for known in state.truths if known not in taken),
        unused=state.unused - taken,
    )


def _with(state: State, operator: Operator, made: Known) -> State:
    """The state with what a function gave."""
    done = state.done | {made}
    match operator.gives:
        case "text":
            return state._replace(texts=(*state.texts, made), done=done)
        case "number":
            return state._replace(numbers=(*state.numbers, made), done=done)
        case "truth":
            return state._replace(truths=(*state.truths, made), done=done)
        case "rows":
            return state._replace(rows=(*state.rows, made), unused=state.unused | {made}, done=done)
    return state._replace(done=done)
