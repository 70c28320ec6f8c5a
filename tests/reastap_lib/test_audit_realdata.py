"""The generator's typing and the oracle's reading, two routes to the value of every cell, agree on all real tables."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path

import pytest

from reastap_lib.audit import audit
from reastap_lib.column_types import type_table
from reastap_lib.columns import Column
from reastap_lib.dates import Date, Span
from reastap_lib.oracle import Sheet
from reastap_lib.params import TableSynthesisParams
from reastap_lib.readers import read_tables
from reastap_lib.skills import TABLE_1
from reastap_lib.synthesis import build_table_corpus
from reastap_lib.tables import Table

SOURCES = ("wikitq/csv", "tabfact/data/all_csv", "turning_tables", "logicnlg/all_csv", "wikisql")


def differences(tables: Iterable[Table]) -> list[str]:
    """The columns whose cells the two read differently."""
    found = []
    for table in tables:
        sheet = Sheet(table.header, table.rows)
        for i, column in enumerate(type_table(table).columns):
            if list(column.present) != sheet.present(i) or generator_reads(column) != oracle_reads(sheet, i, column):
                found.append(f"{table.id}: {column.name}: {column.label}")
    return found


def generator_reads(column: Column) -> dict[int, object]:
    return {i: plain(column.values[i]) for i in column.present} if column.kind != "string" else {}


def plain(value: object) -> object:
    if isinstance(value, Span):
        return tuple((day.year, day.month, day.day) for day in (value.first, value.last))
    if isinstance(value, Date):
        return ((value.year, value.month, value.day),) * 2
    return Fraction(value)  # type: ignore[arg-type]


def oracle_reads(sheet: Sheet, i: int, column: Column) -> dict[int, object]:
    if column.kind == "number":
        return {row: number.value for row, number in sheet.numbers(i).items()}
    return {row: (t.first, t.last) for row, t in sheet.times(i).items()} if column.kind == "date" else {}


def test_both_read_every_typed_cell_of_the_built_in_tables_alike() -> None:
    assert differences(read_tables("builtin")[0]) == []


@pytest.mark.realdata
@pytest.mark.parametrize("source", SOURCES)
def test_both_read_every_typed_cell_of_real_tables_alike(data_root: Path, source: str) -> None:
    assert differences(read_tables(str(data_root / source))[0]) == []


@pytest.mark.realdata
def test_5000_questions_over_real_tables_say_what_their_answers_are(data_root: Path, tmp_path: Path) -> None:
    values = {
        "tables": [str(data_root / source) for source in SOURCES[:3]],
        "held_out": [],
        "examples": 5000,
        "seed": 21,
        "skills": [*TABLE_1, "sql"],
        "questions_a_table": 18,
        "min_rows": 8,
        "max_rows": 30,
        "min_columns": 3,
        "max_source_words": 350,
        "workers": 1,
    }
    report = audit(build_table_corpus(TableSynthesisParams.make(values), tmp_path / "corpus"))
    assert (report["n"], report["faults"], report["unchecked"], report["first"]) == (5000, 0, 0, [])
