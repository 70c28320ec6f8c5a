"""The block-wise synthesis gives the same bytes as the readable reference, which makes one example at a time."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks import graph_reference
from benchmarks.graph_reference import Reference, random_words
from eg3p_lib import synthesis
from eg3p_lib.chance import Chance
from eg3p_lib.sampling import SamplingError, Shape
from eg3p_lib.store import KnowledgeBase
from eg3p_lib.synthesis import GraphMaker, GraphRules
from eg3p_lib.templates import DEFAULT, VERBATIM

SHAPES = [
    Shape(),
    Shape((1, 2, 3), max_depth=3, min_triples=3, max_triples=4),
    Shape((0, 1, 1), max_depth=6, min_triples=2, max_triples=20),
    Shape((3, 1, 0), max_depth=1, max_triples=1),
]
LEVELS: list[dict[Any, float]] = [
    {"easy": 1.0, "normal": 1.0, "hard": 1.0},
    {"hard": 1.0},
    {"hard": 3.0, "easy": 0.5, "normal": 1.7},
]


@pytest.fixture(params=["default", "verbatim", "edited"])
def templates(request: pytest.FixtureRequest, make_file: Callable[..., Path]) -> Path:
    """A file of templates; the edited one has slots in odd places, and a relation with no predicate that ends in X."""
    if request.param != "edited":
        return {"default": DEFAULT, "verbatim": VERBATIM}[request.param]
    text = DEFAULT.read_text(encoding="utf-8")
    for old, new in (
        ("    - is caused by X\n    - happens because of X\n    - is a result of X\n", "    - is what X brings\n"),
        ("- X is a kind of Y", "- (Y) has X's kind — really"),
        ("- is a subevent of X", "- X , it is said , has"),
    ):
        assert old in text
        text = text.replace(old, new)
    return make_file(text, "edited.yaml")


def check(kb: KnowledgeBase, seed: int, rules: GraphRules, start: int, stop: int) -> synthesis.Block:
    fast, plain = GraphMaker(kb, seed, rules).block(start, stop), Reference(kb, seed, rules).block(start, stop)
    assert fast.table.to_pylist() == plain.table.to_pylist()
    assert fast.table.equals(plain.table)
    assert fast.rejected == plain.rejected
    return fast


@pytest.mark.parametrize("distractors", ["random", "neighbours"])
@pytest.mark.parametrize("shape", SHAPES, ids=["default", "narrow", "deep", "single"])
@pytest.mark.parametrize("levels", LEVELS, ids=["equal", "hard", "weighted"])
def test_all_rules_on_the_starter(
    starter: KnowledgeBase, shape: Shape, levels: dict[Any, float], distractors: Any, templates: Path
) -> None:
    check(starter, 13, GraphRules(shape, levels, distractors, templates), 0, 40)


@pytest.mark.parametrize("seed", [0, 2**64 - 1])
def test_many_graphs_across_a_blocks_end(starter: KnowledgeBase, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(synthesis, "GRAPHS_A_BLOCK", 70)
    made = check(starter, seed, GraphRules(SHAPES[1], distractors="neighbours"), 3_999_900, 4_000_100)
    assert made.rejected["too_few_triples"] > 0
    assert made.rejected["too_many_triples"] > 0


@pytest.mark.parametrize("distractors", ["random", "neighbours"])
@pytest.mark.parametrize("seed", range(3))
def test_dense_knowledge_where_most_draws_are_refused(
    make_kb: Callable[..., KnowledgeBase], seed: int, distractors: Any
) -> None:
    rng = np.random.default_rng(seed)
    edges = [(h, r, t) for h in "abcde" for r in ("antonym", "causes", "isa") for t in "abcde" if h != t]
    kb = make_kb(edge for edge, take in zip(edges, rng.random(len(edges)) < 0.25, strict=True) if take)
    made = check(kb, seed, GraphRules(Shape(max_depth=4, max_triples=4), distractors=distractors), 0, 100)
    assert made.rejected["too_few_distractors"] > 0
    assert made.rejected["distractor_second_path"] > 0


@pytest.mark.parametrize(("module", "maker"), [(synthesis, GraphMaker), (graph_reference, Reference)])
def test_both_give_up_where_nothing_fits(
    make_kb: Callable[..., KnowledgeBase], module: Any, maker: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MAX_ATTEMPTS", 30)
    with pytest.raises(SamplingError, match=r"graphs? 4.* 30 "):
        maker(make_kb([("dog", "isa", "pet")]), 1, GraphRules()).block(4, 5)


@pytest.mark.parametrize("width", [1, 8, 25])
def test_both_draw_the_same_words(width: int) -> None:
    words = Chance(9, 6, 8).words(5, width)
    assert [random_words(9, 5, number, width) for number in (6, 7)] == words.T.tolist()


@pytest.mark.realdata
@pytest.mark.parametrize("distractors", ["random", "neighbours"])
def test_real_knowledge(omcs: KnowledgeBase, distractors: Any) -> None:
    check(omcs, 5, GraphRules(Shape(max_depth=3), distractors=distractors), 0, 400)
