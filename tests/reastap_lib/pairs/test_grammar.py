from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reastap_lib.pairs.grammar import (
    SQL,
    Arithmetic,
    Between,
    Call,
    Column,
    Compare,
    Compound,
    Condition,
    Constant,
    Expression,
    In,
    IsNull,
    Junction,
    Like,
    Query,
    Statement,
    aggregates,
    quoted,
    walk,
    write,
)
from reastap_lib.pairs.parsing import SqlSyntaxError, parse_sql

COLUMNS = st.builds(Column, st.integers(0, 12), st.sampled_from(["", "number", "date", "list_first"]))


def text_constant(text: str) -> Constant:
    return Constant(text, quoted(text))


TEXTS = st.text(max_size=8).map(text_constant)
NUMBERS = st.decimals(-1000, 1000, places=2).map(lambda number: Constant(number, str(number)))
CONSTANTS = TEXTS | NUMBERS
OPERATORS = st.sampled_from(["=", "!=", "<", ">", "<=", ">="])


def values(inner: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    functions = st.sampled_from(["count", "sum", "avg", "min", "max", "abs", "year", "month"])
    return (
        st.builds(Call, functions, inner)
        | st.builds(Call, st.just("count"), st.none() | COLUMNS, st.just(False))
        | st.builds(Arithmetic, inner, st.sampled_from("+-*/"), inner)
    )


EXPRESSIONS = st.recursive(COLUMNS | CONSTANTS, values, max_leaves=5)
TESTS: st.SearchStrategy[Condition] = (
    st.builds(Compare, EXPRESSIONS, OPERATORS, EXPRESSIONS)
    | st.builds(Between, EXPRESSIONS, CONSTANTS, CONSTANTS)
    | st.builds(In, COLUMNS, st.lists(CONSTANTS, min_size=1, max_size=3).map(tuple), st.booleans())
    | st.builds(Like, COLUMNS, TEXTS)
    | st.builds(IsNull, COLUMNS, st.booleans())
)
CONDITIONS = st.recursive(
    TESTS,
    lambda inner: st.builds(
        Junction, st.sampled_from(["and", "or"]), st.lists(inner, min_size=2, max_size=3).map(tuple)
    ),
    max_leaves=4,
)
LIMITS = st.none() | st.integers(1, 9)


@st.composite
def queries(draw: st.DrawFn, conditions: st.SearchStrategy[Condition] = CONDITIONS) -> Query:
    limit = draw(LIMITS)
    return Query(
        draw(EXPRESSIONS),
        draw(st.none() | conditions),
        draw(st.booleans()),
        draw(st.none() | COLUMNS),
        draw(st.none() | conditions),
        draw(st.none() | EXPRESSIONS),
        draw(st.booleans()),
        limit,
        draw(st.integers(0, 5)) if limit else 0,
        draw(st.booleans()),
        draw(st.sampled_from(["", "c4", "c4_mean"])),
    )


NESTED = queries(
    st.builds(Compare, COLUMNS, OPERATORS, queries())
    | st.builds(In, COLUMNS, st.builds(Compound, queries(), st.sampled_from(["union", "intersect"]), queries()))
    | CONDITIONS
)


@given(NESTED | st.builds(Compound, NESTED, st.sampled_from(["union", "intersect"]), NESTED))
def test_what_is_written_is_read_back(statement: Statement) -> None:
    text = write(statement, SQL)
    assert write(parse_sql(text), SQL) == text


def test_a_query_by_hand() -> None:
    text = (
        "select c2 from w where c3_number > ( select c3_number from w where c2 = 'o''neill' ) and "
        "( c1 in ( 'a' , 'b' ) or c4 is not null ) order by c3_number desc limit 1 offset 2"
    )
    bound = Query(Column(2, "number"), Compare(Column(1), "=", text_constant("o'neill")))
    either = Junction("or", (In(Column(0), (text_constant("a"), text_constant("b"))), IsNull(Column(3), negated=True)))
    expected = Query(
        Column(1),
        Junction("and", (Compare(Column(2, "number"), ">", bound), either)),
        order=Column(2, "number"),
        descending=True,
        limit=1,
        offset=2,
    )
    assert parse_sql(text) == expected
    assert write(expected, SQL) == text


def test_what_is_written_another_way_means_the_same() -> None:
    assert parse_sql("SELECT c1 FROM w WHERE c5 NOT NULL ORDER BY c2_number ASC") == parse_sql(
        "select c1 from w where c5 is not null order by c2_number"
    )
    assert parse_sql('select c1 from w where c2 <> "x"') == parse_sql("select c1 from w where c2 != 'x'")


def test_arithmetic_binds_as_usual() -> None:
    one, two, three = (Constant(Decimal(n), str(n)) for n in (1, 2, 3))
    assert parse_sql("select 1 - 2 - 3") == Query(Arithmetic(Arithmetic(one, "-", two), "-", three), source=False)
    assert parse_sql("select 1 - ( 2 - 3 )") == Query(Arithmetic(one, "-", Arithmetic(two, "-", three)), source=False)
    assert parse_sql("select 1 + 2 * 3") == Query(Arithmetic(one, "+", Arithmetic(two, "*", three)), source=False)
    assert write(Query(Arithmetic(Arithmetic(one, "+", two), "*", three), source=False), SQL) == "select ( 1 + 2 ) * 3"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "select",
        "select c1 , c2 from w",
        "select c1 from w where",
        "select c1 from w where c2 like 3 or",
        "select c1 from w ; drop table w",
        "select c0 from w",
        "select name from w",
        "select c1 from w limit x",
        "select c1 from w where ( c2 = 1",
        "select cast ( substr ( c1_date , 3 , 4 ) as integer ) from w",
    ],
)
def test_what_is_not_in_the_grammar_is_refused(text: str) -> None:
    with pytest.raises(SqlSyntaxError, match=r"grammar|not SQL"):
        parse_sql(text)


def test_walking_stops_at_selects_below_on_request() -> None:
    query = parse_sql("select c1 from w where c2_number = ( select max ( c3_number ) from w )")
    names = [node.name for node in walk(query) if isinstance(node, Column)]
    assert names == ["c1", "c2_number", "c3_number"]
    above = [node.name for node in walk(query, into_queries=False) if isinstance(node, Column)]
    assert above == ["c1", "c2_number"]
    assert not aggregates(Column(0))
    assert aggregates(Arithmetic(Call("max", Column(0)), "-", Call("min", Column(0))))
