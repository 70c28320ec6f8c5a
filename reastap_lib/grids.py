"""From cells with spans to a header and rows of one length: what wikitext and HTML tables have in common."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

MAX_COLSPAN = 1000  # as in HTML's own rules
MAX_SLOTS = 200_000
MAX_HEADER_ROWS = 6
Row = Sequence["GridCell"]
Render = Callable[[str], str]


_NAME = re.compile(r"[^\W\d]|[#№%]")
_NUMBER = re.compile(r"[-+−–—~$£€]?\s*\.?\d")


class LeftOut(Exception):
    """Why a table is not used; its text is the reason that is counted."""


@dataclass(frozen=True, eq=False)
class GridCell:
    """A cell as it is written.

    Args:
        text: Its text, or markup that `Render` makes a text of.
        is_header: Whether it is marked as a header (`!`, `<th>`).
        rowspan: How many rows it covers; 0 stands for all that follow.
        colspan: How many columns it covers.
        stands_out: Whether it is bold or its row coloured: so are the names of columns where no header is marked.
    """

    text: str
    is_header: bool = False
    rowspan: int = 1
    colspan: int = 1
    stands_out: bool = False


@dataclass(frozen=True)
class Slot:
    """A place of the grid, the cell that covers it, and whether that cell starts in this row and in this column."""

    cell: GridCell | None
    starts_row: bool = True
    starts_column: bool = True


@dataclass(frozen=True)
class Grid:
    """A table's places, header rows apart.

    Args:
        head: (header rows, columns).
        body: (rows, columns).
        titles: Cells that stood alone above the header.
        set_aside: What was dropped from it, by reason.
    """

    head: list[list[Slot]]
    body: list[list[Slot]]
    titles: list[GridCell]
    set_aside: Counter[str] = field(default_factory=Counter)


_HOLE = Slot(None)


def spread(rows: Sequence[Row]) -> list[list[Slot]]:
    """The cells in their places: what spans rows or columns is repeated, what is missing is a hole.

    Raises:
        LeftOut: the spans cover more places than any table needs.

    >>> grid = spread([[GridCell("a", rowspan=2), GridCell("b")], [GridCell("c")]])
    >>> [[slot.cell.text for slot in row] for row in grid]
    [['a', 'b'], ['a', 'c']]
    """
    places: list[dict[int, Slot]] = [{} for _ in rows]
    covered = 0
    for y, row in enumerate(rows):
        x = 0
        for cell in row:
            while x in places[y]:
                x += 1
            height = min(cell.rowspan or len(rows), len(rows) - y)
            width = min(max(cell.colspan, 1), MAX_COLSPAN)
            covered += height * width
            if covered > MAX_SLOTS:
                raise LeftOut("absurd spans")
            for dy in range(height):
                for dx in range(width):
                    places[y + dy].setdefault(x + dx, Slot(cell, dy == 0, dx == 0))
            x += width
    width = _width(places)
    return _without_idle_columns([[row.get(x, _HOLE) for x in range(width)] for row in places])


def _width(places: list[dict[int, Slot]]) -> int:
    width = 1 + max((x for row in places for x in row), default=-1)
    if width * len(places) > MAX_SLOTS:
        raise LeftOut("absurd spans")
    return width


def _without_idle_columns(grid: list[list[Slot]]) -> list[list[Slot]]:
    """Without the columns in which no cell starts: they only repeat what is to their left."""
    width = len(grid[0]) if grid else 0
    busy = [x for x in range(width) if any(row[x].cell and row[x].starts_column for row in grid)]
    return [[row[x] for x in busy] for row in grid]


def split(rows: Sequence[Row], render: Render) -> Grid:
    """Tell the header rows from the body; rows that are one cell over the whole width belong to neither.

    Raises:
        LeftOut: there are no rows, no header row, or no rows under the header; or absurd spans.
    """
    grid = [row for row in spread(rows) if any(slot.cell for slot in row)]
    if not grid:
        raise LeftOut("no rows")
    top = 0
    while top < len(grid) and _is_banner(grid[top]):
        top += 1
    height = _header_height(grid[top:], render)
    head, body = grid[top : top + height], grid[top + height :]
    titles = [row[0].cell for row in grid[:top] if row[0].cell]
    set_aside = Counter[str]()
    kept = [row for row in body if not _belongs_to_no_one(row, head, render, set_aside)]
    if not head:
        raise LeftOut("no header row")
    if not kept:
        raise LeftOut("no data rows")
    return Grid(head, kept, titles, set_aside)


def _header_height(grid: list[list[Slot]], render: Render) -> int:
    height = 0
    while (
        height < min(len(grid), MAX_HEADER_ROWS) and _is_header(grid[height], render) and not _is_banner(grid[height])
    ):
        height += 1
    if height == 0 and len(grid) > 1:
        return int(_is_header(grid[0], render, or_stands_out=True) or _heads_numbers(grid, render))
    return height if height < len(grid) else min(height, 1)  # where every row looks like a header, the first is


def _is_header(row: list[Slot], render: Render, or_stands_out: bool = False) -> bool:
    """Whether every cell that says anything is marked as a header, and more than the first one."""
    speaking = [slot.cell for slot in row if slot.cell and render(slot.cell.text)]
    if not speaking or not all(cell.is_header or (or_stands_out and cell.stands_out) for cell in speaking):
        return False
    return len(row) == 1 or any(cell is not row[0].cell for cell in speaking)


def _heads_numbers(grid: list[list[Slot]], render: Render) -> bool:
    """Whether a first row that nothing marks as one is a header: different words, and below some of them numbers only.

    A table with a marked cell anywhere has its names in another place.
    """
    if any(slot.cell and slot.cell.is_header for row in grid for slot in row):
        return False
    names, *rows = [[_text(slot, render) for slot in row] for row in grid]
    if len(names) < 2 or not all(_NAME.match(name) for name in names) or len(set(names)) < len(names):
        return False
    columns = [[row[x] for row in rows if row[x]] for x in range(len(names))]
    return any(len(column) > 1 and all(_NUMBER.match(text) for text in column) for column in columns)


def _is_banner(row: list[Slot]) -> bool:
    """Whether one cell covers the whole row."""
    first = row[0].cell
    return len(row) > 1 and first is not None and all(slot.cell is first for slot in row)


def _belongs_to_no_one(row: list[Slot], head: list[list[Slot]], render: Render, set_aside: Counter[str]) -> bool:
    texts = [_text(slot, render) for slot in row]
    if not any(texts):
        reason = "empty row"
    elif _is_banner(row):
        reason = "row of one cell"
    elif any(texts == [_text(slot, render) for slot in line] for line in head):
        reason = "header row again"
    else:
        return False
    set_aside[f"{reason} set aside (row)"] += 1
    return True


def finish(grid: Grid, render: Render) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """Header and rows as text, without the columns that say nothing: pictures, colours.

    Raises:
        LeftOut: no column is left.
    """
    header = [join_names([_text(line[x], render) for line in grid.head]) for x in range(len(grid.head[0]))]
    rows = [[_text(slot, render) for slot in row] for row in grid.body]
    kept = [x for x in range(len(header)) if _says_something(x, header, rows, grid)]
    if not kept:
        raise LeftOut("no text in any cell")
    if len(kept) < len(header):
        grid.set_aside["empty column set aside (column)"] += len(header) - len(kept)
    return tuple(header[x] for x in kept), tuple(tuple(row[x] for x in kept) for row in rows)


def _says_something(x: int, header: list[str], rows: list[list[str]], grid: Grid) -> bool:
    """Whether a column holds text: of its own, where its name is missing or its neighbour's as well."""
    shares_name = not header[x] or header.count(header[x]) > 1
    return any(row[x] and not (shares_name and _is_wide(line, x)) for row, line in zip(rows, grid.body, strict=True))


def _is_wide(row: list[Slot], x: int) -> bool:
    """Whether the cell at x covers a neighbouring column too."""
    return any(row[y].cell is row[x].cell for y in (x - 1, x + 1) if 0 <= y < len(row))


def join_names(names: Sequence[str]) -> str:
    """The names above a column, from top to bottom, as one; what is said twice is said once.

    >>> join_names(["Score", "Home"]), join_names(["Team", "Team"])
    ('Score Home', 'Team')
    """
    return " ".join(dict.fromkeys(name for name in names if name))


def _text(slot: Slot, render: Render) -> str:
    return render(slot.cell.text) if slot.cell else ""
