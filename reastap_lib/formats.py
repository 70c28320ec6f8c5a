"""How answers are written: numbers as in their column, ordinals, and the time between two dates by one rule."""

from __future__ import annotations

import datetime
from decimal import ROUND_HALF_UP, Decimal

from reastap_lib.columns import NumberFormat
from reastap_lib.conditions import Undetermined
from reastap_lib.dates import Date
from reastap_lib.values import MAX_DIGITS

AVERAGE_PLACES = 2


class TooManyDigits(Undetermined):
    """A result that cannot be written exactly enough to be checked."""


def format_number(value: Decimal, form: NumberFormat, *, average: bool = False) -> str:
    """A sum or an average written as the cells of its column are.

    A sum keeps the column's places where all cells have the same number of them, else no zeros at its end; an average
    is rounded half up to 2 places, or to the column's own where it has more, without zeros at its end. Thousands are
    separated, and units stand, as in the column.

    Raises:
        TooManyDigits: more than 15 digits.

    >>> format_number(Decimal("0.6"), NumberFormat(places=1)), format_number(Decimal(1200), NumberFormat(separator=","))
    ('0.6', '1,200')
    >>> format_number(Decimal(2) / 3, NumberFormat(), average=True)
    '0.67'
    """
    places = max(AVERAGE_PLACES, form.places) if average else form.places
    rounded = value.quantize(Decimal(1).scaleb(-places), rounding=ROUND_HALF_UP)
    if len(rounded.as_tuple().digits) > MAX_DIGITS:
        raise TooManyDigits(f"a result of more than {MAX_DIGITS} digits")
    digits = f"{abs(rounded):,f}".replace(",", form.separator)
    if "." in digits and (average or not form.even):
        digits = digits.rstrip("0").rstrip(".")
    sign = form.minus if rounded < 0 else form.plus if rounded > 0 else ""
    return f"{sign}{form.prefix}{digits}{form.suffix}"


def ordinal(number: int) -> str:
    """1st, 2nd, 3rd, 11th, 21st.

    >>> [ordinal(n) for n in (1, 2, 3, 11, 12, 13, 21, 112)]
    ['1st', '2nd', '3rd', '11th', '12th', '13th', '21st', '112th']
    """
    if number % 100 in (11, 12, 13):
        return f"{number}th"
    return f"{number}{ {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th') }"


def time_between(first: Date, second: Date) -> tuple[int, str]:
    """The time between two dates of one precision, as a number and its unit: year, month or day.

    The rule: whole years where month and day are the same (or unknown); else whole months where the day is the same
    (or unknown); else days.

    >>> time_between(Date(1990, 3, 31), Date(2006, 3, 31)), time_between(Date(1990, 3, 31), Date(1990, 4, 1))
    ((16, 'year'), (1, 'day'))
    >>> time_between(Date(1990, 3), Date(1991, 5))
    (14, 'month')
    """
    early, late = sorted((first, second))
    if (early.month, early.day) == (late.month, late.day):
        return late.year - early.year, "year"
    if early.day == late.day:
        return 12 * (late.year - early.year) + late.month - early.month, "month"
    return days_between(early, late), "day"


def days_between(first: Date, second: Date) -> int:
    """The days from one date to a later one, both to the day.

    >>> days_between(Date(2000, 2, 28), Date(2000, 3, 1))
    2
    """
    dates = [datetime.date(date.year, date.month, date.day) for date in (first, second)]
    return (dates[1] - dates[0]).days
