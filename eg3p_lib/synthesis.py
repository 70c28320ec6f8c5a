"""Corpora of synthetic graphs with their queries, for `workbench_lib.corpus` (paper, section 4)."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from eg3p_lib.knowledge import read_knowledge, resolve_sources
from eg3p_lib.queries import LEVELS, Level, make_query, make_source
from eg3p_lib.sampling import (
    MAX_ATTEMPTS,
    RejectedDrawError,
    SamplingError,
    Shape,
    draw_triples,
    graph_of,
    tell,
)
from eg3p_lib.sources import Distractors, Gold, draw_source
from eg3p_lib.store import KnowledgeBase
from eg3p_lib.templates import DEFAULT, Templates, load_templates, templates_path
from workbench_lib.corpus import MANIFEST, Block, Corpus, build_corpus
from workbench_lib.files import sha256_of_file, sha256_of_files

if TYPE_CHECKING:
    from eg3p_lib.params import GraphSynthesisParams

SYNTHESIS_VERSION = 1
VALIDATION_EVERY = 50
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

Row = dict[str, Any]


@dataclass(frozen=True)
class GraphGenerator:
    """Makes the rows of graph i, one for each level, from `[seed, i]` alone.

    Args:
        knowledge: The files of the knowledge base.
        language, min_weight: See `read_knowledge`.
        shape: What graphs may look like.
        levels: The queries of each graph, in this order.
        distractors: Where the other triples of the knowledge source come from.
        templates: The file of templates.
        prepared: A saved knowledge base that was read from `knowledge`, opened in its place.
    """

    knowledge: tuple[Path, ...]
    seed: int
    language: str = "en"
    min_weight: float = 0.0
    shape: Shape = field(default_factory=Shape)
    levels: tuple[Level, ...] = LEVELS
    distractors: Distractors = "random"
    templates: Path = DEFAULT
    prepared: Path | None = None

    @property
    def schema(self) -> pa.Schema:
        """One row a query; the rows of a graph follow one another."""
        return SCHEMA

    def settings(self) -> dict[str, Any]:
        """All that decides the rows; files by their names and digests, wherever they lie."""
        return {
            "generator": "eg3p_lib.synthesis",
            "version": SYNTHESIS_VERSION,
            "seed": self.seed,
            "knowledge": [path.name for path in self.knowledge],
            "knowledge_sha256": sha256_of_files(self.knowledge),
            "language": self.language,
            "min_weight": self.min_weight,
            **asdict(self.shape),
            "incoming": list(self.shape.incoming),
            "levels": list(self.levels),
            "distractors": self.distractors,
            "templates_sha256": sha256_of_file(self.templates),
        }

    def open(self) -> Callable[[int, int], Block]:
        """Read the knowledge and the templates, and return the function from graphs [start, stop) to their rows."""
        kb = KnowledgeBase.load(self.prepared) if self.prepared else self.read()
        return _Maker(self, kb, load_templates(self.templates)).block

    def read(self) -> KnowledgeBase:
        """The knowledge base of the settings."""
        return read_knowledge(self.knowledge, language=self.language, min_weight=self.min_weight)


@dataclass(frozen=True)
class _Maker:
    settings: GraphGenerator
    kb: KnowledgeBase
    templates: Templates

    def block(self, start: int, stop: int) -> Block:
        rejected: Counter[str] = Counter()
        rows = [row for number in range(start, stop) for row in self.rows(number, rejected)]
        return Block(pa.Table.from_pylist(rows, schema=SCHEMA), rejected)

    def rows(self, number: int, rejected: Counter[str]) -> list[Row]:
        """The rows of one graph; what does not fit is drawn again from the same stream of chance."""
        rng = np.random.default_rng([self.settings.seed, number])
        reasons: Counter[str] = Counter()
        for _ in range(MAX_ATTEMPTS):
            try:
                rows = self._attempt(number, rng, reasons)
            except RejectedDrawError as error:
                reasons[error.reason] += 1
                continue
            rejected.update(reasons)
            return rows
        raise SamplingError(f"graph {number}: none of {MAX_ATTEMPTS} draws fitted ({tell(reasons)})")

    def _attempt(self, number: int, rng: np.random.Generator, reasons: Counter[str]) -> list[Row]:
        settings, kb = self.settings, self.kb
        triples = draw_triples(kb, rng, settings.shape)
        graph, gold = graph_of(kb, triples), Gold.of(kb, triples)
        shared = {
            "graph": number,
            "answer": graph.sink,
            "starts": list(graph.starts),
            "triples": len(triples),
            "depth": graph.depth,
            "split": "validation" if number % VALIDATION_EVERY == VALIDATION_EVERY - 1 else "train",
            "target": graph.format("triples"),
        }
        rows = []
        for level in settings.levels:
            query = make_query(graph, level, self.templates, rng)
            hard = level == "hard"
            source = draw_source(kb, rng, gold, settings.distractors, reasons, only_first_relation=hard)
            rows.append({**shared, "level": level, "source": make_source(query, map(kb.edge, source))})
        return rows


def generator_of(params: GraphSynthesisParams) -> GraphGenerator:
    """The generator that the parameters describe.

    Raises:
        WorkbenchError: a knowledge source or the file of templates does not exist.
    """
    return GraphGenerator(
        knowledge=tuple(resolve_sources(params.knowledge)),
        seed=params.seed,
        language=params.language,
        min_weight=params.min_weight,
        shape=Shape(params.incoming, params.max_depth, params.min_triples, params.max_triples),
        levels=params.levels,
        distractors=params.distractors,
        templates=templates_path(params.templates),
    )


def build_graph_corpus(params: GraphSynthesisParams, folder: Path, workers: int | None = None) -> Corpus:
    """Build, finish or open the corpus of the parameters in `folder`.

    Args:
        params: What to make.
        folder: Where; see `workbench_lib.corpus.build_corpus`.
        workers: Processes; by default as many as the parameters say. The rows do not depend on it.

    Raises:
        WorkbenchError: unreadable knowledge or templates, no fitting graphs, or a folder of another corpus.
    """
    generator, processes = generator_of(params), workers or params.workers
    if (folder / MANIFEST).exists():
        return build_corpus(folder, generator, params.graphs, workers=processes)
    load_templates(generator.templates)
    with tempfile.TemporaryDirectory() as temporary:  # read once here: faults show before anything is written
        prepared = Path(temporary) / "knowledge.arrow"
        kb = generator.read()
        kb.save(prepared)
        notes = {"knowledge": {"lines": kb.lines, "kept": len(kb), "skipped": kb.skipped}}
        prepared_generator = replace(generator, prepared=prepared)
        return build_corpus(folder, prepared_generator, params.graphs, workers=processes, notes=notes)
