"""Notebook 02 in JupyterLab: its controls answer, evidence is told and readable, nothing is asked of the outside."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest


@pytest.fixture(scope="module")
def desk(open_notebook: Callable[[str], Any]) -> Any:
    return open_notebook("02_table_synthesis")


@pytest.fixture
def explorer(desk: Any) -> Any:
    """The output with the controls of the tables, back where it began."""
    output = desk.page.locator(".jp-OutputArea-output").filter(has=desk.page.get_by_label("Template")).last
    output.get_by_role("button", name="types", exact=True).click()
    output.get_by_label("Search").fill("Chevrolet cars 1974")
    wait_for("Chevrolet cars, model years 1970 to 1974", output.locator("caption"))
    return output


def wait_for(text: str | re.Pattern[str], where: Any) -> None:
    where.filter(has_text=text).first.wait_for(timeout=15_000)


def ask(explorer: Any, skill: str) -> None:
    explorer.get_by_role("button", name="questions", exact=True).click()
    explorer.get_by_role("button", name=skill, exact=True).click()
    wait_for(re.compile(rf"^{skill}: \d question"), explorer.locator("p[role=status]"))


def test_no_cell_failed_and_every_view_stands_there_without_controls(desk: Any) -> None:
    page = desk.page
    assert page.locator(".jp-RenderedText[data-mime-type='application/vnd.jupyter.stderr']").count() == 0
    assert page.locator(".jp-RenderedText[data-mime-type='application/vnd.jupyter.error']").count() == 0
    assert page.locator(".jp-RenderedImage img").count() == 2
    outputs = page.locator(".jp-RenderedHTML")
    for text in ("date (year)", "program: ", "template: 5 questions", "word_count: 5 questions", "different answers"):
        wait_for(text, outputs)
    assert outputs.get_by_label("evidence").count() > 0


def test_typing_finds_another_table(explorer: Any) -> None:
    explorer.get_by_label("Search").fill("")
    explorer.get_by_label("Search").press_sequentially("hawaii")
    wait_for("Airports in Hawaii", explorer.locator("caption"))
    wait_for("number (", explorer.locator("th"))


def test_the_matches_are_reached_and_chosen_by_keys(desk: Any, explorer: Any) -> None:
    explorer.get_by_label("Search").fill("births per woman")
    wait_for("Births per woman, Afghanistan", explorer.locator("caption"))
    explorer.get_by_label("Search").focus()
    for key in ("Tab", "Tab", "Enter"):  # past the first match to the second
        desk.page.keyboard.press(key)
    wait_for("Births per woman, Belarus", explorer.locator("caption"))


def test_no_match_is_told(explorer: Any) -> None:
    explorer.get_by_label("Search").fill("<b>zzz</b>")
    wait_for("No table holds “<b>zzz</b>”.", explorer.locator("p[role=status]"))


def test_a_question_shows_its_program_sql_answer_and_ticked_cells(explorer: Any) -> None:
    ask(explorer, "numerical_comparison")
    for name in ("answer: ", "program: Rank(", "SQL: SELECT "):
        wait_for(name, explorer.locator("li"))
    ticks = explorer.get_by_label("evidence")
    assert ticks.count() > 1
    assert ticks.first.inner_text() == "✓"


def test_another_seed_asks_other_questions(desk: Any, explorer: Any) -> None:
    ask(explorer, "counting")
    first = explorer.locator("li strong")
    before = first.inner_text()
    explorer.get_by_label("Seed").focus()
    desk.page.keyboard.press("ArrowUp")
    explorer.locator("li strong").filter(has_not_text=before).wait_for()
    desk.page.keyboard.press("ArrowDown")
    wait_for(before, first)


def test_a_written_template_shows_at_once_what_it_yields_and_a_fault_in_place(explorer: Any) -> None:
    explorer.get_by_role("button", name="template", exact=True).click()
    explorer.get_by_label("Template").fill("How many <i>cars</i> are there {whose}?")
    wait_for("How many <i>cars</i> are there whose ", explorer.locator("td"))
    explorer.get_by_label("Template").fill("How many {rows} are there?")
    wait_for("Not possible: template: unknown slot {rows}", explorer.locator("p[role=status]"))


def test_the_corpus_is_browsed_and_an_example_opened(desk: Any) -> None:
    has_button = desk.page.get_by_role("button", name="Next rows")
    output = desk.page.locator(".jp-OutputArea-output").filter(has=has_button).last
    wait_for(re.compile("^Matches 1 to 5 "), output.locator("p[role=status]"))
    output.get_by_role("button", name="quantifiers", exact=True).click()
    output.get_by_label("Table").fill("AIRPORTS")
    output.get_by_label("Table").press("Enter")
    output.get_by_role("cell", name=re.compile("^Airports in ")).nth(4).wait_for()
    assert output.get_by_role("cell", name="counting", exact=True).count() == 0
    question = output.locator("li strong").first
    before = question.inner_text()
    output.get_by_label("Open").fill("9")
    output.get_by_label("Open").press("Enter")
    output.locator("li strong").filter(has_not_text=before).first.wait_for()


@pytest.mark.parametrize("theme", ["JupyterLab Light", "JupyterLab Dark"])
def test_text_is_readable_in_both_themes(desk: Any, explorer: Any, theme: str) -> None:
    desk.command("apputils:change-theme", theme=theme)
    desk.page.locator(f"body[data-jp-theme-name='{theme}']").wait_for(state="attached")
    ask(explorer, "numerical_comparison")
    page_colour = desk.page.locator(".jp-Notebook").first.evaluate("e => getComputedStyle(e).backgroundColor")
    for part in ("td", "th", "small", "caption", "li strong", "li", "p[role=status]"):
        colour = explorer.locator(part).first.evaluate("e => getComputedStyle(e).color")
        assert desk.contrast(colour, page_colour) >= 4.5, (part, colour, page_colour)
    cell = explorer.locator("td:has([aria-label=evidence])").first
    colours = cell.evaluate("e => [getComputedStyle(e).color, getComputedStyle(e).backgroundColor]")
    assert desk.contrast(*colours) >= 4.5, colours


def test_the_page_asked_nothing_of_the_outside_and_had_no_errors(desk: Any) -> None:
    """The last test, after all that the others did."""
    assert desk.outside == []
    assert desk.complaints == []
