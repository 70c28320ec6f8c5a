"""Graphs shown in a notebook: every label as it is, nothing of a label as markup, nothing from the network."""

from __future__ import annotations

import json
import re
from collections import Counter
from html.parser import HTMLParser
from typing import Any

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.figure import Figure

from workbench_lib.display import (
    Live,
    describe,
    draw_graph,
    graph_html,
    layout,
    show_graph,
    show_note,
    show_table,
    stack,
)

Edges = list[tuple[str, str, str]]

PAYLOADS = [
    'say "hi" & </script><b>x</b>',
    "Anna's",
    "a\\nb",
    "שלום 🐕",
    "</script><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<!--<script>",
    "$x$",
    "&quot;&amp;",
    "' onload='alert(1)",
    "]);alert(1);//",
    "{{ 7 * 7 }}",
    "\u202eabc",
    "two\nlines",
    '<link rel="stylesheet" href="https://example.org/x.css">',
    '<script src="https://example.org/x.js"></script>',
]
CYCLE: Edges = [("a", "r1", "b"), ("b", "r2", "c"), ("c", "r3", "a")]
LOOP: Edges = [("a", "r1", "a")]
EMPTY: Edges = []


class Page(HTMLParser):
    """The elements of a page with their attributes, the texts of its scripts, and its other text."""

    def __init__(self, text: str):
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[str] = []
        self.text = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag == "script":
            self.scripts.append("")

    def handle_data(self, data: str) -> None:
        if self.cdata_elem == "script":
            self.scripts[-1] += data
        else:
            self.text += data

    @property
    def tags(self) -> Counter[str]:
        return Counter(tag for tag, _ in self.elements)


def inner_page(outer: str) -> Page:
    ((_, attributes),) = [element for element in Page(outer).elements if element[0] == "iframe"]
    assert attributes["srcdoc"] is not None
    return Page(attributes["srcdoc"])


def data_sets(page: Page) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The nodes and edges that the page's script gives to its viewer."""
    (script,) = [text for text in page.scripts if "nodes = new vis.DataSet([" in text]
    nodes, edges = (
        json.JSONDecoder().raw_decode(script, script.index(start) + len(start))[0]
        for start in ("nodes = new vis.DataSet(", "edges = new vis.DataSet(")
    )
    return nodes, edges


HARMLESS = inner_page(graph_html([("a", "r", "b")]))


@pytest.mark.parametrize("payload", PAYLOADS)
def test_v02_labels_come_back_exactly_and_never_as_markup(payload: str) -> None:
    outer = graph_html([(payload, payload, "sink"), (payload, "r", "b")], title=payload)
    assert Page(outer).tags == Counter(["figure", "iframe", "figcaption"])
    page = inner_page(outer)
    assert page.tags == HARMLESS.tags
    nodes, edges = data_sets(page)
    assert {node["label"] for node in nodes} == {payload, "sink", "b"}
    assert [(edge["from"], edge["label"], edge["to"]) for edge in edges] == [
        (payload, payload, "sink"),
        (payload, "r", "b"),
    ]
    assert all("title" not in item for item in nodes + edges)  # no tooltips: nothing is escaped twice


@pytest.mark.parametrize("payload", PAYLOADS)
def test_v02_the_caption_is_the_title_as_text(payload: str) -> None:
    outer = Page(graph_html([("a", "r", "b")], title=payload))
    assert outer.text == payload
    assert dict(outer.elements)["iframe"]["title"] == payload
    assert set(dict(outer.elements)["iframe"]) == {"title", "srcdoc", "sandbox", "style"}


@settings(max_examples=10, deadline=None)
@given(text=st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1))
def test_any_label_comes_back(text: str) -> None:
    nodes, edges = data_sets(inner_page(graph_html([(text, text, text + "x")])))
    assert [node["label"] for node in nodes] == [text, text + "x"]
    assert edges[0]["label"] == text


def test_the_page_loads_nothing_from_the_network() -> None:
    assert HARMLESS.tags["script"] > 0
    for tag, attributes in HARMLESS.elements:
        address = attributes.get("src") or attributes.get("href") or ""
        assert not address.startswith(("http:", "https:", "//")), (tag, address)
    assert max(map(len, HARMLESS.scripts)) > 100_000  # the viewer itself is there


def test_v01_a_graph_shows_without_a_notebook_and_is_sandboxed() -> None:
    live = show_graph([("a", "r", "b")])
    assert isinstance(live, Live)
    assert live._repr_html_() == graph_html([("a", "r", "b")])
    frame = dict(Page(live.html).elements)["iframe"]
    assert frame["sandbox"] == "allow-scripts"
    assert frame["title"] == "a r b"


