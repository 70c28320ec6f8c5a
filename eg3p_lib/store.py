"""A knowledge base: its concepts, its triples as integer arrays, and one compact file that is opened by memory map."""

from __future__ import annotations

import bisect
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from eg3p_lib.counts import SourceCounts, add_reasons
from eg3p_lib.relations import RELATIONS
from workbench_lib.errors import InputError, WorkbenchError
from workbench_lib.files import replacing

ARROW_MAGIC = b"ARROW1"
FORMAT_VERSION = 2
_META = b"eg3p_knowledge"

SCHEMA = pa.schema(
    [
        ("head", pa.dictionary(pa.int32(), pa.string())),
        ("relation", pa.dictionary(pa.int8(), pa.string())),
        ("tail", pa.dictionary(pa.int32(), pa.string())),
        ("weight", pa.float32()),
        ("source", pa.dictionary(pa.int32(), pa.string())),
        ("dataset", pa.dictionary(pa.int32(), pa.string())),
        ("head_sense", pa.dictionary(pa.int32(), pa.string())),
        ("tail_sense", pa.dictionary(pa.int32(), pa.string())),
    ]
)

Indices = npt.NDArray[np.int32]
Choice = npt.NDArray[np.bool_] | npt.NDArray[np.integer[Any]] | Sequence[int]
"""Some triples: a mask over all of them, or their numbers."""


class KnowledgeError(WorkbenchError):
    """A knowledge base that cannot be had: no triples kept, an unknown concept, sources of two languages."""


class Triple(NamedTuple):
    """A triple with its weight, where it came from, and the senses that were beside its terms.

    `source` is the file (or frame) that it was read from, `dataset` what that says of it, such as `/d/wordnet/3.1`.
    """

    head: str
    relation: str
    tail: str
    weight: float = 1.0
    source: str = ""
    dataset: str = ""
    head_sense: str = ""
    tail_sense: str = ""


