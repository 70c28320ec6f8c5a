"""Graphs for questions: the texts of Table 4, and what can be said of a graph without gold."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from eg3p_lib.question_data import HIGHER_IS_BETTER, load_questions, question_source, score_questions
from workbench_lib.tasks import Example, TaskError, get_task

DRUNK = "(people; capable of; drunk)(drunk; causes; slurred speech)(slurred speech; causes; not understand)"
REFERENCES = {"question_concepts": "getting drunk | drunk", "answer_concepts": "slurred speech | speech"}
EXAMPLE = Example("dev-1", "source", "", {"question": "q", "answer": "a", **REFERENCES})


def line(stem: str, answer: str, concept: str = "") -> str:
    question = {"stem": stem, "choices": [{"label": "A", "text": answer}, {"label": "B", "text": "no"}]}
    question |= {"question_concept": concept} if concept else {}
    return json.dumps({"id": "x", "question": question, "answerKey": "A"}) + "\n"


def test_sources_follow_table_4() -> None:
    stem = "After getting drunk people couldn’t understand him, it was because of his what?"
    assert question_source(["getting drunk"], "slurred speech", stem) == f"getting drunk | slurred speech [SEP] {stem}"
    stem = "Sunlight produces heat that causes?"
    assert question_source(["causes", "produces", "heat"], "warmth on bodies", stem) == (
        f"causes | produces | heat | warmth on bodies [SEP] {stem}"
    )


def test_concepts_of_the_question_are_named_or_linked(tmp_path: Path, make_file: Callable[..., Path]) -> None:
    """The starter knowledge holds `factory`, `noise` and `clean air`."""
    make_file(
        line("The factory makes noise", "clean air!", "Factory") + line("The factory makes noise", "The noise"),
        "dev.jsonl",
    )
    named, linked = load_questions(str(tmp_path), "dev", name="openbookqa")
    assert named.source == "factory | clean air! [SEP] The factory makes noise"
    assert linked.source == "factory | noise | The noise [SEP] The factory makes noise"
    assert (named.target, named.id, linked.id) == ("", "dev-1", "dev-2")
    assert linked.references == {
        "question": "The factory makes noise",
        "answer": "The noise",
        "question_concepts": "factory | noise",
        "answer_concepts": "the noise | noise",
    }


def test_another_knowledge_base_links_other_concepts(tmp_path: Path, make_file: Callable[..., Path]) -> None:
    make_file(line("The factory makes noise", "rust"), "dev.jsonl")
    knowledge = make_file("IsA\tthe factory\tplace\n", "other.tsv")
    task = get_task("openbookqa").using({"knowledge": str(knowledge)})
    (example,) = task.load(str(tmp_path), "dev")
    assert example.source == "the factory | rust [SEP] The factory makes noise"


def test_there_is_nothing_to_train_on_and_answers_are_needed(tmp_path: Path, make_file: Callable[..., Path]) -> None:
    assert load_questions("starter", "train", name="commonsenseqa") == []
    make_file(line("Why?", "because").replace('"A"}', '"Z"}'), "test.jsonl")
    with pytest.raises(TaskError, match=r"test\.jsonl, line 1: has no right answer"):
        load_questions(str(tmp_path), "test", name="commonsenseqa")
    with pytest.raises(TaskError, match="'starter' has no split 'test'"):
        load_questions("starter", "test", name="commonsenseqa")


@pytest.mark.parametrize("name", ["commonsenseqa", "openbookqa"])
def test_the_built_in_questions_hold_concepts(name: str) -> None:
    task = get_task(name)
    examples = task.load("starter", "dev")
    assert len(examples) >= 6
    assert all(example.references["question_concepts"] for example in examples)
    scores = task.score(examples, [""] * len(examples))
    assert list(scores.metrics) == list(HIGHER_IS_BETTER) == list(task.higher_is_better)
    assert {metric.value for metric in scores.metrics.values()} == {0.0}
    assert scores.notes["missing"] == len(examples)


@pytest.mark.parametrize(
    ("graph", "expected"),
    [
        (DRUNK, {"structure", "parsed", "rules_but_concepts", "holds_question", "holds_answer", "holds_both"}),
        (DRUNK.replace(")(", ") ("), {"parsed", "holds_question", "holds_answer", "holds_both"}),
        (DRUNK.replace("slurred speech", "shouting"), {"parsed", "rules_but_concepts", "holds_question"}),
        (
            DRUNK.replace("slurred speech", "bad speech"),
            {"structure", "parsed", "rules_but_concepts", "holds_question", "holds_answer", "holds_both"},
        ),
        (DRUNK.replace("drunk", "drunken"), {"parsed", "rules_but_concepts", "holds_answer"}),
        ("(drunk; causes; speech)", {"parsed", "holds_question", "holds_answer", "holds_both"}),
        ("drunk speech", set()),
        ("", set()),
    ],
)
def test_what_a_graph_holds(graph: str, expected: set[str]) -> None:
    (row,) = score_questions([EXAMPLE], [graph]).rows
    assert {name for name in HIGHER_IS_BETTER if row[name]} == expected


def test_faults_are_counted_without_the_rule_on_belief_and_argument() -> None:
    graph = "(a; is a; b)(b; is a; a)(x; is the; y)"
    scores = score_questions([EXAMPLE] * 2, [graph, DRUNK])
    assert scores.notes["faults"] == {"relation": 1, "disconnected": 1, "cycle": 1}
    assert scores.metrics["structure"].value == 0.5


@pytest.mark.realdata
def test_official_questions(data_root: Path) -> None:
    csqa = get_task("commonsenseqa").load(str(data_root / "csqa"), "dev")
    obqa = get_task("openbookqa").load(str(data_root / "obqa"), "test")
    assert (len(csqa), len(obqa)) == (1221, 500)
    assert csqa[0].source.startswith("revolving door | bank [SEP] A revolving door is convenient")
