from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reastap_lib.leakage import EvaluationTables, Fingerprints, bare, evaluation_tables, exact_digest, row_pairs
from reastap_lib.readers import read_tables
from reastap_lib.tables import Table
from workbench_lib.errors import InputError

HEADER = ("Player", "Club", "Town", "Goals")
ROWS = tuple((f"Player {i}", f"Club {i % 5}", f"Town {i % 7}", str(i)) for i in range(20))


def table(rows: tuple[tuple[str, ...], ...] = ROWS, header: tuple[str, ...] = HEADER) -> Table:
    return Table("t", "", header, rows)


KNOWN = Fingerprints.of([("tabfact test", table()), ("wikitq dev", table((("a", "b"), ("c", "d")), ("x", "y")))])


def test_what_makes_no_difference() -> None:
    assert bare("  São Paulo† ") == bare("sao-paulo [a][12]") == "saopaulo"
    assert bare("1,234") == bare("1234*") == "1234"
    assert bare("—") == bare("") == ""
    assert bare("-5") != bare("6")


@given(st.permutations(range(20)), st.permutations(range(4)), st.booleans())
def test_the_same_table_in_another_order(rows: list[int], columns: list[int], loud: bool) -> None:
    def cell(text: str) -> str:
        return f" {text.upper()}[3]" if loud else text

    changed = tuple(tuple(cell(ROWS[i][j]) for j in columns) for i in rows)
    assert KNOWN.overlap(table(changed, ("w", "x", "y", "z"))) == "the same table as in tabfact test"


@pytest.mark.parametrize(
    "rows",
    [
        ROWS[:8],
        tuple(row[:3] for row in ROWS),
        tuple(row[1:] for row in ROWS),
        (*ROWS, *((f"New {i}", "Club 9", "Town 9", "0") for i in range(20))),
        tuple((*row[:3], "?") if i % 2 else row for i, row in enumerate(ROWS)),
    ],
    ids=["fewer rows", "no goals", "no names", "twice the rows", "a cell in eight edited"],
)
def test_nearly_the_same_table(rows: tuple[tuple[str, ...], ...]) -> None:
    header = tuple(f"h{i}" for i in range(len(rows[0])))
    assert KNOWN.overlap(table(rows, header)) == "nearly the same table as in tabfact test"


def test_the_same_players_with_other_clubs_and_goals_are_another_table() -> None:
    other = tuple((name, f"Side {i}", f"City {i}", str(90 - i)) for i, (name, *_) in enumerate(ROWS))
    assert KNOWN.overlap(table(other)) == ""


def test_figures_alone_are_compared_as_a_whole_table_only() -> None:
    figures = tuple((str(i), str(i % 3), str(i % 5)) for i in range(12))
    known = Fingerprints.of([("wikisql dev", table(figures, ("a", "b", "c")))])
    assert known.overlap(table(figures[::-1], ("a", "b", "c"))) == "the same table as in wikisql dev"
    assert known.overlap(table(figures[1:], ("a", "b", "c"))) == ""


def test_the_digest_knows_which_cells_stand_together() -> None:
    assert exact_digest(table((("a", "b"), ("c", "d")), ("x", "y"))) != exact_digest(
        table((("a", "d"), ("c", "b")), ("x", "y"))
    )


def test_pairs_by_hand() -> None:
    # ann lee-7, ann lee-x, but not 7-x: neither says anything; the empty cell pairs with nothing
    pairs = row_pairs(table((("Ann Lee", "7", "x", "—"),)))
    assert len(pairs) == 2
    assert np.array_equal(pairs, row_pairs(table((("x", "ann lee", "7", ""),))))


@given(st.lists(st.lists(st.sampled_from(["alpha", "beta", "gamma", "1"]), min_size=3, max_size=3), max_size=6))
def test_the_index_counts_shared_pairs(rows: list[list[str]]) -> None:
    asked = row_pairs(table((("alpha", "beta", "1"),), ("a", "b", "c")))
    tables = [table((tuple(row),), ("a", "b", "c")) for row in rows]
    index = Fingerprints.of([("x y", each) for each in tables])
    expected = [len(set(asked.tolist()) & set(row_pairs(each).tolist())) for each in tables]
    assert index.shared(asked).tolist() == expected