class KnowledgeBase:
    """Distinct triples over concepts, sorted by tail, relation and head, so that a tail's triples lie together.

    Concepts are numbered in the order of their text; `head`, `relation` and `tail` are parallel integer arrays,
    where a relation's number is its place in `RELATIONS`.
    """

    def __init__(self, table: pa.Table, language: str, counts: Mapping[str, SourceCounts]):
        self.table = table
        self.language = language
        self.counts = dict(counts)
        self.concepts: pa.StringArray = table["head"].chunk(0).dictionary
        self.head: Indices = table["head"].chunk(0).indices.to_numpy()
        self.tail: Indices = table["tail"].chunk(0).indices.to_numpy()
        self.relation: npt.NDArray[np.int8] = table["relation"].chunk(0).indices.to_numpy()

    def __len__(self) -> int:
        """The number of triples."""
        return len(self.head)

    @property
    def lines(self) -> int:
        """The lines read, over all sources."""
        return sum(counts.lines for counts in self.counts.values())

    @property
    def skipped(self) -> dict[str, int]:
        """The lines that were not kept, over all sources, by reason."""
        return add_reasons(counts.skipped for counts in self.counts.values())

    @cached_property
    def incoming_starts(self) -> npt.NDArray[np.int64]:
        """CSR index: the triples that lead to concept c are those from [c] up to, without, [c + 1]."""
        return np.concatenate([[0], np.cumsum(np.bincount(self.tail, minlength=len(self.concepts)))])

    @cached_property
    def sinks(self) -> npt.NDArray[np.int64]:
        """The concepts that some triple leads to."""
        return np.flatnonzero(np.diff(self.incoming_starts))

    @cached_property
    def by_head(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """CSR index of the triples by their heads: their numbers, and where each concept's begin among these."""
        order = np.argsort(self.head, kind="stable")
        return order, np.searchsorted(self.head[order], np.arange(len(self.concepts) + 1))

    def outgoing(self, concept: int) -> npt.NDArray[np.int64]:
        """The numbers of the triples that leave a concept."""
        order, starts = self.by_head
        return order[starts[concept] : starts[concept + 1]]

    def incoming(self, concept: int) -> range:
        """The numbers of the triples that lead to a concept."""
        return range(int(self.incoming_starts[concept]), int(self.incoming_starts[concept + 1]))

    def name(self, concept: int) -> str:
        """A concept's text."""
        text: str = self.concepts[concept].as_py()
        return text

    def number(self, concept: str) -> int:
        """A concept's number.

        Raises:
            KnowledgeError: it is not in the knowledge base; suggests one that begins alike.
        """
        place = self._place(concept)
        if place == len(self.concepts) or self.name(place) != concept:
            near = self.search(concept[:4], 1) if concept else []
            raise KnowledgeError(f"unknown concept {concept!r}" + (f" (there is {near[0]!r})" if near else ""))
        return place

    def numbers(self, concepts: Sequence[str]) -> npt.NDArray[np.int64]:
        """The numbers of many concepts at once; -1 for those that are not in the knowledge base."""
        found = pc.index_in(pa.array(concepts, pa.string()), value_set=self.concepts)
        numbers: npt.NDArray[np.int64] = pc.fill_null(found, -1).to_numpy().astype(np.int64)
        return numbers

    def _place(self, text: str) -> int:
        return bisect.bisect_left(range(len(self.concepts)), text, key=self.name)

    def edge(self, triple: int) -> tuple[str, str, str]:
        """Head, relation id and tail of a triple by its number."""
        return self.name(int(self.head[triple])), RELATIONS[self.relation[triple]], self.name(int(self.tail[triple]))

    def triple(self, number: int) -> Triple:
        """A triple by its number, with all that is known of it."""
        return Triple(**self.table.slice(number, 1).to_pylist()[0])

    def triples(self) -> Iterator[Triple]:
        """All triples, in order."""
        for batch in self.table.to_batches(max_chunksize=4096):
            yield from (Triple(**row) for row in batch.to_pylist())

    def neighbours(self, concept: str, limit: int = 20) -> list[Triple]:
        """At most `limit` triples that the concept is in, those that lead to it first.

        Raises:
            KnowledgeError: the concept is unknown.
        """
        number = self.number(concept)
        found = [*self.incoming(number), *self.outgoing(number).tolist()]
        return [self.triple(triple) for triple in found[:limit]]

    def search(self, text: str, limit: int = 20) -> list[str]:
        """At most `limit` concepts: those that begin with the text, then where a word does, then those that hold it.

        >>> from eg3p_lib.knowledge import starter_knowledge
        >>> starter_knowledge().search("piano", limit=3)
        ['piano', 'playing piano']
        """
        text = " ".join(text.lower().split())
        first = self._place(text)
        begin = pc.starts_with(self.concepts.slice(first, limit), text).to_numpy(zero_copy_only=False)
        found = (first + np.flatnonzero(begin)).tolist()
        if len(found) < limit and text:
            holds = pc.match_substring(self.concepts, text)
            held = np.flatnonzero(holds.to_numpy(zero_copy_only=False))
            in_words = pc.match_substring(self.concepts.filter(holds), f" {text}").to_numpy(zero_copy_only=False)
            found += [*held[in_words][:limit].tolist(), *held[: 2 * limit].tolist()]
        return [self.name(concept) for concept in list(dict.fromkeys(found))[:limit]]

    def relation_counts(self) -> dict[str, int]:
        """The number of triples of each of the 16 relations."""
        return dict(zip(RELATIONS, np.bincount(self.relation, minlength=len(RELATIONS)).tolist(), strict=True))

    def without(self, left_out: Mapping[str, Choice]) -> KnowledgeBase:
        """The knowledge base without some triples, which are counted as skipped at their sources.

        Args:
            left_out: By reason, the triples; one that has several reasons is counted under the first.

        Raises:
            KnowledgeError: no triple would be left.

        >>> from eg3p_lib.knowledge import starter_knowledge
        >>> starter_knowledge().without({"dull": [0, 1]}).skipped
        {'dull': 2}
        """
        reason_of = np.full(len(self), -1, dtype=np.int32)
        for number, choice in reversed(list(enumerate(left_out.values()))):
            reason_of[np.asarray(choice, dtype=bool if _is_mask(choice) else np.int64)] = number
        if (reason_of >= 0).all():
            raise KnowledgeError(f"no triple is left without {', '.join(left_out)}")
        if (reason_of < 0).all():
            return self
        return KnowledgeBase(_kept(self.table, reason_of < 0), self.language, self._counts_without(reason_of, left_out))

    def _counts_without(self, reason_of: Indices, reasons: Mapping[str, Choice]) -> dict[str, SourceCounts]:
        """The counts when triples are left out; `reason_of` holds a reason's place for each triple, or -1."""
        source = self.table["source"].chunk(0)
        counts = dict(self.counts)
        for place, reason in enumerate(reasons):
            by_source = np.bincount(source.indices.to_numpy()[reason_of == place], minlength=len(source.dictionary))
            for name, number in zip(source.dictionary.to_pylist(), by_source.tolist(), strict=True):
                counts[name] = counts[name].leave_out({reason: number})
        return counts

    def save(self, path: Path) -> None:
        """Write the knowledge base as one Arrow file, atomically; any Arrow reader sees an ordinary table."""
        counts = {name: asdict(counts) for name, counts in self.counts.items()}
        meta = {"version": FORMAT_VERSION, "language": self.language, "counts": counts}
        table = self.table.replace_schema_metadata({_META: json.dumps(meta, ensure_ascii=False)})
        with (
            replacing(path) as temporary,
            pa.OSFile(str(temporary), "wb") as sink,
            pa.ipc.new_file(sink, table.schema) as writer,
        ):
            writer.write_table(table)

    @classmethod
    def load(cls, path: Path) -> KnowledgeBase:
        """Open what `save` wrote, by memory map.

        Raises:
            InputError: the file is missing, damaged or something else.
        """
        if not path.is_file():
            raise InputError("no such file", path=path)
        try:
            table = pa.ipc.open_file(pa.memory_map(str(path))).read_all()
            meta: dict[str, Any] = json.loads((table.schema.metadata or {})[_META])
            same = table.schema.remove_metadata() == SCHEMA and table["head"].num_chunks == 1
            if meta["version"] != FORMAT_VERSION or not same:
                raise InputError("was written by another version; make it anew", path=path)
            counts = {name: SourceCounts(**{**v, "faults": tuple(v["faults"])}) for name, v in meta["counts"].items()}
        except (pa.ArrowException, OSError, KeyError, ValueError, TypeError) as error:
            raise InputError(
                f"is not a knowledge file, or is damaged ({' '.join(str(error).split())})", path=path
            ) from None
        return cls(table, meta["language"], counts)


def is_knowledge_file(path: Path) -> bool:
    """Whether a file begins as `KnowledgeBase.save` writes it."""
    try:
        with path.open("rb") as file:
            return file.read(len(ARROW_MAGIC)) == ARROW_MAGIC
    except OSError:
        return False


def _is_mask(choice: Choice) -> bool:
    return isinstance(choice, np.ndarray) and choice.dtype == np.bool_


def _kept(table: pa.Table, mask: npt.NDArray[np.bool_]) -> pa.Table:
    """The rows of a mask; concepts that are then in no triple are gone, and the others keep their order."""
    rows = pa.RecordBatch.from_arrays([column.chunk(0) for column in table.columns], schema=SCHEMA).filter(mask)
    ends = {end: rows[end].indices.to_numpy() for end in ("head", "tail")}
    used = np.zeros(len(rows["head"].dictionary), dtype=bool)
    for numbers in ends.values():
        used[numbers] = True
    concepts, number = rows["head"].dictionary.filter(pa.array(used)), np.cumsum(used, dtype=np.int32) - 1
    renumbered = {end: pa.DictionaryArray.from_arrays(number[numbers], concepts) for end, numbers in ends.items()}
    return pa.Table.from_arrays([renumbered.get(name, rows[name]) for name in SCHEMA.names], schema=SCHEMA)
