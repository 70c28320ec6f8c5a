"""The structural rules with their reasons, official and strict: by hand, and the cases G01-G05."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eg3p_lib.structure import FAULTS, MODES, is_parsed, official_edges, respaced, structure_faults, triples_of

BELIEF = "Cars should be banned because they harm people"
ARGUMENT = "Pollution from cars damages cities"
GRAPH = "(cars; causes; pollution)(pollution; is a; harm)(harm; not desires; people)(people; at location; cities)"


def faults(graph: str, mode="official") -> tuple[str, ...]:
    return structure_faults(graph, BELIEF, ARGUMENT, mode)


@pytest.mark.parametrize("graph", [GRAPH + " ", " " + GRAPH, GRAPH + "\n", "\t" + GRAPH + "\r"])
def test_g01_spaces_at_the_ends_spoil_no_concept(graph: str) -> None:
    edges = official_edges(graph).edges
    assert (len(edges), edges[0][0], edges[-1][2]) == (4, "cars", "cities")
    assert faults(graph) == faults(graph, "strict") == ()


@pytest.mark.parametrize(
    ("graph", "first", "last"),
    [(GRAPH[:-1], "cars", "cities"), (GRAPH[1:], "cars", "cities"), (GRAPH[1:-1], "cars", "cities")],
)
def test_g02_a_missing_parenthesis_eats_no_letter(graph: str, first: str, last: str) -> None:
    cut = official_edges(graph)
    assert (cut.edges[0][0], cut.edges[-1][2], cut.repaired) == (first, last, True)
    assert not official_edges(GRAPH).repaired
    assert faults(graph) == ()
    assert faults(graph, "strict") == ("not_triple",)


@pytest.mark.parametrize(
    ("graph", "official", "strict"),
    [
        (GRAPH.replace("; ", ";"), "not_triple", ()),
        (GRAPH.replace("(cars; ", "(cars;  "), "relation", ()),
        (GRAPH.replace(")(", ") ("), "edge_count", ()),
        (
            "(cars; causes; pollution)(pollution; is a; harm; risk)(harm; not desires; people)",
            "not_triple",
            ("not_triple",),
        ),
    ],
)
def test_g03_format_slips(graph: str, official: str, strict: tuple[str, ...]) -> None:
    assert faults(graph) == (official,)
    assert faults(graph, "strict") == strict
    assert is_parsed(graph) == (strict == ())
    assert (respaced(graph) == GRAPH) == (strict == ())


def test_g04_only_the_official_count_takes_repeated_edges() -> None:
    graph = "(cars; causes; pollution)(pollution; is a; harm)(cars; causes; pollution)"
    assert faults(graph) == ()
    assert faults(graph, "strict") == ("edge_count",)
    assert len(set(triples_of(graph))) == 2


@pytest.mark.parametrize(
    ("graph", "fault"),
    [
        (GRAPH + "(cars; is a; cars)", "cycle"),
        (GRAPH + "(people; causes; cars)", "cycle"),
        (
            "(cars; antonym of; pollution)(pollution; antonym of; cars)"
            "(pollution; is a; harm)(harm; not desires; people)",
            "cycle",
        ),
        (GRAPH + "(dogs; is a; pets)", "disconnected"),
    ],
)
def test_g05_each_fault_has_its_own_reason(graph: str, fault: str) -> None:
    assert faults(graph) == faults(graph, "strict") == (fault,)


@pytest.mark.parametrize(
    ("graph", "expected"),
    [
        (GRAPH, ()),
        (GRAPH.upper(), ()),
        ("", ("edge_count",)),
        ("nonsense", ("edge_count",)),
        (GRAPH.replace("is a", "is the"), ("relation",)),
        (GRAPH.replace("harm", "harm to many people"), ("words",)),
        ("(cars; is a; a)(a; is a; x)(x; causes; y)", ()),
        ("(w; is a; v)(v; is a; x)(x; causes; y)", ("concepts",)),
        ("(w v u z; is the; v)(x; is a; x)(x; causes; y)", ("relation", "words", "concepts", "disconnected", "cycle")),
    ],
)
def test_official_reasons_by_hand(graph: str, expected: tuple[str, ...]) -> None:
    assert faults(graph) == expected
    assert set(expected) <= FAULTS.keys()


def test_official_concepts_are_substrings_and_must_be_distinct() -> None:
    graph = "(x; is a; y)(y; is a; car)(car; is a; z)"
    assert structure_faults(graph, "a car", "a car") == ("concepts",)  # car alone
    assert structure_faults(graph, "oxcart", "a scary YZ") == ()  # x and car; y, car and z
    assert structure_faults("(car; is a; car s)(car s; is a; w)(w; is a; v)", "cars", "car s") == ("concepts",)


@pytest.mark.parametrize(
    ("belief", "is_right"),
    [
        ("Cars cause harm.", True),
        ("Scars are harmful.", False),
        ('"Cars", harm?', True),
        ("The car's harm", False),
        ("Harm-free cars", True),
    ],
)
def test_strict_concepts_are_whole_words(belief: str, is_right: bool) -> None:
    graph = "(cars; causes; pollution)(pollution; is a; harm)(harm; causes; cities)"
    assert structure_faults(graph, belief, ARGUMENT, "strict") == (() if is_right else ("concepts",))


def test_only_the_strict_rules_limit_the_edges_to_eight() -> None:
    chain = "".join(f"(c{k}; causes; c{k + 1})" for k in range(8))
    assert structure_faults(chain, "c1 c2", "c3 c4", "strict") == ()
    longer = chain + "(c8; causes; c9)"
    assert structure_faults(longer, "c1 c2", "c3 c4") == ()
    assert structure_faults(longer, "c1 c2", "c3 c4", "strict") == ("edge_count",)


def test_respaced_leaves_what_is_no_graph() -> None:
    assert respaced(" (A; is a ;b c) ( b  c;causes;d )") == "(a; is a; b c)(b c; causes; d)"
    assert respaced(" (A; is a) ") == "(a; is a)"


FIELD = st.text(st.sampled_from("abc d"), min_size=1, max_size=8).map(str.strip).filter(bool)


@given(st.lists(st.tuples(FIELD, FIELD, FIELD), min_size=1, max_size=5))
def test_what_is_respaced_is_so_already(triples: list[tuple[str, str, str]]) -> None:
    graph = "".join(f"( {head};{relation}  ; {tail}) " for head, relation, tail in triples)
    assert respaced(respaced(graph)) == respaced(graph)
    assert len(triples_of(respaced(graph))) == len(triples)


@given(st.text(max_size=80) | st.text(st.sampled_from("ab();: \n"), max_size=80))
def test_any_text_gets_reasons_that_have_names(graph: str) -> None:
    for mode in MODES:
        assert set(faults(graph, mode)) <= FAULTS.keys()
