from __future__ import annotations

import datetime
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reastap_lib.values import Date, is_missing, parse_date, parse_number


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("1,234", "1234", ""),
        ("−5", "-5", ""),
        ("12%", "12", "%"),
        ("$3.4M", "3400000", "USD"),
        ("1:23.45", "83.45", "s"),
        ("3rd", "3", "ordinal"),
        ("T–2", "2", "ordinal"),
        ("45[a]", "45", ""),
        ("½", "0.5", ""),
        ("1 234", "1234", ""),
        ("+3", "3", ""),
        ("£1,200.50", "1200.5", "GBP"),
        (".409", "0.409", ""),
        ("1:00:28", "3628", "s"),
    ],
)
def test_Y01_numbers(text: str, value: str, unit: str) -> None:
    number = parse_number(text)
    assert number is not None
    assert (number.value, number.unit) == (Decimal(value), unit)


@pytest.mark.parametrize("text", ["(12)", "~5"])
def test_Y01_texts(text: str) -> None:
    assert parse_number(text) is None
    assert not is_missing(text)


@pytest.mark.parametrize("text", ["—", "N/A", "", "-", "n/a"])
def test_Y01_missing(text: str) -> None:
    assert is_missing(text)
    assert parse_number(text) is None


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
    "text",
    [
        "12 May 1998–",
        "12 May 1998 – 3 June 2000",
        "1998–99",
        "2005–06",
        "present",
        "44 BC",
        "c. 1850",
        "1990s",
        "31 February 2001",
        "05/06/2001",
    ],
)
def test_Y03_ranges_seasons_and_impossible_dates_are_text(text: str) -> None:
    assert parse_date(text) is None
    assert parse_date(text, bare_year=True) is None


def test_Y03_order_of_day_and_month_comes_from_outside() -> None:
    assert parse_date("05/06/2001", "dmy") == Date(2001, 6, 5)
    assert parse_date("05/06/2001", "mdy") == Date(2001, 5, 6)
    assert parse_date("13/06/2001", "mdy") is None


@pytest.mark.parametrize(
    "text",
    [
        "192.168.0.1",
        "1,5",
        "100,12",
        "1,2,3",
        "Nan",
        "Inf",
        "1_000",
        "٣",
        "NA",
        "None",
        "null",
        "12.05.1998",
        "1e5",
        "²",
    ],
)
def test_Y04_texts_are_not_made_numbers(text: str) -> None:
    assert parse_number(text) is None
    assert not is_missing(text)


def test_Y04_dotted_date_is_a_date_only_where_the_order_is_known() -> None:
    assert parse_date("12.05.1998") is None
    assert parse_date("12.05.1998", "dmy") == Date(1998, 5, 12)


@pytest.mark.parametrize("text", ["007", "5m", "1234567890123456", "½½", "12%%", "$", "10:30", "1:75.0", "."])
def test_doubtful_numbers_are_text(text: str) -> None:
    assert parse_number(text) is None


@given(st.decimals(min_value=-(10**9), max_value=10**9, places=2))
def test_written_numbers_are_read_back(value: Decimal) -> None:
    for text in (f"{value:,f}", f"{value:f}", f"{value:,f}".replace("-", "−")):
        number = parse_number(text)
        assert number is not None
        assert (number.value, number.places) == (value, 2)


@given(st.dates(min_value=datetime.date(1000, 1, 1), max_value=datetime.date(2999, 12, 31)))
def test_written_dates_are_read_back(date: datetime.date) -> None:
    month = date.strftime("%B")
    expected = Date(date.year, date.month, date.day)
    for text in (f"{date.day} {month} {date.year:04d}", f"{month[:3]} {date.day}, {date.year:04d}", expected.iso):
        assert parse_date(text) == expected
    assert parse_date(f"{month} {date.year:04d}") == Date(date.year, date.month)


@given(st.text(max_size=30))
def test_any_text_is_read_without_failing_and_never_as_two_things(text: str) -> None:
    number, date = parse_number(text), parse_date(text, "dmy")
    assert number is None or date is None
    assert not (is_missing(text) and (number or date))
