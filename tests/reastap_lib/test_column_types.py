from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reastap_lib.column_types import sum_rows, total_rows, type_column, type_table
from reastap_lib.dates import Date
from reastap_lib.tables import Table


def label(name: str, cells: Sequence[str]) -> str:
    return type_column(name, cells).label


@pytest.mark.parametrize(
    ("name", "cells", "expected"),
    [
        ("Share", ["12%", "$5"], "string: mixed units"),
        ("Goals", ["9", "12", "12", "", "7"], "number"),
        ("Won", ["12%", "3%"], "number (%)"),
        ("Prize", ["$5", "$1,200"], "number (USD)"),
        ("Goals", ["9", "twelve"], "string"),
        ("Goals", ["9", "", "", ""], "string"),
        ("Total", ["5,723", "4,541", "6,991"], "number"),
        ("Candidates elected", ["5", "6", "3"], "number"),
        ("Candidate votes", ["150", "98", "12"], "number"),
        ("Born", ["12 May 1998", "3 June 2000"], "date (day)"),
        ("Month", ["May 1998", "June 2000"], "date (month)"),
        ("Founded", ["1998", "2000"], "date (year)"),
        ("Capacity", ["1998", "2000"], "number (year)"),
        ("Date", ["05/06/2001", "07/08/2001"], "string: unclear order of day and month"),
        ("Date", ["05/06/2001", "25/08/2001"], "date (day)"),
        ("Date", ["25/06/2001", "07/25/2001"], "string: not a calendar's dates"),
        ("Date", ["May 1998", "12 May 1998"], "string: dates of mixed precision"),
        ("Season", ["2005–06", "2006–07"], "date (range)"),
        ("Season", ["1998–99", "1999–2000", "2000/01"], "date (range)"),
        ("Season", ["2001-02", "2002-03", "2003-04"], "date (range)"),
        ("Season", ["2001-02", "2003-04"], "string: seasons or months"),
        ("Season", ["2001-02", "2002-05", "2003-04"], "string: seasons or months"),
        ("Year", ["1951", "1977–78", "1982"], "date (range)"),
        ("Year", ["1951", "1977–78", "1978"], "string: ranges that overlap"),
        ("Years", ["1988–95", "1990–92"], "string: ranges that overlap"),
        ("Term", ["1988–1992", "1992–present", "—"], "date (range)"),
        ("Decade", ["1990s", "2000s"], "date (range)"),
        ("Road numbers", ["1500-1599", "1600-1699"], "string: years or numbers"),
        ("In office", ["12 May 1998 – 3 June 2000", "3 June 2000 – 1 July 2001"], "date (range)"),
        ("In office", ["12 May 1998 – 3 June 2000", "2001–2002"], "string: dates of mixed precision"),
        ("Diameter", ["62 km", "95 km"], "number (km)"),
        ("Height", ["170 cm (5 ft 7 in)", "175 cm (5 ft 9 in)"], "number (cm (ft in))"),
        ("Height m (ft)", ["168 (551)", "165 (541)"], "number (())"),
        ("Score", ["168 (551)", "165 (541)"], "string"),
        ("Margin", ["1 stroke", "3 strokes"], "number (stroke)"),
        ("Film", ["12 km", "12 kg"], "string: mixed units"),
        ("Games", ["1920 Summer Olympics", "1924 Summer Olympics"], "string"),
        ("Time", ["59.80", "1:01.22"], "number (s)"),
        ("Gold", ["59.80", "1:01.22"], "string: mixed units"),
        ("Length", ["3:11", "4:05"], "number (s)"),
        ("Kick-off", ["3:11", "4:05"], "string"),
        ("Time (UTC)", ["14:55:43", "21:42:07"], "string: times of day"),
        ("Place", ["1", "T2", "T2", "4"], "number (rank)"),
        ("Place", ["1", "T2", "2.5"], "string: mixed units"),
        ("No.", ["1.", "2."], "number (rank)"),
        ("Rank#", ["#11", "#8"], "number (rank)"),
        ("Date", ["1972 - 09 - 17", "1972 - 09 - 24"], "date (day)"),
        ("Opening", ["6 November 1999", "TBA", "1 May 2000"], "date (day)"),
        ("Result", ["19", "20", "21", "22", "23", "24", "25", "26"], "number (index)"),
        ("To par", ["–9", "+1"], "number"),
        ("Country", ["NA", "None", "Nan"], "string"),
        ("Rank", ["4", "9", "7"], "number (rank)"),
        ("Whatever", ["3", "1", "2"], "number (index)"),
        ("Votes", ["unopposed", "12"], "string"),
        ("Place", ["1st", "2nd"], "number (rank)"),
        ("No. of seats", ["87", "324"], "number"),
        ("Points per game", ["8.7", "3.4"], "number"),
    ],
)
def test_columns_are_typed_as_a_whole(name: str, cells: list[str], expected: str) -> None:
    assert label(name, cells) == expected


def test_day_and_month_are_ordered_for_the_whole_column() -> None:
    column = type_column("Date", ["11-10-1978", "18-10-1978"])
    assert column.values == (Date(1978, 10, 11), Date(1978, 10, 18))


