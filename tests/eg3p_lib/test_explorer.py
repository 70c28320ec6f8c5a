"""The controls of notebook 01, moved from Python as the browser would: what they show, and faults told in place."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import ipywidgets
import pytest

from eg3p_lib.corpora import build_graph_corpus
from eg3p_lib.explore import edited, example
from eg3p_lib.explorer import GRAPH, NEIGHBOURHOOD, TEMPLATES, TemplateEditor, explore_corpus, explore_knowledge
from eg3p_lib.sampling import Shape
from eg3p_lib.store import KnowledgeBase
from eg3p_lib.synthesis import GraphMaker, GraphRules
from eg3p_lib.templates import VERBATIM, load_templates
from workbench_lib.widgets import Pages, Search

RULES = GraphRules(Shape(max_depth=3, min_triples=2, max_triples=6))


class Explorer:
    """The parts of the explorer of a knowledge base, found by what they are called."""

    def __init__(self, kb: KnowledgeBase, rules: GraphRules = RULES):
        self.root = explore_knowledge(kb, rules, seed=13)
        parts = list(walk(self.root))
        self.search = next(part for part in parts if isinstance(part, Search))
        self.editor = next(part for part in parts if isinstance(part, TemplateEditor))
        self.named = {part.description: part for part in parts if getattr(part, "description", "")}
        self.area = self.root.children[-1].children[-1]

    @property
    def shown(self) -> str:
        html: str = self.area.value
        return html

    def view(self, name: str) -> None:
        self.named["Show"].value = name


def walk(widget: ipywidgets.Widget) -> Iterator[ipywidgets.Widget]:
    yield widget
    for child in getattr(widget, "children", ()):
        yield from walk(child)


@pytest.fixture
def explorer(starter: KnowledgeBase) -> Explorer:
    return Explorer(starter)


def test_it_begins_with_the_neighbourhood_of_the_richest_concept(explorer: Explorer) -> None:
    assert explorer.search.value == "person"
    assert "person: 30 incoming" in explorer.shown
    assert "<iframe" in explorer.shown


def test_typing_changes_what_is_shown(explorer: Explorer) -> None:
    explorer.search.box.value = "school"
    assert explorer.search.matches.options[0] == "school"
    assert "school: 16 incoming and 9 outgoing triples" in explorer.shown
    explorer.search.matches.value = "public school"
    assert "public school: " in explorer.shown


def test_no_match_is_told_and_nothing_is_shown(explorer: Explorer) -> None:
    explorer.search.box.value = "<b>zzz"
    assert "No concept holds “&lt;b&gt;zzz”" in explorer.search.note.value
    assert "Choose a concept" in explorer.shown
    explorer.search.box.value = "school"
    assert "school: 16 incoming" in explorer.shown


def test_the_graph_view_shows_the_example_of_the_seed_and_the_shape(explorer: Explorer, starter: KnowledgeBase) -> None:
    explorer.search.box.value = "school"
    explorer.view(GRAPH)
    assert explorer.shown.endswith(example(GraphMaker(starter, 13, RULES), "school")._repr_html_())
    explorer.named["Seed"].value = 14
    explorer.named["Most depth"].value = 1
    explorer.named["Least triples"].value = 1
    explorer.named["Most triples"].value = 2
    rules = GraphRules(Shape(max_depth=1, min_triples=1, max_triples=2))
    assert explorer.shown.endswith(example(GraphMaker(starter, 14, rules), "school")._repr_html_())


def test_limits_that_contradict_each_other_are_told_in_place(explorer: Explorer) -> None:
    explorer.view(GRAPH)
    explorer.named["Least triples"].value = 7
    assert "1 &lt;= min_triples &lt;= max_triples must hold" in explorer.shown
    explorer.named["Most triples"].value = 9
    assert "Not possible" not in explorer.shown


def test_all_three_levels_are_shown_whatever_the_corpus_has(starter: KnowledgeBase) -> None:
    explorer = Explorer(starter, GraphRules(RULES.shape, {"hard": 1.0}))
    explorer.view(GRAPH)
    assert all(f">{level}</th>" in explorer.shown for level in ("easy", "normal", "hard"))


def test_a_concept_that_no_triple_leads_to_is_told_in_place(explorer: Explorer, starter: KnowledgeBase) -> None:
    lonely = next(c for c in starter.concepts.to_pylist() if not starter.incoming(starter.number(c)))
    explorer.view(GRAPH)
    explorer.search.box.value = lonely
    explorer.search.matches.value = lonely
    assert f"no triple leads to &#x27;{lonely}&#x27;" in explorer.shown
    assert "Not possible" in explorer.shown


def test_an_edited_template_shows_at_once_and_a_faulty_one_its_fault(
    explorer: Explorer, starter: KnowledgeBase
) -> None:
    explorer.search.box.value = "school"
    explorer.view(TEMPLATES)
    before = example(GraphMaker(starter, 13, RULES), "school")
    relation = before.graph.edges[0].relation
    explorer.editor.relation.value = relation
    statements, questions = explorer.editor.areas
    statements.value = "X goes with Y"
    templates = edited(load_templates(), relation, "X goes with Y", questions.value)
    after = example(GraphMaker(starter, 13, RULES, templates), "school")
    assert explorer.shown.endswith(after._repr_html_())
    statements.value = "X goes with Y\nX goes"
    assert "line 2: each of the statements needs X and Y exactly once: &#x27;X goes&#x27;" in explorer.shown
    explorer.editor.reset.click()
    assert explorer.shown.endswith(before._repr_html_())
    assert explorer.editor.value == {}


def test_edits_of_several_relations_stay(starter: KnowledgeBase) -> None:
    editor = TemplateEditor(load_templates())
    for relation in ("isa", "causes"):
        editor.relation.value = relation
        editor.areas[0].value = f"X {relation} Y"
    assert {relation: texts[0] for relation, texts in editor.value.items()} == {
        "isa": "X isa Y",
        "causes": "X causes Y",
    }
    editor.relation.value = "isa"
    assert editor.areas[0].value == "X isa Y"
    editor.reset.click()
    assert list(editor.value) == ["causes"]


def test_templates_without_questions_have_no_box_for_them(starter: KnowledgeBase) -> None:
    explorer = Explorer(starter, GraphRules(RULES.shape, templates=VERBATIM))
    assert [area.description for area in explorer.editor.areas] == ["Statements"]
    explorer.view(TEMPLATES)
    explorer.editor.areas[0].value = "X versus Y"
    assert "Not possible" not in explorer.shown


def test_controls_are_there_only_where_they_mean_something(explorer: Explorer) -> None:
    panel = explorer.root.children[-1].children[1]
    seen = {}
    for view in (NEIGHBOURHOOD, GRAPH, TEMPLATES):
        explorer.view(view)
        seen[view] = [part.layout.display != "none" for part in (panel, explorer.editor)]
    assert seen == {NEIGHBOURHOOD: [False, False], GRAPH: [True, False], TEMPLATES: [True, True]}


def test_browsing_by_relation_size_and_level(make_params: Callable[..., Any], tmp_path: Path) -> None:
    corpus = build_graph_corpus(make_params(graphs=60), tmp_path / "c")
    pages = explore_corpus(corpus)
    named = {part.description: part for part in walk(pages) if getattr(part, "description", "")}
    named["Level"].value = "hard"
    named["Triples"].value = 2
    named["Relation"].value = "causes"
    assert pages.table.value.count("<td style") % 6 == 0
    assert "hard" in pages.table.value
    assert "easy" not in pages.table.value
    assert "Matches 1 to " in pages.note.value


def test_a_corpus_of_another_task_has_no_menus(make_params: Callable[..., Any], tmp_path: Path) -> None:
    pages = explore_corpus(build_graph_corpus(make_params(task="link-prediction", graphs=20), tmp_path / "c"))
    assert isinstance(pages, Pages)
    assert "predict " in pages.table.value
