"""Means, their intervals, and predictions joined to their gold by id."""

from __future__ import annotations

import pytest

from workbench_lib.scores import Metric, ScoreError, in_gold_order, mean_with_interval, summarise


def test_a_constant_has_no_spread() -> None:
    assert mean_with_interval([0.25] * 7) == Metric(value=0.25, low=0.25, high=0.25)


def test_two_values_by_hand() -> None:
    # a resample of {0, 1} has the mean 0, 1/2 or 1 with the chances 1/4, 1/2 and 1/4: both tails are over 2.5 %
    assert mean_with_interval([0, 1]) == Metric(value=0.5, low=0.0, high=1.0)


def test_a_share_has_the_binomial_interval() -> None:
    found = mean_with_interval([0, 1, 1, 1] * 100)  # sd of the mean: sqrt(0.75 * 0.25 / 400) = 0.02165
    assert found.value == 0.75
    assert found.low == pytest.approx(0.75 - 1.96 * 0.02165, abs=0.006)
    assert found.high == pytest.approx(0.75 + 1.96 * 0.02165, abs=0.006)


def test_an_interval_is_the_same_on_every_call() -> None:
    values = [0.1, 0.5, 0.9, 0.3, 0.2]
    assert mean_with_interval(values) == mean_with_interval(values)
    assert mean_with_interval(values, seed=1) != mean_with_interval(values, seed=2)


def test_nothing_to_score_is_an_error() -> None:
    with pytest.raises(ScoreError, match="no examples to score"):
        mean_with_interval([])


def test_summarise_takes_the_mean_of_each_named_column() -> None:
    scores = summarise([{"a": True, "b": 0.5, "c": "x"}, {"a": False, "b": 0.0, "c": "y"}], ["a", "b"], {"empty": 1})
    assert (scores.n, list(scores.metrics)) == (2, ["a", "b"])
    assert (scores.metrics["a"].value, scores.metrics["b"].value) == (0.5, 0.25)


def test_the_record_of_scores() -> None:
    record = summarise([{"a": 1.0}], ["a"]).as_json()
    assert record == {"n": 1, "metrics": {"a": {"value": 1.0, "low": 1.0, "high": 1.0}}}
    assert summarise([{"a": 1.0}], ["a"], {"empty": 2}).as_json() == {**record, "notes": {"empty": 2}}


def test_n03_a_missing_prediction_counts_as_wrong() -> None:
    gold = {str(i): "yes" for i in range(10)}
    predictions = {str(i): "yes" if i < 6 else "no" for i in range(8)}
    joined = in_gold_order(list(gold), predictions)
    assert joined == ["yes"] * 6 + ["no"] * 2 + [""] * 2
    right = [float(a == b) for a, b in zip(joined, gold.values(), strict=True)]
    assert mean_with_interval(right).value == pytest.approx(0.6, abs=1e-12)  # never 6 / 8


def test_n02_predictions_are_joined_by_id_not_by_place() -> None:
    assert in_gold_order(["a", "b", "c"], {"c": "3", "a": "1", "b": "2"}) == ["1", "2", "3"]


def test_a_prediction_without_gold_is_refused_and_named() -> None:
    with pytest.raises(ScoreError, match=r"^2 predictions have ids that the gold lacks, the first: 'x'$"):
        in_gold_order(["a"], {"a": "1", "y": "2", "x": "3"})


def test_a_gold_id_that_comes_twice_is_refused_and_named() -> None:
    with pytest.raises(ScoreError, match="the id 'b' more than once"):
        in_gold_order(["a", "b", "c", "b"], {})
