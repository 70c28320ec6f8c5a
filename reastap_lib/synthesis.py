"""The table-reasoning corpus (ReasTAP, section 2): example i from settings, seed and i; every answer computed twice."""

from __future__ import annotations

import bisect
import itertools
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import pyarrow as pa

from reastap_lib.column_types import TypedTable
from reastap_lib.preparation import Prepared, prepare
from reastap_lib.programs import Answer, Undetermined, execute
from reastap_lib.readers import source_digest
from reastap_lib.serialisation import count_words, join_answers, serialise
from reastap_lib.skills import Draw, Question, Skill, get_skill, shares
from reastap_lib.sql import SqlTable, verify
from reastap_lib.tables import Limits
from reastap_lib.wikitq import evaluation_digests
from workbench_lib.corpus import MANIFEST, Block, Corpus, build_corpus
from workbench_lib.errors import WorkbenchError
from workbench_lib.files import sha256_of_json

SYNTHESIS_VERSION = 1
_NAMES = ("tables", "held_out")  # of sources: where they lie decides nothing
ATTEMPTS = 2000
ATTEMPTS_A_TABLE = 4
SCHEMA = pa.schema(
    [
        ("example", pa.int64()),
        ("skill", pa.string()),
        ("table", pa.string()),
        ("title", pa.string()),
        ("question", pa.string()),
        ("answers", pa.list_(pa.string())),
        ("sql", pa.string()),
        ("evidence", pa.list_(pa.int32())),
        ("split", pa.string()),
        ("source", pa.string()),
        ("target", pa.string()),
    ]
)


class SynthesisError(WorkbenchError):
    """The tables do not yield the examples asked for; names the skill that ran short."""


@dataclass(frozen=True)
class TableGenerator:
    """The generator of a table corpus; a unit is one example. Arguments as in `TableSynthesisParams`.

    The columns of its rows: the question and its table as text (`source`), the answers joined (`target`), and apart:
    `answers`, the SQL that gives them over the table as shown (table `w`, see `reastap_lib.sql`), and `evidence`, the
    cells behind them as row, column, row, column ... of the table as shown.
    """

    tables: tuple[str, ...]
    held_out: tuple[str, ...]
    seed: int
    skills: tuple[str, ...]
    min_rows: int
    max_rows: int
    min_columns: int
    max_source_words: int

    @property
    def schema(self) -> pa.Schema:
        return SCHEMA

    @property
    def limits(self) -> Limits:
        return Limits(self.min_rows, self.max_rows, self.min_columns)

    def settings(self) -> dict[str, Any]:
        """All that decides the rows, sources by what they hold; with the count of the tables used and left out."""
        prepared = prepared_tables(self)
        return {
            "kind": "tables",
            "version": SYNTHESIS_VERSION,
            **{field.name: _plain(getattr(self, field.name)) for field in fields(self) if field.name not in _NAMES},
            "shares": shares(self.skills),
            "tables_sha256": [source_digest(source) for source in self.tables],
            "held_out_sha256": sha256_of_json(sorted(_held_out(self.held_out))),
            "tables_used": len(prepared.tables),
            "tables_validation": sum(prepared.validation),
            "tables_left_out": dict(sorted(prepared.left_out.items())),
        }

    def open(self) -> Callable[[int, int], Block]:
        """Raises SynthesisError where a skill has no table to ask about."""
        return Synthesiser(self).block


class SynthesisSettings(Protocol):
    """What `build_table_corpus` reads from its parameters."""

    @property
    def examples(self) -> int: ...

    def generator(self) -> TableGenerator: ...


def build_table_corpus(
    params: SynthesisSettings, folder: Path, workers: int = 1, *, units_a_shard: int = 4096
) -> Corpus:
    """Build, or complete, or open the corpus of the parameters in `folder`.

    Raises:
        SynthesisError: the tables do not yield the examples asked for.
        CorpusError: the folder holds a corpus of other settings.
    """
    generator = params.generator()
    if not (folder / MANIFEST).exists():
        Synthesiser(generator)  # what cannot work fails here, before anything is written
    return build_corpus(folder, generator, params.examples, units_a_shard=units_a_shard, workers=workers)


