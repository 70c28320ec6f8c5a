"""What a corpus holds, against a plain count; its page beside the paper's; and its plain files."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from eg3p_lib.corpora import build_graph_corpus, generator_of
from eg3p_lib.graphs import ExplanationGraph
from eg3p_lib.relations import PAPER_SHARES, RELATIONS
from eg3p_lib.stats import corpus_stats, export_corpus, open_graph_corpus, relation_table, tell_stats
from eg3p_lib.table5 import GRAPHS, PERCENT, TRIPLES_A_GRAPH, paper_column
from workbench_lib.corpus import Corpus, CorpusError, build_corpus

MakeParams = Callable[..., Any]


@pytest.fixture(scope="module")
def corpus(make_params: MakeParams, tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    """2,000 graphs with all easy and some of the hard queries: rows of a graph may be one or two."""
    params = make_params(graphs=2000, levels={"easy": 1.0, "hard": 0.3})
    return build_graph_corpus(params, tmp_path_factory.mktemp("corpus") / "c")


@pytest.fixture(scope="module")
def rows(corpus: Corpus) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = corpus.head(10**6).to_pylist()
    return found


def counted(numbers: Counter[int]) -> dict[str, int]:
    return {str(number): count for number, count in sorted(numbers.items())}


def lengths(texts: list[str]) -> dict[str, float]:
    words = sorted(len(text.split(" ")) for text in texts)
    places = {"median": 0.5, "p95": 0.95}
    at = {name: next(w for k, w in enumerate(words, 1) if k / len(words) >= share) for name, share in places.items()}
    return {"mean": pytest.approx(sum(words) / len(words)), **at, "max": words[-1]}


def test_stats_agree_with_a_plain_count(corpus: Corpus, rows: list[dict[str, Any]]) -> None:
    stats = corpus_stats(corpus)
    graphs = list({row["graph"]: ExplanationGraph.parse(row["target"]) for row in rows}.values())
    triples = Counter(edge.relation for graph in graphs for edge in graph.edges)
    concepts = [concept for graph in graphs for concept in graph.concepts]
    assert (stats["rows"], stats["graphs"]) == (len(rows), len(graphs))
    assert stats["distinct_graphs"] == len(set(graphs)) < len(graphs)
    assert stats["levels"] == Counter(row["level"] for row in rows)
    assert stats["splits"] == Counter(row["split"] for row in rows)
    assert stats["triples_a_graph"] == triples.total() / len(graphs)
    assert stats["graphs_by_triples"] == counted(Counter(len(graph.edges) for graph in graphs))
    assert stats["graphs_by_depth"] == counted(Counter(graph.depth for graph in graphs))
    assert list(stats["graphs_by_triples"]) == [str(size) for size in range(1, 9)]
    assert stats["relation_shares"] == {r: triples[r] / triples.total() for r in RELATIONS}
    assert stats["distinct_concepts"] == len(set(concepts))
    assert stats["distinct_concepts_share"] == len(set(concepts)) / len(concepts)
    for side in ("source", "target"):
        assert stats[f"{side}_words"] == lengths([row[side] for row in rows])
    assert stats["rejected"] == corpus.manifest.rejected
    assert stats["notes"] == corpus.manifest.notes
    assert "source_tokens" not in stats


def test_stats_do_not_depend_on_shards(make_params: MakeParams, tmp_path: Path) -> None:
    """Even where a shard has no rows left."""
    kb = tmp_path / "kb.tsv"
    kb.write_text("IsA\ta\tb\nIsA\tc\td\nIsA\te\tf\n")
    generator = generator_of(make_params(knowledge=[str(kb)]))
    found = []
    for units in (400, 90):
        made = build_corpus(tmp_path / str(units), generator, 400, units_a_shard=units, distinct=("source",))
        found.append({k: v for k, v in corpus_stats(made).items() if k != "rejected"})
    assert 0 in [shard.rows for shard in made.manifest.shards]
    assert found[0] == found[1]


def test_stats_do_not_depend_on_batches(corpus: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    """Even where the rows of a graph lie in two."""
    whole = corpus_stats(corpus)
    monkeypatch.setattr("workbench_lib.corpus.ROW_GROUP_ROWS", 5)
    assert corpus_stats(corpus) == whole


def test_tokens_are_counted_of_the_first_rows(corpus: Corpus, rows: list[dict[str, Any]]) -> None:
    stats = corpus_stats(corpus, lambda texts: [2 * len(text.split(" ")) for text in texts])
    for side in ("source", "target"):
        words = stats[f"{side}_words"]
        assert stats[f"{side}_tokens"] == {name: pytest.approx(2 * value) for name, value in words.items()}


def test_table_5_as_the_paper_prints_it() -> None:
    """Shares of every corpus sum to 1, but for rounding; the overall column lies between them."""
    assert GRAPHS == (3_000, 30_000, 300_000, 1_000_000, 2_000_000, 3_000_000, 10_000_000, 20_000_000)
    assert set(PERCENT) == set(RELATIONS)
    for column in range(len(GRAPHS)):
        assert sum(shares[column] for shares in PERCENT.values()) == pytest.approx(100, abs=0.06)
    for relation, shares in PERCENT.items():
        assert min(shares) <= 100 * PAPER_SHARES[relation] <= max(shares)
    assert PERCENT["causes"][0] == 9.75
    assert round(TRIPLES_A_GRAPH, 2) == 2.01


@pytest.mark.parametrize(
    ("graphs", "nearest"),
    [(1, 3_000), (9_000, 3_000), (10_000, 30_000), (600_000, 1_000_000), (15_000_000, 20_000_000), (10**9, 20_000_000)],
)
def test_the_papers_column_of_the_nearest_size_by_ratio(graphs: int, nearest: int) -> None:
    found, shares = paper_column(graphs)
    assert found == nearest
    assert shares["isa"] == round(PERCENT["isa"][GRAPHS.index(nearest)] / 100, 4)


def test_relation_table_puts_the_papers_shares_beside_ours(corpus: Corpus) -> None:
    stats = corpus_stats(corpus)
    table = relation_table(stats).set_index("relation")
    assert list(table.index[:3]) == ["is a", "has subevent", "antonym of"]  # 20.07, 13.78, 13.28 % at 3,000 graphs
    assert table.loc["is a", "this corpus"] == stats["relation_shares"]["isa"]
    assert table.loc["is a", "paper"] == 0.2007
    assert table["paper"].sum() == pytest.approx(1, abs=1e-3)


def test_the_page_holds_table_5_and_histograms(corpus: Corpus) -> None:
    stats = corpus_stats(corpus)
    page = tell_stats(stats).split("\n")
    assert page[0].startswith(f"{len(corpus):,} examples of 2,000 graphs, {stats['distinct_graphs']:,} of them")
    assert f"{stats['triples_a_graph']:.2f} triples a graph (the paper: 2.01)" in page
    ours = f"{stats['relation_shares']['hassubevent']:.2%}"
    assert ["has", "subevent", ours, "13.78%"] in [line.split() for line in page]
    ones = stats["graphs_by_triples"]["1"]
    bar = "#" * round(40 * ones / max(stats["graphs_by_triples"].values()))
    assert ["1", f"{ones:,}", f"{ones / 2000:.1%}", bar] in [line.split() for line in page]
    assert any(line.startswith("source words: mean ") for line in page)
    assert any(line.startswith("drawn and not taken: ") and "too_many_triples" in line for line in page)


# ------------------------------------------------------------------ plain files


def test_export_writes_matching_lines(corpus: Corpus, rows: list[dict[str, Any]], tmp_path: Path) -> None:
    written = export_corpus(corpus, tmp_path / "plain")
    sizes = Counter(row["split"] for row in rows)
    assert written == {
        "train.source": sizes["train"],
        "train.target": sizes["train"],
        "validation.source": sizes["validation"],
        "validation.target": sizes["validation"],
        "corpus.jsonl": len(rows),
    }
    assert sizes["validation"] > 0
    assert {path.name for path in (tmp_path / "plain").iterdir()} == set(written)
    lines = {name: (tmp_path / "plain" / name).read_text(encoding="utf-8").split("\n") for name in written}
    assert all(len(lines[name]) == number + 1 and not lines[name][-1] for name, number in written.items())
    assert [json.loads(line) for line in lines["corpus.jsonl"][:-1]] == rows
    for split in ("train", "validation"):
        pairs = [(row["source"], row["target"]) for row in rows if row["split"] == split]
        assert list(zip(lines[f"{split}.source"][:-1], lines[f"{split}.target"][:-1], strict=True)) == pairs


def test_other_folders_are_errors(make_params: MakeParams, tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="does not exist"):
        open_graph_corpus(tmp_path / "none")
    with pytest.raises(CorpusError, match="is unfinished"):
        open_graph_corpus(tmp_path)
    manifest = {"rows": 0, "units": 1, "settings": {"generator": "tables"}, "rejected": {}, "shards": []}
    (tmp_path / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(CorpusError, match="of another kind"):
        open_graph_corpus(tmp_path)
    build_graph_corpus(make_params(task="tail-prediction", graphs=5), tmp_path / "tails")
    with pytest.raises(CorpusError, match="of another kind"):
        open_graph_corpus(tmp_path / "tails")
