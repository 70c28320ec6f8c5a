"""Verified questions a CPU second of a table corpus on disk, beside an implementation that makes them one by one.

    python benchmarks/table_synthesis.py [--examples 20000] [--questions-a-table 18]

Over the built-in tables, and with WORKBENCH_DATA set over the real ones too (WikiTableQuestions, TabFact and
turning_tables). CPU seconds of one process, whole builds: reading, typing, two routes to every answer, Parquet. Beside
it: how many different questions a table yields, the shares of the skills, and how often a skill's most frequent answer
comes.
"""

from __future__ import annotations

import argparse
import resource
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from reastap_lib.column_types import type_table
from reastap_lib.conditions import Undetermined
from reastap_lib.params import TableSynthesisParams
from reastap_lib.preparation import Prepared
from reastap_lib.programs import execute
from reastap_lib.serialisation import count_words, join_answers, serialise
from reastap_lib.skills import TABLE_1, Draw, get_skill
from reastap_lib.sql import SqlTable, verify
from reastap_lib.synthesis import SCHEMA, TableGenerator, build_table_corpus, prepared_tables
from reastap_lib.visits import Visit
from workbench_lib.corpus import Block, Corpus, build_corpus
from workbench_lib.paths import data_root

REAL = ("wikitq/csv", "tabfact/data/all_csv", "turning_tables/classify_table_column_types_sample.jsonl")
RELEASED = 345  # questions a CPU second of ReasTAP's released generator on WikiTQ's tables, 12.2 a table
BASELINE_EXAMPLES = 2000
MOST_A_TABLE = 60


def params(tables: tuple[str, ...], examples: int, questions_a_table: int) -> TableSynthesisParams:
    return TableSynthesisParams(
        tables=tables,
        held_out=(),
        examples=examples,
        seed=1,
        skills=TABLE_1,
        questions_a_table=questions_a_table,
        min_rows=8,
        max_rows=30,
        min_columns=3,
        max_source_words=350,
        workers=1,
    )


@dataclass(frozen=True)
class OneByOne(TableGenerator):
    """The same questions without sharing: each example draws, shuffles, types, writes and loads a table of its own."""

    def open(self) -> Callable[[int, int], Block]:
        prepared = prepared_tables(self)
        served = {
            name: [i for i, table in enumerate(prepared.tables) if get_skill(name).serves(table)]
            for name, _ in self.skills
        }

        def block(start: int, stop: int) -> Block:
            rows = [self._example(i, prepared, served) for i in range(start, stop)]
            return Block(pa.Table.from_pylist(rows, schema=SCHEMA), Counter())

        return block

    def _example(self, i: int, prepared: Prepared, served: dict[str, list[int]]) -> dict[str, Any]:
        rng = np.random.default_rng([self.seed, i])
        names, parts = zip(*self.skills, strict=True)
        name = str(rng.choice(names, p=parts))
        while True:
            number = int(rng.choice(served[name]))
            row = self._row(name, prepared, number, rng)
            if row:
                return {"example": i, "skill": name, **row}

    def _row(self, name: str, prepared: Prepared, number: int, rng: np.random.Generator) -> dict[str, Any] | None:
        table = prepared.tables.table(number)
        shown = type_table(table.take(rng.permutation(len(table.rows)).tolist()))
        try:
            question = get_skill(name).make(shown, Draw(rng.random))
            answer = execute(question.program, shown)
        except Undetermined:
            return None
        source = serialise(question.text, shown.table.header, shown.table.rows)
        if count_words(source) > self.max_source_words:
            return None
        return {
            "table": table.id,
            "title": table.title,
            "question": question.text,
            "answers": list(answer.items),
            "sql": verify(question.text, question.program, answer.items, SqlTable().load(shown)),
            "evidence": [place for cell in answer.evidence for place in cell],
            "split": "validation" if prepared.validation[number] else "train",
            "source": source,
            "target": join_answers(answer.items),
        }


def cpu_seconds(work: Callable[[], Corpus]) -> tuple[Corpus, float]:
    start = time.process_time()
    return work(), time.process_time() - start


def questions_a_table(prepared: Prepared, max_words: int) -> list[int]:
    """How many different questions each table yields in one order of its rows, up to 60; skills take turns."""
    found = []
    for number in range(len(prepared.tables)):
        visit = Visit(number, prepared.tables.table(number), "train", max_words)
        random = np.random.default_rng(number).random
        skills = [get_skill(name) for name in TABLE_1 if get_skill(name).serves(visit.typed)]
        while skills and visit.asked < MOST_A_TABLE:
            skills = [skill for skill in skills if visit.ask(skill, random, random(), Counter())]
        found.append(visit.asked)
    return found


def most_frequent(corpus: Corpus) -> dict[str, tuple[float, str, float]]:
    """For each skill its share, and its most frequent answer with that one's share."""
    answers: dict[str, Counter[str]] = {name: Counter() for name in TABLE_1}
    for batch in corpus.batches(["skill", "target"]):
        for skill, target in zip(*(column.to_pylist() for column in batch.columns), strict=True):
            answers[skill][target] += 1
    tops = {name: counts.most_common(1)[0] for name, counts in answers.items()}
    return {n: (c.total() / len(corpus), tops[n][0], tops[n][1] / c.total()) for n, c in answers.items()}


def report(name: str, tables: tuple[str, ...], examples: int, aim: int) -> None:
    given = params(tables, examples, aim)
    generator = given.generator()
    with tempfile.TemporaryDirectory() as temporary:
        corpus, taken = cpu_seconds(lambda: build_table_corpus(given, Path(temporary) / "corpus"))
        one_by_one = OneByOne(**vars(generator))
        _, slow = cpu_seconds(lambda: build_corpus(Path(temporary) / "slow", one_by_one, BASELINE_EXAMPLES))
        size = sum(path.stat().st_size for path in corpus.paths)
        rate, slow_rate = len(corpus) / taken, BASELINE_EXAMPLES / slow
        prepared = prepared_tables(generator)
        print(f"\n{name}: {len(prepared.tables):,} tables, {len(corpus):,} examples, {size / 1e6:.0f} MB")
        print(f"  built:             {rate:8,.0f} verified questions a CPU second, ratio {rate / RELEASED:.1f} to 345")
        print(f"  one by one:        {slow_rate:8,.0f} verified questions a CPU second, ratio {rate / slow_rate:.1f}")
        found = questions_a_table(prepared, given.max_source_words)
        enough = sum(n >= 18 for n in found) / len(found)
        print(f"  different questions a table (at most {MOST_A_TABLE}): {np.mean(found):.1f}; {enough:.1%} yield 18")
        print("  skill                  share   Table 1   most frequent answer")
        for skill, (share, answer, part) in most_frequent(corpus).items():
            print(f"  {skill:22} {share:6.1%}   {get_skill(skill).share:6.1%}    {part:5.1%} {answer[:40]!r}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--examples", type=int, default=20_000)
    parser.add_argument("--questions-a-table", type=int, default=18)
    arguments = parser.parse_args()
    report("built-in", ("builtin",), arguments.examples, arguments.questions_a_table)
    if data_root():
        report("real", REAL, arguments.examples, arguments.questions_a_table)
    print(f"\npeak memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6:.2f} GB")


if __name__ == "__main__":
    main()
