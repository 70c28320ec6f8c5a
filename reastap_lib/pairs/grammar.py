"""SQL over one table as a value: the grammar of SQUALL, written as SQL or in readable form, and its skill.

A query is a tree of the classes below. `write` turns it into text, with a token apart from the next as in SQUALL and
TAPEX: as SQL over the table `w` (columns `c1`, `c1_number` ..., see `reastap_lib.sql`), or with the header's names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from decimal import Decimal
from typing import Any, Literal

from reastap_lib.dates import Date, Span

Aggregation = Literal["count", "sum", "avg", "min", "max"]
Function = Aggregation | Literal["abs", "year", "month"]
Operator = Literal["=", "!=", "<", ">", "<=", ">="]
Sign = Literal["+", "-", "*", "/"]

AGGREGATIONS = frozenset(["count", "sum", "avg", "min", "max"])
ID_INDEX = -1


@dataclass(frozen=True, slots=True)
class Column:
    """A column's text, or the part of it that is named (number, date); index -1 is the number of the row, `id`."""

    index: int
    part: str = ""

    @property
    def name(self) -> str:
        if self.index == ID_INDEX:
            return "id"
        return f"c{self.index + 1}" + (f"_{self.part}" if self.part else "")


@dataclass(frozen=True, slots=True)
class Constant:
    """A value, and how it is shown to a reader."""

    value: str | Decimal | Date | Span
    shown: str


@dataclass(frozen=True, slots=True)
class Call:
    """A function; without an argument it is count ( * )."""

    function: Function
    argument: Expression | None = None
    distinct: bool = False


@dataclass(frozen=True, slots=True)
class Arithmetic:
    left: Expression
    sign: Sign
    right: Expression


@dataclass(frozen=True, slots=True)
class Compare:
    left: Expression
    operator: Operator
    right: Expression


@dataclass(frozen=True, slots=True)
class Between:
    """From `low` to `high`, both included."""

    value: Expression
    low: Constant
    high: Constant


@dataclass(frozen=True, slots=True)
class In:
    value: Expression
    options: tuple[Constant, ...] | Query | Compound
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Like:
    value: Column
    pattern: Constant


@dataclass(frozen=True, slots=True)
class IsNull:
    value: Expression
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Junction:
    """Conditions joined by and, or by or."""

    word: Literal["and", "or"]
    parts: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class Query:
    """One select.

    Args:
        source: Whether it reads the table; a difference of two scalar selects reads none itself.
        name: What the result's column is called; says how a number is written (see `reastap_lib.pairs.results`).
    """

    select: Expression | Compare
    where: Condition | None = None
    distinct: bool = False
    group: Column | None = None
    having: Condition | None = None
    order: Expression | None = None
    descending: bool = False
    limit: int | None = None
    offset: int = 0
    source: bool = True
    name: str = ""


@dataclass(frozen=True, slots=True)
class Compound:
    """The different results of both selects, or of either."""

    left: Query
    word: Literal["union", "intersect"]
    right: Query


Expression = Column | Constant | Call | Arithmetic | Query
Condition = Compare | Between | In | Like | IsNull | Junction
Statement = Query | Compound


@dataclass(frozen=True)
class Style:
    """How names, constants and what differs between engines and readers is written."""

    column: Callable[[Column], str]
    constant: Callable[[Constant], str]
    source: Callable[[Query], str]
    dividend: str = "{}"
    calls: tuple[tuple[str, str], ...] = ()


def quoted(text: str) -> str:
    """A text as SQL writes it.

    >>> quoted("the king's")
    "'the king''s'"
    """
    return "'" + text.replace("'", "''") + "'"


def _sql_constant(constant: Constant) -> str:
    value = constant.value
    if isinstance(value, Decimal):
        return f"{value:f}"
    return quoted(value if isinstance(value, str) else value.iso)


SQL = Style(
    column=lambda column: column.name,
    constant=_sql_constant,
    source=lambda query: " from w",
    dividend="cast ( {} as double )",
    calls=(
        ("year", "cast ( substr ( {} , 1 , 4 ) as integer )"),
        ("month", "cast ( substr ( {} , 6 , 2 ) as integer )"),
    ),
)


