"""The oracle: expectations by hand, and independence of the generator."""

from __future__ import annotations

import ast
from datetime import date
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import reastap_lib.oracle
from reastap_lib.oracle import Sheet, ask, faults_of_english, stands_in
from reastap_lib.oracle.calendar import time
from reastap_lib.oracle.grammar import readings
from reastap_lib.oracle.quantities import quantity
from reastap_lib.oracle.sheet import Unclear, Unreadable

PLAYERS = Sheet(
    ["Player", "Club", "Home town", "Born", "Goals", "Prize", "Rank"],
    [
        ["Ann", "Reds", "York", "12 May 1980", "9", "$1,200", "1"],
        ["Bob", "Blues", "Leeds", "12 May 1996", "12", "$800", "2"],
        ["Cyd", "Reds", "York", "12 July 1980", "12", "$3,000", "3"],
        ["Dee", "Blues and Whites", "Leeds", "13 May 1980", "—", "$10", "4"],
        ["Eve", "Reds", "Hull", "1 June 1981", "7", "$20", "5"],
    ],
)


def test_nothing_of_the_generator_is_imported() -> None:
    """Only text utilities, and the oracle's own modules."""
    allowed = {"reastap_lib.tables"}
    for path in Path(reastap_lib.oracle.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            ours = {name for name in names if name.startswith(("reastap_lib", "workbench_lib"))}
            assert {n for n in ours if not n.startswith("reastap_lib.oracle")} <= allowed, path.name


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What was the Player when the Club was Reds and the Goals were at least 10?", "Cyd"),
        ("List the Player of every row where the Club was Reds and the Home town was York.", "Ann, Cyd"),
        ("How many rows are there where the Club was Reds?", "3"),
        ("How many Players had Goals above 9?", "2"),
        ("In how many rows was the Born date before 13 May 1980?", "1"),
        ('For how many Players did the Club contain the word "Blues"?', "2"),
        ("Which Player had the most Goals?", "Bob, Cyd"),
        ("Which Player whose Club was Reds had the 2nd fewest Goals?", "Ann"),
        ("Going by the Born date, which Player came 4th?", "Eve"),
        ("What was the Home town in the row with the most recent Born date?", "Leeds"),
        ("What is the sum of the whole Prize column?", "$5,030"),
        ("What was the average of the Goals when the Club was Reds?", "9.33"),
        ("How far apart are the Player Ann and the Player Bob, going by the Born date?", "16 years"),
        ("How much time lies between the Born date of Ann and the Born date of Cyd, in months?", "2 months"),
        ("Going by the Born date, how much time is there between Dee and Ann, in days?", "1 day"),
        ("Was the Club Reds for every Player whose Home town was York?", "Yes"),
        ("Is it true that the Club was Reds only where the Home town was York?", "No"),
        ("Was it only in rows where the Club was Reds that the Home town was York?", "Yes"),
    ],
)
def test_answers(question: str, answer: str) -> None:
    assert ask(question, PLAYERS).text == answer


@pytest.mark.parametrize(
    ("question", "why"),
    [
        ("Which Player had the 2nd most Goals?", "a tie at or above the place"),
        ("What was the Goals when the Player was Dee?", "blank"),
        ("How many Clubs had Goals above 3?", "a name of several rows"),
        ("Going by the Born date, how much time is there between Reds and Bob?", "a name of several rows"),
        ("What is the sum of the whole Rank column?", "name or order things"),
        ("What was the average of the Goals over all rows?", ""),
    ],
)
def test_what_readers_could_differ_on(question: str, why: str) -> None:
    reply = ask(question, PLAYERS)
    assert not reply.text or not why
    assert why in reply.unclear


def test_a_word_that_is_also_part_of_another_is_unclear() -> None:
    sheet = Sheet(["Name", "Town"], [["Ann", "New York"], ["Bob", "York-based"], ["Cyd", "Hull"]])
    assert "York" in ask('How many Names are listed for which the Town contained the word "York"?', sheet).unclear


def test_a_header_that_is_part_of_another_gives_two_readings() -> None:
    rows = [["Ann", "team Reds", "Blues"], ["Bob", "Blues", "Reds"], ["Cyd", "x", "Reds"]]
    sheet = Sheet(["Name", "Home", "Home team"], rows)
    assert "several readings" in ask("How many times was the Home team Reds?", sheet).unclear


