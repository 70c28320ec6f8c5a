"""The tables of one wiki page as values: spans spread, header joined, cells as a reader sees them."""

from __future__ import annotations

from collections import Counter

from reastap_lib.grids import LeftOut, finish, split
from reastap_lib.tables import SECTION_JOIN, Limits, Table
from reastap_lib.wikitext import MarkupTable, markup_tables
from reastap_lib.wikitext_cells import reader_text, shown

_LEFTOVERS = ("{{", "}}", "[[", "]]", "{|", "|}", "<ref")


def page_tables(
    title: str, text: str, page_id: int | str = 0, limits: Limits | None = None, source: str = ""
) -> tuple[list[Table], Counter[str]]:
    """The tables of a page that are within the limits, and the count of the others by reason.

    What was set aside inside a table, such as a header row said again, is counted too.

    Args:
        title: The page's title.
        text: Its wikitext.
        page_id: Its number in the wiki; table n is called page_id-n, from 0 on, in the order of their beginnings.
        limits: All tables with a header and a row, where not given.

    >>> tables, left_out = page_tables("Games", "== 1998 ==\\n{|\\n! Name !! Won\\n|-\\n| [[Ann]] || 3\\n|}")
    >>> tables[0].heading, tables[0].header, tables[0].rows, left_out.total()
    ('Games: 1998', ('Name', 'Won'), (('Ann', '3'),), 0)
    """
    kept: list[Table] = []
    counts: Counter[str] = Counter()
    try:
        written = markup_tables(text)
    except LeftOut as reason:
        return [], Counter([str(reason)])
    for number, found in enumerate(written):
        counts["nested in another table, taken as one of its own"] += found.is_nested
        try:
            kept.append(_table(found, f"{page_id}-{number}", title, source, limits, counts))
        except LeftOut as reason:
            counts[str(reason)] += 1
    return kept, +counts


def _table(
    found: MarkupTable, name: str, title: str, source: str, limits: Limits | None, counts: Counter[str]
) -> Table:
    if found.faults:
        raise LeftOut(found.faults)
    grid = split(found.rows, reader_text)
    if limits and len(grid.body) > limits.max_rows:
        raise LeftOut(f"more than {limits.max_rows} rows")  # before its cells are rendered
    header, rows = finish(grid, reader_text)
    caption = reader_text(found.caption) or " ".join(reader_text(cell.text) for cell in grid.titles)
    table = Table(name, title, header, rows, source, SECTION_JOIN.join(found.section), caption)
    fault = _leftover(table) or (limits.fault(table) if limits else None)
    if fault:
        raise LeftOut(fault)
    counts += grid.set_aside
    counts["without an end, closed where it seems to end"] += found.is_recovered
    cells = [cell.text for row in found.rows for cell in row]
    counts["template without a rule, its arguments shown (cell)"] += sum(bool(shown(text).unknown) for text in cells)
    return table


def _leftover(table: Table) -> str | None:
    """Markup that is still there: never to be trained on."""
    texts = (table.header, *table.rows)
    return "markup left over" if any(mark in text for line in texts for text in line for mark in _LEFTOVERS) else None
