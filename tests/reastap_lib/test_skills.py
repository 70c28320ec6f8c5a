from __future__ import annotations

import re
from collections import Counter
from decimal import Decimal

import numpy as np
import pytest

from reastap_lib.builtin import builtin_tables
from reastap_lib.column_types import type_table
from reastap_lib.columns import TypedTable
from reastap_lib.conditions import Compare, Contains, Undetermined
from reastap_lib.programs import Aggregate, Count, Quantified, Rank, Select, TimeBetween, execute
from reastap_lib.skills import TABLE_1, Draw, Question, SkillError, get_skill, shares, skill, skill_names
from reastap_lib.skills.drawing import Clause
from reastap_lib.skills.registry import forget
from reastap_lib.sql import SqlTable, verify

PROGRAMS = {
    "conjunction": Select,
    "quantifiers": Quantified,
    "temporal_comparison": Rank,
    "date_difference": TimeBetween,
    "counting": Count,
    "numerical_operation": Aggregate,
    "numerical_comparison": Rank,
}


def questions(name: str, table: TypedTable, tries: int) -> list[Question]:
    found = []
    for seed in range(tries):
        try:
            question = get_skill(name).make(table, Draw(np.random.default_rng(seed).random))
            execute(question.program, table)
        except Undetermined:
            continue
        found.append(question)
    return found


def test_the_seven_skills_have_the_shares_of_table_1() -> None:
    assert {name: get_skill(name).share for name in TABLE_1} == {
        "conjunction": 0.216,
        "quantifiers": 0.103,
        "temporal_comparison": 0.145,
        "date_difference": 0.057,
        "counting": 0.18,
        "numerical_operation": 0.159,
        "numerical_comparison": 0.14,
    }


def test_skills_come_in_the_order_of_table_1() -> None:
    assert (
        *("conjunction", "quantifiers", "temporal_comparison", "date_difference", "counting"),
        *("numerical_operation", "numerical_comparison"),
    ) == TABLE_1


def test_shares_of_some_skills_sum_to_one() -> None:
    assert shares(["counting", "conjunction"]) == {"counting": 0.18 / 0.396, "conjunction": 0.216 / 0.396}


@pytest.mark.parametrize("name", sorted(PROGRAMS))
def test_a_skill_makes_questions_of_its_kind_in_several_wordings(name: str, players: TypedTable) -> None:
    assert get_skill(name).serves(players)
    found = questions(name, players, 400)
    assert len(found) >= 40
    assert {type(question.program) for question in found} == {PROGRAMS[name]}
    assert len({" ".join(question.text.split()[:2]) for question in found}) >= 3
    assert all(re.fullmatch(r"[A-Z].*[?.]", question.text) and "{" not in question.text for question in found)
    assert not any("  " in question.text for question in found)


def test_conjunctions_need_both_conditions(players: TypedTable) -> None:
    for question in questions("conjunction", players, 300):
        assert isinstance(question.program, Select)
        both = len(execute(question.program, players).items)
        for condition in question.program.where:
            assert int(execute(Count((condition,)), players).items[0]) > both


def test_S03_questions_never_cut_through_a_tie(typed) -> None:  # type: ignore[no-untyped-def]
    rows = [["Ann", "9"], ["Bob", "12"], ["Cyd", "12"], ["Dee", ""], ["Eve", "7"]]
    table = typed(["Player", "Goals"], rows)
    found = {(q.program.largest, q.program.k): execute(q.program, table).items for q in asked_for_players(table)}
    assert found == {(True, 1): ("Bob", "Cyd"), (False, 1): ("Eve",), (False, 2): ("Ann",)}


def asked_for_players(table: TypedTable) -> list[Question]:
    found = questions("numerical_comparison", table, 300)
    return [q for q in found if q.program.column == 0 and not q.program.where]


def test_S04_only_and_every_are_not_swapped(typed) -> None:  # type: ignore[no-untyped-def]
    rows = [["Ann", "12", "gold"], ["Bob", "7", "gold"], ["Cyd", "3", "gold"], ["Dee", "2", "none"]]
    table = typed(["Player", "Points", "Medal"], rows)
    found = questions("quantifiers", table, 400)
    assert len(found) > 20
    assert all((q.program.quantifier == "only") == (" only " in q.text) for q in found)
    said = {question.text: execute(question.program, table).items for question in found}
    above_3 = r"(?:greater than|more than|above) 3\?"
    every = re.compile(rf"Was the Medal gold (?:in every row where the|for every Player whose) Points were {above_3}")
    only = re.compile(rf"Was the Medal gold only (?:when the|for a Player whose) Points were {above_3}")
    assert {items for text, items in said.items() if every.fullmatch(text)} == {("Yes",)}
    assert {items for text, items in said.items() if only.fullmatch(text)} == {("No",)}


