"""The exact edit distance of two small graphs whose nodes and edges have labels (paper, appendix D, GED).

Nodes are concepts, edges relations; each substitution, insertion and deletion costs 1. No node of the smaller graph is
ever better deleted than put on some node of the other, so the distance is

    nodes of the larger graph + edges of both - the most that a pairing of their nodes gains,

where a pair of the same label gains 1, and two edges whose ends are paired gain 2, or 1 where their labels differ.
The best pairing is found by branch and bound, always going on from the partial pairing with the largest bound. Bounds
come from assignment problems over the nodes still open: what a pair gains by itself and by edges to earlier pairs is
known, and its open edges meet at most as their labels and numbers allow. Every edge is counted once: all of them at
their heads, or all at their tails, or half and half; the least of the three holds.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.optimize import linear_sum_assignment

Edges = Iterable[tuple[str, str, str]]
Ints = npt.NDArray[np.int64]
STEPS = 5_000
"""The partial pairings that are tried at most: about a second. Graphs of 8 edges take far fewer."""

LARGEST = 4_000_000
"""The entries of the matrices of all steps together, at most: large graphs get fewer steps."""

_NO_EDGE = -1


@dataclass(frozen=True)
class Distance:
    """An edit distance, or where the search was given up what it lies between, both ends included; and its steps."""

    low: int
    high: int
    steps: int

    @property
    def is_exact(self) -> bool:
        return self.low == self.high


def edit_distance(first: Edges, second: Edges, steps: int = STEPS) -> Distance:
    """The edit distance of two graphs given as (head, relation, tail) edges.

    Of several edges from one node to another the last counts.

    Args:
        steps: The search is given up after so many; the pairings found until then give the bounds.

    >>> gold = [("cars", "causes", "smoke"), ("smoke", "is a", "harm")]
    >>> found = edit_distance(gold, [("smoke", "causes", "cars"), ("smoke", "is a", "harm")])
    >>> found.low, found.high
    (2, 2)
    """
    graphs = [{(head, tail): relation for head, relation, tail in edges} for edges in (first, second)]
    names = [list(dict.fromkeys(node for ends in graph for node in ends)) for graph in graphs]
    size = max(map(len, names))
    numbers = {label: k for k, label in enumerate(dict.fromkeys(label for graph in graphs for label in graph.values()))}
    ours, theirs = (_matrix(*found, size, numbers) for found in zip(graphs, names, strict=True))
    same_name = np.zeros((size, size), dtype=np.int64)
    for a, b in ((names[0].index(name), names[1].index(name)) for name in names[0] if name in names[1]):
        same_name[a, b] = 1
    search = _Search(ours, theirs, same_name, len(numbers), (len(names[0]), len(names[1])))
    gain, most, taken = search.run(min(steps, LARGEST // size**2) if size else steps)
    everything = size + sum(map(len, graphs))
    return Distance(low=everything - most, high=everything - gain, steps=taken)


def _matrix(edges: dict[tuple[str, str], str], names: list[str], size: int, numbers: dict[str, int]) -> Ints:
    """The label's number of each edge from row to column; nodes beyond the names have no edges."""
    place = {name: k for k, name in enumerate(names)}
    matrix = np.full((size, size), _NO_EDGE)
    for (head, tail), label in edges.items():
        matrix[place[head], place[tail]] = numbers[label]
    return matrix


class _State(NamedTuple):
    """A partial pairing: what it gains, the nodes still open, what their pairs would gain, the edges between them."""

    pairs: tuple[tuple[int, int], ...]
    gained: int
    open_nodes: tuple[Ints, Ints]  # ours, theirs: m each
    known: Ints  # (m, m): what a pair gains by its names and by edges to paired nodes
    leaving: tuple[Ints, Ints]  # of ours, of theirs: (m, labels + 1), how many of each label, and in all
    arriving: tuple[Ints, Ints]


