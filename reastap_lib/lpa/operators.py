"""The 57 LPA functions, typed: what they take, what they return, how a program writes them (LogicNLG, SP-Acc).

An operator has a key of its own and a name in programs; several keys share a name where only the types differ
(filter_eq and filter_str_eq are both written `filter_eq`), the one for numbers first. Rows are positions in the table,
in its order. Values are the table's own: sums are exact, cells that are no number take no part in them, and a mean
equals a written number as far as that is written. Texts are equal by words, never by pieces of words or by patterns.
"""

from __future__ import annotations

import operator as compare
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from reastap_lib.lpa.frames import Frame, FrameColumn
from reastap_lib.lpa.words import stems
from workbench_lib.errors import WorkbenchError

Kind = Literal["rows", "number", "text", "texts", "truth", "number column", "text column", "nothing"]
Rows = tuple[int, ...]
Value = Rows | Decimal | str | bool | None
_Numbers = Callable[[Decimal, Decimal], bool]


class ProgramError(WorkbenchError):
    """A program cannot be read, or means nothing over its table."""


class Mean(Decimal):
    """A mean: it equals a written number as far as that is written (63.777... and 63.78)."""


@dataclass(frozen=True)
class Operator:
    """One function.

    Args:
        key: Its name among the 57.
        name: As programs write it.
        takes: The kinds of its arguments.
        gives: The kind of its result; `nothing` only drops its argument from the search.
        apply: (frame, *arguments) to the result; raises ProgramError.
    """

    key: str
    name: str
    takes: tuple[Kind, ...]
    gives: Kind
    apply: Callable[..., Value]


OPERATORS: dict[str, Operator] = {}


def _add(key: str, takes: tuple[Kind, ...], gives: Kind, apply: Callable[..., Value], name: str = "") -> None:
    OPERATORS[key] = Operator(key, name or key, takes, gives, apply)


# --- values ------------------------------------------------------------------------------------------------------


def numbers_in(column: FrameColumn, rows: Rows) -> list[Decimal]:
    """The numbers of some cells.

    Raises:
        ProgramError: none of them is one.
    """
    found = [number for row in rows if (number := column.numbers[row]) is not None]
    if not found:
        raise ProgramError(f"column {column.name!r} has no number in {len(rows)} rows")
    return found


def amounts_in(column: FrameColumn, rows: Rows) -> list[Decimal]:
    """The numbers of some cells, for arithmetic: dates have none.

    Raises:
        ProgramError: none of them is one, or they are dates.
    """
    if column.kind == "date":
        raise ProgramError(f"column {column.name!r} holds dates")
    return numbers_in(column, rows)


def same_number(first: Decimal, second: Decimal) -> bool:
    """Whether two numbers are equal; a mean is compared at the places of the number beside it.

    >>> same_number(Mean("63.7777"), Decimal("63.78")), same_number(Decimal("63.7777"), Decimal("63.78"))
    (True, False)
    """
    if isinstance(first, Mean) == isinstance(second, Mean):
        return first == second
    written = second if isinstance(first, Mean) else first
    exponent = written.as_tuple().exponent
    return 2 * abs(first - second) <= Decimal(1).scaleb(exponent if isinstance(exponent, int) else 0)


def same_text(first: str, second: str) -> bool:
    """Whether the words of one text stand in the other, one after the other.

    >>> same_text("chet miller", "miller"), same_text("10", "1")
    (True, False)
    """
    short, long = sorted((stems(first), stems(second)), key=len)
    if not short:
        return first == second
    return any(long[i : i + len(short)] == short for i in range(len(long) - len(short) + 1))


def has_words(column: FrameColumn, row: int, value: str) -> bool:
    """Whether every word of `value` stands in the cell, in any order; marks alone must be the whole cell."""
    wanted = stems(value)
    return set(wanted) <= set(column.stems[row]) if wanted else column.texts[row] == value


def _first(rows: Rows) -> int:
    if not rows:
        raise ProgramError("no row")
    return rows[0]


