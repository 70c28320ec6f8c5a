"""The training loop learns, counts every token once, and ends the same whether it was killed or not."""

from __future__ import annotations

import itertools
import json
import math
import multiprocessing
import os
import shutil
import signal
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from workbench_toy_training import PAIRS, toy_model, toy_params, toy_store, train_toy

from workbench_lib import checkpoints as checkpoint_files
from workbench_lib.batches import BatchStream
from workbench_lib.checkpoints import CheckpointError, Progress
from workbench_lib.devices import make_accelerator
from workbench_lib.files import sha256_of_file
from workbench_lib.generation import generate, generation_config
from workbench_lib.metrics_log import MetricsLog, read_metrics
from workbench_lib.objectives import TARGET_TOKENS, mean_loss, token_loss
from workbench_lib.optimisation import learning_rate_factor, make_optimizer
from workbench_lib.tokens import TokenStore, collate
from workbench_lib.training import TrainingError, train


@pytest.fixture(autouse=True)
def one_thread() -> None:
    torch.set_num_threads(1)


@pytest.fixture
def store(tokenizer: Any, tmp_path: Path) -> TokenStore:
    return toy_store(tmp_path / "tokens", tokenizer)


@pytest.fixture
def model(tokenizer: Any) -> Any:
    return toy_model(tokenizer)


# --- the loss ----------------------------------------------------------------------------------------------------


def loss_by_hand(model: Any, store: TokenStore, index: int, smoothing: float = 0.0) -> tuple[float, int]:
    """The summed cross-entropy of one example without any padding, in numpy and 64 bits."""
    target = store.target(index).astype(np.int64)
    shifted = np.concatenate([[2], target[:-1]])  # </s> <s> a b -> <s> a b </s>
    with torch.no_grad():
        logits = model(
            input_ids=torch.tensor(store.source(index).astype(np.int64))[None],
            decoder_input_ids=torch.tensor(shifted)[None],
        ).logits[0]
    scores = logits.double().numpy()  # (target, vocabulary)
    log_probabilities = scores - np.log(np.exp(scores).sum(axis=1, keepdims=True))
    gold = -log_probabilities[np.arange(len(target)), target].sum()
    uniform = -log_probabilities.mean(axis=1).sum()
    return (1 - smoothing) * gold + smoothing * uniform, len(target)


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_token_loss_is_the_sum_over_examples_each_by_hand(model: Any, store: TokenStore, smoothing: float) -> None:
    model.eval()
    indices = [0, 1, 2, 3]
    assert len({len(store.target(i)) for i in indices}) > 1  # so that padding is there
    expected = [loss_by_hand(model, store, i, smoothing) for i in indices]
    with torch.no_grad():
        loss, tokens = token_loss(model, collate(store, indices, pad=1), smoothing)
    assert loss.item() == pytest.approx(sum(value for value, _ in expected), rel=1e-5)
    assert tokens == sum(count for _, count in expected)


def test_more_padding_changes_nothing(model: Any, store: TokenStore) -> None:
    model.eval()
    batch = collate(store, [0, 1, 2], pad=1)
    wider = {
        name: torch.nn.functional.pad(batch[name], (0, 17), value=value)
        for name, value in (("input_ids", 1), ("attention_mask", 0), ("labels", -100))
    }
    with torch.no_grad():
        (loss, tokens), (wider_loss, wider_tokens) = (token_loss(model, b, 0.1) for b in (batch, wider))
    assert wider_loss.item() == pytest.approx(loss.item(), rel=1e-5)
    assert wider_tokens == tokens


def test_a_step_is_normalised_over_the_tokens_of_its_batch(tokenizer: Any, store: TokenStore) -> None:
    model = toy_model(tokenizer, dropout=0.0)
    indices = [1, 2]
    (first, n), (second, m) = (loss_by_hand(model, store, i, 0.1) for i in indices)
    mean, mean_of_means = (first + second) / (n + m), (first / n + second / m) / 2
    assert abs(mean - mean_of_means) > 1e-3 * mean  # else this would prove nothing
    params = toy_params(dropout=0.0)
    found = training_step(model, make_optimizer(model, params), collate(store, indices, pad=1), 1e-3, params)
    assert found == pytest.approx(mean, rel=1e-5)


