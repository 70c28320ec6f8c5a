"""The simulated knowledge source: its size, and that no distractor answers the query."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from eg3p_lib.chance import Chance
from eg3p_lib.graphs import ExplanationGraph
from eg3p_lib.queries import split_source
from eg3p_lib.sampling import Forest, Shape, draw_forest
from eg3p_lib.sources import TRIES, Gold, draw_sources, refusals
from eg3p_lib.store import KnowledgeBase
from eg3p_lib.synthesis import GraphMaker, GraphRules

Edge = tuple[str, str, str]
MakeKb = Callable[..., KnowledgeBase]

REASONS = ["distractor_is_gold", "distractor_repeated", "distractor_second_tail", "distractor_second_path", ""]
GRAPH = [("a", "causes", "b"), ("b", "antonym", "c")]
TAKEN = ("y", "isa", "z")

# ------------------------------------------------------------------ refusals by hand

CASES = [
    # triple, when all relations are named, when the first one is
    (("a", "causes", "b"), "distractor_is_gold", "distractor_is_gold"),
    (("b", "antonym", "c"), "distractor_is_gold", "distractor_is_gold"),
    (TAKEN, "distractor_repeated", "distractor_repeated"),
    (("a", "causes", "x"), "distractor_second_tail", "distractor_second_tail"),
    (("a", "causes", "c"), "distractor_second_tail", "distractor_second_tail"),  # even to the answer itself
    (("b", "antonym", "x"), "distractor_second_tail", "distractor_second_tail"),
    (("b", "antonym", "a"), "distractor_second_tail", "distractor_second_tail"),  # even though a is in the graph
    (("x", "antonym", "b"), "distractor_second_tail", "distractor_second_tail"),  # antonyms lead both ways
    (("x", "causes", "a"), "", ""),  # other relations do not
    (("c", "antonym", "b"), "", "distractor_second_path"),  # the same answer again; but it leads on from it
    (("x", "antonym", "a"), "", ""),  # a is asked for what it causes
    (("a", "antonym", "x"), "", "distractor_second_path"),
    (("a", "isa", "x"), "", "distractor_second_path"),
    (("b", "causes", "x"), "", "distractor_second_path"),
    (("c", "isa", "x"), "", "distractor_second_path"),
    (("c", "isa", "a"), "", "distractor_second_path"),
    (("a", "isa", "b"), "", ""),  # within the graph
    (("a", "usedfor", "c"), "", ""),
    (("b", "isa", "a"), "", ""),
    (("x", "usedfor", "b"), "", ""),  # into it
    (("x", "isa", "y"), "", ""),  # beside it
]


@pytest.fixture
def kb(make_kb: MakeKb) -> KnowledgeBase:
    return make_kb(edge for edge, _, _ in CASES)


@pytest.mark.parametrize("only_first", [False, True])
def test_refusals_by_hand(
    kb: KnowledgeBase, forest_of: Callable[..., Forest], number_of: Callable[..., int], only_first: bool
) -> None:
    gold = Gold.of(kb, forest_of(kb, *[GRAPH] * len(CASES)))
    triples = np.array([number_of(kb, edge) for edge, _, _ in CASES])
    taken = np.full((2, len(CASES)), -1)
    taken[1] = number_of(kb, TAKEN)
    found = refusals(kb, gold, triples, taken, only_first_relation=only_first)
    expected = {edge: first if only_first else all_ for edge, all_, first in CASES}
    assert {edge: REASONS[r] for (edge, _, _), r in zip(CASES, found.tolist(), strict=True)} == expected


def test_each_graph_is_checked_against_its_own(
    kb: KnowledgeBase, forest_of: Callable[..., Forest], number_of: Callable[..., int]
) -> None:
    gold = Gold.of(kb, forest_of(kb, GRAPH, [("x", "isa", "y")], [("a", "isa", "b")]))
    triple = np.full(3, number_of(kb, ("a", "isa", "x")))
    found = refusals(kb, gold, triple, np.full((0, 3), -1), only_first_relation=False)
    assert [REASONS[r] for r in found] == ["", "", "distractor_second_tail"]
    found = refusals(kb, gold, triple, np.full((0, 3), -1), only_first_relation=True)
    assert [REASONS[r] for r in found] == ["distractor_second_path", "", "distractor_second_tail"]


# ------------------------------------------------------------------ no second answer, by brute force


def answers(graph: Sequence[Edge], source: Sequence[Edge], *, both_ways: bool) -> set[str]:
    """All that following the graph's relations from its starts through a source can end at.

    Args:
        both_ways: Read antonyms in both directions, and different nodes of the graph as different concepts.
    """
    tails = {tail for _, _, tail in graph}
    found: list[dict[str, str]] = [{head: head for head, _, _ in graph if head not in tails}]
    for head, relation, tail in graph:  # depth first: whatever leads to a head comes before it
        longer = []
        for values in found:
            reached = [t for h, r, t in source if (h, r) == (values[head], relation)]
            if both_ways and relation == "antonym":
                reached += [h for h, r, t in source if (t, r) == (values[head], relation)]
            others = {value for node, value in values.items() if node != tail}
            for concept in reached:
                if values.get(tail, concept) == concept and not (both_ways and concept in others):
                    longer.append({**values, tail: concept})
        found = longer
    return {values[graph[-1][2]] for values in found}


def path_ends(starts: set[str], source: Sequence[Edge]) -> set[str]:
    """Where the paths from the starts end in a source."""
    seen, ready = set(starts), list(starts)
    while ready:
        node = ready.pop()
        fresh = {t for h, _, t in source if h == node} - seen
        seen |= fresh
        ready += fresh
    return {node for node in seen if all(h != node for h, _, _ in source)}


def test_the_brute_force_finds_second_answers() -> None:
    """Of a source that our rules do not allow."""
    graph = [("a", "causes", "b"), ("b", "antonym", "c")]
    assert answers(graph, [*graph, ("a", "causes", "x"), ("x", "antonym", "y")], both_ways=False) == {"c", "y"}
    assert answers(graph, [*graph, ("x", "antonym", "b")], both_ways=True) == {"c", "x"}
    assert path_ends({"a"}, [*graph, ("b", "isa", "x")]) == {"c", "x"}


def dense(make_kb: MakeKb, seed: int) -> KnowledgeBase:
    """Half of all triples of 9 concepts and 3 relations: nearly every distractor is near the graph."""
    rng = np.random.default_rng(seed)
    edges = [(h, r, t) for h in "abcdefghi" for r in ("antonym", "causes", "isa") for t in "abcdefghi" if h != t]
    return make_kb(edge for edge, take in zip(edges, rng.random(len(edges)) < 0.5, strict=True) if take)


def check_sources(rows: list[dict[str, Any]]) -> None:
    for row in rows:
        graph = ExplanationGraph.parse(row["target"])
        source = split_source(row["source"])[2].edges
        assert -(-3 * len(graph.edges) // 2) <= len(source) == len(set(source)) <= 2 * len(graph.edges)
        assert set(graph.edges) <= set(source)
        assert answers(graph.edges, source, both_ways=False) == {graph.sink}
        assert answers(graph.edges, source, both_ways=True) == {graph.sink}
        if row["level"] == "hard":
            assert path_ends(set(graph.starts), source) == {graph.sink}


@pytest.mark.parametrize("kind", ["random", "neighbours"])
@pytest.mark.parametrize("seed", range(4))
def test_no_second_answer_in_dense_knowledge(make_kb: MakeKb, kind: Any, seed: int) -> None:
    block = GraphMaker(dense(make_kb, seed), seed, GraphRules(Shape(max_depth=3, max_triples=5), distractors=kind))
    made = block.block(0, 120)
    check_sources(made.table.to_pylist())
    assert all(made.rejected[reason] > 0 for reason in REASONS[:-1])


@pytest.mark.parametrize("kind", ["random", "neighbours"])
def test_no_second_answer_in_the_starter(starter: KnowledgeBase, kind: Any) -> None:
    check_sources(
        GraphMaker(starter, 4, GraphRules(Shape(max_depth=3), distractors=kind)).block(0, 400).table.to_pylist()
    )


@pytest.mark.realdata
def test_no_second_answer_in_real_knowledge(omcs: KnowledgeBase) -> None:
    check_sources(GraphMaker(omcs, 4, GraphRules(distractors="neighbours")).block(0, 1000).table.to_pylist())


# ------------------------------------------------------------------ what is drawn

Drawn = tuple[Forest, np.ndarray, np.ndarray]


def draw(kb: KnowledgeBase, seed: int, graphs: int, shape: Shape, kind: Any = "random") -> Drawn:
    """Graphs with their sources, those that got all their distractors."""
    chance = Chance(seed, 0, graphs)
    forest, places = draw_forest(kb, chance, shape, 0, np.arange(graphs), Counter())
    gold = Gold.of(kb, forest)
    source, complete = draw_sources(kb, chance, 1, places, gold, kind, Counter(), only_first_relation=False)
    is_gold = (source[:, None] == gold.triple[None]).any(axis=1) & (source != -1)
    return forest.take(complete), source[:, complete], is_gold[:, complete]


@pytest.mark.parametrize(
    ("size", "sizes"), [(1, {2: 1}), (2, {3: 1 / 2, 4: 1 / 2}), (5, {8: 1 / 3, 9: 1 / 3, 10: 1 / 3})]
)
def test_all_sizes_from_one_and_a_half_to_two_times_come_alike(
    starter: KnowledgeBase, size: int, sizes: dict[int, float]
) -> None:
    _, source, _ = draw(starter, 1, 12_000, Shape(max_depth=3, min_triples=size, max_triples=size))
    counts = Counter((source != -1).sum(axis=0).tolist())
    graphs = counts.total()
    assert graphs > 500
    assert counts.keys() == sizes.keys()
    assert all(abs(counts[k] - share * graphs) <= 4.5 * np.sqrt(graphs / 4) for k, share in sizes.items())


def test_absent_triples_come_last(starter: KnowledgeBase) -> None:
    _, source, _ = draw(starter, 2, 500, Shape())
    assert (np.diff((source == -1).astype(int), axis=0) >= 0).all()


def test_the_source_is_shuffled(starter: KnowledgeBase) -> None:
    """Every place holds a gold triple alike: 5 of 8 to 10."""
    _, source, is_gold = draw(starter, 9, 12_000, Shape(max_depth=3, min_triples=5, max_triples=5))
    shares = is_gold[:8].mean(axis=1)
    expected = (5 / (source != -1).sum(axis=0)).mean()
    assert abs(shares - expected).max() < 4.5 * np.sqrt(0.25 / is_gold.shape[1])


def test_random_distractors_are_drawn_alike(make_kb: MakeKb) -> None:
    """From a graph of one triple: any of the other 20 that do not answer it."""
    kb = make_kb([("a", "isa", "z"), *((f"x{k}", "causes", f"y{k}") for k in range(20))])
    chance = Chance(1, 0, 20_000)
    forest, places = draw_forest(kb, chance, Shape(), 0, np.arange(20_000), Counter(), kb.number("z"))
    gold = Gold.of(kb, forest)
    source, complete = draw_sources(kb, chance, 1, places, gold, "random", Counter(), only_first_relation=False)
    assert complete.all()
    counts = Counter(source[source != -1].tolist())
    assert counts.pop(int(gold.triple[0, 0])) == 20_000
    assert len(counts) == 20
    assert all(abs(number - 1000) < 4.5 * np.sqrt(950) for number in counts.values())


def test_neighbours_touch_the_graph(starter: KnowledgeBase) -> None:
    def touching(kind: str) -> float:
        forest, source, is_gold = draw(starter, 3, 2000, Shape(), kind)
        place, graph = np.nonzero((source != -1) & ~is_gold)
        triple, nodes = source[place, graph], forest.node[:, graph]
        at = (nodes == starter.head[triple]).any(axis=0) | (nodes == starter.tail[triple]).any(axis=0)
        return float(at.mean())

    assert touching("random") < 0.1
    assert touching("neighbours") > 0.95


def test_all_neighbours_of_a_node_are_drawn_alike(make_kb: MakeKb) -> None:
    """Of a isa z: at a its 3 triples, at z its 2; a isa z itself and the second antonym are refused and drawn again."""
    kb = make_kb([("a", "isa", "z"), ("a", "causes", "b"), ("c", "causes", "a"), ("d", "causes", "z")])
    chance = Chance(5, 0, 20_000)
    forest, places = draw_forest(kb, chance, Shape(incoming=(0, 1, 0), max_depth=1), 0, np.arange(20_000), Counter())
    places, forest = places[forest.node[0] == kb.number("z")], forest.take(forest.node[0] == kb.number("z"))
    mine = forest.triple[1] == next(t for t in range(len(kb)) if kb.edge(t) == ("a", "isa", "z"))
    gold = Gold.of(kb, forest.take(mine))
    source, _ = draw_sources(kb, chance, 1, places[mine], gold, "neighbours", Counter(), only_first_relation=False)
    counts = Counter(kb.edge(t) for t in source[source != -1].tolist())
    graphs = counts.pop(("a", "isa", "z"))
    # at a: 1/2 * 1/3 each of the other two; at z: 1/2 * 1/2
    expected = {("a", "causes", "b"): 2 / 7, ("c", "causes", "a"): 2 / 7, ("d", "causes", "z"): 3 / 7}
    assert counts.keys() == expected.keys()
    assert all(abs(counts[edge] / graphs - share) < 4.5 * np.sqrt(0.25 / graphs) for edge, share in expected.items())


def test_too_little_knowledge_is_told_and_counted(make_kb: MakeKb, forest_of: Callable[..., Forest]) -> None:
    kb = make_kb([("dog", "isa", "pet")])
    gold, rejected = Gold.of(kb, forest_of(kb, [("dog", "isa", "pet")])), Counter[str]()
    source, complete = draw_sources(
        kb, Chance(0, 0, 1), 1, np.array([0]), gold, "random", rejected, only_first_relation=False
    )
    assert complete.tolist() == [False]
    assert rejected == {"distractor_is_gold": TRIES}
    assert source.T.tolist() == [[0, -1]]
