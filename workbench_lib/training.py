"""The training loop of both papers: token-budget batches, one summed loss a step, exact restarts, several devices.

A step takes `batches_a_step` batches. Their losses are summed and divided by all target tokens of the step, so that
neither the shapes of the batches nor the number of processes that share them changes the gradient. On the CPU a run
that was killed anywhere ends with the weights of one that was not: every source of chance is a pure function of the
seed and the place, or part of the checkpoint.
"""

from __future__ import annotations

import math
import signal
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from tqdm import tqdm
from transformers import PreTrainedModel

from workbench_lib.batches import Batch, BatchStream
from workbench_lib.checkpoints import BEST, Progress, load_checkpoint, load_weights, save_checkpoint, save_weights
from workbench_lib.devices import distributed, make_accelerator
from workbench_lib.errors import WorkbenchError
from workbench_lib.metrics_log import MetricsLog, Tally
from workbench_lib.objectives import TARGET_TOKENS, Objective, mean_loss, to_device
from workbench_lib.optimisation import learning_rate_factor, make_optimizer
from workbench_lib.stages import TrainingParams
from workbench_lib.tokens import TokenStore, collate

LOG_EVERY = 10  # steps
BAR_EVERY_S = 10.0

Evaluate = Callable[[PreTrainedModel], Mapping[str, float]]
"""Measures a model while it trains, by what it generates, say."""


