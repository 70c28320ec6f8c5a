"""What SQL does with single values: arithmetic, aggregation, LIKE, and missing cells, exactly or not at all."""

from __future__ import annotations

import operator
from collections.abc import Callable
from decimal import Decimal

from reastap_lib.conditions import ProgramError, Undetermined
from reastap_lib.dates import Date, Span
from reastap_lib.pairs.grammar import Arithmetic, Call, Constant

Value = str | Decimal | Date | Span
_NEAR = Decimal("1e-12")
_SIGNS: dict[str, Callable[[Decimal, Decimal], Decimal]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
}


def present(value: Value | None, where: str) -> Value:
    if value is None:
        raise Undetermined(f"a missing cell {where}")
    return value


def missing(*, negated: bool) -> bool:
    if negated:
        raise Undetermined("a missing cell under a negation")
    return False


def near(a: Value, b: Value) -> bool:
    if isinstance(a, Decimal) and isinstance(b, Decimal):
        return abs(a - b) <= _NEAR * max(abs(a), abs(b))
    return a == b


def like(text: str, pattern: Constant) -> bool:
    """LIKE with % at either end; in SQLite case makes no difference, in DuckDB it does, so it must not decide."""
    sought = str(pattern.value)
    inner = sought.strip("%")
    if "%" in inner or "_" in inner:
        raise Undetermined("a wildcard inside a pattern")
    places = (_fits(text, inner, sought), _fits(text.casefold(), inner.casefold(), sought))
    if places[0] != places[1]:
        raise Undetermined("a pattern where case decides")
    return places[0]


def _fits(text: str, inner: str, sought: str) -> bool:
    starts, ends = not sought.startswith("%"), not sought.endswith("%")
    if starts and ends:
        return text == inner
    return text.startswith(inner) if starts else text.endswith(inner) if ends else inner in text


def calculated(node: Arithmetic, left: Value, right: Value) -> Decimal:
    if not isinstance(left, Decimal) or not isinstance(right, Decimal):
        raise ProgramError(f"arithmetic of what is no number: {node!r}")
    if node.sign == "/" and not right:
        raise Undetermined("a division by zero")
    return _SIGNS[node.sign](left, right)


def aggregated(call: Call, values: list[Value]) -> Value:
    if call.function in ("min", "max"):
        return min(values) if call.function == "min" else max(values)
    numbers = [value for value in values if isinstance(value, Decimal)]
    if len(numbers) < len(values):
        raise ProgramError(f"{call.function} of what are no numbers")
    total = sum(numbers, Decimal(0))
    return total / len(numbers) if call.function == "avg" else total


def applied(call: Call, value: Value) -> Decimal:
    if call.function == "abs" and isinstance(value, Decimal):
        return abs(value)
    if call.function in ("year", "month") and isinstance(value, Date):
        return Decimal(value.year if call.function == "year" else value.month)
    raise ProgramError(f"{call.function} of {value!r}")
