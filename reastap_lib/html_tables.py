"""The tables of an HTML page: cells as a reader sees them, without hidden text and reference marks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from lxml import etree, html

from reastap_lib.cell_text import one_line, picture, script
from reastap_lib.grids import GridCell

_UNSEEN_TAGS = frozenset({"script", "style", "template", "head", "audio", "video", "svg", "input", "select", "button"})
_UNSEEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_UNSEEN_CLASSES = frozenset({"reference", "sortkey", "mw-editsection", "navbar", "error"})
_BREAKS = frozenset({"br", "hr", "p", "div", "li", "dd", "dt", "tr", "td", "th", "table", "ul", "ol", "dl", "pre"})
_BOLD = frozenset({"b", "strong"})
_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_NOT_MARKUP = re.compile(r"^\s*<\?xml[^>]*>|[\x00-\x08\x0b\x0c\x0e-\x1f]")


@dataclass(frozen=True)
class HtmlTable:
    """A table as it stands on a page.

    Args:
        rows: Cells from left to right; their text is what a reader sees.
        caption: Its caption, or nothing.
        section: The last heading before it, or nothing.
    """

    rows: list[list[GridCell]]
    caption: str = ""
    section: str = ""


def html_tables(text: str) -> tuple[str, list[HtmlTable]]:
    """The title of an HTML page and its tables in order; a table inside a cell comes as one of its own.

    >>> title, tables = html_tables("<table><tr><th>Year<td>1998<sup class=reference>[1]</sup></table>")
    >>> [cell.text for cell in tables[0].rows[0]]
    ['Year', '1998']
    """
    try:
        root = html.document_fromstring(_NOT_MARKUP.sub("", text))
    except etree.ParserError:
        return "", []  # there is nothing on the page
    section, tables = "", []
    for element in root.iter():
        if element.tag in _HEADINGS:
            section = seen_text(element)
        elif element.tag == "table":
            tables.append(HtmlTable(_rows(element), _caption(element), section))
    title = root.findtext(".//title") or ""
    return one_line(title), tables


def seen_text(element: html.HtmlElement) -> str:
    """What a reader sees of an element, on one line."""
    return one_line("".join(_pieces(element)))


def _pieces(element: html.HtmlElement) -> Iterator[str]:
    if not isinstance(element.tag, str) or _is_unseen(element):
        return
    if element.tag in {"sup", "sub"}:
        yield script(one_line("".join(_inside(element))), element.tag)
        return
    if element.tag == "img":
        yield picture(_flag(element))
    edge = " " if element.tag in _BREAKS else ""
    yield edge
    yield from _inside(element)
    yield edge


def _inside(element: html.HtmlElement) -> Iterator[str]:
    yield element.text or ""
    for child in element:
        yield from _pieces(child)
        yield child.tail or ""


def _flag(image: html.HtmlElement) -> str:
    """The country of a flag; other pictures have no word."""
    parents = (parent.get("class", "") for parent in image.iterancestors("span"))
    return image.get("alt", "") if any("flagicon" in name.split() for name in parents) else ""


def _is_unseen(element: html.HtmlElement) -> bool:
    if element.tag in _UNSEEN_TAGS or _UNSEEN.search(element.get("style", "")):
        return True
    return not _UNSEEN_CLASSES.isdisjoint(element.get("class", "").split())


def _rows(table: html.HtmlElement) -> list[list[GridCell]]:
    lines = [row for row in table.iter("tr") if _owner(row) is table and not _is_unseen(row)]
    return [[_cell(cell) for cell in row if cell.tag in ("td", "th") and not _is_unseen(cell)] for row in lines]


def _owner(element: html.HtmlElement) -> html.HtmlElement | None:
    return next(element.iterancestors("table"), None)


def _cell(element: html.HtmlElement) -> GridCell:
    return GridCell(
        seen_text(element),
        element.tag == "th",
        _span(element.get("rowspan")),
        _span(element.get("colspan")) or 1,
        _stands_out(element),
    )


def _span(value: str | None) -> int:
    found = re.match(r"\s*(\d{1,6})", value or "")
    return int(found[1]) if found else 1


def _stands_out(element: html.HtmlElement) -> bool:
    row = element.getparent()
    if row is not None and (row.get("bgcolor") or "background" in row.get("style", "")):
        return True
    loose = [element.text or "", *(child.tail or "" for child in element)]
    return not any(text.strip() for text in loose) and len(element) > 0 and all(child.tag in _BOLD for child in element)


def _caption(table: html.HtmlElement) -> str:
    caption = next((child for child in table.iter("caption") if _owner(child) is table), None)
    return "" if caption is None else seen_text(caption)
