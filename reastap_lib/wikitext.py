"""The tables of a page of wikitext: cells as they are written, spans not yet spread, by MediaWiki's own line rules."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from reastap_lib.grids import GridCell
from reastap_lib.wikitext_cells import reader_text
from reastap_lib.wikitext_lines import INSIDE, LINK, TEMPLATE, Line, masked_lines
from reastap_lib.wikitext_templates import normal_name, rule_for

_OPENING = re.compile(r"[\s:]*\{\|")
_HEADING = re.compile(r"(={1,6})(.+?)\1\s*$")
_SPAN = re.compile(r"\b(rowspan|colspan)\s*=\s*[\"']?\s*(\d+)", re.IGNORECASE)
_HIDDEN = re.compile(r"display\s*:\s*none", re.IGNORECASE)
_COLOURED = re.compile(r"bgcolor|background", re.IGNORECASE)
_BOLD = re.compile(r"'''(?!'').*'''", re.DOTALL)
_CLOSERS = frozenset({"end", "s-end", "table end", "end table", "jctbtm", "col-end", "fb end", "end box"})
_MAKES_CELLS = re.compile(r"\{\{\s*(?:convert|cvt)\b[^{}]*\|\s*disp\s*=\s*table", re.IGNORECASE)
END = "|}"


@dataclass(frozen=True)
class MarkupTable:
    """A table as it is written on a page.

    Args:
        rows: Cells from left to right; their text is markup.
        caption: Markup of the caption, or nothing.
        section: The headings above it, from the largest on, as a reader sees them.
        faults: Why it cannot be read in full, or nothing.
        is_nested: Whether it stands in a cell of another table.
        is_recovered: Whether its end was missing, and was set where it seems to end.
    """

    rows: list[list[GridCell]]
    caption: str = ""
    section: tuple[str, ...] = ()
    faults: str = ""
    is_nested: bool = False
    is_recovered: bool = False


def markup_tables(page: str) -> list[MarkupTable]:
    """The tables of a page in the order in which they begin; one inside a cell comes as one of its own.

    Raises:
        LeftOut: the page cannot be read at all.

    >>> [table] = markup_tables("{|\\n! a !! b\\n|-\\n| [[x|y]] || {{z|1}}\\n|}")
    >>> [[cell.text for cell in row] for row in table.rows]
    [['a', 'b'], ['[[x|y]]', '{{z|1}}']]
    """
    lines = masked_lines(page)
    reading = _Reading()
    unclosed = reading.read(lines)
    if unclosed:
        ends = frozenset(_end_of_unclosed(lines, start) for start in unclosed)
        reading = _Reading()
        reading.read(lines, ends)
    return [table for _, table in sorted(reading.tables, key=lambda found: found[0])]


def _end_of_unclosed(lines: list[Line], start: int) -> int:
    """The line before which a table without an end seems to end: a heading, or prose after an empty line."""
    for number in range(start + 1, len(lines)):
        mask = lines[number].mask
        if _HEADING.match(mask) or (number > start + 1 and _OPENING.match(mask)):
            return number
        if mask.strip() and not lines[number - 1].mask.strip() and mask.lstrip()[0] not in f"|!{TEMPLATE}":
            return number
    return len(lines)


@dataclass
class _Open:
    """A table that is being read."""

    line: int
    section: tuple[str, ...]
    is_nested: bool
    caption: str = ""
    rows: list[list[GridCell]] = field(default_factory=list)
    row: list[GridCell] | None = None
    row_attributes: str = ""
    hides_row: bool = False
    in_caption: bool = False
    faults: str = ""

    def start_row(self, attributes: str) -> None:
        self.row, self.in_caption = None, False
        self.row_attributes = attributes
        self.hides_row = bool(_HIDDEN.search(attributes))

    def add_cells(self, line: Line) -> None:
        is_header = line.mask[0] == "!"
        self.in_caption = False
        if self.row is None:
            self.row = []
            if not self.hides_row:
                self.rows.append(self.row)
        for piece in line.cut(1).split(_HEADER_BARS if is_header else _BARS):
            attributes, content = _attributes_apart(piece)
            if _MAKES_CELLS.search(content.text):
                self.faults = "cells made by templates"
            if not _HIDDEN.search(attributes):
                self.row.append(_cell(content.text.strip(), attributes, is_header, self.row_attributes))

    def add_text(self, line: Line) -> None:
        if line.mask.startswith(TEMPLATE) and self._makes_rows(line):
            self.faults = "rows made by templates"
        if self.in_caption:
            self.caption += f"\n{line.text}"
        elif self.row:
            last = self.row[-1]
            self.row[-1] = replace(last, text=f"{last.text}\n{line.text}")

    def _makes_rows(self, line: Line) -> bool:
        """Whether a template at the start of a line stands where a row does: not in a cell, or after a whole one."""
        known = rule_for(_template_name(line.text)) is not None
        if not self.row:
            return not (known and not reader_text(line.text))
        after_cell = self.row[-1].is_header or (bool(self.row[-1].text.strip()) and line.text.count("|") > 2)
        return not known and after_cell and not line.mask.strip(TEMPLATE + INSIDE)

    def closed(self, is_recovered: bool) -> MarkupTable:
        rows = [row for row in self.rows if row]
        return MarkupTable(rows, self.caption, self.section, self.faults, self.is_nested, is_recovered)


_ATTRIBUTE = r"[\w-]++\s*+=\s*+(?:\"[^\"]*+\"|'[^']*+'|[^\s\"'|\x01]++)"
_BARE_ATTRIBUTES = re.compile(rf"\s*+{_ATTRIBUTE}(?:\s++{_ATTRIBUTE})*+\s*+(?=\x01)")
_BARS = re.compile(r"\|\|")
_HEADER_BARS = re.compile(r"\|\||!!")


def _attributes_apart(line: Line) -> tuple[str, Line]:
    """What stands before the first pipe of a cell, and the rest; a link before it makes all of it content.

    Templates such as {{yes}} bring more attributes and the pipe themselves: attributes may stand before them as well.
    """
    bar = line.mask.find("|")
    if bar < 0:
        found = _BARE_ATTRIBUTES.match(line.mask)
        return (line.text[: found.end()], line.cut(found.end())) if found else ("", line)
    if LINK in line.mask[:bar]:
        return "", line
    return line.text[:bar], line.cut(bar + 1)


def _cell(text: str, attributes: str, is_header: bool, row_attributes: str) -> GridCell:
    spans = {found[1].lower(): int(found[2][:6]) for found in _SPAN.finditer(attributes)}
    stands_out = bool(_BOLD.fullmatch(text) or _COLOURED.search(f"{attributes} {row_attributes}"))
    return GridCell(text, is_header, spans.get("rowspan", 1), spans.get("colspan", 1) or 1, stands_out)


def _template_name(text: str) -> str:
    return re.split(r"[|}\n]", text.lstrip("{ "), maxsplit=1)[0].strip()


class _Reading:
    """One pass over the lines of a page."""

    def __init__(self) -> None:
        self.tables: list[tuple[int, MarkupTable]] = []
        self._open: list[_Open] = []
        self._headings: list[tuple[int, str]] = []

    def read(self, lines: Iterable[Line], ends: frozenset[int] = frozenset()) -> list[int]:
        """Read all lines; the numbers of the lines whose tables have no end. `ends` are where such tables end."""
        number = -1
        for number, line in enumerate(lines):
            if number in ends:
                self._close_all()
            self._take(line.strip(), number)
        unclosed = [table.line for table in self._open]
        if number + 1 in ends:
            self._close_all()
        return unclosed

    def _close_all(self) -> None:
        while self._open:
            self._close(is_recovered=True)

    def _close(self, is_recovered: bool = False) -> None:
        table = self._open.pop()
        self.tables.append((table.line, table.closed(is_recovered)))
        if self._open:
            text = " ".join(cell.text.strip() for row in table.rows for cell in row)
            self._open[-1].add_text(Line(text, INSIDE * len(text)))

    def _take(self, line: Line, number: int) -> None:
        mask = line.mask
        if _OPENING.match(mask):
            self._open.append(_Open(number, tuple(text for _, text in self._headings), bool(self._open)))
        elif not self._open:
            self._take_heading(line)
        elif mask.startswith(END) or (mask.startswith(TEMPLATE) and _closes(line.text)):
            self._close(is_recovered=not mask.startswith(END))
            self._after_end(line, number)
        elif mask.startswith("|-"):
            self._open[-1].start_row(line.text.lstrip("|-"))
        elif mask.startswith("|+"):
            self._open[-1].caption = _attributes_apart(line.cut(2))[1].text
            self._open[-1].in_caption = True
        elif mask.startswith(("|", "!")):
            self._open[-1].add_cells(line)
        else:
            self._open[-1].add_text(line)

    def _after_end(self, line: Line, number: int) -> None:
        rest = line.cut(2).strip() if line.mask.startswith(END) else Line("", "")
        if rest.mask and self._open:
            self._take(rest, number)

    def _take_heading(self, line: Line) -> None:
        found = _HEADING.match(line.mask)
        if found:
            level = len(found[1])
            text = reader_text(line.text[found.start(2) : found.end(2)].strip())
            self._headings = [*(entry for entry in self._headings if entry[0] < level), (level, text)]


def _closes(text: str) -> bool:
    return normal_name(_template_name(text)) in _CLOSERS
