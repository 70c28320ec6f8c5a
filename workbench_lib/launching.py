"""Training in several processes, one a device: by `torchrun`, and by a notebook that starts it in the same way."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

from workbench_lib.errors import WorkbenchError
from workbench_lib.runs import Run
from workbench_lib.signals import on_sigterm

PREPARING_TAKES = timedelta(days=1)  # at most: a corpus of millions is tokenised while the other processes wait


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

    with PartialState(cpu=not _has_gpu(), timeout=PREPARING_TAKES).main_process_first():
        yield


def train_in_processes(run: Run, processes: int) -> None:
    """Train the run of `run.folder/params.yaml` in several processes on this machine, up to its last checkpoint.

    SIGTERM is passed on to them: they write a checkpoint and end.

    Raises:
        LaunchError: they ended with an error; says which, or else what they wrote last.
    """
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", f"--nproc-per-node={processes}"]
    command += ["-m", "workbench_lib", "train", "--params", str(run.folder / "params.yaml"), "--only-training"]
    environment = {**os.environ, "OMP_NUM_THREADS": str(max(1, (os.cpu_count() or 1) // processes))}
    lines: deque[str] = deque(maxlen=20)
    errors: dict[str, None] = {}  # each once, in order: every process may have the same
    with (
        subprocess.Popen(  # noqa: S603 (our own command)
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment
        ) as process,
        on_sigterm(process.terminate),
    ):
        assert process.stdout is not None
        for line in process.stdout:
            print(line, end="", flush=True)
            lines.append(line)
            if line.startswith("error: "):
                errors[line] = None
    if process.returncode:
        told = "".join(errors or lines)
        raise LaunchError(f"training in {processes} processes ended with code {process.returncode}:\n{told}")


def _has_gpu() -> bool:
    import torch

    return torch.cuda.is_available()
