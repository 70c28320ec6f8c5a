"""Rows of a corpus that fulfil a condition, found by going through it only as far as it takes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from workbench_lib.corpus import Corpus, CorpusError

ROWS_A_LOOK = 1_000_000
"""So many rows are looked at before a search for rare rows comes back with what it has."""


class Scan:
    """Goes through a corpus in order, and stops as soon as it has the rows that are asked for.

    Args:
        corpus: Of any size; a row group at a time is in memory.
        columns: What is read and shown, those of the condition among them; by default all.
        condition: What a row must fulfil, such as `pc.field("level") == "easy"`; by default nothing.
    """

    def __init__(self, corpus: Corpus, columns: Sequence[str] | None = None, condition: pc.Expression | None = None):
        self.corpus = corpus
        self.looked_at = 0
        self._condition = condition
        self._batches: Iterator[pa.RecordBatch] = corpus.batches(list(columns) if columns else None)
        self._waiting: list[pa.Table] = []

    @property
    def is_over(self) -> bool:
        """Whether all rows were looked at and given."""
        return self.looked_at == len(self.corpus) and not self._found

    def take(self, number: int, rows_to_look_at: int = ROWS_A_LOOK) -> pd.DataFrame:
        """The next rows, at most `number`; fewer when the corpus ends or so many rows were looked at.

        Raises:
            CorpusError: a shard cannot be read, or rows are missing.
        """
        until = self.looked_at + rows_to_look_at
        while self._found < number and self.looked_at < min(until, len(self.corpus)):
            self._waiting.append(self._look())
        if not self._waiting:
            return pd.DataFrame()
        found = pa.concat_tables(self._waiting)
        self._waiting = [found.slice(number)]
        frame: pd.DataFrame = found.slice(0, number).to_pandas()
        return frame

    @property
    def _found(self) -> int:
        return sum(map(len, self._waiting))

    def _look(self) -> pa.Table:
        batch = next(self._batches, None)
        if batch is None:
            raise CorpusError(f"{self.corpus.folder}: holds fewer rows than its manifest says ({self.looked_at:,})")
        self.looked_at += len(batch)
        table = pa.Table.from_batches([batch])
        return table if self._condition is None else table.filter(self._condition)


def all_of(conditions: Sequence[pc.Expression]) -> pc.Expression | None:
    """The condition that all of them hold; None where there are none."""
    joint: pc.Expression | None = None
    for condition in conditions:
        joint = condition if joint is None else joint & condition
    return joint
