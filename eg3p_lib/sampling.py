"""Explanation graphs drawn from a knowledge base, backwards from the answer (paper, section 4.1), a block at a time.

Every graph has `max_triples + 1` slots for its nodes, filled in the order in which they are found: slot 0 is the
answer, and each later slot is the head of one triple that leads to the node of an earlier slot, its parent. Step k
of the growth gives the nodes in slot k of all graphs their incoming triples.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from eg3p_lib.chance import Chance, Integers, Words, below
from eg3p_lib.graphs import ExplanationGraph
from eg3p_lib.store import KnowledgeBase
from workbench_lib.errors import WorkbenchError

MAX_ATTEMPTS = 1000
STAGES = 64
"""Each attempt has this many purposes of chance (see `Chance.words`); the growth of the graphs takes the first."""

_Value = TypeVar("_Value", bound=np.generic)
_WORD = 1 << 32
_NONE = -1


class SamplingError(WorkbenchError):
    """No draw of many fitted: the knowledge base is too small for what is asked, or the limits contradict it."""


@dataclass(frozen=True)
class Shape:
    """What graphs may look like.

    Args:
        incoming: Weights with which a node takes 0, 1 or 2 incoming triples; the answer takes at least 1.
        max_depth: The most triples from a start to the answer.
        min_triples, max_triples: The size of a graph, both included.
    """

    incoming: tuple[float, float, float] = (1.0, 1.0, 1.0)
    max_depth: int = 2
    min_triples: int = 1
    max_triples: int = 8

    def __post_init__(self) -> None:
        if min(self.incoming) < 0 or self.incoming[1] + self.incoming[2] <= 0:
            raise SamplingError(
                f"incoming={self.incoming}: weights are not negative, and 1 or 2 triples must be possible"
            )
        if self.max_depth < 1 or not 1 <= self.min_triples <= self.max_triples:
            raise SamplingError(f"max_depth >= 1 and 1 <= min_triples <= max_triples must hold: {self}")

    def limits(self, *, at_least_one: bool) -> tuple[int, int]:
        """The words from which on a node takes 1, and 2, incoming triples."""
        none, one, two = self.incoming
        none = 0.0 if at_least_one else none
        total = none + one + two
        return int(none / total * _WORD), int((none + one) / total * _WORD)


@dataclass(frozen=True)
class Forest:
    """A block of graphs. Arrays are (max_triples + 1, graphs), or (max_triples, graphs) in writing order; absent: -1.

    Args:
        node: The concept in each slot.
        triple: The triple that leads from the slot's node to its parent's; slot 0 has none.
        parent: The slot of that parent.
        used: How many slots each graph fills.
        depth: The most triples from a start to the answer.
    """

    node: Integers
    triple: Integers
    parent: Integers
    used: Integers
    depth: Integers

    def take(self, places: npt.NDArray[np.bool_] | Integers) -> Forest:
        """Some of the graphs, in this order."""
        node, triple, parent = (array[:, places] for array in (self.node, self.triple, self.parent))
        return Forest(node, triple, parent, self.used[places], self.depth[places])

    @classmethod
    def joined(cls, parts: Sequence[Forest]) -> Forest:
        """The graphs of all parts, one after the other."""
        grids = [np.concatenate([getattr(p, name) for p in parts], axis=1) for name in ("node", "triple", "parent")]
        return cls(*grids, *(np.concatenate([getattr(p, name) for p in parts]) for name in ("used", "depth")))

    @cached_property
    def sizes(self) -> Integers:
        """The number of triples of each graph."""
        sizes: Integers = self.used - 1
        return sizes

    @cached_property
    def subtree(self) -> Integers:
        """The number of nodes at and behind each slot: itself and all that lead to it."""
        nodes: Integers = (self.node != _NONE).astype(np.int64)
        graphs = np.arange(nodes.shape[1])
        for slot in range(len(nodes) - 1, 0, -1):
            nodes[self.parent[slot], graphs] += nodes[slot]  # absent ones add 0 to slot -1, the last, when it is done
        return nodes

    @cached_property
    def begin(self) -> Integers:
        """Where each slot's subtree begins when a head's subtree is written before its triple; (slots, graphs)."""
        begin = np.zeros_like(self.node)
        cursor = np.zeros_like(self.node)
        graphs = np.arange(begin.shape[1])
        for slot in range(1, len(begin)):
            begin[slot] = cursor[slot] = cursor[self.parent[slot], graphs]
            there = self.node[slot] != _NONE
            cursor[self.parent[slot][there], graphs[there]] += self.subtree[slot][there]
        return begin

    @cached_property
    def order(self) -> Integers:
        """The slots in writing order: a head's subtree, then its triple (depth first); (max_triples, graphs)."""
        order = np.full((len(self.node) - 1, self.node.shape[1]), _NONE)
        slot, graph = np.nonzero(self.node[1:] != _NONE)
        slot += 1
        order[self.begin[slot, graph] + self.subtree[slot, graph] - 1, graph] = slot
        return order

    @cached_property
    def is_start(self) -> npt.NDArray[np.bool_]:
        """Whether no triple leads to the slot's node."""
        starts: npt.NDArray[np.bool_] = (self.node != _NONE) & (self.subtree == 1)
        return starts

    def in_order(self, of_slots: npt.NDArray[_Value]) -> npt.NDArray[_Value]:
        """Values of slots in the order of the written triples; what stands at absent ones means nothing."""
        return np.take_along_axis(of_slots, np.maximum(self.order, 0), axis=0)

    @cached_property
    def triples(self) -> Integers:
        """The triples in writing order; (max_triples, graphs)."""
        return np.where(self.order == _NONE, _NONE, self.in_order(self.triple))


