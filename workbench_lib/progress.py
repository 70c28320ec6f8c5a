"""Where a training run stands, and when it is over."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from workbench_lib.batches import BatchStream, Position
from workbench_lib.metrics_log import Tally
from workbench_lib.stages import TrainingParams


@dataclass(frozen=True)
class Progress:
    """Where a training run stands: everything besides tensors that the next step depends on.

    Args:
        data: What is trained on, as the identities of the token stores.
        tokens: Of source and target, padding not counted.
        positions, taken: Of the stream of batches.
        not_better_for: Validations since the best one.
        tally: What is measured, but not yet a row of the log.
    """

    data: tuple[str, ...] = ()
    step: int = 0
    tokens: int = 0
    examples: int = 0
    positions: tuple[Position, ...] = ()
    taken: tuple[int, ...] = ()
    best_loss: float | None = None
    not_better_for: int = 0
    tally: Tally = field(default_factory=Tally)
    seconds: float = 0.0

    def after(self, stream: BatchStream, lengths: NDArray[np.integer], tally: Tally, seconds: float) -> Progress:
        """One step on, over examples of these lengths, (examples, 2)."""
        return replace(
            self,
            step=self.step + 1,
            tokens=self.tokens + int(lengths.sum()),
            examples=self.examples + len(lengths),
            positions=tuple(stream.positions),
            taken=tuple(stream.taken),
            tally=tally,
            seconds=seconds,
        )

    def validated(self, loss: float) -> Progress:
        """With one more validation loss."""
        if self.best_loss is None or loss < self.best_loss:
            return replace(self, best_loss=loss, not_better_for=0)
        return replace(self, not_better_for=self.not_better_for + 1)

    def is_over(self, params: TrainingParams) -> bool:
        """Whether a limit is reached, or validation has not got better for `patience` times."""
        waited = 0 < params.patience <= self.not_better_for
        return waited or any(done >= limit for done, limit in self._limits(params))

    def share_done(self, params: TrainingParams) -> float:
        """The part of the run after the warm-up that is over, from 0 to 1, by the limit that is nearest.

        Tokens and examples are taken to come evenly, so that the learning rate has no step where the warm-up ends.
        """
        if self.step <= params.warmup_steps:
            return 0.0
        done = max(done / limit for done, limit in self._limits(params))
        in_warmup = done * params.warmup_steps / self.step
        return (done - in_warmup) / (1 - in_warmup)

    def _limits(self, params: TrainingParams) -> list[tuple[int, int]]:
        found = [(self.step, params.steps), (self.tokens, params.max_tokens), (self.examples, params.max_examples)]
        return [(done, limit) for done, limit in found if limit]

    @classmethod
    def read(cls, path: Path) -> Progress:
        """The progress that a checkpoint's `progress.json` holds."""
        values = json.loads(path.read_bytes())
        for name in ("data", "taken"):
            values[name] = tuple(values[name])
        values["positions"] = tuple(Position(**position) for position in values["positions"])
        values["tally"] = Tally(**{**values["tally"], "losses": tuple(values["tally"]["losses"])})
        return cls(**values)
