from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import duckdb
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reastap_lib.builtin import builtin_tables
from reastap_lib.column_types import type_table
from reastap_lib.columns import TypedTable
from reastap_lib.conditions import Undetermined
from reastap_lib.pairs.categories import SqlSkill, skill_of
from reastap_lib.pairs.drawing import FORMS, SHARES, draw_statement
from reastap_lib.pairs.execution import execute_sql
from reastap_lib.pairs.grammar import SQL, write
from reastap_lib.pairs.palette import Palette
from reastap_lib.pairs.parsing import parse_sql
from reastap_lib.pairs.results import result_text
from reastap_lib.readers import read_tables
from reastap_lib.serialisation import parse, serialise
from reastap_lib.skills import get_skill
from reastap_lib.skills.drawing import Draw
from reastap_lib.sql import SqlTable, verify
from reastap_lib.sql_pairs import SqlPair, draw_pair, engine_sql, readable_name, to_text
from reastap_lib.tables import Table

BUILTIN = [type_table(table) for table in builtin_tables()[::9]]
LIVES = type_table(
    Table(
        "lives",
        "",
        ("Name", "Field", "Born", "Died", "Papers", "Books"),
        tuple(
            (
                f"Name {'abcdefghij'[i]}",
                ("Logic", "Music", "Botany")[i % 3],
                str(1800 + 7 * i),
                str(1870 + 5 * i),
                papers,
                f"{i}",
            )
            for i, papers in enumerate(["12", "7", "—", "30", "4", "9", "15", "22", "1", "3"])
        ),
    )
)


MakeTyped = Callable[[Sequence[str], Sequence[Sequence[str]]], TypedTable]


def draws(table: TypedTable, number: int, seed: int = 0) -> Iterator[SqlPair]:
    for i in range(number):
        try:
            yield draw_pair(table, np.random.default_rng([seed, i]))
        except Undetermined:
            continue


class DuckTable:
    """A typed table in DuckDB: a third engine, which sees neither files nor the network."""

    def __init__(self, table: TypedTable):
        self._table = table
        self._connection = duckdb.connect(":memory:", config={"enable_external_access": False})
        types, columns = ["id INTEGER"], [list(range(1, len(table) + 1))]
        for number, column in enumerate(table.columns, 1):
            types.append(f"c{number} TEXT")
            columns.append([cell if i in column.present else None for i, cell in enumerate(column.cells)])
            if column.kind == "number":
                whole = all(value is None or value == int(value) for value in column.values)
                types.append(f"c{number}_number {'BIGINT' if whole else 'DOUBLE'}")
                columns.append([value and (int(value) if whole else float(value)) for value in column.values])
            if column.kind == "date":
                types.append(f"c{number}_date TEXT")
                columns.append([value.iso if value else None for value in column.values])
        self._connection.execute(f"CREATE TABLE w ({', '.join(types)})")
        marks = ", ".join("?" * len(types))
        self._connection.executemany(f"INSERT INTO w VALUES ({marks})", list(zip(*columns, strict=True)))

    def answer(self, sql: str) -> tuple[str, ...]:
        rows = self._connection.execute(sql).fetchall()
        name = self._connection.description[0][0]
        return tuple(result_text(value, name, self._table.columns) for (value,) in rows)


def test_three_engines_agree() -> None:
    seen = 0
    for table in BUILTIN[::3]:
        sqlite, duck = SqlTable().load(table), DuckTable(table)
        for pair in draws(table, 30):
            assert sqlite.answer(pair.sql) == pair.answers, pair
            assert duck.answer(pair.sql) == pair.answers, pair
            seen += 1
    assert seen > 200


@pytest.mark.parametrize("skill", FORMS)
def test_every_form_is_of_its_skill(skill: SqlSkill) -> None:
    made: set[int] = set()
    for number, form in enumerate(FORMS[skill]):
        for i, table in enumerate([*BUILTIN * 3, *[LIVES] * 20]):
            try:
                statement = form(Palette(table, Draw(np.random.default_rng([7, i]).random)))
            except Undetermined:
                continue
            made.add(number)
            assert skill_of(statement) == skill, to_text(statement, table.table.header)
            assert write(parse_sql(engine_sql(statement, table)), SQL) == engine_sql(statement, table)
    assert made == set(range(len(FORMS[skill])))


def test_skills_come_by_the_shares_of_the_paper_among_those_served() -> None:
    assert sum(SHARES.values()) == pytest.approx(1)
    drawn: Counter[str] = Counter()
    for i in range(1000):
        wish = i / 1000
        for attempt in range(50):
            try:
                drawn[draw_statement(LIVES, Draw(np.random.default_rng([i, attempt]).random, wish))[0]] += 1
                break
            except Undetermined:
                continue
    assert {skill: count / 1000 for skill, count in drawn.items()} == pytest.approx(SHARES, abs=0.002)


def test_a_pair_is_a_function_of_table_and_generator(players: TypedTable) -> None:
    first, again = (list(draws(players, 40)) for _ in range(2))
    assert first == again
    assert len({pair.text for pair in first}) > 15


