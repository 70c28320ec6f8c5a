"""Tokenised examples on disk: once, whole, with every example that is left out counted, and named by its row."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from workbench_toy_training import PAIRS, toy_store

from workbench_lib import tokens
from workbench_lib.tokens import IGNORED, TokenError, TokenStore, collate, cut, store_identity, tokenise


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
    assert [store.row(i) for i in range(3)] == [0, 2, 4]


@pytest.mark.parametrize("chunk", [1, 2, 3, 1000])
def test_rows_count_what_was_left_out_over_all_chunks(
    tokenizer: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chunk: int
) -> None:
    monkeypatch.setattr(tokens, "CHUNK", chunk)
    pairs = [("1" * (30 if k in (0, 3, 4) else 3), str(k)) for k in range(7)]
    store = store_of(tmp_path, tokenizer, pairs, max_source_tokens=10)
    assert [store.row(i) for i in range(len(store))] == [1, 2, 5, 6]
    assert [tokenizer.decode(store.target(i), skip_special_tokens=True) for i in range(4)] == ["1", "2", "5", "6"]


def test_for_evaluation_long_examples_are_cut_and_keep_their_end(tokenizer: Any, tmp_path: Path) -> None:
    pairs = [("1" * 20, "2"), ("3", "4" * 20), ("5", "6")]
    store = store_of(tmp_path, tokenizer, pairs, max_source_tokens=10, max_target_tokens=9, cut_long=True)
    assert (len(store), store.meta["too_long"]) == (3, 2)
    assert [store.row(i) for i in range(3)] == [0, 1, 2]
    one, four = (tokenizer(digit)["input_ids"][1] for digit in "14")
    assert store.source(0).tolist() == [0, *[one] * 8, 2]
    assert store.target(1).tolist() == [0, *[four] * 7, 2]
    assert store.source(2).tolist() == tokenizer("5")["input_ids"]


def test_cut_leaves_what_fits() -> None:
    assert cut([0, 7, 8, 2], 4) == [0, 7, 8, 2]
    assert cut([0, 7, 8, 2], 3) == [0, 7, 2]


def test_the_same_texts_are_opened_without_tokenising_again(tokenizer: Any, tmp_path: Path) -> None:
    store_of(tmp_path, tokenizer, PAIRS)
    written = {path: path.stat().st_mtime_ns for path in tmp_path.iterdir()}

    def never() -> Any:
        raise AssertionError("the texts were read again")
        yield

    assert len(store_of(tmp_path, tokenizer, never())) == 8
    assert {path: path.stat().st_mtime_ns for path in tmp_path.iterdir()} == written


CHANGES = [{"identity": 2}, {"max_source_tokens": 63}, {"max_target_tokens": 63}, {"cut_long": True}]


@pytest.mark.parametrize("change", CHANGES)
def test_tokens_of_other_texts_are_refused(tokenizer: Any, tmp_path: Path, change: dict[str, Any]) -> None:
    store_of(tmp_path, tokenizer, PAIRS)
    with pytest.raises(TokenError, match=f"{tmp_path}: holds tokens of other texts or another tokenizer"):
        store_of(tmp_path, tokenizer, PAIRS, **change)


def test_tokens_of_another_tokenizer_are_refused(tokenizer: Any, tmp_path: Path) -> None:
    from workbench_lib.seq2seq import train_tokenizer

    store_of(tmp_path, tokenizer, PAIRS)
    with pytest.raises(TokenError, match="another tokenizer"):
        store_of(tmp_path, train_tokenizer(["xyz"], 270), PAIRS)


def test_tokens_of_an_older_version_of_the_code_are_refused(
    tokenizer: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R02: what an edited preprocessing would make is never read from before the edit."""
    store_of(tmp_path, tokenizer, PAIRS)
    monkeypatch.setattr(tokens, "VERSION", tokens.VERSION + 1)
    with pytest.raises(TokenError, match="other texts"):
        store_of(tmp_path, tokenizer, PAIRS)


