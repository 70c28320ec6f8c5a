"""The controls of notebook 02, moved from Python as the browser would: what they show, and faults told in place."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from pathlib import Path

import ipywidgets
import pytest

from reastap_lib.columns import TypedTable
from reastap_lib.explore import ask, corpus_example
from reastap_lib.explorer import QUESTIONS, QUESTIONS_SHOWN, TEMPLATE, TYPES, explore_corpus, explore_tables
from reastap_lib.params import TableSynthesisParams
from reastap_lib.skills import TABLE_1, get_skill, skill_names
from reastap_lib.synthesis import build_table_corpus
from reastap_lib.table_store import TableStore
from reastap_lib.tables import Table
from reastap_lib.templates import template_skill
from workbench_lib.corpus import Corpus
from workbench_lib.widgets import Pages, Search


def walk(widget: ipywidgets.Widget) -> Iterator[ipywidgets.Widget]:
    yield widget
    for child in getattr(widget, "children", ()):
        yield from walk(child)


class Explorer:
    """The parts of an explorer of tables, found by what they are called."""

    def __init__(self, store: TableStore):
        self.root = explore_tables(store, seed=13)
        parts = list(walk(self.root))
        self.search = next(part for part in parts if isinstance(part, Search))
        self.named = {part.description: part for part in parts if getattr(part, "description", "")}
        self.area = self.root.children[-1].children[-1]

    @property
    def shown(self) -> str:
        html: str = self.area.value
        return html

    def view(self, name: str) -> None:
        self.named["Show"].value = name


@pytest.fixture
def explorer(players: TypedTable) -> Explorer:
    words = Table("w", "Two <words>", ("Name", "Word"), (("a", "x"), ("b", "y")))
    return Explorer(TableStore.of([(players.table, 0), (words, 0)]))


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    values = {"tables": ["builtin"], "held_out": [], "examples": 300, "seed": 2, "skills": list(TABLE_1)}
    limits = {"questions_a_table": 18, "min_rows": 8, "max_rows": 30, "min_columns": 3, "max_source_words": 350}
    params = TableSynthesisParams.make({**values, **limits, "workers": 1})
    return build_table_corpus(params, tmp_path_factory.mktemp("corpus") / "c")


def test_it_begins_with_the_types_of_the_first_table(explorer: Explorer) -> None:
    assert explorer.search.value == "0: a title"
    assert "date (day)" in explorer.shown
    assert f"The skills that can ask this table: {', '.join(skill_names())}." in explorer.shown


def test_typing_changes_the_table(explorer: Explorer) -> None:
    explorer.search.box.value = "two"
    assert explorer.search.matches.options == ("1: Two <words>",)
    assert "Two &lt;words&gt;" in explorer.shown
    explorer.search.box.value = "born"
    assert "12 May 1980" in explorer.shown
    explorer.search.box.value = "zzz"
    assert "No table holds “zzz”" in explorer.search.note.value
    assert "Choose a table" in explorer.shown


def test_questions_of_the_skill_and_the_seed_with_the_chosen_one_in_full(
    explorer: Explorer, players: TypedTable
) -> None:
    explorer.view(QUESTIONS)
    explorer.named["Skill"].value = "counting"
    explorer.named["Seed"].value = 4
    explorer.named["Question"].value = 2
    asked = ask(players, get_skill("counting"), 4, QUESTIONS_SHOWN)
    assert explorer.shown == asked._repr_html_() + asked.examples[1]._repr_html_()


def test_a_skill_that_the_table_cannot_serve_is_told_in_place(explorer: Explorer) -> None:
    explorer.search.box.value = "two"
    explorer.view(QUESTIONS)
    explorer.named["Skill"].value = "date_difference"
    assert "the table does not have the columns that the skill needs" in explorer.shown


def test_a_written_template_shows_at_once_what_it_yields_and_a_faulty_one_its_fault(
    explorer: Explorer, players: TypedTable
) -> None:
    explorer.view(TEMPLATE)
    text = "How many <players> are there {whose}?"
    explorer.named["Template"].value = text
    asked = ask(players, template_skill(text), 13, QUESTIONS_SHOWN)
    assert explorer.shown.startswith(asked._repr_html_())
    assert escape("How many <players> are there whose ") in explorer.shown
    explorer.named["Template"].value = "How many {rows} {was}?"
    assert "Not possible" in explorer.shown
    assert "unknown slot {rows}" in explorer.shown
    explorer.named["Template"].value = text
    assert "Not possible" not in explorer.shown


def test_controls_are_there_only_where_they_mean_something(explorer: Explorer) -> None:
    _, skill, template, panel, _ = explorer.root.children[-1].children
    seen = {}
    for view in (TYPES, QUESTIONS, TEMPLATE):
        explorer.view(view)
        seen[view] = [part.layout.display != "none" for part in (skill, template, panel)]
    assert seen == {
        TYPES: [False, False, False],
        QUESTIONS: [True, False, True],
        TEMPLATE: [False, True, True],
    }


def test_a_corpus_is_browsed_by_skill_and_table_and_an_example_opened(corpus: Corpus, tmp_path: Path) -> None:
    root = explore_corpus(corpus)
    pages = next(part for part in walk(root) if isinstance(part, Pages))
    named = {part.description: part for part in walk(root) if getattr(part, "description", "")}
    named["Skill"].value = "counting"
    named["Table"].value = "AIRPORTS in"
    assert "counting" in pages.table.value
    assert "quantifiers" not in pages.table.value
    assert pages.table.value.count(">Airports in ") == pages.table.value.count(">counting<") > 0
    named["Open"].value = 7
    assert root.children[-1].value == corpus_example(corpus, 7)._repr_html_()
    assert named["Open"].max == len(corpus) - 1
