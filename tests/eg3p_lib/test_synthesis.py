"""Corpora of graphs: the same bytes in every way of making them, texts that parse back, and their errors."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from eg3p_lib.graphs import ExplanationGraph
from eg3p_lib.params import GraphSynthesisParams
from eg3p_lib.queries import split_source
from eg3p_lib.relations import RELATIONS
from eg3p_lib.sampling import SamplingError
from eg3p_lib.store import KnowledgeBase
from eg3p_lib.synthesis import SYNTHESIS_VERSION, build_graph_corpus, generator_of
from eg3p_lib.templates import DEFAULT
from workbench_lib.corpus import CorpusError, build_corpus
from workbench_lib.errors import InputError
from workbench_lib.files import sha256_of_json

MakeParams = Callable[..., GraphSynthesisParams]


def rows_of(params: GraphSynthesisParams) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = generator_of(params).open()(0, params.graphs).table.to_pylist()
    return rows


def test_every_text_parses_back(make_params: MakeParams, starter: KnowledgeBase) -> None:
    known = {starter.edge(number) for number in range(len(starter))}
    rows = rows_of(make_params(graphs=150, distractors="neighbours"))
    assert len(rows) == 450
    for row in rows:
        graph = ExplanationGraph.parse(row["target"])
        assert graph.format() == row["target"]
        assert graph.faults() == ()
        assert (graph.sink, list(graph.starts)) == (row["answer"], row["starts"])
        assert (len(graph.edges), graph.depth) == (row["triples"], row["depth"])
        starts, _, knowledge = split_source(row["source"])
        assert starts == " | ".join(graph.starts)
        assert set(graph.edges) < set(knowledge.edges) <= known
        assert 1.5 * len(graph.edges) <= len(knowledge.edges) <= 2 * len(graph.edges)


def test_three_rows_a_graph_share_its_target(make_params: MakeParams) -> None:
    rows = rows_of(make_params(graphs=60))
    assert [row["level"] for row in rows] == ["easy", "normal", "hard"] * 60
    assert [row["graph"] for row in rows] == [number for number in range(60) for _ in range(3)]
    for k in range(0, 180, 3):
        assert len({row["target"] for row in rows[k : k + 3]}) == 1
    assert [row["graph"] for row in rows if row["split"] == "validation"] == [49, 49, 49]


def test_levels_can_be_chosen(make_params: MakeParams) -> None:
    assert {row["level"] for row in rows_of(make_params(graphs=5, levels=["hard"]))} == {"hard"}


def test_q02_workers_and_hash_seeds_change_nothing(make_params: MakeParams, tmp_path: Path) -> None:
    params = make_params(graphs=90)
    for workers in (1, 2):
        build_corpus(tmp_path / f"w{workers}", generator_of(params), 90, units_a_shard=30, workers=workers)
    code = (
        "import sys, json, pathlib\n"
        "from eg3p_lib.params import GraphSynthesisParams\n"
        "from eg3p_lib.synthesis import generator_of\n"
        "from workbench_lib.corpus import build_corpus\n"
        "params = GraphSynthesisParams.make(json.loads(sys.argv[1]))\n"
        "build_corpus(pathlib.Path(sys.argv[2]), generator_of(params), 90, units_a_shard=30)\n"
    )
    for seed in ("0", "1"):
        command = [sys.executable, "-c", code, params.model_dump_json(), str(tmp_path / f"h{seed}")]
        subprocess.run(command, check=True, env={**os.environ, "PYTHONHASHSEED": seed}, timeout=60)
    folders = [tmp_path / name for name in ("w1", "w2", "h0", "h1")]
    contents = [{path.name: path.read_bytes() for path in folder.iterdir()} for folder in folders]
    assert len(contents[0]) == 4
    assert contents[1] == contents[0]
    assert contents[2] == contents[0]
    assert contents[3] == contents[0]


def test_q02_an_edited_template_makes_another_corpus(make_params: MakeParams, tmp_path: Path) -> None:
    edited = tmp_path / "templates.yaml"
    edited.write_text(
        DEFAULT.read_text(encoding="utf-8").replace("- is caused by X", "- stems from X"), encoding="utf-8"
    )
    one, two = make_params(graphs=10), make_params(graphs=10, templates=str(edited))
    assert one.run_id() != two.run_id()
    build_graph_corpus(one, tmp_path / "corpus")
    with pytest.raises(CorpusError, match="of other settings"):
        build_graph_corpus(two, tmp_path / "corpus")


def test_a_corpus_is_a_prefix_of_a_larger_one(make_params: MakeParams, tmp_path: Path) -> None:
    small = build_graph_corpus(make_params(graphs=100), tmp_path / "small")
    large = build_graph_corpus(make_params(graphs=200), tmp_path / "large", workers=1)
    assert (len(small), len(large)) == (300, 600)
    assert large.head(300).to_pylist() == small.head(300).to_pylist()


def test_another_seed_gives_other_graphs(make_params: MakeParams) -> None:
    one, two = rows_of(make_params(graphs=20)), rows_of(make_params(graphs=20, seed=14))
    assert [row["target"] for row in one] != [row["target"] for row in two]


def test_the_first_rows_stay_what_they_are(make_params: MakeParams, make_file) -> None:
    """A change of the rows needs a new SYNTHESIS_VERSION; on knowledge of its own, so that the built-in may grow."""
    lines = [f"{name}\tc{k}\tc{k * step % 41}" for name, step in (("Causes", 7), ("IsA", 3)) for k in range(41)]
    templates = make_file(yaml_of_templates(), "t.yaml")
    params = make_params(knowledge=[str(make_file("\n".join(lines)))], templates=str(templates), graphs=50)
    assert SYNTHESIS_VERSION == 1
    assert sha256_of_json(rows_of(params))[:16] == "10bc94171f5ab591"


def yaml_of_templates() -> str:
    """Two statements and two questions for each relation."""
    entry = "{r}:\n  statements:\n  - X {r} Y\n  - Y by X\n  questions:\n  - is {r} of X\n  - is something that X {r}\n"
    return "".join(entry.format(r=relation) for relation in RELATIONS)


def test_a_second_call_opens_the_finished_corpus(make_params: MakeParams, tmp_path: Path) -> None:
    first = build_graph_corpus(make_params(graphs=10), tmp_path / "corpus")
    again = build_graph_corpus(make_params(graphs=10), tmp_path / "corpus")
    assert again.digest == first.digest
    assert first.verify() == []
    settings = first.manifest.settings
    assert settings["seed"] == 13
    assert settings["knowledge"] == ["starter_knowledge.tsv"]
    assert len(settings["knowledge_sha256"]) == len(settings["templates_sha256"]) == 64


def test_rejections_are_in_the_manifest(make_params: MakeParams, tmp_path: Path) -> None:
    corpus = build_graph_corpus(make_params(graphs=50, min_triples=3, max_triples=4), tmp_path / "corpus")
    assert corpus.manifest.rejected["too_few_triples"] > 0
    assert corpus.manifest.rejected["too_many_triples"] > 0


def test_bad_knowledge_leaves_nothing_behind(make_params: MakeParams, make_file, tmp_path: Path) -> None:
    broken = make_file("IsA\tdog\tpet\nIsA\tdog\n")
    with pytest.raises(InputError, match=r"kb\.tsv, line 2"):
        build_graph_corpus(make_params(knowledge=[str(broken)], workers=2), tmp_path / "corpus")
    assert not (tmp_path / "corpus").exists()


def test_too_little_knowledge_is_a_clear_error(make_params: MakeParams, make_file, tmp_path: Path) -> None:
    tiny = make_file("IsA\tdog\tpet\n")
    with pytest.raises(SamplingError, match=r"graph 0: none of 1000 draws fitted \(.*too_few_distractors 1000"):
        build_graph_corpus(make_params(knowledge=[str(tiny)]), tmp_path / "corpus")


@pytest.mark.realdata
def test_graphs_of_real_knowledge(make_params: MakeParams, data_root: Path) -> None:
    rows = rows_of(make_params(knowledge=[str(data_root / "conceptnet/omcs100k/*.txt")], graphs=300))
    for row in rows:
        assert ExplanationGraph.parse(row["target"]).faults() == ()
        assert set(ExplanationGraph.parse(row["target"]).edges) < set(split_source(row["source"])[2].edges)