def test_an_added_token_makes_another_identity(tokenizer: Any, tmp_path: Path) -> None:
    from workbench_lib.seq2seq import load_tokenizer

    tokenizer.save_pretrained(tmp_path)
    larger = load_tokenizer(tmp_path)
    same = store_identity(1, larger, 8, 8, cut_long=False)
    assert same == store_identity(1, tokenizer, 8, 8, cut_long=False)
    larger.add_tokens(["[NEW]"])
    assert store_identity(1, larger, 8, 8, cut_long=False) != same


@pytest.mark.parametrize("name", ["lengths", "rows", "source.ids", "source.starts", "target.ids", "target.starts"])
@pytest.mark.parametrize("damage", ["cut", "gone"])
def test_a_damaged_file_is_named(tokenizer: Any, tmp_path: Path, name: str, damage: str) -> None:
    store_of(tmp_path, tokenizer, PAIRS)
    path = tmp_path / name
    size = path.stat().st_size
    if damage == "cut":
        os.truncate(path, size - 1)
    else:
        path.unlink()
    found = size - 1 if damage == "cut" else None
    with pytest.raises(TokenError, match=f"{path}: damaged: {found} bytes, not {size}"):
        store_of(tmp_path, tokenizer, PAIRS)


def test_a_full_disk_is_named_and_leaves_the_folder_unfinished(
    tokenizer: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Full(io.BytesIO):
        def write(self, _: Any) -> int:
            raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "open", lambda *_: Full())
        with pytest.raises(TokenError, match=f"{tmp_path}: could not be written .*No space left"):
            store_of(tmp_path, tokenizer, PAIRS)
    assert not (tmp_path / "meta.json").exists()
    assert len(store_of(tmp_path, tokenizer, PAIRS)) == 8


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


def test_collate_pads_sources_and_ignores_padded_labels(tokenizer: Any, tmp_path: Path) -> None:
    store = store_of(tmp_path, tokenizer, [("12", "345"), ("1", "3")])
    one, two, three, four, five = (tokenizer(digit)["input_ids"][1] for digit in "12345")
    batch = collate(store, [1, 0], pad=1)
    assert batch["input_ids"].tolist() == [[0, one, 2, 1], [0, one, two, 2]]
    assert batch["attention_mask"].tolist() == [[1, 1, 1, 0], [1, 1, 1, 1]]
    assert batch["labels"].tolist() == [[0, three, 2, -100, -100], [0, three, four, five, 2]]


@settings(max_examples=50, deadline=None)
@given(indices=st.lists(st.integers(0, 7), min_size=1, max_size=8))
def test_labels_that_are_ignored_never_reach_the_tokenizer(
    tokenizer: Any, tmp_path_factory: pytest.TempPathFactory, indices: list[int]
) -> None:
    """R01: -100 is no token; what is left after it is taken out is the target."""
    store = toy_store(tmp_path_factory.getbasetemp() / "r01", tokenizer)
    labels = collate(store, indices, pad=1)["labels"]
    for index, row in zip(indices, labels, strict=True):
        kept = row[row != IGNORED]
        assert tokenizer.decode(kept, skip_special_tokens=True) == PAIRS[index][1]
        assert (row[len(kept) :] == IGNORED).all()
        padded = row.masked_fill(row == IGNORED, tokenizer.pad_token_id)
        assert tokenizer.decode(padded, skip_special_tokens=True) == PAIRS[index][1]


FORKED = """
import os, sys
os.environ.pop("TOKENIZERS_PARALLELISM", None)
import multiprocessing
sys.path.insert(0, sys.argv[1])
from workbench_toy_training import PAIRS, toy_tokenizer
from workbench_lib.tokens import encode
tokenizer, texts = toy_tokenizer(), [text for pair in PAIRS * 50 for text in pair]
here = encode(tokenizer, texts)
with multiprocessing.get_context("fork").Pool(2) as pool:
    there = pool.apply_async(encode, (tokenizer, texts)).get(timeout=60)
print(here == there)
"""


def test_a_forked_child_tokenises_after_its_parent_did(tmp_path: Path) -> None:
    """Threads of a tokenizer do not live on in a fork: a child that waited for them would hang."""
    command = [sys.executable, "-c", FORKED, str(Path(__file__).parent)]
    environment = {name: value for name, value in os.environ.items() if name != "TOKENIZERS_PARALLELISM"}
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, env=environment, check=False)
    assert done.stdout == "True\n", done.stderr
