"""Toys that several tests and their child processes share; light to import."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa

from workbench_lib.corpus import Block
from workbench_lib.params import StageParams

SCHEMA = pa.schema([("id", pa.int64()), ("source", pa.string()), ("target", pa.string()), ("split", pa.string())])


@dataclass(frozen=True)
class ToyGenerator:
    """A number as source, its double as target; every unit whose draw is below 20 of 100 is rejected."""

    seed: int = 7
    fails_at: int | None = None

    @property
    def schema(self) -> pa.Schema:
        return SCHEMA

    def settings(self) -> dict[str, Any]:
        return {"seed": self.seed, "version": 1}

    def open(self) -> Callable[[int, int], Block]:
        return self._make

    def _make(self, start: int, stop: int) -> Block:
        if self.fails_at is not None and start <= self.fails_at < stop:
            raise ValueError(f"unit {self.fails_at} cannot be made")
        draws = [toy_draw(self.seed, i) for i in range(start, stop)]
        kept = [(i, draw) for i, draw in zip(range(start, stop), draws, strict=True) if draw >= 20]
        rows = [
            {"id": i, "source": str(n), "target": str(2 * n), "split": "validation" if i % 5 == 0 else "train"}
            for i, n in kept
        ]
        rejected = Counter({"small": len(draws) - len(kept)}) if len(draws) > len(kept) else Counter[str]()
        return Block(pa.Table.from_pylist(rows, schema=SCHEMA), rejected)


def toy_draw(seed: int, i: int) -> int:
    return int(np.random.default_rng([seed, i]).integers(0, 100))


class ToyStage(StageParams):
    """A stage with one parameter of every kind."""

    stage: ClassVar[str] = "toy"
    version: ClassVar[int] = 1
    not_in_id: ClassVar[frozenset[str]] = frozenset({"workers"})
    seed: int
    rate: float = 0.5
    name: str = "a"
    flag: bool = False
    levels: list[str] = ["easy"]  # noqa: RUF012 (pydantic copies it)
    workers: int = 1

    @property
    def slug(self) -> str:
        return self.name


class ToyConsumer(StageParams):
    """A stage that is fed by another."""

    stage: ClassVar[str] = "consumer"
    version: ClassVar[int] = 1
    corpus: str
    share: float = 1.0
