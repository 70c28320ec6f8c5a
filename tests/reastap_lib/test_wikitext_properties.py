"""Random grids written as wikitext and as HTML come back; random markup never does harm."""

from __future__ import annotations

import html

from hypothesis import given, settings
from hypothesis import strategies as st

from reastap_lib.grids import GridCell, LeftOut, finish, split, spread
from reastap_lib.html_tables import html_tables
from reastap_lib.tables import words
from reastap_lib.wiki_pages import page_tables
from reastap_lib.wikitext import markup_tables
from reastap_lib.wikitext_cells import reader_text
from reastap_lib.wikitext_strip import strip_unseen

PLAIN = st.text("abcXYZ 0123456789.,-+−é/()%$", max_size=12).map(lambda text: " ".join(text.split()))
ANY = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cf", "Cs", "Co", "Cn"]), max_size=12).map(
    lambda text: " ".join(text.split())
)
CELLS = st.builds(GridCell, PLAIN, st.booleans(), st.integers(1, 4), st.integers(1, 4))
ROWS = st.lists(st.lists(CELLS, min_size=1, max_size=4), min_size=1, max_size=5)


def as_wikitext(rows: list[list[GridCell]]) -> str:
    def cell(cell: GridCell) -> str:
        return f'{"!" if cell.is_header else "|"} rowspan="{cell.rowspan}" colspan={cell.colspan} | {cell.text}'

    return "{| class=wikitable\n" + "\n|-\n".join("\n".join(map(cell, row)) for row in rows) + "\n|}"


def as_html(rows: list[list[GridCell]]) -> str:
    def cell(cell: GridCell) -> str:
        tag = "th" if cell.is_header else "td"
        return f'<{tag} rowspan="{cell.rowspan}" colspan={cell.colspan}>{html.escape(cell.text)}</{tag}>'

    lines = "".join(f"<tr>{''.join(map(cell, row))}</tr>" for row in rows)
    return f"<html><body><table>{lines}</table></body></html>"


def places(rows: list[list[GridCell]]) -> list[list[tuple[str, bool]]]:
    return [
        [(slot.cell.text.strip(), slot.cell.is_header) if slot.cell else ("", False) for slot in row]
        for row in spread(rows)
    ]


@given(ROWS)
def test_a_grid_comes_back_from_wikitext_and_from_html(rows: list[list[GridCell]]) -> None:
    [written] = markup_tables(as_wikitext(rows))
    _, [rendered] = html_tables(as_html(rows))
    assert places(written.rows) == places(rendered.rows) == places(rows)


@given(st.lists(st.lists(ANY, min_size=2, max_size=4), min_size=1, max_size=4))
def test_any_text_comes_back_where_markup_is_switched_off(rows: list[list[str]]) -> None:
    lines = "\n|-\n".join("\n".join(f"| <nowiki>{html.escape(cell)}</nowiki>" for cell in row) for row in rows)
    [written] = markup_tables("{|\n" + lines + "\n|}")
    expected = [[reader_text(strip_unseen(f"<nowiki>{html.escape(cell)}</nowiki>")) for cell in row] for row in rows]
    assert [[reader_text(cell.text) for cell in row] for row in written.rows] == expected
    marks = "†‡§¶"  # footnote marks at the end go, wherever they stand
    assert expected == [
        [cell.rstrip(marks + " ") or cell if cell[-1:] in marks else cell for cell in row] for row in rows
    ]


MARKS = st.sampled_from(
    words(
        """{| |} |- |+ || ! !! | {{ }} {{! }} [[ ]] [[File: '' ''' <ref> </ref> <ref/> <!-- --> <nowiki> </nowiki> <br>
        <sup> </sup> <span style="display:none"> </span> <table> <tr> <td> </table> == &amp; &#124; {{{ }}} {{sort|
        {{dts| {{flag| {{convert| {{ubl| rowspan=3| colspan=9999| rowspan=0| http://a.org [http://a.org __TOC__ * # : ;
        1 a"""
    )
)
GARBAGE = st.lists(st.one_of(MARKS, st.just("\n"), st.just(" "), st.text(max_size=3)), max_size=60).map("".join)


@settings(max_examples=300)
@given(GARBAGE)
def test_garbage_never_crashes_and_leaves_no_markup(markup: str) -> None:
    for page in (markup, "{|\n! a !! b\n|-\n| " + markup + "\n|}"):
        for table in page_tables("Page", page)[0]:
            for line in (table.header, *table.rows):
                assert len(line) == len(table.header)
                assert all(mark not in cell for cell in line for mark in ("{|", "{{", "[[", "<ref", "\n"))


@settings(max_examples=200)
@given(GARBAGE)
def test_garbage_html_never_crashes(markup: str) -> None:
    _, tables = html_tables(markup)
    for table in tables:
        try:
            header, rows = finish(split(table.rows, str), str)
        except LeftOut:
            continue
        assert {len(row) for row in rows} == {len(header)}
