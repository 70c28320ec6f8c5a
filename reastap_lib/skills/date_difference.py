"""Date difference (ReasTAP, Table 1): the time between two rows' dates.

Answered in whole years where the two are whole years apart, else in months or days, and then the question names the
unit (the rule is that of `reastap_lib.formats.time_between`). The date column is always named.
"""

from __future__ import annotations

from reastap_lib.columns import TypedTable, Value, rows_in
from reastap_lib.conditions import Undetermined
from reastap_lib.dates import Date
from reastap_lib.formats import days_between, time_between
from reastap_lib.programs import TimeBetween
from reastap_lib.skills.drawing import Draw
from reastap_lib.skills.registry import Question, skill
from reastap_lib.skills.wording import is_plural, noun, was

NAMED_TEMPLATES = (
    "Going by the {date}, how much time had passed between when the {name} {was} {first}"
    " and when {it_was} {second}{unit}?",
    "How far apart are the {name} {first} and the {name} {second}, going by the {date}{unit}?",
)
BARE_TEMPLATES = (  # for names that stand in one row only, whatever their column
    "How much time lies between the {date} of {first} and the {date} of {second}{unit}?",
    "Going by the {date}, how much time is there between {first} and {second}{unit}?",
)
MAX_DAYS = 731


def _names(table: TypedTable) -> list[int]:
    return [i for i in table.of_kind("string") if table.columns[i].distinct and table.plain_names[i]]


def _dates(table: TypedTable) -> list[int]:
    columns = table.columns
    return [
        i
        for i in table.of_kind("date")
        if table.plain_names[i] and columns[i].varies and columns[i].precision != "range"
    ]


@skill("date_difference", share=0.057, serves=lambda table: bool(_names(table) and _dates(table)))
def date_difference(table: TypedTable, draw: Draw) -> Question:
    """How much time had passed between when the col:1 was val:1 and when the col:2 was val:2?

    Near and far pairs are wished for as often: the wish says how many of the column's dates lie between the two (of
    dates to the day, among those within two years).

    Raises:
        Undetermined: more days than a reader would count.
    """
    name, date = draw.choice(_names(table)), draw.choice(_dates(table))
    first, second = _pair(table, date, draw)
    early, late = (table.columns[date].values[i] for i in (first, second))
    assert isinstance(early, Date)
    assert isinstance(late, Date)
    number, unit = time_between(early, late)
    if unit == "day" and number > MAX_DAYS:
        raise Undetermined(f"more than {MAX_DAYS} days")
    cells = table.columns[name].cells
    alone = all(_stands_alone(table.columns[name].texts[i], table) for i in (first, second))
    text = draw.choice(NAMED_TEMPLATES + BARE_TEMPLATES * alone).format(
        name=noun(table.columns[name]),
        was=was(noun(table.columns[name])),
        it_was="they were" if is_plural(noun(table.columns[name])) else "it was",
        date=noun(table.columns[date]),
        first=cells[first],
        second=cells[second],
        unit="" if unit == "year" else f", in {unit}s",
    )
    return Question(text, TimeBetween(name, cells[first], cells[second], date))


def _stands_alone(text: str, table: TypedTable) -> bool:
    """Whether a text with a letter is a cell of one row only."""
    rows = zip(*(column.texts for column in table.columns), strict=True)
    return any(map(str.isalpha, text)) and sum(text in texts for texts in rows) == 1


def _pair(table: TypedTable, date: int, draw: Draw) -> tuple[int, int]:
    """Two rows of different dates, in either order."""
    dates, lowest = table.columns[date].ladder
    if table.columns[date].precision == "day":
        place = draw.choice(range(len(dates) - 1))
        near = [k for k in range(place + 1, len(dates)) if _days(dates[place], dates[k]) <= MAX_DAYS]
        other = near[draw.wished(len(near)) - 1] if near else place + 1
    else:
        gap = draw.wished(len(dates) - 1)
        place = draw.choice(range(len(dates) - gap))
        other = place + gap
    rows = [draw.choice(rows_in(lowest[k + 1] ^ lowest[k])) for k in (place, other)]
    return (rows[0], rows[1]) if draw.chance(0.5) else (rows[1], rows[0])


def _days(first: Value, second: Value) -> int:
    assert isinstance(first, Date)
    assert isinstance(second, Date)
    return days_between(first, second)
