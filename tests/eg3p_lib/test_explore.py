"""The views of a knowledge base, of graphs and of a corpus, as values: what they hold, and that text stays text."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from eg3p_lib.corpora import build_graph_corpus
from eg3p_lib.explore import (
    GOLD,
    OTHER,
    Example,
    browse,
    edited,
    example,
    graphs_table,
    neighbourhood,
    richest_concept,
    scan,
    shapes_table,
)
from eg3p_lib.graphs import ExplanationGraph
from eg3p_lib.queries import LEVELS, split_source
from eg3p_lib.sampling import SamplingError, Shape, sample_graphs
from eg3p_lib.stats import corpus_stats
from eg3p_lib.store import KnowledgeBase, KnowledgeError
from eg3p_lib.synthesis import GraphMaker, GraphRules
from eg3p_lib.templates import VERBATIM, load_templates
from workbench_lib.corpus import Corpus
from workbench_lib.errors import InputError

MakeKb = Callable[[Iterable[tuple[str, str, str]]], KnowledgeBase]

HUB = [
    *((f"a{k}", "isa", "hub") for k in range(6)),
    ("b", "partof", "hub"),
    *(("hub", "causes", f"c{k}") for k in range(4)),
    ("hub", "usedfor", "d"),
    ("a0", "causes", "c0"),
]


@pytest.fixture(scope="module")
def hub(make_kb: MakeKb) -> KnowledgeBase:
    return make_kb(HUB)


@pytest.fixture(scope="module")
def corpus(make_params: Callable[..., Any], tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return build_graph_corpus(make_params(graphs=200), tmp_path_factory.mktemp("corpus") / "c")


class Texts(HTMLParser):
    """The text and the tags of a piece of HTML, and the texts of its bold list items."""

    def __init__(self, html: str):
        super().__init__()
        self.tags: list[str] = []
        self.items: list[tuple[bool, str]] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        if tag == "li":
            self.items.append((False, ""))
        if tag == "strong" and self.items:
            self.items[-1] = (True, self.items[-1][1])

    def handle_data(self, data: str) -> None:
        if self.items:
            self.items[-1] = (self.items[-1][0], self.items[-1][1] + data)


# --- a concept ---------------------------------------------------------------------------------------------------


def test_a_small_neighbourhood_is_there_in_full(hub: KnowledgeBase) -> None:
    near = neighbourhood(hub, "hub")
    assert sorted(t.head for t in near.incoming) == ["a0", "a1", "a2", "a3", "a4", "a5", "b"]
    assert sorted(t.tail for t in near.outgoing) == ["c0", "c1", "c2", "c3", "d"]
    assert near.caption == "hub: 7 incoming and 5 outgoing triples"


@pytest.mark.parametrize(("limit", "incoming", "outgoing"), [(4, 2, 2), (5, 3, 2), (11, 6, 5), (1, 1, 0)])
def test_a_large_one_is_cut_by_halves(hub: KnowledgeBase, limit: int, incoming: int, outgoing: int) -> None:
    near = neighbourhood(hub, "hub", limit)
    assert (len(near.incoming), len(near.outgoing)) == (incoming, outgoing)
    assert near.caption == f"hub: 7 incoming and 5 outgoing triples; here {incoming} and {outgoing} of them"


def test_a_side_with_few_leaves_its_room_to_the_other(hub: KnowledgeBase) -> None:
    near = neighbourhood(hub, "c0", 20)
    assert [t.head for t in near.incoming] == ["a0", "hub"]
    assert near.outgoing == ()


def test_each_relation_has_its_turn(hub: KnowledgeBase) -> None:
    near = neighbourhood(hub, "hub", 4)
    assert {t.relation for t in near.incoming} == {"isa", "partof"}
    assert {t.relation for t in near.outgoing} == {"causes", "usedfor"}


def test_the_heaviest_come_first(make_file: Callable[[str], Path]) -> None:
    from eg3p_lib.knowledge import read_knowledge

    kb = read_knowledge([make_file("isa\ta\thub\t1\nisa\tb\thub\t3\nisa\tc\thub\t2\n")])
    assert [t.head for t in neighbourhood(kb, "hub", 2).incoming] == ["b", "c"]


def test_the_table_says_the_direction_in_words(hub: KnowledgeBase) -> None:
    table = neighbourhood(hub, "c0").table()
    assert table.to_dict("records")[0] == {
        "direction": "leads to it",
        "head": "a0",
        "relation": "causes",
        "tail": "c0",
        "weight": 1.0,
        "source": table["source"][0],
    }
    assert set(neighbourhood(hub, "b").table()["direction"]) == {"leaves it"}


def test_an_unknown_concept_is_an_error(hub: KnowledgeBase) -> None:
    with pytest.raises(KnowledgeError, match="unknown concept 'hubb'"):
        neighbourhood(hub, "hubb")


def test_the_richest_concept_is_the_one_that_most_triples_lead_to(hub: KnowledgeBase) -> None:
    assert richest_concept(hub) == "hub"


def test_text_of_a_neighbourhood_is_escaped(make_kb: MakeKb) -> None:
    near = neighbourhood(make_kb([("<script>alert(1)</script>", "isa", "<b>bold</b>")]), "<b>bold</b>")
    assert not {"script", "b"} & set(Texts(near._repr_html_()).tags)
    assert "&lt;script&gt;" in near._repr_html_()


# --- a graph and its queries -------------------------------------------------------------------------------------


def test_an_example_is_what_the_corpus_holds(starter: KnowledgeBase) -> None:
    maker = GraphMaker(starter, 13)
    rows = maker.block(5, 6).table.to_pylist()
    one = example(maker, number=5)
    assert one.graph == ExplanationGraph.parse(rows[0]["target"])
    for row in rows:
        starts, query, source = split_source(row["source"])
        assert (one.starts, one.queries[row["level"]], one.sources[row["level"]]) == (starts, query, source)


def test_an_example_ends_at_its_sink_and_follows_its_seed(starter: KnowledgeBase) -> None:
    examples = [example(GraphMaker(starter, seed), "school") for seed in (1, 1, 2, 3)]
    assert {one.graph.sink for one in examples} == {"school"}
    assert examples[0] == examples[1]
    assert len({one.graph for one in examples}) > 1


def test_no_graph_ends_where_no_triple_leads(hub: KnowledgeBase) -> None:
    with pytest.raises(SamplingError, match="no triple leads to 'b'"):
        example(GraphMaker(hub, 1), "b")


def test_gold_triples_are_marked_by_a_sign_and_bold_and_the_others_are_not(starter: KnowledgeBase) -> None:
    one = example(GraphMaker(starter, 4), "school")
    items = Texts(one._repr_html_()).items[3:]  # after starts, answer, target
    gold = {" : ".join(edge) for edge in one.graph.edges}
    assert len(items) == sum(len(one.sources[level].edges) for level in LEVELS)
    for is_bold, text in items:
        sign, _, triple = text.partition(" ")
        assert (sign, is_bold) == ((GOLD, True) if triple in gold else (OTHER, False))
    assert sum(is_bold for is_bold, _ in items) == len(LEVELS) * len(gold)


def test_text_of_an_example_is_escaped() -> None:
    graph = ExplanationGraph.of([("<img src=x>", "isa", "$x$")])
    html = Example(graph, "<i>s</i>", {"easy": "<b>q</b> ?"}, {"easy": graph})._repr_html_()
    assert not {"img", "i", "b"} & set(Texts(html).tags)
    assert "mathjax_ignore" in html


def test_a_table_of_graphs(starter: KnowledgeBase) -> None:
    graphs = sample_graphs(starter, 3, 4, Shape(min_triples=2), "school")
    table = graphs_table(graphs)
    assert [ExplanationGraph.parse(text) for text in table["graph"]] == graphs
    assert list(table["triples"]) == [len(graph.edges) for graph in graphs]
    assert list(table["depth"]) == [graph.depth for graph in graphs]


# --- templates ---------------------------------------------------------------------------------------------------


def test_an_edited_template_changes_the_queries_of_the_same_graph(starter: KnowledgeBase) -> None:
    before = example(GraphMaker(starter, 4), "school")
    relation = before.graph.edges[0].relation
    templates = edited(load_templates(), relation, "  X  ::  Y\n\n", "\nis :: of X")
    assert templates.statements[relation] == ("X :: Y",)
    assert templates.questions[relation] == ("is :: of X",)
    after = example(GraphMaker(starter, 4, templates=templates), "school")
    assert (after.graph, after.sources) == (before.graph, before.sources)
    assert all("::" in after.queries[level] for level in LEVELS)


def test_other_relations_keep_their_templates() -> None:
    before, after = load_templates(), edited(load_templates(), "isa", "X Y", "is X")
    changed = {r for r in before.statements if before.statements[r] != after.statements[r]}
    assert changed == {"isa"}


@pytest.mark.parametrize(
    ("statements", "questions", "message"),
    [
        ("X is Y\n\nX only", "is X", "statements of 'is a', line 3: each of the statements needs X and Y"),
        ("X is Y", "is X\nis Y", "questions of 'is a', line 2: each of the questions needs X exactly once"),
        (" \n", "is X", "statements of 'is a': at least one is needed"),
        ("X is Y", "", "questions of 'is a': at least one is needed"),
        ("X [SEP] Y", "is X", r"statements of 'is a', line 1: a template must not hold \[SEP\]"),
    ],
)
def test_a_faulty_template_says_where(statements: str, questions: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        edited(load_templates(), "isa", statements, questions)


def test_templates_without_questions_stay_so(starter: KnowledgeBase) -> None:
    templates = edited(load_templates(VERBATIM), "isa", "X is Y", "is X")
    assert not templates.questions
    assert list(example(GraphMaker(starter, 4, templates=templates), "school").queries) == list(LEVELS)


# --- a corpus ----------------------------------------------------------------------------------------------------


def test_browsing_gives_the_rows_that_hold_all_that_is_asked(corpus: Corpus) -> None:
    expected = [
        row["source"]
        for row in corpus.head(10**6).to_pylist()
        if row["level"] == "hard"
        and row["triples"] == 3
        and "causes" in [edge.relation for edge in ExplanationGraph.parse(row["target"]).edges]
    ]
    assert len(expected) > 2
    assert list(browse(corpus, "causes", 3, "hard", 1000)["source"]) == expected
    assert list(browse(corpus, "causes", 3, "hard", 2)["source"]) == expected[:2]


def test_browsing_for_nothing_gives_the_first_rows_and_for_what_is_not_there_none(corpus: Corpus) -> None:
    assert list(browse(corpus)["graph"]) == [0, 0, 0, 1, 1]
    nothing = browse(corpus, triples=64)
    assert len(nothing) == 0
    assert list(nothing.columns) == ["graph", "level", "triples", "depth", "source", "target"]


def test_a_concept_that_is_called_like_a_relation_is_no_match(
    make_params: Callable[..., Any], make_file: Callable[..., Path], tmp_path: Path
) -> None:
    path = make_file("".join(f"isa\tcauses\tb{k}\nisa\tc{k}\tcauses\n" for k in range(9)))
    named = build_graph_corpus(make_params(knowledge=[str(path)], graphs=5, max_triples=1), tmp_path / "named")
    assert len(browse(named, "isa", limit=100)) == len(named)
    assert len(browse(named, "causes", limit=100)) == 0


def test_a_corpus_of_another_task_is_browsed_as_it_is(make_params: Callable[..., Any], tmp_path: Path) -> None:
    other = build_graph_corpus(make_params(task="tail-prediction", graphs=20), tmp_path / "other")
    assert list(browse(other, limit=3)["example"]) == [0, 1, 2]
    assert scan(other).take(100).shape[0] == 20


def test_shares_of_sizes_and_depths(corpus: Corpus) -> None:
    stats = corpus_stats(corpus)
    table = shapes_table(stats).set_index("graphs")["share"]
    assert table[[name for name in table.index if name.startswith("size")]].sum() == pytest.approx(1)
    assert table["depth 1"] == stats["graphs_by_depth"]["1"] / 200


# --- real data ---------------------------------------------------------------------------------------------------


@pytest.mark.realdata
def test_the_views_of_a_slice_of_conceptnet(omcs: KnowledgeBase) -> None:
    concept = richest_concept(omcs)
    near = neighbourhood(omcs, concept, 30)
    assert len(near.edges) == 30 < sum(near.totals)
    assert len(omcs.search(concept[:2])) <= 20
    one = example(GraphMaker(omcs, 13, GraphRules(Shape(min_triples=2))), concept)
    assert one.graph.sink == concept
    assert one.graph.faults(min_edges=2) == ()
