"""How results of SQL become answers, the same way by every engine.

Cells are written as they are. A number is written as the column is from which it was computed, when there is one: the
name of the result's column says so, `c4` for exact results (sums, differences, the largest), `c4_mean` for averages.
Other numbers are plain: no separators, no unit. What is not exact is rounded half up to 2 places, or to those of its
column where it has more, after a rounding to 13 significant figures, which takes away what engines differ by. Results
of more than 10 figures, or too near to where rounding turns, are Undetermined.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Context, Decimal

from reastap_lib.columns import Column, NumberFormat
from reastap_lib.conditions import Undetermined
from reastap_lib.formats import AVERAGE_PLACES, format_number
from reastap_lib.pairs.grammar import Arithmetic, Call, Compare, Expression, Query
from reastap_lib.pairs.grammar import Column as Name

MAX_FIGURES = 10
_SURE = Context(prec=13)
_NAMED = re.compile(r"c([1-9]\d*)(_mean)?")


def result_text(value: object, name: str, columns: Sequence[Column]) -> str:
    """A result as an answer.

    Args:
        value: A text, or a number as an engine returns it.
        name: Of the result's column.

    >>> result_text(14.0, "count ( * )", []), result_text(2 / 3, "", []), result_text("14.0", "c1", [])
    ('14', '0.67', '14.0')
    """
    if isinstance(value, str):
        return value
    number = _SURE.plus(value if isinstance(value, Decimal) else Decimal(repr(value)))
    form, average = _form(name, columns)
    return format_number(number, form, average=average)


def checked_text(value: Decimal, name: str, columns: Sequence[Column]) -> str:
    """A number that was computed exactly, as an answer.

    Raises:
        Undetermined: it has too many figures, or lies too near to where rounding turns.
    """
    form, average = _form(name, columns)
    places = max(AVERAGE_PLACES, form.places) if average else form.places
    if value and value.adjusted() + 1 + places > MAX_FIGURES:
        raise Undetermined("a result of too many digits")
    scaled = abs(value).scaleb(places)
    off = abs(scaled - scaled.to_integral_value(rounding="ROUND_FLOOR") - Decimal("0.5"))
    if average and 0 < off < Decimal("1e-6"):
        raise Undetermined("a result at the edge of rounding")
    return result_text(value, name, columns)


def result_name(query: Query, columns: Sequence[Column]) -> str:
    """What the column of a query's result is to be called; empty where its numbers are written plainly."""
    found = None if isinstance(query.select, Compare | Name) else _source(query.select, columns)
    return f"c{found[0] + 1}{'_mean' if found[1] else ''}" if found else ""


def _form(name: str, columns: Sequence[Column]) -> tuple[NumberFormat, bool]:
    match = _NAMED.fullmatch(name)
    if match and columns[int(match[1]) - 1].kind == "number":
        return columns[int(match[1]) - 1].format, bool(match[2])
    return NumberFormat(), True


def _source(value: Expression, columns: Sequence[Column]) -> tuple[int, bool] | None:
    """The column as whose cells a number is to be written, and whether it is a mean."""
    if isinstance(value, Name):
        return (value.index, False) if value.part == "number" else None
    if isinstance(value, Call) and value.argument is not None and value.function not in ("count", "year", "month"):
        found = _source(value.argument, columns)
        return (found[0], found[1] or value.function == "avg") if found else None
    if isinstance(value, Query) and not isinstance(value.select, Compare):
        return _source(value.select, columns)
    if isinstance(value, Arithmetic) and value.sign in "+-":
        left, right = _source(value.left, columns), _source(value.right, columns)
        if left and right and columns[left[0]].format == columns[right[0]].format:
            return left[0], left[1] or right[1]
    return None
