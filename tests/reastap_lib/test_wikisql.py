from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reastap_lib.serialisation import parse
from reastap_lib.tasks import WIKISQL, load_wikisql
from reastap_lib.wikisql import question_file, read_queries, read_typed_tables, tables_file
from reastap_lib.wikisql_queries import AGGREGATES, OPERATORS, Cell, Query, answers_of, execute, number_of
from workbench_lib.errors import InputError
from workbench_lib.tasks import get_task

M13_TYPES = ("text", "real")
M13_ROWS: list[list[Cell]] = [["a", 3], ["b", 6], ["c", 8], ["d", 12]]


@pytest.mark.parametrize(
    ("select", "aggregate", "conditions", "expected"),
    [
        (0, 0, [(1, ">", 5), (1, "<", 9)], ["b", "c"]),
        (0, 3, [(1, ">", "5")], [3.0]),
        (1, 4, [(1, ">", "100")], []),
        (0, 0, [(1, "=", "five")], []),
        (0, 0, [(1, ">", "−1")], ["a", "b", "c", "d"]),
    ],
)
def test_M13_conditions_and_aggregates(
    select: int, aggregate: int, conditions: list[tuple[int, str, Cell]], expected: list[Cell]
) -> None:
    query = Query(select, aggregate, tuple((c, OPERATORS.index(o), value) for c, o, value in conditions))
    assert execute(query, M13_TYPES, M13_ROWS) == expected


@pytest.mark.parametrize(
    ("written", "number"),
    [
        ("15,664", 15664.0),
        ("1,234,567", 1234567.0),
        ("1,000.5", 1000.5),
        ("2,5", 2.5),
        ("-5", -5.0),
        ("−5.5", -5.5),
        ("5.", 5.0),
        ("1e3", 1000.0),
        ("", None),
        ("five", None),
        ("nan", None),
        ("1_000", None),
        ("12 km", None),
    ],
)
def test_numbers_as_they_are_written(written: str, number: float | None) -> None:
    assert number_of(written) == number


def test_answers_are_texts_as_weak_supervision_has_them() -> None:
    types, rows = ("text", "real", "real"), [["Ann", "1,200", 3], ["Bob", "800", 4], ["Cyd", "—", 4]]
    assert answers_of(Query(0, 0, ((0, 0, "Eve"),)), types, rows) == ("none",)
    assert answers_of(Query(0, 3, ((0, 0, "Eve"),)), types, rows) == ("0.0",)  # a count of nothing is a count
    assert answers_of(Query(1, 0, ((0, 0, "ann"),)), types, rows) == ("1200.0",)  # one cell that is a number
    assert answers_of(Query(1, 0, ((2, 0, 4),)), types, rows) == ("800", "—")  # several as they stand
    assert answers_of(Query(1, 4, ()), types, rows) == ("2000.0",)  # the dash is no number
    assert answers_of(Query(1, 2, ()), types, rows) == ("800.0",)
    assert answers_of(Query(2, 5, ()), types, rows) == (str(11 / 3),)
    assert answers_of(Query(0, 4, ()), types, rows) == ("Ann", "Bob", "Cyd")  # texts have no sum


def test_texts_are_compared_by_words() -> None:
    rows = [['Rusty "The Wall"  Mk II'], ["Pipe | Dream"]]
    assert execute(Query(0, 3, ((0, 0, 'rusty " the wall " mk ii'),)), ("text",), rows) == [1.0]
    assert execute(Query(0, 3, ((0, 0, "pipe|dream"),)), ("text",), rows) == [1.0]
    assert execute(Query(0, 3, ((0, 0, "pipe dream"),)), ("text",), rows) == [0.0]


CELLS = st.tuples(st.sampled_from(["ann", "bob", "cyd"]), st.integers(-9, 9), st.integers(-9, 9))
CONDITIONS = st.one_of(
    st.tuples(st.just(0), st.just(0), st.sampled_from(["ann", "bob", "eve"])),
    st.tuples(st.sampled_from([1, 2]), st.integers(0, 2), st.integers(-9, 9)),
)


@settings(max_examples=200, deadline=None)
@given(
    st.lists(CELLS, min_size=1, max_size=8),
    st.sampled_from([1, 2]),
    st.sampled_from(range(6)),
    st.lists(CONDITIONS, max_size=3),
)
def test_queries_find_what_sqlite_finds(
    rows: list[tuple[str, int, int]], select: int, aggregate: int, conditions: list[tuple[int, int, Cell]]
) -> None:
    with sqlite3.connect(":memory:") as engine:
        engine.execute("create table t (c0 text, c1 real, c2 real)")
        engine.executemany("insert into t values (?, ?, ?)", rows)
        where = " and ".join(f"c{c} {OPERATORS[o]} ?" for c, o, _ in conditions) or "1"
        found = engine.execute(
            f"select {AGGREGATES[aggregate]}(c{select}) from t where {where} order by rowid",
            [v for *_, v in conditions],
        ).fetchall()
    expected = [value for (value,) in found if value is not None]
    answer = execute(Query(select, aggregate, tuple(conditions)), ("text", "real", "real"), rows)
    assert [number_of(cell) for cell in answer] == pytest.approx(expected)


