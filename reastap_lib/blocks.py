"""Blocks of examples: which skill each example is for, which tables a block visits, and who is asked what.

Example i is for a skill and has a wish by i alone, from a sequence that fills the square evenly. So the shares of the
skills hold in every prefix of a corpus to within a few examples, and so do the wishes within each skill. A block of
512 examples visits as many tables as it takes at `questions_a_table` each; the skill that fewest of them serve
asks first, and always the table that was asked least. Where they do not suffice, further tables are visited.
"""

from __future__ import annotations

import bisect
import heapq
import itertools
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Protocol

import numpy as np

from reastap_lib.orders import Schedule, row_order
from reastap_lib.preparation import Prepared
from reastap_lib.skills import Skill, get_skill
from reastap_lib.visits import Row, Visit
from workbench_lib.errors import WorkbenchError

BLOCK = 512
FURTHER_ROUNDS = 8
MISSES = 2
PATIENCE = 6
_PLASTIC = 1.32471795724474602596
_STEPS = 1 / _PLASTIC, 1 / _PLASTIC**2


class SynthesisError(WorkbenchError):
    """The tables do not yield the examples asked for; names the skill that ran short."""


class BlockSettings(Protocol):
    """What decides the blocks, besides the tables; `skills` are names with shares that sum to 1."""

    @property
    def seed(self) -> int: ...
    @property
    def skills(self) -> tuple[tuple[str, float], ...]: ...
    @property
    def questions_a_table(self) -> int: ...
    @property
    def max_source_words(self) -> int: ...


def spread(number: int) -> tuple[float, float]:
    """A point of the unit square; the first n of them fill it evenly (the R2 sequence of M. Roberts, 2018).

    >>> [tuple(round(x, 2) for x in spread(i)) for i in range(3)]
    [(0.5, 0.5), (0.25, 0.07), (0.01, 0.64)]
    """
    return (0.5 + number * _STEPS[0]) % 1, (0.5 + number * _STEPS[1]) % 1


def _numbers(rng: np.random.Generator) -> Iterator[float]:
    while True:
        yield from rng.random(1024).tolist()


