"""From a file of ExplaGraphs predictions to its scores, and these as text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from eg3p_lib.explagraphs import ExplaGraphsRow, Prediction, read_explagraphs, read_predictions, read_predictions_of_run
from eg3p_lib.judges import Judges
from eg3p_lib.metrics import HIGHER_IS_BETTER, score_explagraphs
from eg3p_lib.structure import FAULTS, MODES
from workbench_lib.scores import Metric, Scores

OPTIONS = {"SeCA": "--semantic-model", "EA": "--stance-model", "G-BERTScore": "--bertscore-model"}
COUNTS = {
    "missing": "predictions are missing or empty",
    "malformed_lines": "lines are malformed (not stance, tab, graph)",
    "unbalanced_parenthesis": "graphs lack an outer parenthesis, which the official rules make good",
    "ged_bounds_only": "edit distances were given up, and count with their upper bounds",
}


def evaluate(gold: Path, pred: Path, judges: Judges) -> tuple[Scores, list[dict[str, Any]]]:
    """Score a file of predictions, and say of each example what it was and what it scored.

    Args:
        gold: In the official format, perhaps with a second graph.
        pred: In the official format; or `predictions.jsonl` of a fine-tuning run on this gold.

    Raises:
        InputError, ScoreError: see `read_explagraphs`, `read_predictions`, `score_explagraphs`.
    """
    golds = read_explagraphs(gold)
    predictions = read_predictions_of_run(pred, golds) if pred.suffix == ".jsonl" else read_predictions(pred)
    scores = score_explagraphs(golds, predictions, judges)
    return scores, list(_rows(golds, predictions, scores))


def tell_scores(scores: Scores) -> str:
    """The metrics with their intervals, official and strict side by side, and why graphs failed."""
    parts = [_metrics_table(scores), _faults_table(scores)]
    parts += [f"{scores.notes[name]} {text}" for name, text in COUNTS.items() if scores.notes[name]]
    parts += [f"G-BERTScore by {scores.notes['bertscore']}"] if "bertscore" in scores.notes else []
    return "\n".join(parts)


def _rows(
    golds: Sequence[ExplaGraphsRow], predictions: Sequence[Prediction], scores: Scores
) -> Iterator[dict[str, Any]]:
    graphs = [prediction.graph for prediction in predictions] + [""] * (len(golds) - len(predictions))
    for gold, graph, row in zip(golds, graphs, scores.rows, strict=True):
        known = {"line": gold.line, "belief": gold.belief, "argument": gold.argument, "gold_stance": gold.stance}
        yield {**known, "gold_graphs": list(gold.graphs), "graph": graph, **row}


def _metrics_table(scores: Scores) -> str:
    lines = [f"{'metric':<26}{'official (95 % interval)':>26}{'strict (95 % interval)':>26}{'n':>7}"]
    for name, higher in HIGHER_IS_BETTER.items():
        title = name if higher else f"{name} (lower is better)"
        if name in scores.notes["not_run"]:
            lines.append(f"{title:<26}  not run: needs {OPTIONS[name]}")
        elif name in scores.metrics and not name.endswith("-strict"):
            values = [_interval(scores.metrics.get(form)) for form in (name, f"{name}-strict")]
            lines.append(f"{title:<26}{values[0]:>26}{values[1]:>26}{scores.n:>7}")
    return "\n".join(lines)


def _interval(metric: Metric | None) -> str:
    return "" if metric is None else f"{metric.value:.4f} [{metric.low:.4f}, {metric.high:.4f}]"


def _faults_table(scores: Scores) -> str:
    lines = [f"\n{'why graphs failed (one may break several rules)':<52}{'official':>10}{'strict':>10}"]
    for fault, text in FAULTS.items():
        numbers = [scores.notes["faults"][mode].get(fault, 0) for mode in MODES]
        lines.append(f"{text:<52}" + "".join(f"{number:>10}" for number in numbers))
    return "\n".join(lines)
