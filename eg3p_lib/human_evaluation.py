"""Human evaluation of graphs (paper, section 6.3, Table 3): blind order, judgements kept as made, and what they say.

Judges see a question with its answer and two systems' graphs, without names and in random order, and say of each
whether it explains the answer. Every judgement is a line of a csv file: annotator, case, system, is_right.
"""

from __future__ import annotations

import csv
import itertools
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from eg3p_lib.case_studies import Case
from eg3p_lib.readers import open_lines
from workbench_lib.errors import InputError, WorkbenchError
from workbench_lib.scores import Metric, mean_with_interval

COLUMNS = ("annotator", "case", "system", "is_right")


class JudgementError(WorkbenchError):
    """Judgements that cannot be compared, or cases that cannot be judged."""


class Judgement(NamedTuple):
    """What one person said of one system's graph."""

    annotator: str
    case: str
    system: str
    is_right: bool


@dataclass(frozen=True)
class Shown:
    """A case as it is shown: the systems in the order in which their graphs stand."""

    case: Case
    systems: tuple[str, ...]


def blind_order(cases: Sequence[Case], number: int, seed: int, annotator: str = "") -> list[Shown]:
    """Some cases, the same for all, in an order of the annotator's own, and so the systems of each.

    Args:
        number: How many cases, drawn by the seed.

    Raises:
        JudgementError: there are none, or a case has not two systems.
    """
    if not cases or any(len(case.answers) != 2 for case in cases):
        raise JudgementError("a sheet needs cases with the graphs of two systems each")
    chosen = np.random.default_rng(seed).permutation(len(cases))[:number]
    rng = np.random.default_rng([seed, *annotator.encode("utf-8")])
    shown = [Shown(cases[k], tuple(rng.permutation(list(cases[k].answers)).tolist())) for k in sorted(chosen.tolist())]
    return [shown[k] for k in rng.permutation(len(shown))]


# --- the file of judgements --------------------------------------------------------------------------------------


def record(path: Path, judgements: Sequence[Judgement]) -> None:
    """Add judgements to a file, on disk before this returns; a line that a kill cut off is ended first.

    Raises:
        JudgementError: a name has a line break in it, or is empty.
    """
    for name in (name for judgement in judgements for name in judgement[:3]):
        if not name or len(name.splitlines()) > 1:
            raise JudgementError(f"{name!r} can't be a name in a file of judgements")
    is_new = not path.exists() or path.stat().st_size == 0
    is_cut = not is_new and not path.read_bytes().endswith(b"\n")
    with path.open("a", encoding="utf-8", newline="") as file:
        file.write("\n" if is_cut else "")
        writer = csv.writer(file, lineterminator="\n")
        writer.writerows([COLUMNS] if is_new else [])
        writer.writerows([j.annotator, j.case, j.system, int(j.is_right)] for j in judgements)
        file.flush()
        os.fsync(file.fileno())


def read_judgements(paths: Sequence[Path]) -> list[Judgement]:
    """Read files of judgements; where someone judged a graph again, the last one counts.

    A last line without its end was cut off by a kill, and is left out.

    Raises:
        InputError: a file is missing or empty, or a line is no judgement; names it.
    """
    found: dict[tuple[str, str, str], Judgement] = {}
    for path in paths:
        with open_lines(path) as lines:
            numbered = list(lines)
        whole = numbered if path.read_bytes().endswith(b"\n") else numbered[:-1]
        for line, text in whole:
            if text and text != ",".join(COLUMNS):
                judgement = _judgement(text, line, path)
                found[judgement[:3]] = judgement
    return list(found.values())


def _judgement(text: str, line: int, path: Path) -> Judgement:
    columns = next(csv.reader([text]))
    if len(columns) != len(COLUMNS) or columns[-1] not in ("0", "1") or not all(columns):
        message = f"is no judgement ({', '.join(COLUMNS)}, with 1 for right and 0 for wrong)"
        raise InputError(message, path=path, line=line, value=text)
    annotator, case, system, is_right = columns
    return Judgement(annotator, case, system, is_right == "1")


# --- what they say -----------------------------------------------------------------------------------------------


class Comparison(NamedTuple):
    """The cases in which the first or the second system is better, over all annotators; and the chance of that."""

    first_better: int
    second_better: int
    same: int
    p_value: float


