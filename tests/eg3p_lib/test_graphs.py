"""Explanation graphs: notations, shape and faults, and the cases G01-G09."""

from __future__ import annotations

import string

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eg3p_lib.graphs import ExplanationGraph, GraphError, is_acyclic, is_connected, is_writable

CHAIN = "(cars; causes; pollution)(pollution; is a; harm)(harm; not desires; people)(people; at location; cities)"
TREE = ExplanationGraph.of(
    [
        ("eating quickly", "causes", "eating too much"),
        ("confetti", "usedfor", "celebrating"),
        ("celebrating", "hassubevent", "eating too much"),
    ]
)

anything = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
tricky = st.text(st.sampled_from("ab:|;() \t\u2028[]"), min_size=1, max_size=8)
fields = anything | tricky
graphs = st.lists(st.tuples(fields, fields, fields), min_size=1, max_size=6).map(ExplanationGraph.of)
words = st.text(st.sampled_from(string.ascii_lowercase + "():;|' "), min_size=1).map(str.strip).filter(bool)
plain_graphs = st.lists(st.tuples(words, words, words), min_size=1, max_size=6).map(ExplanationGraph.of)


@pytest.mark.parametrize("notation", ["triples", "explagraphs"])
class TestRoundTrip:
    @given(graph=graphs)
    def test_what_can_be_written_is_read_back(self, notation, graph: ExplanationGraph) -> None:
        try:
            text = graph.format(notation)
        except GraphError as error:
            assert error.reason in {"spaces", "line_break", "separator"}  # noqa: PT017
            assert not all(is_writable(field, notation) for edge in graph.edges for field in edge)
            return
        assert ExplanationGraph.parse(text, notation) == graph
        assert "\n" not in text

    @given(graph=plain_graphs)
    def test_plain_words_are_written_or_refused_by_name(self, notation, graph: ExplanationGraph) -> None:
        if all(is_writable(field, notation) for edge in graph.edges for field in edge):
            assert ExplanationGraph.parse(graph.format(notation), notation) == graph
        else:
            with pytest.raises(GraphError, match="separates in the notation"):
                graph.format(notation)

    @given(text=anything | tricky)
    def test_any_text_is_parsed_or_refused_by_name(self, notation, text: str) -> None:
        try:
            assert ExplanationGraph.parse(text, notation).edges
        except GraphError as error:
            assert error.reason in {"empty", "fields", "blank_field", "unbalanced_parenthesis"}  # noqa: PT017


@given(graph=graphs)
def test_json_and_networkx_give_the_graph_back(graph: ExplanationGraph) -> None:
    assert ExplanationGraph.from_json(graph.to_json()) == graph
    assert ExplanationGraph.from_networkx(graph.to_networkx()) == graph


def test_table_4_is_written_as_in_the_paper() -> None:
    text = (
        "eating quickly : causes : eating too much | confetti : usedfor : celebrating"
        " | celebrating : hassubevent : eating too much"
    )
    assert TREE.format() == text
    assert ExplanationGraph.parse(text) == TREE


def test_table_4_explagraphs_notation() -> None:
    text = "(a; created by; b c)(b c; used for; d)"
    graph = ExplanationGraph.parse(text, "explagraphs")
    assert graph.edges[0] == ("a", "created by", "b c")
    assert graph.format("explagraphs") == text
    assert ExplanationGraph.of([("a", "createdby", "b")]).in_words().format("explagraphs") == "(a; created by; b)"


def test_shape_of_a_tree() -> None:
    assert TREE.concepts == ("eating quickly", "eating too much", "confetti", "celebrating")
    assert (TREE.starts, TREE.sink, TREE.depth) == (("eating quickly", "confetti"), "eating too much", 2)
    assert TREE.faults() == ()


def test_depth_is_the_longest_path() -> None:
    graph = ExplanationGraph.of([("a", "isa", "d"), ("a", "isa", "b"), ("b", "isa", "c"), ("c", "isa", "d")])
    assert graph.depth == 3


@pytest.mark.parametrize(
    ("triples", "faults"),
    [
        ([], ("too_few_edges",)),
        ([("a", "isa", "a")], ("cycle", "no_sink")),
        ([("a", "isa", "b"), ("b", "isa", "a")], ("cycle", "no_sink")),
        ([("a", "isa", "b"), ("b", "isa", "a"), ("a", "isa", "c")], ("cycle",)),
        ([("a", "isa", "b"), ("c", "isa", "d")], ("disconnected", "several_sinks")),
        ([("a", "isa", "b"), ("a", "isa", "c")], ("several_sinks",)),
        ([("a", "isa", "b"), ("a", "isa", "b")], ("duplicate_edge",)),
        ([(str(k), "isa", str(k + 1)) for k in range(9)], ("too_many_edges",)),
    ],
)
def test_faults_have_names(triples: list[tuple[str, str, str]], faults: tuple[str, ...]) -> None:
    assert ExplanationGraph.of(triples).faults() == faults


def test_a_graph_without_one_sink_has_no_sink() -> None:
    with pytest.raises(GraphError, match="2 sinks, not one: b, c"):
        _ = ExplanationGraph.of([("a", "isa", "b"), ("a", "isa", "c")]).sink
    with pytest.raises(GraphError, match="cycle"):
        _ = ExplanationGraph.of([("a", "isa", "a")]).depth


nodes = st.sampled_from("abcde")


