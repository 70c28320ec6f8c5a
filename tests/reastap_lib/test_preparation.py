from __future__ import annotations

from pathlib import Path

import pytest

from reastap_lib.leakage import Fingerprints
from reastap_lib.preparation import prepare
from reastap_lib.readers import load_tables
from reastap_lib.tables import Limits
from workbench_lib.errors import InputError


def write(path: Path, rows: list[list[str]], header: str = "Nation,Gold,Silver") -> None:
    path.write_text("\n".join([header, *(",".join(row) for row in rows)]) + "\n", encoding="utf-8")


def nations(count: int, word: str = "n") -> list[list[str]]:
    return [[f"{word}{i}", str(i * 3), str(40 - i)] for i in range(count)]


def test_total_rows_are_set_aside_and_counted(tmp_path: Path) -> None:
    write(tmp_path / "a.csv", [*nations(9), ["Total", "108", "324"]])
    prepared = prepare([str(tmp_path)], Limits(), 350)
    assert [len(table) for table in prepared.tables] == [9]
    assert prepared.left_out == {"total row set aside (row)": 1}
    assert "Total" not in prepared.tables[0].columns[0].cells


def test_rows_that_are_no_data_are_set_aside_and_counted(tmp_path: Path) -> None:
    rows = nations(9)
    odd = [["Nation", "Gold", "Silver"], ["Europe", "Europe", "europe"], rows[3], ["n1", "3", "40"]]
    write(tmp_path / "a.csv", [*rows[:5], *odd, *rows[5:]])
    prepared = prepare([str(tmp_path)], Limits(), 350)
    assert [row[0] for row in prepared.tables.table(0).rows] == [f"n{i}" for i in range(5)] + [
        *("n1", "n5", "n6", "n7", "n8")
    ]
    assert prepared.left_out == {
        "header again (row)": 1,
        "one text in all cells (row)": 1,
        "the same row again (row)": 1,
    }


def test_a_row_that_is_mostly_the_header_is_set_aside(tmp_path: Path) -> None:
    rows = nations(9)
    write(tmp_path / "a.csv", [*rows[:4], ["Classic", "Gold", "silver"], *rows[4:]])
    prepared = prepare([str(tmp_path)], Limits(), 350)
    assert prepared.left_out == {"header again (row)": 1}
    assert [len(table) for table in prepared.tables] == [9]


def test_a_table_too_small_without_its_total_is_left_out(tmp_path: Path) -> None:
    write(tmp_path / "a.csv", [*nations(7), ["Total", "63", "280"]])
    write(tmp_path / "b.csv", nations(8, "m"))
    prepared = prepare([str(tmp_path)], Limits(), 350)
    assert [table.table.id for table in prepared.tables] == [f"{tmp_path.name}/b.csv"]
    assert prepared.left_out["fewer than 8 rows of data"] == 1


def test_long_tables_lose_their_last_rows_or_are_left_out(tmp_path: Path) -> None:
    write(tmp_path / "a.csv", nations(30))
    write(tmp_path / "b.csv", [[f"{i} " + "w " * 30 + "w", str(i), "1"] for i in range(10)])
    prepared = prepare([str(tmp_path)], Limits(), 160)
    # 160 words less 60 for the question: [HEAD] and 5 words of header, then [ROW] and 5 words a row
    assert [len(table) for table in prepared.tables] == [(100 - 6) // 6]
    assert prepared.left_out == {"cut to the longest source (row)": 15, "too long": 1}


def test_held_out_and_repeated_tables_are_dropped(tmp_path: Path) -> None:
    write(tmp_path / "a.csv", nations(8))
    write(tmp_path / "b.csv", list(reversed(nations(8))))
    write(tmp_path / "c.csv", nations(8, "m"))
    source = str(tmp_path)
    tables, _ = load_tables(source, Limits())
    overlap = Fingerprints.of([("wikitq test", tables[0])]).overlap
    prepared = prepare([source, f"{tmp_path}/c.csv"], Limits(), 350, overlap)
    assert [table.table.id for table in prepared.tables] == [f"{tmp_path.name}/c.csv"]
    assert prepared.left_out == {"the same table again": 2, "the same table as in wikitq test": 1}


def test_some_table_is_for_validation_whatever_the_order(tmp_path: Path) -> None:
    for k in range(5):
        write(tmp_path / f"{k}.csv", nations(8, f"n{k}-"))
    one = prepare([str(tmp_path)], Limits(), 350)
    two = prepare([f"{tmp_path}/{k}.csv" for k in (3, 1, 4, 0, 2)], Limits(), 350)
    chosen = [
        {t.table.id for t, validation in zip(p.tables, p.validation, strict=True) if validation} for p in (one, two)
    ]
    assert chosen[0] == chosen[1]
    assert len(chosen[0]) == 1


def test_no_tables_at_all(tmp_path: Path) -> None:
    write(tmp_path / "a.csv", nations(3))
    with pytest.raises(InputError, match="1 fewer than 8 rows"):
        prepare([str(tmp_path)], Limits(), 350)
