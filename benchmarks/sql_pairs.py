"""Verified {SQL, result} pairs a CPU second, beside loading the table into the engine anew for every pair.

    python benchmarks/sql_pairs.py [--pairs 20000] [--tables builtin]

A pair counts when it was drawn, executed in Python and executed again in SQLite with the same answer. Both ways make
the same pairs, 18 a table; reading and typing the tables is not timed. --tables takes any source of tables.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from reastap_lib.column_types import type_table
from reastap_lib.columns import TypedTable
from reastap_lib.conditions import Undetermined
from reastap_lib.readers import read_tables
from reastap_lib.sql import SqlTable
from reastap_lib.sql_pairs import draw_pair
from reastap_lib.tables import Limits

PAIRS_A_TABLE = 18
ATTEMPTS = 6 * PAIRS_A_TABLE


def make(tables: Sequence[TypedTable], pairs: int, *, anew: bool) -> tuple[int, float]:
    """How many pairs were made and verified, and the CPU seconds that it took."""
    engine, made, visit = SqlTable(), 0, 0
    start = time.process_time()
    while made < pairs:
        made += visit_table(tables[visit % len(tables)], engine, visit, anew=anew)
        visit += 1
    return made, time.process_time() - start


def visit_table(table: TypedTable, engine: SqlTable, visit: int, *, anew: bool) -> int:
    rng, made = np.random.default_rng([1, visit]), 0
    engine.load(table)
    for _ in range(ATTEMPTS):
        try:
            pair = draw_pair(table, rng)
        except Undetermined:
            continue
        found = (engine.load(table) if anew else engine).answer(pair.sql)
        if found != pair.answers:
            raise SystemExit(f"the routes disagree: {pair}, SQLite says {found}")
        made += 1
        if made == PAIRS_A_TABLE:
            break
    return made


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=20_000)
    parser.add_argument("--tables", default="builtin")
    arguments = parser.parse_args()
    kept = [table for table in read_tables(arguments.tables)[0] if Limits().fault(table) is None]
    tables = [type_table(table) for table in kept]
    made, seconds = make(tables, arguments.pairs, anew=False)
    again, baseline = make(tables, arguments.pairs, anew=True)
    print(f"{len(tables)} tables, {made} pairs, all verified: {made / seconds:.0f} pairs a CPU second")
    print(f"baseline, the table loaded for every pair: {again / baseline:.0f} pairs a CPU second")
    print(f"ratio: {made / seconds * baseline / again:.2f}")


if __name__ == "__main__":
    main()
