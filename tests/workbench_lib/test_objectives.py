"""Losses are sums over targets, each worked out by hand, and neither padding nor batching changes them."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from workbench_toy_training import PAIRS, toy_classifier, toy_model, toy_store, toy_t5

from workbench_lib.objectives import (
    CLASSES,
    TARGET_TOKENS,
    class_loss,
    mean_loss,
    shifted_right,
    target_logits,
    token_accuracy,
    token_loss,
)
from workbench_lib.tokens import TokenStore, collate


@pytest.fixture(autouse=True)
def one_thread() -> None:
    torch.set_num_threads(1)


@pytest.fixture
def store(tokenizer: Any, tmp_path: Path) -> TokenStore:
    return toy_store(tmp_path / "tokens", tokenizer)


@pytest.fixture
def model(tokenizer: Any) -> Any:
    return toy_model(tokenizer).eval()


def logits_by_hand(model: Any, store: TokenStore, index: int, start: int = 2) -> Any:
    """The scores of one example without any padding, in 64 bits: (target, vocabulary)."""
    target = store.target(index).astype(np.int64)
    shifted = np.concatenate([[start], target[:-1]])  # </s> <s> a b -> <s> a b </s>
    source = torch.tensor(store.source(index).astype(np.int64))[None]
    with torch.no_grad():
        logits = model(input_ids=source, decoder_input_ids=torch.tensor(shifted)[None]).logits[0]
    return logits.double().numpy()


def loss_by_hand(
    model: Any, store: TokenStore, index: int, smoothing: float = 0.0, start: int = 2
) -> tuple[float, int]:
    """The summed cross-entropy of one example, and its targets."""
    scores, target = logits_by_hand(model, store, index, start), store.target(index).astype(np.int64)
    log_probabilities = scores - np.log(np.exp(scores).sum(axis=1, keepdims=True))
    gold = -log_probabilities[np.arange(len(target)), target].sum()
    uniform = -log_probabilities.mean(axis=1).sum()
    return (1 - smoothing) * gold + smoothing * uniform, len(target)


# --- tokens ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_token_loss_is_the_sum_over_examples_each_by_hand(model: Any, store: TokenStore, smoothing: float) -> None:
    indices = [0, 1, 2, 3]
    assert len({len(store.target(i)) for i in indices}) > 1  # so that padding is there
    expected = sum(loss_by_hand(model, store, i, smoothing)[0] for i in indices)
    with torch.no_grad():
        loss = token_loss(model, collate(store, indices, pad=1), smoothing)
    assert loss.item() == pytest.approx(expected, rel=1e-5)


def test_token_loss_is_the_models_own_mean_times_the_tokens(model: Any, store: TokenStore) -> None:
    batch = collate(store, [0, 1, 2, 3], pad=1)
    tokens = int((batch["labels"] != -100).sum())
    with torch.no_grad():
        assert token_loss(model, batch).item() == pytest.approx(model(**batch).loss.item() * tokens, rel=1e-5)


def test_a_t5_is_taught_by_the_same_loss(tokenizer: Any, store: TokenStore) -> None:
    model = toy_t5(tokenizer).eval()
    expected = sum(loss_by_hand(model, store, i, start=tokenizer.pad_token_id)[0] for i in (0, 1))
    with torch.no_grad():
        assert token_loss(model, collate(store, [0, 1], pad=1)).item() == pytest.approx(expected, rel=1e-5)


def test_more_padding_changes_nothing(model: Any, store: TokenStore) -> None:
    batch = collate(store, [0, 1, 2], pad=1)
    wider = {
        name: torch.nn.functional.pad(batch[name], (0, 17), value=value)
        for name, value in (("input_ids", 1), ("attention_mask", 0), ("labels", -100))
    }
    with torch.no_grad():
        losses = [token_loss(model, b, 0.1).item() for b in (batch, wider)]
    assert losses[0] == pytest.approx(losses[1], rel=1e-5)


def test_nothing_attends_to_padding(model: Any, store: TokenStore) -> None:
    """Whatever stands where the mask is 0, the scores of every target are the same."""
    batch = collate(store, [2, 3], pad=1)
    padding = batch["attention_mask"] == 0
    assert padding.any()
    noisy = {**batch, "input_ids": torch.where(padding, 77, batch["input_ids"])}
    targets = batch["labels"] != -100
    with torch.no_grad():
        scores, others = target_logits(model, batch), target_logits(model, noisy)
    assert torch.allclose(scores[targets], others[targets], atol=1e-5)
    attended = {**noisy, "attention_mask": torch.ones_like(padding).long()}
    with torch.no_grad():
        assert not torch.allclose(scores[targets], target_logits(model, attended)[targets], atol=1e-3)


def test_the_decoder_reads_its_start_token_whatever_the_bos_token_is() -> None:
    config = SimpleNamespace(decoder_start_token_id=7, bos_token_id=0, pad_token_id=1)
    labels = torch.tensor([[0, 50, 60, 2], [0, 50, 2, -100]])  # <s> a b </s>, and one shorter
    assert shifted_right(labels, config).tolist() == [[7, 0, 50, 60], [7, 0, 50, 2]]
    ignored = torch.tensor([[0, 2, -100, -100]])
    assert shifted_right(ignored, config).tolist() == [[7, 0, 2, 1]]  # -100 becomes the padding token


@pytest.mark.parametrize("make", [toy_model, toy_t5])
def test_the_decoder_reads_what_the_model_itself_would_make_it(tokenizer: Any, store: TokenStore, make: Any) -> None:
    model = make(tokenizer)
    labels = collate(store, [0, 1, 2], pad=1)["labels"]
    expected = model.prepare_decoder_input_ids_from_labels(labels)
    assert shifted_right(labels, model.config).tolist() == expected.tolist()


# --- classes -----------------------------------------------------------------------------------------------------


def test_class_loss_is_the_sum_over_examples_each_by_hand(tokenizer: Any, store: TokenStore) -> None:
    model = toy_classifier(tokenizer).eval()
    batch = {**collate(store, [0, 1, 3], pad=1), "labels": torch.tensor([[2], [0], [1]])}
    expected = 0.0
    for index, label in zip([0, 1, 3], (2, 0, 1), strict=True):
        with torch.no_grad():
            source = torch.tensor(store.source(index).astype(np.int64))[None]
            scores = model(input_ids=source).logits[0].double().numpy()  # (class,)
        expected -= float(scores[label] - np.log(np.exp(scores).sum()))
    with torch.no_grad():
        assert class_loss(model, batch).item() == pytest.approx(expected, rel=1e-5)


def test_an_objective_counts_what_it_sums() -> None:
    assert [TARGET_TOKENS.counted(5), CLASSES.counted(1)] == [5, 1]


# --- measures ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("budget", [1, 64, 10_000])
def test_validation_loss_is_the_mean_over_all_target_tokens_unsmoothed(
    model: Any, store: TokenStore, budget: int
) -> None:
    model.train()
    found = mean_loss(model, store, budget, TARGET_TOKENS)
    assert model.training
    model.eval()
    losses, counts = zip(*(loss_by_hand(model, store, i) for i in range(len(store))), strict=True)
    assert found == pytest.approx(sum(losses) / sum(counts), rel=1e-5)
    mean_of_means = sum(loss / count for loss, count in zip(losses, counts, strict=True)) / len(losses)
    assert abs(found - mean_of_means) > 1e-4  # else this would prove nothing


def test_token_accuracy_is_the_share_of_tokens_ranked_first(model: Any, store: TokenStore) -> None:
    expected = []
    for index in range(len(PAIRS)):
        target = store.target(index).astype(np.int64)
        expected.append(float((logits_by_hand(model, store, index).argmax(axis=1) == target).mean()))
    assert token_accuracy(model, store, 100) == pytest.approx(expected)