def test_v03_parallel_and_opposite_edges_are_all_there_and_apart() -> None:
    parallel: Edges = [("a", "r1", "b"), ("a", "r2", "b"), ("b", "r3", "a")]
    _, edges = data_sets(inner_page(graph_html(parallel)))
    assert [(edge["from"], edge["label"], edge["to"], edge["arrows"]) for edge in edges] == [
        (*edge, "to") for edge in parallel
    ]
    assert len({(edge["smooth"]["type"], edge["smooth"]["roundness"]) for edge in edges}) == 3


def test_three_edges_of_one_pair_are_all_there() -> None:
    _, edges = data_sets(inner_page(graph_html([("a", f"r{k}", "b") for k in range(3)])))
    assert [edge["label"] for edge in edges] == ["r0", "r1", "r2"]


@pytest.mark.parametrize("edges", [CYCLE, LOOP, EMPTY, [*LOOP, ("a", "r", "b")]])
def test_cycles_loops_and_nothing_are_shown(edges: Edges) -> None:
    nodes, shown = data_sets(inner_page(graph_html(edges)))
    assert [node["id"] for node in nodes] == list(layout(edges))
    assert [(edge["from"], edge["label"], edge["to"]) for edge in shown] == edges


# --- pictures ----------------------------------------------------------------------------------------------------


def texts(figure: Figure) -> list[str]:
    figure.canvas.draw()
    return [text.get_text() for text in figure.axes[0].texts if text.get_text()]


@pytest.mark.parametrize("edges", [CYCLE, LOOP, EMPTY, [*LOOP, ("a", "r", "b")]])
def test_cycles_loops_and_nothing_are_drawn(edges: Edges) -> None:
    concepts = list(layout(edges))
    assert texts(draw_graph(edges)) == concepts + [relation for _, relation, _ in edges]


def test_relations_of_one_pair_are_all_written() -> None:
    assert texts(draw_graph([("a", "r1", "b"), ("a", "r2", "b")])) == ["a", "b", "r1\nr2"]


def test_dollars_are_text_not_mathematics() -> None:
    figure = draw_graph([("$x$", "$\\bad$", "b")], title="$5 and $6")
    figure.canvas.draw()  # \bad is no command of mathematics: would raise
    assert texts(figure) == ["$x$", "b", "$\\bad$"]
    assert figure.axes[0].get_title() == "$5 and $6"


def test_dollars_in_a_long_word_are_text_too() -> None:
    concept = "x" * 17 + "$" + "y" * 16 + "$"
    figure = draw_graph([(concept, "r", "b")])
    figure.canvas.draw()
    assert texts(figure)[0].replace("\n", "") == concept


@pytest.mark.filterwarnings("ignore:Glyph")
@pytest.mark.parametrize("payload", PAYLOADS)
def test_any_label_is_drawn(payload: str) -> None:
    written = texts(draw_graph([(payload, payload, "b")]))
    assert "".join(written[0].split()) == "".join(payload.split())


# --- layout and words --------------------------------------------------------------------------------------------


def test_layout_by_hand() -> None:
    places = layout([("a", "r", "b"), ("b", "r", "c"), ("d", "r", "c")])
    assert places == {"a": (0, 0), "b": (1, -0.35), "d": (1, 0.35), "c": (2, 0)}


acyclic = st.sets(st.tuples(st.integers(0, 8), st.integers(0, 8)).filter(lambda e: e[0] < e[1]), min_size=1)


@settings(max_examples=100, deadline=None)
@given(pairs=acyclic)
def test_every_edge_points_right_and_no_two_concepts_share_a_place(pairs: set[tuple[int, int]]) -> None:
    edges = [(str(head), "r", str(tail)) for head, tail in sorted(pairs)]
    places = layout(edges)
    assert all(places[head][0] < places[tail][0] for head, _, tail in edges)
    assert len(set(places.values())) == len(places)
    assert min(x for x, _ in places.values()) == 0
    sinks = {tail for _, _, tail in edges} - {head for head, _, _ in edges}
    assert {places[sink][0] for sink in sinks} == {max(x for x, _ in places.values())}


def test_an_edge_that_closes_a_cycle_leads_back() -> None:
    places = layout([*CYCLE, ("a", "r", "z")])
    assert [places[c][0] for c in "abc"] == [0, 1, 2]
    assert layout([("a", "r", "a")]) == {"a": (0, 0)}


