"""The exact edit distance: by hand (cases M01-M03), against networkx and all permutations, and how long it searches."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eg3p_lib.edit_distance import Distance, edit_distance

Edge = tuple[str, str, str]
GOLD = [("cars", "causes", "pollution"), ("pollution", "is a", "harm"), ("harm", "not desires", "people")]
FEW_STEPS = 300  # about 12 ms


def distance(first: Sequence[Edge], second: Sequence[Edge]) -> int:
    found = edit_distance(first, second)
    assert found.is_exact
    return found.high


def chain(labels: Sequence[str], name: str = "b") -> list[Edge]:
    return [(f"{name}{k}", label, f"{name}{k + 1}") for k, label in enumerate(labels)]


def star(labels: Sequence[str], name: str = "a") -> list[Edge]:
    return [("hub", label, f"{name}{k}") for k, label in enumerate(labels)]


def binary_tree(labels: Sequence[str], name: str = "c") -> list[Edge]:
    return [(f"{name}{k // 2}", label, f"{name}{k + 1}") for k, label in enumerate(labels)]


def caterpillar(labels: Sequence[str], name: str = "d") -> list[Edge]:
    spine = chain(labels[: len(labels) // 2], name)
    return [*spine, *((head, label, f"{head}-leaf") for (head, _, _), label in zip(spine, labels[4:], strict=False))]


def test_m01_a_star_against_a_chain() -> None:
    gold = star(["causes"] * 8)
    relations = ["used for", "part of", "is a", "used for", "part of", "is a", "used for", "part of"]
    found = edit_distance(gold, chain(relations))
    assert (found.low, found.high) == (24, 24)
    assert found.steps < 10


def test_m02_a_pair_that_other_searches_give_up() -> None:
    gold = [
        *[("c7", "causes", "c1"), ("c1", "is a", "c6"), ("c3", "is a", "c6"), ("c2", "used for", "c7")],
        *[("c5", "part of", "c6"), ("c3", "part of", "c8"), ("c8", "used for", "c4"), ("c1", "part of", "c0")],
    ]
    predicted = [
        *[("d0", "causes", "d3"), ("c1", "part of", "d0"), ("d3", "causes", "c0"), ("d1", "used for", "d0")],
        *[("d0", "part of", "d4"), ("c1", "used for", "d5"), ("d3", "causes", "d2"), ("d2", "is a", "c2")],
    ]
    assert distance(gold, predicted) == 15
    given_up = edit_distance(gold, predicted, steps=1)
    assert given_up.low < 15 <= given_up.high


@pytest.mark.parametrize(
    ("predicted", "expected"),
    [
        (GOLD, 0),
        ([GOLD[0], ("pollution", "causes", "harm"), GOLD[2]], 1),
        ([("pollution", "causes", "cars"), *GOLD[1:]], 2),
        ([*GOLD, ("people", "used for", "roads")], 2),
        (chain(["used for", "part of", "at location"]), 7),
        ([], 4 + 3),
    ],
)
def test_m03_by_hand(predicted: list[Edge], expected: int) -> None:
    assert distance(GOLD, predicted) == distance(predicted, GOLD) == expected


def test_small_cases_by_hand() -> None:
    assert distance([], []) == 0
    assert distance([("a", "x", "b")], [("a", "x", "b"), ("a", "y", "b")]) == 1  # of two edges the last counts
    assert distance([("a", "x", "a")], [("a", "y", "a")]) == 1  # a loop
    assert distance([("a", "x", "a")], [("a", "x", "b")]) == 3  # the loop, the edge, the node
    assert distance([("a", "x", "b")], [("b", "x", "a")]) == 2  # two edges, or the names of two nodes
    assert distance(chain("x" * 20), chain("y" * 3, "z")) == 21 + 20 - 3 + 3  # 4 nodes renamed, 17 new, 3 relabelled


def by_permutations(first: Sequence[Edge], second: Sequence[Edge]) -> int:
    graphs = [{(head, tail): relation for head, relation, tail in edges} for edges in (first, second)]
    names = [list(dict.fromkeys(node for ends in graph for node in ends)) for graph in graphs]
    if len(names[0]) > len(names[1]):
        return by_permutations(second, first)
    most = 0
    for places in itertools.permutations(names[1], len(names[0])):
        place = dict(zip(names[0], places, strict=True))
        gain = sum(name == other for name, other in place.items())
        for (head, tail), relation in graphs[0].items():
            other = graphs[1].get((place[head], place[tail]))
            gain += (other is not None) + (other == relation)
        most = max(most, gain)
    return len(names[1]) + len(graphs[0]) + len(graphs[1]) - most


def by_networkx(first: Sequence[Edge], second: Sequence[Edge]) -> int:
    graphs = []
    for edges in (first, second):
        graph = nx.DiGraph()
        graph.add_nodes_from((node, {"label": node}) for head, _, tail in edges for node in (head, tail))
        graph.add_edges_from((head, tail, {"label": relation}) for head, relation, tail in edges)
        graphs.append(graph)
    same = {name: lambda one, other: one["label"] == other["label"] for name in ("node_match", "edge_match")}
    return int(nx.graph_edit_distance(*graphs, **same))


def random_edges(rng: np.random.Generator, nodes: int, edges: int, names: str, *, loops: bool) -> list[Edge]:
    ends = rng.integers(nodes, size=(edges, 2)).tolist()
    labels = rng.integers(1, 4, size=edges).tolist()
    return [(names[a], f"r{label}", names[b]) for (a, b), label in zip(ends, labels, strict=True) if loops or a != b]


def test_it_is_networkx_s_exact_distance_on_2000_small_pairs() -> None:
    """Without loops, for which networkx's edges of deleted nodes still match."""
    rng = np.random.default_rng(1)
    for _ in range(2000):
        names = rng.choice(["abcde", "cdefg", "stuvw"])
        first, second = random_edges(rng, 4, 4, "abcde", loops=False), random_edges(rng, 4, 5, names, loops=False)
        assert distance(first, second) == by_networkx(first, second), (first, second)