def test_units_of_time_are_named_unless_years(players: TypedTable) -> None:
    for question in questions("date_difference", players, 300):
        unit = execute(question.program, players).items[0].split()[1].rstrip("s")
        assert question.text.endswith("?" if unit == "year" else f", in {unit}s?")
        assert (", in " in question.text) == (unit != "year")
        assert "Born" in question.text


def test_names_of_several_rows_are_asked_with_their_column(typed) -> None:  # type: ignore[no-untyped-def]
    rows = [[f"team {i}", f"team {i + 1}", f"{1990 + i}"] for i in range(8)]  # team 1 to 7 stand in two rows
    found = list(questions("date_difference", typed(["Winner", "Second", "Year"], rows), 200))
    assert found
    assert all("Winner" in question.text or "Second" in question.text for question in found)
    alone = [[f"team {i}", f"town {i}", f"{1990 + i}"] for i in range(8)]
    bare = list(questions("date_difference", typed(["Winner", "Town", "Year"], alone), 200))
    assert any("Winner" not in question.text and "Town" not in question.text for question in bare)


def test_plural_names_take_no_has_and_no_every(typed) -> None:  # type: ignore[no-untyped-def]
    rows = [[f"a{i} b", f"c{i % 2}", f"{i * 3}", f"{i % 3}"] for i in range(9)]
    table = typed(["Stations", "Line", "Height", "Depth"], rows)
    for name in ("numerical_comparison", "quantifiers"):
        found = [question.text for question in questions(name, table, 200)]
        assert found
        assert not [text for text in found if " has " in text or "every Stations" in text or "a Stations" in text]


def test_quantifiers_come_out_as_drawn() -> None:
    for table in builtin_tables()[::40]:
        typed = type_table(table)
        for seed in range(20):
            draw = Draw(np.random.default_rng(seed).random)
            try:
                question = get_skill("quantifiers").make(typed, draw)
            except Undetermined:
                continue
            assert execute(question.program, typed).items == ("Yes" if draw.yes else "No",)


def test_wishes_say_what_is_asked_for(players: TypedTable) -> None:
    wishes = np.linspace(0, 1, 50, endpoint=False)
    counts = [made("counting", players, seed, wish) for seed, wish in enumerate(wishes)]
    assert [c for c in counts if c] == [str(1 + int(w * 7)) for c, w in zip(counts, wishes, strict=True) if c]
    assert len([c for c in counts if c]) > 40
    answers = [made("quantifiers", players, seed, wish) for seed, wish in enumerate(wishes)]
    assert set(answers[:25]) <= {"Yes", None}
    assert set(answers[25:]) <= {"No", None}


def made(name: str, table: TypedTable, seed: int, wish: float) -> str | None:
    try:
        question = get_skill(name).make(table, Draw(np.random.default_rng(seed).random, wish))
    except Undetermined:
        return None
    return execute(question.program, table).items[0]


@pytest.mark.parametrize("name", ["temporal_comparison", "numerical_comparison"])
def test_places_are_wished_for(name: str, players: TypedTable) -> None:
    for seed in range(100):
        try:
            question = get_skill(name).make(players, Draw(np.random.default_rng(seed).random, 0.999))
        except Undetermined:
            continue
        assert isinstance(question.program, Rank)
        assert question.program.k >= 3
        assert re.search(rf"\b{question.program.k}(?:st|nd|rd|th)\b", question.text)


def test_every_question_has_both_routes(players: TypedTable) -> None:
    engine = SqlTable().load(players)
    for name in TABLE_1:
        for question in questions(name, players, 60):
            verify(question.text, question.program, execute(question.program, players).items, engine)


def test_all_kinds_of_conditions_are_drawn(players: TypedTable) -> None:
    found = {type(c) for seed in range(300) for c in [condition(players, seed)] if c}
    assert {kind.__name__ for kind in found} == {"Is", "Compare", "Happened"}
    operators = {c.operator for seed in range(300) for c in [condition(players, seed)] if isinstance(c, Compare)}
    assert operators == {">", "<", ">=", "<=", "="}


def condition(table: TypedTable, seed: int):  # type: ignore[no-untyped-def]
    try:
        return Draw(np.random.default_rng(seed).random).condition(table)
    except Undetermined:
        return None


