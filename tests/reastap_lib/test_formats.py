from __future__ import annotations

from decimal import Decimal

import pytest

from reastap_lib.column_types import type_column
from reastap_lib.columns import NumberFormat
from reastap_lib.dates import Date
from reastap_lib.formats import TooManyDigits, format_number, ordinal, time_between


def test_S01_ordinals() -> None:
    numbers = [1, 2, 3, 4, 10, 11, 12, 13, 21, 22, 101, 111, 112]
    expected = ["1st", "2nd", "3rd", "4th", "10th", "11th", "12th", "13th", "21st", "22nd", "101st", "111th", "112th"]
    assert [ordinal(number) for number in numbers] == expected


@pytest.mark.parametrize(
    ("operator", "cells", "expected"),
    [
        ("sum", ["3", "4"], "7"),
        ("sum", ["0.1", "0.2", "0.3"], "0.6"),
        ("sum", ["1.1", "2.2"], "3.3"),
        ("average", ["1", "0", "1"], "0.67"),
        ("sum", ["1,200", "800"], "2,000"),
        ("sum", ["1200", "800"], "2000"),
        ("average", ["2.67", "2.68"], "2.68"),
        ("average", ["7.57", "7.58"], "7.58"),
        ("average", ["2", "4"], "3"),
        ("sum", ["1.5", "2.5"], "4.0"),
        ("sum", ["1", "2.5", "0.5"], "4"),
        ("sum", ["$5", "$1,200"], "$1,205"),
        ("average", ["12%", "13%"], "12.5%"),
        ("sum", ["−5", "2"], "−3"),
        ("average", ["0.0012", "0.0013"], "0.0013"),
    ],
)
def test_S02_results_are_written_as_the_cells_are(operator: str, cells: list[str], expected: str) -> None:
    column = type_column("Amount", cells)
    values = [value for value in column.values if isinstance(value, Decimal)]
    total = sum(values, Decimal(0))
    value = total if operator == "sum" else total / len(values)
    assert format_number(value, column.format, average=operator == "average") == expected


def test_too_many_digits_are_refused() -> None:
    with pytest.raises(TooManyDigits):
        format_number(Decimal(10) ** 15, NumberFormat())


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        (Date(1990), Date(2006), (16, "year")),
        (Date(2006, 3, 31), Date(1990, 3, 31), (16, "year")),
        (Date(1990, 3), Date(1990, 5), (2, "month")),
        (Date(1990, 1, 31), Date(1990, 3, 31), (2, "month")),
        (Date(1990, 3, 31), Date(1990, 4, 1), (1, "day")),
        (Date(1990, 1, 1), Date(1990, 12, 31), (364, "day")),
        (Date(2000, 2, 29), Date(2004, 2, 29), (4, "year")),
        (Date(2000, 2, 28), Date(2000, 3, 1), (2, "day")),
    ],
)
def test_time_between(first: Date, second: Date, expected: tuple[int, str]) -> None:
    assert time_between(first, second) == expected
