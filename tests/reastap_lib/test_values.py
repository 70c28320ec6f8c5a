from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reastap_lib.dates import parse_date
from reastap_lib.values import is_missing, parse_number


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


@pytest.mark.parametrize("text", ["—", "N/A", "", "-", "n/a", "n / a", "?", "…", "TBA", "–/–", ",", "---"])
def test_Y01_missing(text: str) -> None:
    assert is_missing(text)
    assert parse_number(text) is None


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


@pytest.mark.parametrize(
    "text",
    ["007", "1234567890123456", "½½", "12%%", "$", "10:30", "1:75.0", ".", "(12)", "1/2", "1⁄3", "6'13\"", "1'27\""],
)
def test_doubtful_numbers_are_text(text: str) -> None:
    assert parse_number(text) is None


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("12 km", "12", "km"),
        ("5m", "5", "m"),
        ("1,370 tons", "1370", "ton"),
        ("1 stroke", "1", "stroke"),
        ("3 strokes", "3", "stroke"),
        ("111.98 km/h", "111.98", "km/h"),
        ("5 sq mi", "5", "sq mi"),
        ("20 °C", "20", "°C"),
        ("12 %", "12", "%"),
        ("5 €", "5", "EUR"),
        ("5 USD", "5", "USD"),
        ("Rs. 500", "500", "Rs"),
        ("US$ 5", "5", "USD"),
        ("1.2 million", "1200000", ""),
        ("12 million km", "12000000", "km"),
        ("$5 bn", "5000000000", "USD"),
        ("88 feet (27 m)", "88", "feet (m)"),
        ("170 cm (5 ft 7 in)", "170", "cm (ft in)"),
        ("168 (551)", "168", "()"),
        ("6 ft 2 in", "74", "ft in"),
        ("5'11\"", "71", "ft in"),
    ],
)
def test_units_in_one_form(text: str, value: str, unit: str) -> None:
    number = parse_number(text)
    assert number is not None
    assert (number.value, number.unit) == (Decimal(value), unit)


@pytest.mark.parametrize(
    "text",
    [
        *("9 June", "5 BC", "7 pm", "2R", "10 A", "9.0° N", "3D", "12 (Feb 16)", "1 (16 Feb)", "5 of 7", "12 Mar"),
        *("50 m freestyle 2", "4x100 m", "7000+", "16 mm, daylight", "U.S. Route 20", "$5 km"),
    ],
)
def test_what_stands_behind_a_number_is_not_always_a_unit(text: str) -> None:
    assert parse_number(text) is None


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("3m 37s", "217"), ("1 h 30 min", "5400"), ("5h 45' 16\"", "20716"), ("45 minutes 3 seconds", "2703")],
)
def test_spoken_durations(text: str, seconds: str) -> None:
    number = parse_number(text)
    assert number is not None
    assert (number.value, number.unit) == (Decimal(seconds), "s")


def test_minutes_and_seconds_only_where_the_header_says_so() -> None:
    assert parse_number("3:45") is None
    number = parse_number("3:45", clock=True)
    assert number is not None
    assert (number.value, number.unit) == (225, "s")


@pytest.mark.parametrize(
    ("text", "value"), [("- 8", "-8"), ("–9", "-9"), ("−$5", "-5"), ("+ 49", "49"), ("2 1/2", "2.5"), ("3⁄4", "0.75")]
)
def test_signs_and_fractions(text: str, value: str) -> None:
    number = parse_number(text)
    assert number is not None
    assert number.value == Decimal(value)


@pytest.mark.parametrize(
    ("text", "place"), [("1.", 1), ("#11", 11), ("t3", 3), ("T3rd", 3), ("=4", 4), ("4=", 4), ("21st", 21)]
)
def test_places(text: str, place: int) -> None:
    number = parse_number(text)
    assert number is not None
    assert (number.value, number.unit, number.plain) == (place, "ordinal", False)


@given(st.decimals(min_value=-(10**9), max_value=10**9, places=2))
def test_written_numbers_are_read_back(value: Decimal) -> None:
    for text in (f"{value:,f}", f"{value:f}", f"{value:,f}".replace("-", "−")):
        number = parse_number(text)
        assert number is not None
        assert (number.value, number.places) == (value, 2)


@given(st.text(max_size=30))
def test_any_text_is_read_without_failing_and_never_as_two_things(text: str) -> None:
    number, date = parse_number(text, clock=True), parse_date(text, "dmy")
    assert number is None or date is None
    assert not (is_missing(text) and (number or date))
