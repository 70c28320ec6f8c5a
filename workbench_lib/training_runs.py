"""Runs of notebooks 03 and 04 without the notebook: `python -m workbench_lib train`, by one process or several."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from workbench_lib import launching, learning, paths, runs
from workbench_lib.errors import WorkbenchError
from workbench_lib.params import load_yaml, yaml_lines
from workbench_lib.runs import Run
from workbench_lib.stages import FinetuningParams, PretrainingParams


def make(path: Path, *, only_training: bool = False) -> Mapping[str, Any]:
    """The metrics of the run that the parameters of a yaml file describe, made now or before.

    Args:
        path: Parameters of notebook 04 where they name a task, else of notebook 03.
        only_training: Stop after the last checkpoint: another process holds the run, and goes on.

    Raises:
        WorkbenchError: whatever keeps the run from starting or going on.
    """
    values = load_yaml(path)
    kind = FinetuningParams if "task" in values else PretrainingParams
    params = kind.make(values, str(path), yaml_lines(path))
    run = Run(paths.runs_dir() / params.run_id())
    holds_run = launching.is_main_process() and not only_training
    if holds_run:
        runs.start(params)
    if run.is_done:
        return dict(run.record()["metrics"])
    try:
        metrics = _metrics(params, run, only_training)
    except WorkbenchError as error:
        if holds_run:
            run.fail(str(error))
        raise
    if holds_run:
        run.finish(params, metrics)
    return metrics


def _metrics(params: FinetuningParams | PretrainingParams, run: Run, only_training: bool) -> Mapping[str, Any]:
    if isinstance(params, FinetuningParams):
        return learning.finetune(params, params.bound_task, run, only_training=only_training)
    return learning.pretrain(params, run)
