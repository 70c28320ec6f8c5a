"""The exact edit distance of two small graphs whose nodes and edges have labels (paper, appendix D, GED).

Nodes are concepts, edges relations; each substitution, insertion and deletion costs 1. No node of the smaller graph is
ever better deleted than put on some node of the other, so the distance is

    nodes of the larger graph + edges of both - the most that a pairing of their nodes gains,

where a pair of the same label gains 1, and two edges whose ends are paired gain 2, or 1 where their labels differ.
The best pairing is found depth first: always the node with most edges to paired ones, of either graph, is paired
next, and a branch is left when even a bound on what is still open is not better.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

Edges = Iterable[tuple[str, str, str]]
STEPS = 20_000
"""The pairs that are tried at most: about a second. Graphs of 8 edges take far fewer."""

_Group = list[tuple[int, int, str]]  # head, tail, label
_OPEN = (-1, 0)


@dataclass(frozen=True)
class Distance:
    """An edit distance, or where the search was given up what it lies between; both ends included."""

    low: int
    high: int

    @property
    def is_exact(self) -> bool:
        return self.low == self.high


def edit_distance(first: Edges, second: Edges, steps: int = STEPS) -> Distance:
    """The edit distance of two graphs given as (head, relation, tail) edges.

    Of several edges from one node to another the last counts.

    >>> gold = [("cars", "causes", "smoke"), ("smoke", "is a", "harm")]
    >>> edit_distance(gold, [("smoke", "causes", "cars"), ("smoke", "is a", "harm")])
    Distance(low=2, high=2)
    """
    graphs = [_Graph(edges) for edges in (first, second)]
    nodes = max(len(graph.names) for graph in graphs)
    search = _Search(graphs[0], graphs[1], nodes, steps)
    search.extend([None] * nodes, [None] * nodes, 0, search.groups([None] * nodes, [None] * nodes))
    most = nodes + sum(len(graph.labels) for graph in graphs)
    return Distance(low=most - max(search.best, search.given_up), high=most - search.best)


class _Graph:
    """Nodes as numbers; those beyond the graph's own, up to the other's size, have neither label nor edges."""

    def __init__(self, edges: Edges):
        found = {(head, tail): relation for head, relation, tail in edges}
        self.names = list(dict.fromkeys(node for ends in found for node in ends))
        number = {name: k for k, name in enumerate(self.names)}
        self.labels = {(number[head], number[tail]): label for (head, tail), label in found.items()}
        self.edges: _Group = [(head, tail, label) for (head, tail), label in self.labels.items()]

    def name(self, node: int) -> str | None:
        return self.names[node] if node < len(self.names) else None


_Groups = dict[tuple[int, int], _Group]
_Pairs = list[int | None]  # for each node of one graph its node of the other


@dataclass
class _Search:
    ours: _Graph
    theirs: _Graph
    nodes: int
    steps: int
    best: int = 0
    given_up: int = 0

    def groups(self, pairs: _Pairs, back: _Pairs) -> tuple[_Groups, _Groups]:
        """The edges of both graphs that are still open."""
        return _grouped(self.ours.edges, pairs, range(self.nodes)), _grouped(self.theirs.edges, back, back)

    def extend(self, pairs: _Pairs, back: _Pairs, gain: int, groups: tuple[_Groups, _Groups]) -> None:
        """Try all ways to go on from some pairs that gain so much."""
        side, node = self._next(groups, pairs, back)
        if node is None:
            self.best = max(self.best, gain)
            return
        free = [k for k, other in enumerate(back if side == 0 else pairs) if other is None]
        choices = [(node, other) if side == 0 else (other, node) for other in free]
        gains = [(self._gain(a, b, pairs), a, b) for a, b in choices]
        for more, a, b in sorted(gains, key=lambda option: -option[0]):
            pairs[a], back[b] = b, a
            open_ = self.groups(pairs, back)
            bound = gain + more + self._bound(pairs, back, open_)
            if bound > self.best:
                self.steps -= 1
                if self.steps < 0:
                    self.given_up = max(self.given_up, bound)
                else:
                    self.extend(pairs, back, gain + more, open_)
            pairs[a] = back[b] = None

    def _next(self, groups: tuple[_Groups, _Groups], pairs: _Pairs, back: _Pairs) -> tuple[int, int | None]:
        """The graph and the node to pair next: with most edges to paired nodes, then with most edges."""
        best: tuple[tuple[int, int], int, int | None] = ((-1, -1), 0, None)
        for side, (found, taken) in enumerate(zip(groups, (pairs, back), strict=True)):
            to_paired, all_open = [0] * self.nodes, [0] * self.nodes
            for name, group in found.items():
                for head, tail, _ in group:
                    for end in {head, tail}:
                        all_open[end] += 1
                        to_paired[end] += name != _OPEN
            for node in range(self.nodes):
                if taken[node] is None and (to_paired[node], all_open[node]) > best[0]:
                    best = ((to_paired[node], all_open[node]), side, node)
        return best[1], best[2]

    def _gain(self, a: int, b: int, pairs: _Pairs) -> int:
        """What a pair gains: by its labels, and by edges to the nodes of earlier pairs and to itself."""
        name = self.ours.name(a)
        gain = int(name is not None and name == self.theirs.name(b))
        for head, tail, label in self.ours.edges:
            if a in (head, tail):
                their_head, their_tail = (b if end == a else pairs[end] for end in (head, tail))
                their_label = self.theirs.labels.get((their_head, their_tail))  # type: ignore[arg-type]
                if their_label is not None:
                    gain += 1 + (label == their_label)
        return gain

    def _bound(self, pairs: _Pairs, back: _Pairs, groups: tuple[_Groups, _Groups]) -> int:
        """The most that the nodes still open can gain: by labels; and by edges, in groups that only meet each other."""
        names = {self.theirs.name(node) for node, other in enumerate(back) if other is None}
        labels = sum(name in names for name, other in zip(self.ours.names, pairs, strict=False) if other is None)
        ours, theirs = groups
        return labels + sum(_meeting(name, group, theirs[name]) for name, group in ours.items() if name in theirs)


def _grouped(edges: _Group, pairs: _Pairs, names: Sequence[int | None]) -> _Groups:
    """The edges whose ends are not both paired, by their paired end (as our graph numbers it) and its direction."""
    groups: _Groups = {}
    for edge in edges:
        head, tail, _ = edge
        head_paired, tail_paired = pairs[head] is not None, pairs[tail] is not None
        if not (head_paired and tail_paired):
            name = (names[head], 1) if head_paired else (names[tail], 2) if tail_paired else _OPEN
            groups.setdefault(name, []).append(edge)  # type: ignore[arg-type]
    return groups


def _meeting(name: tuple[int, int], ours: _Group, theirs: _Group) -> int:
    """The most that the edges of two groups gain when as many as can be meet, those of one label first.

    As many as the smaller group has; where both ends are open, nor more than the nodes' numbers of edges allow, the
    largest put on the largest.
    """
    meet = min(len(ours), len(theirs))
    if name == _OPEN:
        for end in (0, 1):
            meet = min(meet, sum(map(min, _degrees(ours, end), _degrees(theirs, end))))
    left, same = [label for _, _, label in theirs], 0
    for _, _, label in ours:
        if label in left:
            left.remove(label)
            same += 1
    return min(same, meet) + meet


def _degrees(group: _Group, end: int) -> list[int]:
    """How many edges begin (or end) at each node, the most first."""
    counts: dict[int, int] = {}
    for edge in group:
        node = edge[0] if end == 0 else edge[1]
        counts[node] = counts.get(node, 0) + 1
    return sorted(counts.values(), reverse=True)
