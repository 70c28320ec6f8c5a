"""Metrics of ExplaGraphs predictions: the official scorer's structural rules, and exact matches of triples."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from eg3p_lib.explagraphs import ExplaGraphsRow, Prediction
from eg3p_lib.graphs import ExplanationGraph, GraphError, explagraphs_fields, is_acyclic, is_connected
from eg3p_lib.relations import EXPLAGRAPHS_RELATIONS
from workbench_lib.scores import ScoreError, Scores, summarise

MIN_EDGES = 3
MAX_WORDS = 3
MIN_CONCEPTS = 2
STRUCTURE_METRICS = ("StCA", "triple_f1", "parsed", "rules_but_concepts", "triple_precision", "triple_recall")
STANCE_METRICS = ("SA", *STRUCTURE_METRICS)


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


def structure_faults(graph: str, belief: str, argument: str) -> tuple[str, ...]:
    """The official structural rules that a graph breaks, by name (paper, appendix D, StCA; DESIGN section 5).

    edge_count (fewer than 3) and not_triple each end the check; then relation, words (a concept of more than 3),
    concepts (fewer than 2 distinct ones that are substrings of the belief, or of the argument), disconnected, cycle.

    >>> structure_faults("(a; is a; b)", "a or b", "a or b")
    ('edge_count',)
    """
    edges = official_edges(graph).edges
    if len(edges) < MIN_EDGES:
        return ("edge_count",)
    if any(len(edge) != 3 for edge in edges):
        return ("not_triple",)
    triples = [(edge[0], edge[1], edge[2]) for edge in edges]
    concepts = {concept for head, _, tail in triples for concept in (head, tail)}
    found = {
        "relation": any(relation not in EXPLAGRAPHS_RELATIONS for _, relation, _ in triples),
        "words": any(len(concept.split(" ")) > MAX_WORDS for concept in concepts),
        "concepts": any(_held(concepts, text) < MIN_CONCEPTS for text in (belief, argument)),
        "disconnected": not is_connected(triples),
        "cycle": not is_acyclic(triples),
    }
    return tuple(name for name, holds in found.items() if holds)


def _held(concepts: set[str], text: str) -> int:
    return sum(concept in text.lower() for concept in concepts)


def triple_scores(gold: str, predicted: str) -> tuple[float, float, float]:
    """Precision, recall and F1 of the distinct triples, compared lower-cased and exactly.

    An edge that is no triple is wrong; a graph without its outer parentheses has no triples.

    >>> triple_scores("(a; is a; b)(b; causes; c)", "(a; is a; b)(b; causes)")
    (0.5, 0.5, 0.5)
    """
    golds, predictions = _triples(gold), _triples(predicted)
    hits = len(golds & predictions)
    if not hits:
        return 0.0, 0.0, 0.0
    precision, recall = hits / len(predictions), hits / len(golds)
    return precision, recall, 2 * precision * recall / (precision + recall)


def _triples(graph: str) -> set[tuple[str, ...]]:
    try:
        return {tuple(fields) for fields in explagraphs_fields(graph.lower())}
    except GraphError:
        return set()


def is_parsed(graph: str) -> bool:
    """Whether a graph is well-formed: triples in parentheses, however they are spaced."""
    try:
        ExplanationGraph.parse(graph, "explagraphs")
    except GraphError:
        return False
    return True


def score_row(gold: ExplaGraphsRow, prediction: Prediction) -> dict[str, Any]:
    """All values of one example; where nothing is predicted they are 0."""
    stance = prediction.stance.strip().lower() == gold.stance
    faults = structure_faults(prediction.graph, gold.belief, gold.argument)
    precision, recall, f1 = triple_scores(gold.graph, prediction.graph)
    return {
        "SA": float(stance),
        "StCA": float(stance and not faults),
        "triple_f1": f1,
        "triple_precision": precision,
        "triple_recall": recall,
        "parsed": float(is_parsed(prediction.graph)),
        "rules_but_concepts": float(set(faults) <= {"concepts"}),
        "faults": list(faults),
    }


def score_explagraphs(
    golds: Sequence[ExplaGraphsRow], predictions: Sequence[Prediction], metrics: Sequence[str] = STANCE_METRICS
) -> Scores:
    """Score predictions in the order of the gold; where predictions are missing at the end they count as wrong.

    SA is the share of right stances, StCA that of right stances with a structure that keeps all official rules,
    rules_but_concepts that of structures which keep all but the rule on the belief's and argument's concepts,
    parsed that of well-formed graphs; triple precision, recall and F1 are means over the examples.

    Raises:
        ScoreError: more predictions than gold, or no gold.
    """
    missing = len(golds) - len(predictions)
    if missing < 0:
        raise ScoreError(f"{len(predictions)} predictions for {len(golds)} gold examples")
    filled = [*predictions, *[Prediction("", "")] * missing]
    rows = [score_row(gold, prediction) for gold, prediction in zip(golds, filled, strict=True)]
    return summarise(rows, metrics, _notes(rows, filled))


def _notes(rows: list[dict[str, Any]], predictions: Sequence[Prediction]) -> dict[str, Any]:
    """How often each rule was broken (one graph may break several), and what was missing or made good."""
    faults = Counter(fault for row in rows for fault in row["faults"])
    return {
        "faults": dict(faults.most_common()),
        "missing": sum(not p.graph.strip() for p in predictions),
        "unbalanced_parenthesis": sum(official_edges(p.graph).repaired for p in predictions),
    }
