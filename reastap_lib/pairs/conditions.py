"""Conditions of SQL pairs, drawn so that they hold in some rows and not in all, and so that each of two is needed."""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal
from typing import Literal

from reastap_lib.conditions import Undetermined
from reastap_lib.dates import Date
from reastap_lib.pairs.execution import rows_where
from reastap_lib.pairs.grammar import (
    Between,
    Call,
    Column,
    Compare,
    Condition,
    Constant,
    In,
    IsNull,
    Junction,
    Like,
    Operator,
    quoted,
)
from reastap_lib.pairs.palette import Palette

TRIES = 4
_WORD = re.compile(r"[^\W\d_]{3,}")


def draw_where(palette: Palette, *taken: int, chance: float = 1.0) -> Condition | None:
    """A condition on a column that is not taken, which holds in some rows and not in all; on some draws none.

    Raises:
        Undetermined: there is no such column, or a few draws found no such condition.
    """
    if not palette.draw.chance(chance):
        return None
    for _ in range(TRIES):
        condition = draw_condition(palette, palette.row(), *taken)
        if 0 < len(rows_where(condition, palette.table)) < len(palette.table):
            return condition
    raise Undetermined("a condition that holds in all rows or in none")


def draw_two(palette: Palette, word: Literal["and", "or"], *taken: int) -> tuple[Condition, Condition]:
    """Two conditions on different columns, both of which are needed.

    Raises:
        Undetermined: there are no such columns, or a few draws found no such conditions.
    """
    for _ in range(TRIES):
        row = palette.row()
        first = draw_condition(palette, row, *taken)
        second = draw_condition(palette, row if word == "and" else palette.row(), *taken, column_of(first))
        a, b = rows_where(first, palette.table), rows_where(second, palette.table)
        both = a & b if word == "and" else a | b
        if both not in (a, b) and len(both) < len(palette.table):
            return first, second
    raise Undetermined("one of the two conditions is not needed")


def column_of(condition: Condition) -> int:
    """The column that a drawn condition is about."""
    assert not isinstance(condition, Junction)
    value = condition.left if isinstance(condition, Compare) else condition.value
    inner = value.argument if isinstance(value, Call) else value
    assert isinstance(inner, Column)
    return inner.index


def draw_condition(palette: Palette, row: int, *taken: int) -> Condition:
    """A condition that mostly holds in `row`, on a column that is not taken.

    Raises:
        Undetermined: there is no such column, or its cell is missing.
    """
    index = palette.draw.choice([i for i in palette.comparable if i not in taken])
    kinds = _ON_TEXT if palette.column(index).kind == "string" else _ON_VALUES
    return palette.draw.choice(kinds)(palette, index, row)


def beyond(palette: Palette, index: int, row: int) -> Condition:
    """A comparison with the cell of some row, which holds in `row`."""
    here, there = palette.constant(index, row), _other(palette, index)
    if here.value == there.value:
        sign = palette.draw.choice(_SAME)
    else:
        above = here.value > there.value  # type: ignore[operator]
        sign = palette.draw.choice(_ABOVE if above else _BELOW)
    return Compare(palette.typed(index), sign, there)


def missing_or_not(palette: Palette) -> IsNull:
    """Some column's cell is missing, or is not."""
    return IsNull(Column(palette.draw.choice(palette.incomplete)), negated=palette.draw.chance(0.6))


def between(palette: Palette, index: int, one: Constant, other: Constant) -> Between:
    """From the lower of two constants to the higher.

    Raises:
        Undetermined: they are the same.
    """
    if one.value == other.value:
        raise Undetermined("a range of one value")
    low, high = (one, other) if one.value < other.value else (other, one)  # type: ignore[operator]
    return Between(palette.typed(index), low, high)


def _other(palette: Palette, index: int) -> Constant:
    return palette.constant(index, palette.draw.choice(palette.column(index).present))


def _within(palette: Palette, index: int, row: int) -> Condition:
    return between(palette, index, palette.constant(index, row), _other(palette, index))


def _equal(palette: Palette, index: int, row: int) -> Condition:
    """Equality with the cell, or with its year or month."""
    here = palette.constant(index, row)
    if isinstance(here.value, Date) and palette.column(index).precision != "year" and palette.draw.chance(0.7):
        by_year = palette.draw.chance(0.6)
        number = here.value.year if by_year else here.value.month
        part = Call("year" if by_year else "month", palette.typed(index))
        return Compare(part, "=", Constant(Decimal(number), str(number)))
    return Compare(palette.typed(index), "=", here)


def _one_of(palette: Palette, index: int, row: int) -> Condition:
    here, other = palette.constant(index, row), _other(palette, index)
    if other.value == here.value:
        raise Undetermined("the same option twice")
    options = (here, other) if palette.draw.chance(0.5) else (other, here)
    return In(Column(index), options, negated=palette.draw.chance(0.2))


def _is_not(palette: Palette, index: int, row: int) -> Condition:
    return Compare(Column(index), "!=", _other(palette, index))


def _like(palette: Palette, index: int, row: int) -> Condition:
    """The cell starts with, ends with or holds a word of this one."""
    word = palette.draw.choice(_WORD.findall(str(palette.constant(index, row).value)))
    pattern = palette.draw.choice([f"{word}%", f"%{word}", f"%{word}%"])
    return Like(Column(index), Constant(pattern, quoted(pattern)))


_SAME: tuple[Operator, ...] = (">=", "<=")
_ABOVE: tuple[Operator, ...] = (">", ">=")
_BELOW: tuple[Operator, ...] = ("<", "<=")
_Draw = Callable[[Palette, int, int], Condition]
_ON_TEXT: tuple[_Draw, ...] = (_equal, _equal, _equal, _one_of, _is_not, _like)
_ON_VALUES: tuple[_Draw, ...] = (beyond, beyond, _within, _equal)
