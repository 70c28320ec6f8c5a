"""An explanation graph as a frozen value: its notations, its shape, and its faults by name."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple

import networkx as nx

from eg3p_lib.relations import RELATION_TEXT
from workbench_lib.errors import WorkbenchError

Notation = Literal["triples", "explagraphs"]
_BETWEEN_EDGES = re.compile(r"\)\s*\(")
_LONE_BAR = re.compile(r"(?<![^ ])\|(?![^ ])")
_LONE_COLON = re.compile(r"(?<![^ ]):(?![^ ])")
_LINE_BREAKS = re.compile(r"[\n\r\t\v\f\x1c-\x1e\x85\u2028\u2029]")


class GraphError(WorkbenchError):
    """A graph's text cannot be read or written, or a property is asked for that the graph has not.

    `reason` is its short name: empty, unbalanced_parenthesis, fields, blank_field, separator, line_break, spaces, sink.
    """

    def __init__(self, reason: str, message: str):
        super().__init__(message)
        self.reason = reason


class Edge(NamedTuple):
    """A triple of a graph."""

    head: str
    relation: str
    tail: str


@dataclass(frozen=True)
class ExplanationGraph:
    """Edges in the order in which they are written; two graphs are equal when their edges are, in order.

    >>> g = ExplanationGraph.parse("cake : causes : joy | party : hassubevent : joy")
    >>> g.starts, g.sink, g.depth
    (('cake', 'party'), 'joy', 1)
    >>> g.in_words().format("explagraphs")
    '(cake; causes; joy)(party; has subevent; joy)'
    """

    edges: tuple[Edge, ...]

    @classmethod
    def of(cls, triples: Iterable[tuple[str, str, str]]) -> ExplanationGraph:
        """The graph of (head, relation, tail) tuples."""
        return cls(tuple(Edge(*triple) for triple in triples))

    @classmethod
    def parse(cls, text: str, notation: Notation = "triples") -> ExplanationGraph:
        """Read a graph: `h : r : t | h : r : t`, or `(h; r; t)(h; r; t)`; spaces at the separators do not matter.

        Raises:
            GraphError: the text is empty or not in the notation; says which edge is wrong and how.
        """
        if not text.strip():
            raise GraphError("empty", "an empty text is not a graph")
        fields = _triples_fields(text) if notation == "triples" else explagraphs_fields(text)
        for number, parts in enumerate(fields, start=1):
            if len(parts) != 3:
                raise GraphError("fields", f"edge {number} has {len(parts)} fields, not 3: {' / '.join(parts)!r}")
            if not all(parts):
                raise GraphError("blank_field", f"edge {number} has an empty field: {' / '.join(parts)!r}")
        return cls.of((parts[0], parts[1], parts[2]) for parts in fields)

    def format(self, notation: Notation = "triples") -> str:
        """Write the graph so that `parse` gives it back.

        Raises:
            GraphError: a concept or relation holds what the notation separates by, or line breaks; or no edges.
        """
        if not self.edges:
            raise GraphError("empty", "a graph without edges cannot be written")
        for edge in self.edges:
            for field in edge:
                _check_writable(field, notation)
        if notation == "triples":
            return " | ".join(f"{head} : {relation} : {tail}" for head, relation, tail in self.edges)
        return "".join(f"({head}; {relation}; {tail})" for head, relation, tail in self.edges)

    def in_words(self, words: Mapping[str, str] = RELATION_TEXT) -> ExplanationGraph:
        """The same graph with relation ids in the wording of ExplaGraphs; other relations stay."""
        return ExplanationGraph.of((h, words.get(r, r), t) for h, r, t in self.edges)

    @cached_property
    def concepts(self) -> tuple[str, ...]:
        """The nodes, in the order in which they are first written."""
        return tuple(dict.fromkeys(concept for head, _, tail in self.edges for concept in (head, tail)))

    @cached_property
    def starts(self) -> tuple[str, ...]:
        """The nodes that no edge leads to, in order."""
        tails = {tail for _, _, tail in self.edges}
        return tuple(concept for concept in self.concepts if concept not in tails)

    @cached_property
    def sinks(self) -> tuple[str, ...]:
        """The nodes that no edge leaves, in order."""
        heads = {head for head, _, _ in self.edges}
        return tuple(concept for concept in self.concepts if concept not in heads)

    @property
    def sink(self) -> str:
        """The answer: the only node that no edge leaves.

        Raises:
            GraphError: there is none, or there are several.
        """
        if len(self.sinks) != 1:
            raise GraphError("sink", f"the graph has {len(self.sinks)} sinks, not one: {', '.join(self.sinks)}")
        return self.sinks[0]

    @cached_property
    def depth(self) -> int:
        """The number of edges on the longest path.

        Raises:
            GraphError: the graph has a cycle.
        """
        levels = _longest_paths(self.edges)
        if levels is None:
            raise GraphError("cycle", "a graph with a cycle has no depth")
        return max(levels.values(), default=0)

    def faults(self, *, min_edges: int = 1, max_edges: int = 8) -> tuple[str, ...]:
        """What keeps this from being a synthetic graph of the paper (section 4.1), by name; empty when it is one.

        Edges are counted without repetitions.

        >>> ExplanationGraph.of([("a", "isa", "b"), ("b", "isa", "a")]).faults()
        ('cycle', 'no_sink')
        """
        distinct = len(set(self.edges))
        found = {
            "too_few_edges": distinct < min_edges,
            "too_many_edges": distinct > max_edges,
            "duplicate_edge": distinct < len(self.edges),
            "cycle": not is_acyclic(self.edges),
            "disconnected": not is_connected(self.edges),
            "no_sink": bool(self.edges) and not self.sinks,
            "several_sinks": len(self.sinks) > 1,
        }
        return tuple(name for name, holds in found.items() if holds)

    def to_networkx(self) -> nx.MultiDiGraph:
        """The graph for networkx: relations are the `relation` attribute of the edges, in order."""
        graph = nx.MultiDiGraph()
        for position, (head, relation, tail) in enumerate(self.edges):
            graph.add_edge(head, tail, relation=relation, position=position)
        return graph

    @classmethod
    def from_networkx(cls, graph: nx.DiGraph) -> ExplanationGraph:
        """The graph of a directed networkx graph whose edges have a `relation`, and perhaps a `position`.

        Raises:
            GraphError: an edge has no relation.
        """
        found = list(graph.edges(data=True))
        for head, tail, data in found:
            if "relation" not in data:
                raise GraphError("fields", f"the edge from {head!r} to {tail!r} has no 'relation' attribute")
        found.sort(key=lambda edge: edge[2].get("position", 0))
        return cls.of((str(head), str(data["relation"]), str(tail)) for head, tail, data in found)

    def to_json(self) -> str:
        """A JSON list of [head, relation, tail] lists."""
        return json.dumps(self.edges, ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> ExplanationGraph:
        """Read what `to_json` writes.

        Raises:
            GraphError: it is something else.
        """
        try:
            value: Any = json.loads(text)
        except ValueError as error:
            raise GraphError("fields", f"not JSON: {error}") from None
        if not isinstance(value, list) or not all(_is_triple(edge) for edge in value):
            raise GraphError("fields", "a graph in JSON is a list of [head, relation, tail] lists of text")
        return cls.of((edge[0], edge[1], edge[2]) for edge in value)

    def _repr_html_(self) -> str:
        from workbench_lib.display import graph_html

        return graph_html(self.edges)


def explagraphs_fields(text: str) -> list[list[str]]:
    """The fields of each edge of `(h; r; t)(h; r; t)`, however many there are, without spaces at their ends.

    Raises:
        GraphError: the text does not begin with `(` or does not end with `)`.

    >>> explagraphs_fields("(a;is a;b) (b; causes; c; d)")
    [['a', 'is a', 'b'], ['b', 'causes', 'c', 'd']]
    """
    text = text.strip()
    if not (text.startswith("(") and text.endswith(")")):
        raise GraphError("unbalanced_parenthesis", f"a graph begins with '(' and ends with ')': {text[-60:]!r}")
    return [[field.strip() for field in edge.split(";")] for edge in _BETWEEN_EDGES.split(text[1:-1])]


def _triples_fields(text: str) -> list[list[str]]:
    return [[field.strip() for field in _LONE_COLON.split(edge)] for edge in _LONE_BAR.split(text.strip())]


def is_writable(field: str, notation: Notation = "triples") -> bool:
    """Whether `format` can write this concept or relation."""
    try:
        _check_writable(field, notation)
    except GraphError:
        return False
    return True


def _check_writable(field: str, notation: Notation) -> None:
    if not field or field != field.strip():
        raise GraphError("spaces", f"{field!r} is empty, or begins or ends with a space, and cannot be written")
    if _LINE_BREAKS.search(field):
        raise GraphError("line_break", f"{field!r} holds a tab or a line break, and cannot be written")
    if notation == "triples":
        clash = next((sign for sign in (":", "|") if sign in field.split(" ")), "")
    else:
        clash = ";" if ";" in field else ")(" if _BETWEEN_EDGES.search(field) else ""
    if clash:
        raise GraphError("separator", f"{field!r} holds {clash!r}, which separates in the notation {notation!r}")


def is_acyclic(edges: Iterable[tuple[str, str, str]]) -> bool:
    """Whether no path leads back to its start; a self loop is a cycle.

    >>> is_acyclic([("a", "isa", "a")])
    False
    """
    return _longest_paths(edges) is not None


def _longest_paths(edges: Iterable[tuple[str, str, str]]) -> dict[str, int] | None:
    """For each node the length of the longest path to it; None where there is a cycle."""
    after: dict[str, list[str]] = {}
    waiting: dict[str, int] = {}
    for head, _, tail in edges:
        after.setdefault(head, []).append(tail)
        after.setdefault(tail, [])
        waiting[tail] = waiting.get(tail, 0) + 1
    levels = {node: 0 for node in after if node not in waiting}
    ready = list(levels)
    while ready:
        node = ready.pop()
        for tail in after[node]:
            levels[tail] = max(levels.get(tail, 0), levels[node] + 1)
            waiting[tail] -= 1
            if not waiting[tail]:
                ready.append(tail)
    return None if any(waiting.values()) else levels


def is_connected(edges: Iterable[tuple[str, str, str]]) -> bool:
    """Whether the edges hang together, their directions aside; no edges at all do.

    >>> is_connected([("a", "isa", "b"), ("c", "isa", "d")])
    False
    """
    near: dict[str, list[str]] = {}
    for head, _, tail in edges:
        near.setdefault(head, []).append(tail)
        near.setdefault(tail, []).append(head)
    seen = set(list(near)[:1])
    ready = list(seen)
    while ready:
        fresh = [node for node in near[ready.pop()] if node not in seen]
        seen.update(fresh)
        ready.extend(dict.fromkeys(fresh))
    return len(seen) == len(near)


def _is_triple(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 3 and all(isinstance(field, str) for field in value)