def write(statement: Statement, style: Style) -> str:
    """The text of a statement.

    >>> goals = Constant(Decimal(700), "700")
    >>> write(Query(Call("count", Column(0)), Compare(Column(3, "number"), ">", goals)), SQL)
    'select count ( c1 ) from w where c4_number > 700'
    """
    if isinstance(statement, Compound):
        return f"{write(statement.left, style)} {statement.word} {write(statement.right, style)}"
    parts = [f"select {'distinct ' if statement.distinct else ''}{_any(statement.select, style)}"]
    parts[0] += (f" as {statement.name}" if statement.name else "") + style.source(statement) * statement.source
    if statement.where:
        parts.append(f"where {_any(statement.where, style)}")
    if statement.group:
        parts.append(f"group by {style.column(statement.group)}")
    if statement.having:
        parts.append(f"having {_any(statement.having, style)}")
    if statement.order:
        parts.append(f"order by {_any(statement.order, style)}{' desc' if statement.descending else ''}")
    if statement.limit is not None:
        parts.append(f"limit {statement.limit}" + (f" offset {statement.offset}" if statement.offset else ""))
    return " ".join(parts)


def _any(node: Expression | Condition, style: Style) -> str:
    return _WRITE[type(node)](node, style)


def _call(call: Call, style: Style) -> str:
    inner = "*" if call.argument is None else _any(call.argument, style)
    form = dict(style.calls).get(call.function)
    return form.format(inner) if form else f"{call.function} ( {'distinct ' if call.distinct else ''}{inner} )"


def _arithmetic(node: Arithmetic, style: Style) -> str:
    left, right = (_any(part, style) for part in (node.left, node.right))
    if node.sign == "/":
        left = style.dividend.format(left)
    elif node.sign == "*" and isinstance(node.left, Arithmetic):
        left = f"( {left} )"
    return f"{left} {node.sign} " + (f"( {right} )" if isinstance(node.right, Arithmetic) else right)


def _in(node: In, style: Style) -> str:
    inner = (
        " , ".join(style.constant(option) for option in node.options)
        if isinstance(node.options, tuple)
        else write(node.options, style)
    )
    return f"{_any(node.value, style)} {'not ' if node.negated else ''}in ( {inner} )"


def _junction(node: Junction, style: Style) -> str:
    parts = [_any(part, style) for part in node.parts]
    inside = [
        f"( {text} )" if isinstance(part, Junction) else text for text, part in zip(parts, node.parts, strict=True)
    ]
    return f" {node.word} ".join(inside)


_WRITE: dict[type, Callable[[Any, Style], str]] = {
    Column: lambda node, style: style.column(node),
    Constant: lambda node, style: style.constant(node),
    Call: _call,
    Arithmetic: _arithmetic,
    Query: lambda node, style: f"( {write(node, style)} )",
    Compare: lambda node, style: f"{_any(node.left, style)} {node.operator} {_any(node.right, style)}",
    Between: lambda node, style: (
        f"{_any(node.value, style)} between {style.constant(node.low)} and {style.constant(node.high)}"
    ),
    In: _in,
    Like: lambda node, style: f"{style.column(node.value)} like {style.constant(node.pattern)}",
    IsNull: lambda node, style: f"{_any(node.value, style)} is {'not ' if node.negated else ''}null",
    Junction: _junction,
}


def walk(node: Any, *, into_queries: bool = True) -> Iterator[Any]:
    """The node and all that is in it; on request not what is in selects below it."""
    yield node
    for part in node if isinstance(node, tuple) else [getattr(node, name) for name in _PARTS.get(type(node), ())]:
        if type(part) in _PARTS and (into_queries or not isinstance(part, Query | Compound)):
            yield from walk(part, into_queries=into_queries)


_NODES = (*_WRITE, Compound)
_PARTS: dict[type, tuple[str, ...]] = {node: tuple(f.name for f in fields(node)) for node in _NODES} | {tuple: ()}


def aggregates(value: Expression | Compare) -> bool:
    """Whether a value is one of several rows together."""
    return any(isinstance(node, Call) and node.function in AGGREGATIONS for node in walk(value, into_queries=False))
