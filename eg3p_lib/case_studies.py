"""Case studies (paper, appendix E, Figures 6 to 9): graphs of several models beside the gold, and where they differ."""

from __future__ import annotations

import html
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from textwrap import fill, shorten
from typing import TYPE_CHECKING, Any, NamedTuple

from eg3p_lib.structure import FAULTS, is_parsed, respaced, triples_of
from workbench_lib.errors import WorkbenchError
from workbench_lib.runs import Run
from workbench_lib.stages import FinetuningParams
from workbench_lib.tasks import get_task

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

GRAPH_TASKS = ("explagraphs", "commonsenseqa", "openbookqa")
GOLD = "gold"
TEXTS = ("belief", "argument", "stance", "question", "answer")

Edge = tuple[str, str, str]
Edges = list[Edge]


class CaseError(WorkbenchError):
    """Runs that cannot be put side by side."""


class Answer(NamedTuple):
    """A model's graph: as it was written, and what it scored (with the names of broken rules in `faults`)."""

    text: str
    scores: Mapping[str, Any]

    @property
    def edges(self) -> Edges:
        """Its edges, lower-cased; none where it is no graph."""
        return triples_of(respaced(self.text)) if is_parsed(self.text) else []

    @property
    def verdict(self) -> str:
        """The rules that it breaks, in words."""
        if not self.text.strip():
            return "nothing written"
        broken = [FAULTS[fault] for fault in self.scores.get("faults", ())]
        return "breaks: " + "; ".join(broken) if broken else "keeps all rules"


@dataclass(frozen=True)
class Case:
    """An example with its gold graph (empty where there is none) and the models' graphs, by their titles."""

    id: str
    texts: Mapping[str, str]
    gold: str
    answers: Mapping[str, Answer]

    @cached_property
    def gold_edges(self) -> Edges:
        """The edges of the gold graph, lower-cased."""
        return triples_of(respaced(self.gold)) if self.gold else []

    @property
    def size(self) -> int:
        """The edges of the gold graph, or without one of the largest graph."""
        return len(self.gold_edges) or max(len(answer.edges) for answer in self.answers.values())

    def differing(self, title: str) -> set[Edge]:
        """The edges of one graph that are not in the gold; of the gold, or without one, that are in no other."""
        edges = {title: set(answer.edges) for title, answer in self.answers.items()}
        edges |= {GOLD: set(self.gold_edges)} if self.gold else {}
        others = [GOLD] if self.gold and title != GOLD else [name for name in edges if name != title]
        return edges[title].difference(*(edges[name] for name in others))

    def panels(self) -> list[tuple[str, Edges, set[Edge]]]:
        """What is shown: a title, edges, and those that differ; of a text that is no graph there are no edges."""
        first = [(GOLD, self.gold_edges, self.differing(GOLD))] if self.gold else []
        return first + [(f"{t}: {a.verdict}", a.edges, self.differing(t)) for t, a in self.answers.items()]

    def picture(self) -> Figure:
        """The graphs below each other; edges that differ are coloured and dashed, and what is no graph is a text."""
        from workbench_lib.display import draw_graphs  # matplotlib takes a second to import

        unread = {f"{t}: {a.verdict}": fill(shorten(a.text, 300), 100) for t, a in self.answers.items() if not a.edges}
        return draw_graphs([(f"{t}\n{unread.get(t, '')}".strip(), edges, marked) for t, edges, marked in self.panels()])

    def texts_html(self) -> str:
        """What the models read, escaped."""
        lines = (f"<strong>{name}</strong>: {html.escape(text)}" for name, text in self.texts.items())
        return f"<p>{html.escape(self.id)}</p><p>{'<br>'.join(lines)}</p>"

    def _repr_html_(self) -> str:
        from workbench_lib.display import graph_html, show_html, show_note

        parts = [graph_html(edges, title, marked=marked) for title, edges, marked in self.panels() if edges]
        parts += [show_note(f"{t}, no graph: {a.text}").html for t, a in self.answers.items() if not a.edges]
        return show_html(self.texts_html()).html + side_by_side(parts)


def side_by_side(parts: Sequence[str]) -> str:
    """Pieces of HTML from left to right, in several lines where the window is narrow."""
    boxes = "".join(f'<div style="flex:1 1 380px">{part}</div>' for part in parts)
    return f'<div style="display:flex;flex-flow:row wrap;gap:8px">{boxes}</div>'