def test_one_text_never_means_two_things() -> None:
    for table in BUILTIN[:12]:
        meaning: dict[str, set[str]] = defaultdict(set)
        for pair in draws(table, 150):
            meaning[pair.text].add(pair.sql)
        assert {text: sqls for text, sqls in meaning.items() if len(sqls) > 1} == {}


@given(st.permutations(range(8)), st.integers(0, 10**6))
def test_the_order_of_rows_decides_nothing(players: TypedTable, order: Sequence[int], seed: int) -> None:
    try:
        _, statement = draw_statement(players, Draw(np.random.default_rng(seed).random))
        answer = execute_sql(statement, players)
    except Undetermined:
        return
    shuffled = players.take(order)
    assert sorted(execute_sql(statement, shuffled).items) == sorted(answer.items)
    assert SqlTable().load(shuffled).answer(engine_sql(statement, shuffled)) == execute_sql(statement, shuffled).items


def test_the_table_shown_is_the_table_executed() -> None:
    """After a cut, and out of the text alone."""
    for table in BUILTIN[:20]:
        shown = table.take(range(min(8, len(table))))
        for pair in draws(type_table(shown.table), 5):
            question, header, rows = parse(serialise(pair.text, shown.table.header, shown.table.rows))
            read = type_table(Table("t", "", header, rows))
            assert question == pair.text
            assert SqlTable().load(read).answer(pair.sql) == pair.answers


def test_pairs_are_a_skill(players: TypedTable) -> None:
    skill = get_skill("sql")
    assert skill.serves(players)
    engine, made = SqlTable().load(players), 0
    for i in range(60):
        try:
            question = skill.make(players, Draw(np.random.default_rng(i).random))
            answer = execute_sql(question.program, players)
        except Undetermined:
            continue
        verify(question.text, question.program, answer.items, engine)
        assert question.text.startswith("select ")
        made += 1
    assert made > 20


def test_the_readable_form_by_hand(players: TypedTable) -> None:
    header = ["Player", "Home team (2004)", "Order", "Goals"]
    statement = parse_sql(
        "select distinct c1 from w where c2 = 'O''Neill' and c4_number > ( select avg ( c4_number ) from w ) "
        "group by c3 having count ( * ) = 2 order by c3 desc limit 1"
    )
    assert to_text(statement, header) == (
        "select distinct Player where Home team (2004) = 'O''Neill' and Goals > ( select avg ( Goals ) ) "
        'group by "Order" having count ( * ) = 2 order by "Order" desc limit 1'
    )


def test_values_are_shown_as_their_cells_are(typed: MakeTyped) -> None:
    table = typed(
        ["Name", "Born", "Year", "Prize", "Votes"],
        [["Ann", "12 May 1980[a]", "1998", "$1,200", "1,234"], ["Bob", "3 June 1981", "1999", "$800", "-56"]],
    )
    palette = Palette(table, Draw(np.random.default_rng(0).random))
    shown = [palette.constant(column, 0).shown for column in range(5)]
    assert shown == ["'Ann'", "'12 May 1980'", "1998", "'$1,200'", "1234"]
    assert palette.constant(4, 1).shown == "-56"


@pytest.mark.parametrize(
    ("name", "readable"),
    [
        ("Goals", "Goals"),
        ("Win-loss %", "Win-loss %"),
        ("Goals - home", '"Goals - home"'),
        ("2004", '"2004"'),
        ("Number in group", '"Number in group"'),
        ('The "Cup"', '"The ""Cup"""'),
        ("Men's", '"Men\'s"'),
        ("a  b", '"a  b"'),
    ],
)
def test_names_that_read_as_sql_are_quoted(name: str, readable: str) -> None:
    assert readable_name(name) == readable


def test_rows_come_in_their_order_where_the_text_names_none(players: TypedTable) -> None:
    for text, sql in {
        "select c1 from w where c2 = 'Reds'": "select c1 from w where c2 = 'Reds' order by id",
        "select distinct c2 from w": "select c2 from w group by c2 order by min ( id )",
        "select count ( * ) from w": "select count ( * ) from w",
        "select sum ( c5_number ) from w": "select sum ( c5_number ) as c5 from w",
        "select avg ( c5_number ) - 1 from w": "select avg ( c5_number ) - 1 from w",
        "select c1 from w where c2 = 'a' union select c1 from w where c2 = 'b'": (
            "select c1 from w where c1 in ( select c1 from w where c2 = 'a' union select c1 from w where c2 = 'b' ) "
            "group by c1 order by min ( id )"
        ),
    }.items():
        assert engine_sql(parse_sql(text), players) == sql


@pytest.mark.realdata
def test_pairs_over_real_tables_by_two_engines(data_root: Path) -> None:
    tables = [*read_tables(str(data_root / "wikitq/csv"))[0], *read_tables(str(data_root / "tabfact/data/all_csv"))[0]]
    skills: Counter[str] = Counter()
    for number, table in enumerate(tables):
        typed = type_table(table)
        if not 8 <= len(typed) <= 30:
            continue
        engine = SqlTable().load(typed)
        for pair in draws(typed, 12, seed=number):
            assert engine.answer(pair.sql) == pair.answers, pair
            skills[pair.skill] += 1
    assert set(skills) == set(SHARES)
    assert sum(skills.values()) > 1500
