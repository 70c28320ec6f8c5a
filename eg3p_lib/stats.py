"""What a corpus of graphs holds, and plain files of it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from eg3p_lib.relations import RELATIONS, relation_text
from eg3p_lib.table5 import TRIPLES_A_GRAPH, paper_column
from workbench_lib.corpus import Corpus, CorpusError
from workbench_lib.files import replacing

_COLUMNS = ["graph", "level", "split", "triples", "depth", "source", "target"]
_ROWS_TO_TOKENISE = 10_000


def open_graph_corpus(folder: Path) -> Corpus:
    """Open a corpus of graphs.

    Raises:
        CorpusError: the folder holds none, an unfinished one, or one of another kind.
    """
    corpus = Corpus(folder)
    if corpus.manifest.settings.get("task") != "text-to-graph":
        raise CorpusError(f"{folder}: holds a corpus of another kind than graphs")
    return corpus


@dataclass
class _Tally:
    """What is counted while a corpus goes by; flat in its length but for one hash a graph."""

    counts: dict[str, Counter[Any]] = field(
        default_factory=lambda: {name: Counter() for name in ("level", "split", "triples", "depth", "relations")}
    )
    words: dict[str, Counter[int]] = field(default_factory=lambda: {"source": Counter(), "target": Counter()})
    concepts: set[str] = field(default_factory=set)
    graphs: list[npt.NDArray[np.uint64]] = field(default_factory=list)
    last_graph: int = -1

    def add(self, batch: pa.RecordBatch) -> None:
        for name in ("level", "split"):
            self.counts[name].update(_counted(batch[name]))
        for side, lengths in self.words.items():
            lengths.update(_counted(pc.add(pc.count_substring(batch[side], " "), 1)))
        number = batch["graph"].to_numpy()
        first_of_graph = np.diff(number, prepend=self.last_graph) != 0
        self.last_graph = int(number[-1])
        self._add_graphs(batch.filter(pa.array(first_of_graph)))

    def _add_graphs(self, graphs: pa.RecordBatch) -> None:
        for name in ("triples", "depth"):
            self.counts[name].update(_counted(graphs[name]))
        fields = pc.list_flatten(pc.split_pattern(pc.list_flatten(pc.split_pattern(graphs["target"], " | ")), " : "))
        heads, relations, tails = (fields.take(pa.array(np.arange(part, len(fields), 3))) for part in range(3))
        self.counts["relations"].update(_counted(relations))
        for concepts in (heads, tails):
            self.concepts.update(pc.unique(concepts).to_pylist())
        self.graphs.append(pd.util.hash_array(graphs["target"].to_numpy(zero_copy_only=False)))

    def summary(self) -> dict[str, Any]:
        graphs, triples = self.counts["triples"].total(), self.counts["relations"].total()
        shares = {relation: self.counts["relations"][relation] / triples for relation in RELATIONS}
        return {
            "rows": self.counts["level"].total(),
            "graphs": graphs,
            "distinct_graphs": len(np.unique(np.concatenate(self.graphs))),
            "levels": dict(self.counts["level"]),
            "splits": dict(self.counts["split"]),
            "triples_a_graph": triples / graphs,
            "graphs_by_triples": {str(size): number for size, number in sorted(self.counts["triples"].items())},
            "graphs_by_depth": {str(depth): number for depth, number in sorted(self.counts["depth"].items())},
            "distinct_concepts": len(self.concepts),
            "distinct_concepts_share": len(self.concepts) / (triples + graphs),  # a tree has one node more than triples
            "relation_shares": shares,
            "source_words": _lengths(self.words["source"]),
            "target_words": _lengths(self.words["target"]),
        }


def corpus_stats(corpus: Corpus, count_tokens: Callable[[list[str]], list[int]] | None = None) -> dict[str, Any]:
    """What a corpus holds: rows by level and split, sizes and depths, relations (Table 5), lengths, rejections.

    Args:
        count_tokens: Gives the length of each of several texts in a tokenizer's tokens; the first 10,000 rows are
            measured with it.

    Returns:
        Counts as integers, shares as fractions of 1; `distinct_concepts_share` is over all nodes of all graphs.
    """
    tally = _Tally()
    for batch in corpus.batches(_COLUMNS):
        tally.add(batch)
    tokens = {}
    if count_tokens:
        head = corpus.head(_ROWS_TO_TOKENISE, ["source", "target"])
        tokens = {
            f"{side}_tokens": _lengths(Counter(count_tokens(head[side].to_pylist()))) for side in head.column_names
        }
    return {**tally.summary(), **tokens, "rejected": corpus.manifest.rejected, "notes": corpus.manifest.notes}


def relation_table(stats: Mapping[str, Any]) -> pd.DataFrame:
    """The share of each relation beside the paper's corpus of the nearest size (Table 5), largest of the paper's first.

    Args:
        stats: What `corpus_stats` gives.

    Returns:
        Columns relation, this corpus, paper; shares are fractions of 1.
    """
    _, paper = paper_column(stats["graphs"])
    order = sorted(RELATIONS, key=lambda relation: -paper[relation])
    shares = ((relation_text(r), stats["relation_shares"][r], paper[r]) for r in order)
    return pd.DataFrame(shares, columns=["relation", "this corpus", "paper"])


def tell_stats(stats: Mapping[str, Any]) -> str:
    """The stats as a page of text: Table 5 beside the paper's, histograms, lengths, rejections."""
    paper_graphs, _ = paper_column(stats["graphs"])
    shares = relation_table(stats)
    lines = [
        f"{stats['rows']:,} examples of {stats['graphs']:,} graphs, {stats['distinct_graphs']:,} of them distinct",
        f"levels: {_told(stats['levels'])}; splits: {_told(stats['splits'])}",
        f"{stats['triples_a_graph']:.2f} triples a graph (the paper: {TRIPLES_A_GRAPH:.2f})",
        f"{stats['distinct_concepts']:,} distinct concepts, {stats['distinct_concepts_share']:.1%} of all nodes",
        f"\n{'Table 5':<16} {'this corpus':>11} {'paper':>8}   (the paper's corpus of {paper_graphs:,} graphs)",
        *(f"{r:<16} {ours:>11.2%} {paper:>8.2%}" for r, ours, paper in shares.itertuples(index=False)),
        "\ntriples" + _histogram(stats["graphs_by_triples"]),
        "\ndepth" + _histogram(stats["graphs_by_depth"]),
        "",
    ]
    for name, lengths in stats.items():
        if name.endswith(("_words", "_tokens")):
            lines.append(f"{name.replace('_', ' ')}: " + ", ".join(f"{k} {v:g}" for k, v in lengths.items()))
    lines.append(f"drawn and not taken: {_told(stats['rejected']) or 'nothing'}")
    if knowledge := stats["notes"].get("knowledge"):
        skipped = _told(knowledge["skipped"]) or "nothing"
        lines.append(f"knowledge: {knowledge['lines']:,} lines, {knowledge['kept']:,} triples; left out: {skipped}")
    return "\n".join(lines)


