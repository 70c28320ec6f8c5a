"""Notebooks as batch jobs: parameters checked, papermill, and the executed notebook trusted and kept in its run."""

from __future__ import annotations

import os
import sqlite3
import tempfile
import time
from pathlib import Path

from workbench_lib import paths
from workbench_lib.errors import WorkbenchError
from workbench_lib.experiments import PlannedRun
from workbench_lib.locks import hold
from workbench_lib.params import notebook_path

NOTEBOOK = "notebook.ipynb"


class ExecutionError(WorkbenchError):
    """A notebook stopped with an error; the partly executed notebook is kept."""


def execute(planned: PlannedRun) -> float:
    """Run a notebook with its (already checked) parameters, unless its run is done; return the seconds it took.

    The executed notebook becomes `runs/<id>/notebook.ipynb`, signed so that JupyterLab shows its pictures.

    Raises:
        ExecutionError: a cell failed; names the cell's error and where the notebook was kept.
        FolderInUseError: another process works on the run.
    """
    run = planned.run
    if run.is_done:
        return 0.0
    run.folder.mkdir(parents=True, exist_ok=True)
    with hold(run.folder):  # stop here where someone else works on it
        pass
    began, working = time.monotonic(), run.folder / f".notebook.{os.getpid()}.ipynb"
    try:
        _papermill(planned, working)
    except ExecutionError as error:
        run.fail(str(error))
        raise
    finally:
        if working.exists():
            trust(working)
            working.replace(run.folder / NOTEBOOK)
    if not run.is_done:
        raise ExecutionError(f"{planned.notebook}: ended without finishing its run {run.id} (see {run.folder})")
    return time.monotonic() - began


def _papermill(planned: PlannedRun, output: Path) -> None:
    import papermill
    from nbclient.exceptions import DeadKernelError
    from papermill.exceptions import PapermillExecutionError
    from traitlets.config import Config

    where = f"(see {planned.run.folder / NOTEBOOK})"
    with tempfile.TemporaryDirectory(prefix="wb-") as sockets:  # a socket's path must be short
        ipc = {"transport": "ipc", "ip": str(Path(sockets) / "k")}  # no ports to race for, nothing to listen to
        try:
            papermill.execute_notebook(
                str(notebook_path(planned.notebook)),
                str(output),
                parameters=planned.params.model_dump(mode="json"),
                kernel_name="python3",
                progress_bar=False,
                cwd=os.getcwd(),
                config=Config(KernelManager=ipc),
            )
        except PapermillExecutionError as error:
            raise ExecutionError(f"{planned.notebook}: {error.ename}: {error.evalue} {where}") from None
        except (DeadKernelError, RuntimeError) as error:
            raise ExecutionError(
                f"{planned.notebook}: its kernel died, out of memory perhaps: {error} {where}"
            ) from None


def trust(notebook: Path) -> None:
    """Sign an executed notebook for this user, since JupyterLab hides the HTML of unsigned ones.

    Where the user's data folder cannot be written, the notebook stays unsigned, and a line says so.
    """
    import nbformat
    from nbformat.sign import NotebookNotary

    try:
        NotebookNotary().sign(nbformat.read(notebook, as_version=4))
    except (OSError, sqlite3.Error) as error:
        print(f"{notebook.name} is not signed ({error}): JupyterLab will hide its live graphs, not its pictures")


def prepare_environment() -> None:
    """What every kernel that we start should find: absolute paths, and no warnings about forks or debuggers."""
    os.environ["WORKBENCH_HOME"] = str(paths.home())
    root = paths.data_root()
    if root is not None:
        os.environ["WORKBENCH_DATA"] = str(root)
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    os.environ.setdefault("PYDEVD_DISABLE_FILE_VALIDATION", "1")
