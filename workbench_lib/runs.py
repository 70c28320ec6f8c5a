"""A run is a folder `runs/<id>/` that says what was asked, on what machine, how it went, and what came out.

`metrics.json` is written last: a run that has it is done, and is reused by whoever asks for the same again.
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import yaml

from workbench_lib import params as parameters
from workbench_lib import paths
from workbench_lib.errors import WorkbenchError
from workbench_lib.files import replacing, write_json, write_text
from workbench_lib.locks import acquire, release
from workbench_lib.params import StageParams

PACKAGES = ("torch", "transformers", "tokenizers", "numpy", "pyarrow", "networkx", "pandas")


class RunError(WorkbenchError):
    """A run is missing, unfinished, or its record cannot be read."""


@dataclass(frozen=True)
class Run:
    """One run's folder."""

    folder: Path

    @property
    def id(self) -> str:
        """The name of the folder."""
        return self.folder.name

    @property
    def is_done(self) -> bool:
        """Whether `metrics.json` is there, which is written last."""
        return (self.folder / "metrics.json").exists()

    @property
    def corpus(self) -> Path:
        """Where a synthesis run puts its corpus."""
        return self.folder / "corpus"

    @property
    def model(self) -> Path:
        """Where a training run puts its model and tokenizer."""
        return self.folder / "model"

    @property
    def figures(self) -> Path:
        """The folder of the run's pictures, made when first asked for."""
        path = self.folder / "figures"
        path.mkdir(exist_ok=True)
        return path

    def record(self) -> dict[str, Any]:
        """What `metrics.json` holds: id, stage, params, upstream, metrics, seconds (of the last session).

        Raises:
            RunError: the run is unfinished, or the file is damaged.
        """
        path = self.folder / "metrics.json"
        try:
            record: dict[str, Any] = json.loads(path.read_bytes())
        except FileNotFoundError:
            raise RunError(f"run {self.id} is not finished (no metrics.json)") from None
        except ValueError as error:
            raise RunError(f"{path}: damaged ({error})") from None
        return record

    def status(self) -> dict[str, Any]:
        """What `status.json` holds: the state, the process, since when.

        Raises:
            RunError: the file cannot be read.
        """
        path = self.folder / "status.json"
        try:
            status: dict[str, Any] = json.loads(path.read_bytes())
        except (OSError, ValueError) as error:
            raise RunError(f"{path}: cannot be read ({error})") from None
        return status

    def record_if_done(self) -> dict[str, Any] | None:
        """The record, or None where the run is missing or unfinished."""
        return self.record() if self.is_done else None

    def fail(self, reason: str) -> None:
        """Note why the run stopped; asking for it again goes on."""
        write_json(self.folder / "status.json", {"state": "failed", "reason": reason, "ended": time.time()})

    def finish(self, params: StageParams, metrics: Mapping[str, Any]) -> dict[str, Any]:
        """Write `metrics.json`, which marks the run as done, and give the folder free; a done run stays as it is."""
        if self.is_done:
            return self.record()
        status = self.status()
        record = {
            "id": self.id,
            "stage": params.stage,
            "params": params.model_dump(mode="json"),
            "upstream": params.identities(),
            "metrics": dict(metrics),
            "seconds": round(time.time() - status["started"], 1),
        }
        write_json(self.folder / "metrics.json", record)
        write_json(self.folder / "status.json", {**status, "state": "done", "ended": time.time()})
        release(self.folder)
        return record


def start(params: StageParams) -> Run:
    """Open the run of these parameters: a new folder, an unfinished one to go on with, or a done one to look at.

    An unfinished run is locked for this process until `finish` or the process's end.

    Raises:
        FolderInUseError: another process works on it.
        RunError: a run that it needs is not finished.
    """
    params.check()
    run = Run(paths.runs_dir() / params.run_id())
    if run.is_done:
        print(f"run {run.id}: done before, its results are reused")
        return run
    is_new = not (run.folder / "params.yaml").exists()
    run.folder.mkdir(parents=True, exist_ok=True)
    acquire(run.folder)
    write_text(run.folder / "params.yaml", yaml.safe_dump(params.model_dump(mode="json"), sort_keys=False))
    write_json(run.folder / "env.json", environment())
    if difference := _git("diff", "HEAD"):
        write_text(run.folder / "dirty.patch", difference + "\n")
    write_json(run.folder / "status.json", {"state": "running", "process": os.getpid(), "started": time.time()})
    print(f"run {run.id}: {'new' if is_new else 'unfinished, goes on'}, in {run.folder}")
    return run


def resolve(reference: str) -> str:
    """The id of the run that a reference means: an id itself, or `notebook/preset`, such as 01_graph_synthesis/tiny."""
    stem, slash, preset = reference.partition("/")
    return parameters.load_params(stem, preset).run_id() if slash else reference


def finished(reference: str) -> Run:
    """The finished run that a reference means.

    Raises:
        RunError: there is no such run yet, or it is unfinished; says how to make it.
    """
    run = Run(paths.runs_dir() / resolve(reference))
    if not run.is_done:
        stem, slash, preset = reference.partition("/")
        how = f": python -m workbench_lib run {stem} --preset {preset}" if slash else ""
        state = "unfinished" if run.folder.exists() else "missing"
        raise RunError(f"run {run.id} ({reference}) is {state}; make it first{how}")
    return run


def all_runs() -> list[Run]:
    """Every run folder, by name."""
    return [Run(path.parent) for path in sorted(paths.runs_dir().glob("*/params.yaml"))]


def write_jsonl(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    """One JSON object a line, the file whole or not at all."""
    with replacing(path) as temporary, temporary.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def environment() -> dict[str, Any]:
    """What a result depends on besides its parameters: code, versions, machine."""
    import torch

    return {
        "git": _git("rev-parse", "HEAD"),
        "dirty": _git("status", "--porcelain").splitlines(),
        "python": sys.version.split()[0],
        "packages": {name: _version(name) for name in PACKAGES},
        "platform": platform.platform(),
        "device": torch.cuda.get_device_name() if torch.cuda.is_available() else "cpu",
        "cores": os.cpu_count(),
    }


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _git(*arguments: str) -> str:
    command = ["git", "-C", str(paths.PROJECT), *arguments]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True, timeout=30).stdout.rstrip("\n")  # noqa: S603
    except (OSError, subprocess.SubprocessError):
        return ""
