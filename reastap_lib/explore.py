"""What there is to see of tables, of the questions about one, and of a corpus, as values: tables and HTML.

Notebook 02 shows them as they are; `explorer` shows the same ones behind controls.
"""

from __future__ import annotations

import textwrap
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds

from reastap_lib.blocks import spread
from reastap_lib.columns import TypedTable
from reastap_lib.examples import TableExample
from reastap_lib.skills import Draw, Question, Skill, get_skill, skill_names
from reastap_lib.table_store import TableStore
from reastap_lib.tables import Table, normalise
from reastap_lib.visits import Visit
from workbench_lib.browsing import Scan, all_of
from workbench_lib.corpus import Corpus
from workbench_lib.display import show_note, show_table, stack
from workbench_lib.errors import InputError

MATCHES = 20
_LABEL_LETTERS = 44
_LOOKED_AT = 1000  # tables, for one to begin with
_ANY_LENGTH = 10**9  # words
_ROW_COLUMNS = ["example", "skill", "title", "table", "question", "target", "split"]


# ---------------------------------------------------------------------- tables


class TableIndex:
    """Finds the tables of a store by words of their titles and headers.

    >>> from reastap_lib.builtin import builtin_tables
    >>> index = TableIndex(TableStore.of((table, 0) for table in builtin_tables()))
    >>> index.search("alaska airport")
    ['0: Airports in Alaska, the first by code']
    """

    def __init__(self, store: TableStore):
        self.store = store
        tables = map(store.table, range(len(store)))
        texts = [(normalise(_name(table)), normalise(" ".join([table.id, *table.header]))) for table in tables]
        self._names = pa.array([name for name, _ in texts], pa.string())
        self._all = pa.array([" ".join(parts) for parts in texts], pa.string())

    def find(self, text: str, limit: int = MATCHES) -> list[int]:
        """At most `limit` tables whose title, id or header hold every word; first those whose title does."""
        words = normalise(text).split()
        found = [_holding(texts, words) for texts in (self._names, self._all)]
        return [int(number) for number in dict.fromkeys(np.concatenate([part[:limit] for part in found]))][:limit]

    def search(self, text: str, limit: int = MATCHES) -> list[str]:
        """The same by their numbers and names; see `number`."""
        return [self.label(number) for number in self.find(text, limit)]

    def label(self, number: int) -> str:
        """A table's number and name."""
        return f"{number}: {textwrap.shorten(_name(self.store.table(number)), _LABEL_LETTERS, placeholder=' …')}"

    @staticmethod
    def number(label: str) -> int:
        """The number of a table by its label."""
        return int(label.partition(":")[0])

    def frame(self, numbers: Sequence[int]) -> pd.DataFrame:
        """A row a table: number, title, rows, columns."""
        tables = [self.store.table(number) for number in numbers]
        rows = [(n, _name(t), len(t.rows), " | ".join(t.header)) for n, t in zip(numbers, tables, strict=True)]
        return pd.DataFrame(rows, columns=["number", "title", "rows", "columns"])


def _name(table: Table) -> str:
    return table.heading or table.id


def _holding(texts: pa.Array, words: Sequence[str]) -> npt.NDArray[np.int64]:
    held = np.ones(len(texts), bool)
    for word in words:
        held &= pc.match_substring(texts, word).to_numpy(zero_copy_only=False)
    return np.flatnonzero(held)


def richest_table(store: TableStore, skills: Sequence[str]) -> int:
    """The table that the most of these skills can ask, of the first thousand.

    Of several the one with the most columns that a condition may be about, of several such the first.
    """

    def riches(number: int) -> tuple[int, int, int]:
        table = store[number]
        return len(serving(table, skills)), len(table.conditionable), -number

    return max(range(min(len(store), _LOOKED_AT)), key=riches)


def serving(table: TypedTable, skills: Sequence[str]) -> list[str]:
    """Those of the skills for which the table has the columns."""
    return [name for name in skills if get_skill(name).serves(table)]


def types_table(table: TypedTable) -> pd.DataFrame:
    """A row a column: its type with unit or precision, what is special, how many cells are missing or differ."""
    rows = [
        {
            "SQL name": f"c{number}",
            "column": column.name,
            "type": column.kind,
            "unit or precision": column.unit or column.precision or "",
            "role": column.role or ("key" if number - 1 == table.key else ""),
            "sums": {"all": "sum, average", "average": "average"}.get(column.arithmetic, ""),
            "missing": len(column.cells) - len(column.present),
            "different": column.different,
            "why text": column.note,
        }
        for number, column in enumerate(table.columns, 1)
    ]
    return pd.DataFrame(rows)


# ---------------------------------------------------------------------- questions about a table


