"""When a run is over, and how much of it."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from workbench_toy_training import toy_params

from workbench_lib.batches import BatchStream, Position
from workbench_lib.files import write_json
from workbench_lib.metrics_log import Tally
from workbench_lib.progress import Progress


@pytest.mark.parametrize(
    ("done", "is_over"),
    [
        ({"step": 59, "tokens": 499, "examples": 79}, False),
        ({"step": 60}, True),
        ({"tokens": 500}, True),
        ({"examples": 80}, True),
        ({"not_better_for": 2}, False),
        ({"not_better_for": 3}, True),
    ],
)
def test_whichever_limit_comes_first_ends_a_run(done: dict[str, int], is_over: bool) -> None:
    params = toy_params(steps=60, max_tokens=500, max_examples=80, patience=3)
    assert Progress(**done).is_over(params) == is_over


def test_a_limit_of_nothing_is_none() -> None:
    params = toy_params(steps=60, max_tokens=0, max_examples=0, patience=0)
    assert not Progress(step=59, tokens=10**12, examples=10**9, not_better_for=10**6).is_over(params)


def test_the_share_that_is_done_goes_by_the_nearest_limit() -> None:
    params = toy_params(steps=1000, max_tokens=400, max_examples=0, warmup_steps=0)
    assert Progress(step=10, tokens=100).share_done(params) == 0.25
    assert Progress(step=500, tokens=100).share_done(params) == 0.5


def test_the_share_that_is_done_begins_where_the_warm_up_ends() -> None:
    """20 of 100 tokens a step, 2 steps of warm-up: 40 tokens; after 3 steps (60 - 40) / (100 - 40)."""
    params = toy_params(steps=1000, max_tokens=100, warmup_steps=2)
    shares = [Progress(step=step, tokens=20 * step).share_done(params) for step in range(5)]
    assert shares == pytest.approx([0, 0, 0, 1 / 3, 2 / 3])


@given(steps=st.integers(1, 200), warmup=st.integers(0, 220), tokens=st.integers(0, 2000))
def test_a_share_lies_between_nothing_and_all(steps: int, warmup: int, tokens: int) -> None:
    params = toy_params(steps=steps, warmup_steps=warmup, max_tokens=tokens)
    shares = [Progress(step=step, tokens=9 * step).share_done(params) for step in range(steps)]
    inside = [s for step, s in enumerate(shares) if not Progress(step=step, tokens=9 * step).is_over(params)]
    assert inside == sorted(inside)
    assert all(0 <= share < 1 for share in inside)


def test_a_validation_is_better_only_if_it_is_lower() -> None:
    progress = Progress()
    seen = []
    for loss in (3.0, 2.0, 2.0, 2.5, 1.5):
        progress = progress.validated(loss)
        seen.append((progress.best_loss, progress.not_better_for))
    assert seen == [(3.0, 0), (2.0, 0), (2.0, 1), (2.0, 2), (1.5, 0)]


def test_a_step_adds_what_it_saw() -> None:
    stream = BatchStream([np.full((6, 2), 5)], 20, 0)
    stream.take(1)
    lengths = np.array([(5, 3), (4, 2)], np.uint16)
    after = Progress(data=("a",), step=3, tokens=10, examples=2).after(stream, lengths, Tally((1.0,)), 2.5)
    positions = (Position(0, 0, 1),)
    assert after == Progress(("a",), 4, 24, 4, positions, (1,), None, 0, Tally((1.0,)), 2.5)


any_float = st.floats(0, 1e9, allow_nan=False)
counts = st.integers(0, 2**40)


@given(
    numbers=st.fixed_dictionaries({"step": counts, "tokens": counts, "examples": counts, "not_better_for": counts}),
    best=st.none() | any_float,
    losses=st.lists(any_float).map(tuple),
    norm=any_float,
    place=st.tuples(counts, counts, counts),
)
def test_progress_is_read_as_it_was_written(
    tmp_path_factory: pytest.TempPathFactory, numbers: Any, best: Any, losses: Any, norm: float, place: Any
) -> None:
    path: Path = tmp_path_factory.getbasetemp() / "progress.json"
    tally = replace(Tally(losses, norm), tokens=numbers["tokens"])
    progress = Progress(
        data=("x", "y"), positions=(Position(*place), Position()), taken=(3, 4), best_loss=best, tally=tally, **numbers
    )
    write_json(path, asdict(progress))
    assert Progress.read(path) == progress
