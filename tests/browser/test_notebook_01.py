"""Notebook 01 in JupyterLab: its live graph is painted, its controls answer, and it asks nothing of the outside."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from eg3p_lib.relations import RELATION_TEXT, RELATIONS
from eg3p_lib.templates import load_templates


@pytest.fixture(scope="module")
def desk(open_notebook: Callable[[str], Any]) -> Any:
    return open_notebook("01_graph_synthesis")


@pytest.fixture
def explorer(desk: Any) -> Any:
    """The output with the controls of the knowledge base, back where it began."""
    output = desk.page.locator(".jp-OutputArea-output").filter(has=desk.page.get_by_label("Statements")).last
    output.get_by_role("button", name="neighbourhood").click()
    output.get_by_label("Search").fill("person")
    wait_for(re.compile("^person: 30 incoming"), output)
    return output


def wait_for(text: str | re.Pattern[str], where: Any) -> None:
    where.get_by_text(text).first.wait_for(timeout=15_000)


def test_no_cell_failed_and_every_view_stands_there_without_controls(desk: Any) -> None:
    assert desk.page.locator(".jp-RenderedText[data-mime-type='application/vnd.jupyter.error']").count() == 0
    assert desk.page.locator(".jp-RenderedImage img").count() == 4
    wait_for("person: 30 incoming", desk.page.locator(".jp-RenderedHTML"))


def test_the_live_graph_of_the_notebook_is_painted(desk: Any) -> None:
    figure = desk.page.locator(".jp-RenderedHTML figure").first
    assert desk.is_painted(figure)


def test_typing_shows_another_neighbourhood(desk: Any, explorer: Any) -> None:
    assert desk.is_painted(explorer.locator("figure"))
    explorer.get_by_label("Search").fill("")
    explorer.get_by_label("Search").press_sequentially("schoo")
    wait_for(re.compile("^school: 16 incoming"), explorer)
    assert explorer.get_by_text(re.compile("^person: ")).count() == 0
    assert desk.is_painted(explorer.locator("figure"))


def test_the_matches_are_reached_and_chosen_by_keys(desk: Any, explorer: Any) -> None:
    explorer.get_by_label("Search").fill("school")
    wait_for(re.compile("^school: "), explorer)
    explorer.get_by_label("Search").focus()
    for key in ("Tab", "Tab", "Enter"):  # past the first match to the second
        desk.page.keyboard.press(key)
    wait_for(re.compile("^school day: "), explorer)


def test_no_match_is_told(explorer: Any) -> None:
    explorer.get_by_label("Search").fill("<b>zzz</b>")
    wait_for("No concept holds “<b>zzz</b>”.", explorer)


def test_another_seed_gives_another_graph(desk: Any, explorer: Any) -> None:
    explorer.get_by_role("button", name="graph and queries").click()
    first = explorer.locator("li").filter(has_text="target: ")
    before = first.inner_text()
    explorer.get_by_label("Seed").focus()
    desk.page.keyboard.press("ArrowUp")
    explorer.locator("li").filter(has_text="target: ").filter(has_not_text=before.removeprefix("target: ")).wait_for()
    assert desk.is_painted(explorer.locator("figure"))
    desk.page.keyboard.press("ArrowDown")
    explorer.get_by_text(before.removeprefix("target: ")).first.wait_for()


def test_an_edited_template_shows_at_once_and_a_fault_in_place(explorer: Any) -> None:
    explorer.get_by_role("button", name="templates").click()
    told = explorer.get_by_text("The relations of this graph: ")
    relation = re.split(r"[:,.] ?", told.inner_text())[1]
    explorer.get_by_role("button", name=relation, exact=True).click()
    texts = {key: "\n".join(load_templates().statements[key]) for key in RELATIONS}
    now = texts.get(relation) or texts[next(key for key, words in RELATION_TEXT.items() if words == relation)]
    from playwright.sync_api import expect  # there, since the browser fixture is

    expect(explorer.get_by_label("Statements")).to_have_value(now)  # the kernel has put this relation's there
    explorer.get_by_label("Statements").fill("X <i>goes with</i> Y")
    wait_for("<i>goes with</i>", explorer.locator("table"))
    explorer.get_by_label("Statements").fill("X goes")
    wait_for("line 1: each of the statements needs X and Y exactly once: 'X goes'", explorer)
    explorer.get_by_role("button", name="As in the file").click()
    told.wait_for()


def test_the_corpus_is_browsed(desk: Any) -> None:
    pages = (
        desk.page.locator(".jp-OutputArea-output").filter(has=desk.page.get_by_role("button", name="Next rows")).last
    )
    wait_for(re.compile("^Matches 1 to 5 "), pages)
    pages.get_by_role("button", name="hard").click()
    pages.get_by_role("button", name="causes").click()
    pages.get_by_role("cell", name="hard").nth(4).wait_for()
    assert pages.get_by_role("cell", name="easy").count() == 0
    pages.get_by_role("button", name="Next rows").click()
    wait_for(re.compile("^Matches 6 to 10 "), pages)


@pytest.mark.parametrize("theme", ["JupyterLab Light", "JupyterLab Dark"])
def test_text_is_readable_in_both_themes(desk: Any, explorer: Any, theme: str) -> None:
    desk.command("apputils:change-theme", theme=theme)
    desk.page.locator(f"body[data-jp-theme-name='{theme}']").wait_for(state="attached")
    explorer.get_by_role("button", name="graph and queries").click()
    wait_for("target: ", explorer)
    background = desk.page.locator(".jp-Notebook").first.evaluate("e => getComputedStyle(e).backgroundColor")
    for part in ("td", "th", "li strong", "figcaption", "p[role=status]"):
        colour = explorer.locator(part).first.evaluate("e => getComputedStyle(e).color")
        assert desk.contrast(colour, background) >= 4.5, (part, colour, background)


def test_the_page_asked_nothing_of_the_outside_and_had_no_errors(desk: Any) -> None:
    """The last test, after all that the others did."""
    assert desk.outside == []
    assert desk.complaints == []
