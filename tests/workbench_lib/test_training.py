"""The training loop: one loss a step over all its targets, limits, best weights, and what stops it."""

from __future__ import annotations

import itertools
import math
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from workbench_toy_training import (
    PAIRS,
    outcome,
    toy_classifier,
    toy_model,
    toy_params,
    toy_store,
    toy_t5,
)

from workbench_lib import training
from workbench_lib.batches import Batch, BatchStream
from workbench_lib.checkpoints import load_checkpoint
from workbench_lib.devices import make_accelerator
from workbench_lib.generation import generate, generation_config
from workbench_lib.locks import FolderInUseError
from workbench_lib.metrics_log import read_metrics
from workbench_lib.objectives import CLASSES, TARGET_TOKENS, mean_loss, token_loss
from workbench_lib.optimisation import make_optimizer
from workbench_lib.steps import TrainingError
from workbench_lib.tokens import TokenStore, collate, tokenise
from workbench_lib.training import train


@pytest.fixture(autouse=True)
def one_thread() -> None:
    torch.set_num_threads(1)


@pytest.fixture
def store(tokenizer: Any, tmp_path: Path) -> TokenStore:
    return toy_store(tmp_path / "tokens", tokenizer)


@pytest.fixture
def model(tokenizer: Any) -> Any:
    return toy_model(tokenizer)


def same_weights(first: Any, second: Any) -> bool:
    return all(torch.equal(a, b) for a, b in zip(first.parameters(), second.parameters(), strict=True))


# --- a step ------------------------------------------------------------------------------------------------------

PLAIN = {"dropout": 0.0, "warmup_steps": 0, "weight_decay": 0.0, "label_smoothing": 0.1, "validate_every": 100}


def gradient_by_hand(model: Any, store: TokenStore, groups: list[Any]) -> list[Any]:
    """Of the mean over groups of batches, each the mean over its targets."""
    for group in groups:
        batch = collate(store, group, pad=1)
        tokens = int((batch["labels"] != -100).sum())
        (token_loss(model, batch, 0.1) / tokens / len(groups)).backward()
    return [parameter.grad for parameter in model.parameters()]


def adams_first_step(model: Any, gradients: list[Any], clip: float) -> list[Any]:
    norm = math.sqrt(sum(float((gradient**2).sum()) for gradient in gradients))
    assert norm > clip  # so that clipping does something
    clipped = [gradient * clip / norm for gradient in gradients]
    return [p.detach() - 1e-3 * g / (g.abs() + 1e-8) for p, g in zip(model.parameters(), clipped, strict=True)]


def is_close(model: Any, expected: list[Any], gradients: list[Any]) -> bool:
    """Where a gradient is next to nothing, its sign is chance, and so is Adam's first step."""
    for parameter, value, gradient in zip(model.parameters(), expected, gradients, strict=True):
        significant = gradient.abs() > 1e-5
        if not torch.allclose(parameter[significant], value[significant], atol=2e-5):
            return False
    return True


@pytest.mark.parametrize("batches_a_step", [1, 3])
def test_a_step_follows_the_gradient_of_the_mean_over_all_its_targets(
    tokenizer: Any, store: TokenStore, tmp_path: Path, batches_a_step: int
) -> None:
    """The batches of a step count as one big one, whatever their shapes; a mean of their means is something else."""
    params = toy_params(**PLAIN, steps=1, clip_norm=0.5, tokens_a_batch=80, batches_a_step=batches_a_step)
    model = toy_model(tokenizer, dropout=0.0)
    trained = train(model, store, None, params, tmp_path)
    batches = [batch.examples for batch in BatchStream([store.lengths], 80, 3).take(batches_a_step)]
    together = np.concatenate(batches)
    assert len({collate(store, batch, 1)["labels"].shape for batch in batches}) == batches_a_step

    other = toy_model(tokenizer, dropout=0.0)
    gradients = gradient_by_hand(other, store, [together])
    assert is_close(model, adams_first_step(other, gradients, 0.5), gradients)
    with torch.no_grad():
        loss = token_loss(toy_model(tokenizer, dropout=0.0), collate(store, together, 1), 0.1).item()
    assert trained.loss == pytest.approx(loss / store.lengths[together, 1].sum(), rel=1e-5)
    if batches_a_step > 1:
        other.zero_grad()
        means = gradient_by_hand(other, store, batches)
        assert not is_close(model, adams_first_step(other, means, 0.5), gradients)


