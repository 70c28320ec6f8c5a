"""SQL over a typed table in plain Python: the first route to the answer of a {SQL, result} pair.

Exact (decimals, no floats), and stricter than an engine: what an engine would settle in silence is Undetermined. That
is a tie that decides a place or what a limit keeps, a missing cell in an order, in a sum or under a negation, a scalar
select of several rows, a text equal to another but for case, a LIKE that depends on case, a computed number equal to
its bound, no result, more than ten, and a list that reads as another.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any

from reastap_lib.columns import TypedTable
from reastap_lib.conditions import ProgramError, Undetermined
from reastap_lib.pairs.grammar import (
    AGGREGATIONS,
    ID_INDEX,
    Arithmetic,
    Between,
    Call,
    Column,
    Compare,
    Compound,
    Condition,
    Constant,
    In,
    IsNull,
    Junction,
    Like,
    Query,
    Statement,
    aggregates,
    walk,
)
from reastap_lib.pairs.results import checked_text, result_name
from reastap_lib.pairs.values import Value, aggregated, applied, calculated, like, missing, near, present
from reastap_lib.programs import MAX_ANSWERS, Answer

Rows = Sequence[int]
_TESTS: dict[str, Callable[[Any, Any], bool]] = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    ">": operator.gt,
    "<=": operator.le,
    ">=": operator.ge,
}


def execute_sql(statement: Statement, table: TypedTable) -> Answer:
    """The answer of a statement over a typed table, in the order of the rows where it names no other.

    Raises:
        Undetermined: the table does not determine one.
        ProgramError: a part of a column that the table does not have, or a result that is no text and no number.
    """
    run = _Run(table)
    values = run.results(statement)
    return Answer(_items(values, statement, table), tuple(sorted(run.evidence)))


def rows_where(condition: Condition, table: TypedTable) -> frozenset[int]:
    """The rows that meet a condition."""
    return frozenset(_Run(table).rows(condition))


class _Run:
    """One execution: the table, the results of scalar selects, and the cells that were looked at."""

    def __init__(self, table: TypedTable):
        self._columns = table.columns
        self._all = range(len(table))
        self._known: dict[int, Any] = {}
        self.evidence: set[tuple[int, int]] = set()

    def results(self, statement: Statement) -> list[Value]:
        """The values that a statement returns, in order."""
        if isinstance(statement, Compound):
            return self._both(statement)
        if not statement.source:
            return [self._total(statement.select, ())]
        rows = self.rows(statement.where)
        if not rows:
            raise Undetermined("no row meets the conditions")
        self._note(statement, rows)
        if statement.group:
            return self._grouped(statement, statement.group, rows)
        if aggregates(statement.select):
            return [self._total(statement.select, rows)]
        kept = self._kept(statement, rows, [self._order(statement, i) for i in rows] if statement.order else None)
        values = [present(self._value(statement.select, i), "in the answer") for i in kept]
        return list(dict.fromkeys(values)) if statement.distinct else values

    def rows(self, condition: Condition | None) -> Rows:
        """The rows that meet a condition, in order."""
        return self._all if condition is None else [i for i in self._all if self._holds(condition, i)]

    def _both(self, statement: Compound) -> list[Value]:
        """Different results of either select or of both, in the order of their first rows."""
        left, right = self.results(statement.left), self.results(statement.right)
        chosen = {*left, *right} if statement.word == "union" else {*left} & {*right}
        values = (self._value(statement.left.select, i) for i in self._all)
        return list(dict.fromkeys(value for value in values if value is not None and value in chosen))

    def _grouped(self, query: Query, group: Column, rows: Rows) -> list[Value]:
        self._refuse_clashes(group)
        groups: dict[Value, list[int]] = {}
        for i in rows:
            groups.setdefault(present(self._value(group, i), "among the groups"), []).append(i)
        kept = [members for members in groups.values() if query.having is None or self._holds_of(query.having, members)]
        if not kept:
            raise Undetermined("no group meets the condition")
        keys = [self._total(query.order, members) for members in kept] if query.order else None
        places = self._kept(query, range(len(kept)), keys)
        return [self._total(query.select, kept[place]) for place in places]

    def _kept(self, query: Query, items: Rows, keys: list[Value] | None) -> Rows:
        """The items in their order, and of those what limit and offset leave."""
        stop = len(items) if query.limit is None else query.offset + query.limit
        if stop > len(items):
            raise Undetermined("fewer rows than asked for")
        if keys is None:
            if query.limit is not None:
                raise Undetermined("a limit without an order")
            return items
        ranked = sorted(range(len(items)), key=keys.__getitem__, reverse=query.descending)
        for place in range(max(query.offset, 1), min(stop + 1, len(items))):
            if near(keys[ranked[place - 1]], keys[ranked[place]]):
                raise Undetermined("a tie decides the order")
        return [items[i] for i in ranked[query.offset : stop]]

    def _order(self, query: Query, row: int) -> Value:
        assert query.order is not None
        return present(self._value(query.order, row), "in the order")

    def _holds(self, condition: Condition, row: int) -> bool:
        """Whether a row meets a condition; a missing cell meets none."""
        if isinstance(condition, Junction):
            parts = (self._holds(part, row) for part in condition.parts)
            return all(parts) if condition.word == "and" else any(parts)
        if isinstance(condition, Compare):
            return self._compared(condition, self._value(condition.left, row), self._value(condition.right, row))
        value = self._value(condition.value, row)
        if isinstance(condition, IsNull):
            return (value is None) != condition.negated
        if value is None:
            return missing(negated=isinstance(condition, In) and condition.negated)
        if isinstance(condition, Between):
            return bool(condition.low.value <= value <= condition.high.value)  # type: ignore[operator]
        if isinstance(condition, Like):
            return like(str(value), condition.pattern)
        self._refuse_clashes(condition.value)
        return (value in self._options(condition)) != condition.negated

    def _compared(self, condition: Compare, left: Value | None, right: Value | None) -> bool:
        if left is None or right is None:
            return missing(negated=condition.operator == "!=")
        if isinstance(left, str):
            self._refuse_clashes(condition.left)
        if near(left, right) and not (_exact(condition.left) and _exact(condition.right)):
            raise Undetermined("a computed number equal to its bound")
        return _TESTS[condition.operator](left, right)

    def _holds_of(self, condition: Condition, rows: Rows) -> bool:
        if not isinstance(condition, Compare):
            raise ProgramError(f"a group is compared with a bound, not: {condition!r}")
        return self._compared(condition, self._total(condition.left, rows), self._total(condition.right, rows))

    def _options(self, condition: In) -> frozenset[Value]:
        if id(condition) not in self._known:
            options = condition.options
            values = [c.value for c in options] if isinstance(options, tuple) else self.results(options)
            self._known[id(condition)] = frozenset(values)
        found: frozenset[Value] = self._known[id(condition)]
        return found

    def _value(self, value: Any, row: int) -> Value | None:
        """A value in one row, None where its cell is missing."""
        if isinstance(value, Column):
            return self._cell(value, row)
        if isinstance(value, Constant):
            return value.value
        if isinstance(value, Query):
            return self._scalar(value)
        if isinstance(value, Arithmetic):
            left, right = self._value(value.left, row), self._value(value.right, row)
            return calculated(value, present(left, "in arithmetic"), present(right, "in arithmetic"))
        inner = self._value(value.argument, row)
        return None if inner is None else applied(value, inner)

    def _cell(self, column: Column, row: int) -> Value | None:
        if column.index == ID_INDEX:
            return Decimal(row + 1)
        typed = self._columns[column.index]
        if column.part and column.part != typed.kind:
            raise ProgramError(f"column {typed.name!r} is a {typed.kind}, not a {column.part}")
        if column.part:
            return typed.values[row]
        return typed.cells[row] if row in typed.present else None

    def _total(self, value: Any, rows: Rows) -> Value:
        """A value of several rows together."""
        if isinstance(value, Constant):
            return value.value
        if isinstance(value, Column):
            return present(self._cell(value, rows[0]), "in the answer")
        if isinstance(value, Query):
            return self._scalar(value)
        if isinstance(value, Arithmetic):
            return calculated(value, self._total(value.left, rows), self._total(value.right, rows))
        if value.function == "count":
            return self._count(value, rows)
        if value.function in AGGREGATIONS:
            return aggregated(value, [present(self._value(value.argument, i), "among the numbers") for i in rows])
        return applied(value, self._total(value.argument, rows))

    def _count(self, call: Call, rows: Rows) -> Decimal:
        if call.argument is None:
            return Decimal(len(rows))
        values = [value for i in rows if (value := self._value(call.argument, i)) is not None]
        if call.distinct:
            self._refuse_clashes(call.argument)
        number = len(set(values)) if call.distinct else len(values)
        if not number:
            raise Undetermined("no cell to count")
        return Decimal(number)

    def _scalar(self, query: Query) -> Value:
        if id(query) not in self._known:
            values = self.results(query)
            if len(values) != 1:
                raise Undetermined("a scalar select of several rows")
            self._known[id(query)] = values[0]
        found: Value = self._known[id(query)]
        return found

    def _refuse_clashes(self, value: Any) -> None:
        if isinstance(value, Column) and not value.part and self._columns[value.index].clashes:
            raise Undetermined("cells that differ only in case")

    def _note(self, query: Query, rows: Rows) -> None:
        nodes = walk(query, into_queries=False)
        columns = {node.index for node in nodes if isinstance(node, Column) and node.index != ID_INDEX}
        self.evidence.update((row, column) for row in rows for column in columns)


def _items(values: list[Value], statement: Statement, table: TypedTable) -> tuple[str, ...]:
    name = "" if isinstance(statement, Compound) else result_name(statement, table.columns)
    items: list[str] = []
    for value in values:
        if not isinstance(value, str | Decimal):
            raise ProgramError(f"a result that is no text and no number: {value!r}")
        items.append(value if isinstance(value, str) else checked_text(value, name, table.columns))
    if len(items) > MAX_ANSWERS:
        raise Undetermined(f"more than {MAX_ANSWERS} answers")
    if len({item.casefold() for item in items}) < len(items):
        raise Undetermined("the same answer twice")
    if len(items) > 1 and any("," in item for item in items):
        raise Undetermined("a comma inside one of several answers")
    if not items:
        raise Undetermined("no result")
    return tuple(items)


def _exact(value: Any) -> bool:
    """Whether an engine's number is the exact one: a cell, a constant, a count, or the largest or smallest of cells."""
    if isinstance(value, Query):
        return _exact(value.select)
    if isinstance(value, Call):
        return value.function in ("count", "min", "max", "year", "month")
    return isinstance(value, Column | Constant)
