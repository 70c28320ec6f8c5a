"""Many tables in little memory: as JSON texts in one Arrow file, read and typed when they are asked for.

600,000 tables take about 1 GB, in a file that processes share by memory map. As Python objects they would take eight.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import astuple
from functools import cached_property, lru_cache
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from reastap_lib.column_types import type_table
from reastap_lib.columns import TypedTable
from reastap_lib.tables import Table

SCHEMA = pa.schema([("table", pa.string()), ("score", pa.uint64())])
BATCH = 8192
KEPT_TYPED = 512


class TableStore:
    """Tables by number; iterating gives them typed.

    >>> tables = (Table("t", "", ("Player", "Goals"), (("Ann", "9"), ("Bob", "12"))),)
    >>> store = TableStore.of((table, 0) for table in tables)
    >>> len(store), store.table(0) == tables[0], [table.columns[1].kind for table in store]
    (1, True, ['number'])
    """

    def __init__(self, arrow: pa.Table):
        self._arrow = arrow
        self._texts = arrow["table"]
        self._typed = lru_cache(maxsize=KEPT_TYPED)(lambda number: type_table(self.table(number)))

    @classmethod
    def of(cls, tables: Iterable[tuple[Table, int]]) -> TableStore:
        """A store of tables with a score of 64 bits each; they are taken one at a time."""
        sink = pa.BufferOutputStream()
        _write(sink, tables)
        return cls(pa.ipc.open_file(sink.getvalue()).read_all())

    @classmethod
    def load(cls, path: Path) -> TableStore:
        """Open what `save` wrote, by memory map."""
        return cls(pa.ipc.open_file(pa.memory_map(str(path))).read_all())

    def save(self, path: Path) -> None:
        """Write the store as one Arrow file."""
        with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, SCHEMA) as writer:
            writer.write_table(self._arrow)

    def __len__(self) -> int:
        return len(self._arrow)

    def __getitem__(self, number: int) -> TypedTable:
        """The typed table of that number."""
        return self._typed(number)

    def __iter__(self) -> Iterator[TypedTable]:
        return map(self.__getitem__, range(len(self)))

    def table(self, number: int) -> Table:
        """The table of that number, not typed."""
        name, title, header, rows, *more = json.loads(self._texts[number].as_py())
        return Table(name, title, tuple(header), tuple(map(tuple, rows)), *more)

    @cached_property
    def scores(self) -> npt.NDArray[np.uint64]:
        """(tables,) the score of each."""
        scores: npt.NDArray[np.uint64] = self._arrow["score"].to_numpy()
        return scores


def _write(sink: pa.NativeFile, tables: Iterable[tuple[Table, int]]) -> None:
    texts: list[str] = []
    scores: list[int] = []
    with pa.ipc.new_file(sink, SCHEMA) as writer:
        for table, score in tables:
            texts.append(json.dumps(astuple(table), ensure_ascii=False))
            scores.append(score)
            if len(texts) == BATCH:
                writer.write_batch(pa.record_batch([texts, scores], schema=SCHEMA))
                texts, scores = [], []
        writer.write_batch(pa.record_batch([texts, scores], schema=SCHEMA))
