"""Tokenised examples on disk, and batches that use each of them once an epoch."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from workbench_toy_training import PAIRS, toy_store

from workbench_lib import tokens
from workbench_lib.tokens import TokenError, TokenStore, collate, epoch_batches, tokenise


def store_of(folder: Path, tokenizer: Any, pairs: list[tuple[str, str]], **changes: Any) -> TokenStore:
    settings = {"identity": 1, "max_source_tokens": 64, "max_target_tokens": 64, **changes}
    return tokenise(pairs, tokenizer, folder, **settings)


def test_every_example_is_its_tokens(tokenizer: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens, "CHUNK", 3)
    store = toy_store(tmp_path, tokenizer)
    assert len(store) == 8
    for i, (source, target) in enumerate(PAIRS):
        assert store.source(i).tolist() == tokenizer(source)["input_ids"]
        assert store.target(i).tolist() == tokenizer(target)["input_ids"]
    assert store.lengths.tolist() == [[len(tokenizer(text)["input_ids"]) for text in pair] for pair in PAIRS]
    assert store.meta["source_tokens"] == store.lengths[:, 0].sum()
    assert store.meta["target_tokens"] == store.lengths[:, 1].sum()


def test_an_example_over_a_limit_is_left_out_and_counted(tokenizer: Any, tmp_path: Path) -> None:
    # without training on digits, each digit is one token; <s> and </s> make two more
    pairs = [("1" * 8, "2"), ("3" * 9, "4"), ("5", "6" * 8), ("7", "8" * 9), ("9", "0")]
    store = store_of(tmp_path, tokenizer, pairs, max_source_tokens=10, max_target_tokens=10)
    assert store.meta["too_long"] == 2
    kept = [tokenizer.decode(store.source(i), skip_special_tokens=True) for i in range(len(store))]
    assert kept == ["1" * 8, "5", "9"]


def test_the_same_texts_are_opened_without_tokenising_again(tokenizer: Any, tmp_path: Path) -> None:
    store_of(tmp_path, tokenizer, PAIRS)
    written = {path: path.stat().st_mtime_ns for path in tmp_path.iterdir()}

    def never() -> Any:
        raise AssertionError("the texts were read again")
        yield

    assert len(store_of(tmp_path, tokenizer, never())) == 8
    assert {path: path.stat().st_mtime_ns for path in tmp_path.iterdir()} == written


@pytest.mark.parametrize("change", [{"identity": 2}, {"max_source_tokens": 63}, {"max_target_tokens": 63}])
def test_tokens_of_other_texts_are_refused(tokenizer: Any, tmp_path: Path, change: dict[str, Any]) -> None:
    store_of(tmp_path, tokenizer, PAIRS)
    with pytest.raises(TokenError, match=f"{tmp_path}: holds tokens of other texts or another tokenizer"):
        store_of(tmp_path, tokenizer, PAIRS, **change)


def test_tokens_of_another_tokenizer_are_refused(tokenizer: Any, tmp_path: Path) -> None:
    from workbench_lib.seq2seq import train_tokenizer

    store_of(tmp_path, tokenizer, PAIRS)
    with pytest.raises(TokenError, match="another tokenizer"):
        store_of(tmp_path, train_tokenizer(["xyz"], 270), PAIRS)


def test_an_unfinished_folder_is_written_anew(tokenizer: Any, tmp_path: Path) -> None:
    store_of(tmp_path, tokenizer, PAIRS)
    (tmp_path / "meta.json").unlink()
    assert store_of(tmp_path, tokenizer, PAIRS[:3]).lengths.shape == (3, 2)


def test_nothing_left_is_an_error_and_leaves_the_folder_unfinished(tokenizer: Any, tmp_path: Path) -> None:
    with pytest.raises(
        TokenError, match="no examples: all 1 are longer than max_source_tokens=8 or max_target_tokens=64"
    ):
        store_of(tmp_path, tokenizer, [("1" * 20, "2")], max_source_tokens=8)
    assert not (tmp_path / "meta.json").exists()


# --- batches -----------------------------------------------------------------------------------------------------

lengths_of_examples = st.lists(st.tuples(st.integers(2, 60), st.integers(2, 40)), min_size=1, max_size=80).map(
    lambda pairs: np.array(pairs, dtype=np.int64)
)


@settings(max_examples=200, deadline=None)
@given(lengths=lengths_of_examples, budget=st.integers(1, 400), seed=st.integers(0, 5), epoch=st.integers(0, 5))
def test_an_epoch_uses_every_example_once_within_the_budget(lengths: Any, budget: int, seed: int, epoch: int) -> None:
    batches = epoch_batches(lengths, budget, seed=seed, epoch=epoch)
    assert sorted(i for batch in batches for i in batch.tolist()) == list(range(len(lengths)))
    for batch in batches:
        cost = len(batch) * (lengths[batch, 0].max() + lengths[batch, 1].max())
        assert len(batch) == 1 or cost <= budget


@settings(max_examples=50, deadline=None)
@given(lengths=lengths_of_examples, budget=st.integers(1, 400))
def test_an_epoch_is_a_pure_function_of_its_arguments(lengths: Any, budget: int) -> None:
    first = [batch.tolist() for batch in epoch_batches(lengths, budget, seed=1, epoch=2)]
    np.random.default_rng().random()
    assert [batch.tolist() for batch in epoch_batches(lengths, budget, seed=1, epoch=2)] == first


def test_pools_are_cut_and_batched_as_one_epoch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens, "POOL", 7)
    lengths = np.full((23, 2), 5)
    batches = epoch_batches(lengths, 30, seed=0, epoch=0)  # 3 examples of 10 tokens a batch
    assert sorted(map(len, batches)) == [1, 1, 1, 2, 3, 3, 3, 3, 3, 3]  # pools of 7, 7, 7 and 2
    assert sorted(i for batch in batches for i in batch.tolist()) == list(range(23))


def test_epochs_and_seeds_differ() -> None:
    lengths = np.full((50, 2), 5)
    orders = [
        tuple(i for batch in epoch_batches(lengths, 30, seed=seed, epoch=epoch) for i in batch.tolist())
        for seed, epoch in ((0, 0), (0, 1), (1, 0))
    ]
    assert len(set(orders)) == 3


def test_batches_hold_examples_of_like_length() -> None:
    lengths = np.array([(length, 2) for length in [10, 50] * 20])
    for batch in epoch_batches(lengths, 104, seed=0, epoch=0):
        assert np.ptp(lengths[batch, 0]) == 0 or math.prod((len(batch), 52)) <= 104


def test_batches_come_in_mixed_order_of_length() -> None:
    lengths = np.array([(2 + i, 2) for i in range(50)])
    firsts = [int(lengths[batch[0], 0]) for batch in epoch_batches(lengths, 60, seed=0, epoch=0)]
    assert firsts not in (sorted(firsts), sorted(firsts, reverse=True))


def test_collate_pads_sources_and_ignores_padded_labels(tokenizer: Any, tmp_path: Path) -> None:
    store = store_of(tmp_path, tokenizer, [("12", "345"), ("1", "3")])
    one, two, three, four, five = (tokenizer(digit)["input_ids"][1] for digit in "12345")
    batch = collate(store, [1, 0], pad=1)
    assert batch["input_ids"].tolist() == [[0, one, 2, 1], [0, one, two, 2]]
    assert batch["attention_mask"].tolist() == [[1, 1, 1, 0], [1, 1, 1, 1]]
    assert batch["labels"].tolist() == [[0, three, 2, -100, -100], [0, three, four, five, 2]]
