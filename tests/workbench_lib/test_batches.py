"""Every example once an epoch, within the budget, in an order that is a pure function of seed and place."""

from __future__ import annotations

import itertools
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench_lib import batches as batching
from workbench_lib.batches import BatchStream, Position, all_batches, pool_batches, shuffled

lengths_of_examples = st.lists(st.tuples(st.integers(2, 60), st.integers(2, 40)), min_size=1, max_size=80).map(
    lambda pairs: np.array(pairs, dtype=np.uint16)
)


@pytest.fixture
def small_pools(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batching, "POOL", 7)


# --- the order ---------------------------------------------------------------------------------------------------


@settings(max_examples=200, deadline=None)
@given(size=st.integers(1, 3000), seed=st.integers(0, 2**40), epoch=st.integers(0, 100))
def test_a_shuffle_is_a_permutation_of_any_size(size: int, seed: int, epoch: int) -> None:
    found = shuffled(np.arange(size), size, [seed, epoch])
    assert sorted(found.tolist()) == list(range(size))


@settings(max_examples=50, deadline=None)
@given(data=st.data(), size=st.integers(1, 10**9))
def test_a_place_is_shuffled_alone_as_among_others(data: Any, size: int) -> None:
    places = np.array(data.draw(st.lists(st.integers(0, size - 1), min_size=1, max_size=20)))
    together = shuffled(places, size, [1, 2])
    assert [int(shuffled(places[k : k + 1], size, [1, 2])[0]) for k in range(len(places))] == together.tolist()
    assert (together < size).all()


@pytest.mark.parametrize("size", [3, 5, 40])
def test_every_example_is_as_likely_at_every_place(size: int) -> None:
    """Chi-squared against the uniform, over many seeds; 5 standard deviations are allowed."""
    draws = 4000
    counts = np.zeros((size, size))
    for seed in range(draws):
        counts[np.arange(size), shuffled(np.arange(size), size, [seed])] += 1
    expected = draws / size
    chi_squared, freedom = ((counts - expected) ** 2 / expected).sum(), (size - 1) ** 2
    assert abs(chi_squared - freedom) < 5 * np.sqrt(2 * freedom)


def test_all_orders_of_three_come_about_as_often() -> None:
    orders = Counter(tuple(shuffled(np.arange(3), 3, [seed]).tolist()) for seed in range(6000))
    assert len(orders) == 6
    assert max(abs(count - 1000) for count in orders.values()) < 5 * np.sqrt(1000)


def test_neighbours_are_torn_apart() -> None:
    found = shuffled(np.arange(100_000), 100_000, [13, 0])
    assert abs(np.corrcoef(found[:-1], found[1:])[0, 1]) < 0.02
    assert abs(np.corrcoef(np.arange(len(found)), found)[0, 1]) < 0.02


# --- batches of an epoch -----------------------------------------------------------------------------------------


def epoch_of(lengths: Any, budget: int, seed: int = 0, epoch: int = 0) -> list[Any]:
    """The batches of a whole epoch, by the stream that training reads."""
    stream = BatchStream([lengths], budget, seed, positions=[Position(epoch)])
    taken = []
    while stream.positions[0].epoch == epoch:
        taken.append(stream.take(1)[0].examples)
    return taken


