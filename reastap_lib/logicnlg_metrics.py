"""The metrics of LogicNLG: BLEU of sentences and of the whole, and what models say of a sentence and its table.

BLEU-1, -2 and -3 are counted as by the data set's own evaluator: the mean over all sentences of the unsmoothed BLEU
of a sentence, in lower case and split at spaces, against all references of its table, with the weights (1, 0, 0),
(.5, .5, 0) and (.33, .33, .33). Those of the whole (corpus_BLEU) are sacrebleu's, with equal weights that sum to 1.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from sacrebleu.metrics.bleu import BLEU

from workbench_lib.bleu import sentence_bleu
from workbench_lib.scores import BOOTSTRAP_SAMPLES, Metric, Scores, summarise, with_metric
from workbench_lib.tasks import Example

WEIGHTS = {"BLEU-1": (1.0,), "BLEU-2": (0.5, 0.5), "BLEU-3": (0.33, 0.33, 0.33)}
ORDERS = (1, 2, 3)
CORPUS = {order: f"corpus_BLEU-{order}" for order in ORDERS}
JUDGED = ("SP-Acc", "NLI-Acc")
METRICS = (*WEIGHTS, *CORPUS.values(), *JUDGED)


class Verdicts(NamedTuple):
    """What a judge says of sentences.

    Args:
        values: 1 for each sentence that its table entails, else 0, in the order of the sentences.
        notes: Counts and settings, for the record.
    """

    values: Sequence[float]
    notes: Mapping[str, Any]


Judge = Callable[[Sequence[Example], Sequence[str]], Verdicts]


def score_sentences(
    examples: Sequence[Example], predictions: Sequence[str], judges: Mapping[str, Judge] | None = None
) -> Scores:
    """Score one sentence an example against all references of its table.

    Args:
        judges: For SP-Acc and NLI-Acc, by these names; a metric whose judge is not given is not run, and the notes
            say so. An empty sentence is never judged, and counts as wrong.
    """
    judges = judges or {}
    rows = [_row(example, prediction) for example, prediction in zip(examples, predictions, strict=True)]
    scores = summarise(rows, list(WEIGHTS), _notes(examples, predictions, judges))
    scores.metrics.update(_corpus_bleu(examples, predictions) if rows else {})
    for name, judge in judges.items():
        scores = _judged(scores, name, judge, examples, predictions)
    return scores


def _row(example: Example, prediction: str) -> dict[str, Any]:
    references, tokens = _tokens(example.references["sentences"]), prediction.lower().split()
    values = {name: sentence_bleu(references, tokens, weights) for name, weights in WEIGHTS.items()}
    return {"id": example.id, "prediction": prediction, "gold": example.target, **values}


def _judged(scores: Scores, name: str, judge: Judge, examples: Sequence[Example], predictions: Sequence[str]) -> Scores:
    written = [k for k, prediction in enumerate(predictions) if prediction.strip()]
    verdicts = judge([examples[k] for k in written], [predictions[k] for k in written])
    values = np.zeros(len(predictions))
    values[written] = verdicts.values
    scores.notes.update({name: dict(verdicts.notes)} if verdicts.notes else {})
    return with_metric(scores, name, values.tolist())


def _notes(examples: Sequence[Example], predictions: Sequence[str], judges: Mapping[str, Judge]) -> dict[str, Any]:
    pairs = {
        (example.references["table"], prediction) for example, prediction in zip(examples, predictions, strict=True)
    }
    return {
        "tables": len({example.references["table"] for example in examples}),
        "empty_predictions": sum(not prediction.strip() for prediction in predictions),
        "repeated_sentences": len(predictions) - len(pairs),  # another one of the same table is the same
        "not_run": [name for name in JUDGED if name not in judges],
    }


@lru_cache(maxsize=1024)
def _tokens(sentences: str) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(sentence.lower().split()) for sentence in json.loads(sentences))


# --- BLEU of the whole -------------------------------------------------------------------------------------------


def _corpus_bleu(examples: Sequence[Example], predictions: Sequence[str]) -> dict[str, Metric]:
    """sacrebleu's value for each order, and a bootstrap interval over the sentences."""
    bleu = BLEU(lowercase=True, tokenize="none", max_ngram_order=ORDERS[-1], effective_order=True)
    found = [
        bleu.sentence_score(prediction, json.loads(example.references["sentences"]))
        for example, prediction in zip(examples, predictions, strict=True)
    ]
    counts = np.array([[*one.counts, *one.totals, one.sys_len, one.ref_len] for one in found], dtype=np.int64)
    draws = np.random.default_rng(0).multinomial(len(found), [1 / len(found)] * len(found), size=BOOTSTRAP_SAMPLES)
    samples = np.array([_values(sample) for sample in draws @ counts])  # (samples, orders)
    lows, highs = np.quantile(samples, [0.025, 0.975], axis=0).tolist()
    bounds = zip(CORPUS.values(), _values(counts.sum(axis=0)), lows, highs, strict=True)
    return {name: Metric(value=value, low=low, high=high) for name, value, low, high in bounds}


def _values(counts: npt.NDArray[np.int64]) -> list[float]:
    """BLEU up to each order from the counts of hits and n-grams, and the lengths of hypotheses and references."""
    *numbers, hypotheses, references = counts.tolist()
    hits, totals = numbers[: len(ORDERS)], numbers[len(ORDERS) :]
    settings: dict[str, Any] = {"smooth_method": "none", "sys_len": hypotheses, "ref_len": references}
    return [
        BLEU.compute_bleu(hits[:order], totals[:order], max_ngram_order=order, **settings).score / 100
        for order in ORDERS
    ]
