"""Counting (ReasTAP, Table 1): how many rows meet one condition or two."""

from __future__ import annotations

import itertools
from bisect import bisect_left
from decimal import Decimal

from reastap_lib.columns import Column, Mask, TypedTable
from reastap_lib.conditions import (
    Compare,
    Comparison,
    Condition,
    Contains,
    Happened,
    Is,
    Timing,
    Undetermined,
    Where,
    matching,
)
from reastap_lib.programs import Count
from reastap_lib.skills.drawing import OPERATORS, TIMINGS, Draw
from reastap_lib.skills.registry import Question, skill
from reastap_lib.skills.wording import plural

TEMPLATES = (
    "In how many rows {asked}?",
    "How many times {asked}?",
    "What is the number of rows in which {was}?",
    "How many rows are there where {was}?",
)
NAMED_TEMPLATES = (
    "How many {names} are listed for which {was}?",
    "For how many {names} {asked}?",
    "What is the number of {names} for which {was}?",
)
HAD = "How many {names} {had}?"
MOST = 10
PAIRS = 6


@skill("counting", share=0.18, serves=lambda table: len(table.conditionable) >= 1)
def counting(table: TypedTable, draw: Draw) -> Question:
    """How many col:1 have col:2 CONDITION:2? All counts up to ten are wished for as often.

    Raises:
        Undetermined: no conditions were found that as many rows meet as wished.
    """
    wanted = draw.wished(min(MOST, len(table) - 1))
    columns = table.conditionable
    start = draw.choice(range(len(columns)))
    singles = (_one(index, table, draw, wanted) for index in (*columns[start:], *columns[:start]))
    pairs = (_two(table, draw, wanted) for _ in range(PAIRS if len(columns) > 1 else 0))
    tries = itertools.chain(pairs, singles) if draw.chance(0.3) else itertools.chain(singles, pairs)
    where = next(filter(None, tries), ())
    if not where:
        raise Undetermined("no conditions found for the count wished for")
    return Question(_text(where, table, draw), Count(where))


def _two(table: TypedTable, draw: Draw, wanted: int) -> Where:
    """Two drawn conditions, if so many rows meet them, and both are needed."""
    first = draw.condition(table)
    second = draw.condition(table, (first.column,))
    one, other = matching(first, table), matching(second, table)
    fits = (one & other).bit_count() == wanted and one & other not in (one, other)
    return (first, second) if fits else ()


def _one(index: int, table: TypedTable, draw: Draw, wanted: int) -> Where:
    """A condition on the column that so many rows meet, if there is one."""
    column = table.columns[index]
    if column.kind == "string":
        options: list[Condition] = [Contains(index, word) for word in _of_size(column.shared_words, wanted)]
        if not column.clashes:
            options += [Is(index, text) for text in _of_size(column.rows_with, wanted)]
        return (draw.choice(options),) if options else ()
    return _bounded(index, column, draw, wanted)


def _of_size(rows: dict[str, Mask], wanted: int) -> list[str]:
    return [text for text, mask in rows.items() if mask.bit_count() == wanted]


def _bounded(index: int, column: Column, draw: Draw, wanted: int) -> Where:
    """A number or date compared with the value that leaves so many rows, if there is one."""
    timing: Timing = draw.choice(TIMINGS)
    operator: Comparison = "="
    if column.kind == "number" and column.unit != "ordinal":
        operator = draw.choice(OPERATORS)
    elif column.kind == "date":
        operator = {"before": "<", "after": ">", "on": "="}[timing]  # type: ignore[assignment]
    values, lowest = column.ladder
    counts = [mask.bit_count() for mask in lowest]
    if operator == "=":
        places = [k for k in range(len(values)) if counts[k + 1] - counts[k] == wanted]
        place = draw.choice(places) if places else -1
    else:
        below = wanted if operator in ("<", "<=") else counts[-1] - wanted
        at = bisect_left(counts, below)
        place = (at if operator in ("<", ">=") else at - 1) if at < len(counts) and counts[at] == below else -1
    if not 0 <= place < len(values):
        return ()
    bound = values[place]
    return (Compare(index, operator, bound) if isinstance(bound, Decimal) else Happened(index, timing, bound),)


def _text(where: Where, table: TypedTable, draw: Draw) -> str:
    clauses = [draw.say(condition, table) for condition in where]
    key = table.key if table.key is not None and all(c.column != table.key for c in where) else None
    names = plural(table.columns[key].name) if key is not None else None
    had = clauses[0].had if len(clauses) == 1 and names else None
    templates = TEMPLATES + NAMED_TEMPLATES * 2 if names else TEMPLATES
    return draw.choice(templates + (HAD,) * 4 if had else templates).format(
        names=names,
        had=had,
        asked=" and ".join(clause.asked for clause in clauses),
        was=" and ".join(clause.was for clause in clauses),
    )
