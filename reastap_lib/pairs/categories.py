"""The skill that a SQL query exercises: pairs are categorised by their function (ReasTAP, section 2.3).

The paper names COUNT and SUM as examples of functions and says no more, so the rules are ours. The first that holds
decides: a difference of dates is date_difference; a sum, an average or other arithmetic in what is selected is
numerical_operation; HAVING and NOT IN (SELECT ...) say something of every row of a group or of none, so they are
quantifiers; COUNT, selected or ordered by, is counting; the first or last by a column, or its MIN or MAX, is
temporal_comparison for dates and numerical_comparison for numbers; two conditions, a list of options, UNION and
INTERSECT are conjunction; so much for functions, then a comparison with a bound or between two rows goes by its
column as before; and what is left (a plain look-up, the next row) is other.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

from reastap_lib.pairs.grammar import (
    Arithmetic,
    Between,
    Call,
    Column,
    Compare,
    Compound,
    In,
    Junction,
    Query,
    Statement,
    walk,
)

SqlSkill = Literal[
    "conjunction",
    "quantifiers",
    "temporal_comparison",
    "date_difference",
    "counting",
    "numerical_operation",
    "numerical_comparison",
    "other",
]
_TIMES = frozenset(["date", "parsed", "year", "month", "day", "hour"])
_NUMBERS = frozenset(["number", "length", "number1", "number2", "number3", "number4", "min", "sec"])


def skill_of(statement: Statement) -> SqlSkill:
    """The skill of a query.

    >>> from reastap_lib.pairs.parsing import parse_sql
    >>> skill_of(parse_sql("select count ( c1 ) from w where c2 = 'x'"))
    'counting'
    >>> skill_of(parse_sql("select c1 from w order by c2_date limit 1"))
    'temporal_comparison'
    """
    if isinstance(statement, Compound):
        return "conjunction"
    query = statement
    return _operation(query) or _quantity(query) or _place(query) or _conditions(query)


def _operation(query: Query) -> SqlSkill | None:
    selected = list(_selected(query))
    differences = [node for node in selected if isinstance(node, Arithmetic) and node.sign == "-"]
    if any(_kind(node) == "time" for node in differences):
        return "date_difference"
    sums = [node for node in selected if isinstance(node, Call) and node.function in ("sum", "avg")]
    return "numerical_operation" if sums or any(isinstance(node, Arithmetic) for node in selected) else None


def _quantity(query: Query) -> SqlSkill | None:
    nodes = list(walk(query))
    without = [node for node in nodes if isinstance(node, In) and node.negated and not isinstance(node.options, tuple)]
    if without or any(isinstance(node, Query) and node.having for node in nodes):
        return "quantifiers"
    counted = [*_selected(query), *walk(query.order)]
    return "counting" if any(isinstance(node, Call) and node.function == "count" for node in counted) else None


def _place(query: Query) -> SqlSkill | None:
    extremes = [node for node in _selected(query) if isinstance(node, Call) and node.function in ("min", "max")]
    return _comparison([query.order, *extremes])


def _conditions(query: Query) -> SqlSkill:
    nodes = list(walk(query.where, into_queries=False))
    if any(isinstance(node, Junction | In) for node in nodes):
        return "conjunction"
    compared = [node for node in [query.select, *nodes] if isinstance(node, Compare)]
    bounds = [node for node in compared if node.operator not in ("=", "!=") or isinstance(node.right, Query)]
    return _comparison([*bounds, *(node for node in nodes if isinstance(node, Between))]) or "other"


def _comparison(nodes: list[Any]) -> SqlSkill | None:
    kinds = {kind for node in nodes if (kind := _kind(node))}
    if not kinds:
        return None
    return "temporal_comparison" if "time" in kinds else "numerical_comparison"


def _selected(query: Query) -> Iterator[Any]:
    """What is selected, and what the scalar selects in it select."""
    for node in walk(query.select, into_queries=False):
        yield node
        parts = (node.left, node.right) if isinstance(node, Arithmetic | Compare) else ()
        arguments = (node.argument,) if isinstance(node, Call) else ()
        for part in (*parts, *arguments):
            if isinstance(part, Query):
                yield from _selected(part)


def _kind(node: Any) -> Literal["time", "number"] | None:
    """Whether a value is made of dates or numbers: of its columns, and of those that its scalar selects select."""
    parts: set[str] = set()
    for each in walk(node, into_queries=False):
        if isinstance(each, Column):
            parts.add(each.part.split("_")[-1])
        below = (each.left, each.right) if isinstance(each, Arithmetic | Compare) else ()
        parts |= {
            "year" if _kind(q.select) == "time" else "number" for q in below if isinstance(q, Query) and _kind(q.select)
        }
    return "time" if parts & _TIMES else "number" if parts & _NUMBERS else None
