from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import pytest

from reastap_lib.columns import TypedTable
from reastap_lib.conditions import Compare, Contains, Happened, Is, ProgramError, Undetermined
from reastap_lib.dates import Date
from reastap_lib.programs import Aggregate, Answer, Count, Quantified, Rank, Select, TimeBetween, execute
from reastap_lib.sql import SqlError, SqlTable, VerificationError, to_sql, verify

PLAYER, CLUB, BORN, GOALS, PRIZE = range(5)
OVER_5 = Compare(GOALS, ">", Decimal(5))
REDS = Is(CLUB, "Reds")


def both_routes(program: Any, table: TypedTable) -> tuple[str, ...]:
    items = execute(program, table).items
    assert SqlTable().load(table).answer(to_sql(program, table)) == items
    return items


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        (Select(PLAYER, (REDS, OVER_5)), ("Ann", "Cyd", "Eve")),
        (Select(GOALS, (Is(PLAYER, "Ann"),)), ("9",)),
        (Count((OVER_5,)), ("4",)),
        (Count((Compare(GOALS, ">=", Decimal(12)),)), ("2",)),
        (Count((Compare(GOALS, "<=", Decimal(3)), Is(CLUB, "Greens"))), ("2",)),
        (Count((Happened(BORN, "before", Date(1980, 7, 12)),)), ("2",)),
        (Count((Happened(BORN, "after", Date(1980, 7, 12)),)), ("5",)),
        (Count((Happened(BORN, "on", Date(1980, 5, 13)),)), ("1",)),
        (Aggregate("sum", GOALS, (REDS,)), ("33",)),
        (Aggregate("average", GOALS, (REDS,)), ("8.25",)),
        (Aggregate("sum", PRIZE, ()), ("$5,150",)),
        (Aggregate("average", PRIZE, (REDS,)), ("$1,067.5",)),
        (Count((Contains(CLUB, "reds"), OVER_5)), ("3",)),
        (Rank(PLAYER, BORN, 1, False, ()), ("Ann",)),
        (Rank(PLAYER, BORN, 2, True, ()), ("Hal",)),
        (Rank(PLAYER, PRIZE, 3, True, (REDS,)), ("Hal",)),
        (Rank(PLAYER, GOALS, 1, False, ()), ("Fay",)),
        (TimeBetween(PLAYER, "Ann", "Bob", BORN), ("16 years",)),
        (TimeBetween(PLAYER, "Cyd", "Ann", BORN), ("2 months",)),
        (TimeBetween(PLAYER, "Dee", "Ann", BORN), ("1 day",)),
    ],
)
def test_both_routes_give_the_answer_worked_out_by_hand(
    program: Any, expected: tuple[str, ...], players: TypedTable
) -> None:
    assert both_routes(program, players) == expected


def test_S03_ties_and_missing_cells(typed) -> None:  # type: ignore[no-untyped-def]
    rows = [["Ann", "9"], ["Bob", "12"], ["Cyd", "12"], ["Dee", ""], ["Eve", "7"]]
    table = typed(["Player", "Goals"], rows)
    assert both_routes(Rank(0, 1, 1, True, ()), table) == ("Bob", "Cyd")
    assert both_routes(Rank(0, 1, 1, False, ()), table) == ("Eve",)
    assert both_routes(Rank(0, 1, 2, False, ()), table) == ("Ann",)
    for k in (2, 3, 4):
        with pytest.raises(Undetermined, match="a tie at or above"):
            execute(Rank(0, 1, k, True, ()), table)
    with pytest.raises(Undetermined, match="a tie at or above"):
        execute(Rank(0, 1, 3, False, ()), table)
    with pytest.raises(Undetermined, match="fewer rows"):
        execute(Rank(0, 1, 5, False, ()), table)


def test_S04_every_and_only(typed) -> None:  # type: ignore[no-untyped-def]
    rows = [["Ann", "12", "gold"], ["Bob", "7", "gold"], ["Cyd", "3", "gold"], ["Dee", "2", "none"]]
    table = typed(["Player", "Points", "Medal"], rows)
    over_5, gold = Compare(1, ">", Decimal(5)), Is(2, "gold")
    assert both_routes(Quantified("every", over_5, gold), table) == ("Yes",)
    assert both_routes(Quantified("only", over_5, gold), table) == ("No",)
    assert both_routes(Quantified("only", gold, over_5), table) == ("Yes",)
    with pytest.raises(Undetermined, match="no row meets"):
        execute(Quantified("every", Compare(1, ">", Decimal(50)), gold), table)


@pytest.mark.parametrize(
    ("program", "reason"),
    [
        (Select(GOALS, (Is(CLUB, "Blues"),)), "a missing cell in the answer"),
        (Select(CLUB, (OVER_5,)), "the same answer twice"),
        (Select(PRIZE, (REDS,)), "a comma inside one of several answers"),
        (Select(PLAYER, (Is(CLUB, "Whites"),)), "no row meets the conditions"),
        (Count((Compare(GOALS, ">", Decimal(99)),)), "no row meets the conditions"),
        (Aggregate("sum", GOALS, (Is(CLUB, "Blues"),)), "a missing cell among the numbers"),
        (TimeBetween(PLAYER, "Ann", "Ann", BORN), "no time between the two"),
        (TimeBetween(CLUB, "Reds", "Blues", BORN), "several rows"),
        (Quantified("every", REDS, OVER_5), "a missing cell under only or every"),
        (Aggregate("sum", BORN, ()), "no sum of such a column"),
    ],
)
def test_what_is_not_determined_is_rejected_with_its_reason(program: Any, reason: str, players: TypedTable) -> None:
    with pytest.raises(Undetermined, match=reason):
        execute(program, players)