@settings(max_examples=200, deadline=None)
@given(lengths=lengths_of_examples, budget=st.integers(1, 400), seed=st.integers(0, 5), epoch=st.integers(0, 5))
def test_an_epoch_uses_every_example_once_within_the_budget(lengths: Any, budget: int, seed: int, epoch: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(batching, "POOL", 16)
        batches = epoch_of(lengths, budget, seed, epoch)
    assert sorted(i for batch in batches for i in batch.tolist()) == list(range(len(lengths)))
    for batch in batches:
        longest = lengths[batch].max(axis=0).astype(int)
        assert len(batch) == 1 or len(batch) * longest.sum() <= budget


@settings(max_examples=100, deadline=None)
@given(lengths=lengths_of_examples, budget=st.integers(1, 400))
def test_evaluation_uses_every_example_once_within_the_budget(lengths: Any, budget: int) -> None:
    batches = list(all_batches(lengths, budget))
    assert sorted(i for batch in batches for i in batch.tolist()) == list(range(len(lengths)))
    for batch in batches:
        assert len(batch) == 1 or len(batch) * int(lengths[batch].max(axis=0).sum()) <= budget


def test_a_batch_takes_as_many_as_fit() -> None:
    """Sorted by source, then target: (2,2) (3,2) | (5,5) alone: 2 x (3 + 2) = 10 fits, with (5,5) it would be 30."""
    batches = list(all_batches(np.array([(5, 5), (3, 2), (2, 2)]), 10))
    assert [batch.tolist() for batch in batches] == [[2, 1], [0]]


@settings(max_examples=50, deadline=None)
@given(lengths=lengths_of_examples, budget=st.integers(1, 400))
def test_an_epoch_is_a_pure_function_of_its_arguments(lengths: Any, budget: int) -> None:
    first = [batch.tolist() for batch in pool_batches(lengths, budget, seed=1, epoch=2, pool=0)]
    np.random.default_rng().random()
    assert [batch.tolist() for batch in pool_batches(lengths, budget, seed=1, epoch=2, pool=0)] == first


def test_the_order_is_the_same_in_another_process() -> None:
    program = (
        "import numpy as np; from workbench_lib.batches import BatchStream;"
        "s = BatchStream([np.full((50, 2), 5)], 30, 7);"
        "print([b.examples.tolist() for b in s.take(20)])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    here = [batch.examples.tolist() for batch in BatchStream([np.full((50, 2), 5)], 30, 7).take(20)]
    assert done.stdout == f"{here}\n"


@pytest.mark.usefixtures("small_pools")
def test_pools_are_cut_and_batched_one_after_the_other() -> None:
    lengths = np.full((23, 2), 5)
    batches = epoch_of(lengths, 30)  # 3 examples of 10 tokens a batch
    assert sorted(map(len, batches)) == [1, 1, 1, 2, 3, 3, 3, 3, 3, 3]  # pools of 7, 7, 7 and 2
    assert sorted(i for batch in batches for i in batch.tolist()) == list(range(23))


def test_epochs_and_seeds_differ() -> None:
    orders = [
        tuple(i for batch in epoch_of(np.full((50, 2), 5), 30, seed, epoch) for i in batch.tolist())
        for seed, epoch in ((0, 0), (0, 1), (1, 0))
    ]
    assert len(set(orders)) == 3


def test_batches_hold_examples_of_like_length() -> None:
    lengths = np.array([(length, 2) for length in [10, 50] * 20])
    mixed = [batch for batch in epoch_of(lengths, 104) if np.ptp(lengths[batch, 0])]
    assert len(mixed) <= 1  # where the short ones end and the long ones begin


def test_batches_come_in_mixed_order_of_length() -> None:
    lengths = np.array([(2 + i, 2) for i in range(50)])
    firsts = [int(lengths[batch[0], 0]) for batch in epoch_of(lengths, 60)]
    assert firsts not in (sorted(firsts), sorted(firsts, reverse=True))


# --- the stream --------------------------------------------------------------------------------------------------


def as_lists(taken: list[Any]) -> list[tuple[int, list[int]]]:
    return [(batch.corpus, batch.examples.tolist()) for batch in taken]


@pytest.mark.usefixtures("small_pools")
@pytest.mark.parametrize("stop", [1, 4, 9, 23, 60])
def test_a_stream_goes_on_from_any_place(stop: int) -> None:
    lengths = [np.array([(2 + k % 5, 3) for k in range(size)]) for size in (23, 11)]
    weights = (2.0, 1.0)
    expected = as_lists(BatchStream(lengths, 30, 5, weights).take(100))
    first = BatchStream(lengths, 30, 5, weights)
    taken = as_lists(first.take(stop))
    resumed = BatchStream(lengths, 30, 5, weights, first.positions, first.taken)
    assert taken + as_lists(resumed.take(100 - stop)) == expected


def test_a_stream_does_not_depend_on_how_many_are_taken_at_once() -> None:
    lengths = np.full((50, 2), 5)
    one, three = BatchStream([lengths], 30, 5), BatchStream([lengths], 30, 5)
    singly = [batch for _ in range(30) for batch in one.take(1)]
    assert as_lists(singly) == as_lists([batch for _ in range(10) for batch in three.take(3)])


def test_corpora_get_their_shares_of_the_batches_all_along() -> None:
    lengths = [np.full((size, 2), 5) for size in (4000, 30, 300)]
    stream = BatchStream(lengths, 30, 5, weights=(5, 3, 2))
    so_far: Counter[int] = Counter()
    for step in range(1, 501):
        so_far[stream.take(1)[0].corpus] += 1
        for corpus, share in enumerate((0.5, 0.3, 0.2)):
            assert abs(so_far[corpus] - share * step) < 1.0 + 1e-9
    assert stream.taken == [250, 150, 100]
    assert stream.positions[1].epoch > 0 == stream.positions[0].epoch  # the small one has begun again


def test_two_corpora_of_one_size_are_shuffled_differently() -> None:
    lengths = np.full((50, 2), 5)
    taken = BatchStream([lengths, lengths], 30, 5, weights=(1, 1)).take(20)
    of_each = [[batch.examples.tolist() for batch in taken if batch.corpus == k] for k in (0, 1)]
    assert of_each[0] != of_each[1]


# --- memory ------------------------------------------------------------------------------------------------------


class Watched(np.memmap):  # type: ignore[type-arg]
    """A memory map that notes the rows it was asked for."""

    asked: list[int]

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, np.ndarray):
            Watched.asked.append(len(key))
        elif isinstance(key, slice):
            raise AssertionError(f"a slice of the whole was read: {key}")
        return super().__getitem__(key)


def test_of_a_corpus_of_twenty_million_only_a_pool_is_touched(tmp_path: Path) -> None:
    rows = 20_000_000
    with (tmp_path / "lengths").open("wb") as file:
        file.truncate(4 * rows)  # a sparse file: zeros
    Watched.asked = []
    lengths = np.memmap(tmp_path / "lengths", np.uint16, "r", shape=(rows, 2)).view(Watched)
    stream = BatchStream([lengths], 1024, 3)
    taken = list(itertools.chain.from_iterable(batch.examples.tolist() for batch in stream.take(1)))
    assert Watched.asked == [batching.POOL]
    assert len(set(taken)) == len(taken)
    assert max(taken) > rows // 2  # from all over the corpus
