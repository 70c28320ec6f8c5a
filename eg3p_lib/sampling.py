"""Explanation graphs drawn from a knowledge base, backwards from the answer (paper, section 4.1)."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import numpy as np

from eg3p_lib.graphs import ExplanationGraph
from eg3p_lib.store import KnowledgeBase
from workbench_lib.errors import WorkbenchError

MAX_ATTEMPTS = 1000
_TRIES_FOR_A_NEW_HEAD = 8


class SamplingError(WorkbenchError):
    """No draw of many fitted: the knowledge base is too small for what is asked, or the limits contradict it."""


class RejectedDrawError(WorkbenchError):
    """One draw does not fit; `reason` is the name under which it is counted."""

    def __init__(self, reason: str):
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True)
class Shape:
    """What graphs may look like.

    Args:
        incoming: Weights with which a node takes 0, 1 or 2 incoming triples; the answer takes at least 1.
        max_depth: The most triples from a start to the answer.
        min_triples, max_triples: The size of a graph, both included.
    """

    incoming: tuple[float, float, float] = (1.0, 1.0, 1.0)
    max_depth: int = 3
    min_triples: int = 1
    max_triples: int = 8

    def __post_init__(self) -> None:
        if min(self.incoming) < 0 or self.incoming[1] + self.incoming[2] <= 0:
            raise SamplingError(
                f"incoming={self.incoming}: weights are not negative, and 1 or 2 triples must be possible"
            )
        if self.max_depth < 1 or not 1 <= self.min_triples <= self.max_triples:
            raise SamplingError(f"max_depth >= 1 and 1 <= min_triples <= max_triples must hold: {self}")


def sample_graph(
    kb: KnowledgeBase,
    rng: np.random.Generator,
    *,
    incoming: tuple[float, float, float] = (1.0, 1.0, 1.0),
    max_depth: int = 3,
    min_triples: int = 1,
    max_triples: int = 8,
    sink: str | None = None,
    rejected: Counter[str] | None = None,
) -> ExplanationGraph:
    """Draw one graph; its edges run from the starts to the answer, depth first (Table 4).

    Args:
        kb: Where the triples come from.
        rng: All chance comes from it.
        incoming, max_depth, min_triples, max_triples: See `Shape`.
        sink: The answer; by default any concept that a triple leads to.
        rejected: Counts the draws that did not fit, by reason.

    Raises:
        SamplingError: none of 1,000 draws fits.

    >>> from eg3p_lib.knowledge import starter_knowledge
    >>> graph = sample_graph(starter_knowledge(), np.random.default_rng(7), min_triples=3)
    >>> graph.faults(min_edges=3)
    ()
    """
    shape = Shape(incoming, max_depth, min_triples, max_triples)
    answer = None if sink is None else kb.number(sink)
    if answer is not None and not kb.incoming(answer):
        raise SamplingError(f"no triple leads to {sink!r}, so no graph can end there")
    reasons: Counter[str] = Counter() if rejected is None else rejected
    for _ in range(MAX_ATTEMPTS):
        try:
            return graph_of(kb, draw_triples(kb, rng, shape, answer))
        except RejectedDrawError as error:
            reasons[error.reason] += 1
    raise SamplingError(f"none of {MAX_ATTEMPTS} draws gave a graph ({tell(reasons)})")


def graph_of(kb: KnowledgeBase, triples: list[int]) -> ExplanationGraph:
    """The graph of triples given by their numbers."""
    return ExplanationGraph.of(kb.edge(triple) for triple in triples)


def tell(reasons: Counter[str]) -> str:
    """Counts by reason in one line, the most frequent first."""
    return ", ".join(f"{reason} {number}" for reason, number in reasons.most_common())


def draw_triples(kb: KnowledgeBase, rng: np.random.Generator, shape: Shape, sink: int | None = None) -> list[int]:
    """The numbers of one drawn graph's triples, in writing order: a head's subtree, then its triple.

    Raises:
        RejectedDrawError: too_few_triples or too_many_triples.
    """
    answer = int(kb.sinks[rng.integers(len(kb.sinks))]) if sink is None else sink
    growth = _Growth(kb, rng, shape, used={answer})
    growth.grow(answer, 0)
    if len(growth.used) > shape.max_triples + 1:
        raise RejectedDrawError("too_many_triples")
    if len(growth.triples) < shape.min_triples:
        raise RejectedDrawError("too_few_triples")
    return growth.triples


@dataclass
class _Growth:
    """A graph while it grows; `used` holds its nodes, each of which becomes the head of one triple only."""

    kb: KnowledgeBase
    rng: np.random.Generator
    shape: Shape
    used: set[int]
    triples: list[int] = field(default_factory=list)

    def grow(self, node: int, depth: int) -> None:
        """Give a node its incoming triples, and their heads theirs; stops where the graph has become too large."""
        if depth == self.shape.max_depth or len(self.used) > self.shape.max_triples + 1:
            return
        for triple in self._pick(node, self._how_many(at_least_one=depth == 0)):
            self.grow(int(self.kb.head[triple]), depth + 1)
            self.triples.append(triple)

    def _how_many(self, at_least_one: bool) -> int:
        none, one, two = self.shape.incoming
        none = 0.0 if at_least_one else none
        place = self.rng.random() * (none + one + two)
        return int(place >= none) + int(place >= none + one)

    def _pick(self, node: int, wanted: int) -> list[int]:
        """Up to `wanted` of the node's incoming triples whose heads are new in the graph."""
        found = self.kb.incoming(node)
        picked: list[int] = []
        for _ in range(_TRIES_FOR_A_NEW_HEAD * wanted if found else 0):
            if len(picked) == min(wanted, len(found)):
                break
            triple = found[int(self.rng.integers(len(found)))]
            head = int(self.kb.head[triple])
            if head not in self.used:
                self.used.add(head)
                picked.append(triple)
        return picked