def test_an_edge_that_passes_a_column_runs_through_no_concept() -> None:
    places = layout([("a", "r", "b"), ("b", "r", "c"), ("a", "r", "c"), ("c", "r", "a")])
    assert [places[c][0] for c in "abc"] == [0, 1, 2]
    assert places["a"][1] == places["c"][1] == 0
    assert abs(places["b"][1]) >= 0.35


def test_describe_says_the_graph_in_words() -> None:
    assert describe([("cars", "causes", "smog"), ("smog", "isa", "harm")]) == "cars causes smog; smog isa harm"
    assert describe([]) == "an empty graph"


# --- around a focus ----------------------------------------------------------------------------------------------

AROUND: Edges = [("a", "isa", "hub"), ("b", "partof", "hub"), ("hub", "causes", "c"), ("hub", "antonym", "a")]


def test_a_focus_stands_between_what_leads_to_it_and_what_it_leads_to() -> None:
    places = layout(AROUND, "hub")
    assert places == {"b": (0, -0.35), "a": (0, 0.35), "hub": (1, 0), "c": (2, 0)}


def test_a_focus_without_one_side_has_no_empty_column() -> None:
    assert layout([("hub", "causes", "c")], "hub") == {"hub": (0, 0), "c": (1, 0)}
    assert layout([], "hub") == {"hub": (0, 0)}


def test_what_leaves_a_focus_is_dashed_live_and_in_the_picture() -> None:
    _, edges = data_sets(inner_page(graph_html(AROUND, focus="hub")))
    assert {(edge["from"], edge["to"]): edge.get("dashes", False) for edge in edges} == {
        ("a", "hub"): False,
        ("b", "hub"): False,
        ("hub", "c"): True,
        ("hub", "a"): True,
    }
    arrows = [
        text.arrow_patch for text in draw_graph(AROUND, focus="hub").axes[0].texts if hasattr(text, "arrow_patch")
    ]
    assert [arrow.get_linestyle() for arrow in arrows] == ["-", "-", "--", "--"]


def test_relations_of_one_pair_are_all_written_around_a_focus() -> None:
    both: Edges = [("a", "isa", "hub"), ("a", "partof", "hub")]
    _, (edge,) = data_sets(inner_page(graph_html(both, focus="hub")))
    assert edge["label"] == "isa, partof"
    assert texts(draw_graph(both, focus="hub")) == ["a", "hub", "isa\npartof"]


def test_opposite_edges_of_a_picture_are_apart() -> None:
    figure = draw_graph([("a", "r1", "b"), ("b", "r2", "a"), ("b", "r3", "c")])
    figure.canvas.draw()
    labels = {text.get_text(): text for text in figure.axes[0].texts if text.get_text()}
    boxes = {name: labels[name].get_window_extent() for name in ("r1", "r2")}
    assert not boxes["r1"].overlaps(boxes["r2"])


# --- tables, notes -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("payload", PAYLOADS)
def test_a_table_and_a_note_show_text_as_text(payload: str) -> None:
    plain = Page(show_table(pd.DataFrame({"a": ["x"]}), "x").html).tags
    page = Page(show_table(pd.DataFrame({payload: [payload]}), payload).html)
    assert page.tags == plain
    assert page.text.count(payload) >= 2  # the caption and the name of the column
    assert payload.replace("\n", "\\n") in page.text  # the cell, in which pandas writes a line break as \\n
    note = Page(show_note(payload, is_fault=True).html)
    assert note.tags == Counter(["div", "p", "strong"])
    assert payload in note.text


def test_texts_of_a_table_stand_left_and_numbers_right() -> None:
    table = Page(show_table(pd.DataFrame({"n": [1, 2], "t": ["a", "b"]})).html)
    styles = [
        (tag, str(attributes["style"]).split(";")[0]) for tag, attributes in table.elements if tag in ("th", "td")
    ]
    row = ["text-align:right", "text-align:left"]
    assert styles == list(zip(["th", "th", "td", "td", "td", "td"], row * 3, strict=True))


def test_tables_and_notes_are_never_typeset_and_take_the_colours_of_the_page() -> None:
    for shown in (show_table(pd.DataFrame({"a": ["$x$"]})), show_note("$x$")):
        _, attributes = Page(shown.html).elements[0]
        assert {"mathjax_ignore", "tex2jax_ignore"} <= set(str(attributes["class"]).split())
        assert not re.search(r"[^-]color:\s*#", shown.html)


def test_a_fault_is_told_by_a_word_and_a_plain_note_is_not() -> None:
    assert "Not possible" in show_note("x", is_fault=True).html
    assert "Not possible" not in show_note("x").html


def test_things_are_stacked_in_order() -> None:
    assert stack(Live("a"), show_note("b")).html == "a" + show_note("b").html
