"""What a corpus of graphs holds, and plain files of it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any, TextIO

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from eg3p_lib.relations import PAPER_SHARES, RELATIONS, relation_text
from workbench_lib.corpus import Corpus, CorpusError
from workbench_lib.files import replacing

_GENERATOR = "eg3p_lib.synthesis"
_COLUMNS = ["graph", "level", "split", "triples", "depth", "source", "target"]


def open_graph_corpus(folder: Path) -> Corpus:
    """Open a corpus that `build_graph_corpus` made.

    Raises:
        CorpusError: the folder holds none, an unfinished one, or one of another kind.
    """
    corpus = Corpus(folder)
    if corpus.manifest.settings.get("generator") != _GENERATOR:
        raise CorpusError(f"{folder}: holds a corpus of another kind than graphs")
    return corpus


def corpus_stats(corpus: Corpus) -> dict[str, Any]:
    """Rows by level and split, and over the graphs: sizes, depths, shares of the relations (Table 5), rejections.

    Returns:
        Counts as integers, shares as fractions of 1, lengths in characters.
    """
    counters: dict[str, Counter[Any]] = {
        name: Counter() for name in ("levels", "splits", "triples", "depth", "relations")
    }
    lengths: Counter[str] = Counter()
    longest = 0
    for batch in corpus.batches(_COLUMNS):
        counters["levels"].update(batch["level"].to_pylist())
        counters["splits"].update(batch["split"].to_pylist())
        graphs = batch.filter(pc.equal(batch["level"], corpus.manifest.settings["levels"][0]))
        for name in ("triples", "depth"):
            counters[name].update(graphs[name].to_pylist())
        counters["relations"].update(_relations(graphs["target"]))
        in_batch = pc.utf8_length(batch["source"])
        longest = max(longest, pc.max(in_batch).as_py())
        lengths["source"] += pc.sum(in_batch).as_py()
    return {
        **_summary(counters),
        "source_chars": _of_chars(lengths, longest, len(corpus)),
        "rejected": corpus.manifest.rejected,
    }


def relation_table(stats: Mapping[str, Any]) -> pd.DataFrame:
    """The share of each relation beside the paper's (Table 5), largest of the paper's first.

    Args:
        stats: What `corpus_stats` gives.

    Returns:
        Columns relation, this corpus, paper; shares are fractions of 1.
    """
    order = sorted(RELATIONS, key=lambda relation: -PAPER_SHARES[relation])
    shares = ((relation_text(r), stats["relation_shares"][r], PAPER_SHARES[r]) for r in order)
    return pd.DataFrame(shares, columns=["relation", "this corpus", "paper"])


def _relations(targets: pa.StringArray) -> list[str]:
    """The relation of every triple of every target."""
    triples = pc.list_flatten(pc.split_pattern(targets, " | "))
    relations: list[str] = pc.list_element(pc.split_pattern(triples, " : "), 1).to_pylist()
    return relations


def _summary(counters: dict[str, Counter[Any]]) -> dict[str, Any]:
    graphs, triples = counters["triples"].total(), counters["relations"].total()
    return {
        "rows": counters["levels"].total(),
        "graphs": graphs,
        "levels": dict(counters["levels"]),
        "splits": dict(counters["splits"]),
        "triples_a_graph": triples / graphs,
        "graphs_by_triples": {str(size): number for size, number in sorted(counters["triples"].items())},
        "graphs_by_depth": {str(depth): number for depth, number in sorted(counters["depth"].items())},
        "relation_shares": {relation: counters["relations"][relation] / triples for relation in RELATIONS},
    }


def _of_chars(lengths: Counter[str], longest: int, rows: int) -> dict[str, float]:
    return {"mean": lengths["source"] / rows, "max": longest}


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