def _place(rows: Rows, row: Rows) -> int:
    if _first(row) not in rows:
        raise ProgramError(f"row {row[0] + 1} is not among the {len(rows)} rows")
    return rows.index(row[0])


# --- buffers and rows --------------------------------------------------------------------------------------------


def _same(_: Frame, value: Value) -> Value:
    return value


def _nothing(_: Frame, value: Value) -> Value:
    return None


def _all_exist(frame: Frame, texts: tuple[str, ...]) -> bool:
    return all(any(has_words(c, row, text) for c in frame.columns for row in frame.rows) for text in texts)


def _none(_: Frame, text: str) -> bool:
    return text in ("-", "no") or any(said in text for said in ("none", "n / a", "n/a", "no information"))


for _key, _kind in (("num", "number"), ("str", "text")):
    _add(f"inc_{_key}", (_kind,), _kind, _same)  # type: ignore[arg-type]
    _add(f"dec_{_key}", (_kind,), "nothing", _nothing)  # type: ignore[arg-type]
_add("all_exist", ("texts",), "truth", _all_exist, "exist")
_add("none", ("text",), "truth", _none)
_add("zero", ("number",), "truth", lambda _, number: number == 0)
_add("count", ("rows",), "number", lambda _, rows: Decimal(len(rows)))
_add("half", ("rows",), "number", lambda _, rows: Decimal(len(rows) // 2))
_add("one_third", ("rows",), "number", lambda _, rows: Decimal(len(rows) // 3))
_add("only", ("rows",), "truth", lambda _, rows: len(rows) == 1)
_add("several", ("rows",), "truth", lambda _, rows: len(rows) > 1)
_add("top", ("rows",), "rows", lambda _, rows: (_first(rows),))
_add("bottom", ("rows",), "rows", lambda _, rows: (_first(rows[::-1]),))
_add("before", ("rows", "rows"), "truth", lambda _, one, other: _first(one) < _first(other))
_add("after", ("rows", "rows"), "truth", lambda _, one, other: _first(one) > _first(other))
for _number, _key in enumerate(("first", "second", "third", "fourth", "fifth")):
    _add(_key, ("rows", "rows"), "truth", lambda _, rows, row, place=_number: _place(rows, row) == place)
_add("last", ("rows", "rows"), "truth", lambda _, rows, row: _place(rows, row) == len(rows) - 1)


# --- rows and a column -------------------------------------------------------------------------------------------


def _uniq(_: Frame, rows: Rows, column: FrameColumn) -> Decimal:
    return Decimal(len({column.texts[row] for row in rows}))


def _uniq_numbers(_: Frame, rows: Rows, column: FrameColumn) -> Decimal:
    return Decimal(len(set(numbers_in(column, rows))))


def _mean(_: Frame, rows: Rows, column: FrameColumn) -> Decimal:
    numbers = amounts_in(column, rows)
    return Mean(sum(numbers, Decimal(0)) / len(numbers))


def _extreme(pick: Callable[[list[Decimal]], Decimal]) -> Callable[..., Value]:
    def apply(_: Frame, rows: Rows, column: FrameColumn) -> Rows:
        best = pick(numbers_in(column, rows))
        return tuple(row for row in rows if column.numbers[row] == best)

    return apply


def _hop_number(_: Frame, rows: Rows, column: FrameColumn) -> Decimal:
    return amounts_in(column, (_first(rows),))[0]


def _hop_text(_: Frame, rows: Rows, column: FrameColumn) -> str:
    return column.texts[_first(rows)]


def _most_frequent(_: Frame, rows: Rows, column: FrameColumn) -> str:
    found = Counter(column.texts[row] for row in rows).most_common(1)
    if not found or found[0][1] == 1:
        raise ProgramError(f"no cell of column {column.name!r} comes twice")
    return found[0][0]


_NUMBERS: tuple[Kind, ...] = ("rows", "number column")
_TEXTS: tuple[Kind, ...] = ("rows", "text column")
_add("uniq_num", _NUMBERS, "number", _uniq_numbers, "uniq")
_add("uniq_str", _TEXTS, "number", _uniq, "uniq")
_add("avg", _NUMBERS, "number", _mean)
_add("sum", _NUMBERS, "number", lambda _, rows, column: sum(amounts_in(column, rows), Decimal(0)))
_add("max", _NUMBERS, "number", lambda _, rows, column: max(numbers_in(column, rows)))
_add("min", _NUMBERS, "number", lambda _, rows, column: min(numbers_in(column, rows)))
_add("argmax", _NUMBERS, "rows", _extreme(max))
_add("argmin", _NUMBERS, "rows", _extreme(min))
_add("num_hop", _NUMBERS, "number", _hop_number, "hop")
_add("str_hop", _TEXTS, "text", _hop_text, "hop")
_add("most_freq", _TEXTS, "text", _most_frequent)


# --- two values --------------------------------------------------------------------------------------------------

_add("diff", ("number", "number"), "number", lambda _, one, other: one - other)
_add("add", ("number", "number"), "number", lambda _, one, other: one + other)
_add("greater", ("number", "number"), "truth", lambda _, one, other: one > other)
_add("eq", ("number", "number"), "truth", lambda _, one, other: same_number(one, other))
_add("str_eq", ("text", "text"), "truth", lambda _, one, other: same_text(one, other), "eq")
_add("not_eq", ("number", "number"), "truth", lambda _, one, other: not same_number(one, other))
_add("not_str_eq", ("text", "text"), "truth", lambda _, one, other: not same_text(one, other), "not_eq")
_add("and", ("truth", "truth"), "truth", lambda _, one, other: one and other)
SYMMETRIC = frozenset(["add", "eq", "str_eq", "not_eq", "not_str_eq", "and"])


# --- rows whose cell ... -----------------------------------------------------------------------------------------


def _rows_by_text(*, wanted: bool) -> Callable[..., Rows]:
    def apply(_: Frame, rows: Rows, column: FrameColumn, value: str) -> Rows:
        return tuple(row for row in rows if has_words(column, row, value) == wanted)

    return apply


def _rows_by_number(holds: _Numbers) -> Callable[..., Rows]:
    def apply(_: Frame, rows: Rows, column: FrameColumn, value: Decimal) -> Rows:
        numbers = column.numbers
        return tuple(row for row in rows if (number := numbers[row]) is not None and holds(number, value))

    return apply


def _rows_equal(*, wanted: bool) -> Callable[..., Rows]:
    def apply(_: Frame, rows: Rows, column: FrameColumn, value: Decimal) -> Rows:
        if column.kind == "date" and value not in column.numbers:  # a month of days, say: its words decide
            raise ProgramError(f"no cell of column {column.name!r} is that date")
        return tuple(row for row in rows if (column.numbers[row] == value) == wanted)

    return apply


def _every(filtered: Callable[..., Rows]) -> Callable[..., Value]:
    def apply(frame: Frame, rows: Rows, *rest: object) -> bool:
        _first(rows)
        return filtered(frame, rows, *rest) == rows

    return apply


_BY_TEXT: dict[str, Callable[..., Rows]] = {"eq": _rows_by_text(wanted=True), "not_eq": _rows_by_text(wanted=False)}
_BY_NUMBER: dict[str, Callable[..., Rows]] = {
    "eq": _rows_equal(wanted=True),
    "not_eq": _rows_equal(wanted=False),
    "less": _rows_by_number(compare.lt),
    "greater": _rows_by_number(compare.gt),
    "less_eq": _rows_by_number(compare.le),
    "greater_eq": _rows_by_number(compare.ge),
}
for _key, _filtered in _BY_NUMBER.items():
    _add(f"filter_{_key}", (*_NUMBERS, "number"), "rows", _filtered)
    _add(f"all_{_key}", (*_NUMBERS, "number"), "truth", _every(_filtered))
for _key, _filtered in _BY_TEXT.items():
    _add(f"filter_str_{_key}", (*_TEXTS, "text"), "rows", _filtered, f"filter_{_key}")
    _add(f"all_str_{_key}", (*_TEXTS, "text"), "truth", _every(_filtered), f"all_{_key}")
