"""Scores of predictions: means over examples with bootstrap intervals, and the record that `evaluate` prints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from pydantic import BaseModel, ConfigDict

from workbench_lib.errors import WorkbenchError

BOOTSTRAP_SAMPLES = 1000


class ScoreError(WorkbenchError):
    """Predictions that cannot be scored against their gold: missing, repeated or unknown ids."""


class Metric(BaseModel):
    """A mean over examples, as a fraction of 1, with its 95 % bootstrap interval."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Scores:
    """The metrics of a prediction file, and each example's own values (same order as the gold)."""

    n: int
    metrics: dict[str, Metric]
    rows: list[dict[str, Any]]
    notes: dict[str, Any] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """The object that `evaluate --json` prints; `notes` hold counts such as reasons of failure."""
        metrics = {name: metric.model_dump() for name, metric in self.metrics.items()}
        return {"n": self.n, "metrics": metrics, **({"notes": self.notes} if self.notes else {})}


def mean_with_interval(values: Sequence[float], *, seed: int = 0) -> Metric:
    """The mean of `values` and its 95 % percentile bootstrap interval (1,000 resamples, fixed seed).

    Raises:
        ScoreError: `values` is empty.
    """
    if not len(values):
        raise ScoreError("no examples to score")
    array = np.asarray(values, dtype=np.float64)
    rng = np.random.default_rng(seed)
    means = np.array([array[rng.integers(0, len(array), len(array))].mean() for _ in range(BOOTSTRAP_SAMPLES)])
    low, high = np.quantile(means, [0.025, 0.975])
    return Metric(value=float(array.mean()), low=float(low), high=float(high))


def with_metric(scores: Scores, name: str, values: Sequence[float]) -> Scores:
    """The scores with one more metric, of which each example has its own value."""
    rows = [{**row, name: value} for row, value in zip(scores.rows, values, strict=True)]
    return replace(scores, rows=rows, metrics={**scores.metrics, name: mean_with_interval(values)})


def summarise(rows: list[dict[str, Any]], names: Sequence[str], notes: dict[str, Any] | None = None) -> Scores:
    """Scores from per-example rows: the mean of each named column."""
    metrics = {name: mean_with_interval([float(row[name]) for row in rows]) for name in names}
    return Scores(n=len(rows), metrics=metrics, rows=rows, notes=notes or {})


def in_gold_order(gold_ids: Sequence[str], predictions: Mapping[str, str]) -> list[str]:
    """The predictions in the gold's order; a missing one is the empty string, and so counts as wrong.

    Raises:
        ScoreError: a prediction's id is not in the gold, or a gold id comes twice.
    """
    known = set(gold_ids)
    if len(known) < len(gold_ids):
        repeated = next(i for i in gold_ids if gold_ids.count(i) > 1)
        raise ScoreError(f"the gold holds the id {repeated!r} more than once")
    strangers = sorted(predictions.keys() - known)
    if strangers:
        raise ScoreError(f"{len(strangers)} predictions have ids that the gold lacks, the first: {strangers[0]!r}")
    return [predictions.get(i, "") for i in gold_ids]
