"""Where things lie: the project, its runs, and the data that a user points to."""

from __future__ import annotations

import os
from pathlib import Path

from workbench_lib.errors import WorkbenchError

PROJECT = Path(__file__).resolve().parent.parent


def home() -> Path:
    """The folder that holds `runs/` and `figures/`: WORKBENCH_HOME, else the project itself."""
    return Path(os.environ.get("WORKBENCH_HOME", PROJECT)).resolve()


def runs_dir() -> Path:
    return home() / "runs"


def figures_dir() -> Path:
    return home() / "figures"


def data_root() -> Path | None:
    """The folder that WORKBENCH_DATA names, or None where it is not set."""
    value = os.environ.get("WORKBENCH_DATA")
    return Path(value).resolve() if value else None


def find_data(name: str) -> Path:
    """The file or folder `name`: as given when it exists, else under WORKBENCH_DATA.

    Raises:
        WorkbenchError: it is in neither place; says where it was looked for.
    """
    given = Path(name)
    if given.exists():
        return given.resolve()
    root = data_root()
    if root is None:
        raise WorkbenchError(f"{name!r} does not exist, and WORKBENCH_DATA (the folder of real data) is not set")
    if not (root / name).exists():
        raise WorkbenchError(f"{name!r} does not exist, neither here nor under WORKBENCH_DATA={root}")
    return root / name
