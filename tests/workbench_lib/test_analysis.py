"""From records of runs to the first table and the first figure."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest

from workbench_lib.analysis import WITH, WITHOUT, main_metrics, outcomes, scale_curve, with_and_without
from workbench_lib.runs import Run, RunError


def row(task: str, examples: int, metric: str, value: float, run: str) -> dict[str, Any]:
    interval = {"value": value, "low": value - 0.1, "high": value + 0.05}
    return {"task": task, "corpus_examples": examples, "metric": metric, **interval, "n": 24, "run": run}


FRAME = pd.DataFrame(
    [
        row("explagraphs", 0, "StCA", 0.2, "run-0"),
        row("explagraphs", 300, "StCA", 0.3, "run-1"),
        row("explagraphs", 3000, "StCA", 0.456, "run-2"),
        row("wikitq", 0, "DA", 0.5, "run-3"),
        row("wikitq", 500, "DA", 0.4, "run-4"),
    ]
)


def test_the_first_table_sets_none_against_the_largest_corpus() -> None:
    assert with_and_without(FRAME).to_dict("records") == [
        {
            "task": "explagraphs",
            "metric": "StCA",
            "n": 24,
            WITHOUT: "20.0 [10.0, 25.0]",
            WITH: "45.6 [35.6, 50.6]",
            "difference": "+25.6",
            "corpus examples": 3000,
            "runs": "run-0 run-2",
        },
        {
            "task": "wikitq",
            "metric": "DA",
            "n": 24,
            WITHOUT: "50.0 [40.0, 55.0]",
            WITH: "40.0 [30.0, 45.0]",
            "difference": "-10.0",
            "corpus examples": 500,
            "runs": "run-3 run-4",
        },
    ]


def test_a_task_with_one_side_only_has_no_row() -> None:
    one_sided = pd.concat([FRAME.iloc[3:4], FRAME.iloc[:3]], ignore_index=True)
    assert with_and_without(one_sided)["task"].tolist() == ["explagraphs"]


def test_a_table_without_rows_has_its_columns() -> None:
    assert list(with_and_without(FRAME.iloc[:1]).columns) == list(with_and_without(FRAME).columns)


def test_the_first_figure_draws_every_point_with_its_interval() -> None:
    figure = scale_curve(FRAME, {"explagraphs": ["StCA"], "wikitq": ["DA"]})
    assert [axes.get_title() for axes in figure.axes] == ["explagraphs", "wikitq"]
    (series,) = figure.axes[0].containers
    line, _, (bars,) = series.lines
    assert line.get_xdata().tolist() == [0, 300, 3000]
    assert line.get_ydata().tolist() == pytest.approx([20, 30, 45.6])
    ends = [tuple(y for _, y in segment) for segment in bars.get_segments()]
    assert ends == [pytest.approx(pair) for pair in ((10, 25), (20, 35), (35.6, 50.6))]
    assert figure.axes[0].get_ylim()[0] == 0


def test_main_metrics_are_the_first_that_a_task_names_and_that_were_computed(monkeypatch: pytest.MonkeyPatch) -> None:
    directions = {"SeCA": True, "StCA": True, "GED": False, "EA": True}
    monkeypatch.setattr("workbench_lib.analysis.get_task", lambda name: SimpleNamespace(higher_is_better=directions))
    data = pd.DataFrame([row("explagraphs", 0, metric, 0.2, "r") for metric in ("EA", "GED", "StCA")])
    assert main_metrics(data) == {"explagraphs": ["StCA", "GED", "EA"]}
    assert main_metrics(data, most=1) == {"explagraphs": ["StCA"]}


# --- outcomes of runs --------------------------------------------------------------------------------------------


def test_tasks_of_one_corpus_size_are_drawn_only_where_there_are_no_others() -> None:
    assert main_metrics(FRAME.iloc[1:4]) == {"explagraphs": ["StCA"]}
    assert list(main_metrics(FRAME.iloc[2:4])) == ["explagraphs", "wikitq"]


def made(home: Path, run_id: str, stage: str, record: dict[str, Any] | None) -> Any:
    run = Run(home / "runs" / run_id)
    run.folder.mkdir(parents=True)
    if record is not None:
        (run.folder / "metrics.json").write_text(json.dumps({"id": run_id, "stage": stage, **record}))
    return SimpleNamespace(id=run_id, run=run)


def pretrained(home: Path, run_id: str, examples: int) -> Any:
    return made(home, run_id, "pretraining", {"params": {}, "upstream": {}, "metrics": {"examples": examples}})


def finetuned(home: Path, run_id: str, model: str, fresh: bool, value: float) -> Any:
    metrics = {"n": 24, "scores": {"StCA": {"value": value, "low": 0.0, "high": 1.0}}}
    params = {"task": "explagraphs", "fresh_weights": fresh}
    return made(home, run_id, "finetuning", {"params": params, "upstream": {"model": model}, "metrics": metrics})


def test_outcomes_are_rows_sorted_by_corpus_and_fresh_weights_have_none(home: Path) -> None:
    planned = [
        pretrained(home, "p-small", 300),
        pretrained(home, "p-large", 3000),
        finetuned(home, "f-large", "p-large", False, 0.4),
        finetuned(home, "f-fresh", "p-large", True, 0.1),
        finetuned(home, "f-small", "p-small", False, 0.3),
        made(home, "f-unfinished", "finetuning", None),
    ]
    data = outcomes(planned)
    assert data[["run", "corpus_examples", "value"]].values.tolist() == [
        ["f-fresh", 0, 0.1],
        ["f-small", 300, 0.3],
        ["f-large", 3000, 0.4],
    ]
    assert set(data["metric"]) == {"StCA"}
    assert set(data["n"]) == {24}


def test_a_hub_model_without_a_corpus_of_ours_counts_none(home: Path) -> None:
    data = outcomes([finetuned(home, "f-hub", "facebook/bart-base", False, 0.3)])
    assert data["corpus_examples"].tolist() == [0]


def test_a_pretraining_run_outside_of_the_plan_is_looked_up(home: Path) -> None:
    pretrained(home, "p-elsewhere", 300)
    data = outcomes([finetuned(home, "f", "p-elsewhere", False, 0.3)])
    assert data["corpus_examples"].tolist() == [300]


def test_a_model_that_was_fine_tuned_before_has_the_corpus_behind_both(home: Path) -> None:
    pretrained(home, "p", 300)
    finetuned(home, "source", "p", False, 0.3)
    data = outcomes([finetuned(home, "target", "source", False, 0.5)])
    assert data["corpus_examples"].tolist() == [300]


def test_nothing_finished_is_an_error(home: Path) -> None:
    with pytest.raises(RunError, match="no fine-tuning run of this experiment is finished yet"):
        outcomes([made(home, "f", "finetuning", None), pretrained(home, "p", 3)])