def test_whole_cells_of_many_words_and_single_words_are_drawn(typed) -> None:  # type: ignore[no-untyped-def]
    long, other = "The National Gallery of Art", "The Gallery of Modern Art"
    table = typed(["Work", "Museum"], [[f"w{i}", long if i % 3 else other] for i in range(9)])
    clauses = [Draw(np.random.default_rng(seed).random).clause(table) for seed in range(60)]
    said = {clause.was for clause in clauses}
    assert f"the Museum was {long}" in said
    assert 'the Museum contained the word "National"' in said
    assert not any('"Art"' in text or '"Gallery"' in text for text in said)
    assert {type(clause.condition) for clause in clauses} >= {Contains}


def test_places_are_said_to_be_not_to_exceed(typed) -> None:  # type: ignore[no-untyped-def]
    table = typed(["Rider", "Place"], [[f"r{i}", f"{i % 4 + 1}th"] for i in range(8)])
    for seed in range(40):
        found = Draw(np.random.default_rng(seed).random).condition(table)
        assert isinstance(found, Compare)
        assert found.operator == "="


def test_clauses_agree_in_number() -> None:
    goals = Clause(Compare(0, ">", Decimal(5)), "Goals", "above 5")
    assert (goals.was, goals.asked, goals.whose, goals.had) == (
        "the Goals were above 5",
        "were the Goals above 5",
        "whose Goals were above 5",
        "had Goals above 5",
    )
    assert Clause(Compare(0, ">", Decimal(5)), "Height", "above 5").had is None


def test_far_pairs_of_dates_are_wished_for_as_often_as_near_ones(typed) -> None:  # type: ignore[no-untyped-def]
    table = typed(["Film", "Year"], [[f"f{i}", str(1990 + i)] for i in range(21)])
    wishes = np.linspace(0, 1, 200, endpoint=False)
    found = Counter(made("date_difference", table, seed, wish) for seed, wish in enumerate(wishes))
    assert found == {f"{n} year{'s' if n > 1 else ''}": 10 for n in range(1, 21)}


def test_years_ranks_and_indexes_are_neither_summed_nor_ranked(typed) -> None:  # type: ignore[no-untyped-def]
    rows = [[str(i + 1), f"p{i}", str(1990 + i), str(7 * i % 8 + 2)] for i in range(8)]
    table = typed(["#", "Player", "Year", "Rank"], rows)
    assert not get_skill("numerical_operation").serves(table)
    assert not get_skill("numerical_comparison").serves(table)
    assert get_skill("temporal_comparison").serves(table)


def test_columns_with_the_same_name_are_never_used(typed) -> None:  # type: ignore[no-untyped-def]
    rows = [[f"p{i}", str(i), str(9 - i)] for i in range(8)]
    table = typed(["Player", "Gold", "Gold"], rows)
    assert (table.conditionable, table.askable) == ((), (0,))


def test_headers_without_letters_and_figures_are_never_used(typed) -> None:  # type: ignore[no-untyped-def]
    table = typed(["Player", "–", "#", "%"], [[f"p{i}", str(3 * i), str(i), "5"] for i in range(8)])
    assert (table.conditionable, table.askable) == ((), (0,))


def test_conditions_hold_in_the_row_they_are_drawn_for(players: TypedTable) -> None:
    for seed in range(300):
        draw = Draw(np.random.default_rng(seed).random)
        try:
            clause = draw.clause(players, (), row=seed % 8)
        except Undetermined:
            continue
        count = execute(Count((clause.condition,)), players)
        assert any(row == seed % 8 for row, _ in count.evidence)
        assert clause.name in clause.was


def test_a_new_skill_is_one_function(players: TypedTable) -> None:
    @skill("more_than_ten", share=0.1)
    def more_than_ten(table: TypedTable, draw: Draw) -> Question:
        return Question("How many have more than ten goals?", Count((Compare(3, ">", Decimal(10)),)))

    try:
        assert execute(
            get_skill("more_than_ten").make(players, Draw(np.random.default_rng(0).random)).program, players
        ).items == ("2",)
    finally:
        forget("more_than_ten")
    assert "more_than_ten" not in skill_names()


def test_unknown_skills_and_shares_are_errors() -> None:
    with pytest.raises(SkillError, match="did you mean 'counting'"):
        get_skill("countin")
    with pytest.raises(SkillError, match=r"a share of 0"):
        skill("none", share=0)