class BlockMaker:
    """Makes blocks of examples from prepared tables; one a process."""

    def __init__(self, settings: BlockSettings, prepared: Prepared):
        self._settings = settings
        self._prepared = prepared
        self._skills = [get_skill(name) for name, _ in settings.skills]
        self._bounds = list(itertools.accumulate(share for _, share in settings.skills))
        self._served: dict[tuple[str, int], bool] = {}
        seed, size = settings.seed, len(prepared.tables)
        self._first = Schedule(seed, 0, size, prepared.validation)
        self._further = [Schedule(seed, 1 + k, size) for k in range(len(self._skills))]

    def check(self) -> None:
        """Raise SynthesisError where a skill has no table to ask."""
        for skill in self._skills:
            if not any(map(skill.serves, self._prepared.tables)):
                raise SynthesisError(
                    f"the skill {skill.name!r} ran short: none of the {len(self._prepared.tables)} tables has the"
                    " columns it needs; leave it out of the skills"
                )

    def block(self, number: int) -> tuple[list[Row], Counter[str]]:
        """The examples from BLOCK * number on, and what was drawn and refused on the way, by skill and reason.

        Raises:
            SynthesisError: a skill ran short.
            VerificationError: the two routes to an answer disagree.
        """
        random = _numbers(np.random.default_rng([self._settings.seed, number])).__next__
        rejected: Counter[str] = Counter()
        visits = list(self._first_visits(number))
        serving = [[visit for visit in visits if self._serves(skill, visit)] for skill in self._skills]
        examples = self._examples(number)
        rows: dict[int, Row] = {}
        for k in sorted(range(len(self._skills)), key=lambda k: len(serving[k])):
            line = _Line(self._skills[k], serving[k], self._further_visits(number, k), self._settings.questions_a_table)
            for example, wish in examples[k]:
                rows[example] = {
                    "example": example,
                    "skill": line.skill.name,
                    **line.ask(example, wish, random, rejected),
                }
        return [rows[example] for example in sorted(rows)], rejected

    def _examples(self, number: int) -> list[list[tuple[int, float]]]:
        """The examples of a block with their wishes, for each skill."""
        examples: list[list[tuple[int, float]]] = [[] for _ in self._skills]
        for example in range(number * BLOCK, (number + 1) * BLOCK):
            at, wish = spread(example)
            examples[min(bisect.bisect_right(self._bounds, at), len(self._skills) - 1)].append((example, wish))
        return examples

    def _first_visits(self, number: int) -> Iterator[Visit]:
        visits = -(-BLOCK // self._settings.questions_a_table)
        for slot in range(number * visits, (number + 1) * visits):
            yield from self._visits(*self._first.place(slot), 0)

    def _further_visits(self, number: int, k: int) -> Iterator[Visit]:
        """Visits to tables that serve the k-th skill, until a round over all tables finds none, or they were enough."""
        schedule, skill = self._further[k], self._skills[k]
        size = schedule.size
        for further in range(number * FURTHER_ROUNDS, (number + 1) * FURTHER_ROUNDS):
            found = False
            for slot in range(further * size, (further + 1) * size):
                table, _ = schedule.place(slot)
                if self._served.get((skill.name, table), True):
                    for visit in self._visits(table, further, 1 + k):
                        if self._serves(skill, visit):
                            found = True
                            yield visit
            if not found:
                return

    def _visits(self, number: int, again: int, stream: int) -> Iterator[Visit]:
        """The visit to a table in a round of a stream; none where its rows were shown in every order before."""
        table = self._prepared.tables.table(number)
        start = int(self._prepared.tables.scores[number])
        order = row_order(len(table.rows), again * (1 + len(self._skills)) + stream, start)
        if order:
            split = "validation" if self._prepared.validation[number] else "train"
            yield Visit(number, table.take(order), split, self._settings.max_source_words)

    def _serves(self, skill: Skill, visit: Visit) -> bool:
        key = skill.name, visit.number
        if key not in self._served:
            self._served[key] = skill.serves(visit.typed)
        return self._served[key]


class _Line:
    """The visits that a skill can ask in a block, the one that was asked least at the head."""

    def __init__(self, skill: Skill, visits: Iterable[Visit], further: Iterator[Visit], questions_a_table: int):
        self.skill = skill
        self._order = itertools.count()
        self._further = further
        self._most = 2 * questions_a_table
        self._line = [(visit.asked, next(self._order), visit) for visit in visits]
        heapq.heapify(self._line)
        self._answered: Counter[Visit] = Counter()
        self._missed: Counter[Visit] = Counter()

    def ask(self, example: int, wish: float, random: Callable[[], float], rejected: Counter[str]) -> Row:
        """A question of the skill, by the first visit that has one for the wish; after six without, for any wish.

        Raises:
            SynthesisError: there is no further visit.
        """
        passed: list[Visit] = []
        row: Row | None = None
        while row is None:
            visit = self._next(example)
            row = visit.ask(self.skill, random, wish if len(passed) < PATIENCE else random(), rejected)
            if row is None:
                self._missed[visit] += 1
                passed.append(visit)
        self._answered[visit] += 1
        self._back([visit, *passed])
        return row

    def _next(self, example: int) -> Visit:
        if self._line:
            return heapq.heappop(self._line)[2]
        visit = next(self._further, None)
        if visit is None:
            name = self.skill.name
            raise SynthesisError(f"the skill {name!r} ran short at example {example}: no table has another question")
        return visit

    def _back(self, visits: Sequence[Visit]) -> None:
        for visit in visits:
            if self._answered[visit] < self._most and self._missed[visit] < MISSES:
                heapq.heappush(self._line, (visit.asked, next(self._order), visit))
