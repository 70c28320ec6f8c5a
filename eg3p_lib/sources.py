"""The simulated knowledge source: a graph's triples among others that do not answer its query (paper, section 3)."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from eg3p_lib.chance import Chance, Integers, below
from eg3p_lib.relations import RELATIONS
from eg3p_lib.sampling import Forest
from eg3p_lib.store import KnowledgeBase

Distractors = Literal["random", "neighbours"]
TRIES = 12
"""Draws of one distractor before the graph is given up."""
STAGES = 1 + TRIES
"""The purposes of chance that one knowledge source takes."""

_NEIGHBOUR_TRIES = 8
_REASONS = ("distractor_is_gold", "distractor_repeated", "distractor_second_tail", "distractor_second_path")
_ANTONYM = RELATIONS.index("antonym")
_NONE = -1


@dataclass(frozen=True)
class Gold:
    """The triples of a block of graphs, in writing order, as their distractors are checked against them."""

    triple: Integers  # (max_triples, graphs), absent: -1; so are the others
    head: Integers
    relation: Integers
    tail: Integers
    sink: Integers  # (graphs,)

    @classmethod
    def of(cls, kb: KnowledgeBase, forest: Forest) -> Gold:
        triple = forest.triples
        absent = triple == _NONE
        head, relation, tail = (np.where(absent, _NONE, column[triple]) for column in (kb.head, kb.relation, kb.tail))
        return cls(triple, head, relation, tail, forest.node[0])

    def take(self, graphs: Integers) -> Gold:
        triple, head, relation, tail = (part[:, graphs] for part in (self.triple, self.head, self.relation, self.tail))
        return Gold(triple, head, relation, tail, self.sink[graphs])


def refusals(
    kb: KnowledgeBase, gold: Gold, triple: Integers, taken: Integers, *, only_first_relation: bool
) -> Integers:
    """Why triples cannot be distractors of their graphs: a place in the list of reasons, or -1 where they can.

    Every query names its starts. A query that names all relations (easy, normal) has a second answer only where
    some head and relation of the graph lead to a second tail; antonyms lead both ways. A hard one names the first
    relation alone, so there no distractor may lead from a concept of the graph out of it, or on from the answer.

    Args:
        triple: One for each graph.
        taken: The distractors that each graph has; (any, graphs), absent: -1.
    """
    head, relation, tail = (column[triple].astype(np.int64) for column in (kb.head, kb.relation, kb.tail))
    same = gold.relation == relation
    second = same & (gold.head == head) & (gold.tail != tail)
    second |= same & (relation == _ANTONYM) & (gold.head == tail) & (gold.tail != head)
    holds = [(gold.triple == triple).any(axis=0), (taken == triple).any(axis=0), second.any(axis=0)]
    if only_first_relation:
        from_inside = (gold.head == head).any(axis=0) | (gold.sink == head)
        to_inside = (gold.head == tail).any(axis=0) | (gold.sink == tail)
        holds.append(from_inside & (~to_inside | (gold.sink == head)))
    reason = np.full(len(triple), _NONE)
    for number in reversed(range(len(holds))):
        reason[holds[number]] = number
    return reason


def draw_sources(
    kb: KnowledgeBase,
    chance: Chance,
    purpose: int,
    places: Integers,
    gold: Gold,
    kind: Distractors,
    rejected: Counter[str],
    *,
    only_first_relation: bool,
) -> tuple[Integers, npt.NDArray[np.bool_]]:
    """The knowledge source of each graph: its k triples and distractors, ceil(1.5 k) to 2 k in all, shuffled.

    Args:
        purpose: The first of the `STAGES` purposes that this takes.
        places: The graphs, as places in the block of `chance`.
        kind: `random` triples of the knowledge base, or `neighbours`: triples at the graph's concepts (where 8
            draws give none, a random one is taken).
        rejected: Counts the distractors that were drawn but not taken, by reason.

    Returns:
        The triples (2 * max_triples, graphs), absent ones -1 and last; and which graphs got all their distractors.
    """
    most = len(gold.triple)
    words = chance.words(purpose, 1 + 2 * most)[:, places]
    size = (gold.triple != _NONE).sum(axis=0)
    least = (3 * size + 1) // 2
    wanted = least + below(words[0], 2 * size - least + 1) - size
    taken = _Distractors(kb, chance, purpose + 1, places, gold, kind, only_first_relation)
    for nth in range(most):
        taken.draw(nth, np.flatnonzero(wanted > nth), rejected)
    everything = np.concatenate([gold.triple, taken.triple])
    keys = np.where(everything == _NONE, np.uint64(1 << 32), words[1:].astype(np.uint64))
    order = np.argsort(keys, axis=0, kind="stable")
    return np.take_along_axis(everything, order, axis=0), ~taken.failed


class _Distractors:
    """The distractors of a block's graphs while they are drawn; try t has its own stream of chance."""

    def __init__(
        self,
        kb: KnowledgeBase,
        chance: Chance,
        purpose: int,
        places: Integers,
        gold: Gold,
        kind: Distractors,
        only_first_relation: bool,
    ):
        self.kb, self.gold, self.only_first_relation = kb, gold, only_first_relation
        self.near = _NEIGHBOUR_TRIES if kind == "neighbours" else 0
        self.chance, self.purpose, self.places = chance, purpose, places
        self.triple = np.full_like(gold.triple, _NONE)
        self.failed = np.zeros(len(gold.sink), bool)
        self._words: dict[int, npt.NDArray[np.uint32]] = {}

    def draw(self, nth: int, graphs: Integers, rejected: Counter[str]) -> None:
        """Give the graphs their nth distractor."""
        for attempt in range(TRIES):
            gold = self.gold.take(graphs)
            words = self._words_of(attempt)[2 * nth : 2 * nth + 2, graphs]
            triple = self._neighbour(gold, words) if attempt < self.near else below(words[0], len(self.kb))
            taken = self.triple[:nth, graphs]
            reason = refusals(self.kb, gold, triple, taken, only_first_relation=self.only_first_relation)
            good = reason == _NONE
            self.triple[nth, graphs[good]] = triple[good]
            for name, number in zip(_REASONS, np.bincount(reason[~good], minlength=len(_REASONS)), strict=True):
                if number:
                    rejected[name] += int(number)
            graphs = graphs[~good]
            if not len(graphs):
                return
        self.failed[graphs] = True

    def _words_of(self, attempt: int) -> npt.NDArray[np.uint32]:
        if attempt not in self._words:
            words = self.chance.words(self.purpose + attempt, 2 * len(self.triple))
            self._words[attempt] = words[:, self.places]
        return self._words[attempt]

    def _neighbour(self, gold: Gold, words: npt.NDArray[np.uint32]) -> Integers:
        """Any triple at any concept of the graph: the heads in writing order, and the answer."""
        size = (gold.triple != _NONE).sum(axis=0)
        which = below(words[0], size + 1)
        head = np.take_along_axis(gold.head, np.minimum(which, len(gold.head) - 1)[None], axis=0)[0]
        node = np.where(which == size, gold.sink, head)
        first = self.kb.incoming_starts[node]
        incoming = self.kb.incoming_starts[node + 1] - first
        by_head, starts = self.kb.by_head
        outgoing = starts[node + 1] - starts[node]
        place = below(words[1], incoming + outgoing)
        leaves = place >= incoming
        after = np.where(leaves, starts[node] + place - incoming, 0)
        return np.where(leaves, by_head[after], first + place)
