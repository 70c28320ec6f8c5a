"""The files of CommonsenseQA and OpenbookQA."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from eg3p_lib.multiple_choice import Question, read_questions
from workbench_lib.errors import InputError

LINE = {
    "answerKey": "B",
    "id": "q1",
    "question": {
        "question_concept": "fever",
        "stem": "Why sweat?",
        "choices": [{"label": "A", "text": "joy"}, {"label": "B", "text": "fever"}],
    },
}


def test_a_question_and_its_answer(make_file: Callable[..., Path]) -> None:
    text = json.dumps(LINE) + "\n\n" + json.dumps({**LINE, "answerKey": None, "id": 7}) + "\r\n"
    first, second = read_questions(make_file(text, "dev.jsonl"))
    assert first == Question("q1", "Why sweat?", "fever", {"A": "joy", "B": "fever"}, "B", 1)
    assert first.answer == "fever"
    assert (second.id, second.key, second.answer, second.line) == ("7", "", "", 3)


@pytest.mark.parametrize("text", ["{}", "[]", "no json", '{"question": {"stem": "x"}}', '{"question": [1]}', "7"])
def test_another_line_is_named(make_file: Callable[..., Path], text: str) -> None:
    with pytest.raises(InputError, match=r"dev\.jsonl, line 2: is no question of CommonsenseQA or OpenbookQA"):
        read_questions(make_file(json.dumps(LINE) + "\n" + text + "\n", "dev.jsonl"))


@pytest.mark.realdata
def test_official_files_are_read_whole(data_root: Path) -> None:
    csqa = read_questions(data_root / "csqa" / "dev_rand_split.jsonl")
    obqa = read_questions(data_root / "obqa" / "Data" / "Main" / "test.jsonl")
    blind = read_questions(data_root / "csqa" / "test_rand_split_no_answers.jsonl")
    assert [len(csqa), len(obqa), len(blind)] == [1221, 500, 300]
    assert all(len(question.choices) == 5 and question.concept and question.answer for question in csqa)
    assert all(len(question.choices) == 4 and not question.concept and question.answer for question in obqa)
    assert not any(question.answer for question in blind)
