"""Cell texts read as numbers and dates, exactly or not at all.

A number is read with `decimal`, never with float(), which knows words and underscores. A date keeps its precision
(year, month or day), and nothing is ever filled in from today. Ranges, seasons, decades, yearless and approximate
dates are text; so are decimal commas, codes with leading zeros, and numbers of more than 15 digits.
"""

from __future__ import annotations

import re
from calendar import monthrange
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from typing import Literal

from reastap_lib.tables import words

Precision = Literal["year", "month", "day"]
DayOrder = Literal["dmy", "mdy"]

MISSING = frozenset({"", "-", "--", "–", "—", "−", "N/A", "n/a"})
MAX_DIGITS = 15
_FOOTNOTES = re.compile(r"(?: ?(?:\[(?:[a-z]|\d{1,3}|(?:nb|note|n) ?\d*)\]|[*†‡§]))+$")
_GROUPED = r"[0-9]{1,3}(?:,[0-9]{3})+|[0-9]{1,3}(?: [0-9]{3})+"
_FRACTIONS = {"½": "0.5", "¼": "0.25", "¾": "0.75", "⅛": "0.125", "⅜": "0.375", "⅝": "0.625", "⅞": "0.875"}
_MAGNITUDES = {"k": 3, "thousand": 3, "M": 6, "m": 6, "million": 6, "bn": 9, "B": 9, "billion": 9}
_CURRENCIES = {"$": "USD", "US$": "USD", "£": "GBP", "€": "EUR", "¥": "¥"}
_NUMBER = re.compile(
    rf"(?P<sign>[+\-−])?(?P<currency>US\$|[$£€¥])?(?P<whole>{_GROUPED}|[0-9]+)?(?P<fraction>\.[0-9]+)?"
    rf"(?P<vulgar>[{''.join(_FRACTIONS)}])?(?P<magnitude>k|M|m|bn|B| ?(?:thousand|million|billion))?(?P<percent> ?%)?"
)
_ORDINAL = re.compile(r"(?:[T=][-–]?(?P<tied>[0-9]{1,4})(?:st|nd|rd|th)?|(?P<plain>[0-9]{1,4})(?:st|nd|rd|th))")
_DURATION = re.compile(r"(?:(?P<hours>[0-9]{1,3}):)?(?P<minutes>[0-9]{1,2}):(?P<seconds>[0-9]{2}(?P<part>\.[0-9]+)?)")
_MONTHS = words("january february march april may june july august september october november december")
_MONTH = {name: i for i, full in enumerate(_MONTHS, 1) for name in (full, full[:3])} | {"sept": 9}
_WEEKDAY = r"(?:(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?,? )?"
_DATES = [
    re.compile(r"(?P<year>\d{4})-(?P<month>\d{2})-(?P<day>\d{2})"),
    re.compile(_WEEKDAY + r"(?P<day>\d{1,2})(?:st|nd|rd|th)?[ -](?P<name>[a-z]+)\.?,?[ -](?P<year>\d{4})", re.I),
    re.compile(_WEEKDAY + r"(?P<name>[a-z]+)\.? (?P<day>\d{1,2})(?:st|nd|rd|th)? ?,? ?(?P<year>\d{4})", re.I),
    re.compile(r"(?P<name>[a-z]+)\.?,? (?P<year>\d{4})", re.I),
]
_NUMERIC_DATE = re.compile(r"(?P<first>\d{1,2})(?P<mark>[/.-])(?P<second>\d{1,2})(?P=mark)(?P<year>\d{4})")
_YEAR = re.compile(r"[12][0-9]{3}")


@dataclass(frozen=True, slots=True)
class Number:
    """A cell's number, and how it was written.

    Args:
        value: Exact; in seconds for a duration.
        unit: "", "%", a currency (USD, GBP, EUR, ¥), "s" (seconds) or "ordinal"; cells of two units are never compared.
        places: Digits after the point.
        separator: What groups thousands: "", "," or " ".
        prefix, suffix: What stands around the digits ("$", "%").
        plain: Whether a result can be written the same way (not so for ½, 3.4M, ordinals and durations).
    """

    value: Decimal
    unit: str = ""
    places: int = 0
    separator: str = ""
    prefix: str = ""
    suffix: str = ""
    plain: bool = True


@dataclass(frozen=True, slots=True, order=True)
class Date:
    """A date to the year, the month or the day; `month` and `day` are 0 where the cell does not say them."""

    year: int
    month: int = 0
    day: int = 0

    @property
    def precision(self) -> Precision:
        return "day" if self.day else "month" if self.month else "year"

    @property
    def iso(self) -> str:
        """1998, 1998-05 or 1998-05-12.

        >>> Date(1998, 5).iso
        '1998-05'
        """
        parts = [f"{self.year:04d}", *(f"{part:02d}" for part in (self.month, self.day) if part)]
        return "-".join(parts)


def is_missing(text: str) -> bool:
    """Whether a cell says nothing: empty, a dash, or N/A. A missing cell is never zero, and "NA" can be Namibia.

    >>> is_missing("—"), is_missing("NA"), is_missing("0")
    (True, False, False)
    """
    return text.strip() in MISSING


