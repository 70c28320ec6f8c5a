"""The accuracy of TabFact on all statements, and on those of the simple and complex channel and the small test set."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from reastap_lib.tabfact import label_of
from workbench_lib.scores import Scores, mean_with_interval, summarise
from workbench_lib.tasks import Example

ACCURACY = "accuracy"
PARTS = {
    "accuracy_simple": ("channel", "simple"),
    "accuracy_complex": ("channel", "complex"),
    "accuracy_small": ("small", "yes"),
}
METRICS = (ACCURACY, *PARTS)


def score_labels(examples: Sequence[Example], predictions: Sequence[str]) -> Scores:
    """Score labels: refuted or entailed, or 0 or 1; anything else is wrong.

    A part of which no statement is there (a release without its list, another split) is not run, and the notes say so.
    """
    rows = [_row(example, prediction) for example, prediction in zip(examples, predictions, strict=True)]
    scores = summarise(rows, [ACCURACY])
    sizes = {ACCURACY: len(rows)}
    for name, (reference, value) in PARTS.items():
        part = [row[ACCURACY] for row, one in zip(rows, examples, strict=True) if one.references[reference] == value]
        if part:
            scores.metrics[name] = mean_with_interval(part)
            sizes[name] = len(part)
    not_run = [name for name in PARTS if name not in sizes]
    scores.notes.update({**_sizes(examples), "n_of": sizes, **_outputs(rows, predictions), "not_run": not_run})
    return scores


def _row(example: Example, prediction: str) -> dict[str, Any]:
    right = float(label_of(prediction) == example.target)
    return {"id": example.id, "prediction": prediction, "gold": example.target, ACCURACY: right}


def _sizes(examples: Sequence[Example]) -> dict[str, Any]:
    """Variant and sizes, and whether that is the whole split of the paper."""
    variant, whole = (examples[0].references[name] for name in ("variant", "whole"))
    if not variant:
        return {"variant": "unknown"}
    tables = len({example.references["table"] for example in examples})
    return {"variant": variant, "tables": tables, **({"is_whole_split": str(len(examples)) == whole} if whole else {})}


def _outputs(rows: Sequence[dict[str, Any]], predictions: Sequence[str]) -> dict[str, int]:
    labels = [label_of(prediction) for prediction in predictions]
    return {
        "predicted_entailed": labels.count("entailed"),
        "no_label": labels.count(None),
        "empty_predictions": sum(not prediction.strip() for prediction in predictions),
    }
