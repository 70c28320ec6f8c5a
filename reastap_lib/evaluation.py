"""One prediction file against its gold, for any of the tasks: what `python -m reastap_lib evaluate` prints."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import cast, get_args

from reastap_lib import golds
from reastap_lib.logicnlg import read_sentences, sentence_file
from reastap_lib.predictions import holds_answers, read_answers, read_predictions
from reastap_lib.tabfact import read_file, read_split
from reastap_lib.tasks import LOGICNLG, TABFACT, WIKISQL, WIKITQ
from reastap_lib.wikisql import question_file as wikisql_file
from reastap_lib.wikisql import read_queries, read_typed_tables, tables_file
from reastap_lib.wikitq import STARTER, question_file, read_questions, root_of, with_canon
from workbench_lib import runs
from workbench_lib.errors import InputError
from workbench_lib.paths import find_data
from workbench_lib.scores import Scores, in_gold_order
from workbench_lib.stages import is_run
from workbench_lib.tasks import Example, Split, TaskError

TASKS = {task.name: task for task in (WIKITQ, WIKISQL, TABFACT, LOGICNLG)}


def evaluate(
    task: str, gold: str, predictions: Path, split: str = "dev", models: Mapping[str, str] | None = None
) -> Scores:
    """The scores of a prediction file; a missing prediction counts as wrong, and the notes say how many there are.

    Args:
        gold: A file of the data set; or starter or a folder, and the split of it; or a published prediction file with
            the answers in it.
        models: What the task can use for more metrics (see `Task.uses`): runs, folders or hub names.

    Raises:
        TaskError: there is no such task, or it can use no such model.
        InputError: a file cannot be read, or an id comes twice.
        ScoreError: a prediction's id is not in the gold.
        ModelError: a model cannot be loaded.
    """
    examples = gold_examples(task, gold, split)
    given = read_predictions(predictions)
    texts = in_gold_order([example.id for example in examples], given)
    scores = TASKS[task].using({use: _folder(name) for use, name in (models or {}).items()}).score(examples, texts)
    return replace(scores, notes={"missing": len(examples) - len(given), **scores.notes})


def gold_examples(task: str, gold: str, split: str = "dev") -> list[Example]:
    """The examples that predictions are scored against, without their tables.

    Raises:
        TaskError: there is no such task.
        InputError: a file is missing or not as it should be.
    """
    if task not in TASKS:
        raise TaskError(f"unknown task {task!r} (there are: {', '.join(TASKS)})")
    path = None if gold == STARTER else find_data(gold)
    if path is not None and path.is_file():
        is_published = task != LOGICNLG.name and path.suffix in (".json", ".jsonl") and holds_answers(path)
        return golds.of_published(read_answers(path), TASKS[task].labels) if is_published else _OF_FILE[task](path)
    if split not in get_args(Split):
        raise InputError(f"unknown split {split!r} (there are: {', '.join(get_args(Split))})")
    return _of_folder(task, gold, cast(Split, split))


def _folder(model: str) -> str:
    return str(runs.finished(model).model) if is_run(model) else model


def _of_folder(task: str, gold: str, split: Split) -> list[Example]:
    if task == TABFACT.name:
        return golds.of_statements(read_split(gold, split))
    return _OF_FILE[task](_FILE[task](gold, split))


def _wikitq(path: Path) -> list[Example]:
    questions = with_canon(read_questions(path), path.resolve().parent.parent, path)
    return [golds.of_question(question) for question in questions]


def _wikisql(path: Path) -> list[Example]:
    tables = read_typed_tables(tables_file(path))
    return [golds.of_query(question, tables[question.table_id]) for question in read_queries(path, tables)]


_FILE: dict[str, Callable[[str, Split], Path]] = {
    WIKITQ.name: lambda gold, split: question_file(root_of(gold), split),
    WIKISQL.name: wikisql_file,
    LOGICNLG.name: sentence_file,
}
_OF_FILE: dict[str, Callable[[Path], list[Example]]] = {
    WIKITQ.name: _wikitq,
    WIKISQL.name: _wikisql,
    TABFACT.name: lambda path: golds.of_statements(read_file(path)),
    LOGICNLG.name: lambda path: golds.of_sentences(read_sentences(path)),
}