def without_footnotes(text: str) -> str:
    """The text without reference marks at its end: 45[a] and 45* are 45."""
    return _FOOTNOTES.sub("", text.strip())


@lru_cache(maxsize=65536)
def parse_number(text: str) -> Number | None:
    """The number that a whole cell is, or None.

    A comma only groups thousands: 1,5 and 100,12 are text. Digits are the ASCII ones.

    >>> parse_number("$1,200.50").value, parse_number("12%").unit, parse_number("100,12")
    (Decimal('1200.50'), '%', None)
    """
    bare = without_footnotes(text)
    return _ordinal(bare) or _duration(bare) or _plain_number(bare)


def parse_date(text: str, order: DayOrder | None = None, *, bare_year: bool = False) -> Date | None:
    """The date that a whole cell is, or None.

    Args:
        order: Whether 05/06/2001 starts with its day or its month; without it such a cell is text.
        bare_year: Whether 1998 alone is a year; else it is a number.

    >>> parse_date("12 May 1998").iso, parse_date("Feb 2011").iso, parse_date("31 February 2001")
    ('1998-05-12', '2011-02', None)
    """
    bare = without_footnotes(text)
    if bare_year and _YEAR.fullmatch(bare):
        return Date(int(bare))
    if len(bare) < 8 or len(bare) > 40 or not bare.isascii():
        return None
    numeric = _NUMERIC_DATE.fullmatch(bare)
    if numeric:
        return _numeric_date(numeric, order) if order else None
    return next((_named_date(match) for form in _DATES if (match := form.fullmatch(bare))), None)


def is_year(text: str) -> bool:
    """Whether the cell is four digits from 1000 to 2999."""
    return _YEAR.fullmatch(without_footnotes(text)) is not None


def is_numeric_date(text: str) -> bool:
    """Whether the cell is a date in figures only, such as 05/06/2001."""
    return _NUMERIC_DATE.fullmatch(without_footnotes(text)) is not None


def _ordinal(text: str) -> Number | None:
    match = _ORDINAL.fullmatch(text)
    return Number(Decimal(match["tied"] or match["plain"]), "ordinal", plain=False) if match else None


def _duration(text: str) -> Number | None:
    """h:mm:ss, or m:ss with a fraction; 10:30 alone may be a time of day or a score."""
    match = _DURATION.fullmatch(text)
    if not match or not (match["hours"] or match["part"]):
        return None
    seconds, minutes, hours = Decimal(match["seconds"]), int(match["minutes"]), int(match["hours"] or 0)
    if seconds >= 60 or (match["hours"] and minutes >= 60):
        return None
    return Number(hours * 3600 + minutes * 60 + seconds, "s", len((match["part"] or ".")[1:]), plain=False)


def _plain_number(text: str) -> Number | None:
    match = _NUMBER.fullmatch(text)
    if not match or not (match["whole"] or match["fraction"] or match["vulgar"]):
        return None
    digits, fraction = (match["whole"] or "").replace(",", "").replace(" ", ""), match["fraction"] or ""
    magnitude = (match["magnitude"] or "").strip()
    too_long = len(digits + fraction) > MAX_DIGITS
    code = len(digits) > 1 and digits[0] == "0"
    two_fractions = bool(match["vulgar"] and fraction)
    metres_perhaps = len(magnitude) in (1, 2) and not match["currency"]
    two_units = bool(match["percent"] and (match["currency"] or magnitude))
    if too_long or code or two_fractions or metres_perhaps or two_units:
        return None
    return _number(match, digits, fraction, magnitude)


def _number(match: re.Match[str], digits: str, fraction: str, magnitude: str) -> Number:
    value = Decimal(f"{digits or 0}{fraction}") + Decimal(_FRACTIONS.get(match["vulgar"] or "", "0"))
    value = value.scaleb(_MAGNITUDES.get(magnitude, 0))
    sign, currency, percent = match["sign"] or "", match["currency"] or "", match["percent"] or ""
    whole = match["whole"] or ""
    return Number(
        value=-value if sign in ("-", "−") else value,
        unit=_CURRENCIES[currency] if currency else "%" if percent else "",
        places=max(len(fraction) - 1, 0),
        separator="," if "," in whole else " " if " " in whole else "",
        prefix=currency,
        suffix=percent,
        plain=not (match["vulgar"] or magnitude),
    )


def _named_date(match: re.Match[str]) -> Date | None:
    found = match.groupdict()
    month = int(found["month"]) if found.get("month") else _MONTH.get((found.get("name") or "").lower(), 0)
    day = int(found.get("day") or 0)
    return _checked(int(found["year"]), month, day, has_day=bool(found.get("day")))


def _numeric_date(match: re.Match[str], order: DayOrder) -> Date | None:
    first, second, year = int(match["first"]), int(match["second"]), int(match["year"])
    day, month = (first, second) if order == "dmy" else (second, first)
    return _checked(year, month, day, has_day=True)


def _checked(year: int, month: int, day: int, *, has_day: bool) -> Date | None:
    if not (1000 <= year <= 2999 and 1 <= month <= 12):
        return None
    if has_day and not 1 <= day <= monthrange(year, month)[1]:
        return None
    return Date(year, month, day)
