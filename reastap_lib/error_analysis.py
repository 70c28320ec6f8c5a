"""Where a model is wrong: by the skill that an example seems to need, table size, truncation and type of the answer.

From a task's examples and the rows of its scores (those of `score`, or of a run's predictions.jsonl) comes one frame;
the breakdowns and the examples are views of it, and so of any part of it: `frame[frame["skill"] == "counting"]`.
"""

from __future__ import annotations

import html
import json
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from reastap_lib.column_types import type_table
from reastap_lib.dates import parse_date
from reastap_lib.leakage import bare
from reastap_lib.needed_skills import KINDS, needed_skill
from reastap_lib.serialisation import parse
from reastap_lib.tables import Table, html_of
from reastap_lib.values import parse_number
from workbench_lib.display import Live, show_html, show_note, show_table, stack
from workbench_lib.errors import InputError
from workbench_lib.scores import mean_with_interval
from workbench_lib.tasks import Example, Task

SIZES = ("up to 10 rows", "11 to 20 rows", "21 to 50 rows", "more than 50 rows")
_LIMITS = (10, 20, 50)
WHOLE, CUT = "whole table", "table cut"
VIEWS = {
    "skill": KINDS,
    "table_size": SIZES,
    "truncation": (WHOLE, CUT),
    "answer_type": ("number", "date", "text", "yes or no", "several", "label", "sentence"),
}


def error_frame(task: Task, examples: Sequence[Example], rows: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    """One row an example: id, text, the four views, prediction, gold, and `score`: the task's main metric.

    Args:
        rows: With id, prediction and the metric, in any order.

    Raises:
        InputError: an example has no row, or the rows lack the main metric.
    """
    metric = next(iter(task.higher_is_better))
    found = {str(row["id"]): row for row in rows}
    missing = [example.id for example in examples if metric not in found.get(example.id, {})]
    if missing:
        raise InputError(f"{len(missing)} examples have no {metric}, the first", value=missing[0])
    return pd.DataFrame([_row(task, example, found[example.id], metric) for example in examples])


def accuracy_by(frame: pd.DataFrame, view: str) -> pd.DataFrame:
    """The mean score of each kind of example with its interval, and how many there are."""
    parts = {kind: frame.loc[frame[view] == kind, "score"].tolist() for kind in VIEWS[view]}
    rows = [{view: kind, "n": len(s), **mean_with_interval(s).model_dump()} for kind, s in parts.items() if s]
    return pd.DataFrame(rows, columns=[view, "n", "value", "low", "high"])


def show_breakdown(frame: pd.DataFrame) -> Live:
    """All four views, one table below the other."""
    return stack(*(show_table(accuracy_by(frame, view).round(3), f"By {view.replace('_', ' ')}") for view in VIEWS))


def chosen(
    frame: pd.DataFrame,
    *,
    skill: str = "",
    table_size: str = "",
    truncation: str = "",
    answer_type: str = "",
    words: str = "",
    at_most: float = 1.0,
) -> pd.DataFrame:
    """The examples of these kinds (all where a kind is not given), those with the lowest score first.

    Args:
        words: What the question, the prediction or the gold must hold, in any case.
        at_most: The highest score: below 1, those that are not right.
    """
    wanted = {"skill": skill, "table_size": table_size, "truncation": truncation, "answer_type": answer_type}
    for view, kind in wanted.items():
        frame = frame[frame[view] == kind] if kind else frame
    texts = frame["text"].str.cat([frame["prediction"], frame["gold"]], sep="\n").str.casefold()
    kept = frame[texts.str.contains(words.casefold(), regex=False) & (frame["score"] <= at_most)]
    return kept.sort_values("score", kind="stable")


def show_examples(examples: Sequence[Example], frame: pd.DataFrame, most: int = 5) -> Live:
    """The first rows of a frame, each with its table, the gold's cells tinted, the prediction and the gold."""
    by_id = {example.id: example for example in examples}
    told = show_note(f"{min(most, len(frame))} of {len(frame)} examples")
    return stack(told, *(_shown(by_id[row["id"]], row) for row in frame.head(most).to_dict("records")))


def evidence(example: Example) -> list[tuple[int, int]]:
    """The (row, column) cells of the table as shown that a gold answer, or the statement, names."""
    table = parse(example.source)[2]
    named = {bare(item) for item in _golds(example)} - {""}
    text = f" {' '.join(_text(example).casefold().split())} "
    return [
        (i, j)
        for i, row in enumerate(table)
        for j, cell in enumerate(row)
        if bare(cell) in named or ("answers" not in example.references and f" {cell.casefold()} " in text)
    ]


def _row(task: Task, example: Example, row: Mapping[str, Any], metric: str) -> dict[str, Any]:
    _, header, shown = parse(example.source)
    cut = int(example.references.get("rows_cut", "0"))
    rows = len(shown) + cut
    return {
        "id": example.id,
        "text": _text(example),
        "skill": needed_skill(_text(example)),
        "table_size": SIZES[sum(rows > limit for limit in _LIMITS)],
        "truncation": CUT if cut else WHOLE,
        "answer_type": "label" if task.labels else _answer_type(example),
        "rows": rows,
        "columns": len(header),
        "prediction": row["prediction"],
        "gold": example.target,
        "score": float(row[metric]),
    }


def _text(example: Example) -> str:
    """What tells the skill: the question or the statement; of LogicNLG the sentence that was to be written."""
    return example.references.get("question") or example.references.get("statement") or example.target


def _golds(example: Example) -> list[str]:
    answers: list[str] = json.loads(example.references.get("answers", "[]"))
    return answers


def _answer_type(example: Example) -> str:
    golds = _golds(example)
    if len(golds) != 1:
        return "several" if golds else "sentence"
    [gold] = golds
    if gold.strip().lower() in ("yes", "no"):
        return "yes or no"
    return "number" if parse_number(gold) else "date" if parse_date(gold) else "text"


def _shown(example: Example, row: Mapping[str, Any]) -> Live:
    _, header, cells = parse(example.source)
    told = {
        "prediction": f"{row['prediction']} ({row['score']:.2f})",
        "gold": row["gold"],
        "kind": ", ".join(str(row[view]) for view in VIEWS),
    }
    lines = "".join(f"<br>{name}: <b>{html.escape(text)}</b>" for name, text in told.items())
    head = f"<p><code>{html.escape(example.id)}</code> {html.escape(row['text'])}{lines}</p>"
    if not cells:
        return show_html(head)
    table = Table(example.references["table"], "", header, cells)
    labels = [column.label for column in type_table(table).columns]
    return show_html(head + html_of(table, labels, evidence(example)))
