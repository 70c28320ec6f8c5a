"""The metrics of ExplaGraphs predictions (paper, appendix D): those of the published scorer, and exact triples beside.

SA, StCA, SeCA and EA are shares; G-BLEU, G-ROUGE, G-BERTScore and GED are means over all examples, in which a wrong
stance or structure counts 0, and for GED 1. The metrics of the paper have a strict form, too (`X-strict`), in which a
structure is right by the paper's text rather than by the scorer's rules (see `structure_faults`). A metric whose model
is not given is not run, and named in the notes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from eg3p_lib.edge_matching import bertscore_settings
from eg3p_lib.explagraphs import MISSING, ExplaGraphsRow, Prediction
from eg3p_lib.graph_measures import (
    MATCHES,
    PARTS,
    Case,
    Values,
    bertscore_values,
    bleu_values,
    distance_values,
    edge_importance,
    rouge_values,
    semantic_correctness,
)
from eg3p_lib.judges import NO_JUDGES, Judges
from eg3p_lib.structure import MODES, Mode, is_parsed, official_edges, parsed_triples, respaced, structure_faults
from workbench_lib.scores import ScoreError, Scores, summarise

OF_THE_PAPER = ("StCA", "SeCA", "G-BERTScore", "GED", "EA")
NEEDS_MODEL = {"SeCA": "semantic", "G-BERTScore": "bertscore", "EA": "stance"}
"""The metrics that need models, and the part of `Judges` that each needs."""

SUFFIXES: Mapping[Mode, str] = {"official": "", "strict": "-strict"}
HIGHER_IS_BETTER = {
    "SA": True,
    "StCA": True,
    "SeCA": True,
    "G-BERTScore": True,
    "GED": False,
    "EA": True,
    **{f"{name}{part}": True for name in MATCHES for part in PARTS},
    **{f"{name}-strict": name != "GED" for name in OF_THE_PAPER},
    "triple_f1": True,
    "triple_precision": True,
    "triple_recall": True,
    "parsed": True,
    "rules_but_concepts": True,
}

_Measure = Callable[[Sequence[Case], Judges], list[Values]]
_MEASURES: tuple[_Measure, ...] = (
    distance_values,
    bleu_values,
    rouge_values,
    bertscore_values,
    semantic_correctness,
    edge_importance,
)


def score_explagraphs(
    golds: Sequence[ExplaGraphsRow],
    predictions: Sequence[Prediction],
    judges: Judges = NO_JUDGES,
    *,
    stance_is_given: bool = False,
) -> Scores:
    """Score predictions in the order of the gold; where predictions are missing at the end they count as wrong.

    Beside the official metrics and their strict forms: rules_but_concepts (the share of structures that keep all
    rules but the one on the belief's and argument's concepts), parsed (the share of well-formed graphs), and precision,
    recall and F1 of exact triples.

    Args:
        stance_is_given: The gold stance was in the input, so SA says nothing and is left out.

    Raises:
        ScoreError: more predictions than gold, or no gold.
    """
    missing = len(golds) - len(predictions)
    if missing < 0:
        raise ScoreError(f"{len(predictions)} predictions for {len(golds)} gold examples")
    if not golds:
        raise ScoreError("no examples to score")
    filled = [*predictions, *[MISSING] * missing]
    rows = [_row(gold, prediction) for gold, prediction in zip(golds, filled, strict=True)]
    _add_measures(rows, golds, filled, judges)
    names = [name for name in HIGHER_IS_BETTER if name in rows[0] and not (stance_is_given and name == "SA")]
    return summarise(rows, names, _notes(rows, filled, judges))


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


def _row(gold: ExplaGraphsRow, prediction: Prediction) -> dict[str, Any]:
    """What an example's stance, structure and triples are, without the measures of right structures."""
    stance = prediction.stance.strip().lower() == gold.stance
    faults = {mode: structure_faults(prediction.graph, gold.belief, gold.argument, mode) for mode in MODES}
    best = max((triple_scores(graph, prediction.graph) for graph in gold.graphs), key=lambda scores: scores[2])
    return {
        "stance": prediction.stance,
        "SA": float(stance),
        **{f"StCA{SUFFIXES[mode]}": float(stance and not faults[mode]) for mode in MODES},
        **dict(zip(("triple_precision", "triple_recall", "triple_f1"), best, strict=True)),
        "parsed": float(is_parsed(prediction.graph)),
        "rules_but_concepts": float(set(faults["official"]) <= {"concepts"}),
        **{f"faults{SUFFIXES[mode]}": list(faults[mode]) for mode in MODES},
    }


def _add_measures(
    rows: Sequence[dict[str, Any]], golds: Sequence[ExplaGraphsRow], predictions: Sequence[Prediction], judges: Judges
) -> None:
    """Measure each right structure once, however many modes take it for right; the others get the worst values."""
    read = {"official": lambda graph: graph.lower().strip(), "strict": respaced}
    graphs = {mode: [read[mode](p.graph) for p in predictions] for mode in MODES}
    asked = [(mode, k) for mode in MODES for k, row in enumerate(rows) if row[f"StCA{SUFFIXES[mode]}"]]
    places = dict.fromkeys((k, graphs[mode][k]) for mode, k in asked)
    cases = [Case(golds[k], graph) for k, graph in places]
    values: dict[tuple[int, str], Values] = {place: {} for place in places}
    for measure in _MEASURES:
        for place, found in zip(places, measure(cases, judges), strict=True):
            values[place] |= found
    worst = _worst(judges)
    for mode in MODES:
        for k, row in enumerate(rows):
            found = values[k, graphs[mode][k]] if row[f"StCA{SUFFIXES[mode]}"] else worst
            row |= (
                found
                if mode == "official"
                else {f"{name}-strict": found[name] for name in OF_THE_PAPER if name in found}
            )


def _worst(judges: Judges) -> Values:
    """The values of a graph whose stance or structure is wrong."""
    matched = {f"{name}{part}" for name in MATCHES for part in PARTS}
    names = ["GED", *sorted(matched), "SeCA", "EA"]
    absent = tuple(name for name, part in NEEDS_MODEL.items() if getattr(judges, part) is None)
    return {name: float(name == "GED") for name in names if not name.startswith(absent)}


def _notes(rows: Sequence[dict[str, Any]], predictions: Sequence[Prediction], judges: Judges) -> dict[str, Any]:
    """How often each rule was broken (one graph may break several), what was missing or made good, what was not run."""
    faults = {mode: Counter(fault for row in rows for fault in row[f"faults{SUFFIXES[mode]}"]) for mode in MODES}
    notes: dict[str, Any] = {
        "faults": {mode: dict(found.most_common()) for mode, found in faults.items()},
        "missing": sum(not p.graph.strip() for p in predictions),
        "malformed_lines": sum(p.is_malformed for p in predictions),
        "unbalanced_parenthesis": sum(official_edges(p.graph).repaired for p in predictions),
        "ged_bounds_only": sum("GED-bounds" in row for row in rows),
        "not_run": [name for name, part in NEEDS_MODEL.items() if getattr(judges, part) is None],
    }
    if judges.bertscore:
        notes["bertscore"] = bertscore_settings(judges.bertscore, judges.layers)
    return notes
