"""One process at a time in a folder, told apart by real processes."""

from __future__ import annotations

import shutil
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from workbench_lib.locks import LOCK, FolderInUseError, acquire, hold, release

Holder = Callable[[Path], Any]
TRY = "import sys; from pathlib import Path; from workbench_lib.locks import acquire; acquire(Path(sys.argv[1]))"


def is_free_for_others(folder: Path) -> bool:
    done = subprocess.run([sys.executable, "-c", TRY, str(folder)], capture_output=True, text=True, check=False)
    assert done.returncode == 0 or "FolderInUseError" in done.stderr, done.stderr
    return done.returncode == 0


def test_a_folder_that_another_process_holds_is_refused_and_its_holder_named(
    tmp_path: Path, held_by_another: Holder
) -> None:
    with held_by_another(tmp_path) as process, pytest.raises(FolderInUseError, match=rf"by process {process.pid} on "):
        acquire(tmp_path)


def test_a_killed_holder_frees_the_folder(tmp_path: Path, held_by_another: Holder) -> None:
    with held_by_another(tmp_path) as process:
        process.kill()
        process.wait()
        with hold(tmp_path):
            assert not is_free_for_others(tmp_path)
    assert is_free_for_others(tmp_path)


def test_taking_and_giving_back_twice_does_nothing(tmp_path: Path) -> None:
    acquire(tmp_path)
    acquire(tmp_path / "." / ".." / tmp_path.name)
    assert not is_free_for_others(tmp_path)
    release(tmp_path)
    release(tmp_path)
    assert not (tmp_path / LOCK).exists()
    assert is_free_for_others(tmp_path)


def test_an_inner_hold_does_not_end_the_outer_one(tmp_path: Path) -> None:
    with hold(tmp_path):
        with hold(tmp_path):
            pass
        assert not is_free_for_others(tmp_path)
    assert is_free_for_others(tmp_path)


def test_a_folder_can_be_waited_for(tmp_path: Path, held_by_another: Holder) -> None:
    with held_by_another(tmp_path) as process:
        threading.Timer(0.5, process.kill).start()
        with hold(tmp_path, wait_s=60):
            assert process.poll() is not None or process.wait(10) is not None
            assert not is_free_for_others(tmp_path)


def test_waiting_ends(tmp_path: Path, held_by_another: Holder) -> None:
    with held_by_another(tmp_path), pytest.raises(FolderInUseError), hold(tmp_path, wait_s=0.5):
        pass


def test_a_failure_inside_gives_the_folder_back(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="inside"), hold(tmp_path):
        raise ValueError("inside")
    assert is_free_for_others(tmp_path)


def test_a_folder_that_was_deleted_and_made_anew_is_locked_anew(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    try:
        acquire(folder)
        shutil.rmtree(folder)
        folder.mkdir()
        acquire(folder)
        assert not is_free_for_others(folder)
    finally:
        release(folder)
