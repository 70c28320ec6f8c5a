"""Date difference (ReasTAP, Table 1): the time between two rows' dates.

Answered in whole years where the two are whole years apart, else in months or days, and then the question names the
unit (the rule is that of `reastap_lib.formats.time_between`). The date column is always named.
"""

from __future__ import annotations

from reastap_lib.column_types import TypedTable
from reastap_lib.formats import time_between
from reastap_lib.programs import TimeBetween, Undetermined
from reastap_lib.skills.drawing import Draw
from reastap_lib.skills.registry import Question, skill
from reastap_lib.values import Date

TEMPLATES = (
    "Going by the {date}, how much time had passed between when the {name} was {first} and when it was {second}{unit}?",
    "How much time lies between the {date} of {first} and the {date} of {second}{unit}?",
    "How far apart are the {date} of the {name} {first} and that of {second}{unit}?",
    "Going by the {date}, how much time is there between {first} and {second}{unit}?",
)
MAX_DAYS = 731


def _names(table: TypedTable) -> list[int]:
    return [i for i in table.of_kind("string") if table.columns[i].distinct and table.plain_names[i]]


def _dates(table: TypedTable) -> list[int]:
    return [i for i in table.of_kind("date") if table.plain_names[i] and table.columns[i].varies]


@skill("date_difference", share=0.057, serves=lambda table: bool(_names(table) and _dates(table)))
def date_difference(table: TypedTable, draw: Draw) -> Question:
    """how much time had passed between when the col:1 was val:1 and when the col:2 was val:2?

    Raises:
        Undetermined: the same date twice, or more days than a reader would count.
    """
    name, date = draw.choice(_names(table)), draw.choice(_dates(table))
    known = table.columns[date].present
    first, second = draw.choice(known), draw.choice(known)
    early, late = (table.columns[date].values[i] for i in (first, second))
    assert isinstance(early, Date)
    assert isinstance(late, Date)
    if early == late:
        raise Undetermined("no time between the two")
    number, unit = time_between(early, late)
    if unit == "day" and number > MAX_DAYS:
        raise Undetermined(f"more than {MAX_DAYS} days")
    cells = table.columns[name].cells
    text = draw.choice(TEMPLATES).format(
        name=table.columns[name].name,
        date=table.columns[date].name,
        first=cells[first],
        second=cells[second],
        unit="" if unit == "year" else f", in {unit}s",
    )
    return Question(text, TimeBetween(name, cells[first], cells[second], date))
