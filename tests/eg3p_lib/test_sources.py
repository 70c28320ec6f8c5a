"""The simulated knowledge source: its size, and that no distractor answers the query."""

from __future__ import annotations

import contextlib
import itertools
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from eg3p_lib.knowledge import read_knowledge
from eg3p_lib.sampling import RejectedDrawError, Shape, draw_triples
from eg3p_lib.sources import Gold, draw_source, refusal
from eg3p_lib.store import KnowledgeBase

Edge = tuple[str, str, str]


def draw(kb: KnowledgeBase, rng: np.random.Generator, shape: Shape) -> list[int]:
    """The first draw that fits."""
    while True:
        with contextlib.suppress(RejectedDrawError):
            return draw_triples(kb, rng, shape)


@pytest.fixture
def kb(make_file: Callable[..., Path]) -> KnowledgeBase:
    """The graph a -causes-> b -isa-> c, and triples at it."""
    lines = [
        "Causes\ta\tb",
        "IsA\tb\tc",
        "Causes\ta\tx",
        "IsA\ta\tx",
        "IsA\tc\tx",
        "UsedFor\tx\tb",
        "UsedFor\ta\tc",
        "IsA\ty\tz",
    ]
    return read_knowledge([make_file("\n".join(lines))])


def number_of(kb: KnowledgeBase, edge: Edge) -> int:
    return next(number for number in range(len(kb)) if kb.edge(number) == edge)


@pytest.mark.parametrize(
    ("edge", "when_all_named", "when_first_named"),
    [
        (("a", "causes", "b"), "distractor_is_gold", "distractor_is_gold"),
        (("a", "causes", "x"), "distractor_second_tail", "distractor_second_tail"),
        (("a", "isa", "x"), "", "distractor_second_path"),
        (("c", "isa", "x"), "", "distractor_second_path"),
        (("x", "usedfor", "b"), "", ""),
        (("a", "usedfor", "c"), "", ""),
        (("y", "isa", "z"), "", ""),
    ],
)
def test_reasons_to_refuse(kb: KnowledgeBase, edge: Edge, when_all_named: str, when_first_named: str) -> None:
    gold = Gold.of(kb, [number_of(kb, ("a", "causes", "b")), number_of(kb, ("b", "isa", "c"))])
    assert refusal(kb, gold, number_of(kb, edge), only_first_relation=False) == when_all_named
    assert refusal(kb, gold, number_of(kb, edge), only_first_relation=True) == when_first_named


def answers(graph: list[Edge], source: list[Edge]) -> set[str]:
    """All answers that a query naming the starts and every relation has in a source, by trying all assignments."""
    tails = {tail for _, _, tail in graph}
    hidden = list(dict.fromkeys(node for edge in graph for node in (edge[0], edge[2]) if node in tails))
    nodes = sorted({node for edge in source for node in (edge[0], edge[2])})
    found = set()
    for chosen in itertools.product(nodes, repeat=len(hidden)):
        value = dict(zip(hidden, chosen, strict=True))
        if all((value.get(h, h), r, value.get(t, t)) in source for h, r, t in graph):
            found.add(value[graph[-1][2]])
    return found


def reachable_ends(starts: set[str], source: list[Edge]) -> set[str]:
    """Where the paths from the starts end in a source."""
    seen, ready = set(starts), list(starts)
    while ready:
        node = ready.pop()
        fresh = {t for h, _, t in source if h == node} - seen
        seen |= fresh
        ready += fresh
    return {node for node in seen if all(h != node for h, _, _ in source)}


@pytest.mark.parametrize("kind", ["random", "neighbours"])
@pytest.mark.parametrize("hard", [False, True])
def test_sources_hold_the_graph_and_one_answer(starter: KnowledgeBase, kind, hard: bool) -> None:
    refused: Counter[str] = Counter()
    for number in range(150):
        rng = np.random.default_rng([4, number])
        triples = draw(starter, rng, Shape(max_depth=2, max_triples=3))
        drawn = draw_source(starter, rng, Gold.of(starter, triples), kind, refused, only_first_relation=hard)
        graph, source = [starter.edge(t) for t in triples], [starter.edge(t) for t in drawn]
        assert -(-3 * len(graph) // 2) <= len(source) == len(set(source)) <= 2 * len(graph)
        assert set(graph) <= set(source)
        assert answers(graph, source) == {graph[-1][2]}
        if hard:
            starts = {h for h, _, _ in graph} - {t for _, _, t in graph}
            assert reachable_ends(starts, source) == {graph[-1][2]}
    if kind == "neighbours":
        assert refused["distractor_second_tail"] > 0


def test_all_sizes_from_one_and_a_half_to_two_times_come(starter: KnowledgeBase) -> None:
    triples = draw(starter, np.random.default_rng(0), Shape(min_triples=5, max_triples=5))
    gold = Gold.of(starter, triples)
    sizes = {
        len(draw_source(starter, np.random.default_rng(k), gold, "random", Counter(), only_first_relation=False))
        for k in range(60)
    }
    assert sizes == {8, 9, 10}


def test_neighbours_touch_the_graph(starter: KnowledgeBase) -> None:
    touching = 0
    for number in range(50):
        rng = np.random.default_rng([3, number])
        gold = Gold.of(starter, draw(starter, rng, Shape()))
        drawn = draw_source(starter, rng, gold, "neighbours", Counter(), only_first_relation=False)
        extra = set(drawn) - gold.triples
        touching += all({int(starter.head[t]), int(starter.tail[t])} & set(gold.nodes) for t in extra)
    assert touching >= 48


def test_the_source_is_shuffled(starter: KnowledgeBase) -> None:
    firsts = 0
    for number in range(300):
        rng = np.random.default_rng([9, number])
        gold = Gold.of(starter, draw(starter, rng, Shape()))
        firsts += draw_source(starter, rng, gold, "random", Counter(), only_first_relation=False)[0] in gold.triples
    assert 120 < firsts < 240


def test_too_little_knowledge_rejects_the_draw(make_file: Callable[..., Path]) -> None:
    kb = read_knowledge([make_file("IsA\tdog\tpet\n")])
    with pytest.raises(RejectedDrawError, match="too_few_distractors"):
        draw_source(kb, np.random.default_rng(0), Gold.of(kb, [0]), "random", Counter(), only_first_relation=False)
