"""Questions with choices: the files of CommonsenseQA and OpenbookQA, JSON lines of one layout."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from eg3p_lib.readers import open_lines
from workbench_lib.errors import InputError


@dataclass(frozen=True)
class Question:
    """A question; its line from 1.

    Args:
        stem: The question's text.
        concept: What CommonsenseQA says that it is about; empty in OpenbookQA.
        choices: Texts by their labels, mostly A to E.
        key: The right choice's label; empty in a test file without answers.
    """

    id: str
    stem: str
    concept: str
    choices: Mapping[str, str]
    key: str
    line: int

    @property
    def answer(self) -> str:
        """The text of the right choice, empty where none is known to be right."""
        return self.choices.get(self.key, "")


def read_questions(path: Path) -> list[Question]:
    """Read a file of questions; blank lines are none.

    Raises:
        InputError: the file is missing or empty, or a line is no such question.
    """
    with open_lines(path) as lines:
        return [_question(text, line, path) for line, text in lines if text.strip()]


def _question(text: str, line: int, path: Path) -> Question:
    try:
        item = json.loads(text)
        question = item["question"]
        choices = {str(choice["label"]): str(choice["text"]) for choice in question["choices"]}
        stem, concept = str(question["stem"]), str(question.get("question_concept", ""))
        return Question(str(item.get("id", line)), stem, concept, choices, str(item.get("answerKey") or ""), line)
    except (ValueError, KeyError, TypeError, AttributeError):
        message = "is no question of CommonsenseQA or OpenbookQA"
        raise InputError(message, path=path, line=line, value=text) from None
