"""Two processes end as one does, to rounding, whether they have copies of the model or share it out."""

from __future__ import annotations

import math
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
import torch
import yaml
from safetensors.torch import load_file
from workbench_toy_training import toy_params
from workbench_toys import ToyGenerator, ToyStage

from workbench_lib import launching, learning, runs
from workbench_lib.corpus import build_corpus
from workbench_lib.launching import LaunchError, train_in_processes
from workbench_lib.metrics_log import read_metrics
from workbench_lib.runs import Run
from workbench_lib.stages import PretrainingParams

TORCHRUN = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]


@pytest.fixture(autouse=True)
def one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    torch.set_num_threads(1)
    monkeypatch.setenv("OMP_NUM_THREADS", "1")


@pytest.fixture
def corpus(home: Path) -> str:
    """The id of a finished run that has a corpus of numbers and their doubles."""
    params = ToyStage(seed=1)
    run = runs.start(params)
    build_corpus(run.corpus, ToyGenerator(), 400)
    run.finish(params, {})
    return run.id


def params_of(corpus: str) -> PretrainingParams:
    toy = toy_params(dropout=0.0, schedule="constant", batches_a_step=2, steps=20, validate_every=10, generate_every=10)
    own = {"corpus": corpus, "corpus_share": 1.0, "model": "tiny", "vocabulary": 300}
    return PretrainingParams.make({**toy.model_dump(), **own})


def trained_here(params: PretrainingParams) -> Run:
    run = runs.start(params)
    run.finish(params, learning.pretrain(params, run))
    return run


def trained_by_torchrun(params: PretrainingParams, folder: Path) -> Run:
    path = folder / "params.yaml"
    path.write_text(yaml.safe_dump(params.model_dump(mode="json")))
    command = [*TORCHRUN, "-m", "workbench_lib", "train", "--params", str(path), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    return Run(folder / "runs" / params.run_id())


def measured(run: Run) -> list[float]:
    names = ("loss", "validation_loss", "gradient_norm", "tokens", "padding")
    rows = read_metrics(run.folder / "metrics.jsonl")
    return [value for row in rows for name, value in row.items() if name in names]


def apart(first: Run, second: Run, start: dict[str, Any]) -> float:
    """How far two models are from one another, as a share of the way that the first one went."""
    a, b = (load_file(run.model / "model.safetensors") for run in (first, second))
    assert a.keys() == b.keys()
    between, way = (math.sqrt(sum(float(((x[n] - a[n]) ** 2).sum()) for n in a)) for x in (b, start))
    return between / way


@pytest.mark.slow
def test_two_processes_end_as_one(
    corpus: str, home: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    params, homes = params_of(corpus), {"one": home}
    for name in ("copies", "shards"):
        homes[name] = tmp_path_factory.mktemp(name)
        shutil.copytree(home / "runs", homes[name] / "runs")
    one = trained_here(params)
    untrained = learning.pretraining_learner(params, learning.pretraining_corpora(params), one).model.state_dict()

    monkeypatch.setenv("WORKBENCH_HOME", str(homes["copies"]))
    copies = trained_by_torchrun(params, homes["copies"])
    assert copies.is_done
    assert measured(copies) == pytest.approx(measured(one), rel=1e-3)
    assert apart(one, copies, untrained) < 0.01

    # Shared out, in two parts: ten steps by torchrun, ten more as a notebook would start them, from the checkpoint.
    monkeypatch.setenv("WORKBENCH_HOME", str(homes["shards"]))
    half = trained_by_torchrun(params_of(corpus).model_copy(update={"steps": 10, "shard": True}), homes["shards"])
    whole = params.model_copy(update={"processes": 2, "shard": True})
    rest = runs.start(whole)
    for name in ("checkpoints", "tokenizer"):
        shutil.copytree(half.folder / name, rest.folder / name)
    shutil.copy(half.folder / "metrics.jsonl", rest.folder)
    rest.finish(whole, learning.pretrain(whole, rest))
    assert rest.id == one.id  # how many processes there were is no part of a run's name
    assert measured(rest) == pytest.approx(measured(one), rel=1e-3)
    assert apart(one, rest, untrained) < 0.01
    for run in (copies, rest):  # generating works while the model is copied or shared out
        rows = read_metrics(run.folder / "metrics.jsonl")
        assert [row["step"] for row in rows if "exact_match" in row] == [10, 20]


@pytest.mark.slow
def test_processes_that_fail_are_one_error_that_says_why(corpus: str) -> None:
    """An odd number of batches cannot be shared by two."""
    run = runs.start(params_of(corpus).model_copy(update={"batches_a_step": 3, "processes": 2}))
    with pytest.raises(LaunchError) as caught:
        train_in_processes(run, 2)
    told = "error: batches_a_step=3 cannot be shared by 2 processes\n"
    assert str(caught.value) == f"training in 2 processes ended with code 1:\n{told}"


def test_sigterm_is_passed_on_to_the_processes(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They end in order, and nothing goes on training without its notebook."""
    program = "import os, time; print(os.getpid(), flush=True); time.sleep(60)"
    popen = subprocess.Popen

    def short(_: Any, **how: Any) -> Any:
        return popen([sys.executable, "-c", program], **how)

    monkeypatch.setattr(launching.subprocess, "Popen", short)
    killer = popen([sys.executable, "-c", f"import os, time; time.sleep(1); os.kill({os.getpid()}, 15)"])
    began = time.monotonic()
    with pytest.raises(LaunchError, match="ended with code -15"):
        train_in_processes(Run(home), 2)
    killer.wait()
    assert time.monotonic() - began < 30


def test_one_process_is_its_own_first(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not launching.is_launched()
    assert launching.is_main_process()
    monkeypatch.setenv("WORLD_SIZE", "2")
    monkeypatch.setenv("RANK", "1")
    assert launching.is_launched()
    assert not launching.is_main_process()
