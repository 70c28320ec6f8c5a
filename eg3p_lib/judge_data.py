"""What the judges of graphs are trained on: stance, semantic correctness, edge importance (paper, appendix D).

Each example is a pair of texts with a class. The pairs are written as the metrics ask the judges later on.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from eg3p_lib.explagraphs import ExplaGraphsRow
from eg3p_lib.graph_measures import argument_with_graph, graph_in_order, graph_text
from eg3p_lib.judges import SEMANTIC_CLASSES
from eg3p_lib.perturbation import perturbed
from eg3p_lib.readers import open_lines
from eg3p_lib.structure import parsed_triples, triples_of
from workbench_lib.errors import InputError

INCORRECT = SEMANTIC_CLASSES[-1]
SEED = 13  # of the perturbed graphs; each depends on it and its line alone


class Pair(NamedTuple):
    """Two texts and their class; where they come from (a line, and what was made of it)."""

    first: str
    second: str
    label: str
    line: int
    origin: str


def stance_pairs(rows: Sequence[ExplaGraphsRow]) -> list[Pair]:
    """Belief and argument, and the stance."""
    return [Pair(row.belief, row.argument, row.stance, row.line, "gold") for row in rows]


def importance_pairs(rows: Sequence[ExplaGraphsRow]) -> list[Pair]:
    """Belief and argument with the gold graph in words, and the stance: as EA asks with all edges."""
    return [
        Pair(row.belief, argument_with_graph(row.argument, graph_in_order(row.graph)), row.stance, row.line, "gold")
        for row in rows
    ]


def semantic_pairs(rows: Sequence[ExplaGraphsRow], refined: Sequence[Sequence[str]] = ()) -> list[Pair]:
    """Belief and graph: the gold graph with its stance, and incorrect ones.

    Incorrect are the graphs that people refined (where they differ from the gold); and for a row that has none, the
    gold graph perturbed.

    Args:
        refined: For each row the graphs before its last refinement.
    """
    pairs: list[Pair] = []
    for number, row in enumerate(rows):
        pairs.append(_semantic(row, row.graph, row.stance, "gold"))
        before = [graph for graph in (refined[number] if refined else ()) if not _is_same(graph, row.graph)]
        pairs += [_semantic(row, graph, INCORRECT, "refined") for graph in dict.fromkeys(before)]
        pairs += [] if before else _made_incorrect(row)
    return pairs


def read_refined(path: Path, rows: Sequence[ExplaGraphsRow]) -> list[list[str]]:
    """Read the refinement graphs of the training rows: belief, argument, stance and one to three graphs a line.

    The last graph is the gold one of the same line of the training file; those before it were found incorrect.

    Returns:
        For each row the graphs before the last.

    Raises:
        InputError: the file is missing, or a line is not the row's with the row's graph at its end.
    """
    with open_lines(path) as lines:
        found = [(line, text.split("\t")) for line, text in lines]
    if len(found) != len(rows):
        raise InputError(f"has {len(found)} lines for {len(rows)} training rows", path=path)
    for (line, columns), row in zip(found, rows, strict=True):
        if columns[:3] != [row.belief, row.argument, row.stance] or columns[-1] != row.graph or len(columns) < 4:
            message = "is not the training file's line with its graph at the end"
            raise InputError(message, path=path, line=line, value="\t".join(columns))
    return [columns[3:-1] for _, columns in found]


def _semantic(row: ExplaGraphsRow, graph: str, label: str, origin: str) -> Pair:
    return Pair(row.belief.lower(), graph_text(graph_in_order(graph)), label, row.line, origin)


def _made_incorrect(row: ExplaGraphsRow) -> Iterator[Pair]:
    rng = np.random.default_rng([SEED, row.line])
    found = perturbed(triples_of(row.graph), row.belief, row.argument, rng)
    if found:
        yield _semantic(row, graph_text(found[1]), INCORRECT, found[0])


def _is_same(graph: str, other: str) -> bool:
    return parsed_triples(graph) == parsed_triples(other)
