"""One process at a time in a folder: an advisory lock that ends with its process, and says who holds it."""

from __future__ import annotations

import fcntl
import os
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from workbench_lib.errors import WorkbenchError

LOCK = ".lock"
_held: dict[Path, IO[str]] = {}


class FolderInUseError(WorkbenchError):
    """Another process works in the folder."""


def acquire(folder: Path) -> None:
    """Take the folder for this process until `release` or the process's end; taking it twice does nothing.

    Raises:
        FolderInUseError: another process holds it; the text names that process.
    """
    folder = folder.resolve()
    if folder in _held and _is_still_there(_held[folder], folder / LOCK):
        return
    file = _lock(folder)
    if file is None:
        raise FolderInUseError(f"{folder} is in use by {_holder(folder)}")
    file.truncate(0)
    file.write(f"process {os.getpid()} on {socket.gethostname()}")
    file.flush()
    _held[folder] = file


def _lock(folder: Path) -> IO[str] | None:
    """The locked lock file, or None where another process has it."""
    while True:
        file = (folder / LOCK).open("a+")
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.close()
            return None
        if _is_still_there(file, folder / LOCK):
            return file
        file.close()  # its holder removed it between our opening and locking it


def _is_still_there(file: IO[str], path: Path) -> bool:
    try:
        return os.fstat(file.fileno()).st_ino == path.stat().st_ino
    except FileNotFoundError:
        return False


def _holder(folder: Path) -> str:
    try:
        return (folder / LOCK).read_text() or "another process"
    except FileNotFoundError:
        return "another process"


def release(folder: Path) -> None:
    """Give the folder back, and leave no lock file behind; does nothing where it is not held."""
    file = _held.pop(folder.resolve(), None)
    if file is not None:
        (folder.resolve() / LOCK).unlink(missing_ok=True)
        file.close()


@contextmanager
def hold(folder: Path, *, wait_s: float = 0.0) -> Iterator[None]:
    """Hold the folder for a block; a folder that this process already held stays held after it.

    Args:
        wait_s: How long to wait for a process that has it.
    """
    was_held = folder.resolve() in _held
    until = time.monotonic() + wait_s
    while True:
        try:
            acquire(folder)
            break
        except FolderInUseError:
            if time.monotonic() >= until:
                raise
            time.sleep(0.2)
    try:
        yield
    finally:
        if not was_held:
            release(folder)
