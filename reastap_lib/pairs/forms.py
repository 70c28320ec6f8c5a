"""Forms of SQL pairs that select cells: conditions together, quantifiers, and what comes first by a date or number."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal

from reastap_lib.pairs.conditions import between, beyond, column_of, draw_two, draw_where
from reastap_lib.pairs.grammar import (
    Arithmetic,
    Call,
    Column,
    Compare,
    Compound,
    Constant,
    Function,
    In,
    Junction,
    Operator,
    Query,
    Statement,
)
from reastap_lib.pairs.palette import Palette

MAX_PLACE = 5
_SO_MANY: tuple[tuple[Operator, int], ...] = (("=", 1), ("=", 2), ("=", 3), (">", 1), (">", 2), (">=", 2), (">=", 3))
Form = Callable[[Palette], Statement]


def both(palette: Palette) -> Statement:
    target = palette.target()
    return Query(target, Junction("and", draw_two(palette, "and", target.index)))


def either(palette: Palette) -> Statement:
    target = palette.target()
    return Query(target, Junction("or", draw_two(palette, "or", target.index)))


def one_and_either(palette: Palette) -> Statement:
    """One condition, and one of two others."""
    target = palette.target()
    first, second = draw_two(palette, "or", target.index)
    third = draw_where(palette, target.index, column_of(first), column_of(second))
    assert third
    return Query(target, Junction("and", (third, Junction("or", (first, second)))))


def union(palette: Palette) -> Statement:
    target = palette.target()
    first, second = draw_two(palette, "or", target.index)
    return Compound(Query(target, first), "union", Query(target, second))


def intersect(palette: Palette) -> Statement:
    target = palette.target()
    first, second = draw_two(palette, "and", target.index)
    return Compound(Query(target, first), "intersect", Query(target, second))


def same_as(palette: Palette) -> Statement:
    """The other rows with the same value as a named one."""
    name, row = palette.name(), palette.row()
    shared = palette.typed(palette.draw.choice([i for i in palette.comparable if i != name]))
    named = palette.keyed(name, row)
    other = replace(named, operator="!=")
    return Query(Column(name), Junction("and", (other, Compare(shared, "=", Query(shared, named)))))


def every(palette: Palette) -> Statement:
    """The groups all of whose rows are above or below a bound."""
    group, number = palette.draw.choice(palette.groups), palette.draw.choice(palette.numbers)
    bound = palette.constant(number, palette.draw.choice(palette.column(number).present))
    functions: list[tuple[Function, Operator]] = [("min", ">"), ("min", ">="), ("max", "<"), ("max", "<=")]
    function, sign = palette.draw.choice(functions)
    having = Compare(Call(function, palette.typed(number)), sign, bound)
    return Query(Column(group), group=Column(group), having=having)


def none(palette: Palette) -> Statement:
    """The groups none of whose rows meet a condition."""
    group = Column(palette.draw.choice(palette.groups))
    without = Query(group, draw_where(palette, group.index))
    return Query(group, In(group, without, negated=True), distinct=True)


def so_many(palette: Palette) -> Statement:
    """The groups of so many rows."""
    group = Column(palette.draw.choice(palette.groups))
    sign, number = palette.draw.choice(_SO_MANY)
    having = Compare(Call("count"), sign, Constant(Decimal(number), str(number)))
    return Query(group, draw_where(palette, group.index, chance=0.3), group=group, having=having)


def _first(palette: Palette, by: Column) -> Statement:
    """The first by a column, or the k-th, among all rows or some."""
    skipped = palette.draw.choice(range(MAX_PLACE)) if palette.draw.chance(0.3) else 0
    where, descending = draw_where(palette, by.index, chance=0.4), palette.draw.chance(0.5)
    return Query(palette.target(by.index), where, order=by, descending=descending, limit=1, offset=skipped)


def _first_few(palette: Palette, by: Column) -> Statement:
    limit = 2 + palette.draw.choice(range(3))
    return Query(palette.target(by.index), order=by, descending=palette.draw.chance(0.5), limit=limit)


def _of_two(palette: Palette, by: Column) -> Statement:
    """Which of two named rows comes first by a column."""
    name, (first, second) = palette.name(), palette.two_rows()
    where = In(Column(name), (palette.constant(name, first), palette.constant(name, second)))
    return Query(Column(name), where, order=by, descending=palette.draw.chance(0.5), limit=1)


def _beyond(palette: Palette, by: Column) -> Statement:
    row = palette.draw.choice(palette.column(by.index).present)
    return Query(palette.target(by.index), beyond(palette, by.index, row))


def _within(palette: Palette, by: Column) -> Statement:
    present = palette.column(by.index).present
    one, other = (palette.constant(by.index, palette.draw.choice(present)) for _ in range(2))
    return Query(palette.target(by.index), between(palette, by.index, one, other))


def _beyond_row(palette: Palette, by: Column) -> Statement:
    """The rows beyond a named one, or the next beyond it."""
    name, sign = palette.name(), _sign(palette)
    where = Compare(by, sign, Query(by, palette.keyed(name, palette.row())))
    if palette.draw.chance(0.5):
        return Query(Column(name), where)
    return Query(Column(name), where, order=by, descending=sign == "<", limit=1)


def _at_extreme(palette: Palette, by: Column) -> Statement:
    function: Function = "max" if palette.draw.chance(0.5) else "min"
    extreme = Query(Call(function, by), draw_where(palette, by.index, chance=0.3))
    return Query(palette.target(by.index), Compare(by, "=", extreme))


def extreme(palette: Palette) -> Statement:
    """The largest or smallest number itself."""
    plain = [i for i in palette.numbers if palette.column(i).format.plain]
    number = palette.typed(palette.draw.choice(plain))
    function: Function = palette.draw.choice(("max", "min"))
    return Query(Call(function, number), draw_where(palette, number.index, chance=0.8))


def column_beyond(palette: Palette) -> Statement:
    """The rows whose one number is beyond their other."""
    first, second = palette.pair_of(palette.numbers)
    where = Compare(palette.typed(first), _sign(palette), palette.typed(second))
    return Query(palette.target(first, second), where)


def beyond_average(palette: Palette) -> Statement:
    number = palette.typed(palette.draw.choice(palette.summable))
    return Query(palette.target(number.index), Compare(number, _sign(palette), Query(Call("avg", number))))


def first_by_both(palette: Palette) -> Statement:
    """The first by the sum of two columns, or by how far they are apart."""
    first, second = (palette.typed(i) for i in palette.pair_of(palette.summable))
    order: Arithmetic | Call = Arithmetic(first, "+", second)
    if palette.draw.chance(0.4):
        order = Call("abs", Arithmetic(first, "-", second))
    return Query(palette.target(first.index, second.index), order=order, descending=palette.draw.chance(0.7), limit=1)


def _sign(palette: Palette) -> Operator:
    return ">" if palette.draw.chance(0.5) else "<"


def _by_date(form: Callable[[Palette, Column], Statement]) -> Form:
    return lambda palette: form(palette, Column(palette.draw.choice(palette.dates), "date"))


def _by_number(form: Callable[[Palette, Column], Statement]) -> Form:
    return lambda palette: form(palette, Column(palette.draw.choice(palette.numbers), "number"))


_BY = (_first, _first, _first_few, _of_two, _beyond, _within, _beyond_row, _at_extreme)
CONJUNCTION: tuple[Form, ...] = (both, both, either, one_and_either, union, intersect, same_as)
QUANTIFIERS: tuple[Form, ...] = (every, none, so_many)
TEMPORAL: tuple[Form, ...] = tuple(map(_by_date, _BY))
NUMERICAL: tuple[Form, ...] = (*map(_by_number, _BY), extreme, column_beyond, beyond_average, first_by_both)
