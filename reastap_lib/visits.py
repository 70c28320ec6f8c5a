"""A visit to a table: its rows in one order, written as text, read back and typed, and the questions asked about it.

All that does not depend on the question is made once a visit: the text, the types, the table in SQLite. What is asked
and checked is the table as it is read out of the text that the corpus will hold.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

from reastap_lib.cell_words import padded_words
from reastap_lib.column_types import type_table
from reastap_lib.conditions import Undetermined
from reastap_lib.programs import Rank, Select, execute
from reastap_lib.serialisation import count_words, escape, join_answers, parse, serialise
from reastap_lib.skills import Draw, Question, Skill
from reastap_lib.sql import SqlTable, VerificationError, verify
from reastap_lib.tables import Table

ATTEMPTS = 8

_TWICE = re.compile(r"\b([^\W\d_]+) \1\b", re.IGNORECASE)

Row = dict[str, Any]


class Visit:
    """One table as shown.

    Args:
        number: Of the table, among those in use.
        table: With its rows in the order to show.
        split: Of the examples.
        max_words: The longest source text.

    Attributes:
        asked: How many questions were made.

    Raises:
        VerificationError: the text does not give back the table.
    """

    def __init__(self, number: int, table: Table, split: str, max_words: int):
        self.number = number
        self._split = split
        self._text = serialise("", table.header, table.rows)
        self._room = max_words - count_words(self._text)
        _, header, rows = parse(self._text)
        if (header, rows) != (table.header, table.rows):
            raise VerificationError(f"table {table.id!r}: its text does not give it back: {self._text[:200]!r}")
        self.typed = type_table(table)
        self.asked = 0
        self._known: set[object] = set()

    @cached_property
    def _engine(self) -> SqlTable:
        return SqlTable().load(self.typed)

    def ask(self, skill: Skill, random: Callable[[], float], wish: float, rejected: Counter[str]) -> Row | None:
        """A new question with its verified answer, or None where a few attempts found none; counts what was refused.

        Raises:
            VerificationError: the two routes to the answer disagree.
        """
        for _ in range(ATTEMPTS):
            try:
                row = self._row(skill.make(self.typed, Draw(random, wish)))
            except Undetermined as reason:
                rejected[f"{skill.name}: {reason}"] += 1
                continue
            self.asked += 1
            return row
        return None

    def _row(self, question: Question) -> Row:
        if question.text in self._known or question.program in self._known:
            raise Undetermined("asked of this table before")
        if count_words(question.text) > self._room:
            raise Undetermined("a source of too many words")
        if _TWICE.search(question.text):
            raise Undetermined("a word twice in a row")
        answer = execute(question.program, self.typed)
        if isinstance(question.program, Select | Rank) and _gives_away(question.text, answer.items):
            raise Undetermined("the answer stands in the question")
        sql = verify(question.text, question.program, answer.items, self._engine)
        self._known.update((question.text, question.program))
        return {
            "table": self.typed.table.id,
            "title": self.typed.table.title,
            "question": question.text,
            "answers": list(answer.items),
            "sql": sql,
            "evidence": [place for cell in answer.evidence for place in cell],
            "split": self._split,
            "source": escape(question.text) + self._text,
            "target": join_answers(answer.items),
        }


def _gives_away(question: str, answers: Sequence[str]) -> bool:
    """Whether the one answer, of three characters or more, stands in the question."""
    return len(answers) == 1 and len(answers[0]) > 2 and padded_words(answers[0]) in padded_words(question)