class TrainingError(WorkbenchError):
    """Training cannot go on: a loss or gradient that is not finite, or a record that is damaged or gone."""


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
    seconds; the validation loss every `params.validate_every` steps and at the end; what `evaluate` measures every
    `params.generate_every` steps.

    Args:
        stores: What to train on; several are mixed by `weights`.
        objective: What to minimise.

    Raises:
        TrainingError: a loss or gradient is not finite; the last checkpoint stays.
        TrainingStopped: SIGTERM came.
        CheckpointError: the checkpoint is damaged or another model's.
    """
    stores = [stores] if isinstance(stores, TokenStore) else list(stores)
    run = _Run(model, stores, params, folder, weights, objective)
    with _on_sigterm(run.ask_to_stop):
        run.go(validation, evaluate)
    if params.keep == "best":
        run.load_best()
    return run.summary()


class _Run:
    """A training run: all that its steps share."""

    def __init__(
        self,
        model: PreTrainedModel,
        stores: list[TokenStore],
        params: TrainingParams,
        folder: Path,
        weights: Sequence[float],
        objective: Objective,
    ):
        self.bare, self.stores, self.params, self.folder, self.objective = model, stores, params, folder, objective
        self.accelerator = accelerator = make_accelerator()
        if params.batches_a_step % accelerator.num_processes:
            raise TrainingError(
                f"batches_a_step={params.batches_a_step} cannot be shared by {accelerator.num_processes} processes"
            )
        folder.mkdir(parents=True, exist_ok=True)
        self.model = distributed(model.train(), accelerator, params)
        self.optimizer = make_optimizer(self.model, params.learning_rate, params.weight_decay)
        torch.manual_seed(params.seed + accelerator.process_index)
        found = load_checkpoint(folder / "checkpoints", accelerator, self.model, self.optimizer)
        self.progress = found or Progress()
        if self.progress.step == 0 and (folder / "metrics.json").exists():
            raise TrainingError(f"{folder}: the run is done, but its checkpoint is gone; delete the run to train anew")
        place = (self.progress.positions, self.progress.taken)
        lengths = [store.lengths for store in stores]
        self.stream = BatchStream(lengths, params.tokens_a_batch, params.seed, weights, *place)
        self.log = MetricsLog(folder / "metrics.jsonl", self.progress.step) if self.is_main else None
        self.tally = Tally()
        self._stop_asked = False
        self._began = time.monotonic() - self.progress.seconds

    @property
    def is_main(self) -> bool:
        return bool(self.accelerator.is_main_process)

    def ask_to_stop(self, *_: Any) -> None:
        self._stop_asked = True

    def go(self, validation: TokenStore | None, evaluate: Evaluate | None) -> None:
        """Train until a limit is reached, or validation has not got better for too long."""
        params = self.params
        with self._bar() as bar:
            while not self.progress.is_over(params):
                self.step()
                step, is_over = self.progress.step, self.progress.is_over(params)
                if step % LOG_EVERY == 0 or is_over:
                    self.write(step=step, **self.tally.row(self.bare), seconds=self._seconds())
                    bar.set_postfix(loss=f"{self.tally.last_loss:.3f}", refresh=False)
                if validation is not None and (step % params.validate_every == 0 or is_over):
                    self.validate(validation)
                if evaluate and params.generate_every and step % params.generate_every == 0:
                    self.write(step=step, **self._evaluated(evaluate))
                stops = self._stops()
                if step % params.checkpoint_every == 0 or self.progress.is_over(params) or stops:
                    self.save()
                bar.update()
                if stops:
                    raise TrainingStopped(f"step {step}: stopped by SIGTERM; the same call goes on from here")

    def step(self) -> None:
        """One optimiser step."""
        batches = self.stream.take(self.params.batches_a_step)
        lengths = np.concatenate([self.stores[batch.corpus].lengths[batch.examples] for batch in batches])
        counted = sum(map(self.objective.counted, lengths[:, 1].tolist()))
        loss = self._backward(batches, counted)
        norm = _whole(torch.nn.utils.clip_grad_norm_(self.model.parameters(), self.params.clip_norm))
        if not math.isfinite(loss) or not math.isfinite(norm):
            raise TrainingError(self._not_finite(batches, loss))
        rate = self._rate()
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)
        self.progress = self.progress.after(self.stream, int(lengths.sum()), len(lengths), self._seconds())
        self.tally.add(loss, norm, rate, lengths, _padded(batches, self.stores))

    def _backward(self, batches: list[Batch], counted: int) -> float:
        """The step's loss over all processes, its gradient left in the weights.

        Processes average their gradients where we want the sum, hence the factor.
        """
        processes, rank = self.accelerator.num_processes, self.accelerator.process_index
        total = torch.zeros((), device=self.accelerator.device)
        mine = batches[rank::processes]
        for number, batch in enumerate(mine):
            tensors = collate(self.stores[batch.corpus], batch.examples, self.bare.config.pad_token_id)
            tensors = to_device(tensors, self.accelerator.device)
            with self._exchanging_gradients(number == len(mine) - 1):
                loss = self.objective.loss(self.model, tensors, self.params.label_smoothing) / counted
                self.accelerator.backward(loss * processes)
            total += loss.detach()
        return float(self.accelerator.reduce(total, "sum"))

    @contextmanager
    def _exchanging_gradients(self, now: bool) -> Iterator[None]:
        """Processes exchange the gradients of a step once, after its last batch."""
        if self.params.shard:
            self.bare.set_requires_gradient_sync(now)
        with self.accelerator.no_sync(self.model) if not (now or self.params.shard) else nullcontext():
            yield

    def _rate(self) -> float:
        params, step = self.params, self.progress.step + 1
        done = self.progress.share_done(params)
        return params.learning_rate * learning_rate_factor(params.schedule, step, params.warmup_steps, done)

    def validate(self, validation: TokenStore) -> None:
        """Measure the validation loss; the weights are kept where it is the lowest so far."""
        unwrapped = self.accelerator.unwrap_model(self.model)
        loss = mean_loss(unwrapped, validation, self.params.tokens_a_batch, self.objective)
        self.write(step=self.progress.step, validation_loss=loss)
        self.progress = self.progress.validated(loss)
        if self.params.keep == "best" and self.progress.not_better_for == 0:
            save_weights(self.folder / "checkpoints", self.accelerator, self.model, self.progress)

    def _evaluated(self, evaluate: Evaluate) -> Mapping[str, float]:
        unwrapped = self.accelerator.unwrap_model(self.model)
        measured = evaluate(unwrapped)
        unwrapped.train()
        return measured

    def save(self) -> None:
        save_checkpoint(self.folder / "checkpoints", self.accelerator, self.model, self.optimizer, self.progress)

    def load_best(self) -> None:
        load_weights(self.folder / "checkpoints" / BEST, self.accelerator, self.model)

    def write(self, **row: Any) -> None:
        if self.log:
            self.log.write(**row)

    def summary(self) -> Trained:
        rows = self.log.rows if self.log else []
        losses = [row["loss"] for row in rows if "loss" in row]
        if self.is_main and not losses:
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

    def _stops(self) -> bool:
        """Whether SIGTERM came to any of the processes."""
        if self.accelerator.num_processes == 1:
            return self._stop_asked
        asked = torch.tensor(float(self._stop_asked), device=self.accelerator.device)
        return bool(self.accelerator.reduce(asked, "sum") > 0)

    def _seconds(self) -> float:
        return round(time.monotonic() - self._began, 3)

    def _bar(self) -> tqdm:  # type: ignore[type-arg]
        done, total = self.progress.step, self.params.steps
        return tqdm(
            total=total, initial=done, desc="training", unit="step", mininterval=BAR_EVERY_S, disable=not self.is_main
        )

    def _not_finite(self, batches: list[Batch], loss: float) -> str:
        what = "a loss" if not math.isfinite(loss) else "a gradient"
        examples = [
            f"{batch.corpus}:{k}" if len(self.stores) > 1 else str(k) for batch in batches for k in batch.examples
        ]
        shown = ", ".join(examples[:20]) + (", ..." if len(examples) > 20 else "")
        return (
            f"step {self.progress.step + 1}: {what} that is not finite; stopped, and the checkpoint before it stays;"
            f" the step's examples (store:place in it): {shown}"
        )


def _whole(norm: Any) -> float:
    """A gradient norm as a number, over all shards."""
    return float(norm.full_tensor() if hasattr(norm, "full_tensor") else norm)


def _padded(batches: list[Batch], stores: list[TokenStore]) -> int:
    """The tokens of batches with their padding."""
    longest = (stores[batch.corpus].lengths[batch.examples].max(axis=0).astype(int) for batch in batches)
    return sum(len(batch.examples) * int(most.sum()) for batch, most in zip(batches, longest, strict=True))


@contextmanager
def _on_sigterm(act: Callable[..., None]) -> Iterator[None]:
    """Have SIGTERM do this; only the main thread may change what a signal does."""
    try:
        before = signal.signal(signal.SIGTERM, act)
    except ValueError:
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
