from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reastap_lib.grids import MAX_SLOTS, Grid, GridCell, LeftOut, finish, join_names, split, spread


def cells(*texts: str, header: bool = False) -> list[GridCell]:
    return [GridCell(text, header) for text in texts]


def texts(rows: list[list[GridCell]]) -> list[list[str]]:
    return [[slot.cell.text if slot.cell else "" for slot in row] for row in spread(rows)]


def table(rows: list[list[GridCell]]) -> list[list[str]]:
    header, body = finish(split(rows, str), str)
    return [list(line) for line in (header, *body)]


def grid(rows: list[list[GridCell]]) -> Grid:
    return split(rows, str)


def test_what_spans_is_repeated_and_what_is_missing_is_a_hole() -> None:
    rows = [[GridCell("a", rowspan=2), GridCell("b", colspan=2)], cells("c", "d"), cells("e")]
    assert texts(rows) == [["a", "b", "b"], ["a", "c", "d"], ["e", "", ""]]


def test_a_rowspan_of_zero_goes_on_to_the_end_and_none_goes_further() -> None:
    assert texts([[GridCell("a", rowspan=0), GridCell("b", rowspan=99)], cells("c")]) == [
        ["a", "b", ""],
        ["a", "b", "c"],
    ]


def test_a_column_in_which_no_cell_starts_is_no_column() -> None:
    title = [GridCell("Season", True, colspan=10)]
    assert table([title, cells("Name", "Goals", header=True), cells("Ann", "3")]) == [["Name", "Goals"], ["Ann", "3"]]
    wide = [GridCell("Name", True, colspan=2), GridCell("Goals", True)]
    assert table([wide, [GridCell("Ann", colspan=2), GridCell("3")]]) == [["Name", "Goals"], ["Ann", "3"]]


def test_absurd_spans_are_refused_without_being_filled() -> None:
    with pytest.raises(LeftOut, match="absurd spans"):
        spread([[GridCell("a", rowspan=1000, colspan=1000)]] * 1000)
    with pytest.raises(LeftOut, match="absurd spans"):
        spread([[GridCell("a", colspan=10**6)], *[cells("b")] * MAX_SLOTS])


def test_header_rows_are_joined_and_repeats_dropped() -> None:
    rows = [
        [GridCell("Team", True, rowspan=2), GridCell("Score", True, colspan=2)],
        cells("Home", "Away", header=True),
        cells("A", "1", "2"),
    ]
    assert table(rows) == [["Team", "Score Home", "Score Away"], ["A", "1", "2"]]
    assert join_names(["", "Score", "Score", ""]) == "Score"


def test_a_title_over_the_header_is_a_title_and_banners_in_the_body_are_set_aside() -> None:
    rows = [
        [GridCell("Season 1998", True, colspan=2)],
        cells("Name", "Goals", header=True),
        [GridCell("Group A", True, colspan=2)],
        cells("Ann", "3"),
        cells("Name", "Goals", header=True),
        cells("Bob", "4"),
        cells("", ""),
        [GridCell("Source: FIFA", colspan=2)],
    ]
    found = grid(rows)
    assert [cell.text for cell in found.titles] == ["Season 1998"]
    assert finish(found, str) == (("Name", "Goals"), (("Ann", "3"), ("Bob", "4")))
    assert found.set_aside == {
        "row of one cell set aside (row)": 2,
        "header row again set aside (row)": 1,
        "empty row set aside (row)": 1,
    }


def test_a_row_header_is_not_a_header_row() -> None:
    rows = [cells("Year", "Name", header=True), [GridCell("1998", True), GridCell("")], cells("1999", "Bob")]
    assert table(rows) == [["Year", "Name"], ["1998", ""], ["1999", "Bob"]]


def test_where_all_rows_look_like_headers_the_first_is() -> None:
    rows = [cells("a", "b", header=True), cells("1", "2", header=True), cells("3", "4", header=True)]
    assert table(rows) == [["a", "b"], ["1", "2"], ["3", "4"]]


def test_bold_or_coloured_names_are_a_header_only_where_none_is_marked() -> None:
    bold = [GridCell("Name", stands_out=True), GridCell("Goals", stands_out=True)]
    assert table([bold, cells("Ann", "three")]) == [["Name", "Goals"], ["Ann", "three"]]
    marked = [cells("Name", "Goals", header=True), bold, cells("Ann", "three")]
    assert len(table(marked)) == 2  # the bold row says the header again


@pytest.mark.parametrize(
    ("first", "second", "is_header"),
    [
        (["Alkane", "Boiling point (°C)"], ["Methane", "−162"], True),
        (["Ann", "3"], ["Bob", "4"], False),
        (["Ann", "Reds"], ["Bob", "Blues"], False),
        (["Year", "Year"], ["1998", "1999"], False),
    ],
)
def test_plain_words_over_numbers_are_a_header(first: list[str], second: list[str], is_header: bool) -> None:
    rows = [cells(*first), cells(*second), cells(*second)]
    if is_header:
        assert table(rows)[0] == first
    else:
        with pytest.raises(LeftOut, match="no header row"):
            grid(rows)


def test_columns_without_a_text_of_their_own_are_dropped() -> None:
    party = [GridCell("Party", True, colspan=2), GridCell("Votes", True), GridCell("Photo", True)]
    total = [GridCell("Total", colspan=2), GridCell("9"), GridCell("")]
    found = grid([party, cells("", "Reds", "5", ""), cells("", "Blues", "4", ""), total])
    assert finish(found, str) == (("Party", "Votes"), (("Reds", "5"), ("Blues", "4"), ("Total", "9")))
    assert found.set_aside == {"empty column set aside (column)": 2}


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ([], "no rows"),
        ([[], []], "no rows"),
        ([cells("a", "b", header=True)], "no data rows"),
        ([cells("a", "b", header=True), cells("", "")], "no data rows"),
        ([cells("x", "y"), cells("z", "w")], "no header row"),
    ],
)
def test_tables_that_cannot_be_used_say_why(rows: list[list[GridCell]], reason: str) -> None:
    with pytest.raises(LeftOut, match=reason):
        grid(rows)


spans = st.builds(
    GridCell, st.sampled_from("abc"), st.booleans(), st.integers(0, 5), st.integers(0, 5), stands_out=st.booleans()
)


@given(st.lists(st.lists(spans, max_size=6), max_size=8))
def test_any_spans_give_a_rectangle_in_which_every_row_keeps_its_cells_in_order(rows: list[list[GridCell]]) -> None:
    places = spread(rows)
    assert len(places) == len(rows)
    assert len({len(row) for row in places}) <= 1
    for row, written in zip(places, rows, strict=True):
        starting = [slot.cell for slot in row if slot.cell and slot.starts_row and slot.starts_column]
        assert [id(cell) for cell in starting] == [id(cell) for cell in written]
