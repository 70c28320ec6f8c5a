"""The views of `explore` behind controls, for notebook 02: tables with the questions about them, and a corpus."""

from __future__ import annotations

from functools import partial

import ipywidgets

from reastap_lib.explore import TableIndex, ask, corpus_example, scan, serving, types_table
from reastap_lib.skills import Skill, get_skill, skill_names
from reastap_lib.table_store import TableStore
from reastap_lib.templates import template_skill
from workbench_lib.corpus import Corpus
from workbench_lib.display import Live, show_html, show_note, show_table, stack
from workbench_lib.widgets import Pages, Search, beside, choice, follow, number, shown_for

TYPES, QUESTIONS, TEMPLATE = VIEWS = ("types", "questions", "template")
FIRST_TEMPLATE = "Give the {column} of every row {whose}."
QUESTIONS_SHOWN = 5
_LARGEST_SEED = 2**53 - 1  # the largest whole number that a browser holds exactly


def explore_tables(store: TableStore, seed: int = 0) -> ipywidgets.Widget:
    """Search for a table; see its types, questions of any skill about it, or what a template of one's own yields.

    Args:
        seed: The seed to begin with.
    """
    index = TableIndex(store)
    table, view, skill = Search(index.search, "table"), choice("Show", VIEWS), choice("Skill", skill_names())
    template = ipywidgets.Textarea(FIRST_TEMPLATE, description="Template", rows=2, layout={"width": "600px"})
    drawing = {
        "seed": number("Seed", min(seed, _LARGEST_SEED), 0, _LARGEST_SEED),
        "question": number("Question", 1, 1, QUESTIONS_SHOWN),
    }
    panel = beside(*drawing.values())
    for part, views in ((skill, (QUESTIONS,)), (template, (TEMPLATE,)), (panel, (QUESTIONS, TEMPLATE))):
        shown_for(view, part, views)
    controls = {"table": table, "view": view, "skill": skill, "template": template, **drawing}
    area = follow(partial(_show, index), controls)
    right = ipywidgets.VBox([view, skill, template, panel, area], layout={"flex": "1 1 500px"})
    return beside(table, right)


def explore_corpus(corpus: Corpus) -> ipywidgets.Widget:
    """Browse a table corpus by skill and source table, a few rows at a time, and open any of its examples."""
    skills = corpus.manifest.settings["skills"]
    controls = {
        "skill": choice("Skill", [("any", ""), *((name, name) for name in skills)]),
        "table": ipywidgets.Text(
            description="Table", placeholder="part of a title", continuous_update=False, layout={"width": "300px"}
        ),
    }
    opened = number("Open", 0, 0, max(0, len(corpus) - 1))
    opened.tooltip = "The number of an example"
    return ipywidgets.VBox(
        [Pages(partial(scan, corpus), controls), opened, follow(partial(corpus_example, corpus), {"number": opened})]
    )


def _show(index: TableIndex, table: str, view: str, skill: str, template: str, seed: int, question: int) -> Live:
    if not table:
        return show_note("Choose a table: type another word in the search box.")
    typed = index.store[index.number(table)]
    if view == TYPES:
        names = ", ".join(serving(typed, skill_names()))
        told = show_note(f"The skills that can ask this table: {names or 'none'}.")
        return stack(told, show_html(typed._repr_html_()), show_table(types_table(typed)))
    chosen: Skill = get_skill(skill) if view == QUESTIONS else template_skill(template)
    asked = ask(typed, chosen, seed, QUESTIONS_SHOWN)
    if not asked.examples:
        return stack(asked)
    return stack(asked, asked.examples[min(question, len(asked.examples)) - 1])
