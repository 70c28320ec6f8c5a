"""Tables of evaluation splits, kept out of corpora: the same table, or nearly the same, under another name.

Cells are compared without case, spaces, punctuation, accents and footnotes. Two tables are *the same* when their rows
hold the same cells, whatever the order of rows and columns, and whatever the header. They are *nearly the same* when
they share many pairs of cells that stand in one row (pairs with at least one cell that says something: four
characters, or three that are not all figures): at least 10 pairs, and a quarter of all pairs of both (Jaccard), or
three fifths of the pairs of the smaller one. So lost or added rows and columns, and some edited cells, do not hide a
table, while two tables about the same teams in other seasons stay apart.

An inverted index over the pairs of all evaluation tables counts what a table shares with each of them in one pass.
"""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from reastap_lib.tabfact import csv_table
from reastap_lib.tables import Table
from reastap_lib.wikisql import read_wikisql
from reastap_lib.wikitq import STARTER, context_table, evaluation_contexts, root_of
from workbench_lib.errors import InputError
from workbench_lib.files import sha256_of_json
from workbench_lib.paths import find_data

RULE_VERSION = 1
MIN_SHARED, MIN_JACCARD, MIN_CONTAINED = 10, 0.25, 0.6
_FOOTNOTES = re.compile(r"(?:\s*(?:\[[^\]]*\]|[*†‡§]))+$")
_NOT_TEXT = re.compile(r"[\W_]+")
_MIX = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F), np.uint64(32)

Pairs = npt.NDArray[np.uint64]


@dataclass(frozen=True)
class Fingerprints:
    """An index of tables.

    Args:
        labels: For each table, what to call it, such as `tabfact test`.
        exact: The first table of each exact digest.
        sizes: (tables,) the number of different pairs of each.
        pairs: (pairs,) all different pairs, sorted.
        starts: (pairs + 1,) where the tables of each pair begin in `owners`.
        owners: The tables of pair 0, of pair 1, ...
    """

    labels: tuple[str, ...]
    exact: dict[str, int]
    sizes: npt.NDArray[np.int64]
    pairs: Pairs
    starts: npt.NDArray[np.int64]
    owners: npt.NDArray[np.int64]

    @classmethod
    def of(cls, tables: Iterable[tuple[str, Table]]) -> Fingerprints:
        """The index of labelled tables.

        >>> rows = (("Ann Lee", "Leeds"), ("Bob", "12 May 1998"), ("Cyd", "6"))
        >>> known = Fingerprints.of([("wikitq test", Table("t", "", ("Name", "Note"), rows))])
        >>> again = tuple((note.upper(), f"{name}[a]") for name, note in reversed(rows))
        >>> known.overlap(Table("u", "", ("Note", "Who"), again))
        'the same table as in wikitq test'
        """
        labels: list[str] = []
        found: list[Pairs] = []
        exact: dict[str, int] = {}
        for number, (label, table) in enumerate(tables):
            labels.append(label)
            found.append(row_pairs(table))
            exact.setdefault(exact_digest(table), number)
        everything = np.concatenate([np.zeros(0, np.uint64), *found])
        owner = np.repeat(np.arange(len(found)), [len(pairs) for pairs in found])
        order = np.argsort(everything, kind="stable")
        pairs, starts = np.unique(everything[order], return_index=True)
        starts = np.append(starts, len(everything))
        return cls(tuple(labels), exact, np.array([len(p) for p in found]), pairs, starts, owner[order])

    def overlap(self, table: Table) -> str:
        """Why a table must not be used: it is (nearly) one of these; or an empty text."""
        same = self.exact.get(exact_digest(table))
        if same is not None:
            return f"the same table as in {self.labels[same]}"
        nearest = self._nearest(row_pairs(table))
        return "" if nearest is None else f"nearly the same table as in {self.labels[nearest]}"

    def _nearest(self, pairs: Pairs) -> int | None:
        shared = self.shared(pairs)
        near = np.flatnonzero(shared >= MIN_SHARED)
        if not len(near):
            return None
        common, sizes = shared[near], self.sizes[near]
        jaccard = common / (len(pairs) + sizes - common)
        close = (jaccard >= MIN_JACCARD) | (common >= MIN_CONTAINED * np.minimum(sizes, len(pairs)))
        return int(near[close][np.argmax(jaccard[close])]) if close.any() else None

    def shared(self, pairs: Pairs) -> npt.NDArray[np.int64]:
        """(tables,) how many of these different pairs each table of the index has too."""
        if not len(self.pairs):
            return np.zeros(len(self.labels), np.int64)
        places = np.minimum(np.searchsorted(self.pairs, pairs), len(self.pairs) - 1)
        places = places[self.pairs[places] == pairs]
        begins, lengths = self.starts[places], self.starts[places + 1] - self.starts[places]
        steps = np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        return np.bincount(self.owners[np.repeat(begins, lengths) + steps], minlength=len(self.labels))


