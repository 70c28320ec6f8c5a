"""Measures of graphs of right stance and structure: how near they are to their gold, and what models say of them.

Where an example has two gold graphs, the nearer one counts, as in the published scorer's test form.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from eg3p_lib.edge_matching import EdgeScore, bertscores, bleu, edge_texts, match_edges, rouge
from eg3p_lib.edit_distance import Distance, edit_distance
from eg3p_lib.explagraphs import ExplaGraphsRow
from eg3p_lib.judges import Judges
from eg3p_lib.structure import Triples, triples_of

MOST_PREDICTED = 17  # nodes and edges of a chain of 8 edges, the worst that a graph is compared with
MATCHES = ("G-BLEU", "G-ROUGE", "G-BERTScore")
PARTS = ("", "-precision", "-recall")  # of a matching; the F1 has the name alone

Values = dict[str, Any]
"""Metrics by name; and what is said beside them."""


class Case(NamedTuple):
    """A graph of right stance and structure, and its gold."""

    gold: ExplaGraphsRow
    graph: str


def normalised_distance(gold: str, predicted: str) -> tuple[float, float]:
    """The edit distance over gold nodes + gold edges + 17, and at most 1: a lower and an upper bound, mostly equal.

    >>> normalised_distance("(a; is a; b)(b; is a; c)(c; is a; d)", "(b; is a; a)(b; is a; c)(c; is a; d)")
    (0.08333333333333333, 0.08333333333333333)
    """
    golds, predictions = triples_of(gold), triples_of(predicted)
    (gold_nodes, gold_edges), (nodes, edges) = _sizes(golds), _sizes(predictions)
    worst = gold_nodes + gold_edges + MOST_PREDICTED
    if abs(nodes - gold_nodes) + abs(edges - gold_edges) >= worst:
        return 1.0, 1.0
    distance: Distance = edit_distance(golds, predictions)
    return min(1.0, distance.low / worst), min(1.0, distance.high / worst)


def distance_values(cases: Sequence[Case], _: Judges) -> list[Values]:
    """GED; where the search was given up its upper bound, and both bounds beside it."""
    return [_distance(case) for case in cases]


def bleu_values(cases: Sequence[Case], _: Judges) -> list[Values]:
    """G-BLEU."""
    return [_matched("G-BLEU", case, bleu) for case in cases]


def rouge_values(cases: Sequence[Case], _: Judges) -> list[Values]:
    """G-ROUGE."""
    return [_matched("G-ROUGE", case, rouge) for case in cases]


def bertscore_values(cases: Sequence[Case], judges: Judges) -> list[Values]:
    """G-BERTScore, with each distinct pair of edges scored once."""
    if judges.bertscore is None:
        return [{}] * len(cases)
    asked = [
        (gold_edge, edge)
        for case in cases
        for graph in case.gold.graphs
        for gold_edge in edge_texts(graph)
        for edge in edge_texts(case.graph)
    ]
    score = bertscores(asked, judges.bertscore, judges.layers)
    return [_matched("G-BERTScore", case, score) for case in cases]


def semantic_correctness(cases: Sequence[Case], judges: Judges) -> list[Values]:
    """SeCA: whether the model, reading belief and graph, says the gold stance."""
    if judges.semantic is None:
        return [{}] * len(cases)
    texts = [(case.gold.belief.lower(), graph_text(graph_in_order(case.graph))) for case in cases]
    said = judges.semantic(texts).argmax(axis=1).tolist() if texts else []
    labels = [judges.semantic.labels[number] for number in said]
    return [{"SeCA": float(label == case.gold.stance)} for case, label in zip(cases, labels, strict=True)]


def edge_importance(cases: Sequence[Case], judges: Judges) -> list[Values]:
    """EA: the share of edges without which the model is less sure of the gold stance."""
    if judges.stance is None:
        return [{}] * len(cases)
    texts: list[tuple[str, str]] = []
    for case in cases:
        edges = graph_in_order(case.graph)
        graphs = [edges, *(edges[:n] + edges[n + 1 :] for n in range(len(edges)))]  # by place: an edge may repeat
        texts += [(case.gold.belief, argument_with_graph(case.gold.argument, graph)) for graph in graphs]
    sure = judges.stance(texts) if texts else np.zeros((0, 2))
    columns = [list(judges.stance.labels).index(case.gold.stance) for case in cases]
    rows = iter(sure)
    return [{"EA": _importance(case, column, rows)} for case, column in zip(cases, columns, strict=True)]


def argument_with_graph(argument: str, edges: Sequence[tuple[str, str, str]]) -> str:
    """The text that the stance model of EA reads beside the belief.

    >>> argument_with_graph("Cars stink.", [("cars", "causes", "smoke"), ("smoke", "is a", "harm")])
    'Cars stink. cars causes smoke. smoke is a harm. '
    """
    return f"{argument} " + "".join(f"{head} {relation} {tail}. " for head, relation, tail in edges)


def graph_text(edges: Sequence[tuple[str, str, str]]) -> str:
    """Edges as the data set writes them, whatever is in them."""
    return "".join(f"({head}; {relation}; {tail})" for head, relation, tail in edges)


def graph_in_order(graph: str) -> Triples:
    """A graph's edges as the scorer's models read them: in the order in which a walk from its starts takes them.

    The walk goes depth first; of edges between the same two concepts the last counts.

    >>> graph_in_order("(b; is a; c)(a; causes; b)(a; causes; d)")
    [('a', 'causes', 'b'), ('b', 'is a', 'c'), ('a', 'causes', 'd')]
    """
    relations = {(head, tail): relation for head, relation, tail in triples_of(graph)}
    after: dict[str, list[str]] = {}
    for head, tail in relations:
        after.setdefault(head, []).append(tail)
        after.setdefault(tail, [])
    arrived = {tail for _, tail in relations}
    ordered: list[tuple[str, str]] = []
    left = {node: iter(tails) for node, tails in after.items()}  # each edge is taken once
    for start in (node for node in after if node not in arrived):
        path = [start]
        while path:
            for tail in left[path[-1]]:
                ordered.append((path[-1], tail))
                path.append(tail)
                break
            else:
                path.pop()
    return [(head, relations[head, tail], tail) for head, tail in ordered]


def _importance(case: Case, column: int, rows: Iterator[Any]) -> float:
    """The next rows are the probabilities with the whole graph, and without each of its edges."""
    whole = float(next(rows)[column])
    without = [float(next(rows)[column]) for _ in graph_in_order(case.graph)]
    return sum(value < whole for value in without) / len(without)


def _sizes(triples: Sequence[tuple[str, str, str]]) -> tuple[int, int]:
    """The distinct nodes, and the pairs of nodes that an edge joins."""
    return len({node for head, _, tail in triples for node in (head, tail)}), len({(h, t) for h, _, t in triples})


def _distance(case: Case) -> Values:
    low, high = map(min, zip(*(normalised_distance(graph, case.graph) for graph in case.gold.graphs), strict=True))
    return {"GED": high} if low == high else {"GED": high, "GED-bounds": [low, high]}


def _matched(name: str, case: Case, score: EdgeScore) -> Values:
    matches = (match_edges(edge_texts(graph), edge_texts(case.graph), score) for graph in case.gold.graphs)
    best = max(matches, key=lambda match: match.f1)
    return dict(zip((name, f"{name}-precision", f"{name}-recall"), (best.f1, best.precision, best.recall), strict=True))