@dataclass(frozen=True)
class Outcome:
    """What judgements say.

    Args:
        accuracy: Of each system: the share of its cases that are right, an annotator's word counting as a share.
        cohen: Kappa of each two annotators over the graphs that both judged; none where it is not defined.
        fleiss: Kappa of all annotators over the graphs that all judged; none where it is not defined.
        comparison: Of the systems, in the order of `accuracy`; none where there are not two.
    """

    cases: int
    judgements: int
    accuracy: Mapping[str, Metric]
    cohen: Mapping[str, float | None]
    fleiss: float | None
    comparison: Comparison | None

    def as_json(self) -> dict[str, Any]:
        """The object that the command line prints."""
        return {
            "cases": self.cases,
            "judgements": self.judgements,
            "semantic_accuracy": {system: metric.model_dump() for system, metric in self.accuracy.items()},
            "cohen_kappa": dict(self.cohen),
            "fleiss_kappa": self.fleiss,
            **({} if self.comparison is None else {"comparison": self.comparison._asdict()}),
        }


def outcome(judgements: Sequence[Judgement]) -> Outcome:
    """Semantic accuracy, agreement, and whether one system is better.

    Raises:
        JudgementError: there are no judgements.
    """
    if not judgements:
        raise JudgementError("there are no judgements yet")
    systems = sorted({judgement.system for judgement in judgements})
    shares = {system: _shares(judgements, system) for system in systems}
    annotators = sorted({judgement.annotator for judgement in judgements})
    by_annotator = {name: _by_graph(judgements, name) for name in annotators}
    pairs = itertools.combinations(annotators, 2)
    return Outcome(
        cases=len({judgement.case for judgement in judgements}),
        judgements=len(judgements),
        accuracy={system: mean_with_interval(list(found.values())) for system, found in shares.items()},
        cohen={f"{a} / {b}": cohen_kappa(*_shared([by_annotator[a], by_annotator[b]])) for a, b in pairs},
        fleiss=fleiss_kappa(_shared(list(by_annotator.values()))) if len(annotators) > 1 else None,
        comparison=compare(shares[systems[0]], shares[systems[1]]) if len(systems) == 2 else None,
    )


def compare(first: Mapping[str, float], second: Mapping[str, float]) -> Comparison:
    """The sign test of two systems over the cases that both have; with one annotator it is McNemar's exact test.

    >>> compare({"a": 1, "b": 1, "c": 1, "d": 0}, {"a": 0, "b": 0, "c": 0, "d": 0})
    Comparison(first_better=3, second_better=0, same=1, p_value=0.25)
    """
    from scipy.stats import binomtest  # takes a second to import

    differences = [first[case] - second[case] for case in first if case in second]
    better, worse = sum(d > 0 for d in differences), sum(d < 0 for d in differences)
    p_value = float(binomtest(better, better + worse).pvalue) if better + worse else 1.0
    return Comparison(better, worse, len(differences) - better - worse, p_value)


def cohen_kappa(first: Sequence[bool], second: Sequence[bool]) -> float | None:
    """The agreement of two annotators beyond chance (Cohen 1960); none where chance alone would agree always.

    >>> cohen_kappa([True, True, False, False], [True, False, False, False])
    0.5
    """
    if not first:
        return None
    observed = sum(a == b for a, b in zip(first, second, strict=True)) / len(first)
    p, q = sum(first) / len(first), sum(second) / len(second)
    expected = p * q + (1 - p) * (1 - q)
    return (observed - expected) / (1 - expected) if expected < 1 else None


def fleiss_kappa(columns: Sequence[Sequence[bool]]) -> float | None:
    """The agreement of all annotators beyond chance (Fleiss 1971), from what each said of the same graphs.

    >>> fleiss_kappa([[True, False], [True, False]])
    1.0
    """
    raters, graphs = len(columns), len(columns[0])
    if not graphs:
        return None
    rights = [sum(column[k] for column in columns) for k in range(graphs)]
    agreeing = [(n * (n - 1) + (raters - n) * (raters - n - 1)) / (raters * (raters - 1)) for n in rights]
    p = sum(rights) / (raters * graphs)
    observed, expected = sum(agreeing) / graphs, p**2 + (1 - p) ** 2
    return (observed - expected) / (1 - expected) if expected < 1 else None


_Graph = tuple[str, str]  # case, system


def _by_graph(judgements: Sequence[Judgement], annotator: str) -> dict[_Graph, bool]:
    return {(j.case, j.system): j.is_right for j in judgements if j.annotator == annotator}


def _shared(found: Sequence[Mapping[_Graph, bool]]) -> list[list[bool]]:
    """What each annotator said of the graphs that all of them judged."""
    graphs = sorted(set(found[0]).intersection(*found[1:]))
    return [[one[graph] for graph in graphs] for one in found]


def _shares(judgements: Sequence[Judgement], system: str) -> dict[str, float]:
    """Of each case the share of annotators who take the system's graph for right."""
    said: dict[str, list[bool]] = {}
    for judgement in judgements:
        if judgement.system == system:
            said.setdefault(judgement.case, []).append(judgement.is_right)
    return {case: sum(values) / len(values) for case, values in said.items()}
