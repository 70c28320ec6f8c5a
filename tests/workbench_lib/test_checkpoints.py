"""Checkpoints are whole, or the one before them stays; and what is damaged or another's is named."""

from __future__ import annotations

import json
import math
import resource
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import torch
from workbench_toy_training import toy_classifier, toy_model, toy_params, toy_store, toy_t5

from workbench_lib import checkpoints as checkpoint_files
from workbench_lib.checkpoints import (
    CheckpointError,
    load_checkpoint,
    load_weights,
    save_checkpoint,
    save_weights,
    whole_weights,
)
from workbench_lib.devices import make_accelerator
from workbench_lib.files import sha256_of_file
from workbench_lib.objectives import class_loss, token_loss
from workbench_lib.optimisation import make_optimizer
from workbench_lib.progress import Progress
from workbench_lib.tokens import TokenStore, collate
from workbench_lib.training import train

TENSORS = ("model", "optimizer")


@pytest.fixture(autouse=True)
def one_thread() -> None:
    torch.set_num_threads(1)


@pytest.fixture
def store(tokenizer: Any, tmp_path: Path) -> TokenStore:
    return toy_store(tmp_path / "tokens", tokenizer)


@pytest.fixture
def model(tokenizer: Any) -> Any:
    return toy_model(tokenizer)


@pytest.fixture
def checkpoints(tokenizer: Any, store: TokenStore, tmp_path: Path) -> Path:
    """The checkpoints of a run of 10 steps."""
    train(toy_model(tokenizer), store, None, toy_params(steps=10), tmp_path)
    return tmp_path / "checkpoints"


def fresh_optimizer(model: Any) -> Any:
    return make_optimizer(model, 1e-3, 0.01)


def load(folder: Path, model: Any, optimizer: Any = None) -> Progress | None:
    return load_checkpoint(folder, make_accelerator(), model, optimizer or fresh_optimizer(model))


def save(folder: Path, model: Any, optimizer: Any = None, **progress: Any) -> None:
    save_checkpoint(folder, make_accelerator(), model, optimizer or fresh_optimizer(model), Progress(**progress))


def step(model: Any, optimizer: Any, store: TokenStore) -> None:
    token_loss(model.eval(), collate(store, [0, 1], pad=1)).backward()
    optimizer.step()
    optimizer.zero_grad()


# --- what is kept ------------------------------------------------------------------------------------------------


def test_no_checkpoint_is_none(model: Any, tmp_path: Path) -> None:
    assert load(tmp_path / "nowhere", model) is None


@pytest.mark.parametrize("make", [toy_model, toy_t5])
def test_a_step_after_loading_is_the_step_that_would_have_come(
    tokenizer: Any, store: TokenStore, tmp_path: Path, make: Any
) -> None:
    model = make(tokenizer)
    optimizer = fresh_optimizer(model)
    for _ in range(3):
        step(model, optimizer, store)
    save(tmp_path, model, optimizer, step=3)
    other = make(tokenizer)
    other_optimizer = fresh_optimizer(other)
    assert load(tmp_path, other, other_optimizer) == Progress(step=3)
    for pair in ((model, optimizer), (other, other_optimizer)):
        step(*pair, store)
    pairs = list(zip(model.parameters(), other.parameters(), strict=True))
    assert all(torch.equal(a, b) for a, b in pairs)
    assert other.get_input_embeddings().weight.data_ptr() == other.lm_head.weight.data_ptr()  # still tied


def test_what_is_loaded_is_saved_again_byte_for_byte(tokenizer: Any, checkpoints: Path, tmp_path: Path) -> None:
    model = toy_model(tokenizer, seed=99)
    optimizer = fresh_optimizer(model)
    progress = load(checkpoints, model, optimizer)
    assert progress is not None
    assert progress.step == 10
    save_checkpoint(tmp_path / "again", make_accelerator(), model, optimizer, progress)
    for name in TENSORS:
        files = [folder / f"{name}.safetensors" for folder in (checkpoints / "last", tmp_path / "again/last")]
        assert sha256_of_file(files[0]) == sha256_of_file(files[1])


def test_nothing_is_pickled(checkpoints: Path) -> None:
    names = sorted(path.name for path in (checkpoints / "last").iterdir())
    assert names == ["model.safetensors", "optimizer.safetensors", "progress.json"]


def test_tied_weights_are_stored_once(model: Any) -> None:
    names = whole_weights(model).keys()
    assert {name for name in names if "embed_tokens" in name or "lm_head" in name or "shared" in name} == {
        "model.shared.weight"
    }


def test_a_model_with_buffers_that_are_not_saved_goes_on(tokenizer: Any, store: TokenStore, tmp_path: Path) -> None:
    """RoBERTa's position ids, which transformers makes anew."""
    model = toy_classifier(tokenizer)
    assert any("position_ids" in name for name, _ in model.named_buffers())
    optimizer = fresh_optimizer(model)
    class_loss(model, {**collate(store, [0, 1], pad=1), "labels": torch.tensor([[0], [1]])}).backward()
    optimizer.step()
    save(tmp_path, model, optimizer, step=1)
    other = toy_classifier(tokenizer)
    assert load(tmp_path, other) == Progress(step=1)
    assert all(torch.equal(a, b) for a, b in zip(model.parameters(), other.parameters(), strict=True))