def draw_forest(
    kb: KnowledgeBase,
    chance: Chance,
    shape: Shape,
    attempt: int,
    places: Integers,
    rejected: Counter[str],
    sink: int | None = None,
) -> tuple[Forest, Integers]:
    """One draw for each of some graphs of a block; those that do not fit are counted and left out.

    A node takes one or two of its incoming triples, each as likely as the others; a triple whose head is already in
    the graph is left out, so that every graph is a tree.

    Args:
        chance: Of the whole block.
        attempt: The how manieth draw this is.
        places: The graphs that need one, as places in the block.
        rejected: Counts by reason: too_few_triples, too_many_triples.
        sink: The answer of every graph; by default any concept that a triple leads to.

    Returns:
        The graphs that fit, and their places in the block.
    """
    words = chance.words(attempt * STAGES, 1 + 3 * (shape.max_triples + 1))[:, places]
    sinks = kb.sinks[below(words[0], len(kb.sinks))] if sink is None else np.full(len(places), sink)
    growth = _Growth(kb, shape, sinks)
    for slot in range(shape.max_triples + 1):
        growth.step(slot, words[1 + 3 * slot : 4 + 3 * slot])
    forest = growth.forest()
    few, many = forest.used - 1 < shape.min_triples, growth.overflow
    for reason, number in (("too_many_triples", many.sum()), ("too_few_triples", (few & ~many).sum())):
        if number:
            rejected[reason] += int(number)
    fit = ~(few | many)
    return forest.take(fit), places[fit]


