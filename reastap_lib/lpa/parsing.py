"""Sentences to programs: linking and search, for many sentences at once and in several processes."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial

from tqdm import tqdm

from reastap_lib.lpa.frames import frame_of
from reastap_lib.lpa.linking import TableIndex
from reastap_lib.lpa.search import Limits, search
from reastap_lib.lpa.sentences import read_sentence
from reastap_lib.tables import Table
from workbench_lib.errors import WorkbenchError


@dataclass(frozen=True)
class Parsed:
    """What was found for a sentence.

    Args:
        programs: As text, each with whether it returns True; the shortest first.
        cut: Whether a limit ended the search before there were programs enough.
        timed_out: Whether that was the limit in seconds.
    """

    programs: tuple[tuple[str, bool], ...]
    cut: bool
    timed_out: bool


def processes() -> int:
    """How many processes this one may run at once."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def parse_sentences(
    asked: Sequence[tuple[Table, str]], limits: Limits | None = None, *, workers: int = 1
) -> list[Parsed]:
    """The programs of each sentence over its table; as long as no search times out, they do not depend on `workers`.

    Raises:
        WorkbenchError: fewer than one worker.

    >>> table = Table("t", "", ("Player", "Goals"), (("Ann", "9"), ("Bob", "12"), ("Cyd", "12")))
    >>> parse_sentences([(table, "two players have 12 goals")])[0].programs[0]
    ('eq{count{filter_eq{all_rows; goals; 12}}; 2}', True)
    """
    if workers < 1:
        raise WorkbenchError(f"{workers=} must be at least 1")
    wanted = list(dict.fromkeys(asked))
    by_table: dict[Table, list[str]] = {}
    for table, sentence in wanted:
        by_table.setdefault(table, []).append(sentence)
    with tqdm(total=len(wanted), desc="programs", unit="sentence", mininterval=5) as bar:
        found = {}
        for (table, sentences), parsed in zip(
            by_table.items(), _parsed(by_table, limits or Limits(), workers), strict=True
        ):
            found.update({(table, sentence): one for sentence, one in zip(sentences, parsed, strict=True)})
            bar.update(len(sentences))
    return [found[one] for one in asked]


def _parsed(by_table: dict[Table, list[str]], limits: Limits, workers: int) -> Iterator[list[Parsed]]:
    parse = partial(parse_table, limits=limits)
    if workers == 1:
        yield from map(parse, by_table, by_table.values())
        return
    with ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("spawn")) as pool:
        yield from pool.map(parse, by_table, by_table.values())


def parse_table(table: Table, sentences: Sequence[str], limits: Limits) -> list[Parsed]:
    """The programs of sentences about one table."""
    index = TableIndex(frame_of(table))
    found = [search(read_sentence(sentence, index), index.frame, limits) for sentence in sentences]
    return [
        Parsed(tuple((str(program), holds) for program, holds in one.programs), one.cut, one.timed_out) for one in found
    ]
