"""Forms of SQL pairs that compute a number: counts, sums and averages, differences of numbers and of years."""

from __future__ import annotations

from typing import Any, Literal

from reastap_lib.conditions import Undetermined
from reastap_lib.pairs.conditions import draw_two, draw_where, missing_or_not
from reastap_lib.pairs.forms import Form
from reastap_lib.pairs.grammar import (
    Arithmetic,
    Call,
    Column,
    Compare,
    Function,
    Junction,
    Operator,
    Query,
    Sign,
    Statement,
)
from reastap_lib.pairs.palette import Palette

_BETWEEN_ROWS: tuple[Sign, ...] = ("-", "-", "-", "+", "/")
_IN_ROW: tuple[Sign, ...] = ("+", "+", "-", "-", "/", "*")


def count(palette: Palette) -> Statement:
    counted = palette.target() if palette.draw.chance(0.35) else None
    return Query(Call("count", counted), draw_where(palette))


def count_two(palette: Palette) -> Statement:
    word: Literal["and", "or"] = "and" if palette.draw.chance(0.6) else "or"
    return Query(Call("count"), Junction(word, draw_two(palette, word)))


def count_distinct(palette: Palette) -> Statement:
    group = Column(palette.draw.choice(palette.groups))
    return Query(Call("count", group, distinct=True), draw_where(palette, group.index, chance=0.6))


def most_frequent(palette: Palette) -> Statement:
    group = Column(palette.draw.choice(palette.groups))
    where, descending = draw_where(palette, group.index, chance=0.3), palette.draw.chance(0.8)
    return Query(group, where, group=group, order=Call("count"), descending=descending, limit=1)


def count_beyond(palette: Palette) -> Statement:
    """How many rows are beyond the average, or beyond a named row."""
    by = Column(palette.draw.choice(palette.numbers), "number")
    sign: Operator = ">" if palette.draw.chance(0.5) else "<"
    averaged = palette.column(by.index).arithmetic != "none" and palette.draw.chance(0.5)
    bound = Query(Call("avg", by)) if averaged else Query(by, palette.keyed(palette.name(), palette.row()))
    return Query(Call("count"), Compare(by, sign, bound))


def count_missing(palette: Palette) -> Statement:
    return Query(Call("count"), missing_or_not(palette))


def total(palette: Palette) -> Statement:
    number = palette.draw.choice(palette.summable)
    function: Function = palette.draw.choice(("sum", "avg"))
    return Query(Call(function, palette.typed(number)), draw_where(palette, number, chance=0.85))


def between_rows(palette: Palette) -> Statement:
    """The cells of two named rows: their difference, without its sign or with it, their sum, or their ratio."""
    name, (first, second) = palette.name(), palette.two_rows()
    number = palette.typed(palette.draw.choice(palette.summable))
    left, right = (Query(number, palette.keyed(name, row)) for row in (first, second))
    sign = palette.draw.choice(_BETWEEN_ROWS)
    result = Arithmetic(left, sign, right)
    return Query(Call("abs", result) if sign == "-" and palette.draw.chance(0.5) else result, source=False)


def spread(palette: Palette) -> Statement:
    """From the smallest to the largest."""
    number = palette.typed(palette.draw.choice(palette.summable))
    difference = Arithmetic(Call("max", number), "-", Call("min", number))
    return Query(difference, draw_where(palette, number.index, chance=0.5))


def more_rows(palette: Palette) -> Statement:
    """How many more rows meet one condition than another."""
    left, right = (Query(Call("count"), draw_where(palette)) for _ in range(2))
    if left == right:
        raise Undetermined("the same condition twice")
    return Query(Arithmetic(left, "-", right), source=False)


def within_row(palette: Palette) -> Statement:
    """Two cells of a named row, added, subtracted, multiplied or divided."""
    first, second = (palette.typed(i) for i in palette.pair_of(palette.summable))
    result = Arithmetic(first, palette.draw.choice(_IN_ROW), second)
    return Query(result, palette.keyed(palette.name(), palette.row()))


def ratio_of_sums(palette: Palette) -> Statement:
    first, second = (Call("sum", palette.typed(i)) for i in palette.pair_of(palette.summable))
    return Query(Arithmetic(first, "/", second), draw_where(palette, chance=0.5))


def years_between_rows(palette: Palette) -> Statement:
    """Calendar years from the earlier of two named rows to the later."""
    name, date = palette.name(), palette.draw.choice(palette.years)

    def when(row: int) -> Any:
        return palette.constant(date, row).value

    early, late = sorted(palette.two_rows(), key=when)
    if when(early).year == when(late).year:
        raise Undetermined("no time between the two")
    sides = [Query(Call("year", Column(date, "date")), palette.keyed(name, row)) for row in (late, early)]
    return Query(Arithmetic(sides[0], "-", sides[1]), source=False)


def years_spanned(palette: Palette) -> Statement:
    date = Column(palette.draw.choice(palette.years), "date")
    last, first = Call("year", Call("max", date)), Call("year", Call("min", date))
    return Query(Arithmetic(last, "-", first), draw_where(palette, date.index, chance=0.6))


def years_within_row(palette: Palette) -> Statement:
    first, second = (Call("year", Column(i, "date")) for i in palette.pair_of(palette.years))
    return Query(Call("abs", Arithmetic(second, "-", first)), palette.keyed(palette.name(), palette.row()))


COUNTING: tuple[Form, ...] = (
    count,
    count,
    count_two,
    count_distinct,
    most_frequent,
    count_beyond,
    count_missing,
)
OPERATION: tuple[Form, ...] = (total, total, between_rows, between_rows, spread, more_rows, within_row, ratio_of_sums)
DATE_DIFFERENCE: tuple[Form, ...] = (years_between_rows, years_spanned, years_within_row)
