"""The metrics of ExplaGraphs predictions (paper, appendix D): those of the published scorer, and exact triples beside.

SA, StCA, SeCA and EA are shares; G-BLEU, G-ROUGE, G-BERTScore and GED are means over all examples, in which a wrong
stance or structure counts 0, and for GED 1. A metric whose model is not given is not run, and named in the notes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from eg3p_lib.edge_matching import (
    NO_MATCH,
    EdgeScore,
    Match,
    bertscore_settings,
    bertscores,
    bleu,
    edge_texts,
    match_edges,
    rouge,
)
from eg3p_lib.edit_distance import edit_distance
from eg3p_lib.explagraphs import ExplaGraphsRow, Prediction
from eg3p_lib.graphs import ExplanationGraph
from eg3p_lib.structure import is_parsed, official_edges, parsed_triples, structure_faults, triples_of
from workbench_lib.scores import ScoreError, Scores, summarise

MOST_PREDICTED = 17  # nodes and edges of a chain of 8 edges, the worst that a graph is compared with
MATCHES = ("G-BLEU", "G-ROUGE", "G-BERTScore")
PARTS = ("", "-precision", "-recall")  # of a matching; the F1 has the name alone
HIGHER_IS_BETTER = {
    "SA": True,
    "StCA": True,
    "SeCA": True,
    "G-BERTScore": True,
    "GED": False,
    "EA": True,
    **{f"{name}{part}": True for name in MATCHES for part in PARTS},
    "StCA-strict": True,
    "triple_f1": True,
    "triple_precision": True,
    "triple_recall": True,
    "parsed": True,
    "rules_but_concepts": True,
}


class PairJudge(Protocol):
    """A classifier of pairs of texts."""

    @property
    def labels(self) -> Sequence[str]:
        """The names of its classes, in the order of the columns."""
        ...

    def __call__(self, pairs: Sequence[tuple[str, str]]) -> npt.NDArray[np.floating]:
        """The probabilities of the classes: (pairs, classes)."""
        ...


@dataclass(frozen=True)
class Judges:
    """The models that some metrics need; without one its metric is not run.

    Args:
        stance: Classes support and counter, of a belief and an argument followed by a graph in words (EA).
        semantic: Classes support, counter and incorrect, of a belief and a graph (SeCA).
        bertscore: A model's folder or name, for G-BERTScore.
        layers: Its layer to compare, by default the last.
    """

    stance: PairJudge | None = None
    semantic: PairJudge | None = None
    bertscore: str | None = None
    layers: int | None = None


def score_explagraphs(
    golds: Sequence[ExplaGraphsRow],
    predictions: Sequence[Prediction],
    judges: Judges | None = None,
    *,
    stance_is_given: bool = False,
) -> Scores:
    """Score predictions in the order of the gold; where predictions are missing at the end they count as wrong.

    Beside the official metrics: StCA-strict (see `structure_faults`), rules_but_concepts (the share of structures that
    keep all rules but the one on the belief's and argument's concepts), parsed (the share of well-formed graphs), and
    precision, recall and F1 of exact triples.

    Args:
        stance_is_given: The gold stance was in the input, so SA says nothing and is left out.

    Raises:
        ScoreError: more predictions than gold, or no gold.
    """
    missing = len(golds) - len(predictions)
    if missing < 0:
        raise ScoreError(f"{len(predictions)} predictions for {len(golds)} gold examples")
    judges = judges or Judges()
    filled = [*predictions, *[Prediction("", "")] * missing]
    pairs = list(zip(golds, filled, strict=True))
    rows = [score_row(gold, prediction) for gold, prediction in pairs]
    for judged in (_edge_importance, _semantic_correctness, _bertscore):
        for row, values in zip(rows, judged(pairs, rows, judges), strict=True):
            row.update(values)
    names = [name for name in HIGHER_IS_BETTER if name in rows[0] and not (stance_is_given and name == "SA")]
    return summarise(rows, names, _notes(rows, filled, judges)) if rows else summarise([], [])


def score_row(gold: ExplaGraphsRow, prediction: Prediction) -> dict[str, Any]:
    """All values of one example that need no model."""
    stance = prediction.stance.strip().lower() == gold.stance
    faults = structure_faults(prediction.graph, gold.belief, gold.argument)
    strict = structure_faults(prediction.graph, gold.belief, gold.argument, "strict")
    is_correct = stance and not faults
    distance, is_exact = _edit_distance(gold, prediction.graph) if is_correct else (1.0, True)
    precision, recall, f1 = triple_scores(gold.graph, prediction.graph)
    row: dict[str, Any] = {
        "SA": float(stance),
        "StCA": float(is_correct),
        "GED": distance,
        "StCA-strict": float(stance and not strict),
        "triple_f1": f1,
        "triple_precision": precision,
        "triple_recall": recall,
        "parsed": float(is_parsed(prediction.graph)),
        "rules_but_concepts": float(set(faults) <= {"concepts"}),
        "faults": list(faults),
        "ged_is_exact": is_exact,
    }
    for name, score in (("G-BLEU", bleu), ("G-ROUGE", rouge)):
        row |= _parts(name, _best_match(gold, prediction.graph, score) if is_correct else NO_MATCH)
    return row


def triple_scores(gold: str, predicted: str) -> tuple[float, float, float]:
    """Precision, recall and F1 of the distinct triples, compared lower-cased and exactly.

    An edge that is no triple is wrong; a graph without its outer parentheses has no triples.

    >>> triple_scores("(a; is a; b)(b; causes; c)", "(a; is a; b)(b; causes)")
    (0.5, 0.5, 0.5)
    """
    golds, predictions = parsed_triples(gold), parsed_triples(predicted)
    hits = len(golds & predictions)
    if not hits:
        return 0.0, 0.0, 0.0
    precision, recall = hits / len(predictions), hits / len(golds)
    return precision, recall, 2 * precision * recall / (precision + recall)


def normalised_distance(gold: str, predicted: str) -> tuple[float, bool]:
    """The edit distance over gold nodes + gold edges + 17, at most 1; and whether it is exact or an upper bound."""
    golds = triples_of(gold)
    nodes = {node for head, _, tail in golds for node in (head, tail)}
    edges = {(head, tail) for head, _, tail in golds}
    distance = edit_distance(golds, triples_of(predicted))
    return min(1.0, distance.high / (len(nodes) + len(edges) + MOST_PREDICTED)), distance.is_exact


def graph_in_order(graph: str) -> ExplanationGraph:
    """The graph with its edges depth first from its starts, as the scorer's models read it.

    Edges in the order in which a depth-first walk from the starts first takes them; of edges between the same two
    concepts the last.
    """
    relations = {(head, tail): relation for head, relation, tail in triples_of(graph)}
    tails = {tail for _, tail in relations}
    after: dict[str, list[str]] = {}
    for head, tail in relations:
        after.setdefault(head, []).append(tail)
    ordered: dict[tuple[str, str], None] = {}

    def walk(node: str) -> None:
        for tail in after.get(node, []):
            if (node, tail) not in ordered:
                ordered[node, tail] = None
                walk(tail)

    for node in dict.fromkeys(node for ends in relations for node in ends):
        if node not in tails:
            walk(node)
    return ExplanationGraph.of((head, relations[head, tail], tail) for head, tail in ordered)


# --- metrics that need models ------------------------------------------------------------------------------------

_Pairs = list[tuple[ExplaGraphsRow, Prediction]]
_Rows = list[dict[str, Any]]


def _semantic_correctness(pairs: _Pairs, rows: _Rows, judges: Judges) -> Iterable[dict[str, Any]]:
    """SeCA: whether the model, reading belief and graph, says the gold stance of a structurally correct graph."""
    if judges.semantic is None:
        return [{}] * len(rows)
    correct = [k for k, row in enumerate(rows) if row["StCA"]]
    texts = [(pairs[k][0].belief.lower(), graph_in_order(pairs[k][1].graph).format("explagraphs")) for k in correct]
    said = judges.semantic(texts).argmax(axis=1).tolist() if texts else []
    labels = dict(zip(correct, (judges.semantic.labels[number] for number in said), strict=True))
    return [{"SeCA": float(labels.get(k) == gold.stance)} for k, (gold, _) in enumerate(pairs)]


def _edge_importance(pairs: _Pairs, rows: _Rows, judges: Judges) -> Iterable[dict[str, Any]]:
    """EA: the share of edges without which the model is less sure of the gold stance."""
    if judges.stance is None:
        return [{}] * len(rows)
    texts: list[tuple[str, str]] = []
    parts: dict[int, tuple[int, int]] = {}
    for k, ((gold, prediction), row) in enumerate(zip(pairs, rows, strict=True)):
        if row["StCA"]:
            edges = list(graph_in_order(prediction.graph).edges)
            graphs = [edges, *(edges[:n] + edges[n + 1 :] for n in range(len(edges)))]  # by place: an edge may repeat
            parts[k] = len(texts), len(texts) + len(graphs)
            texts += [(gold.belief, f"{gold.argument} {_in_words(graph)}") for graph in graphs]
    sure = judges.stance(texts) if texts else np.zeros((0, 2))
    return [{"EA": _importance(sure, parts.get(k), judges.stance, gold)} for k, (gold, _) in enumerate(pairs)]


def _importance(
    sure: npt.NDArray[np.floating], part: tuple[int, int] | None, judge: PairJudge, gold: ExplaGraphsRow
) -> float:
    if part is None:
        return 0.0
    column: list[float] = sure[slice(*part), list(judge.labels).index(gold.stance)].tolist()
    whole, without = column[0], column[1:]
    return sum(value < whole for value in without) / len(without)


def _in_words(edges: Sequence[tuple[str, str, str]]) -> str:
    return "".join(f"{head} {relation} {tail}. " for head, relation, tail in edges)


def _bertscore(pairs: _Pairs, rows: _Rows, judges: Judges) -> Iterable[dict[str, Any]]:
    if judges.bertscore is None:
        return [{}] * len(rows)
    correct = [pair for pair, row in zip(pairs, rows, strict=True) if row["StCA"]]
    asked = (
        (gold_edge, edge)
        for gold, prediction in correct
        for graph in gold.graphs
        for gold_edge in edge_texts(graph)
        for edge in edge_texts(prediction.graph)
    )
    score = bertscores(asked, judges.bertscore, judges.layers)
    return [
        _parts("G-BERTScore", _best_match(gold, prediction.graph, score) if row["StCA"] else NO_MATCH)
        for (gold, prediction), row in zip(pairs, rows, strict=True)
    ]


# --- helpers -----------------------------------------------------------------------------------------------------


def _edit_distance(gold: ExplaGraphsRow, predicted: str) -> tuple[float, bool]:
    """The better distance where there are two golds."""
    return min((normalised_distance(graph, predicted) for graph in gold.graphs), key=lambda found: found[0])


def _best_match(gold: ExplaGraphsRow, predicted: str, score: EdgeScore) -> Match:
    """The better match where there are two golds."""
    matches = (match_edges(edge_texts(graph), edge_texts(predicted), score) for graph in gold.graphs)
    return max(matches, key=lambda match: match.f1)


def _parts(name: str, match: Match) -> dict[str, float]:
    return {name: match.f1, f"{name}-precision": match.precision, f"{name}-recall": match.recall}


def _notes(rows: _Rows, predictions: Sequence[Prediction], judges: Judges) -> dict[str, Any]:
    """How often each rule was broken (one graph may break several), what was missing or made good, what was not run."""
    faults = Counter(fault for row in rows for fault in row["faults"])
    absent = {"SeCA": judges.semantic, "G-BERTScore": judges.bertscore, "EA": judges.stance}
    notes: dict[str, Any] = {
        "faults": dict(faults.most_common()),
        "missing": sum(not p.graph.strip() for p in predictions),
        "malformed_lines": sum(p.is_malformed for p in predictions),
        "unbalanced_parenthesis": sum(official_edges(p.graph).repaired for p in predictions),
        "ged_bounds_only": sum(not row["ged_is_exact"] for row in rows),
        "not_run": [name for name, model in absent.items() if model is None],
    }
    if judges.bertscore:
        notes["bertscore"] = bertscore_settings(judges.bertscore, judges.layers)
    return notes
