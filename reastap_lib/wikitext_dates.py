"""Rules for templates that show dates, years and lengths of time. Nothing depends on the day of the extraction."""

from __future__ import annotations

import datetime
import re

from reastap_lib.wikitext_templates import Call, rule

MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
_ISO = re.compile(r"(\d{3,4})-(\d{1,2})-(\d{1,2})")
_YES = frozenset({"y", "yes", "true", "1"})


def month_name(text: str) -> str:
    """The month of a number or a name, or nothing.

    >>> month_name("5"), month_name("sep"), month_name("x")
    ('May', 'September', '')
    """
    if text.isdecimal():
        return MONTHS[int(text) - 1] if 1 <= int(text) <= 12 else ""
    return next((name for name in MONTHS if len(text) >= 3 and name.lower().startswith(text.lower())), "")


def spell(year: str, month: str = "", day: str = "", *, day_first: bool = False) -> str:
    """A date in words, as far as it is known.

    >>> spell("2008", "5", "12"), spell("2008", "5", "12", day_first=True), spell("2008", "5"), spell("2008")
    ('May 12, 2008', '12 May 2008', 'May 2008', '2008')
    """
    name, number = month_name(month), day.lstrip("0")
    if not name:
        return year
    if not number:
        return f"{name} {year}".strip()
    if day_first:
        return f"{number} {name} {year}".strip()
    return f"{name} {number}, {year}" if year else f"{name} {number}"


def day_first(call: Call) -> bool:
    """Whether a call asks for 12 May instead of May 12."""
    return call.get("df").lower() in _YES or call.get("format") in {"dmy", "dm"}


def _dates(call: Call) -> list[str]:
    """The dates that the numbers of a call name, three numbers each."""
    numbers = call.positional
    parts = [numbers[i : i + 3] for i in range(0, len(numbers), 3)]
    return [spell(*part, day_first=day_first(call)) for part in parts if any(part)]


@rule("dts", "dtsa", "sort date", "datesort")
def _dts(call: Call) -> str:
    """{{dts|2008|5|12}}, or a date as one text."""
    if len(call.positional) > 1 or call.get(1).isdecimal():
        return _first_date(call)
    found = _ISO.fullmatch(call.get(1))
    return spell(*found.groups(), day_first=day_first(call)) if found else call.get(1)


@rule("date", "date table sorting", "formatdate", "datum", "start date text")
def _date(call: Call) -> str:
    found = _ISO.fullmatch(call.get(1))
    if found:
        return spell(*found.groups(), day_first="mdy" not in call.positional)
    if len(call.positional) >= 3 and call.get(1).isdecimal():
        day, month, year = call.positional[:3] if len(call.get(1)) < 3 else call.positional[2::-1]
        return spell(year, month, day, day_first=True)
    return call.get(1)


@rule(
    "start date", "end date", "start date and age", "end date and age", "birth date", "birth date and age", "bda",
    "release date and age", "launch date", "opening date", "date of birth", "birthdate", "film date", "release date",
)  # fmt: skip
def _first_date(call: Call) -> str:
    return next(iter(_dates(call)), "")


@rule("death date and age", "death date", "dda", "deathdate and age", "death date and given age")
def _death(call: Call) -> str:
    """The date of death, and the age that the date of birth gives."""
    died, born = call.positional[:3], call.positional[3:6]
    years = _years_between(born, died) if len(born) == 3 else None
    return _first_date(call) + ("" if years is None else f" (aged {years})")


@rule("opdrts")
def _poll_dates(call: Call) -> str:
    """{{opdrts|29|30|Oct|2018}} as 29–30 Oct 2018; either day may be missing."""
    days = "–".join(filter(None, [call.get(1), call.get(2)]))
    return " ".join(filter(None, [days, call.get(3), call.get(4)]))


@rule("start and end dates")
def _start_and_end(call: Call) -> str:
    return " – ".join(_dates(call))


@rule("age", "age in years", "ayd in years")
def _age(call: Call) -> str:
    """Only between two dates that are given; else the age changes with the day."""
    years = _years_between(call.positional[:3], call.positional[3:6])
    return "" if years is None else str(years)


@rule("ayd", "age in years and days", "age in years and days nts", "age yd")
def _years_and_days(call: Call) -> str:
    born, now = _day(call.positional[:3]), _day(call.positional[3:6])
    if born is None or now is None or now < born:
        return ""
    years = now.year - born.year - ((now.month, now.day) < (born.month, born.day))
    anniversary = _anniversary(born, born.year + years)
    return f"{_count(years, 'year')}, {_count((now - anniversary).days, 'day')}"


@rule("age in days", "age in days nts")
def _days(call: Call) -> str:
    start, end = _day(call.positional[:3]), _day(call.positional[3:6])
    return "" if start is None or end is None else f"{(end - start).days:,}"


@rule("duration")
def _duration(call: Call) -> str:
    """{{duration|1|2|3}} or {{duration|m=4|s=5}} as 1:02:03 or 4:05."""
    hours, minutes, seconds = (call.get(key, i) for key, i in (("h", 1), ("m", 2), ("s", 3)))
    if hours:
        return f"{hours}:{minutes.zfill(2)}" + (f":{seconds.zfill(2)}" if seconds else ":00")
    return f"{minutes or '0'}:{seconds.zfill(2)}"


@rule("as of")
def _as_of(call: Call) -> str:
    return f"{'as' if call.get('lc') else 'As'} of {spell(*call.positional[:3], day_first=day_first(call))}"


@rule("circa", "c.", "ca.", "c", "ca")
def _circa(call: Call) -> str:
    return " – ".join(f"c. {text}" for text in call.positional[:2] if text)


@rule("floruit", "fl.", "fl", "reign", "r.", "b.", "d.", "born", "died", "married", "m.")
def _dated(call: Call) -> str:
    mark = {"floruit": "fl.", "fl": "fl.", "reign": "r.", "married": "m."}.get(call.name.lower(), call.name.lower())
    return f"{mark} {'–'.join(filter(None, call.positional[:2]))}"


def _day(numbers: list[str]) -> datetime.date | None:
    try:
        year, month, day = (int(text) for text in numbers)
        return datetime.date(year, month, day)
    except ValueError:
        return None


def _years_between(first: list[str], second: list[str]) -> int | None:
    start, end = _day(first), _day(second)
    if start is None or end is None:
        return None
    return end.year - start.year - ((end.month, end.day) < (start.month, start.day))


def _anniversary(day: datetime.date, year: int) -> datetime.date:
    """The same day of another year; the 29th of February falls on the 1st of March where there is none."""
    try:
        return day.replace(year=year)
    except ValueError:
        return datetime.date(year, 3, 1)


def _count(number: int, unit: str) -> str:
    return f"{number} {unit}" + ("" if number == 1 else "s")