def read_cases(runs: Mapping[str, Run]) -> list[Case]:
    """The cases of finished fine-tuning runs on the same examples.

    Args:
        runs: By the titles that their graphs are shown under.

    Raises:
        CaseError: the runs are of other tasks, or were scored on different examples.
        RunError: one is not finished.
    """
    params = {title: FinetuningParams.make(run.record()["params"]) for title, run in runs.items()}
    asked = {(p.task, p.data, p.split) for p in params.values()}
    if len(asked) != 1:
        raise CaseError(f"runs of different tasks, data or splits: {', '.join(run.id for run in runs.values())}")
    ((task, _, split),) = asked
    if task not in GRAPH_TASKS:
        raise CaseError(f"the task {task!r} has no graphs")
    examples = get_task(task).load(next(iter(params.values())).data_folder, split)
    predicted = {title: _predictions(run) for title, run in runs.items()}
    for title, found in predicted.items():
        if found.keys() != {example.id for example in examples}:
            raise CaseError(f"{runs[title].id} was scored on other examples than there are now")
    return [
        Case(
            example.id,
            {name: example.references[name] for name in TEXTS if name in example.references},
            example.target,
            {title: found[example.id] for title, found in predicted.items()},
        )
        for example in examples
    ]


def compared_runs(outcomes: pd.DataFrame) -> dict[str, dict[str, Run]]:
    """Of each task of graphs with several runs: that without pre-training, and that with the largest corpus.

    Args:
        outcomes: As `workbench_lib.analysis.outcomes` gives them.
    """
    from workbench_lib.analysis import WITH, WITHOUT
    from workbench_lib.paths import runs_dir

    found = {}
    for task in GRAPH_TASKS:
        rows = outcomes[outcomes["task"] == task].sort_values("corpus_examples", kind="stable")
        if len(rows) > 1:
            ends = {WITHOUT: rows.iloc[0], WITH: rows.iloc[-1]}
            found[task] = {title: Run(runs_dir() / row["run"]) for title, row in ends.items()}
    return found


def select(
    cases: Sequence[Case], *, metric: str = "", stance: str = "", size: int = 0, fault: str = "", limit: int = 20
) -> list[Case]:
    """Some cases, those first in which the last model gains most over the first.

    Args:
        metric: What is gained, such as G-BLEU; without, the order is that of the examples.
        stance: support or counter.
        size: The edges of the gold graph.
        fault: A rule that some model's graph breaks, by its name (see `FAULTS`).
    """
    kept = [
        case
        for case in cases
        if (not stance or case.texts.get("stance") == stance)
        and (not size or case.size == size)
        and (not fault or any(fault in answer.scores.get("faults", ()) for answer in case.answers.values()))
    ]
    return sorted(kept, key=lambda case: -_gain(case, metric))[:limit] if metric else kept[:limit]


def cases_table(cases: Sequence[Case], metrics: Sequence[str]) -> pd.DataFrame:
    """A row a case: what was read, every graph, the rules that it breaks, and what it scored."""
    import pandas as pd

    rows = []
    for case in cases:
        row: dict[str, Any] = {"id": case.id, **case.texts, **({GOLD: case.gold} if case.gold else {})}
        for title, answer in case.answers.items():
            row |= {title: answer.text, f"{title}: rules": answer.verdict}
            row |= {f"{title}: {name}": round(float(answer.scores[name]), 3) for name in metrics}
        rows.append(row)
    return pd.DataFrame(rows)


def metrics_of(cases: Sequence[Case]) -> list[str]:
    """The metrics that the models' graphs have, without their parts and strict forms."""
    scores = [answer.scores for case in cases[:1] for answer in case.answers.values()]
    names = dict.fromkeys(name for found in scores for name, value in found.items() if isinstance(value, float))
    parts = ("-strict", "-precision", "-recall")
    return [name for name in names if not name.endswith(parts) and all(name in found for found in scores)]


def _gain(case: Case, metric: str) -> float:
    values = [float(answer.scores[metric]) for answer in case.answers.values()]
    return values[-1] - values[0] if not metric.startswith("GED") else values[0] - values[-1]


def _predictions(run: Run) -> dict[str, Answer]:
    lines = (run.folder / "predictions.jsonl").read_text(encoding="utf-8").split("\n")[:-1]
    rows = map(json.loads, lines)
    return {row["id"]: Answer(row["prediction"], row) for row in rows}
