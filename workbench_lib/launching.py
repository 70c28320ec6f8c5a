"""Training in several processes, one a device: by `torchrun`, and by a notebook that starts it in the same way."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from workbench_lib.errors import WorkbenchError
from workbench_lib.runs import Run


class LaunchError(WorkbenchError):
    """The processes that should have trained a model ended with an error."""


def is_launched() -> bool:
    """Whether this is one of several processes that `torchrun` has started."""
    return int(os.environ.get("WORLD_SIZE", "1")) > 1


def is_main_process() -> bool:
    """Whether this process is alone, or the first of several."""
    return int(os.environ.get("RANK", "0")) == 0


@contextmanager
def main_process_first() -> Iterator[None]:
    """Have the first process prepare what the others then find: tokenizers, tokens, downloads."""
    if not is_launched():
        yield
        return
    from accelerate import PartialState

    with PartialState(cpu=not _has_gpu()).main_process_first():
        yield


def train_in_processes(run: Run, processes: int) -> None:
    """Train the run of `run.folder/params.yaml` in several processes on this machine, up to its last checkpoint.

    Raises:
        LaunchError: they ended with an error; the last lines of what they wrote are in it.
    """
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", f"--nproc-per-node={processes}"]
    command += ["-m", "workbench_lib", "train", "--params", str(run.folder / "params.yaml"), "--only-training"]
    environment = {**os.environ, "OMP_NUM_THREADS": str(max(1, (os.cpu_count() or 1) // processes))}
    lines: list[str] = []
    with subprocess.Popen(  # noqa: S603 (our own command)
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            print(line, end="", flush=True)
            lines = [*lines[-20:], line]
    if process.returncode:
        raise LaunchError(f"training in {processes} processes ended with code {process.returncode}:\n{''.join(lines)}")


def _has_gpu() -> bool:
    import torch

    return torch.cuda.is_available()