@given(edges=st.lists(st.tuples(nodes, st.just("isa"), nodes), min_size=1, max_size=7))
def test_shape_agrees_with_networkx(edges: list[tuple[str, str, str]]) -> None:
    graph = nx.DiGraph([(head, tail) for head, _, tail in edges])
    assert is_acyclic(edges) == nx.is_directed_acyclic_graph(graph)
    assert is_connected(edges) == nx.is_weakly_connected(graph)
    if is_acyclic(edges):
        assert ExplanationGraph.of(edges).depth == nx.dag_longest_path_length(graph)


@pytest.mark.parametrize(
    ("concept", "notation", "reason"),
    [
        ("a | b", "triples", "separator"),
        ("a : b", "triples", "separator"),
        (": b", "triples", "separator"),
        ("a; b", "explagraphs", "separator"),
        ("a;b", "explagraphs", "separator"),
        ("a)(b", "explagraphs", "separator"),
        ("(a) (b)", "explagraphs", "separator"),
        ("a\nb", "triples", "line_break"),
        ("a\u2028b", "explagraphs", "line_break"),
        ("a\tb", "triples", "line_break"),
        (" a", "triples", "spaces"),
        ("", "explagraphs", "spaces"),
    ],
)
def test_what_cannot_be_written_is_a_named_error(concept: str, notation, reason: str) -> None:
    with pytest.raises(GraphError) as caught:
        ExplanationGraph.of([(concept, "isa", "thing")]).format(notation)
    assert caught.value.reason == reason


@pytest.mark.parametrize("concept", ["a:b", "u.s.a.", "a (b)", "(a) b", "don't", "c++", "a|b", "b ("])
@pytest.mark.parametrize("notation", ["triples", "explagraphs"])
def test_unusual_but_clear_concepts_are_written(concept: str, notation) -> None:
    graph = ExplanationGraph.of([(concept, "isa", "thing"), ("thing", "isa", concept + "x"), ("(y", "isa", concept)])
    assert ExplanationGraph.parse(graph.format(notation), notation) == graph


@pytest.mark.parametrize("text", [CHAIN + " ", " " + CHAIN, CHAIN + "\n"])
def test_g01_spaces_round_a_graph_do_not_spoil_its_concepts(text: str) -> None:
    graph = ExplanationGraph.parse(text, "explagraphs")
    assert (len(graph.edges), graph.edges[0].head, graph.edges[-1].tail) == (4, "cars", "cities")


def test_g02_a_missing_parenthesis_is_flagged() -> None:
    with pytest.raises(GraphError) as caught:
        ExplanationGraph.parse(CHAIN.removesuffix(")"), "explagraphs")
    assert caught.value.reason == "unbalanced_parenthesis"


@pytest.mark.parametrize(
    "text", [CHAIN.replace("; ", ";"), CHAIN.replace("cars; ", "cars;  "), CHAIN.replace(")(", ") (")]
)
def test_g03_lenient_spacing(text: str) -> None:
    assert ExplanationGraph.parse(text, "explagraphs").format("explagraphs") == CHAIN


def test_g03_four_fields_are_never_cut_to_three() -> None:
    text = "(cars; causes; pollution)(pollution; is a; harm; risk)(harm; not desires; people)"
    with pytest.raises(GraphError, match="edge 2 has 4 fields"):
        ExplanationGraph.parse(text, "explagraphs")


def test_g04_strict_mode_counts_unique_edges() -> None:
    graph = ExplanationGraph.parse(
        "(cars; causes; pollution)(pollution; is a; harm)(cars; causes; pollution)", "explagraphs"
    )
    assert len(set(graph.edges)) == 2
    assert graph.faults(min_edges=3) == ("too_few_edges", "duplicate_edge")


@pytest.mark.parametrize(
    ("extra", "fault"),
    [
        ("(cars; is a; cars)", "cycle"),
        ("(people; causes; cars)", "cycle"),
        ("(dogs; is a; pets)", "disconnected"),
    ],
)
def test_g05_each_fault_has_its_own_name(extra: str, fault: str) -> None:
    assert fault in ExplanationGraph.parse(CHAIN + extra, "explagraphs").faults(min_edges=3)


@pytest.mark.parametrize(
    ("text", "notation", "reason"),
    [
        ("", "triples", "empty"),
        ("  ", "explagraphs", "empty"),
        ("a : b", "triples", "fields"),
        ("a : b : c | ", "triples", "fields"),
        ("a : b : c | | d : e : f", "triples", "fields"),
        (": b : c", "triples", "blank_field"),
        ("a :  : c", "triples", "blank_field"),
        ("()", "explagraphs", "fields"),
        ("(a; ; c)", "explagraphs", "blank_field"),
        ("a; b; c", "explagraphs", "unbalanced_parenthesis"),
    ],
)
def test_unreadable_texts_have_named_reasons(text: str, notation, reason: str) -> None:
    with pytest.raises(GraphError) as caught:
        ExplanationGraph.parse(text, notation)
    assert caught.value.reason == reason


def test_json_and_networkx_of_something_else_are_errors() -> None:
    for text in ("{", "{}", '[["a", "b"]]', '[["a", "b", 3]]'):
        with pytest.raises(GraphError):
            ExplanationGraph.from_json(text)
    with pytest.raises(GraphError, match="has no 'relation' attribute"):
        ExplanationGraph.from_networkx(nx.DiGraph([("a", "b")]))


def test_a_graph_shows_itself_in_a_notebook() -> None:
    assert "eating quickly" in TREE._repr_html_()
