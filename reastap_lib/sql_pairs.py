"""{SQL, result} pairs over typed tables (ReasTAP, section 2.3): as text, as SQL that runs, with the answer.

The text is SQL as TAPEX writes it: key words in lower case, a space between tokens, no `from`, and columns by the
header's names; names and values keep the case that the table shows. A name is quoted ("...") where it could be taken
for SQL. A number or date is written as its cell is, quoted ('...') where that is no bare number. The SQL is the same
over the table `w` of `reastap_lib.sql`, with an order where the text names none: that of the rows.

A pair is a pure function of table and generator: its skill is drawn by the shares of Table 1, then its form, then
columns and cells. The answer is computed by `reastap_lib.pairs.execution`; the SQL is for the second route.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from reastap_lib.columns import TypedTable
from reastap_lib.pairs.categories import SqlSkill
from reastap_lib.pairs.drawing import draw_statement, skills_for
from reastap_lib.pairs.execution import execute_sql
from reastap_lib.pairs.grammar import (
    ID_INDEX,
    SQL,
    Call,
    Column,
    Compound,
    In,
    Query,
    Statement,
    Style,
    aggregates,
    write,
)
from reastap_lib.pairs.palette import Fitting
from reastap_lib.pairs.results import result_name
from reastap_lib.programs import Answer, execute
from reastap_lib.skills.drawing import Draw
from reastap_lib.skills.registry import Question, skill
from reastap_lib.sql import to_sql
from reastap_lib.tables import words

SHARE = 0.1
ID = Column(ID_INDEX)
_STRUCTURE = frozenset(
    words(
        """select distinct where and or not in between like is null group by having order asc desc limit offset union
        intersect as from ( ) , * + - / = != < > <= >="""
    )
)


@dataclass(frozen=True)
class SqlPair:
    """A query and its result.

    Args:
        text: The query in readable form, over the header's names.
        answers: The items of the result.
        skill: The one of the seven skills that the query exercises.
        sql: The query over the table `w`.
    """

    text: str
    answers: tuple[str, ...]
    skill: SqlSkill
    sql: str


def draw_pair(table: TypedTable, rng: np.random.Generator) -> SqlPair:
    """One pair over the table as it is shown, after any cut and shuffle.

    Raises:
        Undetermined: what was drawn has no one answer; the reason is its text.

    >>> from reastap_lib.column_types import type_table
    >>> from reastap_lib.tables import Table
    >>> rows = (("Ann", "Reds", "9"), ("Bob", "Blues", "12"), ("Cyd", "Reds", "7"))
    >>> table = type_table(Table("t", "", ("Name", "Club", "Goals"), rows))
    >>> pair = draw_pair(table, np.random.default_rng(6))
    >>> pair.text, pair.answers
    ('select Club group by Club order by count ( * ) desc limit 1', ('Reds',))
    >>> pair.skill, pair.sql
    ('counting', 'select c2 from w group by c2 order by count ( * ) desc limit 1')
    """
    drawn, statement = draw_statement(table, Draw(rng.random))
    answer = execute_sql(statement, table)
    return SqlPair(to_text(statement, table.table.header), answer.items, drawn, engine_sql(statement, table))


@skill("sql", share=SHARE, serves=lambda table: bool(skills_for(Fitting(table))))
def sql(table: TypedTable, draw: Draw) -> Question:
    """A question that is SQL; its program is the query.

    Raises:
        Undetermined: the table lacks what the form drawn needs.
    """
    _, statement = draw_statement(table, draw)
    return Question(to_text(statement, table.table.header), statement)


@execute.register(Query)
@execute.register(Compound)
def _execute(program: Statement, table: TypedTable) -> Answer:
    return execute_sql(program, table)


@to_sql.register(Query)
@to_sql.register(Compound)
def engine_sql(statement: Statement, table: TypedTable) -> str:
    """The statement as SQL that returns its results in the order of the rows, and names how they are written.

    >>> from reastap_lib.pairs.parsing import parse_sql
    >>> engine_sql(parse_sql("select distinct c1 from w"), TypedTable(None, (), None))
    'select c1 from w group by c1 order by min ( id )'
    """
    name = "" if isinstance(statement, Compound) else result_name(statement, table.columns)
    ordered = _in_row_order(statement)
    return write(replace(ordered, name=name) if name else ordered, SQL)


def to_text(statement: Statement, header: Sequence[str]) -> str:
    """The statement in readable form.

    >>> from reastap_lib.pairs.parsing import parse_sql
    >>> to_text(parse_sql("select c1 from w order by c2_number desc limit 1"), ["Player", "Limit"])
    'select Player order by "Limit" desc limit 1'
    """
    return write(statement, _readable(tuple(header)))


def readable_name(name: str) -> str:
    """A header's name as it stands in the text.

    >>> readable_name("Home team (2004)"), readable_name("Group"), readable_name("2004")
    ('Home team (2004)', '"Group"', '"2004"')
    """
    tokens = name.casefold().split(" ")
    bare = name[:1].isalpha() and not any(mark in name for mark in "'\"") and all(tokens)
    return name if bare and not _STRUCTURE.intersection(tokens) else '"' + name.replace('"', '""') + '"'


@lru_cache(maxsize=256)
def _readable(header: tuple[str, ...]) -> Style:
    names = [readable_name(name) for name in header]
    return Style(
        column=lambda column: "id" if column == ID else names[column.index],
        constant=lambda constant: constant.shown,
        source=lambda query: "",
    )


def _in_row_order(statement: Statement) -> Query:
    """The same results, in the order of their (first) rows where the statement orders nothing."""
    if isinstance(statement, Compound):
        column = statement.left.select
        assert isinstance(column, Column)
        return Query(column, In(column, statement), group=column, order=Call("min", ID))
    if statement.order or not statement.source:
        return statement
    if statement.distinct and isinstance(statement.select, Column):
        return replace(statement, distinct=False, group=statement.select, order=Call("min", ID))
    if statement.group:
        return replace(statement, order=Call("min", ID))
    return statement if aggregates(statement.select) else replace(statement, order=ID)