def test_a_step_follows_the_gradient_of_the_token_mean(tokenizer: Any, store: TokenStore) -> None:
    models = [toy_model(tokenizer, dropout=0.0) for _ in range(2)]
    params, batch = toy_params(dropout=0.0, clip_norm=0.5, weight_decay=0.0), collate(store, [1, 2], pad=1)
    training_step(models[0], make_optimizer(models[0], params), batch, 1e-3, params)

    loss, tokens = token_loss(models[1], batch, 0.1)
    (loss / tokens).backward()
    norm = math.sqrt(sum(float((p.grad**2).sum()) for p in models[1].parameters()))
    assert norm > 0.5  # so that clipping does something
    for new, old in zip(models[0].parameters(), models[1].parameters(), strict=True):
        gradient = old.grad * 0.5 / norm
        expected = old - 1e-3 * gradient / (gradient.abs() + 1e-8)  # Adam's first step, by hand
        significant = gradient.abs() > 1e-6
        assert torch.allclose(new[significant], expected[significant], atol=1e-5)


def test_validation_loss_is_the_mean_over_all_target_tokens_unsmoothed(model: Any, store: TokenStore) -> None:
    model.train()
    found = evaluate_loss(model, store, toy_params(tokens_a_batch=64))
    assert model.training
    model.eval()
    losses, counts = zip(*(loss_by_hand(model, store, i) for i in range(len(store))), strict=True)
    assert found == pytest.approx(sum(losses) / sum(counts), rel=1e-5)


# --- optimiser ---------------------------------------------------------------------------------------------------


def test_learning_rate_factors_by_hand() -> None:
    def factors(steps: int, warmup: int) -> list[float]:
        params = toy_params(steps=steps, warmup_steps=warmup)
        return [learning_rate_factor(step, params) for step in range(1, steps + 1)]

    assert factors(6, 2) == [0.5, 1, 1, 0.75, 0.5, 0.25]
    assert factors(4, 0) == [1, 0.75, 0.5, 0.25]
    assert factors(2, 2) == [0.5, 1]
    assert factors(2, 4) == [0.25, 0.5]
    assert factors(1, 0) == [1]


def test_weight_decay_spares_biases_and_norms(model: Any) -> None:
    groups = make_optimizer(model, toy_params(weight_decay=0.01)).param_groups
    decays = {id(parameter): group["weight_decay"] for group in groups for parameter in group["params"]}
    names = dict(model.named_parameters())
    assert len(decays) == len(names)
    for name, parameter in names.items():
        is_spared = name.endswith(".bias") or "norm" in name
        assert decays[id(parameter)] == (0.0 if is_spared else 0.01), name


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
    assert trained.validation_loss == pytest.approx(evaluate_loss(model, store, params), rel=1e-6)
    assert trained.loss < 0.1


def test_a_run_logs_steps_rates_and_tokens(model: Any, store: TokenStore, tmp_path: Path) -> None:
    params = toy_params(steps=25, validate_every=15)
    trained = train(model, store, store, params, tmp_path)
    rows = read_metrics(tmp_path / "metrics.jsonl")
    assert [row["step"] for row in rows if "loss" in row] == [10, 20, 25]
    assert [row["step"] for row in rows if "validation_loss" in row] == [15, 25]
    rates = [row["learning_rate"] for row in rows if "loss" in row]
    assert rates == pytest.approx([0.001 * f for f in (16 / 20, 6 / 20, 1 / 20)], rel=1e-9)

    seen, epochs = 0, itertools.count()
    batches = (b for e in epochs for b in epoch_batches(store.lengths, params.tokens_a_batch, seed=3, epoch=e))
    for batch in itertools.islice(batches, 25):
        seen += int(store.lengths[batch].sum())
    assert trained.tokens == sum(row["tokens"] for row in rows if "loss" in row) == seen
    assert trained.loss == rows[-2]["loss"]
    assert trained.validation_loss == rows[-1]["validation_loss"]


