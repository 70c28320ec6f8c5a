from __future__ import annotations

import operator
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reastap_lib.column_types import type_table
from reastap_lib.columns import TypedTable, mask_of, rows_in
from reastap_lib.conditions import (
    Compare,
    Condition,
    Contains,
    Happened,
    Is,
    ProgramError,
    Undetermined,
    matching,
    matching_all,
)
from reastap_lib.dates import Date, Span
from reastap_lib.programs import Count
from reastap_lib.sql import SqlTable, to_sql
from reastap_lib.tables import Table

PLAYER, CLUB, BORN, GOALS, PRIZE = range(5)
TESTS = {"=": operator.eq, "<": operator.lt, ">": operator.gt, "<=": operator.le, ">=": operator.ge}


def rows_of(condition: Condition, table: TypedTable) -> list[int]:
    """By both routes."""
    mask = matching(condition, table)
    sql = to_sql(Count((condition,)), table).replace("COUNT(*)", "id - 1")
    assert SqlTable().load(table).answer(sql) == tuple(map(str, rows_in(mask)))
    return rows_in(mask)


@pytest.mark.parametrize(
    ("condition", "rows"),
    [
        (Is(CLUB, "Reds"), [0, 2, 4, 7]),
        (Is(CLUB, "Whites"), []),
        (Compare(GOALS, "=", Decimal(12)), [1, 2]),
        (Compare(GOALS, ">", Decimal(9)), [1, 2]),
        (Compare(GOALS, ">=", Decimal(9)), [0, 1, 2]),
        (Compare(GOALS, "<", Decimal(5)), [5, 6]),
        (Compare(GOALS, "<=", Decimal(5)), [5, 6, 7]),
        (Compare(GOALS, "<=", Decimal("4.5")), [5, 6]),
        (Happened(BORN, "before", Date(1980, 7, 12)), [0, 3]),
        (Happened(BORN, "after", Date(1982, 6, 2)), [1, 6, 7]),
        (Happened(BORN, "on", Date(1980, 7, 12)), [2]),
    ],
)
def test_rows_worked_out_by_hand(condition: Condition, rows: list[int], players: TypedTable) -> None:
    assert rows_of(condition, players) == rows


def test_all_of_several_conditions(players: TypedTable) -> None:
    where = (Is(CLUB, "Reds"), Compare(GOALS, ">", Decimal(5)))
    assert rows_in(matching_all(where, players)) == [0, 2, 4]
    assert rows_in(matching_all((), players)) == list(range(8))


def test_seasons_are_before_and_after_one_another(typed) -> None:  # type: ignore[no-untyped-def]
    table = typed(["Season", "Club"], [["1999–2000", "a"], ["1998–99", "b"], ["2000–01", "c"], ["1998–99", "d"]])
    middle = Span(Date(1999), Date(2000))
    assert rows_of(Happened(0, "before", middle), table) == [1, 3]
    assert rows_of(Happened(0, "after", middle), table) == [2]
    assert rows_of(Happened(0, "on", middle), table) == [0]


@pytest.mark.parametrize(
    ("word", "rows"),
    [("art", [0, 3]), ("Art", [0, 3]), ("War", [0]), ("Bart", [1]), ("part", []), ("deco", [3])],
)
def test_whole_words_in_any_case(word: str, rows: list[int], typed) -> None:  # type: ignore[no-untyped-def]
    cells = ["The Art of War", "Bart, east", "—", "art: deco"]
    table = typed(["Song", "Motto"], [[f"s{i}", cell] for i, cell in enumerate(cells)])
    assert rows_of(Contains(1, word), table) == rows


def test_words_that_are_parts_of_others_are_unclear(typed) -> None:  # type: ignore[no-untyped-def]
    cells = ["New York", "York", "York-based firm", "Rock", "O'Rock"]
    table = typed(["Firm", "Place"], [[f"f{i}", cell] for i, cell in enumerate(cells)])
    assert table.columns[1].shared_words == {}
    for word in ("York", "rock"):
        with pytest.raises(Undetermined, match="a word that is part of another"):
            matching(Contains(1, word), table)
    assert rows_of(Contains(1, "firm"), table) == [2]


def test_words_that_a_question_may_ask_for(typed) -> None:  # type: ignore[no-untyped-def]
    cells = ["The River Café, Leeds", "Café de Paris", "The Leeds Arms", "1998 by the River", "—"]
    table = typed(["Place"], [[cell] for cell in cells])
    assert table.columns[0].shared_words == {"River": 0b1001, "Café": 0b11, "Leeds": 0b101}
    assert rows_of(Contains(0, "café"), table) == [0, 1]


def test_what_all_cells_hold_is_no_condition(typed) -> None:  # type: ignore[no-untyped-def]
    table = typed(["Race"], [["Rome Open"], ["Paris Open"], ["Open de Nice"]])
    assert table.columns[0].shared_words == {}
    assert not table.columns[0].varies


def test_conditions_must_fit_their_column(players: TypedTable) -> None:
    with pytest.raises(ProgramError, match="'Club' is a string, not a number"):
        matching(Compare(CLUB, ">", Decimal(1)), players)
    with pytest.raises(ProgramError, match="'Goals' is a number, not a string"):
        matching(Contains(GOALS, "ten"), players)
    with pytest.raises(ProgramError, match="not one word"):
        matching(Contains(CLUB, "the Reds"), players)
    with pytest.raises(ProgramError, match="'Goals' is a number, not a date"):
        matching(Happened(GOALS, "on", Date(1980)), players)
    with pytest.raises(ProgramError, match="dates to the day"):
        matching(Happened(BORN, "before", Date(1980)), players)


@given(st.lists(st.integers(-9, 9), min_size=2, max_size=40), st.sampled_from(sorted(TESTS)), st.integers(-10, 10))
def test_masks_are_what_comparing_each_cell_gives(numbers: list[int], sign: str, bound: int) -> None:
    table = type_table(Table("t", "", ("Name", "Change"), tuple((f"n{i}", str(n)) for i, n in enumerate(numbers))))
    if table.columns[1].kind != "number":
        return
    condition = Compare(1, sign, Decimal(bound))  # type: ignore[arg-type]
    expected = [i for i, number in enumerate(numbers) if TESTS[sign](number, bound)]
    assert rows_of(condition, table) == expected


@given(st.sets(st.integers(0, 80)))
def test_masks_and_rows_are_the_same(rows: set[int]) -> None:
    assert rows_in(mask_of(rows)) == sorted(rows)
    assert mask_of(rows).bit_count() == len(rows)


@given(st.lists(st.text(alphabet="ab-'. é", max_size=8), min_size=2, max_size=6), st.text(alphabet="abé", min_size=1))
def test_words_by_both_routes(cells: list[str], word: str) -> None:
    table = type_table(Table("t", "", ("Motto",), tuple((cell,) for cell in cells)))
    try:
        rows_of(Contains(0, word), table)
    except Undetermined:
        assert any(word in cell for cell in cells)
