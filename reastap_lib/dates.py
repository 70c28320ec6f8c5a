"""Cell texts read as dates and as ranges of dates, exactly or not at all.

A date keeps its precision (year, month or day), and nothing is ever filled in from today. What stays text: dates
without a year (8 September, May), approximate ones (c. 1850), years before 1000 or of two digits, and days that no
calendar has. A range (1998–99, 12 May – 3 June 2000 with both years, 1990s, 2010–present) keeps both of its ends.
"""

from __future__ import annotations

import re
from calendar import monthrange
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from reastap_lib.tables import words
from reastap_lib.values import without_footnotes

Precision = Literal["year", "month", "day", "range"]
DayOrder = Literal["dmy", "mdy"]

_MONTHS = words("january february march april may june july august september october november december")
MONTH = {name: i for i, full in enumerate(_MONTHS, 1) for name in (full, full[:3])} | {"sept": 9}
_WEEKDAY = r"(?:(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)? ?,? )?"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_DATES = [
    re.compile(r"(?P<year>\d{4})(?P<mark> ?[-/.] ?)(?P<month>\d{2})(?P=mark)(?P<day>\d{2})"),
    re.compile(_WEEKDAY + _DAY + r"(?: of)?[ -](?P<name>[a-z]+)\.? ?,?[ -](?P<year>\d{4})", re.I),
    re.compile(_WEEKDAY + rf"(?P<name>[a-z]+)\.? ?{_DAY} ?,? ?(?P<year>\d{{4}})", re.I),
    re.compile(rf"(?P<year>\d{{4}}),? (?P<name>[a-z]+)\.? {_DAY}", re.I),
    re.compile(r"(?P<name>[a-z]+)\.? ?,?[ -](?P<year>\d{4})", re.I),
]
_NUMERIC_DATE = re.compile(r"(?P<first>\d{1,2})(?P<mark> ?[/.-] ?)(?P<second>\d{1,2})(?P=mark)(?P<year>\d{4})")
_YEAR = re.compile(r"[12][0-9]{3}")
_DECADE = re.compile(r"(?P<year>[12][0-9]{2}0)['’]?s")
_YEARS = re.compile(r"(?P<first>[12][0-9]{3})(?: ?[-–—/] ?| to )(?P<last>[12][0-9]{3}|[0-9]{2})")
_BETWEEN = re.compile(r" ?[–—] ?| - | to | until ")
_OPEN = re.compile(r"(?P<first>.*[0-9])(?: ?[-–—]| to) ?(?:present|current|now|date|incumbent|today)?", re.I)
_MONTH_PERHAPS = re.compile(r"[12][0-9]{3}[-/](?:0[1-9]|1[0-2])")


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


OPEN_END = Date(9999)


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A range of dates of one precision: a season, a decade, a term of office; `last` is OPEN_END where it goes on."""

    first: Date
    last: Date

    @property
    def precision(self) -> Precision:
        return "range"

    @property
    def iso(self) -> str:
        """Both ends; `..` for one that is open.

        >>> Span(Date(1998), Date(1999)).iso, Span(Date(2010), OPEN_END).iso
        ('1998/1999', '2010/..')
        """
        return f"{self.first.iso}/{'..' if self.last == OPEN_END else self.last.iso}"


@lru_cache(maxsize=65536)
def parse_date(text: str, order: DayOrder | None = None, *, bare_year: bool = False) -> Date | None:
    """The date that a whole cell is, or None.

    Args:
        order: Whether 05/06/2001 starts with its day or its month; without it such a cell is text.
        bare_year: Whether 1998 alone is a year; else it is a number.

    >>> parse_date("12 May 1998").iso, parse_date("Feb 2011").iso, parse_date("31 February 2001")
    ('1998-05-12', '2011-02', None)
    """
    bare = without_footnotes(text)
    if len(bare) < 8:
        return Date(int(bare)) if bare_year and _YEAR.fullmatch(bare) else None
    if len(bare) > 40 or not bare.isascii() or not re.search(r"\d{4}", bare):
        return None
    numeric = _NUMERIC_DATE.fullmatch(bare)
    if numeric:
        return _numeric_date(numeric, order) if order else None
    return next((_named_date(match) for form in _DATES if (match := form.fullmatch(bare))), None)


@lru_cache(maxsize=65536)
def parse_span(text: str) -> Span | None:
    """The range of dates that a whole cell is, or None; 1998 alone is none.

    >>> parse_span("1999–00").iso, parse_span("12 May 1998 – 3 June 2000").iso, parse_span("1990s").iso
    ('1999/2000', '1998-05-12/2000-06-03', '1990/1999')
    """
    bare = without_footnotes(text)
    if match := _YEARS.fullmatch(bare):
        return _years(int(match["first"]), match["last"])
    if match := _DECADE.fullmatch(bare):
        return Span(Date(int(match["year"])), Date(int(match["year"]) + 9))
    ends = [parse_date(part, bare_year=True) for part in _BETWEEN.split(bare)]
    if len(ends) == 2 and (first := ends[0]) and (last := ends[1]):
        return Span(first, last) if first < last and first.precision == last.precision else None
    open_end = _OPEN.fullmatch(bare)
    since = parse_date(open_end["first"], bare_year=True) if open_end else None
    return Span(since, OPEN_END) if since else None


def is_year(text: str) -> bool:
    """Whether the cell is four digits from 1000 to 2999."""
    return _YEAR.fullmatch(without_footnotes(text)) is not None


def is_numeric_date(text: str) -> bool:
    """Whether the cell is a date in figures only, such as 05/06/2001."""
    return _NUMERIC_DATE.fullmatch(without_footnotes(text)) is not None


def may_be_month(text: str) -> bool:
    """Whether the cell is like 2001-02: a season, or February.

    >>> may_be_month("2001-02"), may_be_month("2001–02"), may_be_month("1998-99")
    (True, False, False)
    """
    return _MONTH_PERHAPS.fullmatch(without_footnotes(text)) is not None


def is_plain_years(text: str) -> bool:
    """Whether the cell is two bare numbers, such as 1500-1599: years only where the header says so."""
    match = _YEARS.fullmatch(without_footnotes(text))
    return match is not None and len(match["last"]) == 4


def _years(first: int, text: str) -> Span | None:
    last = int(text) if len(text) == 4 else first // 100 * 100 + int(text)
    if len(text) == 2 and last <= first:
        last += 100
    return Span(Date(first), Date(last)) if first < last else None


def _named_date(match: re.Match[str]) -> Date | None:
    found = match.groupdict()
    month = int(found["month"]) if found.get("month") else MONTH.get((found.get("name") or "").lower(), 0)
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