@dataclass(frozen=True)
class Asked:
    """Questions of one skill about one table, and why others were refused.

    Args:
        examples: Each with its program, answer and evidence.
        refused: Draws by reason.
    """

    skill: str
    examples: tuple[TableExample, ...]
    refused: Mapping[str, int]

    def table(self) -> pd.DataFrame:
        """A row a question: skill, question, answer."""
        rows = [(self.skill, example.question, ", ".join(example.answers)) for example in self.examples]
        return pd.DataFrame(rows, columns=["skill", "question", "answer"])

    def _repr_html_(self) -> str:
        reasons = ", ".join(f"{draws} × {reason}" for reason, draws in self.refused.items())
        number = "1 question" if len(self.examples) == 1 else f"{len(self.examples)} questions"
        told = show_note(f"{self.skill}: {number}; refused: {reasons or 'none'}.")
        return stack(told, show_table(self.table())).html if self.examples else told.html


def ask(table: TypedTable, skill: Skill, seed: int, count: int = 5) -> Asked:
    """Questions as a corpus would ask them, each verified by its SQL; fewer where the table has no more.

    Raises:
        VerificationError: the program and its SQL disagree.

    >>> from reastap_lib.builtin import builtin_tables
    >>> from reastap_lib.column_types import type_table
    >>> asked = ask(type_table(next(iter(builtin_tables()))), get_skill("counting"), seed=1, count=1)
    >>> asked.examples[0].question, asked.examples[0].answers
    ('How many Airports are listed for which the Longitude was greater than or equal to -152.50?', ('6',))
    """
    if not skill.serves(table):
        return Asked(skill.name, (), {"the table does not have the columns that the skill needs": 1})
    programs: list[Any] = []

    def noting(typed: TypedTable, draw: Draw) -> Question:
        question = skill.make(typed, draw)
        programs.append(question.program)
        return question

    visit, noted = Visit(0, table.table, "train", _ANY_LENGTH), replace(skill, make=noting)
    random, refused = np.random.default_rng(seed).random, Counter[str]()
    examples = []
    for number in range(count):
        row = visit.ask(noted, random, spread(number)[1], refused)
        if row:
            examples.append(TableExample.from_row({**row, "skill": skill.name}, programs[-1]))
    return Asked(skill.name, tuple(examples), _reasons(refused))


def _reasons(refused: Counter[str]) -> dict[str, int]:
    return {key.partition(": ")[2]: draws for key, draws in refused.most_common()}


# ---------------------------------------------------------------------- a corpus


def scan(corpus: Corpus, skill: str = "", table: str = "") -> Scan:
    """A search for the rows of a table corpus in which all holds that is asked; see `browse`."""
    of_table = [pc.match_substring(pc.field(name), table, ignore_case=True) for name in ("title", "table")]
    asked = [(skill, pc.field("skill") == skill), (table, of_table[0] | of_table[1])]
    return Scan(corpus, _ROW_COLUMNS, all_of([condition for value, condition in asked if value]))


def browse(corpus: Corpus, skill: str = "", table: str = "", limit: int = 5) -> pd.DataFrame:
    """The first rows of a corpus in which all holds that is asked.

    Args:
        skill: The skill.
        table: A part of the source table's title or id, in any case.
        limit: The most rows; the corpus is read as far as it takes to find them.

    Raises:
        CorpusError: a shard cannot be read.
    """
    return scan(corpus, skill, table).take(limit, len(corpus))


def corpus_example(corpus: Corpus, number: int) -> TableExample:
    """One example of a table corpus, with its table and evidence.

    Raises:
        InputError: there is no such example.
    """
    rows = ds.dataset(corpus.paths, format="parquet").to_table(filter=pc.field("example") == number).to_pylist()
    if not rows:
        raise InputError("no such example", path=corpus.folder, value=number)
    return TableExample.from_row(rows[0])


def balance_table(corpus: Corpus) -> pd.DataFrame:
    """How far the answer can be guessed from the skill alone.

    Returns:
        A row a skill: skill, examples, different answers, most frequent answer, its share (a fraction of 1).
    """
    targets: dict[str, Counter[str]] = defaultdict(Counter)
    for batch in corpus.batches(["skill", "target"]):
        for row in batch.to_pylist():
            targets[row["skill"]][row["target"]] += 1
    rows = []
    for skill in sorted(targets, key=_by_registration):
        answer, often = targets[skill].most_common(1)[0]
        total = targets[skill].total()
        rows.append((skill, total, len(targets[skill]), answer, often / total))
    return pd.DataFrame(rows, columns=["skill", "examples", "different answers", "most frequent", "its share"])


def refused_table(corpus: Corpus, limit: int = 15) -> pd.DataFrame:
    """What was drawn and refused most often: a row a skill and reason, with the number of draws."""
    rows = [(*key.partition(": ")[::2], draws) for key, draws in corpus.manifest.rejected.items()]
    rows.sort(key=lambda row: -row[2])
    return pd.DataFrame(rows[:limit], columns=["skill", "reason", "draws"])


def _by_registration(skill: str) -> tuple[int, str]:
    names = skill_names()
    return (names.index(skill) if skill in names else len(names)), skill
