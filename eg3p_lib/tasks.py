"""The downstream tasks of the paper, for the registry of `workbench_lib.tasks`: ExplaGraphs graph generation."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from eg3p_lib.explagraphs import ExplaGraphsRow, Prediction, read_explagraphs
from eg3p_lib.graphs import ExplanationGraph, GraphError
from eg3p_lib.knowledge import DATA
from eg3p_lib.metrics import HIGHER_IS_BETTER, score_explagraphs
from workbench_lib.errors import InputError
from workbench_lib.paths import find_data
from workbench_lib.scores import Scores
from workbench_lib.tasks import Example, Split, Task, TaskError, register

STARTER = DATA / "starter_explagraphs"


def explagraphs_source(belief: str, argument: str, stance: str) -> str:
    """The input text of ExplaGraphs (Table 4).

    >>> explagraphs_source("Chess is fun.", "Chess is slow.", "counter")
    'Belief: Chess is fun. [SEP] Argument: Chess is slow. [SEP] Stance: counter'
    """
    return f"Belief: {belief} [SEP] Argument: {argument} [SEP] Stance: {stance}"


def load_explagraphs(data: str, split: Split) -> list[Example]:
    """The examples of one split, with the gold stance in the input.

    Args:
        data: "starter" (built in), or a folder with the official train.tsv and dev.tsv, here or under WORKBENCH_DATA.
        split: train or dev; the official test has no labels.

    Raises:
        TaskError: there is no such split.
        InputError: a file is missing or malformed; names the line.
    """
    folder = STARTER if data == "starter" else find_data(data)
    path = folder / f"{split}.tsv"
    if not path.exists():
        raise TaskError(f"explagraphs: {data!r} has no labelled split {split!r} ({path.name} is not in {folder})")
    return [_example(row, split, path) for row in read_explagraphs(path)]


def _example(row: ExplaGraphsRow, split: Split, path: Path) -> Example:
    try:
        target = ExplanationGraph.parse(row.graph, "explagraphs").format("explagraphs")
    except GraphError as error:
        raise InputError(str(error), path=path, line=row.line) from None
    return Example(
        id=f"{split}-{row.line}",
        source=explagraphs_source(row.belief, row.argument, row.stance),
        target=target,
        references={"belief": row.belief, "argument": row.argument, "stance": row.stance, "graph": target},
    )


def score_graphs(examples: Sequence[Example], predictions: Sequence[str]) -> Scores:
    """Score graphs under the gold stance, so that StCA tells of the structure alone.

    Raises:
        ScoreError: more predictions than examples, or no examples.
    """
    golds = [
        ExplaGraphsRow(r["belief"], r["argument"], r["stance"], r["graph"]) for r in (e.references for e in examples)
    ]
    stances = [gold.stance for gold in golds] + [""] * max(0, len(predictions) - len(golds))
    given = [Prediction(stance, graph) for stance, graph in zip(stances, predictions, strict=False)]
    return score_explagraphs(golds, given, stance_is_given=True)


EXPLAGRAPHS = register(
    Task(
        name="explagraphs",
        version=1,
        load=load_explagraphs,
        score=score_graphs,
        higher_is_better={name: higher for name, higher in HIGHER_IS_BETTER.items() if name != "SA"},
    )
)
