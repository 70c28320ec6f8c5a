"""The command line: results as text or JSON, and every fault as exactly one line on stderr with exit code 1."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import typer
from workbench_toys import ToyGenerator, ToyStage

from workbench_lib import cli, runs
from workbench_lib.__main__ import app
from workbench_lib.corpus import build_corpus
from workbench_lib.errors import WorkbenchError
from workbench_lib.params import PARAMS_DIR


def workbench(home: Path, *arguments: str) -> subprocess.Popen[str]:
    environment = {**os.environ, "WORKBENCH_HOME": str(home)}
    command = [sys.executable, "-m", "workbench_lib", *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)


def test_a_fault_is_one_line_on_stderr_and_exit_code_1_and_makes_nothing(tmp_path: Path) -> None:
    corpus = build_corpus(tmp_path / "corpus", ToyGenerator(), 20, units_a_shard=6)
    with corpus.paths[1].open("ab") as file:
        file.write(b"x")
    faults = {
        "no experiment or notebook 'nosuch' (there are: ": ["run", "nosuch"],
        "03_pretraining at preset tiny: 'seed' is 'abc': ": ["run", "03_pretraining", "--set", "seed=abc"],
        f"{corpus.folder}: 1 damaged shards, the first: part-00001-of-00004.parquet\n": ["verify", str(corpus.folder)],
    }
    calls = {expected: workbench(tmp_path / "home", *arguments) for expected, arguments in faults.items()}
    for expected, process in calls.items():
        out, err = process.communicate(timeout=120)
        assert process.returncode == 1
        assert err.startswith(f"error: {expected}")
        assert err.count("\n") == 1
        assert out == ""
    assert not (tmp_path / "home").exists()


# --- the same command line in this process -----------------------------------------------------------------------


def call(monkeypatch: pytest.MonkeyPatch, *arguments: str, of: typer.Typer = app) -> int:
    """The exit code of a call."""
    monkeypatch.setattr(sys, "argv", ["workbench", *arguments])
    with pytest.raises(SystemExit) as caught:
        cli.run(of)
    return int(caught.value.code or 0)


@pytest.mark.usefixtures("home")
def test_status_lists_runs_as_json(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    done, unfinished = (ToyStage(seed=seed) for seed in (1, 2))
    runs.start(done).finish(done, {})
    runs.release(runs.start(unfinished).folder)
    capsys.readouterr()
    assert call(monkeypatch, "status", "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert found[unfinished.run_id()] == "unfinished"
    assert found[done.run_id()].startswith("done in ")
    assert len(found) == 2


@pytest.mark.usefixtures("home")
def test_status_of_no_runs_is_an_empty_object(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(monkeypatch, "status", "--json") == 0
    assert json.loads(capsys.readouterr().out) == {}


@pytest.mark.usefixtures("home")
def test_status_shows_the_other_runs_beside_a_damaged_one(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    damaged, unfinished = (runs.start(ToyStage(seed=seed)) for seed in (1, 2))
    for run in (damaged, unfinished):
        runs.release(run.folder)
    (damaged.folder / "metrics.json").write_text("{")
    capsys.readouterr()
    call(monkeypatch, "status", "--json")
    assert unfinished.id in capsys.readouterr().out


def test_verify_of_a_sound_corpus_or_of_the_run_that_holds_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    corpus = build_corpus(tmp_path / "corpus", ToyGenerator(), 20, units_a_shard=6)
    for folder in (tmp_path, corpus.folder):
        capsys.readouterr()
        assert call(monkeypatch, "verify", str(folder), "--json") == 0
        expected = {"folder": str(corpus.folder), "rows": len(corpus), "shards": 4, "damaged": 0}
        assert json.loads(capsys.readouterr().out) == expected


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["run", "03_pretraining", "--preset", "nosuch"], f"error: {PARAMS_DIR}/03_pretraining/nosuch.yaml: no such"),
        (
            ["run", "03_pretraining", "--set", "sede=7"],
            "error: 03_pretraining at preset tiny: unknown parameter 'sede' (did you mean 'seed'?)",
        ),
        (["verify", "/nowhere"], "error: the corpus folder /nowhere does not exist"),
        (["run", "/nowhere/x.yaml"], "error: /nowhere/x.yaml: no such file"),
        (["run", "demo", "--set", "seed=1"], "error: --set goes with a single notebook"),
        (["run", "03_pretraining", "--set", "seed"], "error: --set 'seed' is not name=value"),
    ],
)
@pytest.mark.usefixtures("home")
def test_more_faults_of_one_line(
    arguments: list[str], expected: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(monkeypatch, *arguments) == 1
    text = capsys.readouterr().err
    assert text.startswith(expected)
    assert text.count("\n") == 1


@pytest.mark.usefixtures("home")
def test_a_value_that_is_not_yaml_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(monkeypatch, "run", "03_pretraining", "--set", "seed=[1") == 1
    assert capsys.readouterr().err.startswith("error: ")


@pytest.mark.usefixtures("project")
def test_a_dry_run_shows_the_plan_and_makes_nothing(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(monkeypatch, "run", "01_graph_synthesis", "--set", "seed=3", "--dry-run") == 0
    assert capsys.readouterr().out == f"[1/1] 01_graph_synthesis -> {ToyStage(seed=3).run_id()}: to do\n"
    assert not (project / "runs").exists()


def test_a_message_of_several_lines_is_printed_as_one(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    toy = typer.Typer()

    @toy.command()
    def fail() -> None:
        raise WorkbenchError("first\n  second\n")

    assert call(monkeypatch, of=toy) == 1
    assert capsys.readouterr().err == "error: first second\n"


def test_emit_prints_one_json_object_or_aligned_lines(capsys: pytest.CaptureFixture[str]) -> None:
    value = {"n": 24, "metrics": {"StCA": {"value": 0.49544}}, "note": "é"}
    cli.emit(value, as_json=True)
    assert capsys.readouterr().out == json.dumps(value, ensure_ascii=False) + "\n"
    cli.emit(value, as_json=False)
    assert capsys.readouterr().out == ("n                   24\nmetrics.StCA.value  0.4954\nnote                é\n")
    cli.emit({}, as_json=False)
    assert capsys.readouterr().out == ""
