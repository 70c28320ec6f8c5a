from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from reastap_lib.columns import TypedTable
from reastap_lib.conditions import ProgramError, Undetermined
from reastap_lib.pairs.execution import execute_sql, rows_where
from reastap_lib.pairs.grammar import Query
from reastap_lib.pairs.parsing import parse_sql
from reastap_lib.sql import SqlTable
from reastap_lib.sql_pairs import engine_sql

MakeTyped = Callable[[Sequence[str], Sequence[Sequence[str]]], TypedTable]

# c1 Player, c2 Club, c3 Born (date), c4 Goals (Dee's is missing), c5 Prize ($)
ANSWERS = {
    "select c1 from w where c2 = 'Greens'": ("Fay", "Gil"),
    "select c1 from w where c4_number > 5 and c2 != 'Reds'": ("Bob",),
    "select c1 from w where c2 = 'Greens' or c4_number >= 12": ("Bob", "Cyd", "Fay", "Gil"),
    "select c1 from w where c4_number between 3 and 7": ("Eve", "Gil", "Hal"),
    "select c1 from w where c1 in ( 'Hal' , 'Ann' )": ("Ann", "Hal"),
    "select c1 from w where c1 not in ( select c1 from w where c2 != 'Greens' )": ("Fay", "Gil"),
    "select c1 from w where c2 like '%een%'": ("Fay", "Gil"),
    "select c1 from w where c4 is null": ("Dee",),
    "select count ( c4 ) from w": ("7",),
    "select count ( * ) from w where c4 is not null": ("7",),
    "select count ( distinct c2 ) from w": ("3",),
    "select distinct c2 from w where c4_number > 5": ("Reds", "Blues"),
    "select sum ( c5_number ) from w where c2 = 'Reds'": ("$4,270",),
    "select avg ( c5_number ) from w where c2 != 'Greens'": ("$846.67",),
    "select min ( c4_number ) from w where c2 = 'Reds'": ("5",),
    "select max ( c5_number ) - min ( c5_number ) from w": ("$2,990",),
    "select ( select c4_number from w where c1 = 'Ann' ) - ( select c4_number from w where c1 = 'Bob' )": ("-3",),
    "select ( select c4_number from w where c1 = 'Ann' ) / ( select c4_number from w where c1 = 'Bob' )": ("0.75",),
    "select c4_number * c5_number from w where c1 = 'Fay'": ("30",),
    "select c1 from w where c4_number > 0 order by c5_number desc limit 2": ("Cyd", "Ann"),
    "select c1 from w where c2 = 'Reds' order by c4_number limit 1 offset 1": ("Eve",),
    "select c1 from w where c3_date < ( select c3_date from w where c1 = 'Dee' )": ("Ann",),
    "select c1 from w where year ( c3_date ) = 1980 and month ( c3_date ) = 7": ("Cyd",),
    "select year ( max ( c3_date ) ) - year ( min ( c3_date ) ) from w": ("16",),
    "select c1 from w where c5_number = ( select max ( c5_number ) from w where c2 = 'Greens' )": ("Gil",),
    "select c1 from w where c5_number > ( select avg ( c5_number ) from w )": ("Ann", "Bob", "Cyd"),
    "select c2 from w group by c2 order by count ( * ) desc limit 1": ("Reds",),
    "select c2 from w group by c2 having count ( * ) = 2": ("Blues", "Greens"),
    "select c2 from w group by c2 having min ( c5_number ) >= 20": ("Reds", "Greens"),
    "select c1 from w where c2 = 'Greens' union select c1 from w where c5_number > 1000": ("Ann", "Cyd", "Fay", "Gil"),
    "select c1 from w where c2 = 'Reds' intersect select c1 from w where c5_number > 1000": ("Ann", "Cyd"),
    "select abs ( sum ( c4_number ) - 40 ) from w where c2 = 'Reds'": ("7",),
}
REASONS = {
    "select c1 from w where c4_number > 50": "no row meets the conditions",
    "select c1 from w order by c4_number limit 1": "a missing cell in the order",
    "select c1 from w where c4 is not null order by c4_number desc limit 1": "a tie decides the order",
    "select c1 from w where c4 is not null order by c4_number desc limit 2": "a tie decides the order",
    "select c2 from w where c2 != 'Reds' group by c2 order by count ( * ) limit 1": "a tie decides the order",
    "select c1 from w limit 1": "a limit without an order",
    "select c1 from w where c2 = 'Greens' order by c5_number limit 3": "fewer rows than asked for",
    "select sum ( c4_number ) from w": "a missing cell among the numbers",
    "select c1 from w where c4 != '9'": "a missing cell under a negation",
    "select c4 from w where c2 = 'Blues'": "a missing cell in the answer",
    "select c1 from w where c4_number = ( select c4_number from w where c2 = 'Reds' )": "a scalar select of several",
    "select c2 from w where c5_number > 700": "the same answer twice",
    "select c5 from w where c2 = 'Reds'": "a comma inside one of several answers",
    "select c1 from w where c2 like '%reds%'": "a pattern where case decides",
    "select c1 from w where c2 like '%R_d%'": "a wildcard inside a pattern",
    "select c1 from w where c5_number = ( select avg ( c5_number ) from w where c1 in ( 'Eve' , 'Gil' ) )": "computed",
    "select c2 from w group by c2 having count ( * ) > 4": "no group meets the condition",
    "select c4_number / ( c4_number - c4_number ) from w where c1 = 'Ann'": "a division by zero",
    "select sum ( c5_number ) * 9999999999 from w": "a result of too many digits",
    "select c1 from w where c2 = 'Reds' intersect select c1 from w where c2 = 'Blues'": "no result",
}


