"""The files of the ExplaGraphs data set: tab-separated without quoting, one example a line (Saha et al. 2021)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from eg3p_lib.readers import LineError, decode_line, open_lines, open_raw_lines
from workbench_lib.errors import InputError
from workbench_lib.scores import ScoreError

STANCES = ("support", "counter")


@dataclass(frozen=True)
class ExplaGraphsRow:
    """An example: belief, argument, stance (support or counter), graph as `(h; r; t)(h; r; t)`; its line from 1.

    Stance and graph are empty in the test file without labels; a labelled test file may have a second graph.
    """

    belief: str
    argument: str
    stance: str = ""
    graph: str = ""
    line: int = 0
    second_graph: str = ""

    @property
    def graphs(self) -> tuple[str, ...]:
        """Its one or two gold graphs."""
        return (self.graph, self.second_graph) if self.second_graph else (self.graph,)


class Prediction(NamedTuple):
    """A model's stance and graph for one example; both empty where it gave none, or its line was malformed."""

    stance: str
    graph: str
    is_malformed: bool = False


MISSING = Prediction("", "")


def read_explagraphs(path: Path, *, labelled: bool = True) -> list[ExplaGraphsRow]:
    """Read an official file: belief, argument, stance, graph and perhaps a second graph; or belief and argument alone.

    Args:
        path: The file; `\\n` alone ends a line.
        labelled: Whether stance and graph must be there.

    Raises:
        InputError: the file is missing or empty, or a line has other columns or an unknown stance.
    """
    with open_lines(path) as lines:
        return [_row(text, line, path, labelled) for line, text in lines]


def read_predictions(path: Path) -> list[Prediction]:
    """Read a file of predictions in the official format: stance, tab, graph, a line an example.

    An empty line is a missing prediction, and one of another number of columns, or not in UTF-8, a malformed one: both
    count as wrong. Empty lines at the end are nothing.

    Raises:
        InputError: the file is missing or empty.
    """
    with open_raw_lines(path) as lines:
        found = [_prediction(raw) for _, raw in lines]
    while found and found[-1] == MISSING:
        found.pop()
    return found


def read_predictions_of_run(path: Path, golds: Sequence[ExplaGraphsRow]) -> list[Prediction]:
    """Read `predictions.jsonl` of a fine-tuning run, in the order of the gold, by the ids: `dev-1` for line 1.

    Raises:
        InputError: the file is missing or empty, or a line is no prediction of an ExplaGraphs run; names it.
        ScoreError: an id comes twice, or is not in the gold.
    """
    found: dict[str, Prediction] = {}
    with open_lines(path) as lines:
        for line, text in lines:
            try:
                row = json.loads(text)
                name, prediction = str(row["id"]).rpartition("-")[2], Prediction(row["stance"], row["prediction"])
            except (ValueError, KeyError, TypeError):
                message = "is no prediction of an ExplaGraphs run (id, stance, prediction)"
                raise InputError(message, path=path, line=line, value=text) from None
            if name in found:
                raise ScoreError(f"{path}, line {line}: the id {row['id']!r} comes twice")
            found[name] = prediction
    strangers = found.keys() - {str(gold.line) for gold in golds}
    if strangers:
        raise ScoreError(f"{path}: {len(strangers)} predictions are for lines that the gold has not: {min(strangers)}")
    return [found.get(str(gold.line), MISSING) for gold in golds]


def write_predictions(predictions: list[Prediction]) -> str:
    """The text of a file of predictions; what would break a line is written as a space.

    >>> write_predictions([Prediction("support", "(a; is a; b)")])
    'support\\t(a; is a; b)\\n'
    """
    return "".join(f"{' '.join(p.stance.split())}\t{' '.join(p.graph.split())}\n" for p in predictions)


def _row(text: str, line: int, path: Path, labelled: bool) -> ExplaGraphsRow:
    columns = text.split("\t")
    if len(columns) not in ((4, 5) if labelled else (2,)):
        names = "4 tab-separated columns (belief, argument, stance, graph), or 5 with a second graph"
        wanted = names if labelled else "2 tab-separated columns (belief, argument)"
        raise InputError(f"needs {wanted}, found {len(columns)}", path=path, line=line, value=text)
    if labelled and columns[2] not in STANCES:
        raise InputError("the stance is neither 'support' nor 'counter'", path=path, line=line, value=columns[2])
    belief, argument, stance, graph, second = (*columns, "", "", "")[:5]
    return ExplaGraphsRow(belief, argument, stance, graph, line, second)


def _prediction(raw: bytes) -> Prediction:
    try:
        columns = decode_line(raw).split("\t")
    except LineError:
        return MISSING._replace(is_malformed=True)
    if len(columns) != 2:
        return MISSING._replace(is_malformed=bool(columns[1:] or columns[0].strip()))
    return Prediction(columns[0], columns[1])
