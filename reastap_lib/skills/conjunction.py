"""Conjunction (ReasTAP, Table 1): the cells of the rows that meet two conditions, both of which are needed."""

from __future__ import annotations

from reastap_lib.column_types import TypedTable
from reastap_lib.programs import Select, Undetermined, matching, matching_all
from reastap_lib.skills.drawing import Draw
from reastap_lib.skills.registry import Question, skill

TEMPLATES = (
    "What was the {target} when {first} and {second}?",
    "When {first} and {second}, what was the {target}?",
    "Which {target} is listed where {first} and {second}?",
    "What is the {target} of the row where {first} and {second}?",
)
LIST_TEMPLATES = (
    "What was the {target} when {first} and {second}?",
    "Name each {target} for which {first} and {second}.",
    "List every {target} where {first} and {second}.",
    "Which {target} is listed in the rows where {first} and {second}?",
)


def _serves(table: TypedTable) -> bool:
    return len(table.conditionable) >= 2 and len(table.askable) >= 2


@skill("conjunction", share=0.216, serves=_serves)
def conjunction(table: TypedTable, draw: Draw) -> Question:
    """What was the col:1 when the col:2 was CONDITION:2 and the col:3 was CONDITION:3?

    Raises:
        Undetermined: one of the conditions alone says the same.
    """
    target = draw.target(table)
    row = draw.choice(range(len(table)))
    first = draw.clause(table, (target,), row)
    second = draw.clause(table, (target, first.condition.column), row)
    both = matching_all((first.condition, second.condition), table)
    if any(len(matching(clause.condition, table)) == len(both) for clause in (first, second)):
        raise Undetermined("one of the two conditions is not needed")
    template = draw.choice(TEMPLATES if len(both) == 1 else LIST_TEMPLATES)
    text = template.format(target=table.columns[target].name, first=first.was, second=second.was)
    return Question(text, Select(target, (first.condition, second.condition)))
