"""The tables of WikiSQL and of turning_tables."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from reastap_lib.readers import read_jsonl
from reastap_lib.turning_tables import clean_cell, with_header_apart
from workbench_lib.errors import InputError


def write(path: Path, *entries: Any) -> Path:
    path.write_text("".join(json.dumps(entry) + "\n" for entry in entries), encoding="utf-8")
    return path


def turning(names: list[str], rows: list[list[str]]) -> dict[str, Any]:
    table = {
        "header": [{"column_name": name} for name in names],
        "table_rows": [[{"text": cell, "links": []} for cell in row] for row in rows],
        "table_name": "[[List|Winners]]",
    }
    return {"context": {"documents": [{"id": "7-0", "title": "Games", "table": table}]}}


def test_wikisql(tmp_path: Path) -> None:
    entry = {
        "id": "1-10-1",
        "header": ["Year", "Name ", "Share"],
        "types": ["real", "text", "real"],
        "rows": [[1998, "Ann\nLee", 2.5], ["1999", "", 3.0]],
        "page_title": "Games",
        "section_title": "Results",
        "caption": None,
    }
    [table], left_out = read_jsonl(write(tmp_path / "test.tables.jsonl", entry, {**entry, "rows": []}))
    assert (table.id, table.title, table.section, table.caption) == ("1-10-1", "Games", "Results", "")
    assert (table.header, table.rows) == (("Year", "Name", "Share"), (("1998", "Ann Lee", "2.5"), ("1999", "", "3")))
    assert left_out == {"no rows": 1}


def test_turning_tables(tmp_path: Path) -> None:
    path = write(
        tmp_path / "ClassifyTableColumnsFiltered.jsonl",
        turning(["No. - 1", "Won - [[A|Ann]]"], [["2", "align=center| 1999 |"]]),
        turning(["Name", "Won"], [["Ann"]]),
        turning(["\n{| class=x", "Won"], [["Ann", "3"]]),
    )
    [table], left_out = read_jsonl(path)
    assert (table.id, table.title, table.caption) == ("7-0", "Games", "Winners")
    assert (table.header, table.rows) == (("No.", "Won"), (("1", "Ann"), ("2", "1999")))
    assert left_out == {"rows of different lengths": 1, "markup left over": 1}


def test_names_and_data_that_were_joined_come_apart() -> None:
    assert with_header_apart(["", ""], [["Year", "Name"], ["1998", "Ann"]]) == (["Year", "Name"], [["1998", "Ann"]])
    assert with_header_apart(["Year", "Score - Home"], [["1998", "3"]]) == (["Year", "Score Home"], [["1998", "3"]])
    assert with_header_apart(["A-B", "C"], [["1", "2"]]) == (["A-B", "C"], [["1", "2"]])


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        ("20px|link=a b|alt=A jersey.", ""),
        ("60px *237", "*237"),
        ("colspan=2", ""),
        ("z=6.5", "z=6.5"),
        ("x<ref name=a>y</ref>", "x"),
        ("\n* a\n* b", "a, b"),
        ("160.6&nbsp;km/h", "160.6 km/h"),
    ],
)
def test_markup_left_in_cells(cell: str, text: str) -> None:
    assert clean_cell(cell) == text


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ('{"header": ["a"], "rows": [["1"]]}\n', "line 1: needs id, header and rows"),
        ('{"id": "x", "header": ["a"], "rows": [["1"]]}\n{"id": 3}\n', "line 2: needs id, header and rows"),
        ('{"id": "x", "header": ["a"], "rows": [["1"]]}\nnot json\n', "line 2: not JSON"),
        ('{"context": {"documents": []}}\n', "line 1: not a table of turning_tables"),
        ('{"question": "x"}\n', "line 1: neither WikiSQL's tables"),
        ("[1]\n", "line 1: neither WikiSQL's tables"),
        ("", "line 1: neither WikiSQL's tables"),
    ],
)
def test_damaged_lines_are_named(tmp_path: Path, lines: str, message: str) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text(lines, encoding="utf-8")
    with pytest.raises(InputError, match=f"x.jsonl, {message}"):
        read_jsonl(path)
