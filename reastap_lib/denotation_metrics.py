"""The denotation accuracies of question answering over tables, for whole prediction files (see `denotation`)."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from typing import Any

import pandas as pd

from reastap_lib.denotation import official, official_of_text, string_of_text
from workbench_lib.scores import Scores, summarise
from workbench_lib.tasks import Example

OFFICIAL, WHOLE, STRING = "denotation_official", "denotation_official_whole", "denotation_string"
WIKITQ_METRICS = (OFFICIAL, STRING, WHOLE)
WIKISQL_METRICS = ("denotation",)


def score_wikitq(examples: Sequence[Example], predictions: Sequence[str]) -> Scores:
    """WikiTQ: by the official rules with the prediction split at ", " and as one item, and as TAPEX compares strings.

    The notes count how the two verdicts on the split prediction go together, and the empty predictions. The official
    ones are not run where the gold is a joined text (a published file) rather than a list of items.
    """
    rows = [_row(example, text, _verdicts(example, text)) for example, text in zip(examples, predictions, strict=True)]
    found = [name for name in WIKITQ_METRICS if all(name in row for row in rows)]
    notes: dict[str, Any] = _empty(predictions)
    if OFFICIAL in found:
        pairs = Counter((bool(row[OFFICIAL]), bool(row[STRING])) for row in rows)
        notes |= {"official_only": pairs[True, False], "string_only": pairs[False, True]}
    return summarise(rows, found, {**notes, "not_run": [name for name in WIKITQ_METRICS if name not in found]})


def score_wikisql(examples: Sequence[Example], predictions: Sequence[str]) -> Scores:
    """WikiSQL: whether prediction and answers are equal as multisets of strings and numbers."""
    rows = [
        _row(example, text, {WIKISQL_METRICS[0]: float(string_of_text(text, _list(example, "answers")))})
        for example, text in zip(examples, predictions, strict=True)
    ]
    return summarise(rows, WIKISQL_METRICS, _empty(predictions))


def differences(rows: Sequence[dict[str, Any]]) -> pd.DataFrame:
    """The examples of WikiTQ on which the official and the string verdict differ; none of any other task."""
    names = ["id", "prediction", "gold", *WIKITQ_METRICS]
    found = [[row[name] for name in names] for row in rows if OFFICIAL in row and row[OFFICIAL] != row[STRING]]
    return pd.DataFrame(found, columns=names).astype(dict.fromkeys(WIKITQ_METRICS, bool))


def _verdicts(example: Example, prediction: str) -> dict[str, float]:
    gold = _list(example, "answers")
    by_string = {STRING: float(string_of_text(prediction, gold))}
    if "canon" not in example.references:
        return by_string
    canon = _list(example, "canon")
    return {
        OFFICIAL: float(official_of_text(prediction, gold, canon)),
        WHOLE: float(official([prediction], gold, canon)),
        **by_string,
    }


def _row(example: Example, prediction: str, values: dict[str, float]) -> dict[str, Any]:
    return {"id": example.id, "prediction": prediction, "gold": example.target, **values}


def _list(example: Example, name: str) -> list[str]:
    items: list[str] = json.loads(example.references[name])
    return items


def _empty(predictions: Sequence[str]) -> dict[str, int]:
    return {"empty_predictions": sum(not prediction.strip() for prediction in predictions)}
