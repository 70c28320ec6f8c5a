"""Numerical operation (ReasTAP, Table 1): the sum or the average of a number column, over some rows or all."""

from __future__ import annotations

from typing import Literal

from reastap_lib.column_types import TypedTable
from reastap_lib.programs import Aggregate, Compare, Undetermined, matching_all
from reastap_lib.skills.drawing import Draw
from reastap_lib.skills.registry import Question, skill

TEMPLATES = (
    "What was the {operator} of {column} when {was}?",
    "What is the {operator} of the {column} over the rows where {was}?",
    "When {was}, what was the {operator} of the {column}?",
    "Counting only rows where {was}, what is the {operator} of {column}?",
)
WHOLE_TEMPLATES = (
    "What was the {operator} of {column} over all rows?",
    "What is the {operator} of the whole {column} column?",
)
MIN_ROWS = 2


def _columns(table: TypedTable) -> list[int]:
    return [
        i
        for i in table.of_kind("number")
        if table.columns[i].arithmetic != "none" and table.plain_names[i] and table.columns[i].varies
    ]


@skill("numerical_operation", share=0.159, serves=lambda table: bool(_columns(table)))
def numerical_operation(table: TypedTable, draw: Draw) -> Question:
    """What was the OPERATOR of col:1 when the col:2 was CONDITION:2?

    Raises:
        Undetermined: fewer than two rows, or a condition that all rows meet.
    """
    column = draw.choice(_columns(table))
    operators: list[Literal["sum", "average"]] = ["sum", "average"]
    operator = draw.choice(operators) if table.columns[column].arithmetic == "all" else "average"
    clause = draw.clause(table) if draw.chance(0.85) else None
    where = (clause.condition,) if clause else ()
    if (
        clause
        and isinstance(clause.condition, Compare)
        and (clause.condition.column, clause.condition.operator) == (column, "=")
    ):
        raise Undetermined("the numbers asked for are said in the condition")
    rows = len(matching_all(where, table))
    if rows < MIN_ROWS:
        raise Undetermined(f"fewer than {MIN_ROWS} rows to calculate with")
    if clause and rows == len(table):
        raise Undetermined("a condition that all rows meet")
    template = draw.choice(TEMPLATES if clause else WHOLE_TEMPLATES)
    text = template.format(operator=operator, column=table.columns[column].name, was=clause.was if clause else "")
    return Question(text, Aggregate(operator, column, where))