def test_a_finished_run_trains_no_further(tokenizer: Any, store: TokenStore, tmp_path: Path) -> None:
    params, folder = toy_params(steps=10), tmp_path
    first = toy_model(tokenizer)
    trained = train(first, store, store, params, folder)
    log = (folder / "metrics.jsonl").read_bytes()
    again = toy_model(tokenizer, seed=99)
    assert train(again, store, store, params, folder) == trained
    assert (folder / "metrics.jsonl").read_bytes() == log
    assert all(torch.equal(a, b) for a, b in zip(first.parameters(), again.parameters(), strict=True))


def outcome(folder: Path) -> tuple[list[dict[str, Any]], dict[str, str]]:
    """What must not depend on kills: the log without its seconds, and the digests of the last checkpoint's tensors."""
    rows = [{k: v for k, v in row.items() if k != "seconds"} for row in read_metrics(folder / "metrics.jsonl")]
    return rows, {path.name: sha256_of_file(path) for path in (folder / "checkpoints/last").glob("*.safetensors")}


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


def run_in_process(context: Any, folder: Path) -> None:
    process = context.Process(target=train_toy, args=(folder,))
    process.start()
    process.join(120)
    assert process.exitcode == 0


@pytest.fixture(scope="module")
def uninterrupted(context: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("uninterrupted")
    run_in_process(context, folder)
    return outcome(folder)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_killed_run_ends_as_one_that_was_not(context: Any, uninterrupted: Any, tmp_path: Path, seed: int) -> None:
    process = context.Process(target=train_toy, args=(tmp_path, 0.02))
    process.start()
    draws = np.random.default_rng(seed)
    reached, later_s = int(draws.integers(10, 40)), float(draws.uniform(0, 0.15))
    while process.is_alive() and not (
        (tmp_path / "checkpoints/last").exists()
        and max((row["step"] for row in read_metrics(tmp_path / "metrics.jsonl")), default=0) >= reached
    ):
        time.sleep(0.002)
    time.sleep(later_s)
    os.kill(process.pid, signal.SIGKILL)
    process.join()
    assert process.exitcode == -signal.SIGKILL  # it had not ended before
    assert outcome(tmp_path) != uninterrupted

    run_in_process(context, tmp_path)
    assert outcome(tmp_path) == uninterrupted


# --- what goes wrong ---------------------------------------------------------------------------------------------


def test_a_loss_that_is_not_finite_stops_and_keeps_the_last_checkpoint(
    tokenizer: Any, store: TokenStore, tmp_path: Path
) -> None:
    model, params = toy_model(tokenizer), toy_params(validate_every=60)
    calls = itertools.count(1)
    model.lm_head.register_forward_hook(lambda _m, _i, output: output * (math.nan if next(calls) == 13 else 1.0))
    with pytest.raises(TrainingError, match=r"^step 13: "):
        train(model, store, None, params, tmp_path)
    fresh = toy_model(tokenizer)
    progress = load_checkpoint(tmp_path / "checkpoints", fresh, make_optimizer(fresh, params))
    assert progress is not None
    assert progress.step == 10
    assert all(bool(torch.isfinite(p).all()) for p in fresh.parameters())
    assert [row["step"] for row in read_metrics(tmp_path / "metrics.jsonl")] == [10]


@pytest.fixture
def checkpoints(tokenizer: Any, store: TokenStore, tmp_path: Path) -> Path:
    """The checkpoints of a run of 10 steps."""
    train(toy_model(tokenizer), store, None, toy_params(steps=10), tmp_path)
    return tmp_path / "checkpoints"


def load(folder: Path, model: Any) -> Progress | None:
    return load_checkpoint(folder, model, make_optimizer(model, toy_params()))


def test_no_checkpoint_is_none(model: Any, tmp_path: Path) -> None:
    assert load(tmp_path / "nowhere", model) is None


def test_a_checkpoint_brings_back_weights_moments_and_chance(tokenizer: Any, checkpoints: Path, tmp_path: Path) -> None:
    model = toy_model(tokenizer, seed=99)
    optimizer = make_optimizer(model, toy_params())
    progress = load_checkpoint(checkpoints, model, optimizer)
    drawn = torch.rand(3)
    assert progress is not None
    assert progress.step == 10
    other = toy_model(tokenizer, seed=98)
    other_optimizer = make_optimizer(other, toy_params())
    assert load_checkpoint(checkpoints, other, other_optimizer) == progress
    assert torch.equal(torch.rand(3), drawn)
    save_checkpoint(tmp_path / "again", other, other_optimizer, progress)
    for name in ("model", "optimizer"):
        files = [folder / f"{name}.safetensors" for folder in (checkpoints / "last", tmp_path / "again/last")]
        assert sha256_of_file(files[0]) == sha256_of_file(files[1])
    assert json.loads((tmp_path / "again/last/progress.json").read_text())["step"] == 10


def test_a_checkpoint_of_another_shape_names_the_tensor(checkpoints: Path) -> None:
    from workbench_lib.seq2seq import train_tokenizer

    smaller = toy_model(train_tokenizer(["ab"], 266))
    with pytest.raises(CheckpointError) as caught:
        load(checkpoints, smaller)
    text = str(caught.value)
    assert text.startswith(f"{checkpoints / 'last'}: a checkpoint of another model: final_logits_bias is (1, ")
    assert text.endswith(", not (1, 266)")


@pytest.mark.parametrize("name", ["model.safetensors", "optimizer.safetensors", "random.safetensors", "progress.json"])
@pytest.mark.parametrize("damage", ["cut", "gone"])
def test_a_damaged_checkpoint_is_named(model: Any, checkpoints: Path, name: str, damage: str) -> None:
    path = checkpoints / "last" / name
    if damage == "cut":
        path.write_bytes(path.read_bytes()[:-20])
    else:
        path.unlink()
    before = [p.clone() for p in model.parameters()]
    with pytest.raises(CheckpointError, match=f"{checkpoints / 'last'}: the checkpoint is damaged .* delete it"):
        load(checkpoints, model)
    assert all(torch.equal(a, b) for a, b in zip(before, model.parameters(), strict=True))


def test_a_kill_between_the_two_renames_loses_nothing(model: Any, checkpoints: Path) -> None:
    shutil.copytree(checkpoints / "last", checkpoints / ".writing")
    (checkpoints / "last").rename(checkpoints / ".old")
    progress = load(checkpoints, model)
    assert progress is not None
    assert progress.step == 10
    save_checkpoint(checkpoints, model, make_optimizer(model, toy_params()), Progress(step=20))
    assert [path.name for path in checkpoints.iterdir()] == ["last"]


def test_a_failure_while_writing_leaves_the_previous_checkpoint(
    model: Any, checkpoints: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: Any) -> None:
        raise OSError("no space left")

    monkeypatch.setattr("workbench_lib.checkpoints.write_json", full)
    with pytest.raises(OSError, match="no space left"):
        save_checkpoint(checkpoints, model, make_optimizer(model, toy_params()), Progress(step=20))
    progress = load(checkpoints, model)
    assert progress is not None
    assert progress.step == 10


def test_read_metrics_leaves_a_cut_off_line_out(tmp_path: Path) -> None:
    path = tmp_path / "metrics.jsonl"
    assert read_metrics(path) == []
    path.write_text('{"step": 10, "loss": 2.5}\n{"step": 20, "lo')
    assert read_metrics(path) == [{"step": 10, "loss": 2.5}]


def test_a_restarted_log_drops_what_came_after_the_checkpoint(tmp_path: Path) -> None:
    path = tmp_path / "metrics.jsonl"
    path.write_text('{"step": 10, "loss": 2.5, "tokens": 7}\n{"step": 15, "validation_loss": 2}\n{"st')
    log = MetricsLog(path, 10)
    assert path.read_text() == '{"step": 10, "loss": 2.5, "tokens": 7}\n'
    log.add(11, 1.0, 0.1, 5)
    log.add(12, 2.0, 0.2, 6)
    log.write(3.0)
    assert read_metrics(path)[1:] == [{"step": 12, "loss": 1.5, "learning_rate": 0.2, "tokens": 11, "seconds": 3.0}]
