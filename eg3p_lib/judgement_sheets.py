"""Sheets for human evaluation: a form of widgets that keeps every judgement, and a printable one with a csv file."""

from __future__ import annotations

import csv
import html
from collections.abc import Mapping, Sequence
from io import StringIO
from pathlib import Path
from typing import Any

import ipywidgets
import pandas as pd

from eg3p_lib.case_studies import Answer, Case, read_cases, side_by_side
from eg3p_lib.human_evaluation import Judgement, JudgementError, Shown, blind_order, outcome, read_judgements, record
from eg3p_lib.readers import open_lines
from workbench_lib.display import Live, describe, graph_html, show_html, show_note, show_table, stack
from workbench_lib.errors import InputError, WorkbenchError
from workbench_lib.files import write_text
from workbench_lib.runs import Run
from workbench_lib.widgets import beside, choice

QUESTION = "Does the graph explain why the answer is right?"
RIGHT, WRONG = "yes", "no"
FORM, ANSWERS, KEY = "sheet.html", "answers.csv", "key.csv"
_FORM_COLUMNS = ("number", "graph", "is_right")
_HEAD = (
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Judgements</title><style>'
    "body{font:12pt serif;max-width:60em;margin:2em auto}section{break-inside:avoid;border-top:1px solid}"
    "</style></head>"
)


class JudgementSheet(ipywidgets.VBox):  # type: ignore[misc]
    """A case at a time, blind: question and answer, two graphs, and for each graph yes or no.

    What is answered is on disk before the next case is shown; a sheet that is opened again goes on after it.

    Args:
        file: The csv file of judgements; several annotators may share it or have their own.
    """

    def __init__(self, cases: Sequence[Case], file: Path, annotator: str, *, number: int = 100, seed: int = 0):
        if not annotator:
            raise JudgementError("a sheet needs the annotator's name")
        self._file, self._annotator = file, annotator
        judged = read_judgements([file]) if file.exists() and file.stat().st_size else []
        done = {judgement.case for judgement in judged if judgement.annotator == annotator}
        order = blind_order(cases, number, seed, annotator)
        self._left = [shown for shown in order if shown.case.id not in done]
        self._number = len(order)
        self.area = ipywidgets.HTML(layout={"width": "auto"})
        self.answers = [
            ipywidgets.ToggleButtons(options=[RIGHT, WRONG], value=None, description=f"Graph {k}") for k in (1, 2)
        ]
        self.next = ipywidgets.Button(description="Save, next", icon="check")
        super().__init__([self.area, beside(*self.answers, self.next)])
        self.next.on_click(self._save)
        self._show()

    def _show(self) -> None:
        for answer in self.answers:
            answer.value = None
        self.next.disabled = not self._left
        place = f"Case {self._number - len(self._left) + 1} of {self._number}. {QUESTION}"
        self._page = _page(self._left[0], place) if self._left else show_note(f"All {self._number} cases are judged.")
        self.area.value = self._page.html

    def _save(self, _: Any = None) -> None:
        if any(answer.value is None for answer in self.answers):
            self.area.value = stack(show_note("Answer for both graphs.", is_fault=True), self._page).html
            return
        shown = self._left.pop(0)
        said = zip(shown.systems, (answer.value == RIGHT for answer in self.answers), strict=True)
        record(self._file, [Judgement(self._annotator, shown.case.id, system, is_right) for system, is_right in said])
        self._show()


def judge(compared: Mapping[str, Mapping[str, Run]]) -> ipywidgets.Widget:
    """Choose a task, say who you are, and judge; what is answered lies in the folder of the second run.

    Args:
        compared: Of each task two runs, by the titles of their systems (see `case_studies.compared_runs`).
    """
    if not compared:
        return ipywidgets.HTML(show_note("This experiment has no two runs of a task of graphs.").html)
    task = choice("Task", list(compared))
    name = ipywidgets.Text(description="Your name", placeholder="as it should stand in the file")
    begin, place = ipywidgets.Button(description="Begin", icon="play"), ipywidgets.VBox()

    def open_sheet(_: Any) -> None:
        runs = compared[task.value]
        try:
            place.children = [JudgementSheet(read_cases(runs), judgement_file(runs), name.value.strip())]
        except WorkbenchError as error:
            place.children = [ipywidgets.HTML(show_note(str(error), is_fault=True).html)]

    begin.on_click(open_sheet)
    return ipywidgets.VBox([beside(task, name, begin), place])


def judgement_file(runs: Mapping[str, Run]) -> Path:
    """Where judgements of two runs are kept."""
    first, second = runs.values()
    return second.folder / f"judgements_beside_{first.id}.csv"


def show_outcomes(compared: Mapping[str, Mapping[str, Run]]) -> Live:
    """What the judgements of each task say so far."""
    files = {task: judgement_file(runs) for task, runs in compared.items() if len({*runs.values()}) == 2}
    rows = [_outcome_row(task, path) for task, path in files.items() if path.exists()]
    return show_table(pd.DataFrame(rows)) if rows else show_note("Nobody has judged a graph of these runs yet.")


