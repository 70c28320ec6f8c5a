"""Quantifiers only and every (ReasTAP, Table 1).

`every`: each row that meets the first condition meets the second; `only`: no row but such meets the second. Both
conditions are met by some row together, and neither by all rows. Whether Yes or No is wanted is drawn first, so that
they come out about evenly.
"""

from __future__ import annotations

from reastap_lib.column_types import TypedTable
from reastap_lib.programs import Condition, Quantified, Undetermined, execute, matching
from reastap_lib.skills.drawing import Clause, Draw
from reastap_lib.skills.registry import Question, skill

EVERY = (
    "Was the {then} {then_said} for every {subject} {whose}?",
    "Is it true that the {then} was {then_said} whenever the {where} was {where_said}?",
    "Was the {then} {then_said} in every row where the {where} was {where_said}?",
    "Did every {subject} {whose} have {then} {then_said}?",
)
ONLY = (
    "Was the {then} {then_said} only when the {where} was {where_said}?",
    "Is it true that the {then} was {then_said} only where the {where} was {where_said}?",
    "Was the {then} {then_said} only for a {subject} {whose}?",
    "Was it only in rows where the {where} was {where_said} that the {then} was {then_said}?",
)
TRIES = 12


def _serves(table: TypedTable) -> bool:
    return len([i for i in table.conditionable if _complete(table, i)]) >= 2


@skill("quantifiers", share=0.103, serves=_serves)
def quantifiers(table: TypedTable, draw: Draw) -> Question:
    """Does OPERATOR col:1, with col:2 was CONDITION:2, have col:3 CONDITION:3?

    Raises:
        Undetermined: no two conditions were found that give the answer wanted.
    """
    quantifier = "every" if draw.chance(0.5) else "only"
    for _ in range(TRIES):
        row = draw.choice(range(len(table)))
        incomplete = [i for i in range(len(table.columns)) if not _complete(table, i)]
        where = draw.clause(table, incomplete, row)
        then = draw.clause(table, [*incomplete, where.condition.column], row)
        program = Quantified("every" if quantifier == "every" else "only", where.condition, then.condition)
        if _telling(where.condition, then.condition, table) and (
            execute(program, table).items == ("Yes" if draw.yes else "No",)
        ):
            return Question(_text(quantifier, where, then, table, draw), program)
    raise Undetermined(f"no conditions found for {'Yes' if draw.yes else 'No'}")


def _complete(table: TypedTable, column: int) -> bool:
    return len(table.columns[column].present) == len(table)


def _telling(where: Condition, then: Condition, table: TypedTable) -> bool:
    """Neither condition holds everywhere, and the quantified set has more than one row."""
    sizes = [len(matching(condition, table)) for condition in (where, then)]
    return max(sizes) < len(table) and min(sizes) > 1


def _text(quantifier: str, where: Clause, then: Clause, table: TypedTable, draw: Draw) -> str:
    taken = (where.condition.column, then.condition.column)
    named = table.key is not None and table.key not in taken
    templates = [t for t in (EVERY if quantifier == "every" else ONLY) if named or "{subject}" not in t]
    return draw.choice(templates).format(
        subject=table.columns[table.key or 0].name,
        whose=where.whose,
        where=where.name,
        where_said=where.said,
        then=then.name,
        then_said=then.said,
    )
