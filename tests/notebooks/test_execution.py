"""A notebook as a batch job: the executed notebook, its trust, its reuse, and what a failing cell leaves behind."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbformat.sign import NotebookNotary

from workbench_lib import runs
from workbench_lib.corpus import Corpus
from workbench_lib.execution import ExecutionError, execute, trust
from workbench_lib.experiments import PlannedRun, load_experiment
from workbench_lib.locks import FolderInUseError, hold
from workbench_lib.params import load_params

pytestmark = pytest.mark.notebook


def planned(**changes: object) -> PlannedRun:
    return PlannedRun(
        "graphs", "01_graph_synthesis", load_params("01_graph_synthesis", "tiny", {"graphs": 30, **changes})
    )


@pytest.mark.slow
def test_an_executed_notebook_is_kept_signed_and_its_run_reused(
    home: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path_factory.mktemp("jupyter")))  # its own signatures
    monkeypatch.chdir(elsewhere)
    item = planned()
    assert execute(item) > 0
    notebook = nbformat.read(item.run.folder / "notebook.ipynb", as_version=4)
    assert NotebookNotary().check_signature(notebook)
    pictures = [o for c in notebook.cells for o in c.get("outputs", []) if "image/png" in o.get("data", {})]
    live = [
        o for c in notebook.cells for o in c.get("outputs", []) if "<iframe" in o.get("data", {}).get("text/html", "")
    ]
    assert len(pictures) == 4  # a neighbourhood, a graph, the shares of relations, of sizes and depths
    assert len(live) == 1
    record = item.run.record()
    assert record["metrics"]["examples"] == 90
    assert record["metrics"]["corpus_sha256"] == Corpus(item.run.corpus).digest
    assert not list(elsewhere.iterdir())
    written = (item.run.folder / "notebook.ipynb").stat().st_mtime_ns
    assert execute(item) == 0
    assert (item.run.folder / "notebook.ipynb").stat().st_mtime_ns == written
    assert [run.id for run in runs.all_runs()] == [item.id]


@pytest.mark.slow
def test_a_failing_cell_is_one_error_and_leaves_the_notebook_up_to_there(home: Path) -> None:
    item = planned(min_triples=60, max_triples=64)  # no graph of the starter base is that large at depth 3
    with pytest.raises(ExecutionError, match=r"01_graph_synthesis: SamplingError: .*notebook\.ipynb"):
        execute(item)
    assert not item.run.is_done
    assert item.run.status()["state"] == "failed"
    assert "SamplingError" in item.run.status()["reason"]
    notebook = nbformat.read(item.run.folder / "notebook.ipynb", as_version=4)
    assert any(output.output_type == "error" for cell in notebook.cells for output in cell.get("outputs", []))


def test_a_run_in_use_is_not_touched(home: Path) -> None:
    item = planned()
    item.run.folder.mkdir(parents=True)
    notebook = item.run.folder / "notebook.ipynb"
    notebook.write_text("theirs")
    command = (
        f"from pathlib import Path; from workbench_lib.locks import acquire; acquire(Path({str(item.run.folder)!r}))"
    )
    holder = subprocess.Popen(
        [sys.executable, "-c", f"{command}; print('held', flush=True); input()"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"
    try:
        with pytest.raises(FolderInUseError, match=f"process {holder.pid}"):
            execute(item)
    finally:
        holder.communicate("\n")
    assert notebook.read_text() == "theirs"
    with hold(item.run.folder):
        pass


def test_the_demo_runs_every_notebook_and_pairs_each_task_with_its_baseline() -> None:
    plan = load_experiment("demo").plan("tiny")
    assert {item.notebook for item in plan} == {
        "01_graph_synthesis",
        "02_table_synthesis",
        "03_pretraining",
        "04_finetuning",
    }
    assert len({item.id for item in plan}) == len(plan) == 12
    finetuned = [item.params.model_dump() for item in plan if item.notebook == "04_finetuning"]
    for task in ("explagraphs", "wikitq"):
        assert {run["fresh_weights"] for run in finetuned if run["task"] == task} == {True, False}


@pytest.mark.realdata
def test_the_demo_can_be_planned_on_real_data(data_root: Path) -> None:
    plan = load_experiment("demo").plan("small")
    assert len({item.id for item in plan}) == 12


@pytest.mark.slow
def test_a_stage_without_its_upstream_run_says_how_to_make_it_and_leaves_nothing(home: Path) -> None:
    with pytest.raises(runs.RunError, match="python -m workbench_lib run 01_graph_synthesis --preset tiny"):
        runs.start(load_params("03_pretraining", "tiny"))
    with pytest.raises(runs.RunError, match="python -m workbench_lib run 03_pretraining --preset tiny"):
        runs.start(load_params("04_finetuning", "tiny"))
    assert not list(home.iterdir())


def test_a_notebook_that_cannot_be_signed_is_no_failure(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (home / "file").write_text("")
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(home / "file" / "jupyter"))
    nbformat.write(nbformat.v4.new_notebook(), home / "a.ipynb")
    trust(home / "a.ipynb")
    assert "a.ipynb is not signed" in capsys.readouterr().out