def _outcome_row(task: str, path: Path) -> dict[str, object]:
    found = outcome(read_judgements([path]))
    accuracy = {
        system: f"{100 * m.value:.1f} [{100 * m.low:.1f}, {100 * m.high:.1f}]" for system, m in found.accuracy.items()
    }
    kappas = [kappa for kappa in found.cohen.values() if kappa is not None]
    return {
        "task": task,
        "cases": found.cases,
        **accuracy,
        "Cohen's kappa (mean)": round(sum(kappas) / len(kappas), 3) if kappas else None,
        "Fleiss' kappa": None if found.fleiss is None else round(found.fleiss, 3),
        "p (sign test)": None if found.comparison is None else round(found.comparison.p_value, 4),
    }


def write_form(cases: Sequence[Case], folder: Path, *, number: int, seed: int, annotator: str = "") -> None:
    """Write a printable sheet, the csv file to fill in beside it (1 or 0), and the key that stays with its maker.

    Raises:
        JudgementError: see `blind_order`.
    """
    order = blind_order(cases, number, seed, annotator)
    folder.mkdir(parents=True, exist_ok=True)
    numbered = list(enumerate(order, start=1))
    sections = "".join(_section(place, shown) for place, shown in numbered)
    write_text(folder / FORM, f"{_HEAD}<body><h1>{QUESTION}</h1>{sections}</body></html>\n")
    write_text(folder / ANSWERS, _csv([_FORM_COLUMNS, *((place, k, "") for place, _ in numbered for k in (1, 2))]))
    key = [(place, k, shown.case.id, s) for place, shown in numbered for k, s in enumerate(shown.systems, start=1)]
    write_text(folder / KEY, _csv([("number", "graph", "case", "system"), *key]))


def read_form(answers: Path, key: Path, annotator: str) -> list[Judgement]:
    """The judgements of a filled-in csv file; graphs without an answer are left out.

    Raises:
        InputError: a file is missing, or a line is not as the form has it; names it.
    """
    names = {(row[0], row[1]): (row[2], row[3]) for _, row in _rows(key, 4)}
    found = []
    for line, (place, graph, said) in _rows(answers, 3):
        if (place, graph) not in names or said.strip() not in ("", "0", "1"):
            message = "is no answer of the form (number, graph, and 1 for right or 0 for wrong)"
            raise InputError(message, path=answers, line=line, value=[place, graph, said])
        if said.strip():
            found.append(Judgement(annotator, *names[place, graph], said.strip() == "1"))
    return found


def read_judged(files: Sequence[Path]) -> list[Judgement]:
    """Read files of judgements, and filled-in forms, whose key lies beside them and whose folder names the annotator.

    Raises:
        InputError: see `read_judgements` and `read_form`.
    """
    judgements = []
    for path in files:
        with open_lines(path) as lines:
            is_form = next(lines)[1] == ",".join(_FORM_COLUMNS)
        folder = path.resolve().parent
        judgements += read_form(path, folder / KEY, folder.name) if is_form else read_judgements([path])
    return judgements


def _page(shown: Shown, place: str) -> Live:
    graphs = [shown.case.answers[system] for system in shown.systems]
    row = side_by_side([_graph(answer, f"Graph {k}") for k, answer in enumerate(graphs, start=1)])
    return stack(show_note(place), show_html(shown.case.texts_html()), Live(row))


def _graph(answer: Answer, title: str) -> str:
    if answer.edges:
        return graph_html(answer.edges, title)
    return show_note(f"{title} can't be drawn: {answer.text or 'nothing was written'}").html


def _section(place: int, shown: Shown) -> str:
    texts = "".join(f"<p><b>{name}</b>: {html.escape(text)}</p>" for name, text in shown.case.texts.items())
    graphs = "".join(_listed(shown.case.answers[system], k) for k, system in enumerate(shown.systems, start=1))
    return f"<section><h2>{place}</h2>{texts}{graphs}</section>"


def _listed(answer: Answer, k: int) -> str:
    lines = [describe([edge]) for edge in answer.edges] or [answer.text or "(nothing was written)"]
    items = "".join(f"<li>{html.escape(line)}</li>" for line in lines)
    return f"<h3>Graph {k} &#9744; yes &#9744; no</h3><ul>{items}</ul>"


def _csv(rows: Sequence[Sequence[object]]) -> str:
    file = StringIO()
    csv.writer(file, lineterminator="\n").writerows(rows)
    return file.getvalue()


def _rows(path: Path, columns: int) -> list[tuple[int, list[str]]]:
    with open_lines(path) as lines:
        rows = [(line, next(csv.reader([text]), [])) for line, text in lines if text.strip()]
    for line, row in rows:
        if len(row) != columns:
            raise InputError(f"needs {columns} columns, found {len(row)}", path=path, line=line, value=row)
    return rows[1:]
