"""What the two skills of comparison share: places by a column, from one end or the other."""

from __future__ import annotations

from collections.abc import Sequence

from reastap_lib.columns import TypedTable, mask_of
from reastap_lib.conditions import Condition, Undetermined, matching_all
from reastap_lib.formats import ordinal
from reastap_lib.programs import Rank
from reastap_lib.skills.drawing import Draw
from reastap_lib.skills.registry import Question
from reastap_lib.skills.wording import is_plural, noun, place, was

NAME_TEMPLATES = (
    "Which {target}{whose} had the {place} {by}?",
    "Which {target}{whose} has the {place} {by}?",
    "Which {target} had the {place} {by}{where}?",
    "{among}which {target} had the {place} {by}?",
)
TEMPLATES = (
    "What {was} the {target} in the row with the {place} {by}{among_rows}?",
    "{among}what {was} the {target} of the row with the {place} {by}?",
    "Looking at the {place} {by}{where}, what {was} the {target}?",
    "What {was} the {target} with the {place} {by}{where}?",
)
MIN_ROWS = 3
MOST = 10


def rankable(table: TypedTable, columns: Sequence[int]) -> list[int]:
    """Those of the columns that can be said, and have three values to rank."""
    return [i for i in columns if table.plain_names[i] and len(table.columns[i].present) >= MIN_ROWS]


def place_question(
    table: TypedTable, draw: Draw, by: int, largest: bool, adjectives: Sequence[str], more: Sequence[str] = ()
) -> Question:
    """A question for the k-th by a column, over all rows or those that meet a condition; k is wished for.

    Args:
        adjectives: Such as largest, highest.
        more: Further templates for questions for a name over all rows.

    Raises:
        Undetermined: the conditions leave fewer than three rows, or all of them.
    """
    target = draw.target(table, (by,))
    condition = draw.condition(table, (by, target)) if draw.chance(0.5) else None
    k = draw.wished(min(_rows_to_rank(table, by, condition), MOST))
    words = place(k, draw.choice(adjectives), figure=draw.chance(0.3))
    if target != table.key:
        templates: Sequence[str] = TEMPLATES
    else:
        templates = NAME_TEMPLATES if condition else (*NAME_TEMPLATES, *more)
    if is_plural(noun(table.columns[target])):  # not: which Opponents has
        templates = [template for template in templates if " has " not in template]
    text = _fill(draw.choice(templates), table, draw, target, by, condition, words, k)
    return Question(text, Rank(target, by, k, largest, (condition,) if condition else ()))


def _rows_to_rank(table: TypedTable, by: int, condition: Condition | None) -> int:
    rows = matching_all((condition,) if condition else (), table)
    if condition and rows.bit_count() == len(table):
        raise Undetermined("a condition that all rows meet")
    column = table.columns[by]
    known = (rows if column.complete else rows & mask_of(column.present)).bit_count()
    if known < MIN_ROWS:
        raise Undetermined(f"fewer than {MIN_ROWS} rows to rank")
    return known


def _fill(
    template: str, table: TypedTable, draw: Draw, target: int, by: int, condition: Condition | None, words: str, k: int
) -> str:
    clause = draw.say(condition, table) if condition else None
    name = noun(table.columns[target])
    return template.format(
        target=name,
        was=was(name),
        by=noun(table.columns[by]),
        place=words,
        ordinal=ordinal(k),
        whose=f" {clause.whose}" if clause else "",
        where=f" where {clause.was}" if clause else "",
        among_rows=f" among those where {clause.was}" if clause else "",
        among=f"Among the rows where {clause.was}, " if clause else "In the whole table, ",
    )
