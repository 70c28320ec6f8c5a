"""Rows of a table corpus checked from their text: the question is read as English, and answered over the cells.

The table is parsed out of the source. A question in English is answered by `reastap_lib.oracle`, which shares nothing
with the generator; and the stored SQL (the whole question, for SQL pairs) runs in SQLite on the table typed anew.

wrong: another answer comes out. ambiguous: readers could differ, over a tie, a name of several rows, cells that differ
in case, or what the words mean. malformed: text that does not parse or contradicts the other columns, or bad English.
leaked: the answer stands in the question, or the table is in the other split too (between shards, that counts once for
each). truncated: an answer that is no cell of the table shown. unchecked: a question or a cell that the oracle cannot
read; no fault.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from reastap_lib.column_types import type_table
from reastap_lib.oracle import Sheet, ask, faults_of_english, stands_in
from reastap_lib.serialisation import BAR, HEAD, ROW, join_answers, parse, unescape
from reastap_lib.sql import SqlTable
from reastap_lib.tables import Table, header_fault
from workbench_lib.errors import WorkbenchError

FAULTS = ("wrong", "ambiguous", "malformed", "leaked", "truncated")
KINDS = (*FAULTS, "unchecked")
SQL_SKILL = "sql"
SHOWN = 3

Row = Mapping[str, Any]
Shown = dict[str, Any]
Found = tuple[str, str]  # kind, reason; in `first` skill, kind


@dataclass
class Part:
    """What was found in some rows.

    Args:
        counts: By skill, the number of rows (n) and of findings of each kind.
        first: By skill and kind, a few examples.
        tables: By eight bytes of a table's digest, the split, skill and number of the first example about it.
    """

    counts: dict[str, Counter[str]] = field(default_factory=dict)
    first: dict[Found, list[Shown]] = field(default_factory=dict)
    tables: dict[bytes, tuple[str, str, int]] = field(default_factory=dict)

    @property
    def n(self) -> int:
        return sum(counts["n"] for counts in self.counts.values())

    def count(self, skill: str, kind: str, shown: Shown | None = None) -> None:
        """Count a row or a finding; a finding is kept where it is among the first."""
        self.counts.setdefault(skill, Counter())[kind] += 1
        kept = self.first.setdefault((skill, kind), []) if shown else []
        if shown and len(kept) < SHOWN:
            kept.append(shown)

    def join(self, part: Part) -> None:
        """Add what was found in later rows; a table that the other split has already is leaked."""
        for skill, counts in part.counts.items():
            self.counts.setdefault(skill, Counter()).update(counts)
        for key, shown in part.first.items():
            self.first[key] = (self.first.get(key, []) + shown)[:SHOWN]
        for digest, place in part.tables.items():
            self.see(digest, *place)

    def see(self, digest: bytes, split: str, skill: str, example: int) -> None:
        """Remember the table of an example, or count it as leaked."""
        known, _, other = self.tables.setdefault(digest, (split, skill, example))
        if known != split:
            what = f"its table is that of example {other}, which is of the other split"
            self.count(skill, "leaked", {"example": example, "skill": skill, "kind": "leaked", "reason": what})


def check_rows(rows: Sequence[Row]) -> Part:
    """Check rows; those about one table are checked together, so that it is read once."""
    part, engine = Part(), SqlTable()
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(row["source"].partition(HEAD)[2], []).append(row)
        part.count(row["skill"], "n")
    found = [finding for group in groups.values() for finding in _about_one_table(group, engine, part)]
    for row, kind, reason in sorted(found, key=lambda finding: int(finding[0]["example"])):
        part.count(row["skill"], kind, _shown(row, kind, reason))
    return part


def _shown(row: Row, kind: str, reason: str) -> Shown:
    _, _, table = row["source"].partition(HEAD)
    lines = [line.split(BAR) for line in table.split(ROW)]
    names = ("example", "skill", "question", "target")
    return {**{name: row[name] for name in names}, "kind": kind, "reason": reason, "table": lines}


def _about_one_table(rows: Sequence[Row], engine: SqlTable, part: Part) -> Iterator[tuple[Row, str, str]]:
    first = rows[0]
    try:
        _, header, cells = parse(first["source"])
        table = Table(first["table"], first["title"], header, cells)
        engine.load(type_table(table))
    except WorkbenchError as error:
        yield from ((row, "malformed", str(error)) for row in rows)
        return
    sheet, shown = Sheet(header, cells), "\n".join(itertools.chain(header, *cells))
    for row in rows:
        part.see(bytes.fromhex(table.digest[:16]), row["split"], row["skill"], row["example"])
        checks = [_of_text(row, table), _by_sql(row, engine)]
        if row["skill"] != SQL_SKILL:
            checks.append(_by_reading(row, sheet, shown))
        reasons: dict[str, list[str]] = {}
        for kind, reason in itertools.chain(*checks):
            reasons.setdefault(kind, []).append(reason)
        yield from ((row, kind, "; ".join(found)) for kind, found in reasons.items())


def _of_text(row: Row, table: Table) -> Iterator[Found]:
    question, target = unescape(row["source"].partition(HEAD)[0].strip(" ")), row["target"]
    if question != row["question"]:
        yield "malformed", f"the source asks {question!r}, the column question says {row['question']!r}"
    if target != join_answers(row["answers"]) or not target:
        yield "malformed", f"the target is {target!r}, the answers are {row['answers']}"
    fault = header_fault(table.header)
    if fault:
        yield "malformed", fault
    if len(set(row["answers"])) < len(row["answers"]):
        yield "ambiguous", "the same answer twice"
    (rows, columns), evidence = table.shape, row["evidence"]
    if max(evidence[::2], default=-1) >= rows or max(evidence[1::2], default=-1) >= columns:
        yield "truncated", "evidence outside the table"


def _by_sql(row: Row, engine: SqlTable) -> Iterator[Found]:
    try:
        found = engine.answer(row["sql"])
    except WorkbenchError as error:
        yield "malformed", str(error)
        return
    if found != tuple(row["answers"]):
        yield "wrong", f"SQL says {list(found)}: {row['sql']}"


def _by_reading(row: Row, sheet: Sheet, shown: str) -> Iterator[Found]:
    yield from (("malformed", fault) for fault in faults_of_english(row["question"], shown))
    reply = ask(row["question"], sheet)
    if reply.unread:
        yield "unchecked", reply.unread
    elif reply.unclear:
        yield "ambiguous", reply.unclear
    elif reply.column is not None and not set(row["answers"]) <= set(sheet.columns[reply.column]):
        yield "truncated", f"no such cell is in the table; a reader finds {reply.text!r}"
    elif reply.text != row["target"]:
        yield "wrong", f"a reader finds {reply.text!r}"
    elif reply.column is not None and len(row["answers"]) == 1 and stands_in(reply.text, reply.said):
        yield "leaked", "the answer stands in the question"
