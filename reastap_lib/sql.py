"""The second route to every answer: the table in SQLite with typed columns, and the program as SQL.

The table is named `w`, as in SQUALL: `id` is the row (from 1), `c1`, `c2` ... the texts, `c1_number` and `c1_date` the
values of typed columns (dates as 1998, 1998-05 or 1998-05-12, ranges as 1998/1999, which sort as text), and `c1_words`
the words of string columns in lower case, with a space before and after each. SQL sorts, counts, adds and subtracts on
its own; only the writing of numbers follows the same rules. (SQLite rather than DuckDB: a fresh table of 20 rows and a
query take 0.2 ms there, and 24 ms in DuckDB.)
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable, Sequence
from decimal import Decimal
from functools import singledispatch
from typing import Any

from reastap_lib.cell_words import padded_words
from reastap_lib.columns import Column, TypedTable
from reastap_lib.conditions import Compare, Condition, Contains, Is, ProgramError
from reastap_lib.dates import Date, Span
from reastap_lib.formats import format_number
from reastap_lib.pairs.results import result_text
from reastap_lib.programs import Aggregate, Count, Quantified, Rank, Select, TimeBetween
from workbench_lib.errors import WorkbenchError

_NUMERIC_RESULT = re.compile(r"SELECT (?P<function>SUM|AVG)\(c(?P<column>\d+)_number\) ")
_SURE_PLACES = 9


class VerificationError(WorkbenchError):
    """The two routes disagree: a defect of the generator, never noise."""


class SqlError(WorkbenchError):
    """SQL that does not run on its table."""


class SqlTable:
    """One connection that holds one table at a time.

    >>> from reastap_lib.column_types import type_table
    >>> from reastap_lib.tables import Table
    >>> typed = type_table(Table("t", "", ("Player", "Goals"), (("Ann", "9"), ("Bob", "12"))))
    >>> SqlTable().load(typed).answer("SELECT COUNT(*) FROM w WHERE c2_number > 3")
    ('2',)
    """

    def __init__(self) -> None:
        self._connection = sqlite3.connect(":memory:", isolation_level=None)
        self._connection.execute("PRAGMA journal_mode = OFF")
        self._loaded: TypedTable | None = None

    @property
    def table(self) -> TypedTable:
        """The table that is loaded.

        Raises:
            SqlError: none is.
        """
        if self._loaded is None:
            raise SqlError("no table is loaded")
        return self._loaded

    def load(self, table: TypedTable) -> SqlTable:
        """Replace the table `w`."""
        names: list[str] = ["id INTEGER PRIMARY KEY"]
        values: list[Sequence[object]] = [range(1, len(table) + 1)]
        for number, column in enumerate(table.columns, 1):
            present = frozenset(column.present)
            texts = [cell if i in present else None for i, cell in enumerate(column.cells)]
            names.append(f"c{number} TEXT")
            values.append(texts)
            if column.kind == "string":
                names.append(f"c{number}_words TEXT")
                values.append([text and padded_words(text) for text in texts])
            else:
                names.append(f"c{number}_{column.kind} {_sql_type(column)}")
                values.append([_sql_value(value) for value in column.values])
        if self._loaded:
            self._connection.execute("DROP TABLE w")
        self._connection.execute(f"CREATE TABLE w ({', '.join(names)})")
        marks = ", ".join("?" * len(names))
        self._connection.executemany(f"INSERT INTO w VALUES ({marks})", zip(*values, strict=True))  # noqa: S608
        self._loaded = table
        return self

    def answer(self, sql: str) -> tuple[str, ...]:
        """The result of a query, written as answers are.

        Raises:
            SqlError: the query does not run, or gives more than one column.
        """
        try:
            cursor = self._connection.execute(sql)
            rows, name = cursor.fetchall(), cursor.description[0][0]
        except sqlite3.Error as error:
            raise SqlError(f"{error}: {sql}") from None
        if rows and len(rows[0]) != 1:
            raise SqlError(f"a query of one column is wanted: {sql}")
        return tuple(self._text(value, sql, name) for (value,) in rows if value is not None)

    def _text(self, value: object, sql: str, name: str) -> str:
        match = _NUMERIC_RESULT.match(sql)
        if not match:
            return result_text(value, name, self.table.columns)
        form, average = self.table.columns[int(match["column"]) - 1].format, match["function"] == "AVG"
        number = Decimal(repr(value))
        if average:
            number = number.quantize(Decimal(1).scaleb(-max(_SURE_PLACES, form.places + 4)))
        return format_number(number, form, average=average)


def verify(question: str, program: Any, items: Iterable[str], engine: SqlTable) -> str:
    """Check an answer by SQL over the table that the engine holds; returns the SQL.

    Raises:
        VerificationError: SQL gives another answer; names the table, the question and both answers.
    """
    sql = to_sql(program, engine.table)
    found, expected = engine.answer(sql), tuple(items)
    if found != expected:
        table = engine.table.table.id
        raise VerificationError(
            f"table {table!r}: {question!r}: the program says {list(expected)}, SQL says {list(found)}: {sql}"
        )
    return sql


@singledispatch
def to_sql(program: Any, table: TypedTable) -> str:
    """The program as one SQL query over the table `w`.

    >>> from reastap_lib.column_types import type_table
    >>> from reastap_lib.tables import Table
    >>> typed = type_table(Table("t", "", ("Player", "Goals"), (("Ann", "9"), ("Bob", "12"))))
    >>> to_sql(Select(0, (Compare(1, ">", Decimal(9)),)), typed)
    'SELECT c1 FROM w WHERE c2_number > 9 ORDER BY id'
    """
    raise ProgramError(f"not a program: {program!r}")


@to_sql.register
def _select(program: Select, table: TypedTable) -> str:
    return f"SELECT c{program.column + 1} FROM w{sql_where(program.where)} ORDER BY id"  # noqa: S608


@to_sql.register
def _count(program: Count, table: TypedTable) -> str:
    return f"SELECT COUNT(*) FROM w{sql_where(program.where)}"  # noqa: S608


@to_sql.register
def _aggregate(program: Aggregate, table: TypedTable) -> str:
    function = "SUM" if program.operator == "sum" else "AVG"
    return f"SELECT {function}(c{program.column + 1}_number) FROM w{sql_where(program.where)}"  # noqa: S608


@to_sql.register
def _rank(program: Rank, table: TypedTable) -> str:
    by = f"c{program.by + 1}_{table.columns[program.by].kind}"
    known = sql_where(program.where, f"{by} IS NOT NULL")
    order, skip = "DESC" if program.largest else "ASC", program.k - 1
    place = f"SELECT DISTINCT {by} FROM w{known} ORDER BY {by} {order} LIMIT 1 OFFSET {skip}"  # noqa: S608
    return f"SELECT c{program.column + 1} FROM w{known} AND {by} = ({place}) ORDER BY id"  # noqa: S608


@to_sql.register
def _time_between(program: TimeBetween, table: TypedTable) -> str:
    """Early and late by MIN and MAX; years by their first four figures, months by the next two, days by julianday."""
    date, names = f"c{program.date + 1}_date", [program.first, program.second]
    either = " OR ".join(sql_condition(Is(program.column, name)) for name in names)
    months = "12 * (substr(b, 1, 4) - substr(a, 1, 4)) + substr(b, 6, 2) - substr(a, 6, 2)"
    return (
        "SELECT n || ' ' || unit || CASE n WHEN 1 THEN '' ELSE 's' END FROM (SELECT "  # noqa: S608
        "CASE WHEN substr(a, 5) = substr(b, 5) THEN substr(b, 1, 4) - substr(a, 1, 4) "
        f"WHEN substr(a, 8) = substr(b, 8) THEN {months} ELSE CAST(julianday(b) - julianday(a) AS INTEGER) END AS n, "
        "CASE WHEN substr(a, 5) = substr(b, 5) THEN 'year' WHEN substr(a, 8) = substr(b, 8) THEN 'month' "
        f"ELSE 'day' END AS unit FROM (SELECT MIN({date}) AS a, MAX({date}) AS b FROM w WHERE {either}))"
    )


@to_sql.register
def _quantified(program: Quantified, table: TypedTable) -> str:
    inner, outer = program.where, program.then
    if program.quantifier == "only":
        inner, outer = outer, inner
    counterexample = f"SELECT 1 FROM w WHERE {sql_condition(inner)} AND NOT ({sql_condition(outer)})"  # noqa: S608
    return f"SELECT CASE WHEN EXISTS ({counterexample}) THEN 'No' ELSE 'Yes' END"


def sql_condition(condition: Condition) -> str:
    """A condition as SQL.

    >>> sql_condition(Contains(0, "Art"))
    "instr(c1_words, ' art ') > 0"
    """
    name = f"c{condition.column + 1}"
    if isinstance(condition, Is):
        return f"{name} = {sql_text(condition.text)}"
    if isinstance(condition, Contains):
        return f"instr({name}_words, {sql_text(padded_words(condition.word))}) > 0"
    if isinstance(condition, Compare):
        return f"{name}_number {condition.operator} {condition.value:f}"
    sign = {"before": "<", "after": ">", "on": "="}[condition.timing]
    return f"{name}_date {sign} {sql_text(condition.value.iso)}"


def sql_where(where: Iterable[Condition], *more: str) -> str:
    """The WHERE of some conditions, or nothing where there is none."""
    parts = [*map(sql_condition, where), *more]
    return f" WHERE {' AND '.join(parts)}" if parts else ""


def sql_text(text: str) -> str:
    """A text as an SQL literal."""
    return "'" + text.replace("'", "''") + "'"


def _sql_type(column: Column) -> str:
    if column.kind == "date":
        return "TEXT"
    return "REAL" if any(value is not None and value % 1 for value in column.values) else "INTEGER"  # type: ignore[operator]


def _sql_value(value: Decimal | Date | Span | None) -> str | int | float | None:
    if value is None:
        return None
    if isinstance(value, Date | Span):
        return value.iso
    return int(value) if value % 1 == 0 else float(value)
