"""WikiSQL's queries, executed: one column, at most one aggregate, conditions joined by "and" (Zhong et al. 2017).

The answers are those that weak supervision goes by (TaPas, TAPEX, ReasTAP): "none" where no row is left, numbers as
Python prints a float ("3.0"), also a single cell that is a number, and cells as they stand where there are several.
Columns of type real are compared as numbers, where cell and condition are both numbers; all else as words and
punctuation in lower case, without the spaces between them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from operator import eq, gt, lt
from typing import Any

Cell = str | float
Key = float | tuple[str, ...]

NO_ANSWER = "none"
AGGREGATES = ("", "max", "min", "count", "sum", "avg")
OPERATORS = ("=", ">", "<")
_COMPARE: tuple[Callable[[Any, Any], bool], ...] = (eq, gt, lt)
_WORDS = re.compile(r"\w+|[^\w\s]+")
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")


@dataclass(frozen=True)
class Query:
    """One query.

    Args:
        select: The number of its column, from 0 on.
        aggregate: A place in AGGREGATES.
        conditions: Each a column, a place in OPERATORS, and a value.
    """

    select: int
    aggregate: int
    conditions: tuple[tuple[int, int, Cell], ...]


def execute(query: Query, types: Sequence[str], rows: Sequence[Sequence[Cell]]) -> list[Cell]:
    """What the query finds: texts and numbers, or nothing.

    Args:
        types: (columns,) "text" or "real".
        rows: (rows, columns) cells, numbers as such or as they are written.

    >>> types, rows = ("text", "real"), [["a", 3], ["b", 6], ["c", 8], ["d", 12]]
    >>> execute(Query(0, 0, ((1, 1, 5), (1, 2, 9))), types, rows), execute(Query(1, 4, ((1, 1, "100"),)), types, rows)
    (['b', 'c'], [])
    >>> execute(Query(0, 3, ((1, 1, "5"),)), types, rows)
    [3.0]
    """
    kept = [row[query.select] for row in rows if _fulfils(row, query, types)]
    aggregate = AGGREGATES[query.aggregate]
    if aggregate == "count":
        return [float(len(kept))]
    if not kept:
        return []
    is_real = types[query.select] == "real"
    if aggregate in ("max", "min"):
        kept = [_extreme(kept, max if aggregate == "max" else min, is_real=is_real)]
    numbers = [number for cell in kept if (number := number_of(cell)) is not None] if is_real else []
    if aggregate in ("sum", "avg") and numbers:
        return [sum(numbers) / (len(numbers) if aggregate == "avg" else 1)]
    return [_number_or_text(kept[0])] if len(kept) == 1 else list(kept)


def answers_of(query: Query, types: Sequence[str], rows: Sequence[Sequence[Cell]]) -> tuple[str, ...]:
    """What the query finds as texts, "none" where it finds nothing.

    >>> answers_of(Query(0, 0, ((1, 0, "5,000"),)), ("real", "real"), [["1.50", 5000]])
    ('1.5',)
    """
    return tuple(str(found) for found in execute(query, types, rows)) or (NO_ANSWER,)


@lru_cache(maxsize=1 << 16)
def number_of(cell: Cell) -> float | None:
    """The number that a cell is, or None: commas group thousands, and a single one before fewer digits is a point.

    >>> number_of("15,664"), number_of("−5.5"), number_of("2,5"), number_of("five"), number_of("1_000")
    (15664.0, -5.5, 2.5, None, None)
    """
    if not isinstance(cell, str):
        return float(cell)
    text = cell.strip().replace("−", "-")
    if "," in text:
        parts = text.split(",")
        is_decimal = len(parts) == 2 and "." not in text and all(len(part) != 3 for part in parts)
        text = text.replace(",", "." if is_decimal else "")
    elif text.count(".") > 1:
        text = text.replace(".", "")
    return float(text) if _NUMBER.fullmatch(text) else None


def _fulfils(row: Sequence[Cell], query: Query, types: Sequence[str]) -> bool:
    for column, operator, value in query.conditions:
        cell, other = _key(row[column], types[column]), _key(value, types[column])
        if type(cell) is not type(other) or not _COMPARE[operator](cell, other):
            return False
    return True


def _key(cell: Cell, kind: str) -> Key:
    number = number_of(cell) if kind == "real" else None
    return tuple(_WORDS.findall(str(cell).lower())) if number is None else number


def _extreme(cells: Sequence[Cell], best: Callable[..., Cell], *, is_real: bool) -> Cell:
    """The largest or smallest cell; in a column of numbers, of the cells that are numbers, where there are any."""
    numbers = {cell: number for cell in cells if (number := number_of(cell)) is not None} if is_real else {}
    return best(numbers, key=numbers.__getitem__) if numbers else best(cells, key=str)


def _number_or_text(cell: Cell) -> Cell:
    number = number_of(cell)
    return cell if number is None else number
