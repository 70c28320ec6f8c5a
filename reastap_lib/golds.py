"""Examples for scoring alone: what is asked and what is right, without the table.

`source` is what stands before the table: the question, the statement, or the title of the page.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

from reastap_lib.fitting import fit
from reastap_lib.logicnlg import Sentences
from reastap_lib.serialisation import Rows, join_answers
from reastap_lib.tabfact import LABELS, Statements, label_of
from reastap_lib.wikisql import TypedRows, WikiSqlQuestion
from reastap_lib.wikisql_queries import answers_of
from reastap_lib.wikitq import WikiQuestion
from workbench_lib.tasks import Example


def of_question(question: WikiQuestion) -> Example:
    """A question of WikiTableQuestions, with the canonical values of its answers where they are known."""
    gold = _answered(question.id, question.question, question.context, question.answers)
    return replace(gold, references={**gold.references, "canon": _json(question.canon)})


def of_query(question: WikiSqlQuestion, table: TypedRows) -> Example:
    """A question of WikiSQL, with the answers that its query finds."""
    answers = answers_of(question.query, table.types, table.rows)
    return _answered(question.id, question.question, question.table_id, answers)


def of_statements(statements: Statements) -> list[Example]:
    """The statements of TabFact, each with its label."""
    about = {"variant": statements.variant, "whole": str(statements.whole or "")}
    return [
        Example(
            id=entry.id,
            source=entry.text,
            target=LABELS[entry.is_entailed],
            references={
                "statement": entry.text,
                "table": entry.table_id,
                "channel": entry.channel,
                "small": "yes" if entry.is_small else "",
                **about,
            },
        )
        for entry in statements.entries
    ]


def of_sentences(sentences: Sentences) -> list[Example]:
    """The sentences of LogicNLG, each with all sentences of its table as references, and the file of its table."""
    texts: dict[str, list[str]] = {}
    for sentence in sentences.entries:
        texts.setdefault(sentence.table_id, []).append(sentence.text)
    together = {table_id: _json(these) for table_id, these in texts.items()}
    return [
        Example(
            id=sentence.id,
            source=sentence.title,
            target=sentence.text,
            references={
                "sentences": together[sentence.table_id],
                "table": sentence.table_id,
                "file": str(sentences.tables / sentence.table_id),
                "title": sentence.title,
                "columns": json.dumps(sentence.columns),
            },
        )
        for sentence in sentences.entries
    ]


def of_published(answers: dict[str, str], labels: Sequence[str]) -> list[Example]:
    """The answers that stand in a published prediction file: labels, or texts whose items are not told apart.

    So there is no `canon` in them: by the official rules of WikiTableQuestions they cannot be scored.
    """
    if not labels:
        return [_answered(name, "", "", [text]) for name, text in answers.items()]
    about = {"statement": "", "table": "", "channel": "", "small": "", "variant": "", "whole": ""}
    return [Example(name, "", label_of(text) or text, about) for name, text in answers.items()]


def with_table(gold: Example, header: Sequence[str], rows: Rows) -> Example:
    """The example with its table in the source text, and a note of how many rows had no room there."""
    fitted = fit(gold.source, header, rows)
    return replace(gold, source=fitted.source, references={**gold.references, "rows_cut": str(fitted.rows_cut)})


def _answered(name: str, question: str, table_id: str, answers: Sequence[str]) -> Example:
    references = {"question": question, "table": table_id, "answers": _json(answers)}
    return Example(name, question, join_answers(answers), references)


def _json(texts: Sequence[str]) -> str:
    return json.dumps(list(texts), ensure_ascii=False)
