"""From parameters to a corpus on disk: graphs with their queries, or the prediction tasks of the paper's baselines."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import pyarrow as pa

from eg3p_lib import merges as merge_tables
from eg3p_lib import prediction, synthesis
from eg3p_lib.evaluation_splits import leave_out_overlaps
from eg3p_lib.knowledge import read_knowledge, resolve_sources
from eg3p_lib.prediction import PredictionMaker, PredictionTask
from eg3p_lib.relations import RELATIONS
from eg3p_lib.sampling import Shape
from eg3p_lib.store import KnowledgeBase
from eg3p_lib.synthesis import SYNTHESIS_VERSION, GraphMaker, GraphRules
from eg3p_lib.templates import load_templates, templates_path
from workbench_lib.corpus import MANIFEST, Block, Corpus, build_corpus, build_share
from workbench_lib.files import sha256_of_file, sha256_of_files

if TYPE_CHECKING:
    from eg3p_lib.params import GraphSynthesisParams

Task = Literal["text-to-graph", PredictionTask]
UNITS_A_SHARD = 1 << 15
"""A shard of graphs holds this many with all their queries: about 10 MB."""


@dataclass(frozen=True)
class KnowledgeChoice:
    """What a knowledge base is read from, and what of it is kept; see `read_knowledge`.

    Args:
        files: The sources.
        relations: Those of the 16 that are kept.
        merges: The table of what the sources' relations become.
        held_out: Files of evaluation splits; triples that give away one of their answers are left out.
    """

    files: tuple[Path, ...]
    language: str = "en"
    min_weight: float = 0.0
    relations: tuple[str, ...] = RELATIONS
    merges: Path = merge_tables.DEFAULT
    held_out: tuple[Path, ...] = ()

    def settings(self) -> dict[str, Any]:
        """All of it as JSON; files by their names and digests, wherever they lie."""
        return {
            "knowledge": [path.name for path in self.files],
            "knowledge_sha256": sha256_of_files(self.files),
            "held_out_sha256": sha256_of_files(self.held_out),
            "language": self.language,
            "min_weight": self.min_weight,
            "relations": list(self.relations),
            "merges_sha256": sha256_of_file(self.merges),
        }

    def read(self) -> KnowledgeBase:
        """The knowledge base, with every line and every overlap counted."""
        kb = read_knowledge(
            self.files,
            language=self.language,
            min_weight=self.min_weight,
            relations=self.relations,
            merges=merge_tables.load_merges(self.merges),
        )
        return leave_out_overlaps(kb, self.held_out) if self.held_out else kb


@dataclass(frozen=True)
class GraphGenerator:
    """The generator of a corpus; its unit is a graph, or an example of a prediction task.

    Args:
        knowledge: Where the triples come from.
        seed: Decides all chance.
        task: `text-to-graph`, or one of the baselines.
        rules: What graphs and queries to make.
        prepared: A saved knowledge base that was read from `knowledge`, opened in its place.
    """

    knowledge: KnowledgeChoice
    seed: int
    task: Task = "text-to-graph"
    rules: GraphRules = field(default_factory=GraphRules)
    prepared: Path | None = None

    @property
    def schema(self) -> pa.Schema:
        return synthesis.SCHEMA if self.task == "text-to-graph" else prediction.SCHEMA

    @property
    def distinct(self) -> tuple[str, ...]:
        """The columns in which no two rows may agree: no graph query twice, whatever its target."""
        return ("source",) if self.task == "text-to-graph" else ("source", "target")

    def settings(self) -> dict[str, Any]:
        """All that decides the rows."""
        rules = self.rules.settings() if self.task == "text-to-graph" else {}
        shared = {"generator": "eg3p_lib", "version": SYNTHESIS_VERSION, "task": self.task, "seed": self.seed}
        return {**shared, **self.knowledge.settings(), **rules}

    def open(self) -> Callable[[int, int], Block]:
        """Read the knowledge and the templates, and return the function from units [start, stop) to their rows."""
        kb = KnowledgeBase.load(self.prepared) if self.prepared else self.knowledge.read()
        if self.task == "text-to-graph":
            return GraphMaker(kb, self.seed, self.rules).block
        return PredictionMaker(kb, self.seed, self.task).block


def generator_of(params: GraphSynthesisParams) -> GraphGenerator:
    """The generator that the parameters describe.

    Raises:
        WorkbenchError: a knowledge source, a held-out file or the file of templates does not exist.
    """
    shape = Shape(params.incoming, params.max_depth, params.min_triples, params.max_triples)
    return GraphGenerator(
        knowledge=knowledge_of(params),
        seed=params.seed,
        task=params.task,
        rules=GraphRules(shape, params.levels, params.distractors, templates_path(params.templates)),
    )


def knowledge_of(params: GraphSynthesisParams) -> KnowledgeChoice:
    """The knowledge that the parameters describe; `.read()` reads it."""
    return KnowledgeChoice(
        files=tuple(resolve_sources(params.knowledge)),
        language=params.language,
        min_weight=params.min_weight,
        relations=params.relations or RELATIONS,
        merges=merge_tables.merges_path(params.merges),
        held_out=tuple(resolve_sources(params.held_out)) if params.held_out else (),
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
    how: dict[str, Any] = {"units_a_shard": UNITS_A_SHARD, "workers": processes, "distinct": generator.distinct}
    if (folder / MANIFEST).exists():
        return build_corpus(folder, generator, params.graphs, **how)
    with _prepared(generator) as (ready, kb):
        notes = {"knowledge": {"lines": kb.lines, "kept": len(kb), "skipped": kb.skipped}}
        return build_corpus(folder, ready, params.graphs, **how, notes=notes)


def build_graph_share(params: GraphSynthesisParams, folder: Path, rank: int, world_size: int) -> int:
    """Make one process's share of the corpus, for a Slurm array, Ray and the like; `build_graph_corpus` completes it.

    Returns:
        How many shards are still missing, over all ranks.
    """
    with _prepared(generator_of(params)) as (ready, _):
        how: dict[str, Any] = {"units_a_shard": UNITS_A_SHARD, "workers": params.workers, "distinct": ready.distinct}
        return build_share(folder, ready, params.graphs, rank, world_size, **how)


@contextmanager
def _prepared(generator: GraphGenerator) -> Iterator[tuple[GraphGenerator, KnowledgeBase]]:
    """The generator with its knowledge read once, so that faults show before anything is written."""
    load_templates(generator.rules.templates)
    with tempfile.TemporaryDirectory() as temporary:
        path = Path(temporary) / "knowledge.arrow"
        kb = generator.knowledge.read()
        kb.save(path)
        yield replace(generator, prepared=path), kb
