"""Where things lie: the project, its runs, and the data that a user points to."""

from __future__ import annotations

import glob
import os
from pathlib import Path

from workbench_lib.errors import WorkbenchError

PROJECT = Path(__file__).resolve().parent.parent


def home() -> Path:
    """The folder that holds `runs/`: WORKBENCH_HOME, else the project itself."""
    return Path(os.environ.get("WORKBENCH_HOME") or PROJECT).resolve()


def runs_dir() -> Path:
    """The folder of all runs."""
    return home() / "runs"


def tokens_dir() -> Path:
    """The folder of tokenised texts, which runs share."""
    return home() / "tokens"


def data_root() -> Path | None:
    """The folder that WORKBENCH_DATA names, or None where it is not set."""
    value = os.environ.get("WORKBENCH_DATA")
    return Path(value).resolve() if value else None


def find_data(name: str) -> Path:
    """The file or folder `name`: as given when it exists, else under WORKBENCH_DATA.

    Raises:
        WorkbenchError: it is in neither place; says where it was looked for.
    """
    if not name:
        raise WorkbenchError("an empty name stands for no file or folder")
    given = Path(name)
    if given.exists():
        return given.resolve()
    root = data_root()
    if root is None:
        raise WorkbenchError(f"{name!r} does not exist, and WORKBENCH_DATA (the folder of real data) is not set")
    if not (root / name).exists():
        raise WorkbenchError(f"{name!r} does not exist, neither here nor under WORKBENCH_DATA={root}")
    return root / name


def find_files(name: str) -> list[Path]:
    """The files that a path or a glob pattern stands for, sorted: as given, else under WORKBENCH_DATA; may be empty."""
    root = data_root()
    places = [(Path(name), name)] + ([] if root is None else [(root / name, f"{glob.escape(str(root))}/{name}")])
    for path, pattern in places:
        if name and path.is_file():
            return [path.resolve()]
        files = [Path(found).resolve() for found in glob.glob(pattern, recursive=True) if Path(found).is_file()]
        if files:
            return sorted(files)
    return []