class EvaluationTables:
    """The tables of the evaluation splits of some data sets.

    Args:
        names: starter, or folders in the official layout of WikiTableQuestions, WikiSQL, TabFact or LogicNLG, as given
            or under WORKBENCH_DATA.

    Raises:
        InputError: a folder has none of the layouts, or a table is missing or unreadable.

    >>> starter = EvaluationTables(["starter"])
    >>> from reastap_lib.builtin import builtin_tables
    >>> {starter.overlap(table) for table in builtin_tables()[:3]}
    {''}
    """

    def __init__(self, names: Iterable[str]):
        self._index = Fingerprints.of((label, table) for name in names for label, table in evaluation_tables(name))

    def __len__(self) -> int:
        return len(self._index.labels)

    def overlap(self, table: Table) -> str:
        """Why a table must not be used for a corpus, or an empty text."""
        return self._index.overlap(table)

    @property
    def digest(self) -> str:
        """What decides the verdicts: the tables and the rule."""
        return sha256_of_json([RULE_VERSION, sorted(self._index.exact)])


def evaluation_tables(name: str) -> Iterator[tuple[str, Table]]:
    """The tables of the dev and test splits of a data set, each with the name of set and split.

    Raises:
        InputError: the folder has none of the four layouts, or a table is missing or unreadable.
    """
    root = root_of(STARTER) if name == STARTER else find_data(name)
    for data_set, (marks, read) in _LAYOUTS.items():
        if any(any(root.glob(mark)) for mark in marks):
            yield from ((f"{data_set} {split}", table) for split, table in read(root))
            return
    sets = ", ".join(_LAYOUTS)
    raise InputError(f"not the layout of any of {sets}, or without their dev and test files", path=root)


def exact_digest(table: Table) -> str:
    """Hex sha256 of the rows, each as its cells, both in any order, without what makes no difference."""
    rows = sorted(sorted(text for cell in row if (text := bare(cell))) for row in table.rows)
    return sha256_of_json(rows)


def row_pairs(table: Table) -> Pairs:
    """The different pairs of cells that stand in one row, as sorted 64-bit hashes."""
    known = [[_hash_of(cell) for cell in row] for row in table.rows]
    cells = np.array([[code for code, _ in row] for row in known], np.uint64)  # (rows, columns); 0: empty
    telling = np.array([[says for _, says in row] for row in known], bool)
    first, second = np.triu_indices(cells.shape[1], 1)
    a, b = cells[:, first], cells[:, second]  # (rows, pairs)
    kept = (a != 0) & (b != 0) & (telling[:, first] | telling[:, second])
    return np.unique(_mixed(a[kept], b[kept]))


@lru_cache(maxsize=1 << 16)
def bare(cell: str) -> str:
    """A cell without case, accents, spaces, punctuation and footnotes.

    >>> bare("São Paulo, 1,234 [a]*")
    'saopaulo1234'
    """
    text = _FOOTNOTES.sub("", cell.strip())
    if not text.isascii():
        text = "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))
    return _NOT_TEXT.sub("", text.casefold())


@lru_cache(maxsize=1 << 16)
def _hash_of(cell: str) -> tuple[int, bool]:
    """A cell's hash, 0 where nothing is left of it, and whether it says something."""
    text = bare(cell)
    if not text:
        return 0, False
    code = int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big")
    return code, len(text) >= 4 or (len(text) == 3 and not text.isdigit())


def _mixed(a: Pairs, b: Pairs) -> Pairs:
    """One hash for two, whatever their order."""
    mixed: Pairs = (a + b) * _MIX[0] ^ (a ^ b) * _MIX[1]
    mixed ^= mixed >> _MIX[2]
    return mixed


def _wikitq(root: Path) -> Iterator[tuple[str, Table]]:
    return ((split, context_table(root, context)) for split, context in evaluation_contexts(root))


def _wikisql(root: Path) -> Iterator[tuple[str, Table]]:
    for path in sorted([*root.glob("*.tables.jsonl"), *root.glob("data/*.tables.jsonl")]):
        split = path.name.split(".")[0]
        if split in ("dev", "test"):
            tables, left_out = read_wikisql(path)
            unread = [reason for reason in left_out if reason != "no rows"]
            if unread:
                raise InputError(f"a table has {unread[0]}", path=path)
            yield from ((split, table) for table in tables)


def _csv_tables(root: Path, lists: dict[str, str], folder: str) -> Iterator[tuple[str, Table]]:
    for split, name in lists.items():
        if (root / name).is_file():
            ids = json.loads((root / name).read_text(encoding="utf-8"))
            yield from ((split, csv_table(root / folder / table_id)) for table_id in sorted(ids))


def _tabfact(root: Path) -> Iterator[tuple[str, Table]]:
    return _csv_tables(root, {"val": "data/val_id.json", "test": "data/test_id.json"}, "data/all_csv")


def _logicnlg(root: Path) -> Iterator[tuple[str, Table]]:
    return _csv_tables(root, {"val": "data/val_lm.json", "test": "data/test_lm.json"}, "all_csv")


_Read = Callable[[Path], Iterator[tuple[str, Any]]]
_LAYOUTS: dict[str, tuple[tuple[str, ...], _Read]] = {
    "wikitq": (("csv/*-csv",), _wikitq),
    "wikisql": (("*.tables.jsonl", "data/*.tables.jsonl"), _wikisql),
    "tabfact": (("data/val_id.json", "data/test_id.json"), _tabfact),
    "logicnlg": (("data/val_lm.json", "data/test_lm.json"), _logicnlg),
}
