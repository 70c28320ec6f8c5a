from __future__ import annotations

from decimal import Decimal

import pytest

from reastap_lib.column_types import TypedTable
from reastap_lib.programs import (
    Aggregate,
    Compare,
    Count,
    Happened,
    Is,
    Program,
    ProgramError,
    Quantified,
    Rank,
    Select,
    TimeBetween,
    Undetermined,
    execute,
)
from reastap_lib.sql import SqlTable, VerificationError, to_sql, verify
from reastap_lib.values import Date

PLAYER, CLUB, BORN, GOALS, PRIZE = range(5)
OVER_5 = Compare(GOALS, ">", Decimal(5))
REDS = Is(CLUB, "Reds")


def both_routes(program: Program, table: TypedTable) -> tuple[str, ...]:
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
    program: Program, expected: tuple[str, ...], players: TypedTable
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
def test_what_is_not_determined_is_rejected_with_its_reason(program: Program, reason: str, players: TypedTable) -> None:
    with pytest.raises(Undetermined, match=reason):
        execute(program, players)


def test_S02_mixed_units_years_and_ranks_are_not_summed(typed) -> None:  # type: ignore[no-untyped-def]
    table = typed(["Name", "Share", "Year", "Rank"], [["Ann", "12%", "1990", "1"], ["Bob", "$5", "1992", "4"]])
    for column in (1, 2, 3):
        with pytest.raises(Undetermined, match="no sum of such a column"):
            execute(Aggregate("sum", column, ()), table)


def test_programs_that_do_not_fit_are_errors(players: TypedTable) -> None:
    with pytest.raises(ProgramError, match="'Club' is a string, not a number"):
        execute(Count((Compare(CLUB, ">", Decimal(1)),)), players)
    with pytest.raises(ProgramError, match="'Club' is a string and has no order"):
        execute(Rank(PLAYER, CLUB, 1, True, ()), players)
    with pytest.raises(ProgramError, match="dates to the day"):
        execute(Count((Happened(BORN, "before", Date(1980)),)), players)


def test_cells_that_differ_in_case_only_are_no_condition(typed) -> None:  # type: ignore[no-untyped-def]
    table = typed(["Song", "Band"], [["a", "The Who"], ["b", "the who"], ["c", "Queen"]])
    with pytest.raises(Undetermined, match="differ only in case"):
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
    program = Count((OVER_5,))
    assert verify("How many?", program, ["4"], players, SqlTable()) == "SELECT COUNT(*) FROM w WHERE c4_number > 5"
    with pytest.raises(VerificationError, match=r"'How many\?'.*\['5'\].*\['4'\]"):
        verify("How many?", program, ["5"], players, SqlTable())


def test_quotes_in_cells_reach_sql_whole(typed) -> None:  # type: ignore[no-untyped-def]
    table = typed(["Song", "Band"], [['It\'s "me"; --', "O'Hara"], ["Other", "O'Hara"]])
    assert both_routes(Select(0, (Is(1, "O'Hara"),)), table) == ('It\'s "me"; --', "Other")
    assert both_routes(Select(1, (Is(0, 'It\'s "me"; --'),)), table) == ("O'Hara",)


def test_sums_of_decimals_are_exact_by_both_routes(typed) -> None:  # type: ignore[no-untyped-def]
    table = typed(["Name", "Amount"], [[f"n{i}", "0.1"] for i in range(30)])
    assert both_routes(Aggregate("sum", 1, ()), table) == ("3.0",)
    halves = typed(["Name", "Amount"], [["a", "2.67"], ["b", "2.68"]])
    assert both_routes(Aggregate("average", 1, ()), halves) == ("2.68",)
