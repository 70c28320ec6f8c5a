"""The views of `explore` behind controls, for notebook 01: a knowledge base with its graphs, and a corpus."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import lru_cache, partial
from typing import Any

import ipywidgets
import traitlets

from eg3p_lib.explore import Example, edited, example, neighbourhood, relation_choices, richest_concept, scan
from eg3p_lib.queries import LEVELS
from eg3p_lib.relations import RELATION_TEXT
from eg3p_lib.sampling import Shape
from eg3p_lib.store import KnowledgeBase
from eg3p_lib.synthesis import GraphMaker, GraphRules
from eg3p_lib.templates import Templates, load_templates
from workbench_lib.corpus import Corpus
from workbench_lib.display import Live, show_graph, show_note, show_table, stack
from workbench_lib.widgets import Pages, Search, beside, choice, follow, number, shown_for

NEIGHBOURHOOD, GRAPH, TEMPLATES = VIEWS = ("neighbourhood", "graph and queries", "templates")
_NEIGHBOURS = 30
_MOST_DEPTH, _MOST_TRIPLES = 16, 64  # of a graph
_LARGEST_SEED = 2**53 - 1  # the largest whole number that a browser holds exactly

Texts = tuple[str, str]  # statements and questions, one a line


def explore_knowledge(kb: KnowledgeBase, rules: GraphRules, seed: int = 0) -> ipywidgets.Widget:
    """Search for a concept; see its neighbourhood, graphs that end there with their queries, and other templates.

    Args:
        rules: The shape and the templates to begin with; all three levels are shown.
        seed: The seed to begin with.
    """
    templates = load_templates(rules.templates)
    concept = Search(kb.search, "concept", richest_concept(kb))
    view = choice("Show", VIEWS)
    drawing, editor = _drawing_controls(rules.shape, seed), TemplateEditor(templates)
    panel = beside(*drawing.values())
    shown_for(view, panel, (GRAPH, TEMPLATES))
    shown_for(view, editor, (TEMPLATES,))
    show = partial(_show, kb, _example_maker(kb, rules, templates))
    area = follow(show, {"concept": concept, "view": view, **drawing, "edits": editor})
    return beside(concept, ipywidgets.VBox([view, panel, editor, area], layout={"flex": "1 1 500px"}))


def explore_corpus(corpus: Corpus) -> ipywidgets.Widget:
    """Browse a corpus a few rows at a time; one of graphs by relation, number of triples and level."""
    settings = corpus.manifest.settings
    if settings.get("task") != "text-to-graph":
        return Pages(partial(scan, corpus), {})
    sizes = range(settings["min_triples"], settings["max_triples"] + 1)
    controls = {
        "relation": choice("Relation", [("any", ""), *relation_choices()]),
        "level": choice("Level", [("any", ""), *((level, level) for level in settings["levels"])]),
        "triples": choice("Triples", [("any", 0), *((str(size), size) for size in sizes)]),
    }
    return Pages(partial(scan, corpus), controls)


class TemplateEditor(ipywidgets.VBox):  # type: ignore[misc]
    """Text areas with the templates of one relation, one a line; `value` holds the edited ones by relation."""

    value = traitlets.Dict()

    def __init__(self, templates: Templates):
        self._templates = templates
        self._areas: dict[str, list[ipywidgets.Textarea]] = {}
        self.relation = choice("Relation", relation_choices())
        self.reset = ipywidgets.Button(description="As in the file", tooltip="Undo the changes of this relation")
        super().__init__()
        self.relation.observe(self._open, "value")
        self.reset.on_click(self._undo)
        self._open()

    @property
    def areas(self) -> list[ipywidgets.Textarea]:
        """The text areas of the chosen relation: statements, and questions where the templates have such."""
        return self._areas[self.relation.value]

    def _open(self, _: Any = None) -> None:
        relation = self.relation.value
        if relation not in self._areas:
            texts = zip(("Statements", "Questions"), self._original(relation), strict=True)
            self._areas[relation] = [_text_area(name, text) for name, text in texts if text]
            for area in self.areas:
                area.observe(self._edit, "value")
        self.children = [beside(self.relation, self.reset), beside(*self.areas)]

    def _original(self, relation: str) -> Texts:
        statements, questions = self._templates.statements[relation], self._templates.questions.get(relation, ())
        return "\n".join(statements), "\n".join(questions)

    def _edit(self, _: Any = None) -> None:
        written = {relation: _texts(areas) for relation, areas in self._areas.items()}
        self.value = {relation: texts for relation, texts in written.items() if texts != self._original(relation)}

    def _undo(self, _: Any = None) -> None:
        for area, text in zip(self.areas, self._original(self.relation.value), strict=False):
            area.value = text


def _text_area(description: str, text: str) -> ipywidgets.Textarea:
    return ipywidgets.Textarea(text, description=description, rows=6, layout={"width": "400px"})


def _texts(areas: list[ipywidgets.Textarea]) -> Texts:
    statements, *questions = (area.value for area in areas)
    return statements, questions[0] if questions else ""


def _drawing_controls(shape: Shape, seed: int) -> dict[str, ipywidgets.Widget]:
    return {
        "seed": number("Seed", min(seed, _LARGEST_SEED), 0, _LARGEST_SEED),
        "depth": number("Most depth", shape.max_depth, 1, _MOST_DEPTH),
        "least": number("Least triples", shape.min_triples, 1, _MOST_TRIPLES),
        "most": number("Most triples", shape.max_triples, 1, _MOST_TRIPLES),
    }


def _example_maker(kb: KnowledgeBase, rules: GraphRules, templates: Templates) -> Callable[..., Example]:
    """A function from the values of the controls to the example; the makers of the last few values are kept."""

    @lru_cache(maxsize=4)
    def maker(seed: int, depth: int, least: int, most: int, edits: tuple[tuple[str, Texts], ...]) -> GraphMaker:
        changed = templates
        for relation, texts in edits:
            changed = edited(changed, relation, *texts)
        shape = Shape(rules.shape.incoming, depth, least, most)
        return GraphMaker(kb, seed, replace(rules, shape=shape, levels=dict.fromkeys(LEVELS, 1.0)), changed)

    def make(concept: str, edits: Mapping[str, Texts], **numbers: int) -> Example:
        return example(maker(**numbers, edits=tuple(edits.items())), concept)

    return make


def _show(kb: KnowledgeBase, make: Callable[..., Example], concept: str, view: str, **drawing: Any) -> Live:
    if not concept:
        return show_note("Choose a concept: type another word in the search box.")
    if view == NEIGHBOURHOOD:
        near = neighbourhood(kb, concept, _NEIGHBOURS)
        return stack(near.live(), show_table(near.table()))
    one = make(concept, **drawing)
    if view == GRAPH:
        return stack(show_graph(one.graph.in_words().edges), one)
    used = ", ".join(dict.fromkeys(RELATION_TEXT[edge.relation] for edge in one.graph.edges))
    return stack(show_note(f"The relations of this graph: {used}. Templates of others change nothing here."), one)
