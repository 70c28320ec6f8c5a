"""From source files to a knowledge base: every line is kept, or counted under the reason why it is not."""

from __future__ import annotations

import itertools
import math
import re
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from eg3p_lib.graphs import is_writable
from eg3p_lib.readers import Fields, Layout, LineError, detect_layout, open_lines, parse_term
from eg3p_lib.relations import MERGES, RELATIONS, Merged, relation_index, relation_key
from eg3p_lib.store import SCHEMA, KnowledgeBase, KnowledgeError, SourceCounts, Triple, is_knowledge_file
from workbench_lib.errors import InputError
from workbench_lib.paths import data_root, find_files

__all__ = ["KnowledgeBase", "KnowledgeError", "Triple", "read_knowledge", "resolve_sources", "starter_knowledge"]

DATA = Path(__file__).resolve().parent / "data"
STARTER = DATA / "starter_knowledge.tsv"

_LINES_TO_DETECT = 20
_LANGUAGE = re.compile(r"[a-z]{2,3}(-[a-z]+)?")
_RELATION_NUMBER = {relation: number for number, relation in enumerate(RELATIONS)}


@dataclass(frozen=True)
class Rules:
    """What is kept: the language of both ends, the least weight, and the relations with what they become."""

    language: str = "en"
    min_weight: float = 0.0
    relations: Mapping[str, Merged] = field(default_factory=relation_index)


class Record(NamedTuple):
    """A line that is kept."""

    head: str
    relation: str
    tail: str
    weight: float
    head_sense: str
    tail_sense: str
    source: str


def read_knowledge(
    paths: Iterable[Path],
    *,
    language: str = "en",
    min_weight: float = 0.0,
    merges: Mapping[str, Merged] = MERGES,
) -> KnowledgeBase:
    """Read triples of any known format, or of a saved knowledge base, into one knowledge base.

    Reasons for leaving a line out, the first that holds: blank, external_url, not_conceptnet, other_language,
    empty_term, self_loop, unmapped_relation, negative (label 0 or a negative weight), low_weight, separator
    (a term holds ` : ` or ` | `), duplicate. Where a triple comes twice, the first one's source and senses and the
    largest weight stay.

    Args:
        paths: Files, plain or gzip, each in its own format, which its first lines tell.
        language: Both ends must be in it; terms of lists that name no language are taken to be.
        min_weight: The least weight that is kept.
        merges: What the sources' relations become (DESIGN section 5 by default).

    Raises:
        InputError: a file is missing, empty or in no known format, or a line is malformed.
        KnowledgeError: nothing was kept, or a saved knowledge base is in another language.
    """
    paths = list(paths)
    if not _LANGUAGE.fullmatch(language) or not math.isfinite(min_weight):
        raise KnowledgeError(f"{language=} must be a code such as 'en', and {min_weight=} a number")
    if len(paths) == 1 and is_knowledge_file(paths[0]):
        saved = _load(paths[0], language)
        if np.min(saved.table["weight"].to_numpy()) >= min_weight:
            return saved
    builder = _Builder()
    rules = Rules(language, min_weight, relation_index(merges))
    for path in paths:
        builder.add_source(source_name(path), _judge_file(path, rules))
    return builder.finish(language)


def starter_knowledge() -> KnowledgeBase:
    """The built-in knowledge base, written for this project."""
    return read_knowledge([STARTER])


def resolve_sources(names: Sequence[str]) -> list[Path]:
    """The files that source names stand for: "starter", paths, or glob patterns, here or under WORKBENCH_DATA.

    Raises:
        KnowledgeError: no names, or one that stands for no file; says where it was looked for.

    >>> [path.name for path in resolve_sources(["starter"])]
    ['starter_knowledge.tsv']
    """
    if not names:
        raise KnowledgeError("no knowledge source is named")
    found = [path for name in names for path in ([STARTER] if name == "starter" else _files_of(name))]
    return list(dict.fromkeys(found))


