from __future__ import annotations

from dataclasses import replace
from typing import Any

import ipywidgets
import pandas as pd
import pytest

from reastap_lib import golds
from reastap_lib.error_analysis import (
    VIEWS,
    accuracy_by,
    chosen,
    error_frame,
    evidence,
    show_breakdown,
    show_examples,
)
from reastap_lib.error_explorer import explore_errors
from reastap_lib.needed_skills import KINDS, needed_skill
from reastap_lib.skills import TABLE_1
from reastap_lib.tasks import LOGICNLG, TABFACT, WIKITQ
from reastap_lib.wikitq import WikiQuestion
from workbench_lib.errors import InputError
from workbench_lib.tasks import Example, Task


@pytest.mark.parametrize(
    ("text", "skill"),
    [
        ("How many years passed between when the first and the last opened?", "date_difference"),
        ("what was the average attendance?", "numerical_operation"),
        ("how many more wins does ann have than bob?", "numerical_operation"),
        ("Does every player from leeds have 9 goals?", "quantifiers"),
        ("what is the total number of films listed?", "counting"),
        ("3 of the players be from leeds", "counting"),
        ("which film came after psycho?", "temporal_comparison"),
        ("what building had the least height in germany?", "numerical_comparison"),
        ("detroit have a higher score than boston", "numerical_comparison"),
        ("which race was held in berlin and daegu?", "conjunction"),
        ("what is the capital of peru?", "look-up"),
        ("", "look-up"),
    ],
)
def test_needed_skills(text: str, skill: str) -> None:
    assert needed_skill(text) == skill


def test_the_skills_are_those_of_the_paper() -> None:
    assert set(KINDS) == {*TABLE_1, "look-up"}


def question(name: str, text: str, *answers: str, rows: int = 2, cut: int = 0) -> Example:
    gold = golds.of_question(WikiQuestion(name, text, "csv/1-csv/0.csv", answers))
    table = [[f"player {i}", str(i)] for i in range(rows)]
    example = golds.with_table(gold, ["Name", "<b>Goals"], table)
    return replace(example, references={**example.references, "rows_cut": str(cut)})


@pytest.fixture
def examples() -> list[Example]:
    return [
        question("a", "how many goals?", "12"),
        question("b", "who is last?", "Player 1[a]", rows=12),
        question("c", "who scored 0 or 1?", "player 0", "player 1", rows=3, cut=60),
        question("d", "how many <i>?", "4"),
    ]


@pytest.fixture
def frame(examples: list[Example]) -> pd.DataFrame:
    return error_frame(WIKITQ, examples, WIKITQ.score(examples, ["12", "player 1", "player 0", "<script>"]).rows)


def test_views(frame: pd.DataFrame) -> None:
    assert frame["skill"].tolist() == ["counting", "temporal_comparison", "look-up", "counting"]
    assert frame["table_size"].tolist() == ["up to 10 rows", "11 to 20 rows", "more than 50 rows", "up to 10 rows"]
    assert frame["truncation"].tolist() == ["whole table", "whole table", "table cut", "whole table"]
    assert frame["answer_type"].tolist() == ["number", "text", "several", "number"]
    assert frame["score"].tolist() == [1, 1, 0, 0]


def test_breakdowns_count_every_example_once(frame: pd.DataFrame) -> None:
    by_skill = accuracy_by(frame, "skill").set_index("skill")
    assert by_skill.loc["counting", ["n", "value"]].tolist() == [2, 1 / 2]
    assert all(accuracy_by(frame, view)["n"].sum() == len(frame) for view in VIEWS)
    assert show_breakdown(frame).html.count("<table") == 4


def test_filters(frame: pd.DataFrame) -> None:
    assert chosen(frame)["id"].tolist() == ["c", "d", "a", "b"]
    assert chosen(frame, skill="counting", at_most=0.5)["id"].tolist() == ["d"]
    assert chosen(frame, truncation="table cut")["id"].tolist() == ["c"]
    assert chosen(frame, words="LAST?")["id"].tolist() == ["b"]
    assert chosen(frame, words="(")["id"].tolist() == []


def test_evidence_is_the_cells_of_the_gold(examples: list[Example]) -> None:
    assert evidence(examples[1]) == [(1, 0)]
    assert evidence(examples[2]) == [(0, 0), (1, 0)]


def test_examples_are_shown_escaped(examples: list[Example], frame: pd.DataFrame) -> None:
    shown = show_examples(examples, chosen(frame, at_most=0.5), most=1).html
    assert "1 of 2 examples" in shown
    assert shown.count("background-color") == 2  # the two cells of the gold
    assert "&lt;b&gt;Goals" in shown
    everything = show_examples(examples, frame).html
    assert "<script>" not in everything
    assert "<i>?" not in everything


def test_filtering_behind_controls(examples: list[Example], frame: pd.DataFrame) -> None:
    panel = explore_errors(examples, frame)
    controls, area = panel.children
    by_name = {control.description: control for control in controls.children}
    assert isinstance(area, ipywidgets.HTML)
    assert "2 of 2 examples" in area.value  # the wrong ones
    by_name["Show"].value = 1.0
    by_name["Skill"].value = "counting"
    assert "2 of 2 examples" in area.value
    assert "how many goals?" in area.value


@pytest.mark.parametrize("task", [TABFACT, LOGICNLG])
def test_other_tasks(task: Task) -> None:
    examples = task.load("starter", "dev")
    frame = error_frame(task, examples, task.score(examples, [example.target for example in examples]).rows)
    assert len(frame) == len(examples)
    assert set(frame["answer_type"]) == {"label" if task is TABFACT else "sentence"}
    assert all(evidence(example) for example in examples if "the symbol of" in example.target)
    assert "<table" in show_examples(examples, frame, most=2).html


def test_rows_without_the_metric_are_named(examples: list[Example]) -> None:
    rows: list[dict[str, Any]] = [{"id": "a", "prediction": "x", "denotation_official": 1.0}]
    with pytest.raises(InputError, match="3 examples have no denotation_official, the first: 'b'"):
        error_frame(WIKITQ, examples, rows)
