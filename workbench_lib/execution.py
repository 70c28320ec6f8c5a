"""Notebooks as batch jobs: parameters checked, papermill, and the executed notebook trusted and kept in its run."""

from __future__ import annotations

import os
import time
from pathlib import Path

from workbench_lib import paths
from workbench_lib.errors import WorkbenchError
from workbench_lib.experiments import PlannedRun
from workbench_lib.locks import hold
from workbench_lib.params import notebook_path


class ExecutionError(WorkbenchError):
    """A notebook stopped with an error; the partly executed notebook is kept."""


def execute(planned: PlannedRun) -> float:
    """Run a notebook with its (already checked) parameters, unless its run is done; return the seconds it took.

    The executed notebook becomes `runs/<id>/notebook.ipynb`, signed so that JupyterLab shows its pictures.

    Raises:
        ExecutionError: a cell failed; names the cell's error and where the notebook was kept.
        FolderInUseError: another process works on the run.
    """
    import papermill
    from papermill.exceptions import PapermillExecutionError
    from traitlets.config import Config

    run = planned.run
    if run.is_done:
        return 0.0
    run.folder.mkdir(parents=True, exist_ok=True)
    with hold(run.folder):  # stop here, before the notebook of whoever works there is overwritten
        pass
    output, began = run.folder / "notebook.ipynb", time.monotonic()
    try:
        papermill.execute_notebook(
            str(notebook_path(planned.notebook)),
            str(output),
            parameters=planned.params.model_dump(mode="json"),
            kernel_name="python3",
            progress_bar=False,
            cwd=str(paths.PROJECT),
            config=Config(KernelManager={"transport": "ipc"}),  # no ports to race for, nothing to listen to
        )
    except PapermillExecutionError as error:
        raise ExecutionError(f"{planned.notebook}: {error.ename}: {error.evalue} (see {output})") from None
    finally:
        trust(output)
    if not run.is_done:
        raise ExecutionError(f"{planned.notebook}: ended without finishing its run {run.id} (see {output})")
    return time.monotonic() - began


def trust(notebook: Path) -> None:
    """Sign an executed notebook for this user, since JupyterLab hides the HTML of unsigned ones."""
    import nbformat
    from nbformat.sign import NotebookNotary

    if notebook.exists():
        NotebookNotary().sign(nbformat.read(notebook, as_version=4))


def prepare_environment() -> None:
    """What every kernel that we start should find: absolute data paths, and no warnings about forks or debuggers."""
    root = paths.data_root()
    if root is not None:
        os.environ["WORKBENCH_DATA"] = str(root)
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    os.environ.setdefault("PYDEVD_DISABLE_FILE_VALIDATION", "1")