def _files_of(name: str) -> list[Path]:
    if files := find_files(name):
        return files
    root = data_root()
    if any(place.is_dir() for place in [Path(name), *([] if root is None else [root / name])]):
        raise KnowledgeError(f"knowledge source {name!r} is a folder; name its files, such as {name}/*.csv")
    where = "here, and WORKBENCH_DATA is not set" if root is None else f"here or under WORKBENCH_DATA={root}"
    raise KnowledgeError(f"knowledge source {name!r}: no such file {where}")


def source_name(path: Path) -> str:
    """How a file is called in a knowledge base: its folder's and its own name."""
    return f"{path.resolve().parent.name}/{path.name}"


def _load(path: Path, language: str) -> KnowledgeBase:
    saved = KnowledgeBase.load(path)
    if saved.language != language:
        raise KnowledgeError(f"{path}: holds the language {saved.language!r}, not {language!r}")
    return saved


def _judge_file(path: Path, rules: Rules) -> Iterator[Record | str]:
    """For each line the record that it gives, or the reason why it gives none."""
    if is_knowledge_file(path):
        for t in _load(path, rules.language).triples():
            low = t.weight < rules.min_weight
            yield (
                "low_weight"
                if low
                else Record(t.head, t.relation, t.tail, t.weight, t.head_sense, t.tail_sense, t.source)
            )
        return
    source = source_name(path)
    with open_lines(path) as lines:
        first = list(itertools.islice(lines, _LINES_TO_DETECT))
        layout = detect_layout([text for _, text in first], path)
        for number, text in itertools.islice(itertools.chain(first, lines), layout.header, None):
            try:
                yield _judge(text, layout, rules, source)
            except LineError as error:
                raise InputError(str(error), path=path, line=number, value=text) from None


def _judge(text: str, layout: Layout, rules: Rules, source: str) -> Record | str:
    if not text.strip():
        return "blank"
    fields = layout.split(text)
    if "ExternalURL" in fields.relation or _is_url(fields.head) or _is_url(fields.tail):
        return "external_url"
    if layout.only_uris and not (fields.head.startswith("/c/") and fields.tail.startswith("/c/")):
        return "not_conceptnet"
    head, tail = parse_term(fields.head), parse_term(fields.tail)
    if not {head.language, tail.language} <= {rules.language, ""}:
        return "other_language"
    if not (head.text and tail.text):
        return "empty_term"
    if head.text == tail.text:
        return "self_loop"
    merged = rules.relations.get(relation_key(fields.relation))
    if merged is None:
        return "unmapped_relation"
    weight = layout.weigh(fields.weight)
    reason = _reason_of_weight(weight, fields, rules)
    if reason or not (is_writable(head.text) and is_writable(tail.text)):
        return reason or "separator"
    if merged.reverse:
        head, tail = tail, head
    return Record(head.text, merged.relation, tail.text, weight, head.sense, tail.sense, source)


def _reason_of_weight(weight: float, fields: Fields, rules: Rules) -> str:
    """A label 0 says that the triple is made up; a negative weight says that people denied it."""
    if weight < 0 or (weight == 0 and fields.weight):
        return "negative"
    return "low_weight" if weight < rules.min_weight else ""


def _is_url(term: str) -> bool:
    return term.startswith(("http://", "https://"))


class _Names:
    """Texts to numbers, in the order of their first appearance."""

    def __init__(self, names: Sequence[str] = ()) -> None:
        self.numbers = {name: number for number, name in enumerate(names)}

    def number(self, name: str) -> int:
        return self.numbers.setdefault(name, len(self.numbers))


