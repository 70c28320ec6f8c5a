"""Numerical operation (ReasTAP, Table 1): the sum or the average of a number column, over some rows or all."""

from __future__ import annotations

from typing import Literal

from reastap_lib.columns import TypedTable
from reastap_lib.conditions import Compare, Condition, Undetermined, matching
from reastap_lib.programs import Aggregate
from reastap_lib.skills.drawing import Draw
from reastap_lib.skills.registry import Question, skill
from reastap_lib.skills.wording import noun

Operator = Literal["sum", "average"]

TEMPLATES = (
    "What was the {operator} of the {column} when {was}?",
    "What is the {operator} of the {column} over the rows where {was}?",
    "When {was}, what was the {operator} of the {column}?",
    "Counting only rows where {was}, what is the {operator} of the {column}?",
)
WHOLE_TEMPLATES = (
    "What was the {operator} of the {column} over all rows?",
    "What is the {operator} of the whole {column} column?",
)
WORDS: dict[Operator, tuple[str, ...]] = {"sum": ("sum", "total"), "average": ("average", "mean")}
OPERATORS: tuple[Operator, ...] = ("sum", "average")
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
    operator = draw.choice(OPERATORS) if table.columns[column].arithmetic == "all" else "average"
    condition = _condition(table, draw, column) if draw.chance(0.85) else None
    text = draw.choice(TEMPLATES if condition else WHOLE_TEMPLATES).format(
        operator=draw.choice(WORDS[operator]),
        column=noun(table.columns[column]),
        was=draw.say(condition, table).was if condition else "",
    )
    return Question(text, Aggregate(operator, column, (condition,) if condition else ()))


def _condition(table: TypedTable, draw: Draw, column: int) -> Condition:
    condition = draw.condition(table)
    if isinstance(condition, Compare) and (condition.column, condition.operator) == (column, "="):
        raise Undetermined("the numbers asked for are said in the condition")
    rows = matching(condition, table).bit_count()
    if rows < MIN_ROWS:
        raise Undetermined(f"fewer than {MIN_ROWS} rows to calculate with")
    if rows == len(table):
        raise Undetermined("a condition that all rows meet")
    return condition
