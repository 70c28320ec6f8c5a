"""papermill by hand, as a user types it: a wrong parameter stops the notebook before any work."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from workbench_lib.params import NOTEBOOKS_DIR

pytestmark = [pytest.mark.notebook, pytest.mark.slow]


def start(folder: Path, *arguments: str) -> subprocess.Popen[bytes]:
    """papermill on the pre-training notebook, called from another folder than the project."""
    folder.mkdir()
    command = [sys.executable, "-m", "papermill", str(NOTEBOOKS_DIR / "03_pretraining.ipynb"), "out.ipynb", *arguments]
    environment = {**os.environ, "WORKBENCH_HOME": str(folder)}
    return subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def errors(notebook: Path) -> list[str]:
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    outputs = [output for cell in cells for output in cell.get("outputs", [])]
    return [output["evalue"] for output in outputs if output["output_type"] == "error"]


def test_a_wrong_parameter_stops_before_any_work(tmp_path: Path) -> None:
    """P01, and a number that yaml reads as text; both kernels start at once to save time."""
    calls = {
        "notebook: unknown parameter 'sede' (did you mean 'seed'?)": ("-p", "sede", "7"),
        "notebook: 'learning_rate' is '1e-5'": ("-y", "learning_rate: 1e-5"),
    }
    started = {name: start(tmp_path / str(k), *arguments) for k, (name, arguments) in enumerate(calls.items())}
    for k, (expected, process) in enumerate(started.items()):
        text = process.communicate(timeout=300)[0].decode()
        assert process.returncode != 0, text
        (error,) = errors(tmp_path / str(k) / "out.ipynb")
        assert error.startswith(expected)
        assert [path.name for path in (tmp_path / str(k)).iterdir()] == ["out.ipynb"]