def test_a_value_that_holds_and_the_gives_two_readings() -> None:
    rows = [["Ann", "Hull and the Club was Reds", "Blues"], ["Bob", "Hull", "Reds"], ["Cyd", "Hull", "Reds"]]
    sheet = Sheet(["Name", "Town", "Club"], rows)
    assert (
        "several readings"
        in ask("How many times was the Town Hull and the Club was Reds?", sheet).unread
        + ask("How many rows are there where the Town was Hull and the Club was Reds?", sheet).unclear
    )


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("1,234", Fraction(1234), "#"),
        ("12 000", Fraction(12000), "#"),
        (".500", Fraction(1, 2), "#"),
        ("-3", Fraction(-3), "#"),
        ("−$5", Fraction(-5), "$#"),
        ("US$5", Fraction(5), "$#"),
        ("45%[a]", Fraction(45), "#%"),
        ("3.4 million", Fraction(3400000), "#"),
        ("$1.2 billion", Fraction(1200000000), "$#"),
        ("3 miles", Fraction(3), "# mile"),
        ("120 (394)", Fraction(120), "# ()"),
        ("2½", Fraction(5, 2), "#"),
        ("3:19:53", Fraction(11993), "clock"),
        ("1 h 20 min", Fraction(4800), "clock"),
        ("5'11\"", Fraction(71), "feet and inches"),
        ("T3", Fraction(3), "ordinal"),
        ("2nd", Fraction(2), "ordinal"),
    ],
)
def test_quantities(text: str, value: Fraction, unit: str) -> None:
    found = quantity(text)
    assert found
    assert (found.value, found.unit) == (value, unit)


@pytest.mark.parametrize("text", ["", "Ann", "Boeing 747", "1,2,3", "12 May 1998", "6–4, 6–2", "l 24 - 14"])
def test_no_quantities(text: str) -> None:
    assert quantity(text) is None


@given(st.integers(min_value=-(10**12), max_value=10**12))
def test_whole_numbers_are_read_as_python_writes_them(number: int) -> None:
    for text in (f"{number}", f"{number:,}"):
        found = quantity(text)
        assert found
        assert found.value == number


@given(st.dates(min_value=date(1000, 1, 1), max_value=date(2999, 12, 31)))
def test_dates_are_read_as_python_writes_them(day: date) -> None:
    for form in ("%d %B %Y", "%b %d, %Y", "%A, %d %B %Y", "%Y-%m-%d"):
        found = time(day.strftime(form))
        assert found
        assert found.first == (day.year, day.month, day.day)


def test_order_of_day_and_month_is_that_of_the_column() -> None:
    header, rows = ["Name", "Day"], [["Ann", "05/06/2001"], ["Bob", "25/06/2001"]]
    assert Sheet(header, rows).times(1)[0].first == (2001, 6, 5)
    with pytest.raises(Unreadable, match="day or month"):
        Sheet(header, rows[:1]).times(1)


def test_different_units_are_not_compared() -> None:
    with pytest.raises(Unreadable, match="different units"):
        Sheet(["Price"], [["$5"], ["£3"]]).numbers(0)


def test_numbers_that_name_things_are_no_measures() -> None:
    with pytest.raises(Unclear):
        Sheet(["Elected"], [["1998"], ["2002"]]).measures(0)


def test_every_reading_is_found() -> None:
    sheet = Sheet(["A", "B and the A"], [["x", "y"]])
    assert [kind for kind, _ in readings(sheet, "How many rows are there where the A was x?")] == ["count"]


@pytest.mark.parametrize(
    ("question", "fault"),
    [
        ("Which Name had the 21th most Goals?", "'21th' is no ordinal"),
        ("Was the Club Reds only for a Owner whose Goals were 3?", "'a Owner'"),
        ("Was the Club Reds only for an Unit whose Goals were 3?", "'an Unit'"),
        ("Was the Team Team Penske?", "a word twice: 'Team Team'"),
        ("which Name?", "no capital"),
        ("Which Name ?", "before a mark"),
        ("Which  Name?", "two spaces"),
    ],
)
def test_bad_english(question: str, fault: str) -> None:
    assert any(fault in found for found in faults_of_english(question, "Name\nTeam Penske"))


def test_good_english() -> None:
    question = "Was the Band Duran Duran only for an FBI agent whose Share was at least .333?"
    assert list(faults_of_english(question, "Band\nDuran Duran")) == []


def test_answers_that_stand_in_a_question() -> None:
    assert stands_in("3–0", ["3–0"])
    assert not stands_in("Art", ["Artist"])