def test_a_weight_without_gradient_has_no_moments_and_hinders_nothing(
    tokenizer: Any, store: TokenStore, tmp_path: Path
) -> None:
    def with_spare() -> Any:
        model = toy_model(tokenizer)
        model.spare = torch.nn.Linear(2, 2)
        return model

    model = with_spare()
    optimizer = fresh_optimizer(model)
    step(model, optimizer, store)
    save(tmp_path, model, optimizer, step=1)
    other = with_spare()
    other_optimizer = fresh_optimizer(other)
    assert load(tmp_path, other, other_optimizer) == Progress(step=1)
    for pair in ((model, optimizer), (other, other_optimizer)):
        step(*pair, store)
    assert all(torch.equal(a, b) for a, b in zip(model.parameters(), other.parameters(), strict=True))


# --- what is damaged or another's --------------------------------------------------------------------------------


def test_a_checkpoint_of_another_shape_names_the_tensor(checkpoints: Path) -> None:
    from workbench_lib.seq2seq import train_tokenizer

    smaller = toy_model(train_tokenizer(["ab"], 266))
    with pytest.raises(CheckpointError) as caught:
        load(checkpoints, smaller)
    text = str(caught.value)
    assert text.startswith(f"{checkpoints / 'last'}: a checkpoint of another model: final_logits_bias is (1, ")
    assert text.endswith(", not (1, 266)")


def test_moments_of_another_shape_are_named(tokenizer: Any, model: Any, checkpoints: Path) -> None:
    from safetensors.torch import load_file, save_file

    path = checkpoints / "last/optimizer.safetensors"
    moments = load_file(path)
    moments["model.shared.weight.exp_avg"] = torch.zeros(3)
    save_file(moments, path)
    with pytest.raises(CheckpointError, match=r"shared\.weight\.exp_avg is \(3,\), not \(\d+, 128\)"):
        load(checkpoints, model)


@pytest.mark.parametrize("name", ["model.safetensors", "optimizer.safetensors", "progress.json"])
@pytest.mark.parametrize("damage", ["cut", "gone"])
def test_a_damaged_checkpoint_is_named_and_changes_nothing(
    model: Any, checkpoints: Path, name: str, damage: str
) -> None:
    path = checkpoints / "last" / name
    if damage == "cut":
        path.write_bytes(path.read_bytes()[:-20])
    else:
        path.unlink()
    before = [p.clone() for p in model.parameters()]
    with pytest.raises(CheckpointError, match=f"{checkpoints / 'last'}: the checkpoint is damaged .* delete it"):
        load(checkpoints, model)
    assert all(torch.equal(a, b) for a, b in zip(before, model.parameters(), strict=True))


def test_progress_of_another_kind_is_damage(model: Any, checkpoints: Path) -> None:
    path = checkpoints / "last/progress.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "strange": 1}))
    with pytest.raises(CheckpointError, match=r"damaged .*strange"):
        load(checkpoints, model)


# --- kills and full disks ----------------------------------------------------------------------------------------


def test_a_kill_between_the_two_renames_loses_nothing(model: Any, checkpoints: Path) -> None:
    shutil.copytree(checkpoints / "last", checkpoints / ".last.writing")
    (checkpoints / "last").rename(checkpoints / ".last.old")
    progress = load(checkpoints, model)
    assert progress is not None
    assert progress.step == 10
    save(checkpoints, model, step=20)
    assert [path.name for path in checkpoints.iterdir()] == ["last"]


def test_a_kill_while_the_best_weights_are_put_in_place_loses_nothing(tokenizer: Any, tmp_path: Path) -> None:
    first, second = toy_model(tokenizer, seed=1), toy_model(tokenizer, seed=2)
    save_weights(tmp_path, make_accelerator(), first, Progress(step=5))
    (tmp_path / "best").rename(tmp_path / ".best.old")
    load_weights(tmp_path / "best", make_accelerator(), second)
    assert all(torch.equal(a, b) for a, b in zip(first.parameters(), second.parameters(), strict=True))


def test_no_best_weights_are_named(model: Any, tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match=f"{tmp_path / 'best'}: the checkpoint is damaged"):
        load_weights(tmp_path / "best", make_accelerator(), model)


@pytest.mark.parametrize("at", ["save_file", "write_json"])
def test_a_failure_while_writing_leaves_the_previous_checkpoint_and_no_rubbish(
    model: Any, checkpoints: Path, monkeypatch: pytest.MonkeyPatch, at: str
) -> None:
    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(checkpoint_files, at, full)
    with pytest.raises(CheckpointError, match=r"last: step 20 could not be written .*No space left.* before stays"):
        save(checkpoints, model, step=20)
    assert [path.name for path in checkpoints.iterdir()] == ["last"]
    progress = load(checkpoints, model)
    assert progress is not None
    assert progress.step == 10


@contextmanager
def files_of_at_most(size: int) -> Iterator[None]:
    """What a full disk does, done by the kernel: writing beyond fails half-way."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.parametrize("share", [0.0, 0.5, 1.5])
def test_a_disk_that_is_full_half_way_leaves_the_previous_checkpoint(
    model: Any, checkpoints: Path, store: TokenStore, share: float
) -> None:
    optimizer = fresh_optimizer(model)
    step(model, optimizer, store)
    size = math.floor(share * (checkpoints / "last/model.safetensors").stat().st_size)
    with files_of_at_most(size), pytest.raises(CheckpointError, match=r"step 20 could not be written .* before stays"):
        save(checkpoints, model, optimizer, step=20)
    progress = load(checkpoints, model)
    assert progress is not None
    assert progress.step == 10
    save(checkpoints, model, optimizer, step=20)
    assert [path.name for path in checkpoints.iterdir()] == ["last"]
