"""From sources to the tables in use: kept by size, rows that are no data set aside, cut to length."""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from reastap_lib.column_types import sum_rows, total_rows
from reastap_lib.readers import stream_tables
from reastap_lib.serialisation import SerialisationError, rows_that_fit
from reastap_lib.table_store import TableStore
from reastap_lib.tables import Limits, Table, normalise
from workbench_lib.errors import InputError
from workbench_lib.files import sha256_of_json

QUESTION_WORDS = 60
VALIDATION_SHARE = 0.02
Overlap = Callable[[Table], str]


def _no_overlap(table: Table) -> str:
    return ""


@dataclass(frozen=True)
class Prepared:
    """The tables in use, and what became of the others.

    Args:
        tables: In the order of their sources.
        left_out: Tables, and rows, that were left out, by reason.
    """

    tables: TableStore
    left_out: Counter[str]

    @cached_property
    def validation(self) -> npt.NDArray[np.bool_]:
        """(tables,) whether each is for validation: the lowest 2 % by a hash of their content, but at least one."""
        scores = self.tables.scores
        size = max(1, round(VALIDATION_SHARE * len(scores))) if len(scores) > 1 else 0
        chosen = np.zeros(len(scores), bool)
        chosen[np.argsort(scores, kind="stable")[:size]] = True
        return chosen


def prepare(sources: Iterable[str], limits: Limits, max_words: int, overlap: Overlap = _no_overlap) -> Prepared:
    """Load, choose and cut the tables of all sources.

    Args:
        max_words: The longest source text; longer tables lose their last rows, as long as `limits.min_rows` are left.
        overlap: Says why a table must not be used, such as `EvaluationTables.overlap`; an empty text where it may.

    Raises:
        InputError: a source cannot be read, or holds no usable table.
    """
    left_out: Counter[str] = Counter()
    loaded = (table for source in sources for table in _loaded(source, limits, left_out))
    usable = _usable(loaded, limits, max_words, overlap, left_out)
    store = TableStore.of((table, _score(table)) for table in usable)
    if not len(store):
        raise InputError(f"no table can be used ({_reasons(left_out)})")
    return Prepared(store, left_out)


def _loaded(source: str, limits: Limits, left_out: Counter[str]) -> Iterator[Table]:
    """The tables of a source within the limits."""
    here: Counter[str] = Counter()
    kept = 0
    for table in stream_tables(source, here):
        fault = limits.fault(table)
        if fault:
            here[fault] += 1
        else:
            kept += 1
            yield table
    left_out.update(here)
    if not kept:
        raise InputError(f"no table can be used ({_reasons(here)})", path=source)


def _reasons(left_out: Counter[str]) -> str:
    return ", ".join(f"{n} {reason}" for reason, n in sorted(left_out.items())) or "there is none"


def _usable(
    tables: Iterable[Table], limits: Limits, max_words: int, overlap: Overlap, left_out: Counter[str]
) -> Iterator[Table]:
    seen: set[bytes] = set()
    for table in tables:
        digest = bytes.fromhex(table.digest)[:16]
        known = digest in seen
        seen.add(digest)
        reason = "the same table again" if known else overlap(table)
        if reason:
            left_out[reason] += 1
        elif cut := _cut(table, _data_rows(table, left_out), limits, max_words, left_out):
            yield cut


def _data_rows(table: Table, left_out: Counter[str]) -> list[int]:
    """The rows that are data: no totals, no header again (most of it), no one text in all cells, no row twice.

    Of two rows that are the same, "how many" could count one or two; and no order of such rows would be a new source.
    """
    totals = frozenset((*total_rows(table), *sum_rows(table)))
    header = tuple(map(normalise, table.header))
    seen: set[tuple[str, ...]] = set()
    kept: list[int] = []
    for i, row in enumerate(table.rows):
        texts = tuple(map(normalise, row))
        reason = _no_data(i in totals, texts, header, seen)
        if reason:
            left_out[f"{reason} (row)"] += 1
        else:
            kept.append(i)
        seen.add(texts)
    return kept


def _no_data(is_total: bool, texts: tuple[str, ...], header: tuple[str, ...], seen: set[tuple[str, ...]]) -> str | None:
    if is_total:
        return "total row set aside"
    if 2 * sum(map(operator.eq, texts, header)) > len(header):
        return "header again"
    if len(set(texts)) == 1 and len(texts) > 2:
        return "one text in all cells"
    return "the same row again" if texts in seen else None


def _cut(table: Table, kept: Sequence[int], limits: Limits, max_words: int, left_out: Counter[str]) -> Table | None:
    try:
        fit = rows_that_fit("", table.header, [table.rows[i] for i in kept], max_words - QUESTION_WORDS)
    except SerialisationError:
        fit = 0
    if fit < limits.min_rows:
        left_out["too long" if fit < len(kept) else f"fewer than {limits.min_rows} rows of data"] += 1
        return None
    if fit < len(kept):
        left_out["cut to the longest source (row)"] += len(kept) - fit
    return table if fit == len(table.rows) else table.take(kept[:fit])


def _score(table: Table) -> int:
    return int(sha256_of_json(["split", table.digest])[:16], 16)
