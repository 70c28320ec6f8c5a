"""Fixtures for all tests: the folder of real data, and a home of its own for every test that makes runs."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

from workbench_lib import paths

settings.register_profile("workbench", deadline=None)  # machines are shared: no test is about wall-clock time
settings.load_profile("workbench")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")


@pytest.fixture(scope="session")
def data_root() -> Path:
    """The folder of real data; tests that need it are skipped, and say so, where WORKBENCH_DATA is not set."""
    root = paths.data_root()
    if root is None or not root.is_dir():
        pytest.skip("WORKBENCH_DATA does not name a folder of real data")
    return root


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for `runs/` and `figures/` of this test alone."""
    monkeypatch.setenv("WORKBENCH_HOME", str(tmp_path))
    return tmp_path
