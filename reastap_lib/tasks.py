"""The downstream tasks on tables, in the registry of `workbench_lib.tasks`: WikiTableQuestions (ReasTAP, section 4)."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from reastap_lib.denotation import official_of_text, string_of_text
from reastap_lib.serialisation import SerialisationError, join_answers, rows_that_fit, serialise
from reastap_lib.tables import Table
from reastap_lib.wikitq import WikiQuestion, context_table, question_file, read_questions, root_of, with_canon
from workbench_lib.errors import InputError
from workbench_lib.scores import Scores, summarise
from workbench_lib.tasks import Example, Split, Task, register

MAX_SOURCE_WORDS = 350
METRICS = ("denotation_official", "denotation_string")


def load_wikitq(data: str, split: Split) -> list[Example]:
    """The examples of a split of WikiTableQuestions: question and table as text, the answers joined.

    A table that is too long loses its last rows, by the count of words of question and table alone, in training and
    evaluation alike; the answers are never looked at.

    Args:
        data: starter (built in), or a folder in the official layout, as given or under WORKBENCH_DATA.

    Raises:
        InputError: a file is missing or not as it should be, or the split shares a table with the training split.

    >>> load_wikitq("starter", "dev")[0].source.split(" [ROW] ")[0].count(" [HEAD] ")
    1
    """
    root = root_of(data)
    path = question_file(root, split)
    questions = with_canon(read_questions(path), root, path)
    if split != "train":
        _check_apart(root, path, questions)
    return [_example(question, context_table(root, question.context)) for question in questions]


def score_wikitq(examples: Sequence[Example], predictions: Sequence[str]) -> Scores:
    """Both denotation accuracies; the notes count how the two verdicts go together, and the empty predictions."""
    rows = [
        {"id": example.id, "prediction": prediction, "gold": example.target, **_verdicts(example, prediction)}
        for example, prediction in zip(examples, predictions, strict=True)
    ]
    pairs = Counter((bool(row[METRICS[0]]), bool(row[METRICS[1]])) for row in rows)
    notes = {
        "official_only": pairs[True, False],
        "string_only": pairs[False, True],
        "empty_predictions": sum(not prediction.strip() for prediction in predictions),
    }
    return summarise(rows, METRICS, notes)


def gold_examples(questions: Sequence[WikiQuestion]) -> list[Example]:
    """Examples for scoring alone, without their tables."""
    return [_without_table(question) for question in questions]


def _example(question: WikiQuestion, table: Table) -> Example:
    try:
        kept = rows_that_fit(question.question, table.header, table.rows, MAX_SOURCE_WORDS)
    except SerialisationError:
        kept = 0
    bare = _without_table(question)
    source = serialise(question.question, table.header, table.rows[:kept])
    references = {**bare.references, "table": table.id, "rows_cut": str(len(table.rows) - kept)}
    return Example(bare.id, source, bare.target, references)


def _without_table(question: WikiQuestion) -> Example:
    references = {
        "question": question.question,
        "answers": json.dumps(question.answers, ensure_ascii=False),
        "canon": json.dumps(question.canon, ensure_ascii=False),
    }
    return Example(question.id, question.question, join_answers(question.answers), references)


def _verdicts(example: Example, prediction: str) -> dict[str, float]:
    gold, canon = (json.loads(example.references[name]) for name in ("answers", "canon"))
    verdicts = official_of_text(prediction, gold, canon), string_of_text(prediction, gold)
    return dict(zip(METRICS, map(float, verdicts), strict=True))


def _check_apart(root: Path, path: Path, questions: Sequence[WikiQuestion]) -> None:
    """No table of an evaluation split is also one of the training split."""
    try:
        trained = {question.context for question in read_questions(question_file(root, "train"))}
    except InputError:
        return
    shared = sorted({question.context for question in questions} & trained)
    if shared:
        raise InputError("a table of this split is in the training split too", path=path, value=shared[0])


WIKITQ = register(
    Task(
        name="wikitq",
        version=1,
        load=load_wikitq,
        score=score_wikitq,
        higher_is_better=dict.fromkeys(METRICS, True),
    )
)
