"""The controls that explorers share: a search box, an area that follows its controls, pages of rows."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import ipywidgets
import pyarrow.compute as pc
import pytest
from workbench_toys import ToyGenerator

from workbench_lib import widgets
from workbench_lib.browsing import Scan
from workbench_lib.corpus import Corpus, build_corpus
from workbench_lib.display import Live, show_html
from workbench_lib.errors import WorkbenchError
from workbench_lib.widgets import MATCHES, Pages, Search, follow, is_interactive, live, shown_for


@pytest.fixture
def corpus(tmp_path: Path) -> Corpus:
    return build_corpus(tmp_path / "corpus", ToyGenerator(), 30, units_a_shard=10)


def search_numbers(text: str, most: int) -> list[str]:
    return [str(number) for number in range(500) if text in str(number)][:most]


def test_search_chooses_the_first_match_and_sends_few() -> None:
    search = Search(search_numbers, "number", "4")
    assert search.value == "4"
    assert len(search.matches.options) == MATCHES == 20
    assert "The first 20 matches" in search.note.value
    search.box.value = "49"
    assert search.value == "49"
    assert "15 found" in search.note.value  # 49, 149, 249, 349, 449 and 490 to 499
    search.matches.value = "490"
    assert search.value == "490"


def test_search_tells_when_nothing_matches_and_recovers() -> None:
    search, seen = Search(search_numbers, "number", "4"), []
    search.observe(lambda change: seen.append(change.new), "value")
    for text in ("4<x>", "4", "7"):
        search.box.value = text
    assert seen == ["", "4", "7"]
    search.box.value = "<x>"
    assert "No number holds “&lt;x&gt;”." in search.note.value


def test_a_search_that_gives_too_many_is_cut() -> None:
    search = Search(lambda text, most: [str(k) for k in range(100)], "number")
    assert len(search.matches.options) == MATCHES


def test_an_area_follows_its_controls() -> None:
    number = ipywidgets.IntSlider(3)
    area = follow(lambda n: show_html(f"<p>{n}</p>"), {"n": number})
    assert "<p>3</p>" in area.value
    number.value = 4
    assert "<p>4</p>" in area.value


def test_a_fault_is_told_in_place_and_other_errors_are_not_hidden() -> None:
    def show(n: int) -> Live:
        if n == 1:
            raise WorkbenchError("<b>one</b> is too few")
        return Live(str(10 // n))

    number = ipywidgets.IntSlider(1, -5, 5)
    area = follow(show, {"n": number})
    assert "Not possible:</strong> &lt;b&gt;one&lt;/b&gt; is too few" in area.value
    number.value = 2
    assert area.value == "5"
    with pytest.raises(ZeroDivisionError):
        number.value = 0


def test_a_part_is_shown_for_its_views_only() -> None:
    view, part = ipywidgets.ToggleButtons(options=["a", "b", "c"]), ipywidgets.HTML()
    shown_for(view, part, ["b", "c"])
    displays = []
    for value in "abca":
        view.value = value
        displays.append(part.layout.display)
    assert displays == ["none", None, None, "none"]


def test_pages_turn_until_the_rows_end(corpus: Corpus) -> None:
    pages = Pages(lambda: Scan(corpus, ["id"]), {})
    rows, count = len(corpus), 0
    while True:
        count += pages.table.value.count("<td")
        if pages.next.disabled:
            break
        pages.next.click()
    assert count == rows
    assert f"Matches {rows - (rows % 5 or 5) + 1} to {rows} (looked at {rows} of {rows} rows; these are all)." in (
        pages.note.value
    )
    pages.size.value = 20
    assert pages.table.value.count("<td") == 20
    assert "Matches 1 to 20" in pages.note.value


def test_pages_begin_anew_when_a_control_moves(corpus: Corpus) -> None:
    split = ipywidgets.Dropdown(options=["train", "validation", "nothing"])
    pages = Pages(lambda split: Scan(corpus, ["id", "split"], pc.field("split") == split), {"split": split})
    pages.next.click()
    split.value = "validation"
    assert "Matches 1 to " in pages.note.value
    assert "train" not in pages.table.value
    split.value = "nothing"
    assert f"No match (looked at {len(corpus)} of {len(corpus)} rows; these are all)." in pages.note.value
    assert pages.table.value == ""
    assert pages.next.disabled


def test_a_damaged_corpus_is_told_in_place(corpus: Corpus) -> None:
    corpus.paths[0].write_bytes(b"damaged")
    pages = Pages(lambda: Scan(corpus), {})
    assert "the shard cannot be read" in pages.table.value


@pytest.mark.parametrize(("metadata", "expected"), [({"cellId": "a"}, True), ({}, False)])
def test_a_front_end_is_known_by_its_cells(
    metadata: dict[str, str], expected: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    kernel = SimpleNamespace(get_parent=lambda: {"metadata": metadata})
    monkeypatch.setattr(widgets, "get_ipython", lambda: SimpleNamespace(kernel=kernel))
    assert is_interactive() == expected
    shown = live(ipywidgets.Button)
    assert isinstance(shown, ipywidgets.Button if expected else Live)


def test_without_a_kernel_there_are_no_controls() -> None:
    assert "Run this cell in JupyterLab" in live(ipywidgets.Button).html
