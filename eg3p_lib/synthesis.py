"""Corpora of synthetic graphs with their queries, for `workbench_lib.corpus` (paper, section 4), made in blocks.

`benchmarks/graph_reference.py` makes the same rows one at a time, in plain Python: read it first. Here the graphs of a
block are arrays (`sampling`), their knowledge sources too (`sources`), and texts are written all at once (`pieces`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from eg3p_lib.chance import Chance, Integers, Words
from eg3p_lib.pieces import ABSENT, lists
from eg3p_lib.queries import LEVELS, SEPARATOR, Level, QueryWriter
from eg3p_lib.sampling import MAX_ATTEMPTS, Forest, SamplingError, Shape, draw_forest, tell
from eg3p_lib.sampling import STAGES as STAGES_AN_ATTEMPT
from eg3p_lib.sources import STAGES as STAGES_A_SOURCE
from eg3p_lib.sources import Distractors, Gold, draw_sources
from eg3p_lib.splits import splits, triple_hashes
from eg3p_lib.store import KnowledgeBase
from eg3p_lib.templates import DEFAULT, Templates, load_templates
from workbench_lib.corpus import Block
from workbench_lib.files import sha256_of_file

SYNTHESIS_VERSION = 2
GRAPHS_A_BLOCK = 4096
SCHEMA = pa.schema(
    [
        ("graph", pa.int64()),
        ("level", pa.string()),
        ("answer", pa.string()),
        ("starts", pa.list_(pa.string())),
        ("triples", pa.int16()),
        ("depth", pa.int16()),
        ("split", pa.string()),
        ("source", pa.string()),
        ("target", pa.string()),
    ]
)

# Purposes of chance in an attempt: the growth, then for each level its templates and its knowledge source.
_LEVEL_STAGES = 1 + STAGES_A_SOURCE
_HOPELESS_DRAWS = 200_000  # of a block of which none fits: the rest would only take time
_LEVEL_CHOICE = STAGES_AN_ATTEMPT - 1


@dataclass(frozen=True)
class GraphRules:
    """What a corpus of graphs is made by, its knowledge base and seed aside.

    Args:
        shape: What graphs may look like.
        levels: The weight of each level; the heaviest has a query for every graph, another one for its share of them.
        distractors: Where the other triples of the knowledge source come from.
        templates: The file of templates.
    """

    shape: Shape = field(default_factory=Shape)
    levels: Mapping[Level, float] = field(default_factory=lambda: dict.fromkeys(LEVELS, 1.0))
    distractors: Distractors = "random"
    templates: Path = DEFAULT

    def __post_init__(self) -> None:
        in_order = {level: self.levels[level] for level in LEVELS if level in self.levels}
        object.__setattr__(self, "levels", in_order)  # the order in which they are named decides nothing

    def settings(self) -> dict[str, Any]:
        """All of it as JSON; files by their digests, wherever they lie."""
        return {
            **asdict(self.shape),
            "incoming": list(self.shape.incoming),
            "levels": dict(self.levels),
            "distractors": self.distractors,
            "templates_sha256": sha256_of_file(self.templates),
        }


class GraphMaker:
    """Makes the rows of graphs: one for each level, all of it decided by the seed and the graph's number.

    Args:
        kb: Where the triples come from.
        seed: Decides all chance.
        rules: What to make.
        templates: In place of the rules' file of templates: what a notebook has edited.

    >>> from eg3p_lib.knowledge import starter_knowledge
    >>> maker = GraphMaker(starter_knowledge(), seed=7)
    >>> later, all_ = maker.block(2, 4).table, maker.block(0, 4).table
    >>> all_["level"].to_pylist()[:3], later.equals(all_.slice(6))
    (['easy', 'normal', 'hard'], True)
    """

    def __init__(
        self, kb: KnowledgeBase, seed: int, rules: GraphRules | None = None, templates: Templates | None = None
    ):
        self.kb, self.seed, self.rules = kb, seed, rules or GraphRules()
        self._writer = QueryWriter(kb, templates or load_templates(self.rules.templates))
        self._hashes = triple_hashes(kb)

    def block(self, start: int, stop: int, sink: int | None = None) -> Block:
        """The rows of graphs [start, stop), and what was drawn and not taken, by reason.

        Args:
            sink: The concept that all graphs end at; by default any.

        Raises:
            SamplingError: a graph finds no draw that fits in 1,000 attempts, or a whole block none in 200,000 draws.
        """
        rejected: Counter[str] = Counter()
        pieces = range(start, stop, GRAPHS_A_BLOCK)
        tables = [self._rows(Chance(self.seed, s, min(s + GRAPHS_A_BLOCK, stop)), rejected, sink) for s in pieces]
        return Block(pa.concat_tables(tables), rejected)

    def _rows(self, chance: Chance, rejected: Counter[str], sink: int | None) -> pa.Table:
        drawn = self._drawn(chance, rejected, sink)
        shared = self._shared_columns(chance, drawn.forest)
        tables = []
        for level in self.rules.levels:
            source = self._sources(level, drawn)
            table = pa.table({**shared, "level": pa.repeat(level, len(source)), "source": source})
            tables.append(table.select(SCHEMA.names).cast(SCHEMA))
        return self._one_below_the_other(chance, tables)

    # ------------------------------------------------------------------ drawing

    def _drawn(self, chance: Chance, rejected: Counter[str], sink: int | None) -> _Drawn:
        """The graphs of a block with all that is drawn for them; where one does not fit, all of it is drawn again."""
        graphs = chance.stop - chance.start
        waiting: Integers = np.arange(graphs)
        reasons: Counter[str] = Counter()
        parts: list[tuple[Integers, _Drawn]] = []
        for attempt in range(MAX_ATTEMPTS):
            places, drawn = self._attempt(chance, attempt, waiting, reasons, sink)
            parts.append((places, drawn))
            waiting = np.setdiff1d(waiting, places, assume_unique=True)
            if not len(waiting):
                rejected.update(reasons)
                return _Drawn.joined([part for _, part in parts], np.argsort(np.concatenate([p for p, _ in parts])))
            if len(waiting) == graphs and (attempt + 1) * graphs >= _HOPELESS_DRAWS:
                break
        graph = chance.start + int(waiting[0])
        raise SamplingError(
            f"graphs {graph} and following: {len(waiting)} found no draw that fits in {attempt + 1} attempts"
            f" (drawn and not taken: {tell(reasons)})"
        )

    def _attempt(
        self, chance: Chance, attempt: int, waiting: Integers, rejected: Counter[str], sink: int | None
    ) -> tuple[Integers, _Drawn]:
        forest, places = draw_forest(self.kb, chance, self.rules.shape, attempt, waiting, rejected, sink)
        gold = Gold.of(self.kb, forest)
        fit = np.ones(len(places), bool)
        words: dict[Level, Words] = {}
        sources: dict[Level, Integers] = {}
        for level in self.rules.levels:
            stage = attempt * STAGES_AN_ATTEMPT + 1 + LEVELS.index(level) * _LEVEL_STAGES
            words[level] = chance.words(stage, self.rules.shape.max_triples)[:, places]
            sources[level], complete = draw_sources(
                self.kb,
                chance,
                stage + 1,
                places,
                gold,
                self.rules.distractors,
                rejected,
                only_first_relation=level == "hard",
            )
            fit &= complete
        if not fit.all():
            rejected["too_few_distractors"] += int((~fit).sum())
        return places[fit], _Drawn(forest, words, sources).take(fit)

    # ------------------------------------------------------------------ writing

    def _sources(self, level: Level, drawn: _Drawn) -> pa.StringArray:
        forest, writer = drawn.forest, self._writer
        graphs = len(forest.used)
        return writer.vocabulary.write(
            [
                *writer.starts(forest),
                *writer.constant(SEPARATOR, graphs),
                *writer.query(level, forest, drawn.words[level]),
                *writer.constant(f" ?{SEPARATOR}", graphs),
                *writer.knowledge(drawn.sources[level]),
            ]
        )

    def _shared_columns(self, chance: Chance, forest: Forest) -> dict[str, pa.Array]:
        """What the rows of a graph have in common."""
        names = self.kb.concepts
        hashes = np.where(forest.triples == ABSENT, np.uint64(0), self._hashes[forest.triples])
        return {
            "graph": pa.array(np.arange(chance.start, chance.stop)),
            "answer": names.take(pa.array(forest.node[0])),
            "starts": lists(names, self._writer.start_columns(forest)),
            "triples": pa.array(forest.sizes),
            "depth": pa.array(forest.depth),
            "split": splits(hashes.sum(axis=0, dtype=np.uint64)),
            "target": self._writer.vocabulary.write(self._writer.knowledge(forest.triples)),
        }

    def _one_below_the_other(self, chance: Chance, tables: list[pa.Table]) -> pa.Table:
        """The rows of all levels, those of a graph together; a level of less weight has rows of some graphs only."""
        heaviest = max(self.rules.levels.values())
        kept = []
        for level, weight in self.rules.levels.items():
            purpose = _LEVEL_CHOICE + STAGES_AN_ATTEMPT * LEVELS.index(level)
            kept.append(chance.words(purpose, 1)[0] < weight / heaviest * (1 << 32))
        rows = np.arange(len(tables) * (chance.stop - chance.start)).reshape(len(tables), -1)
        chosen = rows.T[np.array(kept).T]
        return pa.concat_tables(tables).combine_chunks().take(pa.array(chosen))


@dataclass(frozen=True)
class _Drawn:
    """Graphs, and for each level the words that choose its templates and the triples of its knowledge source."""

    forest: Forest
    words: dict[Level, Words]
    sources: dict[Level, Integers]

    def take(self, places: npt.NDArray[np.bool_] | Integers) -> _Drawn:
        words = {level: array[:, places] for level, array in self.words.items()}
        sources = {level: array[:, places] for level, array in self.sources.items()}
        return _Drawn(self.forest.take(places), words, sources)

    @classmethod
    def joined(cls, parts: list[_Drawn], order: Integers) -> _Drawn:
        """The graphs of all parts, in this order."""
        first = parts[0]
        if len(parts) == 1:
            return first
        words = {level: np.concatenate([p.words[level] for p in parts], axis=1) for level in first.words}
        sources = {level: np.concatenate([p.sources[level] for p in parts], axis=1) for level in first.sources}
        return _Drawn(Forest.joined([part.forest for part in parts]), words, sources).take(order)
