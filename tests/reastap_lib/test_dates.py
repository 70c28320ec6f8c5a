from __future__ import annotations

import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reastap_lib.dates import OPEN_END, Date, Span, may_be_month, parse_date, parse_span


def test_dates_of_texts_without_their_spaces_or_with_too_many() -> None:
    assert parse_date("September22,2004") == Date(2004, 9, 22)
    assert parse_date("tuesday , march 4 , 2008") == Date(2008, 3, 4)


@pytest.mark.parametrize(
    "text", ["May", "1995", "10.2014", "24.06", "3rd", "12", "1:23.45", "Sun", "99", "5,723", "September 8", "2001-02"]
)
def test_Y02_no_date_is_filled_in(text: str) -> None:
    assert parse_date(text) is None
    assert parse_date(text, "dmy") is None


def test_Y02_precision_is_kept() -> None:
    assert parse_date("Feb 2011") == Date(2011, 2)
    assert parse_date("1995", bare_year=True) == Date(1995)
    assert [Date(1995).precision, Date(2011, 2).precision, Date(2011, 2, 1).precision] == ["year", "month", "day"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("12 May 1998–", Span(Date(1998, 5, 12), OPEN_END)),
        ("12 May 1998 – 3 June 2000", Span(Date(1998, 5, 12), Date(2000, 6, 3))),
        ("1998–99", Span(Date(1998), Date(1999))),
        ("2005–06", Span(Date(2005), Date(2006))),
        ("1990s", Span(Date(1990), Date(1999))),
        ("1999–00", Span(Date(1999), Date(2000))),
        ("1950–97", Span(Date(1950), Date(1997))),
        ("1998/99", Span(Date(1998), Date(1999))),
        ("2004 - 2005", Span(Date(2004), Date(2005))),
        ("1993 to 1994", Span(Date(1993), Date(1994))),
        ("2000–present", Span(Date(2000), OPEN_END)),
        ("2011 -", Span(Date(2011), OPEN_END)),
        ("May 1998 – June 1999", Span(Date(1998, 5), Date(1999, 6))),
        ("1998–99[a]", Span(Date(1998), Date(1999))),
    ],
)
def test_Y03_ranges_keep_both_ends(text: str, expected: Span) -> None:
    assert parse_span(text) == expected
    assert parse_date(text) is None
    assert parse_date(text, bare_year=True) is None


@pytest.mark.parametrize(
    "text",
    [
        *("present", "44 BC", "c. 1850", "31 February 2001", "05/06/2001", "1998", "12 May 1998", "1999–1998"),
        *("May – June 2001", "1998–June 2000", "3–1", "8300-8302", "2570 BC–1311", "31 June 2000 – 1 July 2000"),
        *("1998–99–00", "–", "1998––99"),
    ],
)
def test_Y03_other_texts_are_no_ranges(text: str) -> None:
    assert parse_span(text) is None


@pytest.mark.parametrize("text", ["present", "44 BC", "c. 1850", "31 February 2001", "05/06/2001", "1 / 13 / 69"])
def test_Y03_impossible_and_unclear_dates_are_text(text: str) -> None:
    assert parse_date(text) is None
    assert parse_date(text, bare_year=True) is None


def test_Y03_order_of_day_and_month_comes_from_outside() -> None:
    assert parse_date("05/06/2001", "dmy") == Date(2001, 6, 5)
    assert parse_date("05/06/2001", "mdy") == Date(2001, 5, 6)
    assert parse_date("13/06/2001", "mdy") is None
    assert parse_date("09 / 23 / 2004", "mdy") == Date(2004, 9, 23)


def test_Y04_dotted_date_is_a_date_only_where_the_order_is_known() -> None:
    assert parse_date("12.05.1998") is None
    assert parse_date("12.05.1998", "dmy") == Date(1998, 5, 12)


@pytest.mark.parametrize(
    "text",
    [
        *("12 May 1998", "May 12, 1998", "may 12 , 1998", "Tuesday, May 12, 1998", "12th May 1998", "12th of May 1998"),
        *("12-May-1998", "1998-05-12", "1998 - 05 - 12", "1998/05/12", "1998 May 12", "12 May 1998[a]"),
    ],
)
def test_written_forms_of_one_day(text: str) -> None:
    assert parse_date(text) == Date(1998, 5, 12)


def test_months_that_may_be_seasons() -> None:
    assert [may_be_month(text) for text in ("2001-02", "2001/12", "2001–02", "2001-13", "1999-00")] == [
        *(True, True, False, False, False)
    ]


@given(st.dates(min_value=datetime.date(1000, 1, 1), max_value=datetime.date(2999, 12, 31)))
def test_written_dates_are_read_back(date: datetime.date) -> None:
    month = date.strftime("%B")
    expected = Date(date.year, date.month, date.day)
    for text in (f"{date.day} {month} {date.year:04d}", f"{month[:3]} {date.day}, {date.year:04d}", expected.iso):
        assert parse_date(text) == expected
    assert parse_date(f"{month} {date.year:04d}") == Date(date.year, date.month)


@given(st.integers(1000, 2998), st.integers(1, 99))
def test_written_ranges_of_years_are_read_back(first: int, length: int) -> None:
    last = first + length
    expected = Span(Date(first), Date(last))
    assert parse_span(f"{first}–{last:04d}") == (expected if last < 3000 else None)
    if last < 3000:
        assert parse_span(f"{first}–{last % 100:02d}") == expected


@given(st.lists(st.tuples(st.integers(1000, 2999), st.integers(0, 99)), min_size=1))
def test_ranges_sort_as_their_text_does(pairs: list[tuple[int, int]]) -> None:
    spans = [Span(Date(first), Date(min(first + length, 2999))) for first, length in pairs]
    assert [span.iso for span in sorted(spans)] == sorted(span.iso for span in spans)


@given(st.text(max_size=30))
def test_any_text_is_read_without_failing(text: str) -> None:
    assert parse_date(text) is None or parse_span(text) is None
