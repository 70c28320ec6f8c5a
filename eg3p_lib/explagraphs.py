"""The files of the ExplaGraphs data set: tab-separated without quoting, one example a line (Saha et al. 2021)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from eg3p_lib.readers import open_lines
from workbench_lib.errors import InputError

STANCES = ("support", "counter")


@dataclass(frozen=True)
class ExplaGraphsRow:
    """An example: belief, argument, stance (support or counter), graph as `(h; r; t)(h; r; t)`; its line from 1.

    Stance and graph are empty in the test file without labels.
    """

    belief: str
    argument: str
    stance: str = ""
    graph: str = ""
    line: int = 0


class Prediction(NamedTuple):
    """A model's stance and graph for one example; both empty where it gave none."""

    stance: str
    graph: str


def read_explagraphs(path: Path, *, labelled: bool = True) -> list[ExplaGraphsRow]:
    """Read an official file: belief, argument, stance, graph; or belief and argument alone.

    Args:
        path: The file; `\\n` alone ends a line.
        labelled: Whether stance and graph must be there.

    Raises:
        InputError: the file is missing or empty, or a line has other columns or an unknown stance.
    """
    with open_lines(path) as lines:
        return [_row(text, line, path, labelled) for line, text in lines]


def read_predictions(path: Path) -> list[Prediction]:
    """Read a file of predictions in the official format: stance, tab, graph; an empty line is a missing one.

    Raises:
        InputError: the file is missing or empty, or a line has not two columns.
    """
    with open_lines(path) as lines:
        return [_prediction(text, line, path) for line, text in lines]


def write_predictions(predictions: list[Prediction]) -> str:
    """The text of a file of predictions; what would break a line is written as a space.

    >>> write_predictions([Prediction("support", "(a; is a; b)")])
    'support\\t(a; is a; b)\\n'
    """
    return "".join(f"{' '.join(p.stance.split())}\t{' '.join(p.graph.split())}\n" for p in predictions)


def _row(text: str, line: int, path: Path, labelled: bool) -> ExplaGraphsRow:
    columns = text.split("\t")
    wanted = 4 if labelled else 2
    if len(columns) != wanted:
        names = "belief, argument, stance, graph" if labelled else "belief, argument"
        raise InputError(
            f"needs {wanted} tab-separated columns ({names}), found {len(columns)}", path=path, line=line, value=text
        )
    if labelled and columns[2] not in STANCES:
        raise InputError("the stance is neither 'support' nor 'counter'", path=path, line=line, value=columns[2])
    belief, argument, stance, graph = (*columns, "", "")[:4]
    return ExplaGraphsRow(belief, argument, stance, graph, line)


def _prediction(text: str, line: int, path: Path) -> Prediction:
    columns = text.split("\t")
    if not text.strip():
        return Prediction("", "")
    if len(columns) != 2:
        raise InputError(
            f"needs 2 tab-separated columns (stance, graph), found {len(columns)}", path=path, line=line, value=text
        )
    return Prediction(*columns)