def test_S02_mixed_units_years_and_ranks_are_not_summed(typed) -> None:  # type: ignore[no-untyped-def]
    table = typed(["Name", "Share", "Year", "Rank"], [["Ann", "12%", "1990", "1"], ["Bob", "$5", "1992", "4"]])
    for column in (1, 2, 3):
        with pytest.raises(Undetermined, match="no sum of such a column"):
            execute(Aggregate("sum", column, ()), table)


def test_programs_that_do_not_fit_are_errors(players: TypedTable) -> None:
    with pytest.raises(ProgramError, match="'Club' is a string and has no order"):
        execute(Rank(PLAYER, CLUB, 1, True, ()), players)
    with pytest.raises(ProgramError, match="'Club' is a string, not a date"):
        execute(TimeBetween(PLAYER, "Ann", "Bob", CLUB), players)
    with pytest.raises(ProgramError, match="not a program: 'Count'"):
        execute("Count", players)
    with pytest.raises(ProgramError, match="not a program: 'Count'"):
        to_sql("Count", players)


def test_no_time_is_told_between_ranges(typed) -> None:  # type: ignore[no-untyped-def]
    table = typed(["Club", "Season"], [["a", "1998–99"], ["b", "1999–2000"]])
    with pytest.raises(ProgramError, match=r"'Season' is a date \(range\), not a date"):
        execute(TimeBetween(0, "a", "b", 1), table)
    assert both_routes(Rank(0, 1, 1, True, ()), table) == ("b",)


def test_first_places_are_shared_by_three_at_most(typed) -> None:  # type: ignore[no-untyped-def]
    table = typed(["Player", "Goals", "Cards"], [[f"p{i}", str(9 - i // 3), str(i // 4)] for i in range(8)])
    assert both_routes(Rank(0, 1, 1, True, ()), table) == ("p0", "p1", "p2")
    with pytest.raises(Undetermined, match="more than 3 rows that tie"):
        execute(Rank(0, 2, 1, False, ()), table)


def test_cells_that_differ_in_case_only_are_no_condition(typed) -> None:  # type: ignore[no-untyped-def]
    table = typed(["Song", "Band"], [["a", "The Who"], ["b", "the who"], ["c", "Queen"]])
    with pytest.raises(Undetermined, match="differ in case only"):
        execute(Count((Is(1, "The Who"),)), table)


def test_evidence_names_the_cells(players: TypedTable) -> None:
    assert execute(Select(PLAYER, (REDS, OVER_5)), players).evidence == (
        *((0, PLAYER), (0, CLUB), (0, GOALS)),
        *((2, PLAYER), (2, CLUB), (2, GOALS)),
        *((4, PLAYER), (4, CLUB), (4, GOALS)),
    )
    two = execute(TimeBetween(PLAYER, "Ann", "Bob", BORN), players).evidence
    assert two == ((0, PLAYER), (0, BORN), (1, PLAYER), (1, BORN))


def test_a_wrong_answer_is_found_out(players: TypedTable) -> None:
    program, engine = Count((OVER_5,)), SqlTable().load(players)
    assert verify("How many?", program, ["4"], engine) == "SELECT COUNT(*) FROM w WHERE c4_number > 5"
    with pytest.raises(VerificationError, match=r"'How many\?'.*\['5'\].*\['4'\]"):
        verify("How many?", program, ["5"], engine)


def test_sql_needs_a_table_and_one_column(players: TypedTable) -> None:
    with pytest.raises(SqlError, match="no table is loaded"):
        _ = SqlTable().table
    with pytest.raises(SqlError, match="no such column: c99"):
        SqlTable().load(players).answer("SELECT c99 FROM w")
    with pytest.raises(SqlError, match="one column"):
        SqlTable().load(players).answer("SELECT c1, c2 FROM w")


@dataclass(frozen=True)
class Lead:
    """The first player by name: a program of one's own."""

    column: int


def test_a_program_of_ones_own_has_both_routes(players: TypedTable) -> None:
    @execute.register
    def _lead(program: Lead, table: TypedTable) -> Answer:
        return Answer((min(table.columns[program.column].cells),), ())

    @to_sql.register
    def _lead_sql(program: Lead, table: TypedTable) -> str:
        return f"SELECT MIN(c{program.column + 1}) FROM w"

    assert both_routes(Lead(CLUB), players) == ("Blues",)


def test_quotes_in_cells_reach_sql_whole(typed) -> None:  # type: ignore[no-untyped-def]
    table = typed(["Song", "Band"], [['It\'s "me"; --', "O'Hara"], ["Other", "O'Hara"]])
    assert both_routes(Select(0, (Is(1, "O'Hara"),)), table) == ('It\'s "me"; --', "Other")
    assert both_routes(Select(1, (Is(0, 'It\'s "me"; --'),)), table) == ("O'Hara",)


def test_sums_of_decimals_are_exact_by_both_routes(typed) -> None:  # type: ignore[no-untyped-def]
    table = typed(["Name", "Amount"], [[f"n{i}", "0.1"] for i in range(30)])
    assert both_routes(Aggregate("sum", 1, ()), table) == ("3.0",)
    halves = typed(["Name", "Amount"], [["a", "2.67"], ["b", "2.68"]])
    assert both_routes(Aggregate("average", 1, ()), halves) == ("2.68",)