class _Growth:
    """The graphs of a block while they grow."""

    def __init__(self, kb: KnowledgeBase, shape: Shape, sinks: Integers):
        slots, graphs = shape.max_triples + 1, len(sinks)
        self.kb, self.shape = kb, shape
        self.node = np.full((slots, graphs), _NONE, np.int64)
        self.triple = np.full((slots, graphs), _NONE, np.int64)
        self.parent = np.full((slots, graphs), _NONE, np.int64)
        self.depth = np.zeros((slots, graphs), np.int64)
        self.used = np.ones(graphs, np.int64)
        self.overflow = np.zeros(graphs, bool)
        self.node[0] = sinks

    def step(self, slot: int, words: Words) -> None:
        """Give the nodes of one slot their incoming triples."""
        grows = (slot < self.used) & (self.depth[slot] < self.shape.max_depth) & ~self.overflow
        graphs = np.flatnonzero(grows)
        node = self.node[slot, graphs]
        first_triple = self.kb.incoming_starts[node]
        degree = self.kb.incoming_starts[node + 1] - first_triple
        one, two = self.shape.limits(at_least_one=slot == 0)
        number, pick, other = words[:, graphs]
        wanted = np.minimum((number >= one).astype(np.int64) + (number >= two), degree)
        first = below(pick, degree)
        second = below(other, np.maximum(degree - 1, 0))
        second += second >= first
        for nth, place in ((1, first), (2, second)):
            takes = wanted >= nth
            self._add(slot, graphs[takes], (first_triple + place)[takes])

    def _add(self, slot: int, graphs: Integers, triple: Integers) -> None:
        """Put the heads of triples into the next free slots, where they are new in their graphs."""
        head = self.kb.head[triple].astype(np.int64)
        fresh = (self.node[:, graphs] != head).all(axis=0)
        full = self.used[graphs] == len(self.node)
        self.overflow[graphs[fresh & full]] = True
        fresh &= ~full
        graphs, triple, head = graphs[fresh], triple[fresh], head[fresh]
        free = self.used[graphs]
        self.node[free, graphs] = head
        self.triple[free, graphs] = triple
        self.parent[free, graphs] = slot
        self.depth[free, graphs] = self.depth[slot, graphs] + 1
        self.used[graphs] += 1

    def forest(self) -> Forest:
        return Forest(self.node, self.triple, self.parent, self.used, self.depth.max(axis=0))


def sample_graphs(
    kb: KnowledgeBase, seed: int, number: int, shape: Shape | None = None, sink: str | None = None
) -> list[ExplanationGraph]:
    """Draw graphs; their edges run from the starts to the answer, depth first (Table 4).

    Args:
        seed: The same one gives the same graphs.
        number: How many; more begin with the same ones.
        sink: The answer; by default any concept that a triple leads to.

    Raises:
        KnowledgeError: the sink is unknown.
        SamplingError: no triple leads to the sink, or none of 1,000 draws of a graph fits.

    >>> from eg3p_lib.knowledge import starter_knowledge
    >>> graphs = sample_graphs(starter_knowledge(), 7, 3, Shape(min_triples=3))
    >>> [graph.faults(min_edges=3) for graph in graphs]
    [(), (), ()]
    """
    chance, shape = Chance(seed, 0, number), shape or Shape()
    answer = None if sink is None else sink_number(kb, sink)
    rejected: Counter[str] = Counter()
    graphs: dict[int, ExplanationGraph] = {}
    waiting: Integers = np.arange(number)
    for attempt in range(MAX_ATTEMPTS):
        forest, places = draw_forest(kb, chance, shape, attempt, waiting, rejected, answer)
        graphs |= {int(place): graph_of(kb, triples) for place, triples in zip(places, forest.triples.T, strict=True)}
        waiting = np.setdiff1d(waiting, places)
        if not len(waiting):
            return [graphs[place] for place in range(number)]
    raise SamplingError(f"none of {MAX_ATTEMPTS} draws gave a graph ({tell(rejected)})")


def sink_number(kb: KnowledgeBase, sink: str) -> int:
    """The number of a concept that graphs can end at.

    Raises:
        KnowledgeError: the concept is unknown.
        SamplingError: no triple leads to it.
    """
    number = kb.number(sink)
    if not kb.incoming(number):
        raise SamplingError(f"no triple leads to {sink!r}, so no graph can end there")
    return number


def graph_of(kb: KnowledgeBase, triples: Sequence[int]) -> ExplanationGraph:
    """The graph of triples given by their numbers, in writing order; -1 stands for none."""
    return ExplanationGraph.of(kb.edge(int(triple)) for triple in triples if triple != _NONE)


def tell(reasons: Counter[str]) -> str:
    """Counts by reason in one line, the most frequent first."""
    return ", ".join(f"{reason} {number}" for reason, number in reasons.most_common())
