"""The rows of graphs: texts that parse back, levels by weight, the same in any block, and their errors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from eg3p_lib import synthesis
from eg3p_lib.graphs import ExplanationGraph
from eg3p_lib.queries import LEVELS, split_source
from eg3p_lib.relations import RELATIONS
from eg3p_lib.sampling import SamplingError, Shape, sample_graphs
from eg3p_lib.store import KnowledgeBase
from eg3p_lib.synthesis import SYNTHESIS_VERSION, GraphMaker, GraphRules
from eg3p_lib.templates import DEFAULT, VERBATIM, Templates, load_templates
from workbench_lib.files import sha256_of_json

MakeKb = Callable[..., KnowledgeBase]
DEEP = GraphRules(Shape(max_depth=3))


def rows_of(kb: KnowledgeBase, graphs: int, rules: GraphRules = DEEP, seed: int = 13) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = GraphMaker(kb, seed, rules).block(0, graphs).table.to_pylist()
    return rows


# ------------------------------------------------------------------ what the texts say


def check_rows(kb: KnowledgeBase, rows: list[dict[str, Any]]) -> None:
    known = {kb.edge(number) for number in range(len(kb))}
    for row in rows:
        graph = ExplanationGraph.parse(row["target"])
        assert graph.format() == row["target"]
        assert graph.faults() == ()
        assert (graph.sink, list(graph.starts)) == (row["answer"], row["starts"])
        assert (len(graph.edges), graph.depth) == (row["triples"], row["depth"])
        starts, query, knowledge = split_source(row["source"])
        assert starts == " | ".join(graph.starts)
        assert query.endswith(" ?")
        assert set(graph.edges) < set(knowledge.edges) <= known
        assert 1.5 * len(graph.edges) <= len(knowledge.edges) <= 2 * len(graph.edges)


@pytest.mark.parametrize("distractors", ["random", "neighbours"])
@pytest.mark.parametrize("templates", [DEFAULT, VERBATIM])
def test_every_text_parses_back(starter: KnowledgeBase, distractors: Any, templates: Path) -> None:
    rows = rows_of(starter, 150, replace(DEEP, distractors=distractors, templates=templates))
    assert len(rows) == 450
    check_rows(starter, rows)


@pytest.mark.realdata
def test_texts_of_real_knowledge_parse_back(omcs: KnowledgeBase) -> None:
    check_rows(omcs, rows_of(omcs, 2000))


def fields_of(texts: pa.Array) -> tuple[pa.Array, np.ndarray]:
    """The triples of all texts end to end, and the number of the text that each is of."""
    split = pc.split_pattern(texts, " | ")
    return pc.list_flatten(split), pc.list_parent_indices(split).to_numpy()


def test_300_000_texts_say_what_their_graphs_are(starter: KnowledgeBase) -> None:
    """By splitting at the separators alone: all triples known, each target in its source, none twice in one."""
    table = GraphMaker(starter, 3, DEEP).block(0, 100_000).table.combine_chunks()
    known = pa.array(" : ".join(starter.edge(number)) for number in range(len(starter)))
    sources = pc.split_pattern(table["source"].chunk(0), " [SEP] ")
    assert pc.unique(pc.list_value_length(sources)).to_pylist() == [3]
    starts, queries, knowledge = (pc.list_element(sources, part) for part in range(3))
    assert starts.equals(pc.binary_join(table["starts"].chunk(0), " | "))
    assert pc.all(pc.ends_with(queries, " ?")).as_py()
    keys = []
    for texts in (table["target"].chunk(0), knowledge):
        triples, rows = fields_of(texts)
        numbers = pc.index_in(triples, known)
        assert numbers.null_count == 0
        keys.append(rows * len(known) + numbers.to_numpy())
        assert len(np.unique(keys[-1])) == len(keys[-1])
    assert np.isin(keys[0], keys[1], assume_unique=True).all()
    sizes = table["triples"].to_numpy().astype(int)
    assert (np.bincount(keys[0] // len(known)) == sizes).all()
    of_source = np.bincount(keys[1] // len(known))
    assert ((2 * of_source >= 3 * sizes) & (of_source <= 2 * sizes)).all()


def test_no_query_names_a_hidden_concept(make_kb: MakeKb) -> None:
    """Where concepts have names of their own: starts stand in each query once, others never."""
    rng = np.random.default_rng(1)
    pairs = {(int(a), int(b)) for a, b in rng.integers(0, 300, (1500, 2)) if a != b}
    kb = make_kb((f"entity{a}", RELATIONS[(a + b) % 16], f"entity{b}") for a, b in sorted(pairs))
    for templates in (DEFAULT, VERBATIM):
        for row in rows_of(kb, 300, replace(DEEP, templates=templates)):
            words = split_source(row["source"])[1].replace("'s", "").replace(",", "").split()
            assert Counter(word for word in words if word.startswith("entity")) == Counter(row["starts"])


# ------------------------------------------------------------------ levels


def test_three_rows_a_graph_share_its_target(starter: KnowledgeBase) -> None:
    rows = rows_of(starter, 60)
    assert [row["level"] for row in rows] == list(LEVELS) * 60
    assert [row["graph"] for row in rows] == [number for number in range(60) for _ in LEVELS]
    for k in range(0, 180, 3):
        shared = [{c: v for c, v in row.items() if c not in ("level", "source")} for row in rows[k : k + 3]]
        assert shared[0] == shared[1] == shared[2]
        assert len({row["source"] for row in rows[k : k + 3]}) == 3


def test_each_level_has_distractors_of_its_own(starter: KnowledgeBase) -> None:
    rows = rows_of(starter, 60)
    knowledge = [set(split_source(row["source"])[2].edges) for row in rows]
    assert all(len({frozenset(k) for k in knowledge[g : g + 3]}) > 1 for g in range(0, 180, 3))


def test_levels_have_rows_by_their_weights(starter: KnowledgeBase) -> None:
    weights: dict[Any, float] = {"hard": 1.0, "normal": 2.0, "easy": 0.5}
    rules = GraphRules(levels=weights)
    rows = rows_of(starter, 20_000, rules)
    counts = Counter(row["level"] for row in rows)
    assert counts["normal"] == 20_000
    assert abs(counts["hard"] - 10_000) < 4.5 * np.sqrt(5_000)
    assert abs(counts["easy"] - 5_000) < 4.5 * np.sqrt(3_750)
    both = {graph for graph, number in Counter(row["graph"] for row in rows).items() if number == 3}
    assert abs(len(both) - 2_500) < 4.5 * np.sqrt(2_500)  # chosen for each level by itself


def test_a_level_of_less_weight_has_some_of_the_same_rows(starter: KnowledgeBase) -> None:
    all_ = rows_of(starter, 200)
    some = rows_of(starter, 200, replace(DEEP, levels={"easy": 1.0, "normal": 1.0, "hard": 0.5}))
    kept = {(row["graph"], row["level"]) for row in some}
    assert some == [row for row in all_ if (row["graph"], row["level"]) in kept]
    assert {row["level"] for row in all_ if row not in some} == {"hard"}


def test_the_order_in_which_levels_are_named_decides_nothing(starter: KnowledgeBase) -> None:
    one, two = GraphRules(levels={"hard": 1.0, "easy": 2.0}), GraphRules(levels={"easy": 2.0, "hard": 1.0})
    assert one == two
    assert rows_of(starter, 20, one) == rows_of(starter, 20, two)


# ------------------------------------------------------------------ addresses


def test_a_graph_is_the_same_in_any_block(starter: KnowledgeBase, monkeypatch: pytest.MonkeyPatch) -> None:
    maker = GraphMaker(starter, 5, replace(DEEP, shape=Shape(max_depth=3, min_triples=3, max_triples=4)))
    whole = maker.block(100, 400)
    parts = [maker.block(start, stop) for start, stop in ((100, 101), (101, 260), (260, 400))]
    assert pa.concat_tables(part.table for part in parts).equals(whole.table)
    assert sum((part.rejected for part in parts), Counter()) == whole.rejected
    assert whole.rejected["too_few_triples"] > 0
    monkeypatch.setattr(synthesis, "GRAPHS_A_BLOCK", 37)
    again = maker.block(100, 400)
    assert again.table.equals(whole.table)
    assert again.rejected == whole.rejected


def test_another_seed_gives_other_graphs(starter: KnowledgeBase) -> None:
    one, two = (rows_of(starter, 20, seed=seed) for seed in (13, 14))
    assert [row["target"] for row in one] != [row["target"] for row in two]


def test_a_notebook_sees_the_graphs_that_a_corpus_has(starter: KnowledgeBase) -> None:
    """`sample_graphs` draws as the corpus does, but for graphs whose distractors were not to be had."""
    targets = [row["target"] for row in rows_of(starter, 300)[::3]]
    assert [graph.format() for graph in sample_graphs(starter, 13, 300, DEEP.shape)] == targets


def test_the_first_rows_stay_what_they_are(make_kb: MakeKb, make_file: Callable[..., Path]) -> None:
    """A change of the rows needs a new SYNTHESIS_VERSION; on knowledge of its own, so that the built-in may grow."""
    lines = [(f"c{k}", name, f"c{k * step % 41}") for name, step in (("causes", 7), ("isa", 3)) for k in range(41)]
    templates = make_file(yaml_of_templates(), "t.yaml")
    assert SYNTHESIS_VERSION == 2
    assert sha256_of_json(rows_of(make_kb(lines), 50, replace(DEEP, templates=templates)))[:16] == "7ead6b446566a755"


def yaml_of_templates() -> str:
    """Two statements and two questions for each relation."""
    entry = "{r}:\n  statements:\n  - X {r} Y\n  - Y by X\n  questions:\n  - is {r} of X\n  - is something that X {r}\n"
    return "".join(entry.format(r=relation) for relation in RELATIONS)


# ------------------------------------------------------------------ choices and errors


def test_the_sink_and_the_templates_can_be_chosen(starter: KnowledgeBase) -> None:
    sink = int(starter.sinks[3])
    own = load_templates()
    edited = Templates({r: (f"X {r}! Y",) for r in own.statements}, own.questions)
    table = GraphMaker(starter, 1, DEEP, edited).block(0, 20, sink=sink).table
    assert set(table["answer"].to_pylist()) == {starter.name(sink)}
    easy = [row for row in table.to_pylist() if row["level"] == "easy"]
    for row in easy:
        relations = Counter(f"{edge.relation}!" for edge in ExplanationGraph.parse(row["target"]).edges)
        assert Counter(word for word in row["source"].split() if word.endswith("!")) == relations


def test_settings_tell_all_that_decides_the_rows(make_file: Callable[..., Path]) -> None:
    base = GraphRules().settings()
    changed: list[dict[str, Any]] = [
        {"shape": Shape(max_depth=3)},
        {"shape": Shape(incoming=(1, 1, 2))},
        {"levels": {"hard": 1.0}},
        {"distractors": "neighbours"},
        {"templates": VERBATIM},
    ]
    assert len({sha256_of_json(s) for s in (base, *(GraphRules(**c).settings() for c in changed))}) == 6
    copy = make_file(DEFAULT.read_text(encoding="utf-8"), "copy.yaml")
    assert GraphRules(templates=copy).settings() == base


def test_every_draw_that_is_not_taken_is_counted(starter: KnowledgeBase) -> None:
    rules = GraphRules(Shape(max_depth=3, min_triples=3, max_triples=4), distractors="neighbours")
    rejected = GraphMaker(starter, 1, rules).block(0, 500).rejected
    assert rejected.keys() >= {
        "too_few_triples",
        "too_many_triples",
        "distractor_is_gold",
        "distractor_repeated",
        "distractor_second_tail",
        "distractor_second_path",
    }


def test_too_little_knowledge_is_a_clear_error(make_kb: MakeKb, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(synthesis, "MAX_ATTEMPTS", 60)
    message = r"graphs 0 and following: 1 found no draw that fits in 60 attempts \(.*too_few_distractors 60\)"
    with pytest.raises(SamplingError, match=message):
        rows_of(make_kb([("dog", "isa", "pet")]), 1)