@pytest.mark.parametrize(
    ("name", "cells", "expected"),
    [
        ("Year", ["1990", "1993"], "none"),
        ("Rank", ["4", "9"], "none"),
        ("Index", ["2", "1", "3"], "none"),
        ("Goals", ["4", "9"], "all"),
        ("Growth", ["4%", "9%"], "average"),
        ("Population density", ["4", "9"], "average"),
        ("Value", ["$3.4M", "$5M"], "none"),
        ("Diameter", ["62 km", "95 km"], "all"),
        ("Speed", ["20 knots", "19 knots"], "average"),
        ("Rate", ["3 km/h", "4 km/h"], "average"),
        ("Length", ["3:11", "4:05"], "none"),
        ("Time", ["11.53", "11.72"], "average"),
        ("Swing", ["+1.5", "-2.5", "+3.0"], "all"),
        ("Swing", ["+1.5", "2.5"], "none"),
        ("Margin", ["1 stroke", "3 strokes"], "none"),
        ("Class", ["1.0", "3.5"], "none"),
    ],
)
def test_years_ranks_and_indexes_are_never_summed(name: str, cells: list[str], expected: str) -> None:
    assert type_column(name, cells).arithmetic == expected


def test_Y06_there_is_a_type_for_every_column() -> None:
    table = Table("t", "", ("Name", "Date", "Points"), (("Ann", "Monday", "1.5"), ("Bob", "Tuesday", "2.5")))
    columns = type_table(table).columns
    assert [column.kind for column in columns] == ["string", "string", "number"]
    assert columns[2].values == (Decimal("1.5"), Decimal("2.5"))


def test_missing_cells_have_no_value() -> None:
    assert type_column("Goals", ["9", "—", "0"]).values == (Decimal(9), None, Decimal(0))


def test_the_key_is_the_leftmost_distinct_string_column() -> None:
    rows = (("1", "a", "Ann"), ("2", "a", "Bob"), ("3", "b", "Cyd"))
    assert type_table(Table("t", "", ("No", "Team", "Player"), rows)).key == 2
    assert type_table(Table("t", "", ("No", "Team"), tuple(row[:2] for row in rows))).key is None


def test_cells_that_differ_in_case_or_marks_only_are_no_key_and_no_condition() -> None:
    assert type_column("Name", ["Italy", "Italy[a]", "Malta"]).clashes
    column = type_column("Name", ["The Who", "the who", "Queen"])
    assert (column.distinct, column.clashes, column.varies) == (False, True, False)


@pytest.mark.parametrize(
    "cell", ["Total", "totals", "Grand total", "Total (8)", "Sum", "Average", "Career totals", "Overall 1992–2008"]
)
def test_total_rows_are_recognised(cell: str) -> None:
    table = Table("t", "", ("Nation", "Gold"), (("Norway", "3"), (cell, "3")))
    assert total_rows(table) == (1,)


@pytest.mark.parametrize("cell", ["Summerset", "Allan", "Totalitarianism", "Subtotalling"])
def test_names_are_no_total_rows(cell: str) -> None:
    assert total_rows(Table("t", "", ("Film", "Gold"), ((cell, "3"),))) == ()


def test_a_row_that_may_be_a_total_is_set_aside() -> None:
    assert total_rows(Table("t", "", ("Party", "Votes"), (("Total valid votes", "3"), ("Total Recall", "4")))) == (0, 1)


def test_totals_further_right_are_found_where_nothing_stands_before() -> None:
    rows = (("1", "FW", "Ann", "3"), ("", "—", "Totals", "3"), ("", "2", "Total Recall", "3"))
    assert total_rows(Table("t", "", ("No.", "Pos.", "Player", "Goals"), rows)) == (1,)


def test_sums_of_all_other_rows_are_found_by_their_numbers() -> None:
    rows = [("a", "1,000", "2", "1990"), ("b", "500", "4", "1991"), ("c", "—", "6", "1992"), ("d", "1,500", "12", "")]
    assert sum_rows(Table("t", "", ("Name", "Votes", "Seats", "Year"), tuple(rows))) == (3,)
    one_column = tuple(row[:2] for row in rows)
    assert sum_rows(Table("t", "", ("Name", "Votes"), one_column)) == ()
    more = tuple((*row, str(i), str(9 * i), str(7 * i * i)) for i, row in enumerate(rows, 1))
    assert sum_rows(Table("t", "", tuple("abcdefg"), more)) == ()


CELLS = st.sampled_from(
    [
        *("1", "2", "3", "1,000", "—", "", "12%", "1998", "12 May 1998", "May 1998", "05/06/2001", "a", "A", "T2"),
        *("1998–99", "1999–2000", "2001-02", "12 km", "1 km", "1:02.3", "12 (5)", "–2", "+2"),
    ]
)


@given(st.lists(CELLS, min_size=1, max_size=8).flatmap(lambda c: st.tuples(st.just(c), st.permutations(c))))
def test_types_do_not_depend_on_the_order_of_rows(pair: tuple[list[str], list[str]]) -> None:
    cells, shuffled = pair
    for name in ("Year", "Goals", "Rank", "Time (s)"):
        one, two = type_column(name, cells), type_column(name, shuffled)
        assert (one.label, one.arithmetic, one.format) == (two.label, two.arithmetic, two.format)