# --- files -------------------------------------------------------------------------------------------------------

TABLE = {"id": "1-1", "header": ["Name", "Goals"], "types": ["text", "real"], "rows": [["Ann", 9], ["Bob", "12"]]}
QUESTION = {
    "phase": 1,
    "table_id": "1-1",
    "question": " who  scored 9? ",
    "sql": {"sel": 0, "agg": 0, "conds": [[1, 0, 9]]},
}


def write(folder: Path, questions: list[Any], tables: list[Any], split: str = "dev") -> Path:
    folder.mkdir(exist_ok=True)
    for name, entries in ((f"{split}.jsonl", questions), (f"{split}.tables.jsonl", tables)):
        (folder / name).write_text("".join(json.dumps(entry) + "\n" for entry in entries), encoding="utf-8")
    return folder / f"{split}.jsonl"


def test_examples(tmp_path: Path) -> None:
    write(tmp_path, [QUESTION, {**QUESTION, "sql": {"sel": 1, "agg": 4, "conds": []}}], [TABLE])
    [first, second] = load_wikisql(str(tmp_path), "dev")
    assert (first.id, first.source, first.target) == (
        "0",
        "who scored 9? [HEAD] Name | Goals [ROW] Ann | 9 [ROW] Bob | 12",
        "Ann",
    )
    assert (second.id, second.target) == ("1", "21.0")
    assert first.references["rows_cut"] == "0"
    assert get_task("wikisql", libraries=("reastap_lib",)) is WIKISQL


def test_Z04_the_answer_changes_no_byte_of_the_source(tmp_path: Path) -> None:
    table = {**TABLE, "rows": [[f"player {i}", i] for i in range(300)]}
    asked = [{**QUESTION, "sql": {"sel": 0, "agg": 0, "conds": [[1, 0, i]]}} for i in (0, 299)]
    write(tmp_path, asked, [table])
    first, last = load_wikisql(str(tmp_path), "dev")
    assert (first.target, last.target) == ("player 0", "player 299")
    assert first.source == last.source
    assert int(first.references["rows_cut"]) == 300 - len(parse(first.source)[2]) > 200


def test_scores() -> None:
    examples = load_wikisql("starter", "dev")
    assert WIKISQL.score(examples, [example.target for example in examples]).metrics["denotation"].value == 1
    scores = WIKISQL.score(examples[:4], [examples[0].target.upper(), "x", "", examples[3].target])
    assert scores.metrics["denotation"].value == 2 / 4
    assert scores.notes == {"empty_predictions": 1}


def test_a_table_without_rows_has_no_answer(tmp_path: Path) -> None:
    write(tmp_path, [QUESTION], [{**TABLE, "rows": []}])
    [example] = load_wikisql(str(tmp_path), "dev")
    assert (example.target, example.source) == ("none", "who scored 9? [HEAD] Name | Goals")


@pytest.mark.parametrize(
    ("question", "table", "message"),
    [
        ({"table_id": "x"}, {}, r"dev.jsonl, line 1: the table of a question is missing: 'x'"),
        ({"sql": {"sel": 2, "agg": 0, "conds": []}}, {}, r"line 1: a column beyond the 2 of the table: \[2\]"),
        ({"sql": {"sel": 0, "agg": 6, "conds": []}}, {}, r"line 1: an aggregate or operator that there is not"),
        ({"sql": {"sel": 0, "agg": 0, "conds": [[0, 3, "a"]]}}, {}, r"line 1: an aggregate or operator that there is"),
        ({"sql": {"sel": 0, "agg": 0, "conds": [[0, 0, ["a"]]]}}, {}, r"line 1: a condition's value is neither text"),
        ({"sql": {"sel": 0}}, {}, r"line 1: needs question, table_id and sql of a question"),
        ({}, {"rows": [["Ann"]]}, r"dev.tables.jsonl, line 1: types or rows of different lengths: '1-1'"),
        ({}, {"types": ["text"]}, r"dev.tables.jsonl, line 1: types or rows of different lengths"),
    ],
)
def test_faults_are_named(tmp_path: Path, question: dict[str, Any], table: dict[str, Any], message: str) -> None:
    path = write(tmp_path, [{**QUESTION, **question}], [{**TABLE, **table}])
    with pytest.raises(InputError, match=message):
        list(read_queries(path, read_typed_tables(tables_file(path))))


def test_a_table_twice_and_missing_files_are_named(tmp_path: Path) -> None:
    path = write(tmp_path, [QUESTION], [TABLE, TABLE])
    with pytest.raises(InputError, match=r"line 2: the id of a table comes twice: '1-1'"):
        read_typed_tables(tables_file(path))
    with pytest.raises(InputError, match=r"no question file for the split 'test': looked for test.jsonl"):
        question_file(str(tmp_path), "test")
    (tmp_path / "test.jsonl").write_text("")
    with pytest.raises(InputError, match=r"test.tables.jsonl: the file of the questions' tables is missing"):
        tables_file(tmp_path / "test.jsonl")