def test_it_is_the_best_of_all_permutations_on_1000_pairs() -> None:
    rng = np.random.default_rng(2)
    for _ in range(1000):
        names = rng.choice(["abcdef", "defghi", "stuvwx"])
        first, second = random_edges(rng, 5, 7, "abcdef", loops=True), random_edges(rng, 6, 8, names, loops=True)
        assert distance(first, second) == by_permutations(first, second), (first, second)


@given(st.integers(0, 2**32 - 1))
def test_it_is_a_metric(seed: int) -> None:
    rng = np.random.default_rng(seed)
    one, two, three = (random_edges(rng, 6, 8, str(rng.choice(["abcdef", "cdefgh"])), loops=True) for _ in range(3))
    assert distance(one, one) == 0
    assert distance(one, two) == distance(two, one)
    assert distance(one, three) <= distance(one, two) + distance(two, three)


LABELS = {"equal": "xxxxxxxx", "two": "xyxyxyxy", "different": "abcdefgh", "reversed": "hgfedcba", "others": "stuvwxyz"}
SHAPES = (star, chain, binary_tree, caterpillar)


@pytest.mark.parametrize(("one", "other"), itertools.product(SHAPES, repeat=2))
def test_pairs_of_eight_edges_take_few_steps(one, other) -> None:
    for first, second in itertools.product(LABELS.values(), repeat=2):
        for name in ("p", "q"):
            found = edit_distance(one(first, "p"), other(second, name))
            assert found.is_exact
            assert found.steps <= FEW_STEPS, (first, second)


def test_a_search_that_is_given_up_says_what_the_distance_lies_between() -> None:
    rng = np.random.default_rng(3)
    first, second = random_edges(rng, 30, 60, "abcdefghijklmnopqrstuvwxyzABCD", loops=False), chain("r" * 50)
    found = edit_distance(first, second, steps=40)
    assert 0 <= found.low < found.high <= 30 + 60 + 51 + 50
    assert found.steps <= 40 + 51  # the pairs of one node are tried together
    finer = edit_distance(first, second, steps=80)
    assert found.low <= finer.low <= finer.high <= found.high


def test_steps_of_large_graphs_are_limited_by_their_size() -> None:
    found = edit_distance(chain("x" * 400), star(["x"] * 400))
    assert found.steps <= 4_000_000 // 401**2 + 401
    assert isinstance(found, Distance)
