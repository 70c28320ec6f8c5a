"""The labelled splits of ExplaGraphs as examples: a text to write a graph from, and pairs of texts to judge."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from eg3p_lib.explagraphs import ExplaGraphsRow, read_explagraphs
from eg3p_lib.graphs import ExplanationGraph, GraphError
from eg3p_lib.judge_data import Pair, importance_pairs, read_refined, semantic_pairs, stance_pairs
from eg3p_lib.judges import PairJudge
from eg3p_lib.knowledge import DATA
from workbench_lib.errors import InputError
from workbench_lib.paths import find_data
from workbench_lib.tasks import Example, Split, TaskError

STARTER = DATA / "starter_explagraphs"
REFINED = "refinement_graphs_train.tsv"


def explagraphs_source(belief: str, argument: str, stance: str) -> str:
    """The input text of ExplaGraphs (Table 4).

    >>> explagraphs_source("Chess is fun.", "Chess is slow.", "counter")
    'Belief: Chess is fun. [SEP] Argument: Chess is slow. [SEP] Stance: counter'
    """
    return f"Belief: {belief} [SEP] Argument: {argument} [SEP] Stance: {stance}"


def load_explagraphs(data: str, split: Split, predictor: Callable[[], PairJudge] | None = None) -> list[Example]:
    """The examples of one split, with the stance in the input: the gold one, or in evaluation a predicted one.

    Args:
        data: "starter" (built in), or a folder with the official train.tsv and dev.tsv, here or under WORKBENCH_DATA.
        split: train or dev; the official test has no labels, but a labelled test.tsv with two graphs is read.
        predictor: Opens the model that predicts the stance of the other splits than train.

    Raises:
        TaskError: there is no such split.
        InputError: a file is missing or malformed; names the line.
    """
    path = _labelled_file(data, split)
    rows = read_explagraphs(path)
    predicted = _predicted(rows, predictor()) if predictor and split != "train" else [None] * len(rows)
    return [_example(row, stance, split, path) for row, stance in zip(rows, predicted, strict=True)]


def load_stance(data: str, split: Split) -> list[Example]:
    """Belief and argument, and the stance as the label; see `load_explagraphs` for the files."""
    return _judged(stance_pairs(read_explagraphs(_labelled_file(data, split))), split)


def load_importance(data: str, split: Split) -> list[Example]:
    """Belief and argument with the gold graph in words, and the stance as the label."""
    return _judged(importance_pairs(read_explagraphs(_labelled_file(data, split))), split)


def load_semantic(data: str, split: Split) -> list[Example]:
    """Belief and graph: the label is the stance, or incorrect. The training split has its refinement graphs."""
    path = _labelled_file(data, split)
    rows, refined = read_explagraphs(path), path.parent / REFINED
    is_refined = split == "train" and refined.exists()
    return _judged(semantic_pairs(rows, read_refined(refined, rows) if is_refined else ()), split)


def _labelled_file(data: str, split: Split) -> Path:
    folder = STARTER if data == "starter" else find_data(data)
    path = folder / f"{split}.tsv"
    if not path.exists():
        raise TaskError(f"explagraphs: {data!r} has no labelled split {split!r} ({path.name} is not in {folder})")
    return path


def _predicted(rows: Sequence[ExplaGraphsRow], judge: PairJudge) -> list[str | None]:
    said = judge([(row.belief, row.argument) for row in rows]).argmax(axis=1).tolist()
    return [judge.labels[number] for number in said]


def _example(row: ExplaGraphsRow, predicted: str | None, split: Split, path: Path) -> Example:
    try:
        target = ExplanationGraph.parse(row.graph, "explagraphs").format("explagraphs")
    except GraphError as error:
        raise InputError(str(error), path=path, line=row.line) from None
    references = {"belief": row.belief, "argument": row.argument, "stance": row.stance, "graph": target}
    references |= {"second_graph": row.second_graph} if row.second_graph else {}
    references |= {"predicted_stance": predicted} if predicted is not None else {}
    source = explagraphs_source(row.belief, row.argument, predicted or row.stance)
    return Example(f"{split}-{row.line}", source, target, references)


def _judged(pairs: Sequence[Pair], split: Split) -> list[Example]:
    counts: dict[int, int] = {}
    examples = []
    for pair in pairs:
        counts[pair.line] = counts.get(pair.line, 0) + 1
        name = f"{split}-{pair.line}" + (f".{counts[pair.line]}" if counts[pair.line] > 1 else "")
        examples.append(Example(name, pair.first, pair.label, {"origin": pair.origin}, pair.second))
    return examples
