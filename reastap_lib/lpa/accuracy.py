"""SP-Acc: the share of sentences whose likeliest program is true of their table (LogicNLG, section 4).

The score's rules are those of LogicNLG's evaluator: of a sentence's programs the first 36 count; where there are more
than eight, one that is true among the three likeliest is enough; a sentence without a program is wrong. How likely a
program is, a trained ranker says. Without one there are the bounds of the search, under names of their own: the share
of sentences with any true program, and what a ranker that draws lots would score on average.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from math import comb
from pathlib import Path
from typing import Any

from reastap_lib.logicnlg_metrics import Judge, Verdicts
from reastap_lib.lpa.parsing import Parsed, parse_sentences, processes
from reastap_lib.lpa.ranker_data import Candidate
from reastap_lib.lpa.search import Limits
from reastap_lib.tabfact import csv_table
from reastap_lib.tables import Table
from workbench_lib.tasks import Example

SEARCH_ALONE = "search"
SP_ACC, ANY_TRUE, RANDOM_RANKER = "SP-Acc", "SP-search_any", "SP-search_random"
PROGRAMS, FEW, LIKELIEST = 36, 8, 3
LIMITS = Limits(programs=PROGRAMS)
PARALLEL_FROM = 500  # sentences; with fewer, processes take longer to start than one takes for them all


def is_right(holds: Sequence[bool], probabilities: Sequence[float]) -> bool:
    """Whether a sentence counts as right, by what its programs return and how likely they are.

    >>> is_right([True, False], [0.2, 0.8]), is_right([True, *[False] * 9], [0.7, 0.8, 0.9, *[0.1] * 7])
    (False, True)
    """
    order = sorted(range(len(holds)), key=lambda k: -probabilities[k])
    return any(holds[k] for k in order[: LIKELIEST if len(holds) > FEW else 1])


def by_lot(holds: Sequence[bool]) -> float:
    """How often a sentence counts as right where the likeliest programs are drawn by lot.

    >>> by_lot([True, False]), by_lot([True, *[False] * 11]), by_lot([])
    (0.5, 0.25, 0.0)
    """
    n, false = len(holds), len(holds) - sum(holds)
    drawn = LIKELIEST if n > FEW else 1
    return 1 - comb(false, drawn) / comb(n, drawn) if n else 0.0


def sp_judges(ranker: str) -> dict[str, Judge]:
    """The judges for the bounds of the search and, where there is a ranker, for SP-Acc.

    Args:
        ranker: The folder of a ranker that `train_ranker` made; SEARCH_ALONE for the bounds alone.

    Raises:
        ModelError: the ranker cannot be loaded.
        InputError: it is another classifier.
    """
    parser = _Parser()

    def any_true(examples: Sequence[Example], sentences: Sequence[str]) -> Verdicts:
        parsed = parser(examples, sentences)
        return Verdicts([float(any(_holds(one))) for one in parsed], parser.notes(parsed))

    def random_ranker(examples: Sequence[Example], sentences: Sequence[str]) -> Verdicts:
        return Verdicts([by_lot(_holds(one)) for one in parser(examples, sentences)], {})

    bounds: dict[str, Judge] = {ANY_TRUE: any_true, RANDOM_RANKER: random_ranker}
    return bounds if ranker == SEARCH_ALONE else {SP_ACC: _ranked(ranker, parser), **bounds}


def _ranked(folder: str, parser: _Parser) -> Judge:
    from reastap_lib.lpa.ranker import load_ranker  # torch takes seconds, and is rarely asked for

    ranker = load_ranker(folder)

    def judge(examples: Sequence[Example], sentences: Sequence[str]) -> Verdicts:
        parsed = parser(examples, sentences)
        candidates = [
            Candidate(example.references["title"], sentence, program)
            for example, sentence, one in zip(examples, sentences, parsed, strict=True)
            for program, _ in one.programs
        ]
        said = iter(ranker(candidates).tolist())
        values = [float(is_right(_holds(one), [next(said) for _ in one.programs])) for one in parsed]
        return Verdicts(values, {"ranker": folder})

    return judge


class _Parser:
    """Sentences to programs, each sentence once for all judges."""

    def __init__(self) -> None:
        self.known: dict[tuple[Table, str], Parsed] = {}
        self.seconds, self.workers = 0.0, 1

    def __call__(self, examples: Sequence[Example], sentences: Sequence[str]) -> list[Parsed]:
        asked = [(csv_table(Path(e.references["file"])), text) for e, text in zip(examples, sentences, strict=True)]
        new = [one for one in dict.fromkeys(asked) if one not in self.known]
        if new:
            began, self.workers = time.monotonic(), processes() if len(new) >= PARALLEL_FROM else 1
            parsed = parse_sentences(new, LIMITS, workers=self.workers)
            self.seconds += time.monotonic() - began
            self.known.update(zip(new, parsed, strict=True))
        return [self.known[one] for one in asked]

    def notes(self, parsed: Sequence[Parsed]) -> dict[str, Any]:
        """Shares of the sentences, and how fast their programs were found."""
        n = max(len(parsed), 1)
        return {
            "without_program": sum(not one.programs for one in parsed) / n,
            "cut": sum(one.cut for one in parsed) / n,
            "timed_out": sum(one.timed_out for one in parsed) / n,
            "programs_a_sentence": round(sum(len(one.programs) for one in parsed) / n, 2),
            "sentences_a_second": round(len(self.known) / self.seconds, 1) if self.seconds else 0.0,
            "processes": self.workers,
        }


def _holds(parsed: Parsed) -> list[bool]:
    return [holds for _, holds in parsed.programs]
