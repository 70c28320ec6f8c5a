"""Easy, normal and hard queries: the paper's example, properties of all, and case Q03."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eg3p_lib.graphs import ExplanationGraph, GraphError
from eg3p_lib.queries import LEVELS, make_query, make_source, split_source
from eg3p_lib.relations import RELATIONS
from eg3p_lib.sampling import sample_graph
from eg3p_lib.store import KnowledgeBase
from eg3p_lib.templates import Templates, load_templates

TABLE_4 = ExplanationGraph.of(
    [
        ("eating quickly", "causes", "eating too much"),
        ("confetti", "usedfor", "celebrating"),
        ("celebrating", "hassubevent", "eating too much"),
    ]
)
ONE_EACH = Templates(
    statements={
        "causes": ("Y is a result of X",),
        "usedfor": ("X is used for Y",),
        "hassubevent": ("Y is a subevent of X",),
    },
    questions={
        "causes": ("is caused by X",),
        "usedfor": ("is something that X is used for",),
        "hassubevent": ("is a subevent of X",),
    },
)


def query(graph: ExplanationGraph, level, templates: Templates = ONE_EACH, seed: int = 0) -> str:
    return make_query(graph, level, templates, np.random.default_rng(seed))


def test_easy_query_of_table_4() -> None:
    assert query(TABLE_4, "easy") == (
        "eating quickly | confetti [SEP] [ANSWER] is a result of eating quickly"
        " and confetti is used for [I_E] then [ANSWER] is a subevent of [I_E] ?"
    )


def test_normal_query_of_table_4() -> None:
    assert query(TABLE_4, "normal") == (
        "eating quickly | confetti [SEP] What is caused by eating quickly"
        " and is a subevent of something that confetti is used for ?"
    )


def test_hard_query_of_table_4() -> None:
    assert query(TABLE_4, "hard") == (
        "eating quickly | confetti [SEP] What is caused by eating quickly , together with confetti ?"
    )


def test_hard_query_whose_first_triple_does_not_reach_the_answer() -> None:
    graph = ExplanationGraph.of(
        [("a", "causes", "x"), ("b", "causes", "x"), ("x", "causes", "z"), ("c", "usedfor", "z")]
    )
    assert query(graph, "hard") == (
        "a | b | c [SEP] What follows from something that is caused by a , together with b and c ?"
    )
    first_used = ExplanationGraph.of([("c", "usedfor", "x"), ("x", "causes", "z")])
    assert query(first_used, "hard") == "c [SEP] What follows from something that c is used for ?"


def test_three_companions_are_listed() -> None:
    graph = ExplanationGraph.of([(start, "causes", "z") for start in "abcd"])
    assert query(graph, "hard").endswith("What is caused by a , together with b , c and d ?")


def test_normal_query_describes_a_node_by_all_that_leads_to_it() -> None:
    graph = ExplanationGraph.of([("a", "usedfor", "x"), ("b", "causes", "x"), ("x", "causes", "z")])
    assert query(graph, "normal") == (
        "a | b [SEP] What is caused by something that a is used for and that is caused by b ?"
    )


def test_nested_descriptions_come_last() -> None:
    templates = Templates({}, {"causes": ("is something that X brings", "is caused by X")})
    graph = ExplanationGraph.of([("a", "causes", "x"), ("x", "causes", "z")])
    seen = {query(graph, "normal", templates, seed) for seed in range(20)}
    assert seen == {
        "a [SEP] What is caused by something that a brings ?",
        "a [SEP] What is caused by something that is caused by a ?",
    }


def test_a_query_needs_one_sink() -> None:
    with pytest.raises(GraphError, match="2 sinks"):
        query(ExplanationGraph.of([("a", "causes", "b"), ("a", "causes", "c")]), "easy")


def test_source_text_is_split_again() -> None:
    text = make_source(query(TABLE_4, "hard"), reversed(TABLE_4.edges))
    starts, asked, knowledge = split_source(text)
    assert starts == "eating quickly | confetti"
    assert asked == "What is caused by eating quickly , together with confetti ?"
    assert knowledge.edges == tuple(reversed(TABLE_4.edges))


def padded(text: str) -> str:
    return f" {text.split(' [SEP] ')[1].replace(chr(39) + 's', '')} "


def test_q03_no_level_shows_more_than_an_easier_one_and_none_the_target(starter: KnowledgeBase) -> None:
    templates = load_templates()
    for number in range(300):
        rng = np.random.default_rng([11, number])
        graph = sample_graph(starter, rng)
        easy, normal, hard = (padded(make_query(graph, level, templates, rng)) for level in LEVELS)
        assert all(f" {start} " in text for start in graph.starts for text in (easy, normal, hard))
        assert easy.count("[ANSWER]") + easy.count("[I_E]") >= len(graph.edges)
        for text in (easy, normal, hard):
            assert graph.format() not in text
            assert all(f"{h} : {r} : {t}" not in text for h, r, t in graph.edges)


def test_q03_hard_depends_on_the_starts_and_the_first_relation_alone(starter: KnowledgeBase) -> None:
    templates = load_templates()
    for number in range(200):
        graph = sample_graph(starter, np.random.default_rng([12, number]), min_triples=2)
        other = "madeof" if any(edge.relation != "madeof" for edge in graph.edges[1:]) else "usedfor"
        changed = ExplanationGraph.of([graph.edges[0], *((h, other, t) for h, _, t in graph.edges[1:])])
        assert query(graph, "hard", templates) == query(changed, "hard", templates)
        assert any(query(graph, "normal", templates, k) != query(changed, "normal", templates, k) for k in range(9))


@given(data=st.data())
@settings(max_examples=80)
def test_queries_of_any_tree_hide_the_answer(data: st.DataObject) -> None:
    graph = data.draw(trees())
    templates = load_templates()
    for level in LEVELS:
        text = query(graph, level, templates, data.draw(st.integers(0, 99)))
        starts, asked = text.split(" [SEP] ")
        assert starts == " | ".join(graph.starts)
        assert asked.endswith(" ?")
        assert asked.count(" ?") == 1
        words = asked.replace("'s", "").split()
        assert [w for w in words if w.startswith("concept") and w not in graph.starts] == []
        named = [w for w in words if w in graph.starts]
        assert sorted(named) == sorted(graph.starts)
        if level == "easy":
            inner = len(graph.concepts) - len(graph.starts) - 1
            assert words.count("[ANSWER]") == sum(e.tail == graph.sink for e in graph.edges)
            assert (words.count("[I_E]") > 0) == (inner > 0)


@st.composite
def trees(draw: Callable) -> ExplanationGraph:
    """In-trees of up to 7 edges, in depth-first order: each node but the answer gets an earlier node as its tail."""
    size = draw(st.integers(2, 8))
    tails = {node: draw(st.integers(0, node - 1)) for node in range(1, size)}
    relations = {node: draw(st.sampled_from(RELATIONS)) for node in tails}
    edges: list[tuple[str, str, str]] = []

    def write(node: int) -> None:
        for head in (head for head, tail in tails.items() if tail == node):
            write(head)
            edges.append((f"concept{head}", relations[head], f"concept{node}"))

    write(0)
    return ExplanationGraph.of(edges)
