"""What an audit finds: faults planted in questions and cells, by reading the English and by the stored SQL alone.

    python benchmarks/audit.py [--examples 20000] [--workers 2]

Over the built-in tables, and with WORKBENCH_DATA set over the real ones too. First the corpus as it is: faults of each
kind, what the reading cannot check, and questions a CPU second. Then the questions again with one word that says
something else (largest for smallest, at least for less than, before for after ...), under the answer of before. The
baseline is the audit by the stored SQL, which does not see the question.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.table_synthesis import REAL, params
from reastap_lib.audit import audit
from reastap_lib.audit_rows import check_rows
from reastap_lib.builtin import builtin_tables
from reastap_lib.synthesis import build_table_corpus
from workbench_lib.corpus import Corpus
from workbench_lib.paths import data_root

OPPOSITES = (
    ("largest", "smallest"),
    ("highest", "lowest"),
    ("most recent", "earliest"),
    ("longest", "shortest"),
    ("latest", "earliest"),
    ("before", "after"),
    ("earlier than", "later than"),
    ("at least", "less than"),
    ("at most", "more than"),
    ("above", "at most"),
    ("below", "at least"),
    ("greater than", "less than"),
    ("sum", "average"),
    ("total", "mean"),
)
PLANTED = 2000


def planted(row: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The row with one word of its question turned into one that says something else."""
    for one, other in OPPOSITES:
        for old, new in ((one, other), (other, one)):
            pattern = rf"(?<= ){old}(?= )(?! or equal)"
            if len(re.findall(pattern, row["question"])) == 1 and old not in row["source"].partition("[HEAD]")[2]:
                question = re.sub(pattern, new, row["question"])
                yield {**row, "question": question, "source": row["source"].replace(row["question"], question, 1)}
                return


def report(name: str, corpus: Corpus, workers: int) -> None:
    start = time.perf_counter()
    whole = audit(corpus, workers)
    seconds = time.perf_counter() - start
    print(f"{name}: {whole['n']} questions, {whole['faults']} faults, {whole['unchecked']} unchecked")
    print(f"{name}: {whole['n'] / seconds:.0f} questions a second of {workers} processes")
    rows = [change for row in corpus.head(PLANTED).to_pylist() for change in planted(row)]
    by_reading = by_sql = 0
    for row in rows:
        reasons = [shown["reason"] for found in check_rows([row]).first.values() for shown in found]
        by_reading += bool(reasons)
        by_sql += any("SQL says" in reason for reason in reasons)
    print(
        f"{name}: {len(rows)} questions say something else than their answer:"
        f" {by_reading / len(rows):.1%} found by reading, {by_sql / len(rows):.1%} by the stored SQL (baseline)"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--examples", type=int, default=20000)
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    sources = {f"{len(builtin_tables())} built-in tables": ("builtin",)}
    root = data_root()
    if root:
        sources["real tables"] = tuple(str(root / name) for name in REAL)
    for name, tables in sources.items():
        with tempfile.TemporaryDirectory() as folder:
            corpus = build_table_corpus(params(tables, options.examples, 18), Path(folder) / "corpus")
            report(name, corpus, options.workers)


if __name__ == "__main__":
    main()
