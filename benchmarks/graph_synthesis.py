"""Examples a second of a graph corpus on disk, beside the readable reference and the bare writing of the same texts.

    python benchmarks/graph_synthesis.py [--graphs 1000000] [--workers 2]

With WORKBENCH_DATA set, the knowledge is its ConceptNet files; else the built-in starter. Prints peak memory too.
"""

from __future__ import annotations

import argparse
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pyarrow.parquet as pq

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.graph_reference import Reference
from eg3p_lib.corpora import UNITS_A_SHARD, GraphGenerator, KnowledgeChoice
from eg3p_lib.knowledge import resolve_sources
from workbench_lib.corpus import ROW_GROUP_ROWS, Corpus, build_corpus
from workbench_lib.paths import data_root

REFERENCE_GRAPHS = 500


def seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def write_again(corpus: Corpus, folder: Path) -> float:
    """The seconds that it takes to write the corpus's rows, which are in memory, as Parquet once more."""
    tables = [pq.read_table(path) for path in corpus.paths[:8]]
    taken = seconds(
        lambda: [
            pq.write_table(table, folder / f"{k}.parquet", compression="zstd", row_group_size=ROW_GROUP_ROWS)
            for k, table in enumerate(tables)
        ]
    )
    return taken * len(corpus) / sum(map(len, tables))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--graphs", type=int, default=1_000_000)
    parser.add_argument("--workers", type=int, default=2)
    arguments = parser.parse_args()
    sources = ["conceptnet/*/*.csv*", "conceptnet/*/*.txt", "conceptnet/*/*.tsv"] if data_root() else ["starter"]
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        knowledge = KnowledgeChoice(tuple(resolve_sources(sources)))
        kb = knowledge.read()
        kb.save(folder / "knowledge.arrow")
        generator = replace(GraphGenerator(knowledge, seed=1), prepared=folder / "knowledge.arrow")
        print(f"{len(kb):,} triples; {arguments.graphs:,} graphs, three queries each")
        how = {"units_a_shard": UNITS_A_SHARD, "distinct": generator.distinct}
        built = seconds(
            lambda: build_corpus(folder / "c", generator, arguments.graphs, workers=arguments.workers, **how)
        )
        corpus = Corpus(folder / "c")
        rate = len(corpus) / built
        size = sum(path.stat().st_size for path in corpus.paths)
        told = f"with {arguments.workers} workers ({built:.1f} s, {size / 1e6:,.0f} MB)"
        print(f"corpus on disk:   {rate:>10,.0f} examples/s {told}")
        reference = Reference(kb, 1, generator.rules)
        slow = 3 * REFERENCE_GRAPHS / seconds(lambda: reference.block(0, REFERENCE_GRAPHS))
        print(f"reference:        {slow:>10,.0f} examples/s in one process, nothing written: ratio {rate / slow:.0f}")
        floor = len(corpus) / write_again(corpus, folder)
        print(f"writing Parquet:  {floor:>10,.0f} examples/s in one process: ratio {rate / floor:.2f}")
        here, workers = (
            resource.getrusage(who).ru_maxrss / 1e6 for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
        )
        print(f"peak memory: {here:.2f} GB here, {workers:.2f} GB a worker")


if __name__ == "__main__":
    main()
