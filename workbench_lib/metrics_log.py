"""`metrics.jsonl`: what a training run measured, a line every few steps, cut back to the checkpoint on a restart."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from workbench_lib.errors import WorkbenchError
from workbench_lib.files import write_text


class MetricsLogError(WorkbenchError):
    """The record of a training run is damaged, or cannot be written."""


class MetricsLog:
    """The rows of one run, each written as it is added; rows after `step` are dropped first."""

    def __init__(self, path: Path, step: int):
        self.path = path
        self.rows = [row for row in read_metrics(path) if row["step"] <= step]
        write_text(path, "".join(json.dumps(row) + "\n" for row in self.rows))

    def write(self, **row: Any) -> None:
        """Add a row.

        Raises:
            MetricsLogError: it could not be written, on a full disk, say.
        """
        self.rows.append(row)
        try:
            with self.path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(row) + "\n")
        except OSError as error:
            raise MetricsLogError(f"{self.path}: step {row['step']} could not be written ({error})") from error


@dataclass(frozen=True)
class Tally:
    """What is measured over the steps since the last row of the log; part of a checkpoint, so that no row misses any.

    Args:
        gradient_norm: The largest, before clipping.
        tokens, padded: Of source and target, without padding and with it.
        flops: The operations of forward and backward passes, where the device's peak is known.
        seconds: In steps; validation, generation and checkpoints not counted.
    """

    losses: tuple[float, ...] = ()
    gradient_norm: float = 0.0
    learning_rate: float = 0.0
    tokens: int = 0
    padded: int = 0
    flops: float = 0.0
    seconds: float = 0.0

    def after(
        self, loss: float, norm: float, rate: float, *, tokens: int, padded: int, flops: float, seconds: float
    ) -> Tally:
        """With one more step."""
        return Tally(
            losses=(*self.losses, loss),
            gradient_norm=max(self.gradient_norm, norm),
            learning_rate=rate,
            tokens=self.tokens + tokens,
            padded=self.padded + padded,
            flops=self.flops + flops,
            seconds=self.seconds + seconds,
        )

    def row(self, peak: float | None = None) -> dict[str, Any]:
        """Mean loss, learning rate, largest gradient norm, tokens, padding and speed.

        Args:
            peak: Operations a second that the devices can do; None where it is not known.
        """
        row: dict[str, Any] = {
            "loss": sum(self.losses) / len(self.losses),
            "learning_rate": self.learning_rate,
            "gradient_norm": round(self.gradient_norm, 4),
            "tokens": self.tokens,
            "padding": round(1 - self.tokens / self.padded, 4),
            "tokens_a_second": round(self.tokens / self.seconds),
        }
        return row | ({"share_of_peak": round(self.flops / self.seconds / peak, 4)} if peak else {})


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