def layout(root: Path, kind: str) -> Path:
    text = "player#club#town\n" + "".join(f"player {i}#club {i}#town {i}\n" for i in range(9))
    (root / "data" / "all_csv").mkdir(parents=True)
    (root / "all_csv").mkdir()
    folder = root / ("data/all_csv" if kind == "tabfact" else "all_csv")
    (folder / "1-1.html.csv").write_text(text, encoding="utf-8")
    lists = {"tabfact": ("test_id.json", ["1-1.html.csv"]), "logicnlg": ("val_lm.json", {"1-1.html.csv": []})}
    name, ids = lists[kind]
    (root / "data" / name).write_text(json.dumps(ids), encoding="utf-8")
    return root


@pytest.mark.parametrize(("kind", "split"), [("tabfact", "test"), ("logicnlg", "val")])
def test_csv_layouts(tmp_path: Path, kind: str, split: str) -> None:
    ((label, found),) = evaluation_tables(str(layout(tmp_path, kind)))
    assert (label, found.shape) == (f"{kind} {split}", (9, 3))


def test_the_layout_of_wikisql(tmp_path: Path) -> None:
    fields = {"id": "1-1", "header": ["Name", "Score"], "rows": [["Ann", 3], ["Bob", 2.5]]}
    (tmp_path / "dev.tables.jsonl").write_text(json.dumps(fields) + "\n", encoding="utf-8")
    (tmp_path / "train.tables.jsonl").write_text(json.dumps(fields) + "\n", encoding="utf-8")
    ((label, found),) = evaluation_tables(str(tmp_path))
    assert (label, found.rows) == ("wikisql dev", (("Ann", "3"), ("Bob", "2.5")))
    (tmp_path / "test.tables.jsonl").write_text('{"id": "x"}\n', encoding="utf-8")
    with pytest.raises(InputError, match=r"test\.tables\.jsonl.*1.*needs id, header and rows"):
        list(evaluation_tables(str(tmp_path)))


def test_a_folder_without_evaluation_splits_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="not the layout of any of wikitq, wikisql, tabfact, logicnlg"):
        EvaluationTables([str(tmp_path)])


def test_a_missing_table_is_an_error(tmp_path: Path) -> None:
    root = layout(tmp_path, "tabfact")
    (root / "data" / "all_csv" / "1-1.html.csv").unlink()
    with pytest.raises(InputError, match=r"1-1\.html\.csv.*cannot be read"):
        EvaluationTables([str(root)])


def test_the_digest_says_which_tables_are_held_out() -> None:
    assert EvaluationTables(["starter"]).digest == EvaluationTables(["starter", "starter"]).digest
    assert EvaluationTables(["starter"]).digest != EvaluationTables([]).digest


@pytest.mark.realdata
def test_real_tables_against_the_four_data_sets(data_root: Path) -> None:
    held_out = EvaluationTables([str(data_root / name) for name in ("wikitq", "wikisql", "tabfact", "logicnlg")])
    assert len(held_out) == 130 + 60 + 58 + 75 + 50 + 40 + 40
    wikitq = Counter(held_out.overlap(each) for each in read_tables(str(data_root / "wikitq" / "csv"))[0])
    assert wikitq == {"the same table as in wikitq test": 130, "the same table as in wikitq dev": 60, "": 60}
    tabfact = Counter(held_out.overlap(each) for each in read_tables(str(data_root / "tabfact/data/all_csv"))[0])
    assert tabfact == {"the same table as in tabfact test": 75, "the same table as in tabfact val": 50, "": 25}
    across = EvaluationTables([str(data_root / "wikisql")])
    (leaked,) = [e.id for e in read_tables(str(data_root / "wikitq" / "csv"))[0] if across.overlap(e)]
    assert leaked == "csv/204-csv/407.csv"
    assert {held_out.overlap(each) for each in read_tables("builtin")[0]} == {""}
