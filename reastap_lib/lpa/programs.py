"""LPA programs as trees: read from and written as text, and executed over a table.

The text is LogicNLG's: `eq{count{filter_eq{all_rows; team; jazz}}; 3}`, with or without spaces around its marks. A
text that holds one of the marks { } ; or a backslash has it written with a backslash before it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property

from reastap_lib.lpa.frames import Frame, FrameColumn, date_number, number_of
from reastap_lib.lpa.operators import OPERATORS, Kind, Operator, ProgramError, Value
from reastap_lib.tables import normalise

ALL_ROWS = "all_rows"
MAX_DEPTH = 50
_TOKEN = re.compile(r"\s*[{};]\s*|(?:\\.|[^\\{};])+", re.DOTALL)
_RESULT = re.compile(r"\s*=\s*(?:True|False)\s*$")
_BY_NAME: dict[str, list[Operator]] = {}
for _operator in OPERATORS.values():
    _BY_NAME.setdefault(_operator.name, []).append(_operator)


@dataclass(frozen=True)
class Call:
    """A function and its arguments: calls, or texts (a column, a value, all_rows).

    Raises:
        ProgramError: no such function, no argument, a text with spaces around it, or too deep a tree.
    """

    name: str
    arguments: tuple[Call | str, ...]

    def __post_init__(self) -> None:
        if self.name not in _BY_NAME:
            raise ProgramError(f"unknown function {self.name!r}")
        if not self.arguments:
            raise ProgramError(f"{self.name} without an argument")
        loose = [text for text in self.arguments if isinstance(text, str) and text != text.strip()]
        if loose:
            raise ProgramError(f"spaces around an argument of {self.name}: {loose[0]!r}")
        if self.depth > MAX_DEPTH:
            raise ProgramError(f"functions more than {MAX_DEPTH} deep inside one another")

    @cached_property
    def depth(self) -> int:
        """How many functions stand inside one another."""
        return 1 + max((argument.depth for argument in self.arguments if isinstance(argument, Call)), default=0)

    def __str__(self) -> str:
        return f"{self.name}{{{'; '.join(map(_written, self.arguments))}}}"


# --- text --------------------------------------------------------------------------------------------------------


def parse(text: str) -> Call:
    """The program that a text is; a result behind it (=True) is left out.

    Raises:
        ProgramError: it is none.

    >>> str(parse("eq { count { filter_eq { all_rows ; team ; jazz } } ; 3 }=True"))
    'eq{count{filter_eq{all_rows; team; jazz}}; 3}'
    """
    bare = _RESULT.sub("", text)
    pieces = _TOKEN.findall(bare)
    if "".join(pieces) != bare:
        raise ProgramError(f"a backslash with nothing behind it: {bare[-40:]!r}")
    tokens = [piece.strip() for piece in pieces]
    program, end = _expression(tokens, 0, 1)
    if end < len(tokens):
        raise ProgramError(f"{tokens[end]!r} where the program should end, after {''.join(tokens[:end])[-40:]!r}")
    if isinstance(program, str):
        raise ProgramError(f"a text, not a program: {program!r}")
    return program


def _expression(tokens: Sequence[str], at: int, depth: int) -> tuple[Call | str, int]:
    """The call or text that starts at a token, and where it ends."""
    said, here = "", at
    if here < len(tokens) and tokens[here] not in ("{", "}", ";"):
        said, here = re.sub(r"\\(.)", r"\1", tokens[here], flags=re.DOTALL), here + 1
    if here == len(tokens) or tokens[here] != "{":
        return said, here
    if depth > MAX_DEPTH:
        raise ProgramError(f"functions more than {MAX_DEPTH} deep inside one another")
    arguments, mark = [], "{"
    while mark != "}":
        argument, here = _expression(tokens, here + 1, depth + 1)
        arguments.append(argument)
        if here == len(tokens) or tokens[here] == "{":
            raise ProgramError(f"{said}{{ is not closed")
        mark = tokens[here]
    return Call(said, tuple(arguments)), here + 1


def _written(argument: Call | str) -> str:
    return str(argument) if isinstance(argument, Call) else re.sub(r"([\\{};])", r"\\\1", argument)


# --- execution ---------------------------------------------------------------------------------------------------


def holds(program: Call, frame: Frame) -> bool:
    """Whether a program returns True over a table.

    Raises:
        ProgramError: it means nothing there, or returns no truth value.
    """
    found = execute(program, frame)
    if not isinstance(found, bool):
        raise ProgramError(f"{program.name} returns no truth value")
    return found


def execute(program: Call, frame: Frame) -> Value:
    """What a program returns: rows (their positions), a number, a text or a truth value.

    Where a name stands for several functions (hop of a number or a text), the first that takes the arguments counts.

    Raises:
        ProgramError: it means nothing over the table.
    """
    values = [execute(argument, frame) if isinstance(argument, Call) else argument for argument in program.arguments]
    fault = None
    for operator in _BY_NAME[program.name]:
        try:
            return operator.apply(frame, *_arguments(operator, program, values, frame))
        except ProgramError as error:
            fault = fault or error
    raise fault or ProgramError(f"unknown function {program.name!r}")


def _arguments(operator: Operator, program: Call, values: Sequence[Value], frame: Frame) -> list[object]:
    """The values as the kinds that the operator takes."""
    if operator.takes == ("texts",):
        return [tuple(_text(value) for value in values)]
    if len(values) != len(operator.takes):
        raise ProgramError(f"{program.name} takes {len(operator.takes)} arguments, not {len(values)}")
    compares = operator.takes == ("number", "number") and operator.gives == "truth"
    if compares and all(isinstance(value, str) for value in values):
        values = _as_dates([_text(value) for value in values]) or values
    found: list[object] = []
    for argument, value, kind in zip(program.arguments, values, operator.takes, strict=True):
        if kind in ("number column", "text column"):
            found.append(_column(argument, kind, frame))
        else:
            found.append(_typed(value, kind, frame, found[-1] if found else None))
    return found


def _column(argument: Call | str, kind: Kind, frame: Frame) -> FrameColumn:
    column = frame.column(argument) if isinstance(argument, str) else None
    if column is None:
        raise ProgramError(f"no column {str(argument)!r}")
    if kind == "number column" and column.kind == "text":
        raise ProgramError(f"column {column.name!r} holds texts")
    return column


def _typed(value: Value, kind: Kind, frame: Frame, before: object) -> Value:
    """A value as one of that kind; `before` is the argument before it, the column that a value is compared with."""
    if kind == "rows" and value == ALL_ROWS:
        return frame.rows
    if kind == "number" and isinstance(value, str):
        return _number(value, before if isinstance(before, FrameColumn) else None)
    if kind == "text":
        return _text(value)
    if not isinstance(value, {"rows": tuple, "number": Decimal, "truth": bool}[kind]):
        raise ProgramError(f"{value!r} where a {kind} should stand")
    return value


def _number(text: str, column: FrameColumn | None) -> Decimal:
    number = number_of(text) if column is None else column.read(normalise(text))
    if number is None:
        raise ProgramError(f"{text!r} is no number")
    return number


def _as_dates(texts: Sequence[str]) -> list[Value] | None:
    """Texts that are all dates, as numbers that sort like them: a date is compared with a date alone."""
    dates = [date_number(text) for text in texts]
    return None if None in dates else list(dates)


def _text(value: Value) -> str:
    if not isinstance(value, str):
        raise ProgramError(f"{value!r} where a text should stand")
    return normalise(value)