class Synthesiser:
    """Makes examples, one at a time, from prepared tables; one a process.

    Raises:
        SynthesisError: a skill has no table to ask about.
    """

    def __init__(self, generator: TableGenerator):
        self._seed = generator.seed
        self._max_words = generator.max_source_words
        self._prepared = prepared_tables(generator)
        self._skills = [get_skill(name) for name in generator.skills]
        self._bounds = list(itertools.accumulate(shares(generator.skills).values()))
        self._served = [self._tables_for(skill) for skill in self._skills]
        self._engine = SqlTable()

    def block(self, start: int, stop: int) -> Block:
        """The examples [start, stop)."""
        rejected: Counter[str] = Counter()
        rows = [self.example(i, rejected) for i in range(start, stop)]
        return Block(pa.Table.from_pylist(rows, schema=SCHEMA), rejected)

    def example(self, i: int, rejected: Counter[str]) -> dict[str, Any]:
        """Example i; what was drawn and thrown away on the way is counted in `rejected`.

        Raises:
            SynthesisError: the skill drawn found no question in 2,000 attempts.
            VerificationError: the two routes to the answer disagree.
        """
        rng = np.random.default_rng([self._seed, i])
        draw = Draw(rng)
        which = min(bisect.bisect_right(self._bounds, float(rng.random())), len(self._skills) - 1)
        skill, served = self._skills[which], self._served[which]
        for attempt in range(ATTEMPTS):
            if attempt % ATTEMPTS_A_TABLE == 0:
                index = draw.choice(served)
            try:
                row = self._row(skill, self._prepared.tables[index], draw, rng)
            except Undetermined as reason:
                rejected[f"{skill.name}: {reason}"] += 1
                continue
            split = "validation" if self._prepared.validation[index] else "train"
            return {"example": i, "skill": skill.name, "split": split, **row}
        raise SynthesisError(f"the skill {skill.name!r} ran short at example {i}: no question in {ATTEMPTS} attempts")

    def _row(self, skill: Skill, table: TypedTable, draw: Draw, rng: np.random.Generator) -> dict[str, Any]:
        question = skill.make(table, draw)
        execute(question.program, table)
        shown = table.take(rng.permutation(len(table)).tolist())
        answer = execute(question.program, shown)
        return self._checked_row(question, answer, shown)

    def _checked_row(self, question: Question, answer: Answer, shown: TypedTable) -> dict[str, Any]:
        source = serialise(question.text, shown.table.header, shown.table.rows)
        if count_words(source) > self._max_words:
            raise Undetermined("a source of too many words")
        return {
            "table": shown.table.id,
            "title": shown.table.title,
            "question": question.text,
            "answers": list(answer.items),
            "sql": verify(question.text, question.program, answer.items, shown, self._engine),
            "evidence": [place for cell in answer.evidence for place in cell],
            "source": source,
            "target": join_answers(answer.items),
        }

    def _tables_for(self, skill: Skill) -> list[int]:
        served = [i for i, table in enumerate(self._prepared.tables) if skill.serves(table)]
        if not served:
            tables = len(self._prepared.tables)
            raise SynthesisError(
                f"the skill {skill.name!r} ran short: none of the {tables} tables has the columns it needs;"
                " leave it out of the skills"
            )
        return served


@lru_cache(maxsize=4)
def prepared_tables(generator: TableGenerator) -> Prepared:
    """The tables that a generator asks about, and what was left out; kept for the next call."""
    held_out = _held_out(generator.held_out)
    return prepare(generator.tables, generator.limits, generator.max_source_words, held_out)


@lru_cache(maxsize=4)
def _held_out(names: tuple[str, ...]) -> frozenset[str]:
    return frozenset(digest for name in names for digest in evaluation_digests(name))


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value