def test_accumulated_steps_end_as_steps_over_the_big_batches(
    tokenizer: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Several steps: nothing is left over from one to the next."""
    pairs = [(f"{k} " * (k % 5 + 1), f"{k}") for k in range(60)]
    store = toy_store(tmp_path / "tokens", tokenizer, pairs)
    few, many = (toy_model(tokenizer, dropout=0.0) for _ in range(2))
    params = toy_params(**PLAIN, steps=4, tokens_a_batch=100, batches_a_step=3)
    train(few, store, None, params, tmp_path / "few")
    take = BatchStream.take

    def joined(stream: BatchStream, _: int) -> Any:
        batches = take(stream, 3)
        return [Batch(0, np.concatenate([batch.examples for batch in batches]))]

    monkeypatch.setattr(BatchStream, "take", joined)
    train(many, store, None, params.model_copy(update={"batches_a_step": 1}), tmp_path / "many")
    for a, b in zip(few.parameters(), many.parameters(), strict=True):
        assert torch.allclose(a, b, atol=2e-4)
    losses = [read_metrics(tmp_path / name / "metrics.jsonl")[-1]["loss"] for name in ("few", "many")]
    assert losses[0] == pytest.approx(losses[1], rel=1e-5)


def test_every_step_draws_its_dropout_anew_from_the_seed_and_its_number(
    tokenizer: Any, store: TokenStore, tmp_path: Path
) -> None:
    def seeds(folder: str, **changes: Any) -> list[int]:
        model, seen = toy_model(tokenizer), []
        model.register_forward_pre_hook(lambda *_: seen.append(torch.initial_seed()))
        train(model, store, None, toy_params(steps=12, **changes), tmp_path / folder)
        return seen

    first, again, other = seeds("first"), seeds("again"), seeds("other", seed=4)
    assert first == again
    assert len(set(first) | set(other)) == 24


# --- whole runs --------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_eight_examples_are_learnt_by_heart(tokenizer: Any, store: TokenStore, tmp_path: Path) -> None:
    model = toy_model(tokenizer, dropout=0.0)
    params = toy_params(
        steps=80, learning_rate=0.003, dropout=0.0, label_smoothing=0.0, tokens_a_batch=1000, validate_every=80
    )
    trained = train(model, store, store, params, tmp_path)
    config = generation_config(model, max_new_tokens=64, beams=1)
    written = generate(model, tokenizer, [source for source, _ in PAIRS], config, max_source_tokens=64)
    assert written.texts == [target for _, target in PAIRS]
    assert trained.steps == 80
    assert trained.validation_loss == pytest.approx(mean_loss(model, store, 1000, TARGET_TOKENS), rel=1e-6)
    assert trained.loss < 0.1


def test_the_loss_after_fifty_steps_is_the_committed_one(tokenizer: Any, store: TokenStore, tmp_path: Path) -> None:
    """A change in the order of examples, in the loss, in the schedule or in the optimiser shows here."""
    model, params = toy_model(tokenizer, dropout=0.0), toy_params(steps=50, schedule="cosine", batches_a_step=2)
    trained = train(model, store, store, params, tmp_path)
    assert trained.loss == pytest.approx(LOSS_AFTER_FIFTY, rel=1e-4)
    assert trained.validation_loss == pytest.approx(VALIDATION_LOSS_AFTER_FIFTY, rel=1e-4)


LOSS_AFTER_FIFTY, VALIDATION_LOSS_AFTER_FIFTY = 2.67966, 2.25617


def test_a_run_logs_steps_rates_and_tokens(model: Any, store: TokenStore, tmp_path: Path) -> None:
    params = toy_params(steps=25, validate_every=15)
    trained = train(model, store, store, params, tmp_path)
    rows = read_metrics(tmp_path / "metrics.jsonl")
    measured = [row for row in rows if "loss" in row]
    assert [row["step"] for row in measured] == [10, 20, 25]
    assert [row["step"] for row in rows if "validation_loss" in row] == [15, 25]
    rates = [row["learning_rate"] for row in measured]
    assert rates == pytest.approx([0.001 * f for f in (16 / 20, 6 / 20, 1 / 20)], rel=1e-9)

    batches = [batch.examples for batch in BatchStream([store.lengths], params.tokens_a_batch, 3).take(25)]
    seen = [int(store.lengths[batch].sum()) for batch in batches]
    padded = [len(batch) * int(store.lengths[batch].max(axis=0).sum()) for batch in batches]
    assert [row["tokens"] for row in measured] == [sum(seen[:10]), sum(seen[10:20]), sum(seen[20:])]
    assert measured[0]["padding"] == pytest.approx(1 - sum(seen[:10]) / sum(padded[:10]), abs=1e-4)
    assert trained.tokens == sum(seen)
    assert trained.loss == measured[-1]["loss"]
    assert trained.validation_loss == [row["validation_loss"] for row in rows if "validation_loss" in row][-1]


def test_a_finished_run_trains_no_further(tokenizer: Any, store: TokenStore, tmp_path: Path) -> None:
    params, folder = toy_params(steps=10), tmp_path
    first = toy_model(tokenizer)
    trained = train(first, store, store, params, folder)
    log = (folder / "metrics.jsonl").read_bytes()
    again = toy_model(tokenizer, seed=99)
    assert train(again, store, store, params, folder) == trained
    assert (folder / "metrics.jsonl").read_bytes() == log
    assert same_weights(first, again)


def test_a_run_can_be_made_longer_as_if_it_had_been_longer_from_the_start(
    tokenizer: Any, store: TokenStore, tmp_path: Path
) -> None:
    longer = toy_params(steps=20, schedule="constant", validate_every=100)
    train(toy_model(tokenizer), store, None, longer.model_copy(update={"steps": 10}), tmp_path / "in-two")
    train(toy_model(tokenizer), store, None, longer, tmp_path / "in-two")
    train(toy_model(tokenizer), store, None, longer, tmp_path / "in-one")
    assert outcome(tmp_path / "in-two") == outcome(tmp_path / "in-one")


@pytest.mark.parametrize(("limit", "counts"), [("max_tokens", lambda n: n.sum()), ("max_examples", len)])
def test_a_run_ends_with_the_step_that_reaches_its_limit(
    model: Any, store: TokenStore, tmp_path: Path, limit: str, counts: Callable[[Any], int]
) -> None:
    stream = BatchStream([store.lengths], 200, 3)
    seen = list(itertools.accumulate(int(counts(store.lengths[batch.examples])) for batch in stream.take(20)))
    trained = train(model, store, store, toy_params(**{limit: seen[12]}), tmp_path)
    assert trained.steps == 13
    rows = read_metrics(tmp_path / "metrics.jsonl")
    assert [row["step"] for row in rows if "loss" in row] == [10, 13]
    assert [row["step"] for row in rows if "validation_loss" in row] == [13]
    assert rows[-1]["learning_rate"] == pytest.approx(0.001 * (1 - progress_share(seen, 12)), rel=1e-9)


def progress_share(seen: list[int], step: int) -> float:
    """What is over before step 13 of what comes after 5 steps of warm-up, by the limit of 13 steps' worth."""
    done = seen[step - 1] / seen[12]
    in_warmup = done * 5 / step
    return (done - in_warmup) / (1 - in_warmup)


# --- validation --------------------------------------------------------------------------------------------------


def scripted(monkeypatch: pytest.MonkeyPatch, losses: list[float]) -> list[list[Any]]:
    """Have validations find these losses; the weights that they saw."""
    seen: list[list[Any]] = []

    def next_loss(model: Any, *_: Any) -> float:
        seen.append([parameter.detach().clone() for parameter in model.parameters()])
        return losses[len(seen) - 1]

    monkeypatch.setattr(training, "mean_loss", next_loss)
    return seen


@pytest.mark.parametrize("keep", ["best", "last"])
def test_a_run_stops_when_validation_gets_no_better_and_keeps_what_it_should(
    model: Any, store: TokenStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, keep: str
) -> None:
    seen = scripted(monkeypatch, [3.0, 2.0, 2.5, 2.0, 1.0])
    params = toy_params(validate_every=4, patience=2, keep=keep)
    trained = train(model, store, store, params, tmp_path)
    assert trained.steps == 16  # the fourth validation
    kept = {"best": (1, 2.0), "last": (3, 2.0)}[keep]
    assert trained.validation_loss == kept[1]
    assert all(torch.equal(a, b) for a, b in zip(model.parameters(), seen[kept[0]], strict=True))
    rows = read_metrics(tmp_path / "metrics.jsonl")
    assert [row["step"] for row in rows if "loss" in row] == [10, 16]
    assert trained.tokens == sum(row["tokens"] for row in rows if "loss" in row)


def test_the_best_weights_have_the_lowest_validation_loss(tokenizer: Any, store: TokenStore, tmp_path: Path) -> None:
    """A learning rate that grows too high: the last weights are not the best."""
    held_out = toy_store(tmp_path / "held-out", tokenizer, PAIRS[:2])
    params = toy_params(
        steps=40, learning_rate=0.05, schedule="constant", warmup_steps=40, validate_every=4, keep="best"
    )
    model = toy_model(tokenizer)
    trained = train(model, store, held_out, params, tmp_path)
    losses = [row["validation_loss"] for row in read_metrics(tmp_path / "metrics.jsonl") if "validation_loss" in row]
    assert losses[-1] > min(losses) == trained.validation_loss
    assert mean_loss(model, held_out, 200, TARGET_TOKENS) == pytest.approx(min(losses), rel=1e-6)


@pytest.mark.parametrize("changes", [{"keep": "best"}, {"patience": 1}])
def test_what_goes_by_validation_needs_one(
    model: Any, store: TokenStore, tmp_path: Path, changes: dict[str, Any]
) -> None:
    with pytest.raises(TrainingError, match="nothing to validate on"):
        train(model, store, None, toy_params(**changes), tmp_path)


def test_generated_metrics_come_at_their_steps_and_leave_the_model_training(
    tokenizer: Any, store: TokenStore, tmp_path: Path
) -> None:
    model, modes = toy_model(tokenizer), []

    def measure(measured: Any) -> dict[str, float]:
        assert measured is model
        measured.eval()
        torch.rand(7)  # chance that is drawn here changes nothing
        return {"exact_match": 0.25}

    handle = model.register_forward_pre_hook(lambda module, _: modes.append(module.training))
    params = toy_params(steps=25, generate_every=10, validate_every=100)
    train(model, store, None, params, tmp_path / "measured", evaluate=measure)
    handle.remove()
    assert all(modes)
    rows = read_metrics(tmp_path / "measured/metrics.jsonl")
    assert [row for row in rows if "exact_match" in row] == [
        {"step": 10, "exact_match": 0.25},
        {"step": 20, "exact_match": 0.25},
    ]
    train(toy_model(tokenizer), store, None, params, tmp_path / "plain")
    assert outcome(tmp_path / "measured")[1] == outcome(tmp_path / "plain")[1]


def test_only_the_loss_of_steps_is_compiled(
    tokenizer: Any, store: TokenStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Validation and generation come in too many shapes to be worth it."""
    calls = []

    def instead(work: Callable[..., Any], *, dynamic: bool) -> Callable[..., Any]:
        assert dynamic

        def counted(*arguments: Any) -> Any:
            calls.append(1)
            return work(*arguments)

        return counted

    monkeypatch.setattr(torch, "compile", instead)
    params = toy_params(steps=4, batches_a_step=2, validate_every=1)
    train(toy_model(tokenizer), store, store, params.model_copy(update={"compile": True}), tmp_path / "compiled")
    assert len(calls) == 8
    train(toy_model(tokenizer), store, store, params, tmp_path / "plain")
    assert outcome(tmp_path / "compiled") == outcome(tmp_path / "plain")


# --- other models, objectives and corpora ------------------------------------------------------------------------


def test_a_t5_trains_in_the_same_loop(tokenizer: Any, store: TokenStore, tmp_path: Path) -> None:
    model = toy_t5(tokenizer)
    params = toy_params(steps=60, learning_rate=0.01, tokens_a_batch=1000, label_smoothing=0.0, validate_every=60)
    before = mean_loss(model, store, 1000, TARGET_TOKENS)
    trained = train(model, store, store, params, tmp_path)
    assert trained.validation_loss is not None
    assert trained.validation_loss < before / 3
    again = toy_t5(tokenizer)
    assert train(again, store, store, params, tmp_path) == trained
    assert same_weights(model, again)
    assert again.lm_head.weight.data_ptr() == again.shared.weight.data_ptr()


def test_classes_are_learnt_in_the_same_loop(tokenizer: Any, tmp_path: Path) -> None:
    """A target is the number of a class; the loss is a mean over examples, not tokens."""
    store = toy_store(tmp_path / "tokens", tokenizer)

    class Labelled(TokenStore):
        lengths = np.array([(n, 1) for n in store.lengths[:, 0]], np.uint16)

        def target(self, index: int) -> Any:
            return np.array([index % 3], np.uint16)

    model, labelled = toy_classifier(tokenizer), Labelled(store.folder)
    params = toy_params(steps=60, learning_rate=0.003, tokens_a_batch=1000, label_smoothing=0.0, validate_every=60)
    assert mean_loss(model, labelled, 1000, CLASSES) == pytest.approx(math.log(3), rel=0.1)
    trained = train(model, labelled, labelled, params, tmp_path, objective=CLASSES)
    assert trained.validation_loss is not None
    assert trained.validation_loss < 0.3
    again = toy_classifier(tokenizer)
    assert train(again, labelled, labelled, params, tmp_path, objective=CLASSES) == trained


def test_a_mixture_takes_its_batches_from_every_corpus(tokenizer: Any, tmp_path: Path) -> None:
    stores = [toy_store(tmp_path / str(k), tokenizer, pairs) for k, pairs in enumerate((PAIRS, [("only", "one")]))]
    folder = tmp_path / "run"
    train(toy_model(tokenizer), stores, None, toy_params(steps=12, checkpoint_every=10), folder, weights=(3, 1))
    model = toy_model(tokenizer)
    progress = load_checkpoint(folder / "checkpoints", make_accelerator(), model, make_optimizer(model, 1e-3, 0.01))
    assert progress is not None
    assert progress.taken == (9, 3)
    assert progress.positions[1].epoch == 3  # one batch is the whole of it


# --- what stops a run --------------------------------------------------------------------------------------------


def broken_at(model: Any, step: int, *, only_gradient: bool = False) -> None:
    """Make the model's scores, or their gradients alone, not a number at one step."""
    calls = itertools.count(1)

    def act(_module: Any, _inputs: Any, output: Any) -> Any:
        if next(calls) != step:
            return output
        if only_gradient:
            output.register_hook(lambda gradient: gradient * math.inf)
            return output
        return output * math.nan

    model.lm_head.register_forward_hook(act)


@pytest.mark.parametrize("only_gradient", [False, True])
def test_what_is_not_finite_stops_the_run_names_its_examples_and_keeps_the_checkpoint(
    tokenizer: Any, store: TokenStore, tmp_path: Path, only_gradient: bool
) -> None:
    model, params = toy_model(tokenizer), toy_params(validate_every=60)
    broken_at(model, 13, only_gradient=only_gradient)
    named = ", ".join(str(k) for k in BatchStream([store.lengths], 200, 3).take(13)[-1].examples)
    what = "gradient" if only_gradient else "loss"
    with pytest.raises(TrainingError, match=rf"^step 13: a {what} that is not finite; .* counted from 0\): {named}$"):
        train(model, store, None, params, tmp_path)
    fresh = toy_model(tokenizer)
    optimizer = make_optimizer(fresh, 1e-3, 0.01)
    progress = load_checkpoint(tmp_path / "checkpoints", make_accelerator(), fresh, optimizer)
    assert progress is not None
    assert progress.step == 10
    assert all(bool(torch.isfinite(p).all()) for p in fresh.parameters())
    assert [row["step"] for row in read_metrics(tmp_path / "metrics.jsonl")] == [10]


def test_examples_of_a_mixture_are_named_by_their_corpus_and_row(tokenizer: Any, tmp_path: Path) -> None:
    """The first pair is too long and left out, so the example in the second place is row 2."""
    pairs = [("1" * 100, "2"), ("3", "4"), ("5", "6")]
    stores = [
        tokenise(some, tokenizer, tmp_path / str(k), identity=k, max_source_tokens=20, max_target_tokens=20)
        for k, some in enumerate((pairs, pairs[2:]))
    ]
    model = toy_model(tokenizer)
    broken_at(model, 1)
    params = toy_params(batches_a_step=2)
    with pytest.raises(TrainingError, match=r": 0:[12], 0:[12], 1:0$"):
        train(model, stores, None, params, tmp_path / "run", weights=(1, 1))


def test_examples_that_changed_underneath_are_refused(tokenizer: Any, store: TokenStore, tmp_path: Path) -> None:
    params, folder = toy_params(steps=20), tmp_path / "run"
    train(toy_model(tokenizer), store, None, params.model_copy(update={"steps": 10}), folder)
    other = toy_store(tmp_path / "other", tokenizer, [*PAIRS[:-1], ("moon", "moon : isa : satellite")])
    with pytest.raises(TrainingError, match=f"{folder}: the examples are not those of the checkpoint, a corpus has"):
        train(toy_model(tokenizer), other, None, params, folder)
    assert train(toy_model(tokenizer), store, None, params, folder).steps == 20  # the checkpoint still opens


def test_a_done_run_without_its_checkpoint_is_refused(tokenizer: Any, store: TokenStore, tmp_path: Path) -> None:
    params = toy_params(steps=10)
    train(toy_model(tokenizer), store, None, params, tmp_path)
    (tmp_path / "metrics.json").write_text("{}")
    shutil.rmtree(tmp_path / "checkpoints")
    with pytest.raises(TrainingError, match="its checkpoint is gone"):
        train(toy_model(tokenizer), store, None, params, tmp_path)


def test_a_run_whose_record_is_gone_is_refused(tokenizer: Any, store: TokenStore, tmp_path: Path) -> None:
    params = toy_params(steps=10)
    train(toy_model(tokenizer), store, None, params, tmp_path)
    (tmp_path / "metrics.jsonl").unlink()
    with pytest.raises(TrainingError, match=r"metrics\.jsonl is gone"):
        train(toy_model(tokenizer), store, None, params, tmp_path)


def test_two_processes_do_not_train_in_one_folder(
    model: Any, store: TokenStore, tmp_path: Path, held_by_another: Callable[[Path], Any]
) -> None:
    (tmp_path / "checkpoints").mkdir()
    with held_by_another(tmp_path / "checkpoints"), pytest.raises(FolderInUseError, match="in use by process"):
        train(model, store, None, toy_params(steps=10), tmp_path)
    assert train(model, store, None, toy_params(steps=10), tmp_path).steps == 10
