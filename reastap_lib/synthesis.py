"""The table-reasoning corpus (ReasTAP, section 2): example i from settings, seed and i; every answer computed twice."""

from __future__ import annotations

import hashlib
import importlib
import inspect
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol

import pyarrow as pa

from reastap_lib.blocks import BLOCK, BlockMaker, SynthesisError
from reastap_lib.leakage import EvaluationTables
from reastap_lib.preparation import Prepared, prepare
from reastap_lib.readers import source_digest
from reastap_lib.skills import get_skill
from reastap_lib.table_store import TableStore
from reastap_lib.tables import Limits
from reastap_lib.visits import Row
from workbench_lib.corpus import MANIFEST, Block, Corpus, build_corpus

SYNTHESIS_VERSION = 3
_DECIDES_NOTHING = ("tables", "held_out", "prepared", "modules")  # where sources and skills lie
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


@dataclass(frozen=True)
class TableGenerator:
    """The generator of a table corpus; a unit is one example. Arguments as in `TableSynthesisParams`.

    The columns of its rows: the question and its table as text (`source`), the answers joined (`target`), and apart:
    `answers`, the SQL that gives them over the table as shown (table `w`, see `reastap_lib.sql`), and `evidence`, the
    cells behind them as row, column, row, column ... of the table as shown.

    Args:
        skills: Names with their shares, which sum to 1.
        modules: Where the skills are defined; a worker process imports them.
        prepared: A saved store of the tables in use, opened in place of the sources.
    """

    tables: tuple[str, ...]
    held_out: tuple[str, ...]
    seed: int
    skills: tuple[tuple[str, float], ...]
    questions_a_table: int
    min_rows: int
    max_rows: int
    min_columns: int
    max_source_words: int
    modules: tuple[str, ...] = ()
    prepared: Path | None = None

    @property
    def schema(self) -> pa.Schema:
        return SCHEMA

    @property
    def limits(self) -> Limits:
        return Limits(self.min_rows, self.max_rows, self.min_columns)

    def settings(self) -> dict[str, Any]:
        """All that decides the rows; sources by what they hold, skills of one's own by their text."""
        names = [field.name for field in fields(self) if field.name not in _DECIDES_NOTHING]
        return {
            "kind": "tables",
            "version": SYNTHESIS_VERSION,
            **{name: getattr(self, name) for name in names},
            "skills": dict(self.skills),
            "own_skills": {name: _text_digest(name) for name, _ in self.skills if _is_own(name)},
            "tables_sha256": [source_digest(source) for source in self.tables],
            "held_out_sha256": held_out_tables(self.held_out).digest,
        }

    def open(self) -> Callable[[int, int], Block]:
        """The function from examples [start, stop) to their block."""
        for module in self.modules:
            importlib.import_module(module)
        return Synthesiser(BlockMaker(self, prepared_tables(self))).block


class SynthesisSettings(Protocol):
    """What `build_table_corpus` reads from its parameters."""

    @property
    def examples(self) -> int: ...

    def generator(self) -> TableGenerator: ...


def build_table_corpus(
    params: SynthesisSettings, folder: Path, workers: int = 1, *, units_a_shard: int = 8 * BLOCK
) -> Corpus:
    """Build, or complete, or open the corpus of the parameters in `folder`; the manifest's notes count the tables.

    Raises:
        SynthesisError: the tables do not yield the examples asked for, or workers cannot know a skill.
        CorpusError: the folder holds a corpus of other settings.
    """
    generator, examples = params.generator(), params.examples
    if (folder / MANIFEST).exists():
        return build_corpus(folder, generator, examples, units_a_shard=units_a_shard, workers=workers)
    if workers > 1:
        _check_modules(generator)
    prepared = prepared_tables(generator)
    BlockMaker(generator, prepared).check()  # what cannot work fails here, before anything is written
    notes = {
        "tables_used": len(prepared.tables),
        "tables_validation": int(prepared.validation.sum()),
        "tables_left_out": dict(sorted(prepared.left_out.items())),
    }
    with tempfile.TemporaryDirectory() as temporary:
        if workers > 1:
            path = Path(temporary) / "tables.arrow"
            prepared.tables.save(path)
            generator = replace(generator, prepared=path)
        return build_corpus(folder, generator, examples, units_a_shard=units_a_shard, workers=workers, notes=notes)


class Synthesiser:
    """Blocks as parts of a corpus; the last block is kept, since a part may begin or end within one."""

    def __init__(self, maker: BlockMaker):
        self._block = lru_cache(maxsize=1)(maker.block)

    def block(self, start: int, stop: int) -> Block:
        """The examples [start, stop); what was refused counts where a block's first example is."""
        rows: list[Row] = []
        rejected: Counter[str] = Counter()
        for number in range(start // BLOCK, -(-stop // BLOCK)):
            made, refused = self._block(number)
            first = number * BLOCK
            rows += made[max(start - first, 0) : stop - first]
            if first >= start:
                rejected += refused
        columns = [[row[name] for row in rows] for name in SCHEMA.names]
        return Block(pa.table(columns, schema=SCHEMA), rejected)


@lru_cache(maxsize=4)
def prepared_tables(generator: TableGenerator) -> Prepared:
    """The tables that a generator asks about, and what was left out; kept for the next call."""
    if generator.prepared:
        return Prepared(TableStore.load(generator.prepared), Counter())
    overlap = held_out_tables(generator.held_out).overlap
    return prepare(generator.tables, generator.limits, generator.max_source_words, overlap)


@lru_cache(maxsize=4)
def held_out_tables(names: tuple[str, ...]) -> EvaluationTables:
    """The tables of the evaluation splits of these data sets; kept for the next call."""
    return EvaluationTables(names)


def _is_own(name: str) -> bool:
    """Whether a skill is not one of the library's."""
    return get_skill(name).make.__module__.partition(".")[0] != __package__


def _text_digest(name: str) -> str:
    try:
        text = inspect.getsource(get_skill(name).make)
    except OSError:
        raise SynthesisError(f"the text of the skill {name!r} cannot be read; it decides the corpus") from None
    return hashlib.sha256(text.encode()).hexdigest()


def _check_modules(generator: TableGenerator) -> None:
    """A worker process can import a module or a script, but not what was only typed into a notebook."""
    if "__main__" in generator.modules and not hasattr(sys.modules["__main__"], "__file__"):
        names = [name for name, _ in generator.skills if get_skill(name).make.__module__ == "__main__"]
        raise SynthesisError(
            f"the skill {names[0]!r} is defined in this session, where worker processes cannot import it:"
            " use workers=1, or put it into a module of its own and import that"
        )