class _Builder:
    """Collects records in flat arrays, then sorts them, merges duplicates and numbers the concepts by their text."""

    def __init__(self) -> None:
        self.concepts, self.senses, self.sources = _Names(), _Names([""]), _Names()
        self.columns = {
            name: array("i") for name in ("head", "tail", "relation", "source", "head_sense", "tail_sense", "file")
        }
        self.weight = array("f")
        self.counts: dict[str, SourceCounts] = {}

    def add_source(self, name: str, judged: Iterable[Record | str]) -> None:
        if name in self.counts:
            raise KnowledgeError(f"two sources are called {name!r}; rename one")
        skipped: Counter[str] = Counter()
        before, file = len(self.weight), len(self.counts)
        for record in judged:
            if isinstance(record, str):
                skipped[record] += 1
            else:
                self._add(record, file)
        kept = len(self.weight) - before
        self.counts[name] = SourceCounts(kept + skipped.total(), kept, dict(skipped))

    def _add(self, record: Record, file: int) -> None:
        columns = self.columns
        columns["head"].append(self.concepts.number(record.head))
        columns["relation"].append(_RELATION_NUMBER[record.relation])
        columns["tail"].append(self.concepts.number(record.tail))
        columns["head_sense"].append(self.senses.number(record.head_sense))
        columns["tail_sense"].append(self.senses.number(record.tail_sense))
        columns["source"].append(self.sources.number(record.source))
        columns["file"].append(file)
        self.weight.append(record.weight)

    def finish(self, language: str) -> KnowledgeBase:
        if not self.weight:
            reasons = Counter[str]()
            for counts in self.counts.values():
                reasons.update(counts.skipped)
            told = ", ".join(f"{reason} {number}" for reason, number in reasons.most_common()) or "no lines"
            raise KnowledgeError(f"no triple of {', '.join(self.counts) or 'no source'} was kept ({told})")
        names, columns = self._numbered_by_text()
        first, weight = self._merge_duplicates(columns)
        table = self._table(names, {name: column[first] for name, column in columns.items()}, weight)
        return KnowledgeBase(table, language, self.counts)

    def _numbered_by_text(self) -> tuple[list[str], dict[str, npt.NDArray[np.int32]]]:
        columns = {name: np.frombuffer(column, dtype=np.int32) for name, column in self.columns.items()}
        names = sorted(self.concepts.numbers)
        rank = np.empty(len(names), dtype=np.int32)
        rank[[self.concepts.numbers[name] for name in names]] = np.arange(len(names), dtype=np.int32)
        return names, columns | {end: rank[columns[end]] for end in ("head", "tail")}

    def _merge_duplicates(
        self, columns: Mapping[str, npt.NDArray[np.int32]]
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float32]]:
        """The place of each distinct triple's first record, and its largest weight, sorted by tail, relation, head."""
        order = np.lexsort((columns["head"], columns["relation"], columns["tail"]))  # stable: first records stay first
        keys = np.stack([columns[name][order] for name in ("tail", "relation", "head")])
        is_first = np.concatenate([[True], (keys[:, 1:] != keys[:, :-1]).any(axis=0)])
        weight = np.maximum.reduceat(np.frombuffer(self.weight, dtype=np.float32)[order], np.flatnonzero(is_first))
        repeated = np.bincount(columns["file"][order[~is_first]], minlength=len(self.counts))
        for counts, number in zip(self.counts.values(), repeated.tolist(), strict=True):
            counts.kept -= number
            counts.skipped = dict(sorted({**counts.skipped, **({"duplicate": number} if number else {})}.items()))
        return order[is_first], weight

    def _table(
        self, names: list[str], columns: Mapping[str, npt.NDArray[np.int32]], weight: npt.NDArray[np.float32]
    ) -> pa.Table:
        words = {
            **dict.fromkeys(("head", "tail"), pa.array(names, pa.string())),
            **dict.fromkeys(("head_sense", "tail_sense"), pa.array(list(self.senses.numbers), pa.string())),
            "relation": pa.array(RELATIONS, pa.string()),
            "source": pa.array(list(self.sources.numbers), pa.string()),
        }
        arrays = [
            pa.array(weight)
            if column.name == "weight"
            else pa.DictionaryArray.from_arrays(
                pa.array(columns[column.name], column.type.index_type), words[column.name]
            )
            for column in SCHEMA
        ]
        return pa.Table.from_arrays(arrays, schema=SCHEMA)
