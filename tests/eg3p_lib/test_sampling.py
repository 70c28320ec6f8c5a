"""Graphs drawn from knowledge bases: valid by a second route, limited as asked, and the same for the same seed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import networkx as nx
import numpy as np
import pytest

from eg3p_lib.graphs import ExplanationGraph
from eg3p_lib.knowledge import read_knowledge
from eg3p_lib.sampling import SamplingError, Shape, sample_graph
from eg3p_lib.store import KnowledgeBase, KnowledgeError

MakeFile = Callable[..., Path]


def check_by_networkx(graph: ExplanationGraph) -> None:
    """One sink, acyclic, connected, each node the head of one triple at most, depth first, starts before answers."""
    nxg = nx.MultiDiGraph([(edge.head, edge.tail) for edge in graph.edges])
    assert nx.is_directed_acyclic_graph(nxg)
    assert nx.is_weakly_connected(nxg)
    assert [node for node, degree in nxg.out_degree if degree == 0] == [graph.sink]
    assert set(dict(nxg.out_degree).values()) <= {0, 1}
    assert max(dict(nxg.in_degree).values()) <= 2
    before = [graph.edges.index(edge) for edge in graph.edges]
    assert before == list(range(len(graph.edges)))
    for place, edge in enumerate(graph.edges):
        into_head = [k for k, other in enumerate(graph.edges) if other.tail == edge.head]
        size = len(nx.ancestors(nxg, edge.head))
        assert all(place - size <= k < place for k in into_head)


def test_2000_graphs_are_valid(starter: KnowledgeBase) -> None:
    triples = {starter.edge(number) for number in range(len(starter))}
    sizes: Counter[int] = Counter()
    for number in range(2000):
        graph = sample_graph(starter, np.random.default_rng([5, number]))
        check_by_networkx(graph)
        assert graph.faults() == ()
        assert set(graph.edges) <= triples
        assert graph.depth <= 3
        sizes[len(graph.edges)] += 1
    assert sizes.keys() == set(range(1, 9))
    assert sum(sizes[k] for k in range(3, 7)) > 600


def test_limits_hold(starter: KnowledgeBase) -> None:
    for number in range(200):
        rng = np.random.default_rng([6, number])
        graph = sample_graph(starter, rng, incoming=(1, 2, 2), max_depth=2, min_triples=3, max_triples=4)
        assert 3 <= len(graph.edges) <= 4
        assert graph.depth <= 2


def test_a_depth_of_one_gives_stars(starter: KnowledgeBase) -> None:
    graphs = [sample_graph(starter, np.random.default_rng(number), max_depth=1) for number in range(100)]
    assert {len(graph.edges) for graph in graphs} == {1, 2}
    assert all(edge.tail == graph.sink for graph in graphs for edge in graph.edges)


def test_the_number_of_incoming_triples_follows_its_weights(make_file: MakeFile) -> None:
    lines = [f"IsA\tx{k}\tanswer\n" for k in range(50)] + [f"IsA\ty{k}\tx{m}\n" for k in range(50) for m in range(50)]
    kb = read_knowledge([make_file("".join(lines))])
    counts: Counter[int] = Counter()
    for number in range(3000):
        rng = np.random.default_rng([1, number])
        graph = sample_graph(kb, rng, incoming=(5, 3, 2), max_depth=2, sink="answer")
        inner = Counter(edge.tail for edge in graph.edges)
        counts["sink", inner["answer"]] += 1
        for edge in graph.edges:
            if edge.tail == "answer":
                counts["inner", inner[edge.head]] += 1
    at_sink = counts["sink", 1] + counts["sink", 2]
    inner_nodes = sum(number for (kind, _), number in counts.items() if kind == "inner")
    assert counts["sink", 2] / at_sink == pytest.approx(2 / 5, abs=0.04)
    shares = [counts["inner", k] / inner_nodes for k in range(3)]
    assert shares == pytest.approx([0.5, 0.3, 0.2], abs=0.03)


def test_every_incoming_triple_is_drawn_alike(make_file: MakeFile) -> None:
    kb = read_knowledge([make_file("".join(f"IsA\tx{k}\tanswer\n" for k in range(4)))])
    drawn = Counter(
        sample_graph(kb, np.random.default_rng([2, k]), max_depth=1, incoming=(0, 1, 0)).starts[0] for k in range(4000)
    )
    assert sorted(drawn) == ["x0", "x1", "x2", "x3"]
    assert all(abs(number - 1000) < 120 for number in drawn.values())  # 4 standard deviations


def test_the_same_seed_gives_the_same_graph(starter: KnowledgeBase) -> None:
    one, two = (sample_graph(starter, np.random.default_rng(3), min_triples=4) for _ in range(2))
    assert one == two
    assert one != sample_graph(starter, np.random.default_rng(4), min_triples=4)


def test_the_sink_can_be_chosen(starter: KnowledgeBase) -> None:
    sink = starter.name(int(starter.sinks[10]))
    assert sample_graph(starter, np.random.default_rng(1), sink=sink).sink == sink
    with pytest.raises(KnowledgeError, match="unknown concept 'no such concept'"):
        sample_graph(starter, np.random.default_rng(1), sink="no such concept")


def test_rejections_are_counted_and_an_impossible_wish_ends(make_file: MakeFile) -> None:
    kb = read_knowledge([make_file("IsA\tdog\tpet\n")])
    rejected: Counter[str] = Counter()
    with pytest.raises(SamplingError, match=r"none of 1000 draws gave a graph \(too_few_triples 1000\)"):
        sample_graph(kb, np.random.default_rng(0), min_triples=2, rejected=rejected)
    assert rejected == {"too_few_triples": 1000}
    with pytest.raises(SamplingError, match="no triple leads to 'dog'"):
        sample_graph(kb, np.random.default_rng(0), sink="dog")


def test_a_cycle_in_the_knowledge_is_no_cycle_in_the_graph(make_file: MakeFile) -> None:
    kb = read_knowledge([make_file("Antonym\thot\tcold\nAntonym\tcold\thot\n")])
    graph = sample_graph(kb, np.random.default_rng(0), incoming=(0, 0, 1), max_depth=9)
    assert len(graph.edges) == 1


@pytest.mark.parametrize(
    "wrong",
    [{"incoming": (1, 0, 0)}, {"incoming": (1, -1, 2)}, {"max_depth": 0}, {"min_triples": 3, "max_triples": 2}],
)
def test_contradictory_shapes_are_errors(wrong: dict) -> None:
    with pytest.raises(SamplingError):
        Shape(**wrong)


@pytest.mark.realdata
def test_graphs_of_real_knowledge_are_valid(data_root: Path) -> None:
    kb = read_knowledge(sorted((data_root / "conceptnet" / "omcs100k").glob("*.txt")))
    for number in range(1000):
        graph = sample_graph(kb, np.random.default_rng([8, number]))
        check_by_networkx(graph)
        assert ExplanationGraph.parse(graph.format()) == graph
