"""Counting (ReasTAP, Table 1): how many rows meet one condition or two."""

from __future__ import annotations

from reastap_lib.column_types import TypedTable
from reastap_lib.programs import Count, Undetermined, matching, matching_all
from reastap_lib.skills.drawing import Clause, Draw, plural
from reastap_lib.skills.registry import Question, skill

TEMPLATES = (
    "In how many rows was {what}?",
    "How many times was {what}?",
    "What is the number of rows in which {what_was}?",
    "How many rows are there where {what_was}?",
)
NAMED_TEMPLATES = (
    "How many {names} are listed for which {what_was}?",
    "For how many {names} was {what}?",
    "What is the number of {names} for which {what_was}?",
)
KEEP_ONES = 0.35


@skill("counting", share=0.18, serves=lambda table: len(table.conditionable) >= 1)
def counting(table: TypedTable, draw: Draw) -> Question:
    """How many col:1 have col:2 CONDITION:2?

    Raises:
        Undetermined: no row or every row is counted; or only one, which is kept seldom so that 1 is no safe guess.
    """
    clauses = [draw.clause(table)]
    if len(table.conditionable) > 1 and draw.chance(0.35):
        clauses.append(draw.clause(table, (clauses[0].condition.column,)))
    conditions = tuple(clause.condition for clause in clauses)
    count = len(matching_all(conditions, table))
    if count == len(table):
        raise Undetermined("a condition that all rows meet")
    if len(clauses) == 2 and any(len(matching(condition, table)) == count for condition in conditions):
        raise Undetermined("one of the two conditions is not needed")
    if count == 1 and not draw.chance(KEEP_ONES):
        raise Undetermined("a count of one, kept seldom")
    return Question(_text(clauses, table, draw), Count(conditions))


def _text(clauses: list[Clause], table: TypedTable, draw: Draw) -> str:
    names = plural(table.columns[table.key].name) if table.key is not None else None
    template = draw.choice(TEMPLATES + NAMED_TEMPLATES * 2 if names else TEMPLATES)
    return template.format(
        names=names,
        what=" and ".join(f"the {clause.name} {clause.said}" for clause in clauses),
        what_was=" and ".join(clause.was for clause in clauses),
    )
