"""Cell texts read as days, months, years and ranges of them, word by word."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from functools import lru_cache

from reastap_lib.oracle.quantities import without_marks
from reastap_lib.tables import words

_MONTHS = words("jan feb mar apr may jun jul aug sep oct nov dec")
_FULL = words("january february march april may june july august september october november december")
_DAYS = words("monday tuesday wednesday thursday friday saturday sunday")
_ASIDE = frozenset([*_DAYS, *(d[:n] for d in _DAYS for n in (3, 4, 5)), "st", "nd", "rd", "th", "of"])
_DASH = re.compile(r"\s?[–—]\s?|\s-\s|(?<=[0-9])[-/](?=[0-9])|\s(?:to|until)\s")
_FIGURES = re.compile(r"[0-9]{1,2} ?([-/.]) ?[0-9]{1,2} ?\1 ?[0-9]{4}")
_NOW = frozenset(["", "present", "current", "now", "date", "incumbent", "today"])
_FAR = (9999, 0, 0)

Moment = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Time:
    """From when to when, each as year, month, day (0 where not said), and how exactly it is said."""

    first: Moment
    last: Moment
    precision: str


@lru_cache(maxsize=65536)
def time(text: str, day_first: bool | None = None) -> Time | None:
    """The time that a whole cell is, or None.

    Args:
        day_first: Whether 05/06/2001 begins with the day; None where that is unknown.

    >>> time("Sunday, 12 May 1998").first, time("May 1998").precision, time("1998–99").last
    ((1998, 5, 12), 'month', (1999, 0, 0))
    >>> time("12/05/1998"), time("Boeing 1998")
    (None, None)
    """
    bare = without_marks(text)
    one = _moment(bare, day_first)
    if one:
        return Time(one, one, "day" if one[2] else "month" if one[1] else "year")
    return _decade(bare) or _range(bare)


@lru_cache(maxsize=65536)
def is_numeric(text: str) -> bool:
    """Whether a cell is a date in figures whose order of day and month must be known."""
    return _FIGURES.fullmatch(without_marks(text)) is not None


def day_comes_first(texts: list[str]) -> bool | None:
    """Whether dates in figures begin with the day: seen where a number is above 12; None where none is."""
    pairs = [tuple(map(int, re.findall(r"[0-9]+", without_marks(text))[:2])) for text in texts]
    if any(first > 12 for first, _ in pairs):
        return True
    return False if any(second > 12 for _, second in pairs) else None


def _moment(text: str, day_first: bool | None) -> Moment | None:
    if is_numeric(text):
        first, second, year = map(int, re.findall(r"[0-9]+", text))
        day, month = (first, second) if day_first else (second, first)
        return None if day_first is None else _real(year, month, day)
    iso = re.fullmatch(r"([0-9]{4}) ?([-/.]) ?([0-9]{2}) ?\2 ?([0-9]{2})", text)
    if iso:
        return _real(int(iso[1]), int(iso[3]), int(iso[4]))
    said = re.findall(r"[^\W\d_]+|[0-9]+", text.lower())
    return _of_words(said) if re.fullmatch(r"[\w ,.\-]*", text) else None


def _of_words(said: list[str]) -> Moment | None:
    """A year, perhaps a month's name, perhaps a day, and nothing else but the day of the week."""
    months = [number for word in said if (number := _month(word))]
    years = [int(word) for word in said if re.fullmatch(r"[12][0-9]{3}", word)]
    days = [int(word) for word in said if re.fullmatch(r"[0-9]{1,2}", word)]
    aside = [word for word in said if word in _ASIDE and not _month(word)]
    if len(years) != 1 or len(months) > 1 or len(days) > len(months):
        return None
    if len(years) + len(months) + len(days) + len(aside) != len(said) or (aside and not months):
        return None
    return _real(years[0], *months, *days)


def _month(word: str) -> int:
    if word in _FULL:
        return _FULL.index(word) + 1
    return 9 if word == "sept" else _MONTHS.index(word) + 1 if word in _MONTHS else 0


def _real(year: int, month: int = 0, day: int = 0) -> Moment | None:
    try:
        date(year, month or 1, day or 1)
    except ValueError:
        return None
    return (year, month, day)


def _decade(text: str) -> Time | None:
    match = re.fullmatch(r"([12][0-9]{2}0)['’]?s", text)
    return Time((int(match[1]), 0, 0), (int(match[1]) + 9, 0, 0), "range") if match else None


def _range(text: str) -> Time | None:
    ends = [end.strip() for end in _DASH.split(f"{text} " if text[-1:] in "–—-" else text)]
    ends = [text.strip(" -–—"), ""] if len(ends) == 1 and text[-1:] == "-" else ends
    if len(ends) != 2:
        return None
    first = _moment(ends[0], None)
    last = _FAR if ends[1].lower() in _NOW else _last(ends[1], first)
    return Time(first, last, "range") if first and last and first < last else None


def _last(text: str, first: Moment | None) -> Moment | None:
    if first and not first[1] and re.fullmatch(r"[0-9]{2}", text):  # 1998-99
        year = first[0] // 100 * 100 + int(text)
        return (year if year > first[0] else year + 100, 0, 0)
    return _moment(text, None)
