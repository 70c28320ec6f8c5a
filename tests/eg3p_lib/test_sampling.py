"""Graphs drawn from knowledge bases: forests by hand, validity by a second route, chances, limits, and errors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import networkx as nx
import numpy as np
import pytest

from eg3p_lib.chance import Chance
from eg3p_lib.graphs import ExplanationGraph
from eg3p_lib.sampling import Forest, SamplingError, Shape, draw_forest, sample_graphs
from eg3p_lib.store import KnowledgeBase, KnowledgeError

MakeKb = Callable[..., KnowledgeBase]
Pattern = tuple[tuple[int, int], ...]

# ------------------------------------------------------------------ forests

CHAIN = [("a", "isa", "b"), ("b", "causes", "z")]
FORK = [("a", "isa", "x"), ("b", "isa", "x"), ("x", "causes", "z"), ("c", "usedfor", "z")]
LATE = [("c", "usedfor", "z"), ("a", "isa", "x"), ("x", "causes", "z")]


@pytest.fixture
def kb(make_kb: MakeKb) -> KnowledgeBase:
    return make_kb({*CHAIN, *FORK, *LATE})


@pytest.fixture
def forest(kb: KnowledgeBase, forest_of: Callable[..., Forest]) -> Forest:
    """CHAIN in slots z b a; FORK in z x c a b; LATE in z c x a."""
    return forest_of(kb, CHAIN, FORK, LATE)


def columns(grid: np.ndarray) -> list[list[int]]:
    return [column.tolist() for column in grid.T]


def test_sizes_subtrees_and_starts_by_hand(forest: Forest, kb: KnowledgeBase) -> None:
    assert forest.sizes.tolist() == [2, 4, 3]
    assert forest.depth.tolist() == [2, 2, 2]
    assert columns(forest.subtree) == [[3, 2, 1, 0, 0], [5, 3, 1, 1, 1], [4, 1, 2, 1, 0]]
    starts = [[kb.name(c) for c in forest.node[forest.is_start[:, k], k]] for k in range(3)]
    assert starts == [["a"], ["c", "a", "b"], ["c", "a"]]


def test_writing_order_by_hand(forest: Forest, kb: KnowledgeBase) -> None:
    assert columns(forest.order) == [[2, 1, -1, -1], [3, 4, 1, 2], [1, 3, 2, -1]]
    assert [column[: size + 1] for column, size in zip(columns(forest.begin), (2, 4, 3), strict=True)] == [
        [0, 0, 0],
        [0, 0, 3, 0, 1],
        [0, 0, 1, 1],
    ]
    written = [[kb.edge(t) for t in column if t >= 0] for column in columns(forest.triples)]
    assert written == [CHAIN, FORK, LATE]
    heads = np.where(forest.order < 0, -1, forest.in_order(forest.node))
    assert [[kb.name(c) for c in column if c >= 0] for column in columns(heads)] == [
        ["a", "b"],
        ["a", "b", "x", "c"],
        ["c", "a", "x"],
    ]


def test_graphs_are_taken_and_joined(forest: Forest) -> None:
    again = Forest.joined([forest.take(np.array([2])), forest.take(np.array([True, True, False]))])
    assert again.sizes.tolist() == [3, 2, 4]
    assert columns(again.triples) == [columns(forest.triples)[k] for k in (2, 0, 1)]
    assert again.depth.tolist() == [2, 2, 2]


# ------------------------------------------------------------------ growth by hand

HALF, ALL = 1 << 31, (1 << 32) - 1


class GivenWords:
    """Stands in for `Chance`: the words of one graph, by hand."""

    def __init__(self, *words: int):
        self.given = words

    def words(self, purpose: int, width: int) -> np.ndarray:
        return np.array([*self.given, *[0] * (width - len(self.given))], np.uint32)[:, None]


def grown(kb: KnowledgeBase, words: list[int], **shape: Any) -> tuple[list[tuple[str, str, str]], Counter[str]]:
    """The one graph that the words give, and why it was left out where it is empty."""
    rejected: Counter[str] = Counter()
    sink = kb.number("z")
    forest, _ = draw_forest(kb, GivenWords(0, *words), Shape(**shape), 0, np.array([0]), rejected, sink)  # type: ignore[arg-type]
    return [kb.edge(t) for t in forest.triples.T.ravel().tolist() if t >= 0], rejected


THREE = [("a", "isa", "z"), ("b", "isa", "z"), ("c", "isa", "z"), ("d", "isa", "a"), ("z", "isa", "d")]


@pytest.mark.parametrize(
    ("number", "pick", "other", "heads"),
    [
        (0, 0, 0, ["a"]),
        (0, ALL, 0, ["c"]),
        (HALF - 1, HALF, 0, ["b"]),
        (HALF, 0, 0, ["a", "b"]),
        (ALL, 0, HALF, ["a", "c"]),
        (ALL, HALF, 0, ["b", "a"]),
        (ALL, HALF, HALF, ["b", "c"]),
        (ALL, ALL, ALL, ["c", "b"]),
    ],
)
def test_the_answers_triples_by_hand(make_kb: MakeKb, number: int, pick: int, other: int, heads: list[str]) -> None:
    edges, _ = grown(make_kb(THREE), [number, pick, other], max_depth=1)
    assert edges == [(head, "isa", "z") for head in heads]


def test_a_deeper_graph_by_hand(make_kb: MakeKb) -> None:
    one_each = [0, 0, 0, *[ALL, 0, 0] * 3]  # z takes a; a and d would take two, and each has one
    edges, _ = grown(make_kb(THREE), one_each, max_depth=2)
    assert edges == [("d", "isa", "a"), ("a", "isa", "z")]
    edges, _ = grown(make_kb(THREE), one_each, max_depth=9)
    assert edges == [("d", "isa", "a"), ("a", "isa", "z")]  # d has z, which is in the graph


def test_two_triples_from_one_head_make_one_branch(make_kb: MakeKb) -> None:
    kb = make_kb([("a", "causes", "z"), ("a", "isa", "z")])
    assert grown(kb, [ALL, 0, 0])[0] == [("a", "causes", "z")]
    assert grown(kb, [ALL, ALL, 0])[0] == [("a", "isa", "z")]


def test_limits_of_size_reject_by_hand(make_kb: MakeKb) -> None:
    kb = make_kb(THREE)
    assert grown(kb, [ALL, 0, 0], max_triples=1) == ([], Counter(too_many_triples=1))
    assert grown(kb, [0, 0, 0], min_triples=2, max_depth=1) == ([], Counter(too_few_triples=1))
    assert grown(kb, [ALL, 0, 0], min_triples=2, max_triples=2, max_depth=1)[1] == Counter()


def test_weights_of_zero_are_never_drawn(make_kb: MakeKb) -> None:
    kb = make_kb(THREE)
    assert len(grown(kb, [ALL, 0, 0], incoming=(1, 1, 0))[0]) == 1
    assert len(grown(kb, [0, 0, 0], incoming=(1, 0, 1), max_depth=1)[0]) == 2
    assert len(grown(kb, [0, 0, 0, 0, 0, 0], incoming=(0, 1, 0), max_depth=2)[0]) == 2


# ------------------------------------------------------------------ validity


def pattern_of(graph: ExplanationGraph) -> Pattern:
    """The graph with its concepts numbered as they come: all that validity depends on."""
    numbers: dict[str, int] = {}
    return tuple(
        (numbers.setdefault(head, len(numbers)), numbers.setdefault(tail, len(numbers)))
        for head, _, tail in graph.edges
    )


def check_by_networkx(edges: Pattern, *, max_depth: int) -> None:
    """A tree that leads to one sink, each node with two incoming edges at most, limited, written depth first."""
    graph = nx.MultiDiGraph(edges)
    assert 1 <= len(edges) <= 8
    assert nx.is_directed_acyclic_graph(graph)
    assert nx.is_weakly_connected(graph)
    assert [node for node, degree in graph.out_degree if degree == 0] == [edges[-1][1]]
    assert nx.is_arborescence(graph.reverse())
    assert max(dict(graph.in_degree).values()) <= 2
    assert nx.dag_longest_path_length(graph) <= max_depth
    for place, (head, _) in enumerate(edges):
        into_head = [k for k, (_, tail) in enumerate(edges) if tail == head]
        assert all(place - len(nx.ancestors(graph, head)) <= k < place for k in into_head)


def check_all(kb: KnowledgeBase, graphs: list[ExplanationGraph], max_depth: int) -> Counter[int]:
    """Every graph is valid, of this knowledge, and its texts give it back; the number of graphs by size."""
    known = {kb.edge(number) for number in range(len(kb))}
    patterns: Counter[Pattern] = Counter()
    for graph in graphs:
        assert known.issuperset(graph.edges)
        assert ExplanationGraph.parse(graph.format()) == graph
        patterns[pattern_of(graph)] += 1
    for pattern in patterns:
        check_by_networkx(pattern, max_depth=max_depth)
    for graph in graphs[::1000]:
        assert graph.faults() == ()
        assert graph.depth == nx.dag_longest_path_length(graph.to_networkx())
    return sum((Counter({len(p): n}) for p, n in patterns.items()), Counter())


def test_100_000_graphs_are_valid(starter: KnowledgeBase) -> None:
    sizes = check_all(starter, sample_graphs(starter, 5, 100_000, Shape(max_depth=3)), 3)
    assert sizes.keys() == set(range(1, 9))
    assert all(number > 100 for number in sizes.values())


@pytest.mark.realdata
def test_graphs_of_real_knowledge_are_valid(omcs: KnowledgeBase) -> None:
    check_all(omcs, sample_graphs(omcs, 8, 20_000, Shape(max_depth=16)), 16)


def test_limits_hold(starter: KnowledgeBase) -> None:
    shape = Shape(incoming=(1, 2, 2), max_depth=2, min_triples=3, max_triples=4)
    graphs = sample_graphs(starter, 6, 2000, shape)
    assert {len(graph.edges) for graph in graphs} == {3, 4}
    assert {graph.depth for graph in graphs} == {2}


def test_a_depth_of_one_gives_stars(starter: KnowledgeBase) -> None:
    graphs = sample_graphs(starter, 6, 500, Shape(max_depth=1))
    assert {len(graph.edges) for graph in graphs} == {1, 2}
    assert all(edge.tail == graph.sink for graph in graphs for edge in graph.edges)


def test_a_cycle_in_the_knowledge_is_no_cycle_in_the_graph(make_kb: MakeKb) -> None:
    kb = make_kb([("hot", "antonym", "cold"), ("cold", "antonym", "hot")])
    graphs = sample_graphs(kb, 0, 50, Shape(incoming=(0, 0, 1), max_depth=9))
    assert {len(graph.edges) for graph in graphs} == {1}


# ------------------------------------------------------------------ chances


def test_the_number_of_incoming_triples_follows_its_weights(make_kb: MakeKb) -> None:
    inner = [(f"y{k}", "isa", f"x{m}") for k in range(50) for m in range(50)]
    kb = make_kb([(f"x{k}", "isa", "answer") for k in range(50)] + inner)
    graphs = sample_graphs(kb, 1, 20_000, Shape(incoming=(5, 3, 2), max_depth=2), sink="answer")
    counts: Counter[tuple[str, int]] = Counter()
    for graph in graphs:
        into = Counter(edge.tail for edge in graph.edges)
        counts["answer", into["answer"]] += 1
        counts.update(("inner", into[edge.head]) for edge in graph.edges if edge.tail == "answer")
    assert counts["answer", 0] == 0
    assert counts["answer", 2] / 20_000 == pytest.approx(2 / 5, abs=0.015)  # 4 standard deviations
    nodes = sum(counts["inner", k] for k in range(3))
    # two that take the same y are one branch less: 1 in 50 at most, and only of those that take two
    assert [counts["inner", k] / nodes for k in range(3)] == pytest.approx([0.5, 0.3, 0.2], abs=0.015)


def test_every_incoming_triple_and_every_pair_is_drawn_alike(make_kb: MakeKb) -> None:
    kb = make_kb((f"x{k}", "isa", "answer") for k in range(5))
    single = sample_graphs(kb, 2, 10_000, Shape(incoming=(0, 1, 0), max_depth=1))
    drawn = Counter(graph.starts[0] for graph in single)
    assert len(drawn) == 5
    assert all(abs(number - 2000) < 4.5 * np.sqrt(2000 * 0.8) for number in drawn.values())
    double = sample_graphs(kb, 3, 20_000, Shape(incoming=(0, 0, 1), max_depth=1))
    pairs = Counter(graph.starts for graph in double)
    assert len(pairs) == 20
    assert all(abs(number - 1000) < 4.5 * np.sqrt(1000 * 0.95) for number in pairs.values())


def test_every_answer_is_drawn_alike(make_kb: MakeKb) -> None:
    """However many triples lead to it."""
    kb = make_kb([*((f"x{k}", "isa", "a") for k in range(30)), ("x1", "isa", "b"), ("x1", "isa", "c")])
    sinks = Counter(graph.sink for graph in sample_graphs(kb, 4, 9_000, Shape(max_depth=1)))
    assert set(sinks) == {"a", "b", "c"}
    assert all(abs(number - 3000) < 4.5 * np.sqrt(2000) for number in sinks.values())


# ------------------------------------------------------------------ addresses and errors


def test_a_graph_is_the_same_in_any_block(starter: KnowledgeBase) -> None:
    def triples(start: int, stop: int, attempt: int) -> np.ndarray:
        chance, places = Chance(9, start, stop), np.arange(stop - start)
        forest, kept = draw_forest(starter, chance, Shape(max_depth=3), attempt, places, Counter())
        grid = np.full((8, stop - start), -9)
        grid[:, kept] = forest.triples
        return grid

    for attempt in (0, 3):
        whole = triples(0, 300, attempt)
        assert (whole[:, 120:170] == triples(120, 170, attempt)).all()
    assert (triples(0, 300, 0) != triples(0, 300, 1)).any()


def test_the_same_seed_gives_the_same_graphs_and_more_begin_with_them(starter: KnowledgeBase) -> None:
    shape = Shape(min_triples=4)
    graphs = sample_graphs(starter, 3, 60, shape)
    assert graphs == sample_graphs(starter, 3, 60, shape) == sample_graphs(starter, 3, 90, shape)[:60]
    assert graphs != sample_graphs(starter, 4, 60, shape)
    assert sample_graphs(starter, 3, 0, shape) == []


def test_the_sink_can_be_chosen(starter: KnowledgeBase) -> None:
    sink = starter.name(int(starter.sinks[10]))
    assert {graph.sink for graph in sample_graphs(starter, 1, 20, sink=sink)} == {sink}
    with pytest.raises(KnowledgeError, match="unknown concept 'no such concept'"):
        sample_graphs(starter, 1, 1, sink="no such concept")


def test_an_impossible_wish_ends_with_its_reason(make_kb: MakeKb) -> None:
    kb = make_kb([("dog", "isa", "pet")])
    with pytest.raises(SamplingError, match=r"none of 1000 draws gave a graph \(too_few_triples 3000\)"):
        sample_graphs(kb, 0, 3, Shape(min_triples=2))
    with pytest.raises(SamplingError, match="no triple leads to 'dog'"):
        sample_graphs(kb, 0, 1, sink="dog")


@pytest.mark.parametrize(
    "wrong",
    [
        {"incoming": (1, 0, 0)},
        {"incoming": (1, -1, 2)},
        {"max_depth": 0},
        {"min_triples": 0},
        {"min_triples": 3, "max_triples": 2},
    ],
)
def test_contradictory_shapes_are_errors(wrong: dict[str, Any]) -> None:
    with pytest.raises(SamplingError):
        Shape(**wrong)


def test_graphs_of_the_largest_size_the_parameters_allow(starter: KnowledgeBase) -> None:
    graphs = sample_graphs(starter, 2, 300, Shape(incoming=(0, 1, 2), max_depth=16, min_triples=20, max_triples=64))
    assert max(len(graph.edges) for graph in graphs) > 30
    assert all(graph.faults(min_edges=20, max_edges=64) == () for graph in graphs)


def test_forests_by_hand_are_filled_as_sampled_ones(kb: KnowledgeBase, forest_of: Callable[..., Forest]) -> None:
    drawn, _ = draw_forest(kb, Chance(1, 0, 40), Shape(max_triples=4), 0, np.arange(40), Counter(), kb.number("z"))
    trees = [[kb.edge(t) for t in column if t >= 0] for column in columns(drawn.triples)]
    planted = forest_of(kb, *trees)
    assert drawn.sizes.max() == 4
    for name in ("node", "triple", "parent", "used", "depth"):
        assert (getattr(planted, name) == getattr(drawn, name)).all()
