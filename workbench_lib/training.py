"""The training loop of both papers: token-budget batches, limits, validation, exact restarts, several devices.

On the CPU a run that was killed anywhere ends with the weights of one that was not: the order of examples and the
dropout of a step are pure functions of the seed and the step (`batches`, `steps`), and all else is part of the
checkpoint.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch
from tqdm import tqdm
from transformers import PreTrainedModel

from workbench_lib.batches import BatchStream
from workbench_lib.checkpoints import BEST, load_checkpoint, load_weights, save_checkpoint, save_weights
from workbench_lib.devices import make_accelerator
from workbench_lib.errors import WorkbenchError
from workbench_lib.locks import hold
from workbench_lib.metrics_log import MetricsLog, Tally
from workbench_lib.objectives import TARGET_TOKENS, Objective, mean_loss
from workbench_lib.progress import Progress
from workbench_lib.signals import on_sigterm
from workbench_lib.stages import TrainingParams
from workbench_lib.steps import Stepper, TrainingError
from workbench_lib.tokens import TokenStore

LOG_EVERY = 10  # steps
BAR_EVERY_S = 10.0

Evaluate = Callable[[PreTrainedModel], Mapping[str, float]]
"""Measures a model while it trains, by what it generates, say."""


class TrainingStopped(WorkbenchError):
    """SIGTERM came: the checkpoint is written, and the same call goes on from it."""


@dataclass(frozen=True)
class Trained:
    """How a training run ended. Losses are per target, in nats; the validation loss is unsmoothed, and the lowest one
    where the best weights are kept."""

    steps: int
    loss: float
    validation_loss: float | None
    seconds: float
    tokens: int  # source and target, padding not counted


def train(
    model: PreTrainedModel,
    stores: TokenStore | Sequence[TokenStore],
    validation: TokenStore | None,
    params: TrainingParams,
    folder: Path,
    *,
    weights: Sequence[float] = (1.0,),
    objective: Objective = TARGET_TOKENS,
    evaluate: Evaluate | None = None,
) -> Trained:
    """Train `model` in place, going on from `folder/checkpoints` where a run was interrupted.

    Writes `folder/metrics.jsonl`: every 10 steps the loss, learning rate, gradient norm, tokens, padding share and
    speed; the validation loss every `params.validate_every` steps and at the end; what `evaluate` measures every
    `params.generate_every` steps.

    Args:
        stores: What to train on; several are mixed by `weights`.
        objective: What to minimise.

    Raises:
        TrainingError: a loss or gradient is not finite (the last checkpoint stays), or the data have changed.
        TrainingStopped: SIGTERM came.
        CheckpointError: the checkpoint is damaged, another model's, or cannot be written.
        FolderInUseError: another process trains in the folder.
    """
    stores = [stores] if isinstance(stores, TokenStore) else list(stores)
    if validation is None and (params.keep == "best" or params.patience):
        raise TrainingError("keep: best and patience go by the validation loss, and there is nothing to validate on")
    (folder / "checkpoints").mkdir(parents=True, exist_ok=True)
    run = _Run(model, stores, params, folder, weights, objective)
    # One run at a time: that of a notebook which was killed may go on without it.
    with hold(run.checkpoints) if run.is_main else nullcontext(), on_sigterm(run.ask_to_stop):
        run.restart()
        run.go(validation, evaluate)
        if params.keep == "best":
            load_weights(run.checkpoints / BEST, run.accelerator, run.model)
    return run.summary()


class _Run:
    """A training run: its steps, and what is kept and measured between them."""

    def __init__(
        self,
        model: PreTrainedModel,
        stores: list[TokenStore],
        params: TrainingParams,
        folder: Path,
        weights: Sequence[float],
        objective: Objective,
    ):
        self.accelerator = make_accelerator()
        self.stepper = Stepper(model, stores, params, objective, self.accelerator)
        self.model, self.optimizer = self.stepper.model, self.stepper.optimizer
        self.stores, self.params, self.folder, self.weights = stores, params, folder, weights
        self.stop_asked = False

    @property
    def checkpoints(self) -> Path:
        return self.folder / "checkpoints"

    @property
    def is_main(self) -> bool:
        return bool(self.accelerator.is_main_process)

    @property
    def is_over(self) -> bool:
        return self.progress.is_over(self.params)

    def ask_to_stop(self) -> None:
        self.stop_asked = True

    def restart(self) -> None:
        """Begin, or go on from the last checkpoint."""
        params, data = self.params, tuple(str(store.meta["identity"]) for store in self.stores)
        found = load_checkpoint(self.checkpoints, self.accelerator, self.model, self.optimizer)
        if found and found.data != data:
            raise TrainingError(
                f"{self.folder}: the examples are not those of the checkpoint, a corpus has changed underneath;"
                " delete the run to train anew"
            )
        if not found and (self.folder / "metrics.json").exists():
            raise TrainingError(f"{self.folder}: the run is done, but its checkpoint is gone; delete it to train anew")
        self.progress = found or Progress(data=data)
        place = (self.progress.positions, self.progress.taken)
        lengths = [store.lengths for store in self.stores]
        self.stream = BatchStream(lengths, params.tokens_a_batch, params.seed, self.weights, *place)
        self.log = MetricsLog(self.folder / "metrics.jsonl", self.progress.step) if self.is_main else None
        self.began = time.monotonic() - self.progress.seconds

    def go(self, validation: TokenStore | None, evaluate: Evaluate | None) -> None:
        """Train until a limit is reached, or validation has not got better for too long."""
        params = self.params
        with self._bar() as bar:
            while not self.is_over:
                stops = self.step()
                bar.update()
                if validation is not None and (self._is_due(params.validate_every) or self.is_over):
                    self.validate(validation)
                if evaluate is not None and self._is_due(params.generate_every):
                    self.write(**self._evaluated(evaluate))
                if self._is_due(LOG_EVERY) or self.is_over:
                    bar.set_postfix(self.write_tally(), refresh=False)
                if self._is_due(params.checkpoint_every) or self.is_over or stops:
                    save_checkpoint(self.checkpoints, self.accelerator, self.model, self.optimizer, self.progress)
                if stops:
                    raise TrainingStopped(f"step {self.progress.step}: stopped by SIGTERM; the same call goes on")

    def _is_due(self, every: int) -> bool:
        return every > 0 and self.progress.step % every == 0

    def step(self) -> bool:
        """One optimiser step; whether the run is to stop after it."""
        began = time.monotonic()
        batches = self.stream.take(self.params.batches_a_step)
        step = self.stepper.take(batches, self.progress, lambda: self.stop_asked)
        tally = self.progress.tally.after(
            step.loss,
            step.gradient_norm,
            step.learning_rate,
            tokens=int(step.lengths.sum()),
            padded=step.padded,
            flops=step.flops,
            seconds=time.monotonic() - began,
        )
        self.progress = self.progress.after(self.stream, step.lengths, tally, self._seconds())
        return step.stops

    def validate(self, validation: TokenStore) -> None:
        """Measure the validation loss; the weights are kept where it is the lowest so far."""
        unwrapped = self.accelerator.unwrap_model(self.model)
        loss = mean_loss(unwrapped, validation, self.params.tokens_a_batch, self.stepper.objective)
        if self.accelerator.num_processes > 1:  # they must agree when to stop, and rounding may differ
            loss = float(self.accelerator.reduce(torch.tensor(loss, device=self.accelerator.device), "mean"))
        self.write(validation_loss=loss)
        self.progress = self.progress.validated(loss)
        if self.params.keep == "best" and self.progress.not_better_for == 0:
            save_weights(self.checkpoints, self.accelerator, self.model, self.progress)

    def _evaluated(self, evaluate: Evaluate) -> Mapping[str, float]:
        unwrapped = self.accelerator.unwrap_model(self.model)
        measured = evaluate(unwrapped)
        unwrapped.train()
        return measured

    def write_tally(self) -> dict[str, str]:
        """Write what was measured since the last time; what a progress bar shows of it."""
        row = self.progress.tally.row(self.stepper.peak)
        self.write(**row, seconds=self._seconds())
        self.progress = replace(self.progress, tally=Tally())
        return {"loss": f"{row['loss']:.3f}", "tokens/s": f"{row['tokens_a_second']:,}"}

    def write(self, **row: Any) -> None:
        if self.log:
            self.log.write(step=self.progress.step, **row)

    def summary(self) -> Trained:
        rows = self.log.rows if self.log else []
        losses = [row["loss"] for row in rows if "loss" in row]
        if self.log and not losses:
            raise TrainingError(
                f"{self.folder}: metrics.jsonl is gone, though the checkpoint is at the last step; delete the run"
            )
        validation = [row["validation_loss"] for row in rows if "validation_loss" in row]
        pick = min if self.params.keep == "best" else (lambda found: found[-1])
        return Trained(
            steps=self.progress.step,
            loss=losses[-1] if losses else math.nan,
            validation_loss=pick(validation) if validation else None,
            seconds=round(self.progress.seconds, 1),
            tokens=self.progress.tokens,
        )

    def _seconds(self) -> float:
        return round(time.monotonic() - self.began, 3)

    def _bar(self) -> tqdm:  # type: ignore[type-arg]
        done, total = self.progress.step, self.params.steps
        hidden = not self.is_main
        return tqdm(total=total, initial=done, desc="training", unit="step", mininterval=BAR_EVERY_S, disable=hidden)
