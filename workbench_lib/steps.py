"""One optimiser step: a loss over all targets of its batches, normalised once, whoever works on which of them.

The losses of a step's batches are summed and divided by all targets of the step, so that neither the shapes of the
batches nor the number of processes that share them changes the gradient. Dropout is a function of the seed, the step
and the process alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from accelerate import Accelerator
from numpy.typing import NDArray
from transformers import PreTrainedModel

from workbench_lib.batches import Batch
from workbench_lib.devices import distributed, is_sharded, peak_flops, training_flops
from workbench_lib.errors import WorkbenchError
from workbench_lib.objectives import Objective, to_device
from workbench_lib.optimisation import learning_rate_factor, make_optimizer
from workbench_lib.progress import Progress
from workbench_lib.stages import TrainingParams
from workbench_lib.tokens import TokenStore, collate


class TrainingError(WorkbenchError):
    """Training cannot start or go on: a loss that is not finite, other data than before, a record that is gone."""


@dataclass(frozen=True)
class Step:
    """What a step did, over all processes.

    Args:
        gradient_norm: Before clipping.
        lengths: Of its examples, (examples, 2).
        padded: The tokens of its batches with their padding.
        flops: The operations, where the device's peak is known, else 0.
        stops: Whether one of the processes was asked to stop.
    """

    loss: float
    gradient_norm: float
    learning_rate: float
    lengths: NDArray[np.integer]
    padded: int
    flops: float
    stops: bool


class Stepper:
    """A model with its optimiser on its devices."""

    def __init__(
        self,
        model: PreTrainedModel,
        stores: Sequence[TokenStore],
        params: TrainingParams,
        objective: Objective,
        accelerator: Accelerator,
    ):
        self.accelerator, self.processes, self.rank = accelerator, accelerator.num_processes, accelerator.process_index
        if params.batches_a_step % self.processes:
            raise TrainingError(
                f"batches_a_step={params.batches_a_step} cannot be shared by {self.processes} processes"
            )
        self.bare, self.stores, self.params, self.objective = model, stores, params, objective
        self.loss = torch.compile(objective.loss, dynamic=True) if params.compile else objective.loss
        self.model = distributed(model.train(), accelerator, params)
        self.optimizer = make_optimizer(self.model, params.learning_rate, params.weight_decay)
        self.peak = (peak_flops(accelerator.device) or 0.0) * self.processes

    def take(self, batches: Sequence[Batch], progress: Progress, asked_to_stop: Callable[[], bool]) -> Step:
        """Move the weights by one step.

        Args:
            asked_to_stop: Whether this process was, asked late, so that a signal that comes meanwhile counts.

        Raises:
            TrainingError: the loss or the gradient is not finite; the weights are as they were.
        """
        torch.manual_seed(self._seed(progress))
        lengths = np.concatenate([self._lengths(batch) for batch in batches])
        counted = sum(map(self.objective.counted, lengths[:, 1].tolist()))
        loss, stops = self._backward(batches, counted, asked_to_stop)
        norm = _whole(torch.nn.utils.clip_grad_norm_(self.model.parameters(), self.params.clip_norm))
        if not math.isfinite(loss) or not math.isfinite(norm):
            raise TrainingError(self._not_finite(batches, progress, loss))
        rate = self._rate(progress)
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)
        padded = sum(len(batch.examples) * int(self._lengths(batch).max(axis=0).sum()) for batch in batches)
        flops = training_flops(self.bare, lengths) if self.peak else 0.0
        return Step(loss, norm, rate, lengths, padded, flops, stops)

    def _lengths(self, batch: Batch) -> NDArray[np.integer]:
        return self.stores[batch.corpus].lengths[batch.examples]

    def _seed(self, progress: Progress) -> int:
        place = np.random.SeedSequence([self.params.seed, progress.step, self.rank])
        return int(place.generate_state(1, np.uint64)[0])

    def _backward(
        self, batches: Sequence[Batch], counted: int, asked_to_stop: Callable[[], bool]
    ) -> tuple[float, bool]:
        """The step's loss over all processes, its gradient left in the weights; and whether one of them should stop.

        Processes average their gradients where we want the sum, hence the factor.
        """
        total = torch.zeros(2, device=self.accelerator.device)
        mine = batches[self.rank :: self.processes]
        for number, batch in enumerate(mine):
            tensors = collate(self.stores[batch.corpus], batch.examples, self.bare.config.pad_token_id)
            tensors = to_device(tensors, self.accelerator.device)
            with self._exchanging_gradients(number == len(mine) - 1):
                loss = self.loss(self.model, tensors, self.params.label_smoothing) / counted
                self.accelerator.backward(loss * self.processes)
            total[0] += loss.detach()
        total[1] = float(asked_to_stop())
        loss_of_step, asked = self.accelerator.reduce(total, "sum").tolist()
        return loss_of_step, asked > 0

    @contextmanager
    def _exchanging_gradients(self, now: bool) -> Iterator[None]:
        """Processes exchange the gradients of a step once, after its last batch."""
        if is_sharded(self.model):
            self.bare.set_requires_gradient_sync(now)
            yield
            return
        with nullcontext() if now else self.accelerator.no_sync(self.model):
            yield

    def _rate(self, progress: Progress) -> float:
        params, done = self.params, progress.share_done(self.params)
        return params.learning_rate * learning_rate_factor(
            params.schedule, progress.step + 1, params.warmup_steps, done
        )

    def _not_finite(self, batches: Sequence[Batch], progress: Progress, loss: float) -> str:
        what = "a loss" if not math.isfinite(loss) else "a gradient"
        rows = [(batch.corpus, self.stores[batch.corpus].row(int(k))) for batch in batches for k in batch.examples]
        named = [f"{corpus}:{row}" if len(self.stores) > 1 else str(row) for corpus, row in rows]
        shown = ", ".join(named[:20]) + (", ..." if len(named) > 20 else "")
        return (
            f"step {progress.step + 1}: {what} that is not finite; stopped, and the checkpoint before it stays;"
            f" the step's examples (rows of what was tokenised, counted from 0): {shown}"
        )


def _whole(norm: Any) -> float:
    """A gradient norm as a number, over all shards."""
    return float(norm.full_tensor() if hasattr(norm, "full_tensor") else norm)