def _told(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {number:,}" for name, number in counts.items())


def _histogram(counts: Mapping[str, int]) -> str:
    most, total = max(counts.values()), sum(counts.values())
    bars = (
        f"\n  {name:>3} {number:>12,} {number / total:>6.1%} {'#' * round(40 * number / most)}"
        for name, number in counts.items()
    )
    return "".join(bars)


def _counted(values: pa.Array) -> dict[Any, int]:
    counted = pc.value_counts(values)
    return dict(zip(counted.field("values").to_pylist(), counted.field("counts").to_pylist(), strict=True))


def _lengths(counts: Counter[int]) -> dict[str, float]:
    """Mean, median, 95th percentile and maximum of counted lengths."""
    lengths = np.array(sorted(counts))
    numbers = np.array([counts[length] for length in lengths.tolist()])
    reached = np.cumsum(numbers) / numbers.sum()
    middle, high = (int(lengths[np.searchsorted(reached, share)]) for share in (0.5, 0.95))
    return {"mean": float(lengths @ numbers / numbers.sum()), "median": middle, "p95": high, "max": int(lengths[-1])}


def export_corpus(corpus: Corpus, folder: Path) -> dict[str, int]:
    """Write `train.source`, `train.target`, the same of `validation`, and all columns as `corpus.jsonl`.

    Line n of a .source and of its .target file belong together; files are written whole or not at all.

    Returns:
        The number of lines by file name.
    """
    folder.mkdir(parents=True, exist_ok=True)
    names = [f"{split}.{side}" for split in ("train", "validation") for side in ("source", "target")]
    written = dict.fromkeys([*names, "corpus.jsonl"], 0)
    with ExitStack() as stack:
        files = {name: _open(stack, folder / name) for name in written}
        for batch in corpus.batches():
            for row in batch.to_pylist():
                for side in ("source", "target"):
                    files[f"{row['split']}.{side}"].write(row[side] + "\n")
                    written[f"{row['split']}.{side}"] += 1
                files["corpus.jsonl"].write(json.dumps(row, ensure_ascii=False) + "\n")
                written["corpus.jsonl"] += 1
    return written


def _open(stack: ExitStack, path: Path) -> TextIO:
    temporary = stack.enter_context(replacing(path))
    return stack.enter_context(temporary.open("w", encoding="utf-8", newline="\n"))
