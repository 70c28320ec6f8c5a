from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reastap_lib.serialisation import (
    SerialisationError,
    count_escapes,
    count_words,
    join_answers,
    parse,
    rows_that_fit,
    rows_to_show,
    serialise,
)
from reastap_lib.tasks import load_wikitq
from reastap_lib.wikitq import STARTER_FOLDER

PARTS = st.sampled_from(
    ["a", "Ann", " ", "|", " | ", "\\", "[HEAD]", "[ROW]", "\n", "\r", "p", "H", "s", "[HE", "AD]", "é", "\u2028", ""]
)
TEXTS = st.lists(PARTS, max_size=6).map("".join) | st.text(max_size=12)


@st.composite
def tables(
    draw: st.DrawFn, texts: st.SearchStrategy[str] = TEXTS
) -> tuple[str, tuple[str, ...], tuple[tuple[str, ...], ...]]:
    columns = draw(st.integers(1, 4))
    row = st.lists(texts, min_size=columns, max_size=columns).map(tuple)
    return draw(texts), draw(row), tuple(draw(st.lists(row, max_size=4)))


@given(tables())
def test_Z01_round_trip(table: tuple[str, tuple[str, ...], tuple[tuple[str, ...], ...]]) -> None:
    text = serialise(*table)
    assert parse(text) == table
    assert parse(text.strip(" ")) == table
    assert "\n" not in text
    assert (count_escapes(text) == 0) == ("\\" not in text)


def test_Z01_separators_inside_cells() -> None:
    header = ("Name", "Score | total")
    rows = (("a | b", "row 2 : x"), ("col : y", "line one\nline two"))
    text = serialise("who?", header, rows)
    assert text == r"who? [HEAD] Name | Score \p total [ROW] a \p b | row 2 : x [ROW] col : y | line one\nline two"
    assert parse(text) == ("who?", header, rows)


def test_the_form_of_the_paper() -> None:
    text = serialise("Who won?", ["Name", "Goals"], [["Ann", "9"], ["Bob", "12"]])
    assert text == "Who won? [HEAD] Name | Goals [ROW] Ann | 9 [ROW] Bob | 12"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("no table", r"no \[HEAD\]"),
        ("q [HEAD] a | b [ROW] 1", "row 1 has 1 cells under 2 headers"),
        ("q [HEAD] a\\x", r"unknown escape"),
        ("q [HEAD] a\\", r"unknown escape"),
    ],
)
def test_texts_that_are_no_tables(text: str, message: str) -> None:
    with pytest.raises(SerialisationError, match=message):
        parse(text)


def test_answers_are_joined_by_a_comma() -> None:
    assert join_answers(["Ann", "Bob"]) == "Ann, Bob"


def test_Z01_escapes_are_counted() -> None:
    assert count_escapes(serialise("who?", ["Name", "Score | total"], [["a | b", "row 2 : x"], [" [ROW]", "\n"]])) == 5


def test_Z05_whole_rows_are_kept_from_the_first_on() -> None:
    header, rows = ["a", "b", "c"], [["x", "y y", "z"]] * 30000
    kept = rows_that_fit("who is it?", header, rows, 100)
    # 3 words of question, [HEAD] and 5 of header; then [ROW] and 6 words a row
    assert kept == (100 - 3 - 6) // 7
    assert count_words(serialise("who is it?", header, rows[:kept])) == 9 + 7 * kept


def test_Z05_a_long_table_is_never_measured_whole() -> None:
    measured: list[int] = []

    def characters(text: str) -> int:
        measured.append(len(text))
        return len(text)

    header, rows = [f"column {i}" for i in range(10)], [[f"cell {i}" for i in range(10)]] * 30000
    kept = rows_that_fit("how many?", header, rows, 1024, characters)
    assert (
        len(serialise("how many?", header, rows[:kept])) <= 1024 < len(serialise("how many?", header, rows[: kept + 1]))
    )
    assert max(measured) < 4 * 1024
    assert len(measured) < 10


def test_Z05_a_question_that_is_too_long_is_an_error() -> None:
    with pytest.raises(SerialisationError, match="have length 3004, more than 1024"):
        rows_that_fit("w " * 3000, ["a", "b"], [["1", "2"]] * 3, 1024)


@given(tables(), st.integers(0, 60), st.sets(st.integers(0, 3)))
def test_the_cut_keeps_the_most_rows_that_fit(
    table: tuple[str, tuple[str, ...], tuple[tuple[str, ...], ...]], limit: int, some: set[int]
) -> None:
    question, header, rows = table
    evidence = {i for i in some if i < len(rows)}

    def fits(chosen: set[int]) -> bool:
        return len(serialise(question, header, [rows[i] for i in sorted(chosen)])) <= limit

    if not fits(evidence):
        with pytest.raises(SerialisationError, match=r"have length|no room for"):
            rows_to_show(question, header, rows, limit, len, evidence)
        return
    shown = rows_to_show(question, header, rows, limit, len, evidence)
    others = [i for i in range(len(rows)) if i not in evidence]
    added = [i for i in shown if i not in evidence]
    assert list(shown) == sorted(shown)
    assert evidence <= set(shown)
    assert added == others[: len(added)]
    assert fits(set(shown))
    assert len(shown) == len(rows) or not fits({*shown, others[len(added)]})


def test_Z04_the_rows_of_an_answer_stay_in_training_and_only_there() -> None:
    header, rows = ["Name", "a", "b", "c", "d"], [[f"player {i}", "1", "2", "3", "4"] for i in range(200)]
    shown = rows_to_show("who is last?", header, rows, 100, evidence=[199])
    assert shown == (*range(len(shown) - 1), 199)
    assert rows_that_fit("who is last?", header, rows, 100) == len(shown) < 200


def test_Z04_in_evaluation_the_answer_changes_no_byte(tmp_path: Path) -> None:
    root = Path(shutil.copytree(STARTER_FOLDER, tmp_path / "copy"))
    cells = '"Name","a","b","c","d"\n' + "".join(f'"player {i}","1","2","3","4"\n' for i in range(200))
    (root / "csv" / "1-csv" / "99.csv").write_text(cells, encoding="utf-8")
    sources = set()
    for answer in ("player 0", "player 199"):
        line = f"id\tutterance\tcontext\ttargetValue\nx-1\twho is last?\tcsv/1-csv/99.csv\t{answer}\n"
        (root / "data" / "dev.tsv").write_text(line, encoding="utf-8")
        sources.add(load_wikitq(str(root), "dev")[0].source)
    assert len(sources) == 1


def test_Z03_no_cell_is_cut_and_an_answer_without_room_is_refused() -> None:
    plot = " ".join(f"w{i}" for i in range(40))
    assert plot in serialise("what is the plot?", ["Name", "Plot"], [["A", plot]])
    with pytest.raises(SerialisationError, match="no room for the 1 rows of the answer within 30"):
        rows_to_show("what is the plot?", ["Name", "Plot"], [["A", plot]], 30, evidence=[0])
    assert rows_that_fit("what is the plot?", ["Name", "Plot"], [["A", plot]], 30) == 0
