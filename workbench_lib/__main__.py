"""Command line of the workbench: run notebooks and experiments, see where they stand, check what they made."""

from __future__ import annotations

import resource
import sys
import time
from contextlib import redirect_stdout
from pathlib import Path
from typing import Annotated, Any

import typer
import yaml

from workbench_lib import cli, execution, paths, runs
from workbench_lib.corpus import MANIFEST, Corpus
from workbench_lib.errors import WorkbenchError
from workbench_lib.experiments import ANALYSIS, EXPERIMENTS_DIR, PlannedRun, analysis_of, load_experiment
from workbench_lib.locks import hold
from workbench_lib.params import NOTEBOOKS_DIR, ParameterError, load_params
from workbench_lib.runs import Run

app = typer.Typer(help=__doc__, no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


@app.command()
def run(
    target: Annotated[str, typer.Argument(help="An experiment (name or yaml file), or a notebook's stem.")],
    preset: Annotated[str, typer.Option(help="Which params/<notebook>/<preset>.yaml: tiny, small, paper.")] = "tiny",
    change: Annotated[list[str] | None, typer.Option("--set", help="name=value, for a single notebook.")] = None,
    dry_run: Annotated[bool, typer.Option(help="Show the plan only.")] = False,
) -> None:
    """Run what is missing of an experiment and then its analysis, or run one notebook."""
    execution.prepare_environment()
    planned, began = _plan(target, preset, change or []), time.monotonic()
    for number, item in enumerate(planned, start=1):
        is_late = dry_run and item.notebook == ANALYSIS
        name = "named when its runs are done" if is_late else item.id
        where = f"[{number}/{len(planned)}] {item.notebook} -> {name}"
        if dry_run or item.run.is_done:
            print(f"{where}: {'done before' if item.run.is_done else 'to do'}", flush=True)
            continue
        print(f"{where} ...", flush=True)
        seconds = execution.execute(item)
        print(f"    {seconds:.0f} s: {_headline(item.run.record()['metrics'])}", flush=True)
    if not dry_run:
        _summary(planned, time.monotonic() - began)


@app.command()
def train(
    params_file: Annotated[Path, typer.Option("--params", help="Parameters of notebook 03 or 04 as a yaml file.")],
    only_training: Annotated[bool, typer.Option(hidden=True)] = False,
    as_json: AsJson = False,
) -> None:
    """Train without a notebook, from one process or many; the run is the one that the notebook would make.

    On several devices: torchrun --nproc-per-node N -m workbench_lib train --params FILE
    """
    from workbench_lib import launching, training_runs  # torch and transformers: not for the other commands

    with redirect_stdout(sys.stderr if as_json else sys.stdout):
        metrics = training_runs.make(params_file, only_training=only_training)
    if launching.is_main_process():
        cli.emit(metrics, as_json)


@app.command()
def status(as_json: AsJson = False) -> None:
    """List every run: done, unfinished, in use by whom, or damaged."""
    found = {item.id: _state(item) for item in runs.all_runs()}
    if found or as_json:
        cli.emit(found, as_json)
    else:
        print(f"no runs in {paths.runs_dir()}")


@app.command()
def verify(folder: Path, as_json: AsJson = False) -> None:
    """Check every shard of a corpus folder against its manifest."""
    corpus = Corpus(folder / "corpus" if not (folder / MANIFEST).exists() and (folder / "corpus").is_dir() else folder)
    damaged = corpus.verify()
    if damaged:
        raise WorkbenchError(f"{corpus.folder}: {len(damaged)} damaged shards, the first: {damaged[0]}")
    cli.emit({"folder": str(corpus.folder), "rows": len(corpus), "shards": len(corpus.paths), "damaged": 0}, as_json)


def _state(run: Run) -> str:
    try:
        if run.is_done:
            return f"done in {run.record()['seconds']} s"
        with hold(run.folder):
            return str(run.status().get("reason", "unfinished"))
    except (WorkbenchError, OSError, KeyError) as error:
        return f"{type(error).__name__}: {error}"


def _plan(target: str, preset: str, changes: list[str]) -> list[PlannedRun]:
    if (NOTEBOOKS_DIR / f"{target}.ipynb").exists():
        return [PlannedRun("notebook", target, load_params(target, preset, dict(map(_name_and_value, changes))))]
    if changes:
        raise ParameterError("--set goes with a single notebook; an experiment file says itself what it varies")
    if not target.endswith(".yaml") and not (EXPERIMENTS_DIR / f"{target}.yaml").exists():
        known = sorted(p.stem for folder in (EXPERIMENTS_DIR, NOTEBOOKS_DIR) for p in folder.glob("*.*"))
        raise ParameterError(f"no experiment or notebook {target!r} (there are: {', '.join(known)})")
    return [*load_experiment(target).plan(preset), analysis_of(target, preset)]


def _name_and_value(text: str) -> tuple[str, Any]:
    name, equals, value = text.partition("=")
    if not equals:
        raise ParameterError(f"--set {text!r} is not name=value")
    try:
        return name, yaml.safe_load(value)
    except yaml.YAMLError:
        raise ParameterError(f"--set {text!r}: {value!r} is not yaml") from None


def _headline(metrics: dict[str, Any]) -> str:
    scores = {name: score["value"] for name, score in metrics.get("scores", {}).items()}
    numbers = scores or {name: value for name, value in metrics.items() if isinstance(value, int | float)}
    return ", ".join(f"{name} {value:.4g}" for name, value in list(numbers.items())[:8])


def _summary(planned: list[PlannedRun], seconds: float) -> None:
    print(f"\nIn {paths.runs_dir()}:")
    for item in planned:
        print(f"  {item.id}/{{notebook.ipynb, metrics.json, figures/}}")
    last = planned[-1]
    for figure in last.run.record()["metrics"].get("figures", []):
        print(f"Figure or table: {last.run.folder / figure}")
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    print(f"{len(planned)} runs, {seconds:.0f} s, at most {peak:.0f} MB in one notebook")


if __name__ == "__main__":
    cli.run(app)
