"""Quantifiers only and every (ReasTAP, Table 1).

`every`: each row that meets the first condition meets the second; `only`: no row but such meets the second. Both
conditions are met by some row together, and neither by all rows. Whether Yes or No is wanted is decided first, so that
they come out about evenly.
"""

from __future__ import annotations

from reastap_lib.columns import TypedTable
from reastap_lib.conditions import Undetermined, matching
from reastap_lib.programs import Quantified
from reastap_lib.skills.drawing import Clause, Draw
from reastap_lib.skills.registry import Question, skill
from reastap_lib.skills.wording import a, is_plural, noun, sentence

EVERY = (
    "{then.asked} for every {subject} {where.whose}?",
    "Is it true that {then.was} whenever {where.was}?",
    "{then.asked} in every row where {where.was}?",
    "Does it hold for every row where {where.was} that {then.was}?",
)
ONLY = (
    "{then.asked} only when {where.was}?",
    "Is it true that {then.was} only where {where.was}?",
    "{then.asked} only for {a_subject} {where.whose}?",
    "Was it only in rows where {where.was} that {then.was}?",
)
TRIES = 16


def _serves(table: TypedTable) -> bool:
    return len([i for i in table.conditionable if table.columns[i].complete]) >= 2


@skill("quantifiers", share=0.103, serves=_serves)
def quantifiers(table: TypedTable, draw: Draw) -> Question:
    """Does OPERATOR col:1, with col:2 was CONDITION:2, have col:3 CONDITION:3?

    Raises:
        Undetermined: no two conditions were found that give the answer wanted.
    """
    every = draw.chance(0.5)
    incomplete = [i for i, column in enumerate(table.columns) if not column.complete]
    for _ in range(TRIES):
        row = draw.choice(range(len(table)))
        where = draw.condition(table, incomplete, row)
        then = draw.condition(table, [*incomplete, where.column], row)
        first, second = matching(where, table), matching(then, table)
        sizes = first.bit_count(), second.bit_count()
        inner, outer = (first, second) if every else (second, first)
        if max(sizes) < len(table) and min(sizes) > 1 and (inner & ~outer == 0) == draw.yes:
            text = _text(every, draw.say(where, table), draw.say(then, table), table, draw)
            return Question(text, Quantified("every" if every else "only", where, then))
    raise Undetermined(f"no conditions found for {'Yes' if draw.yes else 'No'}")


def _text(every: bool, where: Clause, then: Clause, table: TypedTable, draw: Draw) -> str:
    subject = noun(table.columns[table.key or 0])
    apart = table.key not in (None, where.condition.column, then.condition.column)
    named = apart and not is_plural(subject)  # not: for every Stations
    templates = [t for t in (EVERY if every else ONLY) if named or "subject" not in t]
    return sentence(draw.choice(templates).format(subject=subject, a_subject=a(subject), where=where, then=then))
