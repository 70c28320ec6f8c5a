"""The training loop of both papers: token-budget batches, one summed loss a step, exact restarts.

On the CPU a run that was killed anywhere ends with the same weights as one that was not: every source of chance is
either a pure function of (seed, epoch) or part of the checkpoint.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy
from torch.optim import AdamW
from tqdm import tqdm
from transformers import PreTrainedModel

from workbench_lib.checkpoints import Progress, load_checkpoint, save_checkpoint
from workbench_lib.errors import WorkbenchError
from workbench_lib.files import write_text
from workbench_lib.stages import TrainingParams
from workbench_lib.tokens import IGNORED, TokenStore, collate, epoch_batches

LOG_EVERY = 10  # steps
BAR_EVERY_S = 10.0


class TrainingError(WorkbenchError):
    """Training cannot go on: a loss or gradient that is not finite, or a record that is damaged or gone."""


@dataclass(frozen=True)
class Trained:
    """How a training run ended. Losses are per target token, in nats; the validation loss is unsmoothed."""

    steps: int
    loss: float
    validation_loss: float | None
    seconds: float
    tokens: int  # source and target, padding not counted


def best_device() -> torch.device:
    """The first GPU, or the CPU."""
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


def train(
    model: PreTrainedModel, store: TokenStore, validation: TokenStore | None, params: TrainingParams, folder: Path
) -> Trained:
    """Train `model` in place, going on from `folder/checkpoints` where a run was interrupted.

    Writes `folder/metrics.jsonl`: step, loss, learning rate, tokens and seconds every 10 steps, and the validation
    loss every `params.validate_every` steps and at the end.

    Raises:
        TrainingError: a loss or gradient is not finite; the last checkpoint stays.
        CheckpointError: the checkpoint is damaged or another model's.
    """
    folder.mkdir(parents=True, exist_ok=True)
    device = best_device()
    model.to(device).train()
    optimizer = make_optimizer(model, params)
    torch.manual_seed(params.seed)
    progress = load_checkpoint(folder / "checkpoints", model, optimizer) or Progress()
    if progress.step == 0 and (folder / "metrics.json").exists():
        raise TrainingError(f"{folder}: the run is done, but its checkpoint is gone; delete the run to train anew")
    log = MetricsLog(folder / "metrics.jsonl", progress.step)
    began = time.monotonic() - progress.seconds
    bar = tqdm(total=params.steps, initial=progress.step, desc="training", unit="step", mininterval=BAR_EVERY_S)
    with bar:
        for reached, batch in _steps(store, params, progress):
            progress = replace(reached, seconds=time.monotonic() - began)
            rate = params.learning_rate * learning_rate_factor(progress.step, params)
            loss = training_step(model, optimizer, collate(store, batch, model.config.pad_token_id), rate, params)
            if not math.isfinite(loss):
                raise TrainingError(f"step {progress.step}: a loss or gradient that is not finite; stopped")
            log.add(progress.step, loss, rate, int(store.lengths[batch].sum()))
            is_last = progress.step == params.steps
            if progress.step % LOG_EVERY == 0 or is_last:
                log.write(progress.seconds)
                bar.set_postfix(loss=f"{loss:.3f}", refresh=False)
            if validation is not None and (progress.step % params.validate_every == 0 or is_last):
                log.write_row(step=progress.step, validation_loss=evaluate_loss(model, validation, params))
            if progress.step % params.checkpoint_every == 0 or is_last:
                save_checkpoint(folder / "checkpoints", model, optimizer, progress)
            bar.update()
    return _summary(log.rows, progress)


def training_step(
    model: PreTrainedModel, optimizer: AdamW, batch: dict[str, Tensor], rate: float, params: TrainingParams
) -> float:
    """One optimiser step on one batch; the mean loss over its target tokens, or NaN where no step could be made."""
    loss, tokens = token_loss(model, batch, params.label_smoothing)
    loss = loss / tokens
    optimizer.zero_grad(set_to_none=True)
    loss.backward()  # type: ignore[no-untyped-call]
    norm = torch.nn.utils.clip_grad_norm_(model.parameters(), params.clip_norm)
    if not math.isfinite(norm.item()):
        return math.nan
    for group in optimizer.param_groups:
        group["lr"] = rate
    optimizer.step()
    return float(loss.item())


def token_loss(model: PreTrainedModel, batch: dict[str, Tensor], label_smoothing: float = 0.0) -> tuple[Tensor, int]:
    """The summed cross-entropy of a batch, and the number of target tokens in it (labels of -100 count for neither)."""
    labels = batch["labels"].to(model.device)  # (batch, target)
    loss = cross_entropy(
        target_logits(model, batch).flatten(0, 1),
        labels.flatten(),
        ignore_index=IGNORED,
        reduction="sum",
        label_smoothing=label_smoothing,
    )
    return loss, int((labels != IGNORED).sum())


def target_logits(model: PreTrainedModel, batch: dict[str, Tensor]) -> Tensor:
    """The scores of each target token, given the source and the true tokens before: (batch, target, vocabulary)."""
    batch = {name: tensor.to(model.device) for name, tensor in batch.items()}
    with torch.autocast("cuda", torch.bfloat16, enabled=model.device.type == "cuda"):
        output = model(
            input_ids=batch["input_ids"],
            attention_mask=batch["attention_mask"],
            decoder_input_ids=model.prepare_decoder_input_ids_from_labels(batch["labels"]),
            use_cache=False,
        )
    logits: Tensor = output.logits.float()
    return logits


@torch.no_grad()
def token_accuracy(model: PreTrainedModel, store: TokenStore, params: TrainingParams) -> list[float]:
    """For each example the share of its target tokens that the model ranks first, given the true ones before.

    Finer than any metric of generated text, so it tells models apart that are too small to write whole answers.
    """
    model.eval()
    shares = [0.0] * len(store)
    for batch in epoch_batches(store.lengths, params.tokens_a_batch, seed=0, epoch=0):
        tensors = collate(store, batch, model.config.pad_token_id)
        labels = tensors["labels"]
        right = (target_logits(model, tensors).argmax(-1).cpu() == labels).sum(1) / (labels != IGNORED).sum(1)
        for index, share in zip(batch, right.tolist(), strict=True):
            shares[int(index)] = share
    return shares


@torch.no_grad()
def evaluate_loss(model: PreTrainedModel, store: TokenStore, params: TrainingParams) -> float:
    """The mean unsmoothed loss per target token over a set."""
    model.eval()
    total, tokens = 0.0, 0
    for batch in epoch_batches(store.lengths, params.tokens_a_batch, seed=0, epoch=0):
        loss, count = token_loss(model, collate(store, batch, model.config.pad_token_id))
        total, tokens = total + loss.item(), tokens + count
    model.train()
    return total / tokens


def make_optimizer(model: PreTrainedModel, params: TrainingParams) -> AdamW:
    """AdamW without weight decay on biases and norms (anything of one dimension)."""
    groups: list[dict[str, Any]] = [
        {"params": [p for p in model.parameters() if p.ndim > 1], "weight_decay": params.weight_decay},
        {"params": [p for p in model.parameters() if p.ndim <= 1], "weight_decay": 0.0},
    ]
    return AdamW(groups, lr=params.learning_rate, fused=True)


def learning_rate_factor(step: int, params: TrainingParams) -> float:
    """The share of the peak learning rate at a step, counted from 1: linear warm-up, then linear decay towards 0.

    With 2 warm-up steps of 6: 0.5, 1, 1, 0.75, 0.5, 0.25.
    """
    if step <= params.warmup_steps:
        return step / params.warmup_steps
    return (params.steps - step + 1) / (params.steps - params.warmup_steps)


class MetricsLog:
    """`metrics.jsonl`, written as training goes; on a restart what came after the checkpoint is dropped."""

    def __init__(self, path: Path, step: int):
        self.path = path
        self.rows = [row for row in read_metrics(path) if row["step"] <= step]
        write_text(path, "".join(json.dumps(row) + "\n" for row in self.rows))
        self._losses: list[float] = []
        self._latest: tuple[int, float] = (step, 0.0)
        self._pending_tokens = 0

    def add(self, step: int, loss: float, learning_rate: float, tokens: int) -> None:
        self._losses.append(loss)
        self._latest = (step, learning_rate)
        self._pending_tokens += tokens

    def write(self, seconds: float) -> None:
        """Write the mean loss, and the tokens, of the steps since the last row."""
        step, learning_rate = self._latest
        loss = sum(self._losses) / len(self._losses)
        self.write_row(
            step=step, loss=loss, learning_rate=learning_rate, tokens=self._pending_tokens, seconds=round(seconds, 3)
        )
        self._losses, self._pending_tokens = [], 0

    def write_row(self, **row: Any) -> None:
        self.rows.append(row)
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")


def read_metrics(path: Path) -> list[dict[str, Any]]:
    """The rows of a `metrics.jsonl`; a last line cut off by a kill is left out, a missing file has none."""
    lines = path.read_text(encoding="utf-8").split("\n")[:-1] if path.exists() else []
    rows = []
    for number, line in enumerate(lines, start=1):
        try:
            rows.append(json.loads(line))
        except ValueError:
            raise TrainingError(
                f"{path}, line {number}: damaged: {line[:60]!r}; delete the run to start anew"
            ) from None
    return rows


def _steps(store: TokenStore, params: TrainingParams, progress: Progress) -> Iterator[tuple[Progress, Any]]:
    """The batches still to come, each with the progress that holds once its step is done."""
    step, epoch, position = progress.step, progress.epoch, progress.batch
    while step < params.steps:
        batches = epoch_batches(store.lengths, params.tokens_a_batch, seed=params.seed, epoch=epoch)
        for k in range(position, len(batches)):
            if step == params.steps:
                return
            step += 1
            yield Progress(step=step, epoch=epoch, batch=k + 1), batches[k]
        epoch, position = epoch + 1, 0


def _summary(rows: list[dict[str, Any]], progress: Progress) -> Trained:
    losses = [row["loss"] for row in rows if "loss" in row]
    if not losses:
        raise TrainingError("metrics.jsonl is gone, though the checkpoint is at the last step; delete the run")
    validation = [row["validation_loss"] for row in rows if "validation_loss" in row]
    return Trained(
        steps=progress.step,
        loss=losses[-1],
        validation_loss=validation[-1] if validation else None,
        seconds=round(progress.seconds, 1),
        tokens=sum(row["tokens"] for row in rows if "tokens" in row),
    )
