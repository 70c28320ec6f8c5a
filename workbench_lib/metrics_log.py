"""`metrics.jsonl`: what a training run measured, a line every few steps, cut back to the checkpoint on a restart."""

from __future__ import annotations

import json
import math
import time
from pathlib import Path
from typing import Any

import numpy as np
from transformers import PreTrainedModel

from workbench_lib.devices import peak_flops, training_flops
from workbench_lib.errors import WorkbenchError
from workbench_lib.files import write_text


class MetricsLogError(WorkbenchError):
    """The record of a training run is damaged."""


class MetricsLog:
    """The rows of one run, each written as it is added; rows after `step` are dropped first."""

    def __init__(self, path: Path, step: int):
        self.path = path
        self.rows = [row for row in read_metrics(path) if row["step"] <= step]
        write_text(path, "".join(json.dumps(row) + "\n" for row in self.rows))

    def write(self, **row: Any) -> None:
        self.rows.append(row)
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")


class Tally:
    """What is measured over the steps since the last row of the log."""

    def __init__(self) -> None:
        self.last_loss = math.nan
        self._clear()

    def _clear(self) -> None:
        self.losses: list[float] = []
        self.norm = self.rate = 0.0
        self.lengths: list[Any] = []
        self.padded = 0
        self.since = time.monotonic()

    def add(self, loss: float, norm: float, rate: float, lengths: Any, padded: int) -> None:
        self.losses.append(loss)
        self.norm, self.rate = max(self.norm, norm), rate
        self.lengths.append(lengths)
        self.padded += padded

    def row(self, model: PreTrainedModel) -> dict[str, Any]:
        """Mean loss, learning rate, largest gradient norm, tokens, padding, and the share of a known device's peak."""
        lengths = np.concatenate(self.lengths)
        tokens, seconds = int(lengths.sum()), time.monotonic() - self.since
        self.last_loss = sum(self.losses) / len(self.losses)
        row: dict[str, Any] = {
            "loss": self.last_loss,
            "learning_rate": self.rate,
            "gradient_norm": round(self.norm, 4),
            "tokens": tokens,
            "padding": round(1 - tokens / self.padded, 4),
        }
        if peak := peak_flops(model.device):
            row["share_of_peak"] = round(training_flops(model, lengths) / seconds / peak, 4)
        self._clear()
        return row


def read_metrics(path: Path) -> list[dict[str, Any]]:
    """The rows of a `metrics.jsonl`; a last line cut off by a kill is left out, a missing file has none.

    Raises:
        MetricsLogError: another line is damaged.
    """
    lines = path.read_text(encoding="utf-8").split("\n")[:-1] if path.exists() else []
    rows = []
    for number, line in enumerate(lines, start=1):
        try:
            rows.append(json.loads(line))
        except ValueError:
            raise MetricsLogError(
                f"{path}, line {number}: damaged: {line[:60]!r}; delete the run to start anew"
            ) from None
    return rows
