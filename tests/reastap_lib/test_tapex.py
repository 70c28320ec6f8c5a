from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reastap_lib.serialisation import SerialisationError, count_escapes
from reastap_lib.tables import Table
from reastap_lib.tapex import parse_tapex, read_tapex, serialise_tapex, split_answers
from workbench_lib.errors import InputError

PARTS = st.sampled_from(
    ["col", "row", "Row", " 1 :", " 2 :", " : ", ":", "a", " ", "|", " | ", "\\", "c", "\n", "\r", ""]
)
TEXTS = st.lists(PARTS, max_size=7).map("".join) | st.text(max_size=12)


@st.composite
def tables(draw: st.DrawFn) -> tuple[str, tuple[str, ...], tuple[tuple[str, ...], ...]]:
    columns = draw(st.integers(1, 4))
    row = st.lists(TEXTS, min_size=columns, max_size=columns).map(tuple)
    return draw(TEXTS), draw(row), tuple(draw(st.lists(row, max_size=4)))


@given(tables())
def test_Z01_round_trip(table: tuple[str, tuple[str, ...], tuple[tuple[str, ...], ...]]) -> None:
    text = serialise_tapex(*table)
    assert parse_tapex(text) == table
    assert parse_tapex(text.strip(" ")) == table
    assert "\n" not in text


def test_Z01_separators_inside_cells() -> None:
    header = ("Name", "Score | total")
    rows = (("a | b", "row 2 : x"), ("col : y", "line one\nline two"))
    text = serialise_tapex("who?", header, rows)
    assert text == (
        r"who? col : Name | Score \p total row 1 : a \p b | row 2 \c x row 2 : col \c y | line one\nline two"
    )
    assert parse_tapex(text) == ("who?", header, rows)
    assert count_escapes(text) == 5


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("select protocol : x", "no 'col :'"),
        ("q col : a | b row 1 : 1", "row 1 has 1 cells under 2 headers"),
        (r"q col : a\x", "unknown escape"),
    ],
)
def test_texts_that_are_no_tables(text: str, message: str) -> None:
    with pytest.raises(SerialisationError, match=message):
        parse_tapex(text)


def test_the_header_is_no_row_and_a_word_that_ends_in_col_starts_no_table() -> None:
    question, header, rows = parse_tapex("select protocol : x col : city | year row 1 : paris | 1990")
    assert (question, header, rows) == ("select protocol : x", ("city", "year"), (("paris", "1990"),))


def test_answers_with_a_comma_inside_a_cell() -> None:
    table = Table("t", "", ("place",), (("paris, france",), ("lyon",), ("a, b, c",), ("a, b",)))
    assert split_answers("lyon, paris, france", table) == ("lyon", "paris, france")
    assert split_answers("a, b, c", table) == ("a, b, c",)
    assert split_answers("a, b, 7", table) == ("a, b", "7")


def write(folder: Path, source: str, target: str) -> tuple[Path, Path]:
    paths = folder / "x.src", folder / "x.tgt"
    for path, text in zip(paths, (source, target), strict=True):
        path.write_text(text, encoding="utf-8")
    return paths


def test_lines_that_hold_no_table_are_counted(tmp_path: Path) -> None:
    good = "select a col : a | b row 1 : row 7 : x | \\n"
    lines = [good, "no table", "select a col : a | b row 1 : x | y | z", "select a col : a | b"]
    left_out: Counter[str] = Counter()
    examples = list(read_tapex(*write(tmp_path, "\n".join(lines), "x\ny\nz\nw"), left_out))
    assert [(e.question, e.table.rows, e.answers) for e in examples] == [("select a", (("row 7 : x", "\\n"),), ("x",))]
    assert left_out == {"no rectangular table": 2, "no rows": 1}


def test_files_of_different_length_are_refused(tmp_path: Path) -> None:
    line = "select a col : a row 1 : x\n"
    with pytest.raises(InputError, match=r"x\.tgt.*2.*one of the two files ends here"):
        list(read_tapex(*write(tmp_path, line * 2, "x\n"), Counter()))


@pytest.mark.realdata
def test_the_published_example(data_root: Path) -> None:
    left_out: Counter[str] = Counter()
    folder = data_root / "tapex"
    (example,) = read_tapex(folder / "readme_example.src", folder / "readme_example.tgt", left_out)
    assert not left_out
    assert example.question == "select ( select number where number = 4 ) - ( select number where number = 3 )"
    assert example.table.shape == (14, 8)
    assert example.table.rows[-1][2:] == ("suzanne margaret basso", "59", "44", "white", "texas", "lethal injection")
    assert example.answers == ("1.0",)
    line = (folder / "readme_example.src").read_text(encoding="utf-8").strip()
    assert serialise_tapex(example.question, example.table.header, example.table.rows) == line
