"""A corpus re-checked from its text alone, and what it holds.

For every example the table is parsed out of the source and typed anew, and the stored SQL runs on it: nothing that the
generator knew is used. `wrong`: another answer comes out. `ambiguous`: a place that ties decide, a cell that equals
another but for case, a total row, or a repeated answer. `malformed`: text that does not parse, or contradicts the
other columns, or a false ordinal. `leaked`: a table in both splits.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from reastap_lib.column_types import total_rows, type_table
from reastap_lib.columns import TypedTable
from reastap_lib.formats import ordinal
from reastap_lib.serialisation import count_words, join_answers, parse
from reastap_lib.skills import get_skill, skill_names
from reastap_lib.sql import SqlTable
from reastap_lib.tables import Table, header_fault
from workbench_lib.corpus import Corpus
from workbench_lib.errors import WorkbenchError

FAULTS = ("wrong", "ambiguous", "malformed", "leaked")
_ORDINAL = re.compile(r"\b(\d+)(?:st|nd|rd|th)\b")
_EQUALITY = re.compile(r"\bc(\d+) = '")


def audit(corpus: Corpus) -> dict[str, Any]:
    """Faults by skill and kind, and the first few examples of them.

    Returns:
        n, faults (all in all), skills ({skill: {n, wrong, ambiguous, malformed, leaked}}), first (a few texts).
    """
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    first: list[str] = []
    splits: dict[str, str] = {}
    engine = SqlTable()
    for row in _rows(corpus):
        counts[row["skill"]]["n"] += 1
        for kind, what in _faults(row, engine, splits):
            counts[row["skill"]][kind] += 1
            if len(first) < 10:
                first.append(f"example {row['example']} ({row['skill']}): {kind}: {what}")
    skills = {name: {key: counts[name][key] for key in ("n", *FAULTS)} for name in sorted(counts)}
    faults = sum(part[kind] for part in skills.values() for kind in FAULTS)
    return {"n": sum(part["n"] for part in skills.values()), "faults": faults, "skills": skills, "first": first}


def stats(corpus: Corpus) -> dict[str, Any]:
    """What a corpus holds: rows, splits, tables, lengths, and each skill's share beside the paper's (Table 1)."""
    skills: Counter[str] = Counter()
    splits: Counter[str] = Counter()
    yes_no: Counter[str] = Counter()
    tables: set[str] = set()
    words = targets = 0
    for row in _rows(corpus):
        skills[row["skill"]] += 1
        splits[row["split"]] += 1
        tables.add(row["table"])
        words += count_words(row["source"])
        targets += len(row["answers"])
        if row["skill"] == "quantifiers":
            yes_no[row["target"]] += 1
    n = len(corpus)
    return {
        "rows": n,
        "tables": len(tables),
        "splits": dict(sorted(splits.items())),
        "mean_source_words": words / n,
        "mean_answers": targets / n,
        "yes_share": yes_no["Yes"] / max(1, sum(yes_no.values())),
        "skills": {name: _share(name, count, n) for name, count in sorted(skills.items())},
        "rejected": corpus.manifest.rejected,
    }


def share_table(summary: Mapping[str, Any]) -> pd.DataFrame:
    """Each skill's share beside the paper's (Table 1), in the table's order; the argument is what `stats` gives.

    Returns:
        Columns skill, this corpus, paper; shares are fractions of 1.
    """
    known = [name for name in skill_names() if name in summary["skills"]]
    shares = ((name, summary["skills"][name]["share"], summary["skills"][name]["paper"]) for name in known)
    return pd.DataFrame(shares, columns=["skill", "this corpus", "paper"])


def _share(name: str, count: int, n: int) -> dict[str, float | int | None]:
    return {"n": count, "share": count / n, "paper": get_skill(name).share if name in skill_names() else None}


def _rows(corpus: Corpus) -> Iterator[Mapping[str, Any]]:
    for batch in corpus.batches():
        if "skill" not in batch.schema.names:
            raise WorkbenchError(f"{corpus.folder}: not a table corpus (its columns: {', '.join(batch.schema.names)})")
        yield from batch.to_pylist()


def _faults(row: Mapping[str, Any], engine: SqlTable, splits: dict[str, str]) -> Iterator[tuple[str, str]]:
    try:
        question, header, cells = parse(row["source"])
        table = type_table(Table(row["table"], row["title"], header, cells))
        found = engine.load(table).answer(row["sql"])
    except WorkbenchError as error:
        yield "malformed", str(error)
        return
    if found != tuple(row["answers"]):
        yield "wrong", f"{row['answers']} stands there, SQL says {list(found)}: {row['sql']}"
    yield from (("malformed", what) for what in _malformed(row, question, table))
    yield from (("ambiguous", what) for what in _ambiguous(row, table, found, engine))
    if splits.setdefault(table.table.digest, row["split"]) != row["split"]:
        yield "leaked", f"table {row['table']!r} is in both splits"


def _malformed(row: Mapping[str, Any], question: str, table: TypedTable) -> Iterator[str]:
    if question != row["question"]:
        yield f"the source asks {question!r}, the column question says {row['question']!r}"
    if row["target"] != join_answers(row["answers"]) or not row["target"]:
        yield f"the target is {row['target']!r}, the answers are {row['answers']}"
    fault = header_fault(table.table.header)
    if fault:
        yield fault
    texts = " ".join(cell for line in [table.table.header, *table.table.rows] for cell in line)
    for match in _ORDINAL.finditer(question):
        if match[0] != ordinal(int(match[1])) and match[0] not in texts:
            yield f"{match[0]!r} is no ordinal"
    rows, columns = row["evidence"][::2], row["evidence"][1::2]
    if max(rows, default=-1) >= len(table) or max(columns, default=-1) >= len(table.columns):
        yield "evidence outside the table"


def _ambiguous(row: Mapping[str, Any], table: TypedTable, found: tuple[str, ...], engine: SqlTable) -> Iterator[str]:
    sql = row["sql"]
    if "SELECT DISTINCT" in sql and engine.answer(sql.replace("SELECT DISTINCT", "SELECT")) != found:
        yield "a tie decides the place"
    for match in _EQUALITY.finditer(sql):
        if table.columns[int(match[1]) - 1].clashes:
            yield f"cells of {table.columns[int(match[1]) - 1].name!r} differ only in case"
    if total_rows(table.table):
        yield "a total row is in the table"
    if len(found) > 1 and (len(set(found)) < len(found) or any("," in item for item in found)):
        yield "a list that reads as another"
