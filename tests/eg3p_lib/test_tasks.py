"""The ExplaGraphs task: built-in and official data, texts of Table 4, and its scores."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from eg3p_lib import tasks
from eg3p_lib.relations import EXPLAGRAPHS_RELATIONS
from workbench_lib.errors import InputError, WorkbenchError
from workbench_lib.tasks import TaskError, get_task

ROW = "A belief.\tAn argument.\tcounter\t(a; is a; b) (b;causes; c)(c; is a; d)\n"


def test_the_task_is_registered_with_its_main_metric_first() -> None:
    task = get_task("explagraphs", libraries=["eg3p_lib"])
    assert task is tasks.EXPLAGRAPHS
    assert next(iter(task.higher_is_better)) == "StCA"
    assert "SA" not in task.higher_is_better


@pytest.mark.parametrize(("split", "least"), [("train", 60), ("dev", 24)])
def test_the_built_in_data_keep_all_rules(split, least: int) -> None:
    examples = tasks.load_explagraphs("starter", split)
    assert len(examples) >= least
    assert len({example.id for example in examples}) == len(examples)
    scores = tasks.score_graphs(examples, [example.target for example in examples])
    assert list(scores.metrics) == list(tasks.EXPLAGRAPHS.higher_is_better)
    assert {metric.value for metric in scores.metrics.values()} == {1.0}
    assert {example.references["stance"] for example in examples} == {"support", "counter"}
    relations = {edge.split("; ")[1] for example in examples for edge in example.target[1:-1].split(")(")}
    assert relations <= EXPLAGRAPHS_RELATIONS


def test_texts_follow_table_4(tmp_path: Path, make_file: Callable[..., Path]) -> None:
    make_file(ROW, "dev.tsv")
    (example,) = tasks.load_explagraphs(str(tmp_path), "dev")
    assert example.id == "dev-1"
    assert example.source == "Belief: A belief. [SEP] Argument: An argument. [SEP] Stance: counter"
    assert example.target == "(a; is a; b)(b; causes; c)(c; is a; d)"
    assert example.references == {
        "belief": "A belief.",
        "argument": "An argument.",
        "stance": "counter",
        "graph": "(a; is a; b)(b; causes; c)(c; is a; d)",
    }


def test_official_folders_are_found_under_the_data_folder(
    tmp_path: Path, make_file: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "explagraphs_copy").mkdir()
    make_file(ROW, "explagraphs_copy/train.tsv")
    monkeypatch.setenv("WORKBENCH_DATA", str(tmp_path))
    assert len(tasks.load_explagraphs("explagraphs_copy", "train")) == 1
    with pytest.raises(TaskError, match="has no labelled split 'test'"):
        tasks.load_explagraphs("explagraphs_copy", "test")
    with pytest.raises(WorkbenchError, match="'nowhere' does not exist"):
        tasks.load_explagraphs("nowhere", "train")


def test_a_broken_gold_graph_is_named(tmp_path: Path, make_file: Callable[..., Path]) -> None:
    make_file(ROW + "B.\tA.\tsupport\t(a; is a)\n", "dev.tsv")
    with pytest.raises(InputError, match=r"dev\.tsv, line 2: edge 1 has 2 fields"):
        tasks.load_explagraphs(str(tmp_path), "dev")


def test_scores_count_missing_and_wrong_predictions() -> None:
    examples = tasks.load_explagraphs("starter", "dev")[:4]
    scores = tasks.score_graphs(examples, [examples[0].target, "garbage", examples[2].target[:-1]])
    assert scores.n == 4
    assert scores.metrics["StCA"].value == 0.5  # a missing last parenthesis is made good, and flagged
    assert scores.notes["unbalanced_parenthesis"] == 2
    assert scores.metrics["parsed"].value == 0.25
    assert scores.notes["missing"] == 1


@pytest.mark.realdata
def test_official_data_load(data_root: Path) -> None:
    train, dev = (tasks.load_explagraphs(str(data_root / "explagraphs"), split) for split in ("train", "dev"))
    assert (len(train), len(dev)) == (2368, 398)
    scores = tasks.score_graphs(dev, [example.target for example in dev])
    assert scores.metrics["StCA"].value == 1.0
