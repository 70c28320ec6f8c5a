"""What a corpus holds, and its plain files."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from eg3p_lib.graphs import ExplanationGraph
from eg3p_lib.stats import corpus_stats, export_corpus, open_graph_corpus, relation_table
from eg3p_lib.synthesis import build_graph_corpus
from workbench_lib.corpus import Corpus, CorpusError


@pytest.fixture(scope="module")
def corpus(make_params: Callable[..., Any], tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return build_graph_corpus(make_params(graphs=100), tmp_path_factory.mktemp("corpus") / "c")


def test_stats_agree_with_a_plain_count(corpus: Corpus) -> None:
    stats = corpus_stats(corpus)
    rows = corpus.head(1000).to_pylist()
    graphs = [ExplanationGraph.parse(row["target"]) for row in rows[::3]]
    relations = Counter(edge.relation for graph in graphs for edge in graph.edges)
    assert (stats["rows"], stats["graphs"]) == (300, 100)
    assert stats["levels"] == {"easy": 100, "normal": 100, "hard": 100}
    assert stats["splits"] == {"train": 294, "validation": 6}
    assert stats["triples_a_graph"] == relations.total() / 100
    assert stats["graphs_by_triples"] == {str(k): n for k, n in sorted(Counter(len(g.edges) for g in graphs).items())}
    assert stats["graphs_by_depth"] == {str(k): n for k, n in sorted(Counter(g.depth for g in graphs).items())}
    assert stats["relation_shares"]["causes"] == relations["causes"] / relations.total()
    assert sum(stats["relation_shares"].values()) == pytest.approx(1)
    assert stats["source_chars"] == {
        "mean": sum(len(row["source"]) for row in rows) / 300,
        "max": max(len(row["source"]) for row in rows),
    }
    assert stats["rejected"] == corpus.manifest.rejected


def test_relation_table_puts_the_papers_shares_beside_ours(corpus: Corpus) -> None:
    stats = corpus_stats(corpus)
    table = relation_table(stats).set_index("relation")
    assert list(table.index[:2]) == ["is a", "has subevent"]  # 19.70 % and 13.32 % in Table 5
    assert table.loc["is a", "this corpus"] == stats["relation_shares"]["isa"]
    assert table["paper"].sum() == pytest.approx(1, abs=1e-3)


def test_export_writes_matching_lines(corpus: Corpus, tmp_path: Path) -> None:
    written = export_corpus(corpus, tmp_path / "plain")
    assert written == {
        "train.source": 294,
        "train.target": 294,
        "validation.source": 6,
        "validation.target": 6,
        "corpus.jsonl": 300,
    }
    assert {path.name for path in (tmp_path / "plain").iterdir()} == set(written)
    lines = {name: (tmp_path / "plain" / name).read_text(encoding="utf-8").split("\n") for name in written}
    assert all(len(lines[name]) == number + 1 and not lines[name][-1] for name, number in written.items())
    rows = corpus.head(1000).to_pylist()
    assert [json.loads(line) for line in lines["corpus.jsonl"][:-1]] == rows
    train = [(row["source"], row["target"]) for row in rows if row["split"] == "train"]
    assert list(zip(lines["train.source"][:-1], lines["train.target"][:-1], strict=True)) == train


def test_other_folders_are_errors(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="does not exist"):
        open_graph_corpus(tmp_path / "none")
    with pytest.raises(CorpusError, match="is unfinished"):
        open_graph_corpus(tmp_path)
    manifest = {"rows": 0, "units": 1, "settings": {"generator": "tables"}, "rejected": {}, "shards": []}
    (tmp_path / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(CorpusError, match="of another kind"):
        open_graph_corpus(tmp_path)
