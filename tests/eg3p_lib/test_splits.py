"""The split of a graph follows from what its triples say: the same in every corpus, order and knowledge base."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable

import numpy as np
import pytest

from eg3p_lib.graphs import ExplanationGraph
from eg3p_lib.relations import RELATIONS
from eg3p_lib.sampling import Shape
from eg3p_lib.splits import splits, triple_hashes
from eg3p_lib.store import KnowledgeBase
from eg3p_lib.synthesis import GraphMaker, GraphRules

MakeKb = Callable[..., KnowledgeBase]


def hashes_by_text(kb: KnowledgeBase) -> dict[tuple[str, str, str], int]:
    return {kb.edge(t): int(h) for t, h in enumerate(triple_hashes(kb).tolist())}


def test_a_triples_hash_is_of_its_texts_alone(make_kb: MakeKb) -> None:
    few = hashes_by_text(make_kb([("b", "isa", "c"), ("c", "causes", "d")]))
    more = hashes_by_text(make_kb([("a", "isa", "c"), ("b", "isa", "c"), ("c", "causes", "d"), ("a", "usedfor", "aa")]))
    assert few.items() <= more.items()


def test_swapped_ends_and_other_relations_have_other_hashes(make_kb: MakeKb) -> None:
    names = [f"n{k}" for k in range(12)]
    edges = [(h, r, t) for h, t in itertools.permutations(names, 2) for r in RELATIONS]
    assert len(set(hashes_by_text(make_kb(edges)).values())) == len(edges) == 12 * 11 * 16


def test_sums_do_not_depend_on_the_order_of_the_triples(make_kb: MakeKb) -> None:
    hashes = triple_hashes(make_kb((f"n{k}", "isa", "z") for k in range(6)))
    sums = {int(np.sum(order, dtype=np.uint64)) for order in itertools.permutations(hashes[:4])}
    assert len(sums) == 1


def test_one_of_fifty_is_for_validation() -> None:
    """However regular the hashes are: here the numbers from 0 on."""
    found = Counter(splits(np.arange(100_000, dtype=np.uint64)).to_pylist())
    assert found.keys() == {"train", "validation"}
    assert abs(found["validation"] - 2000) < 4.5 * np.sqrt(2000 * 0.98)


@pytest.fixture(scope="module")
def graphs(starter: KnowledgeBase, make_kb: MakeKb) -> list[tuple[frozenset[tuple[str, str, str]], str]]:
    """Graphs and their splits out of corpora of two knowledge bases, shapes and seeds."""
    more = make_kb([*map(starter.edge, range(len(starter))), ("an aardvark", "isa", "animal")])
    makers = [
        GraphMaker(kb, seed, GraphRules(Shape(max_depth=depth), {"hard": 1.0}))
        for kb, seed, depth in ((starter, 1, 2), (starter, 2, 3), (more, 1, 2))
    ]
    tables = [maker.block(0, 15_000).table for maker in makers]
    return [
        (frozenset(ExplanationGraph.parse(target).edges), split)
        for table in tables
        for target, split in zip(table["target"].to_pylist(), table["split"].to_pylist(), strict=True)
    ]


def test_no_graph_is_in_both_splits_of_any_corpora(graphs: list[tuple[frozenset[tuple[str, str, str]], str]]) -> None:
    known: dict[frozenset[tuple[str, str, str]], str] = {}
    assert all(known.setdefault(edges, split) == split for edges, split in graphs)
    assert len(known) < 40_000  # so that thousands of graphs came more than once


def test_the_share_of_graphs_for_validation(graphs: list[tuple[frozenset[tuple[str, str, str]], str]]) -> None:
    distinct = Counter(dict(graphs).values())
    share = distinct["validation"] / distinct.total()
    assert abs(share - 1 / 50) < 4.5 * np.sqrt(0.02 * 0.98 / distinct.total())


def test_the_split_of_some_graphs_stays_what_it_is(make_kb: MakeKb) -> None:
    """On every machine and in every version: a change would put graphs that were trained on into validation."""
    hashes = triple_hashes(make_kb((f"concept {k}", "isa", "thing") for k in range(200)))
    assert np.flatnonzero(np.array(splits(hashes).to_pylist()) == "validation").tolist() == [90, 159, 175]
