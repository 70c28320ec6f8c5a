"""A template of one's own (ReasTAP, section 2.2): a line of text with typed slots becomes a skill to look at."""

from __future__ import annotations

import re

from reastap_lib.columns import TypedTable
from reastap_lib.programs import Count, Select
from reastap_lib.skills import Clause, Draw, Question, Skill
from reastap_lib.skills.wording import noun
from workbench_lib.errors import InputError

COLUMN = "column"
CONDITIONS = ("was", "asked", "whose")
SLOTS = (COLUMN, *CONDITIONS)
_SLOT = re.compile(r"\{(\w*)\}")


def template_skill(template: str) -> Skill:
    """A skill, not registered, whose questions have this form.

    Args:
        template: Text with at most one {column}, the column that is asked for, and at least one condition: {was} (the
            Club was Reds), {asked} (was the Club Reds) or {whose} (whose Club was Reds). With a column the question
            is for its cells in the rows that meet all conditions, without one for the number of these rows.

    Raises:
        InputError: another slot, no condition, several columns, or a brace alone.

    >>> from reastap_lib.column_types import type_table
    >>> from reastap_lib.tables import Table
    >>> rows = (("Ann", "Reds"), ("Bob", "Blues"), ("Cyd", "Reds"))
    >>> table = type_table(Table("t", "", ("Player", "Club"), rows))
    >>> template_skill("How many players are there {whose}?").make(table, Draw(lambda: 0.0)).text
    'How many players are there whose Club was Reds?'
    """
    slots = _SLOT.findall(template)
    if fault := _fault(template, slots):
        raise InputError(fault, path="template", value=template)
    conditions = [slot for slot in slots if slot != COLUMN]

    def make(table: TypedTable, draw: Draw) -> Question:
        row = draw.choice(range(len(table)))
        taken = [draw.target(table)] if COLUMN in slots else []
        clauses: list[Clause] = []
        for _ in conditions:
            clauses.append(draw.clause(table, [*taken, *(clause.condition.column for clause in clauses)], row))
        said = iter([getattr(clause, slot) for clause, slot in zip(clauses, conditions, strict=True)])
        text = _SLOT.sub(lambda slot: noun(table.columns[taken[0]]) if slot[1] == COLUMN else next(said), template)
        where = tuple(clause.condition for clause in clauses)
        return Question(text, Select(taken[0], where) if taken else Count(where))

    return Skill("template", 1.0, make, lambda table: True)


def _fault(template: str, slots: list[str]) -> str:
    if unknown := [slot for slot in slots if slot not in SLOTS]:
        return f"unknown slot {{{unknown[0]}}} (there are: {', '.join(f'{{{slot}}}' for slot in SLOTS)})"
    if set(_SLOT.sub("", template)) & set("{}"):
        return "a brace without its other"
    if slots.count(COLUMN) > 1:
        return "at most one {column} can be asked for"
    if not set(slots) & set(CONDITIONS):
        return "at least one condition is needed: {was}, {asked} or {whose}"
    return ""
