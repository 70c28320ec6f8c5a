"""From sources to the tables in use: kept by size, total rows set aside, cut to length, typed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from reastap_lib.column_types import TypedTable, total_rows, type_table
from reastap_lib.readers import load_tables
from reastap_lib.serialisation import SerialisationError, rows_that_fit
from reastap_lib.tables import Limits, Table, keep
from workbench_lib.files import sha256_of_json

QUESTION_WORDS = 60
VALIDATION_SHARE = 0.02


@dataclass(frozen=True)
class Prepared:
    """The tables in use, and what became of the others.

    Args:
        tables: In the order of their sources.
        validation: For each table, whether it belongs to the validation split.
        left_out: Tables, and rows, that were left out, by reason.
    """

    tables: tuple[TypedTable, ...]
    validation: tuple[bool, ...]
    left_out: Counter[str]


def prepare(sources: Iterable[str], limits: Limits, max_words: int, held_out: frozenset[str] = frozenset()) -> Prepared:
    """Load, choose, cut and type the tables of all sources.

    Args:
        max_words: The longest source text; longer tables lose their last rows, as long as `limits.min_rows` are left.
        held_out: Digests of tables that must not be used: those of the evaluation splits.

    Raises:
        InputError: a source cannot be read, or holds no usable table.
    """
    loaded: list[Table] = []
    left_out: Counter[str] = Counter()
    for source in sources:
        tables, counts = load_tables(source, limits)
        loaded += tables
        left_out += counts
    distinct, counts = keep(loaded, limits)
    left_out += counts
    typed: list[TypedTable] = []
    for table in distinct:
        usable = _usable(table, limits, max_words, held_out, left_out)
        if usable:
            typed.append(type_table(usable))
    return Prepared(tuple(typed), _validation(typed), left_out)


def _usable(
    table: Table, limits: Limits, max_words: int, held_out: frozenset[str], left_out: Counter[str]
) -> Table | None:
    if table.digest in held_out:
        left_out["table of an evaluation split"] += 1
        return None
    totals = frozenset(total_rows(table))
    kept = [i for i in range(len(table.rows)) if i not in totals]
    if totals:
        left_out["total row set aside (row)"] += len(totals)
    try:
        fit = rows_that_fit("", table.header, [table.rows[i] for i in kept], max_words - QUESTION_WORDS)
    except SerialisationError:
        fit = 0
    if fit < limits.min_rows:
        left_out["too long" if fit < len(kept) else f"fewer than {limits.min_rows} rows without totals"] += 1
        return None
    if fit < len(kept):
        left_out["cut to the longest source (row)"] += len(kept) - fit
    return table if fit == len(table.rows) else table.take(kept[:fit])


def _validation(tables: list[TypedTable]) -> tuple[bool, ...]:
    """The validation tables: the lowest 2 % by a hash of their content, but at least one where there are two."""
    scores = [sha256_of_json(["split", typed.table.digest]) for typed in tables]
    size = max(1, round(VALIDATION_SHARE * len(tables))) if len(tables) > 1 else 0
    chosen = frozenset(sorted(scores)[:size])
    return tuple(score in chosen for score in scores)
