"""A run that is killed anywhere ends with the bytes of one that was not."""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from workbench_toy_training import outcome, toy_model, toy_params, toy_store, toy_tokenizer, train_toy

from workbench_lib.checkpoints import CheckpointError
from workbench_lib.metrics_log import read_metrics
from workbench_lib.progress import Progress
from workbench_lib.signals import on_sigterm
from workbench_lib.training import TrainingStopped, train

PAUSE_S = 0.005


@pytest.fixture(scope="module")
def context() -> Any:
    """Fresh processes, forked from a server that has nothing but imported the modules."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["workbench_toy_training"])
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(Path(__file__).parent))  # Python 3.11's server ignores sys.path
        first = context.Process(target=int)
        first.start()  # starts the server, too
        first.join()
    return context


def start(context: Any, folder: Path, pause_s: float = 0.0) -> Any:
    process = context.Process(target=train_toy, args=(folder, pause_s))
    process.start()
    return process


def finish(context: Any, folder: Path) -> None:
    process = start(context, folder)
    process.join(120)
    assert process.exitcode == 0


@pytest.fixture(scope="module")
def uninterrupted(context: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """What comes out, and the seconds that it takes with pauses."""
    folder = tmp_path_factory.mktemp("uninterrupted")
    began = time.monotonic()
    start(context, folder, PAUSE_S).join()
    return outcome(folder), time.monotonic() - began


@pytest.mark.slow
def test_a_killed_run_ends_as_one_that_was_not(context: Any, uninterrupted: Any, tmp_path: Path) -> None:
    """Twelve runs, each killed once or twice at any moment; most kills must have met a run at work."""
    expected, takes_s = uninterrupted
    assert {"checkpoints/last/model.safetensors", "checkpoints/best/model.safetensors"} < expected[1].keys()
    killed = 0
    for seed in range(12):
        folder, draws = tmp_path / str(seed), np.random.default_rng(seed)
        for _ in range(draws.integers(1, 3)):
            process = start(context, folder, PAUSE_S)
            time.sleep(draws.uniform(0, takes_s))
            process.kill()
            process.join()
            killed += process.exitcode == -signal.SIGKILL
        finish(context, folder)
        assert outcome(folder) == expected, seed
    assert killed >= 8


@pytest.mark.slow
@pytest.mark.parametrize("at", [3, 14, 22])
def test_a_run_that_was_asked_to_stop_goes_on_where_it_was(
    context: Any, uninterrupted: Any, tmp_path: Path, at: int
) -> None:
    """SIGTERM between two rows of the log: what was measured since the last one is not lost either."""
    process = start(context, tmp_path, PAUSE_S)
    while step_of(tmp_path) < at and process.is_alive():
        time.sleep(0.001)
    os.kill(process.pid, signal.SIGTERM)
    process.join(60)
    assert process.exitcode == 1  # by an error, not by the signal
    stopped_at = Progress.read(tmp_path / "checkpoints/last/progress.json").step
    assert at <= stopped_at < 33
    finish(context, tmp_path)
    assert outcome(tmp_path) == uninterrupted[0]


def step_of(folder: Path) -> int:
    """The last step that the log knows of; 1 as soon as there is a log."""
    path = folder / "metrics.jsonl"
    return max((row["step"] for row in read_metrics(path)), default=1) if path.exists() else 0


# --- the same within one process ---------------------------------------------------------------------------------


@pytest.fixture
def store(tokenizer: Any, tmp_path: Path) -> Any:
    torch.set_num_threads(1)
    return toy_store(tmp_path / "tokens", tokenizer)


@pytest.mark.parametrize("at", [1, 10, 13, 25])
def test_sigterm_writes_a_checkpoint_after_its_step_and_leaves(
    tokenizer: Any, store: Any, tmp_path: Path, at: int
) -> None:
    params, calls = toy_params(steps=25, validate_every=100), []

    def ask_to_stop(*_: Any) -> None:
        calls.append(1)
        if len(calls) == at:
            os.kill(os.getpid(), signal.SIGTERM)

    model = toy_model(tokenizer)
    model.register_forward_pre_hook(ask_to_stop)
    with pytest.raises(TrainingStopped, match=f"^step {at}: stopped by SIGTERM; the same call goes on$"):
        train(model, store, None, params, tmp_path / "stopped")
    assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL
    assert Progress.read(tmp_path / "stopped/checkpoints/last/progress.json").step == at
    train(toy_model(tokenizer, seed=99), store, None, params, tmp_path / "stopped")
    train(toy_model(tokenizer), store, None, params, tmp_path / "plain")
    assert outcome(tmp_path / "stopped") == outcome(tmp_path / "plain")


def test_a_full_disk_stops_the_run_and_it_goes_on_from_the_checkpoint_before(
    tokenizer: Any, store: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from workbench_lib import checkpoints

    def full_from_step_20(tensors: Any, path: Path) -> None:
        written.append(path)
        if len(written) > 2:  # the model and the optimiser of step 10
            raise OSError(28, "No space left on device")
        save_file(tensors, path)

    params, written, save_file = toy_params(steps=25, validate_every=100), [], checkpoints.save_file
    with monkeypatch.context() as patch:
        patch.setattr(checkpoints, "save_file", full_from_step_20)
        with pytest.raises(CheckpointError, match=r"step 20 could not be written .*No space left"):
            train(toy_model(tokenizer), store, None, params, tmp_path / "full")
    assert Progress.read(tmp_path / "full/checkpoints/last/progress.json").step == 10
    train(toy_model(tokenizer, seed=99), store, None, params, tmp_path / "full")
    train(toy_model(tokenizer), store, None, params, tmp_path / "plain")
    assert outcome(tmp_path / "full") == outcome(tmp_path / "plain")


def test_outside_a_run_sigterm_means_what_it_meant_before() -> None:
    seen: list[str] = []
    with on_sigterm(lambda: seen.append("outer")):
        with on_sigterm(lambda: seen.append("inner")):
            os.kill(os.getpid(), signal.SIGTERM)
        os.kill(os.getpid(), signal.SIGTERM)
    assert seen == ["inner", "outer"]
    assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL


def test_the_toy_has_a_tokenizer_that_every_process_makes_alike() -> None:
    first, second = (toy_tokenizer().backend_tokenizer.to_str() for _ in range(2))
    assert first == second
