"""The optimiser, and the learning rate over a run."""

from __future__ import annotations

import math
from typing import Any

from torch import nn
from torch.optim import AdamW

from workbench_lib.stages import Schedule


def make_optimizer(model: nn.Module, learning_rate: float, weight_decay: float) -> AdamW:
    """AdamW without weight decay on biases and norms (anything of one dimension)."""
    groups: list[dict[str, Any]] = [
        {"params": [p for p in model.parameters() if p.ndim > 1], "weight_decay": weight_decay},
        {"params": [p for p in model.parameters() if p.ndim <= 1], "weight_decay": 0.0},
    ]
    return AdamW(groups, lr=learning_rate, fused=True)


def learning_rate_factor(schedule: Schedule, step: int, warmup_steps: int, done: float) -> float:
    """The share of the peak learning rate at a step, counted from 1: linear warm-up, then a decay towards 0.

    Args:
        schedule: `linear`, `cosine` (half a wave), `polynomial` (the square of linear), or `constant`.
        done: The part of the run after the warm-up that is over before this step, from 0 to 1.

    >>> [learning_rate_factor("linear", step, 2, done) for step, done in ((1, 0.0), (2, 0.0), (3, 0.0), (5, 0.5))]
    [0.5, 1.0, 1.0, 0.5]
    """
    if step <= warmup_steps:
        return step / warmup_steps
    left = 1.0 - min(done, 1.0)
    if schedule == "cosine":
        return (1 - math.cos(math.pi * left)) / 2
    return {"linear": left, "polynomial": left**2, "constant": 1.0}[schedule]
