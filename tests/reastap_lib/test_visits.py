from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from reastap_lib.columns import TypedTable
from reastap_lib.conditions import Is
from reastap_lib.programs import Count, Select
from reastap_lib.serialisation import serialise
from reastap_lib.skills import Draw, Question, Skill, get_skill
from reastap_lib.sql import VerificationError
from reastap_lib.tables import Table
from reastap_lib.visits import ATTEMPTS, Visit


def visit(table: TypedTable, max_words: int = 350) -> Visit:
    return Visit(0, table.table, "train", max_words)


def random(seed: int = 0):  # type: ignore[no-untyped-def]
    return np.random.default_rng(seed).random


def one(question: Question) -> Skill:
    return Skill("mine", 0.1, lambda table, draw: question, lambda table: True)


def test_a_question_becomes_a_row(players: TypedTable) -> None:
    skill = one(Question("Who played for the Blues?", Select(0, (Is(1, "Blues"),))))
    row = visit(players).ask(skill, random(), 0.5, Counter())
    assert row is not None
    assert (row["answers"], row["target"], row["split"], row["table"]) == (["Bob", "Dee"], "Bob, Dee", "train", "t")
    assert row["sql"] == "SELECT c1 FROM w WHERE c2 = 'Blues' ORDER BY id"
    assert row["evidence"] == [1, 0, 1, 1, 3, 0, 3, 1]
    assert row["source"] == serialise("Who played for the Blues?", players.table.header, players.table.rows)


def test_nothing_is_asked_twice(players: TypedTable) -> None:
    shown, rejected = visit(players), Counter[str]()
    program = Count((Is(1, "Reds"),))
    assert shown.ask(one(Question("How many Reds?", program)), random(), 0.5, rejected)
    assert shown.ask(one(Question("How many are Reds?", program)), random(), 0.5, rejected) is None
    assert shown.ask(one(Question("How many Reds?", Count((Is(1, "Blues"),)))), random(), 0.5, rejected) is None
    assert rejected == {"mine: asked of this table before": 2 * ATTEMPTS}
    assert shown.asked == 1


@pytest.mark.parametrize(
    ("question", "program", "reason"),
    [
        ("Is Bob the one of the Blues beside Dee?", Select(0, (Is(0, "Bob"),)), "the answer stands in the question"),
        ("How many had had Reds?", Count((Is(1, "Reds"),)), "a word twice in a row"),
    ],
)
def test_questions_that_read_badly_are_refused(
    players: TypedTable, question: str, program: object, reason: str
) -> None:
    rejected = Counter[str]()
    assert visit(players).ask(one(Question(question, program)), random(), 0.5, rejected) is None
    assert rejected == {f"mine: {reason}": ATTEMPTS}


def test_many_different_questions_are_found(players: TypedTable) -> None:
    shown, numbers = visit(players), random()
    rows = [shown.ask(get_skill("counting"), numbers, wish, Counter()) for wish in np.linspace(0, 0.99, 40)]
    texts = [row["question"] for row in rows if row]
    assert len(texts) > 30
    assert len(set(texts)) == len(texts) == shown.asked


def test_sources_have_their_length(players: TypedTable) -> None:
    rejected = Counter[str]()
    skill = one(Question("How many Reds?", Count((Is(1, "Reds"),))))
    words = len(serialise("How many Reds?", players.table.header, players.table.rows).split())
    assert visit(players, words).ask(skill, random(), 0.5, rejected)
    assert visit(players, words - 1).ask(skill, random(), 0.5, rejected) is None
    assert rejected == {"mine: a source of too many words": ATTEMPTS}


def test_two_routes_that_disagree_stop_the_build(players: TypedTable, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("reastap_lib.visits.execute", lambda program, table: type("A", (), {"items": ("9",)}))
    with pytest.raises(VerificationError, match=r"'How many Reds\?': the program says \['9'\], SQL says \['4'\]"):
        visit(players).ask(one(Question("How many Reds?", Count((Is(1, "Reds"),)))), random(), 0.5, Counter())


def test_a_text_that_does_not_give_back_its_table_stops_the_build(
    players: TypedTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("reastap_lib.visits.serialise", lambda *parts: serialise(*parts).replace("Ann", "Anne"))
    with pytest.raises(VerificationError, match="'t': its text does not give it back"):
        visit(players)


@pytest.mark.parametrize("cell", ["a | b", "[ROW] x", "back\\slash", "line\nbreak", " spaces ", "", "[HEAD]"])
def test_cells_that_look_like_structure_survive(cell: str) -> None:
    rows = tuple((f"n{i}", cell, str(i)) for i in range(8))
    shown = Visit(0, Table("t", "", ("Name", "Odd | one", "Goals"), rows), "train", 350)
    assert shown.typed.table.rows == rows


def test_draws_see_the_wish(players: TypedTable) -> None:
    wishes: list[float] = []

    def make(table: TypedTable, draw: Draw) -> Question:
        wishes.append(draw.wish)
        return Question("How many Reds?", Count((Is(1, "Reds"),)))

    visit(players).ask(Skill("mine", 0.1, make, lambda table: True), random(), 0.25, Counter())
    assert wishes == [0.25]
