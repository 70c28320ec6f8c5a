"""The tasks: built-in and official data, texts of Table 4, scores, and what they use."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from eg3p_lib import tasks
from eg3p_lib.explagraphs_data import load_explagraphs
from eg3p_lib.judges import Judges
from eg3p_lib.relations import EXPLAGRAPHS_RELATIONS
from workbench_lib.errors import InputError, WorkbenchError
from workbench_lib.experiments import load_experiment
from workbench_lib.files import sha256_of_file
from workbench_lib.tasks import TaskError, get_task

NEED_MODELS = {
    f"{name}{form}" for name in ("SeCA", "EA", "G-BERTScore") for form in ("", "-strict", "-precision", "-recall")
}
JUDGEMENTS = ("stance-prediction", "edge-importance", "semantic-correctness")
ROW = "A belief.\tAn argument.\tcounter\t(a; is a; b) (b;causes; c)(c; is a; d)\n"


def test_the_task_is_registered_with_its_main_metric_first() -> None:
    task = get_task("explagraphs", libraries=["eg3p_lib"])
    assert task is tasks.EXPLAGRAPHS
    assert next(iter(task.higher_is_better)) == "StCA"
    assert list(task.higher_is_better)[-1] == "SA"  # where the stance is predicted


@pytest.mark.parametrize(("split", "least"), [("train", 60), ("dev", 24)])
def test_the_built_in_data_keep_all_rules(split, least: int) -> None:
    examples = load_explagraphs("starter", split)
    assert len(examples) >= least
    assert len({example.id for example in examples}) == len(examples)
    scores = tasks.score_graphs(examples, [example.target for example in examples])
    assert set(scores.metrics) == set(tasks.EXPLAGRAPHS.higher_is_better) - {"SA", *NEED_MODELS}
    official = {name: metric.value for name, metric in scores.metrics.items() if not name.endswith("-strict")}
    assert official == {name: float(name != "GED") for name in official}
    assert {example.references["stance"] for example in examples} == {"support", "counter"}
    relations = {edge.split("; ")[1] for example in examples for edge in example.target[1:-1].split(")(")}
    assert relations <= EXPLAGRAPHS_RELATIONS


def test_texts_follow_table_4(tmp_path: Path, make_file: Callable[..., Path]) -> None:
    make_file(ROW, "dev.tsv")
    (example,) = load_explagraphs(str(tmp_path), "dev")
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
    assert len(load_explagraphs("explagraphs_copy", "train")) == 1
    with pytest.raises(TaskError, match="has no labelled split 'test'"):
        load_explagraphs("explagraphs_copy", "test")
    with pytest.raises(WorkbenchError, match="'nowhere' does not exist"):
        load_explagraphs("nowhere", "train")


def test_a_broken_gold_graph_is_named(tmp_path: Path, make_file: Callable[..., Path]) -> None:
    make_file(ROW + "B.\tA.\tsupport\t(a; is a)\n", "dev.tsv")
    with pytest.raises(InputError, match=r"dev\.tsv, line 2: edge 1 has 2 fields"):
        load_explagraphs(str(tmp_path), "dev")


def test_scores_count_missing_and_wrong_predictions() -> None:
    examples = load_explagraphs("starter", "dev")[:4]
    scores = tasks.score_graphs(examples, [examples[0].target, "garbage", examples[2].target[:-1]])
    assert scores.n == 4
    assert scores.metrics["StCA"].value == 0.5  # a missing last parenthesis is made good, and flagged
    assert scores.notes["unbalanced_parenthesis"] == 2
    assert scores.metrics["parsed"].value == 0.25
    assert scores.notes["missing"] == 1


def test_a_second_gold_graph_is_scored_too(tmp_path: Path, make_file: Callable[..., Path]) -> None:
    second = "(x; is a; y)(y; causes; z)(z; is a; w)"
    make_file(ROW.removesuffix("\n") + f"\t{second}\n", "test.tsv")
    examples = load_explagraphs(str(tmp_path), "test")
    assert examples[0].references["second_graph"] == second
    assert tasks.score_graphs(examples, [second]).metrics["triple_f1"].value == 1


class SaysCounter:
    labels = ("support", "counter")

    def __init__(self) -> None:
        self.asked: list[tuple[str, str]] = []

    def __call__(self, pairs: Sequence[tuple[str, str]]) -> npt.NDArray[np.floating]:
        self.asked += pairs
        return np.tile([0.2, 0.8], (len(pairs), 1))


def test_a_predicted_stance_is_read_in_evaluation_and_scored(
    tmp_path: Path, make_file: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    make_file(ROW, "train.tsv")
    make_file(ROW + ROW.replace("counter", "support"), "dev.tsv")
    judge = SaysCounter()
    monkeypatch.setattr(tasks, "open_judge", lambda model, classes: judge if model == "some-run" else None)
    task = tasks.EXPLAGRAPHS.using({"stance-prediction": "some-run"})
    assert "predicted_stance" not in task.load(str(tmp_path), "train")[0].references
    assert judge.asked == []
    examples = task.load(str(tmp_path), "dev")
    assert judge.asked == [("A belief.", "An argument.")] * 2
    assert [example.source.rpartition(" ")[2] for example in examples] == ["counter", "counter"]
    assert [example.references["stance"] for example in examples] == ["counter", "support"]
    scores = task.score(examples, [example.target for example in examples])
    assert scores.metrics["SA"].value == 0.5
    assert [row["stance"] for row in scores.rows] == ["counter", "counter"]


def test_models_of_metrics_are_opened_once_and_only_for_scores(monkeypatch: pytest.MonkeyPatch) -> None:
    opened = []

    def judges(*models: str | None) -> Judges:
        opened.append(models)
        return Judges(semantic=Says("support"))

    monkeypatch.setattr(tasks, "open_judges", judges)
    task = tasks.EXPLAGRAPHS.using({"edge-importance": "e", "bertscore": "b"})
    examples = task.load("starter", "dev")
    assert opened == []
    texts = [example.target for example in examples]
    values = [task.score(examples, texts).metrics["SeCA"].value for _ in range(2)]
    supported = sum(example.references["stance"] == "support" for example in examples)
    assert values == [supported / len(examples)] * 2
    assert opened == [("e", None, "b")]


class Says:
    labels = ("support", "counter", "incorrect")

    def __init__(self, label: str):
        self.label = label

    def __call__(self, pairs: Sequence[tuple[str, str]]) -> npt.NDArray[np.floating]:
        return np.tile([label == self.label for label in self.labels], (len(pairs), 1)).astype(float)


def test_what_a_task_cannot_use_is_refused() -> None:
    with pytest.raises(TaskError, match=r"can't use 'knowledge' .*it can use: stance-prediction, edge-importance, "):
        tasks.EXPLAGRAPHS.using({"knowledge": "starter"})
    with pytest.raises(TaskError, match="it can use: nothing"):
        tasks.STANCE.using({"bertscore": "x"})


@pytest.mark.parametrize(
    ("name", "labels", "least"),
    [
        ("stance-prediction", ("support", "counter"), 24),
        ("edge-importance", ("support", "counter"), 24),
        ("semantic-correctness", ("support", "counter", "incorrect"), 48),
    ],
)
def test_judgements_are_pairs_with_labels(name: str, labels: tuple[str, ...], least: int) -> None:
    task = get_task(name, libraries=["eg3p_lib"])
    assert (task.labels, task.folder) == (labels, "explagraphs")
    examples = task.load("starter", "dev")
    assert len(examples) >= least
    assert len({example.id for example in examples}) == len(examples)
    assert all(isinstance(example.text, tuple) for example in examples)
    assert {example.target for example in examples} == set(labels)
    scores = task.score(examples, ["support"] * len(examples))
    share = sum(example.target == "support" for example in examples) / len(examples)
    assert list(scores.metrics) == list(task.higher_is_better) == ["accuracy"]
    assert scores.metrics["accuracy"].value == share
    assert scores.notes["said"].keys() == {f"{label} as support" for label in labels}
    assert scores.notes["accuracy_by_origin"].get("swapped_concepts", 0) == 0


def test_every_task_names_its_official_files_by_https_and_sha256() -> None:
    for name in ("explagraphs", "stance-prediction", "commonsenseqa", "openbookqa"):
        for remote in get_task(name, libraries=["eg3p_lib"]).files:
            assert remote.url.startswith("https://")
            assert re.fullmatch("[0-9a-f]{64}", remote.sha256)


def test_the_demo_trains_the_judges_that_its_scores_use(monkeypatch: pytest.MonkeyPatch, home: Path) -> None:
    planned = {item.stage: item for item in load_experiment("demo").plan("tiny")}
    uses = planned["explagraphs_with"].params.uses
    assert uses["semantic-correctness"] == planned["semantic_model"].id
    assert uses["edge-importance"] == planned["edge_model"].id
    assert planned["explagraphs_without"].params.uses == uses


@pytest.mark.realdata
def test_official_data_load(data_root: Path) -> None:
    folder = str(data_root / "explagraphs")
    sizes = {name: [len(get_task(name).load(folder, split)) for split in ("train", "dev")] for name in JUDGEMENTS}
    assert sizes == {
        "stance-prediction": [2368, 398],
        "edge-importance": [2368, 398],
        "semantic-correctness": [4985, 796],
    }
    train, dev = (load_explagraphs(folder, split) for split in ("train", "dev"))
    assert (len(train), len(dev)) == (2368, 398)


@pytest.mark.realdata
def test_official_files_are_those_that_would_be_fetched(data_root: Path) -> None:
    for remote in tasks.EXPLAGRAPHS.files:
        assert sha256_of_file(data_root / "explagraphs" / remote.path) == remote.sha256
    dev = next(remote for remote in tasks.COMMONSENSEQA.files if remote.path.startswith("dev"))
    assert sha256_of_file(data_root / "csqa" / dev.path) == dev.sha256
