from __future__ import annotations

import re
from collections import Counter
from decimal import Decimal

import numpy as np
import pytest

from reastap_lib.builtin import builtin_tables
from reastap_lib.column_types import TypedTable, type_table
from reastap_lib.programs import Aggregate, Compare, Count, Quantified, Rank, Select, TimeBetween, Undetermined, execute
from reastap_lib.skills import Draw, Question, SkillError, get_skill, shares, skill, skill_names
from reastap_lib.skills.drawing import place, plural
from reastap_lib.skills.registry import forget

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
            question = get_skill(name).make(table, Draw(np.random.default_rng(seed)))
            execute(question.program, table)
        except Undetermined:
            continue
        found.append(question)
    return found


def test_the_seven_skills_have_the_shares_of_table_1() -> None:
    assert {name: get_skill(name).share for name in skill_names()} == {
        "conjunction": 0.216,
        "quantifiers": 0.103,
        "temporal_comparison": 0.145,
        "date_difference": 0.057,
        "counting": 0.18,
        "numerical_operation": 0.159,
        "numerical_comparison": 0.14,
    }


def test_skills_come_in_the_order_of_table_1() -> None:
    assert skill_names() == (
        *("conjunction", "quantifiers", "temporal_comparison", "date_difference", "counting"),
        *("numerical_operation", "numerical_comparison"),
    )


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


def test_units_of_time_are_named_unless_years(players: TypedTable) -> None:
    for question in questions("date_difference", players, 300):
        unit = execute(question.program, players).items[0].split()[1].rstrip("s")
        assert question.text.endswith("?" if unit == "year" else f", in {unit}s?")
        assert (", in " in question.text) == (unit != "year")
        assert "Born" in question.text


def test_quantifiers_come_out_as_drawn() -> None:
    for table in builtin_tables()[::40]:
        typed = type_table(table)
        for seed in range(20):
            draw = Draw(np.random.default_rng(seed))
            try:
                question = get_skill("quantifiers").make(typed, draw)
            except Undetermined:
                continue
            assert execute(question.program, typed).items == ("Yes" if draw.yes else "No",)


def test_quantifiers_ask_for_yes_and_no_about_evenly() -> None:
    wanted = Counter(Draw(np.random.default_rng([5, i])).yes for i in range(2000))
    assert 900 < wanted[True] < 1100


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


def test_conditions_hold_in_the_row_they_are_drawn_for(players: TypedTable) -> None:
    for seed in range(300):
        draw = Draw(np.random.default_rng(seed))
        try:
            clause = draw.clause(players, (), row=seed % 8)
        except Undetermined:
            continue
        count = execute(Count((clause.condition,)), players)
        assert any(row == seed % 8 for row, _ in count.evidence)
        assert clause.was == f"the {clause.name} was {clause.said}"


def test_words_for_places() -> None:
    assert [place(1, "largest", figure=False), place(1, "largest", figure=True)] == ["largest", "1st largest"]
    assert [place(k, "latest", figure=False) for k in (2, 11, 22)] == ["2nd latest", "11th latest", "22nd latest"]


def test_plurals_only_where_sure() -> None:
    assert [plural(name) for name in ("Player", "City", "Church", "Day", "Chairman", "Person", "Race winner")] == [
        *("Players", "Cities", "Churches", "Days", "Chairmen", "People"),
        "Race winners",
    ]
    assert [plural(name) for name in ("Goals", "No.", "Weather", "GDP", "Name (age)", "Released")] == [None] * 6


def test_a_new_skill_is_one_function(players: TypedTable) -> None:
    @skill("more_than_ten", share=0.1)
    def more_than_ten(table: TypedTable, draw: Draw) -> Question:
        return Question("How many have more than ten goals?", Count((Compare(3, ">", Decimal(10)),)))

    try:
        assert execute(
            get_skill("more_than_ten").make(players, Draw(np.random.default_rng(0))).program, players
        ).items == ("2",)
    finally:
        forget("more_than_ten")
    assert "more_than_ten" not in skill_names()


def test_unknown_skills_and_shares_are_errors() -> None:
    with pytest.raises(SkillError, match="did you mean 'counting'"):
        get_skill("countin")
    with pytest.raises(SkillError, match=r"a share of 0"):
        skill("none", share=0)
