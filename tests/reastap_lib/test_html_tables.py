from __future__ import annotations

from pathlib import Path

import pytest

from reastap_lib.html_tables import html_tables
from reastap_lib.readers import read_html


def cells(markup: str) -> list[list[str]]:
    _, [table] = html_tables(markup)
    return [[cell.text for cell in row] for row in table.rows]


@pytest.mark.parametrize(
    ("inside", "text"),
    [
        ("a<br>b", "a b"),
        ("<p>a</p><p>b</p>", "a b"),
        ("a<b>b</b>c", "abc"),
        ('<span style="display: none">0012</span>12', "12"),
        ('<span class="sortkey">Lee</span>Ann', "Ann"),
        ('Ann<sup class="reference"><a href="#n">[1]</a></sup>', "Ann"),
        ("km<sup>2</sup> 10<sup>6</sup>", "km2 10⁶"),
        ("<ul><li>a</li><li>b</li></ul>", "a b"),
        ("<style>.x{}</style><script>x</script>a<!-- b -->", "a"),
        ("&amp;&nbsp;&lt;", "& <"),
        ('<img src="x" alt="Logo">', ""),
        ('<span class="flagicon"><img alt="Peru"></span>', "Peru"),
        ('<span class="flagicon"><img alt="Peru"></span> Ann', "Ann"),
        ('<span class="mw-editsection">[edit]</span>a', "a"),
    ],
)
def test_what_a_cell_says(inside: str, text: str) -> None:
    assert cells(f"<table><tr><td>{inside}</td></tr></table>") == [[text]]


def test_spans_headers_captions_and_headings() -> None:
    page = (
        "<html><head><title>Games - Wikipedia</title></head><body><h2>Results</h2><table><caption>By year</caption>"
        '<thead><tr><th rowspan=2>Team<th colspan="2">Score</tr><tr><th>Home<th>Away</tr></thead>'
        "<tbody><tr><td>A<td>1<td>2</tbody></table></body></html>"
    )
    title, [table] = html_tables(page)
    assert (title, table.section, table.caption) == ("Games - Wikipedia", "Results", "By year")
    assert [(cell.text, cell.is_header, cell.rowspan, cell.colspan) for cell in table.rows[0]] == [
        ("Team", True, 2, 1),
        ("Score", True, 1, 2),
    ]


def test_nested_tables_come_apart_and_stay_in_the_text() -> None:
    _, tables = html_tables("<table><tr><td>x<table><tr><td>n1<td>n2</table></table>")
    assert [[[cell.text for cell in row] for row in table.rows] for table in tables] == [[["x n1 n2"]], [["n1", "n2"]]]


@pytest.mark.parametrize(
    "text", ["", " ", "no table", "<!-- x -->", '<?xml version="1.0" encoding="utf-8"?>', "\x00<a>"]
)
def test_pages_without_a_table(text: str) -> None:
    assert html_tables(text)[1] == []


def test_bold_cells_and_coloured_rows_stand_out() -> None:
    _, [table] = html_tables("<table><tr><td><b>a</b><td>b</tr><tr bgcolor=red><td>c</tr><tr><td>d <b>e</b></table>")
    assert [[cell.stands_out for cell in row] for row in table.rows] == [[True, False], [True], [False]]


def test_a_page_as_a_source_of_tables(tmp_path: Path) -> None:
    path = tmp_path / "games.html"
    table = "<table><tr><th>Name<th>Won<tr><td>Ann<td>3<tr><td colspan=2>Source: x</table>"
    path.write_text(f"<title>Games - Wikipedia</title>{table}<table><tr><td>x</table>", encoding="utf-8")
    [found], counts = read_html(path)
    assert (found.id, found.title, found.header, found.rows) == (
        f"{tmp_path.name}/games.html#0",
        "Games",
        ("Name", "Won"),
        (("Ann", "3"),),
    )
    assert counts == {"row of one cell set aside (row)": 1, "no header row": 1}
