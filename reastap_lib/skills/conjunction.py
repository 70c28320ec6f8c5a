"""Conjunction (ReasTAP, Table 1): the cells of the rows that meet two conditions, both of which are needed."""

from __future__ import annotations

from reastap_lib.columns import TypedTable
from reastap_lib.conditions import Undetermined, matching
from reastap_lib.programs import MAX_ANSWERS, Select
from reastap_lib.skills.drawing import Draw
from reastap_lib.skills.registry import Question, skill
from reastap_lib.skills.wording import noun, was

TEMPLATES = (
    "What {was} the {target} when {first} and {second}?",
    "When {first} and {second}, what {was} the {target}?",
    "What {was} the {target} in the row where {first} and {second}?",
    "Give the {target} of the row where {first} and {second}.",
)
LIST_TEMPLATES = (
    "What {was} the {target} in the rows where {first} and {second}?",
    "List the {target} of every row where {first} and {second}.",
    "Give the {target} for each row in which {first} and {second}.",
    "For all rows where {first} and {second}, what {was} the {target}?",
)


def _serves(table: TypedTable) -> bool:
    return len(table.conditionable) >= 2 and len(table.askable) >= 2


@skill("conjunction", share=0.216, serves=_serves)
def conjunction(table: TypedTable, draw: Draw) -> Question:
    """What was the col:1 when the col:2 was CONDITION:2 and the col:3 was CONDITION:3?

    Raises:
        Undetermined: one of the conditions alone says the same, or there are too many answers.
    """
    target = draw.target(table)
    row = draw.choice(range(len(table)))
    first = draw.condition(table, (target,), row)
    second = draw.condition(table, (target, first.column), row)
    one, other = matching(first, table), matching(second, table)
    if one & other in (one, other):
        raise Undetermined("one of the two conditions is not needed")
    found = (one & other).bit_count()
    if found > MAX_ANSWERS:
        raise Undetermined(f"more than {MAX_ANSWERS} answers")
    name = noun(table.columns[target])
    text = draw.choice(TEMPLATES if found == 1 else LIST_TEMPLATES).format(
        target=name, was=was(name), first=draw.say(first, table).was, second=draw.say(second, table).was
    )
    return Question(text, Select(target, (first, second)))
