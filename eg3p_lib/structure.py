"""When an ExplaGraphs graph is structurally correct: the published scorer's rules, and those of the paper's text."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, get_args

from eg3p_lib.graphs import ExplanationGraph, GraphError, explagraphs_fields, is_acyclic, is_connected
from eg3p_lib.relations import EXPLAGRAPHS_RELATIONS

Mode = Literal["official", "strict"]
MODES: tuple[Mode, ...] = get_args(Mode)
MIN_EDGES, MAX_EDGES = 3, 8
MAX_WORDS = 3
MIN_CONCEPTS = 2

FAULTS = {
    "edge_count": "edge count",
    "not_triple": "notation",
    "relation": "unknown relation",
    "words": "words of a concept",
    "concepts": "concepts of belief or argument",
    "disconnected": "disconnected",
    "cycle": "cyclic",
}
"""What keeps a graph from being structurally correct, and how it is called to readers."""

Triples = list[tuple[str, str, str]]


@dataclass(frozen=True)
class OfficialEdges:
    """A graph's edges as the official scorer cuts them, and whether a missing parenthesis had to be made good."""

    edges: tuple[tuple[str, ...], ...]
    repaired: bool


def official_edges(graph: str) -> OfficialEdges:
    """Cut a graph as the official scorer does: lower-cased, without its outer parentheses, at `)(` and `; `.

    Unlike it we take spaces at the ends away first, and take a first and last character away only where they are
    the parentheses, so that no concept loses a letter.

    >>> official_edges("(Cars; causes; smoke)(smoke; is a; harm ")
    OfficialEdges(edges=(('cars', 'causes', 'smoke'), ('smoke', 'is a', 'harm')), repaired=True)
    """
    text = graph.lower().strip()
    bare = text.removeprefix("(").removesuffix(")")
    edges = tuple(tuple(edge.split("; ")) for edge in bare.split(")("))
    return OfficialEdges(edges, repaired=bool(text) and len(text) - len(bare) < 2)


def triples_of(graph: str) -> Triples:
    """The edges of a graph that the official scorer takes for triples."""
    return [(edge[0], edge[1], edge[2]) for edge in official_edges(graph).edges if len(edge) == 3]


def structure_faults(graph: str, belief: str, argument: str, mode: Mode = "official") -> tuple[str, ...]:
    """The structural rules that a graph breaks, by name (paper, appendix D, StCA; DESIGN section 5).

    edge_count (fewer than 3) and not_triple each end the check; then relation, words (a concept of none or more than
    3), concepts (fewer than 2 distinct ones in the belief, or in the argument), disconnected, cycle. The official mode
    counts repeated edges and takes any substring of a text for one of its concepts; the strict one allows at most 8
    edges, each once, wants whole words, and does not mind how the notation is spaced.

    >>> structure_faults("(a; is a; b)", "a or b", "a or b")
    ('edge_count',)
    """
    if mode == "strict":
        return _strict_faults(graph, belief, argument)
    edges = official_edges(graph).edges
    if len(edges) < MIN_EDGES:
        return ("edge_count",)
    if any(len(edge) != 3 for edge in edges):
        return ("not_triple",)
    return _official_faults(triples_of(graph), belief, argument)


def is_structure(triples: Triples, belief: str, argument: str) -> bool:
    """Whether triples are a structurally correct graph by the official rules."""
    return len(triples) >= MIN_EDGES and not _official_faults(triples, belief, argument)


def respaced(graph: str) -> str:
    """A graph lower-cased and spaced as the data set is; as it was where it is not well-formed.

    >>> respaced("(Cars;causes; smoke) (smoke; is a; harm)")
    '(cars; causes; smoke)(smoke; is a; harm)'
    """
    try:
        return ExplanationGraph.of(_parsed(graph)).format("explagraphs")
    except GraphError:
        return graph.lower().strip()


def is_parsed(graph: str) -> bool:
    """Whether a graph is well-formed: triples in parentheses, however they are spaced."""
    try:
        ExplanationGraph.parse(graph, "explagraphs")
    except GraphError:
        return False
    return True


def parsed_triples(graph: str) -> set[tuple[str, ...]]:
    """The distinct edges of a graph, lower-cased, however spaced; none where its outer parentheses are missing."""
    try:
        return {tuple(fields) for fields in explagraphs_fields(graph.lower())}
    except GraphError:
        return set()


def _parsed(graph: str) -> Triples:
    edges = ExplanationGraph.parse(graph.lower(), "explagraphs").edges
    return [(_single_spaced(head), _single_spaced(relation), _single_spaced(tail)) for head, relation, tail in edges]


def _single_spaced(text: str) -> str:
    return " ".join(text.split())


def _strict_faults(graph: str, belief: str, argument: str) -> tuple[str, ...]:
    try:
        triples = _parsed(graph)
    except GraphError:
        return ("not_triple",) if graph.strip() else ("edge_count",)
    if not MIN_EDGES <= len(set(triples)) == len(triples) <= MAX_EDGES:
        return ("edge_count",)
    concepts = dict.fromkeys(map(_words, _concepts(triples)))
    texts = (f" {_words(text.lower())} " for text in (belief, argument))
    return _faults(triples, [sum(bool(concept) and f" {concept} " in text for concept in concepts) for text in texts])


def _official_faults(triples: Triples, belief: str, argument: str) -> tuple[str, ...]:
    concepts = _concepts(triples)
    return _faults(triples, [sum(concept in text.lower() for concept in concepts) for text in (belief, argument)])


def _words(text: str) -> str:
    return " ".join(re.findall(r"\w+", text))


def _faults(triples: Triples, held: Iterable[int]) -> tuple[str, ...]:
    concepts = _concepts(triples)
    found = {
        "relation": any(relation not in EXPLAGRAPHS_RELATIONS for _, relation, _ in triples),
        "words": any(not concept or len(concept.split(" ")) > MAX_WORDS for concept in concepts),
        "concepts": any(number < MIN_CONCEPTS for number in held),
        "disconnected": not is_connected(triples),
        "cycle": not is_acyclic(triples),
    }
    return tuple(name for name, holds in found.items() if holds)


def _concepts(triples: Triples) -> list[str]:
    return list(dict.fromkeys(concept for head, _, tail in triples for concept in (head, tail)))