class _Search:
    def __init__(self, ours: Ints, theirs: Ints, same_name: Ints, labels: int, named: tuple[int, int]):
        self.ours, self.theirs, self.same_name, self.named = ours, theirs, same_name, named
        self.edges = [_one_hot(matrix, labels) for matrix in (ours, theirs)]
        self.degrees = [hot[:, :, -1].sum(axis=0) + hot[:, :, -1].sum(axis=1) for hot in self.edges]
        self.gain = 0
        self.touch = cache(self._touch)
        self.all_but = cache(lambda size, k: np.flatnonzero(np.arange(size) != k))

    def run(self, steps: int) -> tuple[int, int, int]:
        """The largest gain that was found, the largest that there can be, and the steps taken."""
        start, order, taken = self.start(), itertools.count(), 1
        waiting = [(-self.bound(start), 0, 0, next(order), start)]
        while waiting and -waiting[0][0] > self.gain:
            if taken >= steps:
                return self.gain, -waiting[0][0], taken
            bound, *_, state = heapq.heappop(waiting)
            for i, j in self.choices(state):
                after = self.paired(state, i, j)
                taken += 1
                if (most := min(-bound, self.bound(after))) > self.gain:
                    heapq.heappush(waiting, (-most, -len(after.pairs), -after.gained, next(order), after))
        return self.gain, self.gain, taken

    def start(self) -> _State:
        nodes = np.arange(len(self.ours))
        loops = _gains(np.diag(self.ours)[:, None], np.diag(self.theirs))
        leaving, arriving = ((self.edges[0].sum(axis=axis), self.edges[1].sum(axis=axis)) for axis in (1, 0))
        return _State((), 0, (nodes, nodes), self.same_name + loops, leaving, arriving)

    def bound(self, state: _State) -> int:
        """The most that a pairing that goes on from this one gains; each assignment is tried as a whole pairing."""
        at_heads, at_tails = (
            np.minimum(ours[:, None], theirs).sum(axis=-1) for ours, theirs in (state.leaving, state.arriving)
        )
        bound = state.gained + 3 * len(self.ours) ** 2
        for open_gains in (at_heads + at_tails, 2 * at_heads, 2 * at_tails):
            weights = 2 * state.known + open_gains
            rows, columns = linear_sum_assignment(weights, maximize=True)
            bound = min(bound, state.gained + int(weights[rows, columns].sum()) // 2)
            self.gain = max(self.gain, self.value(state, columns))
            if bound <= self.gain:
                break
        return bound

    def value(self, state: _State, columns: Ints) -> int:
        """What a whole pairing gains: the pairs of a state, and our open node k with their open node columns[k]."""
        ours, theirs = state.open_nodes
        place = np.zeros(len(self.ours), dtype=np.int64)
        place[ours] = theirs[columns]
        for a, b in state.pairs:
            place[a] = b
        names = self.same_name[np.arange(len(place)), place].sum()
        return int(names + _gains(self.ours, self.theirs[place][:, place]).sum())

    def choices(self, state: _State) -> list[tuple[int, int]]:
        """The pairs to go on with: all those of the node, of either graph, that has most open edges.

        Of several such nodes it is one with most edges to paired nodes.
        """
        ranks = []
        for side, nodes in enumerate(state.open_nodes):
            still_open = state.leaving[side][:, -1] + state.arriving[side][:, -1]
            ranks.append(still_open * len(self.ours) * 2 + self.degrees[side][nodes])
        if ranks[0].max() >= ranks[1].max():
            return [(int(ranks[0].argmax()), k) for k in self.distinct(state, 1)]
        return [(k, int(ranks[1].argmax())) for k in self.distinct(state, 0)]

    def distinct(self, state: _State, side: int) -> list[int]:
        """The open nodes of a graph, of those without name and edges, which are all alike, only the first."""
        named = int((state.open_nodes[side] < self.named[side]).sum())
        return list(range(min(named + 1, len(state.known))))

    def paired(self, state: _State, i: int, j: int) -> _State:
        """The pairing with one more pair: the i-th of our open nodes with the j-th of theirs."""
        a, b = int(state.open_nodes[0][i]), int(state.open_nodes[1][j])
        kept = self.all_but(len(state.known), i), self.all_but(len(state.known), j)
        ours, theirs = state.open_nodes[0][kept[0]], state.open_nodes[1][kept[1]]
        known = state.known[kept[0][:, None], kept[1]] + self.touch(a, b)[ours[:, None], theirs]
        edges = zip((0, 1), kept, (ours, theirs), (a, b), strict=True)
        left = [
            (state.leaving[g][k] - self.edges[g][nodes, x], state.arriving[g][k] - self.edges[g][x, nodes])
            for g, k, nodes, x in edges
        ]
        leaving, arriving = zip(*left, strict=True)
        gained = state.gained + int(state.known[i, j])
        return _State((*state.pairs, (a, b)), gained, (ours, theirs), known, leaving, arriving)

    def _touch(self, a: int, b: int) -> Ints:
        """What each other pair gains by its edges to this one."""
        return _gains(self.ours[:, a][:, None], self.theirs[:, b]) + _gains(self.ours[a][:, None], self.theirs[b])


def _gains(first: Ints, second: Ints) -> Ints:
    """1 where there are two edges, and 1 more where their labels are the same."""
    both = (first != _NO_EDGE) & (second != _NO_EDGE)
    return np.asarray(both + (both & (first == second)).astype(np.int64))


def _one_hot(matrix: Ints, labels: int) -> Ints:
    """The edges from row to column without loops: (nodes, nodes, labels + 1), the last for any label."""
    hot = matrix[:, :, None] == np.arange(labels + 1)
    hot[:, :, -1] = matrix != _NO_EDGE
    diagonal = np.arange(len(matrix))
    hot[diagonal, diagonal] = False
    return np.asarray(hot, dtype=np.int64)
