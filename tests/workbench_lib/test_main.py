"""`train` without a notebook makes the same run as the notebook, and tells in one line what keeps it from that."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
import torch
import yaml
from workbench_toy_training import toy_params
from workbench_toys import ToyGenerator, ToyStage

from workbench_lib import cli, learning, runs
from workbench_lib.__main__ import app
from workbench_lib.corpus import build_corpus
from workbench_lib.params import PARAMS_DIR, load_params
from workbench_lib.stages import PretrainingParams


@pytest.fixture(autouse=True)
def one_thread() -> None:
    torch.set_num_threads(1)


def call(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    """The exit code of a call."""
    monkeypatch.setattr(sys, "argv", ["workbench", *arguments])
    with pytest.raises(SystemExit) as caught:
        cli.run(app)
    return int(caught.value.code or 0)


@pytest.fixture
def values(home: Path) -> dict[str, Any]:
    """Parameters of a short pre-training on a finished corpus."""
    stage = ToyStage(seed=1)
    run = runs.start(stage)
    build_corpus(run.corpus, ToyGenerator(), 200)
    run.finish(stage, {})
    own = {"corpus": run.id, "corpus_share": 1.0, "model": "tiny", "vocabulary": 300}
    return {**toy_params(steps=10, validate_every=10).model_dump(), **own}


def written(home: Path, values: dict[str, Any]) -> str:
    path = home / "params.yaml"
    path.write_text(yaml.safe_dump(values))
    return str(path)


def test_the_run_is_the_one_that_a_notebook_would_make(
    home: Path, values: dict[str, Any], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    params = PretrainingParams.make(values)
    capsys.readouterr()
    assert call(monkeypatch, "train", "--params", written(home, values), "--json") == 0
    out = capsys.readouterr().out
    assert out.count("\n") == 1  # one object, and nothing else
    run = runs.finished(params.run_id())
    record = run.record()
    assert json.loads(out) == record["metrics"]
    assert record["params"] == params.model_dump(mode="json")
    assert record["metrics"]["steps"] == 10

    wrote = (run.folder / "metrics.json").stat().st_mtime_ns
    assert call(monkeypatch, "train", "--params", written(home, values), "--json") == 0
    assert json.loads(capsys.readouterr().out) == record["metrics"]
    assert (run.folder / "metrics.json").stat().st_mtime_ns == wrote


def test_a_model_is_fine_tuned_from_its_run(
    home: Path, values: dict[str, Any], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """On the built-in examples of a real task, as notebook 04 would."""
    assert call(monkeypatch, "train", "--params", written(home, values)) == 0
    base = PretrainingParams.make(values).run_id()
    preset = load_params("04_finetuning", "tiny").model_dump(mode="json")
    changes = {"model": base, "steps": 2, "validate_every": 2, "max_target_tokens": 256}
    capsys.readouterr()
    assert call(monkeypatch, "train", "--params", written(home, {**preset, **changes}), "--json") == 0
    metrics = json.loads(capsys.readouterr().out)
    assert {"StCA", "token_accuracy"} <= metrics["scores"].keys()
    (run,) = (run for run in runs.all_runs() if run.id.startswith("finetuning-"))
    assert len((run.folder / "predictions.jsonl").read_text().splitlines()) == metrics["n"]
    assert run.record()["upstream"]["model"] == base


def test_what_stops_a_run_is_one_line_and_kept_in_its_status(
    home: Path, values: dict[str, Any], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: Any) -> None:
        raise learning.ModelError("there is no such model")

    monkeypatch.setattr(learning, "pretraining_learner", fail)
    assert call(monkeypatch, "train", "--params", written(home, values)) == 1
    assert capsys.readouterr().err == "error: there is no such model\n"
    run = runs.Run(home / "runs" / PretrainingParams.make(values).run_id())
    assert (run.status()["state"], run.status()["reason"]) == ("failed", "there is no such model")


@pytest.mark.usefixtures("home")
def test_the_presets_can_be_given_as_they_are(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What a preset needs is named, with the command that makes it."""
    for stem, needs in (("03_pretraining", "01_graph_synthesis"), ("04_finetuning", "03_pretraining")):
        assert call(monkeypatch, "train", "--params", str(PARAMS_DIR / stem / "tiny.yaml")) == 1
        err = capsys.readouterr().err
        assert err.startswith("error: run ")
        assert err.endswith(f"python -m workbench_lib run {needs} --preset tiny\n")


def test_an_unknown_parameter_is_named_with_its_line(
    home: Path, values: dict[str, Any], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = home / "wrong.yaml"
    path.write_text(f"sede: 3\n{yaml.safe_dump(values)}")
    assert call(monkeypatch, "train", "--params", str(path)) == 1
    assert capsys.readouterr().err == f"error: {path}, line 1: unknown parameter 'sede' (did you mean 'seed'?)\n"
