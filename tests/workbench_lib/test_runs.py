"""The folder of a run: started, gone on with, finished, reused, in use, damaged."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest
import yaml
from workbench_toys import ToyStage

from workbench_lib import runs
from workbench_lib.locks import LOCK, FolderInUseError, release
from workbench_lib.runs import Run, RunError, environment

PARAMS = ToyStage(seed=1, levels=["easy", "hard"])


def started(params: ToyStage = PARAMS) -> Run:
    run = runs.start(params)
    release(run.folder)  # as a process that ends
    return run


def test_a_started_run_says_what_was_asked_and_where(home: Path) -> None:
    run = started()
    assert run.folder == home / "runs" / PARAMS.run_id()
    assert ToyStage.make(yaml.safe_load((run.folder / "params.yaml").read_text())) == PARAMS
    status = json.loads((run.folder / "status.json").read_text())
    assert (status["state"], status["process"]) == ("running", os.getpid())
    assert not run.is_done


@pytest.mark.usefixtures("home")
def test_env_json_holds_code_versions_and_machine() -> None:
    import numpy

    env = json.loads((started().folder / "env.json").read_text())
    assert set(env) == {"git", "dirty", "python", "packages", "platform", "device", "cores"}
    assert env["packages"]["numpy"] == numpy.__version__


@pytest.mark.usefixtures("home")
def test_finish_writes_the_record_and_frees_the_folder() -> None:
    run = runs.start(PARAMS)
    assert (run.folder / LOCK).exists()
    record = run.finish(PARAMS, {"rows": 3, "scores": {"em": 0.5}})
    assert not (run.folder / LOCK).exists()
    assert run.is_done
    assert run.record() == record
    assert {name: record[name] for name in ("id", "stage", "params", "upstream", "metrics")} == {
        "id": PARAMS.run_id(),
        "stage": "toy",
        "params": PARAMS.model_dump(),
        "upstream": {},
        "metrics": {"rows": 3, "scores": {"em": 0.5}},
    }
    assert json.loads((run.folder / "status.json").read_text())["state"] == "done"


@pytest.mark.usefixtures("home")
def test_a_done_run_is_reused_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    runs.start(PARAMS).finish(PARAMS, {"rows": 3})
    before = {path.name: path.read_bytes() for path in Run(runs.start(PARAMS).folder).folder.iterdir()}
    capsys.readouterr()
    again = runs.start(PARAMS)
    assert capsys.readouterr().out == f"run {PARAMS.run_id()}: done before, its results are reused\n"
    assert again.finish(PARAMS, {"rows": 4})["metrics"] == {"rows": 3}
    assert {path.name: path.read_bytes() for path in again.folder.iterdir()} == before


@pytest.mark.usefixtures("home")
def test_an_unfinished_run_goes_on(capsys: pytest.CaptureFixture[str]) -> None:
    first = started()
    (first.folder / "kept").write_text("x")
    assert ": new, in " in capsys.readouterr().out
    again = started()
    assert ": unfinished, goes on, in " in capsys.readouterr().out
    assert again == first
    assert (again.folder / "kept").read_text() == "x"


@pytest.mark.usefixtures("home")
def test_a_run_in_use_by_another_process_is_refused_and_untouched(held_by_another) -> None:  # type: ignore[no-untyped-def]
    run = started()
    before = (run.folder / "status.json").read_bytes()
    with held_by_another(run.folder) as process, pytest.raises(FolderInUseError, match=str(process.pid)):
        runs.start(PARAMS)
    assert (run.folder / "status.json").read_bytes() == before


@pytest.mark.usefixtures("project")
def test_a_missing_run_says_how_to_make_it() -> None:
    with pytest.raises(RunError) as caught:
        runs.finished("01_graph_synthesis/tiny")
    run_id = ToyStage(seed=13).run_id()
    assert str(caught.value) == (
        f"run {run_id} (01_graph_synthesis/tiny) is missing; make it first: "
        "python -m workbench_lib run 01_graph_synthesis --preset tiny"
    )


@pytest.mark.usefixtures("project")
def test_an_unfinished_run_is_not_a_finished_one() -> None:
    run = started()
    with pytest.raises(RunError, match=f"run {run.id} .* is unfinished; make it first$"):
        runs.finished(run.id)


@pytest.mark.usefixtures("project")
def test_a_finished_run_is_found_by_its_id_and_by_its_preset() -> None:
    params = ToyStage(seed=13)
    run = runs.start(params)
    run.finish(params, {})
    assert runs.finished(run.id) == runs.finished("01_graph_synthesis/tiny") == run


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize("text", ["{", "", "\x00"])
def test_a_damaged_record_is_named(text: str) -> None:
    run = started()
    (run.folder / "metrics.json").write_text(text)
    with pytest.raises(RunError, match=rf"{run.folder / 'metrics.json'}: damaged"):
        run.record()


@pytest.mark.usefixtures("home")
def test_an_unfinished_run_has_no_record() -> None:
    run = started()
    with pytest.raises(RunError, match=f"run {run.id} is not finished"):
        run.record()


@pytest.mark.usefixtures("home")
def test_a_status_that_cannot_be_read_is_named_and_leaves_the_run_unfinished() -> None:
    run = started()
    (run.folder / "status.json").write_text("{")
    with pytest.raises(RunError, match=r"status\.json: cannot be read"):
        run.finish(PARAMS, {})
    assert not run.is_done


@pytest.mark.usefixtures("home")
def test_metrics_that_are_not_json_leave_the_run_unfinished() -> None:
    run = started()
    with pytest.raises(TypeError):
        run.finish(PARAMS, {"rows": {1, 2}})
    assert not run.is_done


@pytest.mark.usefixtures("home")
def test_all_runs_lists_every_run_folder_by_name() -> None:
    made = [started(ToyStage(seed=seed)) for seed in (1, 2, 3)]
    assert runs.all_runs() == sorted(made, key=lambda run: run.id)


def test_no_runs_at_all(home: Path) -> None:
    assert runs.all_runs() == []
    assert not (home / "runs").exists()


def test_write_jsonl_writes_a_line_a_row_or_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    runs.write_jsonl(path, [{"id": "é\n"}, {"id": 2}])
    assert path.read_text(encoding="utf-8") == '{"id": "é\\n"}\n{"id": 2}\n'
    with pytest.raises(TypeError):
        runs.write_jsonl(path, [{"id": 3}, {"id": {1}}])
    assert path.read_text(encoding="utf-8").count("\n") == 2


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_dirty_files_keep_their_two_columns_of_state(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    import subprocess

    for command in ("init -q", "config user.email a@b.c", "config user.name a"):
        subprocess.run(["git", "-C", str(tmp_path), *command.split()], check=True)
    (tmp_path / "a.txt").write_text("1")
    for command in ("add a.txt", "commit -qm first"):
        subprocess.run(["git", "-C", str(tmp_path), *command.split()], check=True)
    (tmp_path / "a.txt").write_text("2")
    monkeypatch.setattr("workbench_lib.paths.PROJECT", tmp_path)
    assert environment()["dirty"] == [" M a.txt"]
