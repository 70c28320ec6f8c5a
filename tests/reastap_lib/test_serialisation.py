from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reastap_lib.serialisation import SerialisationError, count_words, join_answers, parse, rows_that_fit, serialise

PARTS = st.sampled_from(
    ["a", "Ann", " ", "|", " | ", "\\", "[HEAD]", "[ROW]", "\n", "\r", "p", "H", "[HE", "AD]", "é", ""]
)
TEXTS = st.lists(PARTS, max_size=6).map("".join) | st.text(max_size=12)


@st.composite
def tables(draw: st.DrawFn) -> tuple[str, tuple[str, ...], tuple[tuple[str, ...], ...]]:
    columns = draw(st.integers(1, 4))
    row = st.lists(TEXTS, min_size=columns, max_size=columns).map(tuple)
    return draw(TEXTS), draw(row), tuple(draw(st.lists(row, max_size=4)))


@given(tables())
def test_Z01_round_trip(table: tuple[str, tuple[str, ...], tuple[tuple[str, ...], ...]]) -> None:
    assert parse(serialise(*table)) == table


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


def test_Z05_whole_rows_are_kept_from_the_first_on() -> None:
    header, rows = ["a", "b", "c"], [["x", "y y", "z"]] * 30000
    kept = rows_that_fit("who is it?", header, rows, 100)
    # 3 words of question, [HEAD] and 5 of header; then [ROW] and 6 words a row
    assert kept == (100 - 3 - 6) // 7
    assert count_words(serialise("who is it?", header, rows[:kept])) == 9 + 7 * kept


def test_Z05_a_question_that_is_too_long_is_an_error() -> None:
    with pytest.raises(SerialisationError, match="have 3004 words, more than 1024"):
        rows_that_fit("w " * 3000, ["a", "b"], [["1", "2"]] * 3, 1024)
