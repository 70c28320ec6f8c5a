"""Fixtures of the shared library's tests."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))  # the toy modules: spawned processes must find them by name too

from workbench_lib import __main__ as main  # noqa: E402
from workbench_lib import experiments, params, stages  # noqa: E402


@pytest.fixture(scope="session")
def tokenizer() -> Any:
    from workbench_toy_training import toy_tokenizer

    return toy_tokenizer()


@pytest.fixture
def project(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project of two toy notebooks with their presets, in place of the real `notebooks/` and `params/`."""
    for stem, model in (("01_graph_synthesis", "ToyStage"), ("02_consumer", "ToyConsumer")):
        notebook = {"metadata": {"workbench": {"params": f"workbench_toys:{model}"}}, "cells": []}
        write(home / f"notebooks/{stem}.ipynb", json.dumps(notebook))
    write(home / "params/01_graph_synthesis/tiny.yaml", "seed: 13\n")
    write(home / "params/01_graph_synthesis/small.yaml", "seed: 14\n")
    write(home / "params/02_consumer/tiny.yaml", "corpus: 01_graph_synthesis/tiny\n")
    for module in (params, stages, main):
        monkeypatch.setattr(module, "NOTEBOOKS_DIR", home / "notebooks")
    monkeypatch.setattr(params, "PARAMS_DIR", home / "params")
    for module in (experiments, main):
        monkeypatch.setattr(module, "EXPERIMENTS_DIR", home / "params/experiments")
    return home


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


@pytest.fixture
def write_file() -> Callable[[Path, str], Path]:
    return write


HOLDER = """
import sys, time
from pathlib import Path
from workbench_lib.locks import acquire
acquire(Path(sys.argv[1]))
print("held", flush=True)
time.sleep(600)
"""


@pytest.fixture
def held_by_another() -> Callable[[Path], Any]:
    """A context in which another process holds a folder; gives that process."""

    @contextmanager
    def hold(folder: Path) -> Iterator[subprocess.Popen[str]]:
        command = [sys.executable, "-c", HOLDER, str(folder)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            try:
                assert process.stdout is not None
                assert process.stdout.readline() == "held\n"
                yield process
            finally:
                process.kill()

    return hold