@pytest.mark.parametrize(("text", "answers"), ANSWERS.items())
def test_answers_by_hand_and_by_sqlite(players: TypedTable, text: str, answers: tuple[str, ...]) -> None:
    statement = parse_sql(text)
    assert execute_sql(statement, players).items == answers
    assert SqlTable().load(players).answer(engine_sql(statement, players)) == answers


@pytest.mark.parametrize(("text", "reason"), REASONS.items())
def test_what_the_table_does_not_determine(players: TypedTable, text: str, reason: str) -> None:
    with pytest.raises(Undetermined, match=reason):
        execute_sql(parse_sql(text), players)


@pytest.mark.parametrize(
    "text",
    [
        "select sum ( c2 ) from w",
        "select c2_number from w",
        "select max ( c3_date ) from w",
        "select year ( c4_number ) from w where c1 = 'Ann'",
        "select c1 + c2 from w",
        "select c2 from w group by c2 having count ( * ) in ( 1 , 2 )",
    ],
)
def test_what_does_not_fit_the_table(players: TypedTable, text: str) -> None:
    with pytest.raises(ProgramError):
        execute_sql(parse_sql(text), players)


def test_the_evidence_is_the_cells_that_were_read(players: TypedTable) -> None:
    found = execute_sql(parse_sql("select c1 from w where c2 = 'Greens'"), players)
    assert found.evidence == ((5, 0), (5, 1), (6, 0), (6, 1))
    below = "select count ( * ) from w where c5_number > ( select c5_number from w where c1 = 'Bob' )"
    assert execute_sql(parse_sql(below), players).evidence == ((0, 4), (1, 0), (1, 4), (2, 4))


def test_more_than_ten_answers_are_refused(typed: MakeTyped) -> None:
    table = typed(["Name", "Score"], [[f"name {chr(97 + i)}", str(i)] for i in range(12)])
    assert len(execute_sql(parse_sql("select c1 from w where c2_number < 10"), table).items) == 10
    with pytest.raises(Undetermined, match="more than 10 answers"):
        execute_sql(parse_sql("select c1 from w"), table)


def test_cells_that_differ_only_in_case_are_refused(typed: MakeTyped) -> None:
    table = typed(["Name", "Club"], [["Ann", "Reds"], ["Bob", "reds"], ["Cyd", "Blues"], ["Dee", "Blues"]])
    for text in ("c1 from w where c2 = 'Reds'", "count ( distinct c2 ) from w", "c2 from w group by c2"):
        with pytest.raises(Undetermined, match="cells that differ only in case"):
            execute_sql(parse_sql(f"select {text}"), table)


def test_numbers_are_exact_where_floats_are_not(typed: MakeTyped) -> None:
    table = typed(["Name", "Share"], [["Ann", "0.1"], ["Bob", "0.2"], ["Cyd", "0.3"], ["Dee", "0.7"]])
    for text, answer in {
        "select sum ( c2_number ) from w where c1 in ( 'Ann' , 'Bob' )": "0.3",
        "select avg ( c2_number ) from w": "0.33",  # 0.325 is rounded half up
        "select max ( c2_number ) - min ( c2_number ) from w": "0.6",
        "select sum ( c2_number ) / count ( * ) from w": "0.33",
    }.items():
        statement = parse_sql(text)
        assert execute_sql(statement, table).items == (answer,)
        assert SqlTable().load(table).answer(engine_sql(statement, table)) == (answer,)


def test_a_mean_at_the_edge_of_rounding_is_refused(typed: MakeTyped) -> None:
    # 0.999999994 / 8 lies just below 0.125
    cells = ["0.999999994", "0", "0", "0", "0", "0", "0", "0"]
    table = typed(["Name", "Share"], [[f"name {i}", cell] for i, cell in enumerate(cells)])
    with pytest.raises(Undetermined, match="edge of rounding"):
        execute_sql(parse_sql("select sum ( c2_number ) / count ( * ) from w"), table)


def test_rows_where(players: TypedTable) -> None:
    query = parse_sql("select c1 from w where c2 = 'Reds' and c4_number < 9")
    assert isinstance(query, Query)
    assert query.where
    assert rows_where(query.where, players) == {4, 7}
