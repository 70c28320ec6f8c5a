"""From records to a knowledge base: flat arrays that grow with what is kept, sorted and merged at the end."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Mapping

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from eg3p_lib.counts import Faults, SourceCounts, add_reasons
from eg3p_lib.relations import RELATIONS
from eg3p_lib.rules import Record
from eg3p_lib.store import SCHEMA, KnowledgeBase, KnowledgeError

_NUMBERS = tuple(column.name for column in SCHEMA if column.name != "weight")

Columns = Mapping[str, npt.NDArray[np.int32]]
_Names = dict[str, int]
"""Texts to numbers, in the order of their first appearance."""


class KnowledgeBuilder:
    """Collects records by source, then numbers the concepts by their text and merges what comes twice.

    Where a triple comes twice, the first one's source, dataset and senses and the largest weight stay.
    """

    def __init__(self) -> None:
        concepts: _Names = {}
        senses: _Names = {"": 0}
        self.names: dict[str, _Names] = {
            "head": concepts,
            "relation": {relation: number for number, relation in enumerate(RELATIONS)},
            "tail": concepts,
            "source": {},
            "dataset": {"": 0},
            "head_sense": senses,
            "tail_sense": senses,
        }
        self.rows = array("i")
        self.weight = array("f")
        self.counts: dict[str, SourceCounts] = {}

    def add_source(self, name: str, judged: Iterable[Record | str], faults: Faults) -> None:
        """Take in a source's records, and count the reasons that stand for the other lines.

        Args:
            name: The source's name; one that has been added already goes on.
            judged: For each line its record, or a reason.
            faults: The malformed lines; read when `judged` is at its end.
        """
        source = _number(self.names["source"], name)
        skipped: Counter[str] = Counter()
        before = len(self.weight)
        for record in judged:
            if isinstance(record, str):
                skipped[record] += 1
            else:
                self._add(record, source)
        kept = len(self.weight) - before
        self._count(name, SourceCounts(kept + skipped.total(), kept, skipped, faults.told()))

    def add_saved(self, saved: KnowledgeBase) -> None:
        """Take in a knowledge base, with its sources and their counts."""
        rows = np.empty((len(saved), len(_NUMBERS)), dtype=np.int32)
        for place, column in enumerate(_NUMBERS):
            chunk, names = saved.table[column].chunk(0), self.names[column]
            numbers = np.array([_number(names, name) for name in chunk.dictionary.to_pylist()], dtype=np.int32)
            rows[:, place] = numbers[chunk.indices.to_numpy()]
        self.rows.frombytes(rows.tobytes())
        self.weight.frombytes(saved.table["weight"].to_numpy().tobytes())
        for name, counts in saved.counts.items():
            self._count(name, counts)

    def finish(self, language: str) -> KnowledgeBase:
        """The knowledge base.

        Raises:
            KnowledgeError: nothing was kept; says why.
        """
        if not self.weight:
            skipped = add_reasons(counts.skipped for counts in self.counts.values())
            faults = [f"{name}, {fault}" for name, counts in self.counts.items() for fault in counts.faults]
            told = [f"{reason} {number}" for reason, number in skipped.items()] + faults[:1] or ["no lines"]
            raise KnowledgeError(f"no triple of {', '.join(self.counts) or 'no source'} was kept ({', '.join(told)})")
        names, columns = self._numbered_by_text()
        first, weight = self._merge_duplicates(columns)
        return KnowledgeBase(self._table(names, columns, first, weight), language, self.counts)

    def _add(self, record: Record, source: int) -> None:
        names = self.names
        concepts, datasets, senses = names["head"], names["dataset"], names["head_sense"]
        self.rows.extend(
            (
                concepts.setdefault(record.head, len(concepts)),
                names["relation"][record.relation],
                concepts.setdefault(record.tail, len(concepts)),
                source,
                datasets.setdefault(record.dataset, len(datasets)),
                senses.setdefault(record.head_sense, len(senses)),
                senses.setdefault(record.tail_sense, len(senses)),
            )
        )
        self.weight.append(record.weight)

    def _count(self, name: str, counts: SourceCounts) -> None:
        self.counts[name] = self.counts.get(name, SourceCounts()) + counts

    def _numbered_by_text(self) -> tuple[pa.StringArray, Columns]:
        table = np.frombuffer(self.rows, dtype=np.int32).reshape(-1, len(_NUMBERS))
        columns = dict(zip(_NUMBERS, table.T, strict=True))
        names = _texts(self.names["head"])
        order = pc.sort_indices(names)
        rank = np.empty(len(names), dtype=np.int32)
        rank[order.to_numpy()] = np.arange(len(names), dtype=np.int32)
        return names.take(order), columns | {end: rank[columns[end]] for end in ("head", "tail")}

    def _merge_duplicates(self, columns: Columns) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float32]]:
        """The place of each distinct triple's first record, and its largest weight, sorted by tail, relation, head."""
        order = np.lexsort((columns["head"], columns["relation"], columns["tail"]))  # stable: first records stay first
        is_first = np.ones(len(order), dtype=bool)
        is_first[1:] = np.any([np.diff(columns[name][order]) != 0 for name in ("tail", "relation", "head")], axis=0)
        weight = np.maximum.reduceat(np.frombuffer(self.weight, dtype=np.float32)[order], np.flatnonzero(is_first))
        sources = list(self.names["source"])
        repeated = np.bincount(columns["source"][order[~is_first]], minlength=len(sources))
        for name, number in zip(sources, repeated.tolist(), strict=True):
            self.counts[name] = self.counts[name].leave_out({"duplicate": number})
        return order[is_first], weight

    def _table(
        self, concepts: pa.StringArray, columns: Columns, first: npt.NDArray[np.int64], weight: npt.NDArray[np.float32]
    ) -> pa.Table:
        words = {name: _texts(names) for name, names in self.names.items()} | {"head": concepts, "tail": concepts}
        arrays = [
            pa.array(weight)
            if column.name == "weight"
            else pa.DictionaryArray.from_arrays(
                pa.array(columns[column.name][first], column.type.index_type), words[column.name]
            )
            for column in SCHEMA
        ]
        return pa.Table.from_arrays(arrays, schema=SCHEMA)


def _number(names: _Names, name: str) -> int:
    return names.setdefault(name, len(names))


def _texts(names: _Names) -> pa.StringArray:
    return pa.array(list(names), pa.string())
