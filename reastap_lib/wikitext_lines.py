"""The lines of a page of wikitext, each beside a mask of itself: what a line means, and what only stands inside it.

What a table line means hangs on its first characters; what is inside templates and links never does. So the page is
read beside a mask of the same length, in which templates and links hold no line break, pipe or mark.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeVar

import wikitextparser

from reastap_lib.grids import LeftOut
from reastap_lib.wikitext_strip import strip_unseen

TEMPLATE, LINK, INSIDE = "\x01", "\x02", "\x03"
MAX_DEPTH = 60  # of templates in templates; MediaWiki itself stops at 40
_PIPES = {"!": "|", "!!": "||", "!-": "|-", "(!": "{|", "!)": "|}", "!+": "|+", "!(": "[", ")!": "]"}
_COLOUR_AND_NAME = re.compile(r"\{\{\s*(?:full )?party name with colou?r\s*\|", re.IGNORECASE)
_COLOUR_CELL = re.compile(r"\{\{\s*canadian party colou?r\s*\|[^{}]*\|\s*row\s*(?:\||\}\})", re.IGNORECASE)
_ROWSPAN = re.compile(r"\|\s*rowspan\s*=\s*(\d+)")
Part = TypeVar("Part")
_BRACES = re.compile(r"\{\{|\}\}")
_HTML_TABLE = re.compile(r"<(/?)(table|tr|td|th|caption)\b((?:[^<>\"']|\"[^\"<>]*\"|'[^'<>]*')*)/?>", re.IGNORECASE)
_AS_WIKI = {"table": "\n{{|{}\n", "tr": "\n|-{}\n", "td": "\n|{}|\n", "th": "\n!{}|\n", "caption": "\n|+{}|"}


@dataclass(frozen=True)
class Line:
    """A line of the page, and the same line of the mask."""

    text: str
    mask: str

    def cut(self, start: int, end: int | None = None) -> Line:
        return Line(self.text[start:end], self.mask[start:end])

    def strip(self) -> Line:
        start = len(self.mask) - len(self.mask.lstrip())
        return self.cut(start, len(self.mask.rstrip()) or None)

    def split(self, marks: re.Pattern[str]) -> Iterator[Line]:
        start = 0
        for mark in marks.finditer(self.mask):
            yield self.cut(start, mark.start())
            start = mark.end()
        yield self.cut(start)


def masked_lines(page: str) -> list[Line]:
    """The lines of a page without comments and references, HTML's table tags as wiki markup; none where no table is.

    Raises:
        LeftOut: templates lie in one another too deeply to be read.

    >>> [line.mask for line in masked_lines("{|\\n| {{a|b}} || c")][1].replace(TEMPLATE, "<").replace(INSIDE, ".")
    '| <...... || c'
    """
    text = _with_wiki_tables(strip_unseen(page))
    if "{|" not in text and "{{(!" not in text:
        return []
    if _depth(text) > MAX_DEPTH:
        raise LeftOut("templates nested too deeply (page)")
    return list(_lines(*_masked(text)))


def _depth(text: str) -> int:
    depth = deepest = 0
    for braces in _BRACES.finditer(text):
        depth = depth + 1 if braces[0] == "{{" else max(depth - 1, 0)
        deepest = max(deepest, depth)
    return deepest


def _with_wiki_tables(text: str) -> str:
    """HTML's table tags as the marks that MediaWiki makes the same of."""
    if "<table" not in text and "<TABLE" not in text:
        return text

    def mark(tag: re.Match[str]) -> str:
        name = tag[2].lower()
        if tag[1]:
            return "\n|}\n" if name == "table" else ""
        return _AS_WIKI[name].format(tag[3].rstrip("/").replace("\n", " ")) if name in _AS_WIKI else ""

    return _HTML_TABLE.sub(mark, text)


def _masked(text: str) -> tuple[str, str]:
    """The page with the templates that stand for table marks written out, and its mask."""
    parts = _outer_parts(text)
    written = [_written_out(text[start:end]) if sign == TEMPLATE else None for start, end, sign in parts]
    if any(written):
        pieces, position = [], 0
        for (start, end, _), marks in zip(parts, written, strict=True):
            pieces += [text[position:start], marks or text[start:end]]
            position = end
        text = "".join([*pieces, text[position:]])
        parts = _outer_parts(text)
    mask, position = [], 0
    for start, end, sign in parts:
        mask += [text[position:start], sign, INSIDE * (end - start - 1)]
        position = end
    return text, "".join([*mask, text[position:]])


def _written_out(template: str) -> str | None:
    """What a template does to the table around it: `{{!}}` is a pipe, some begin a cell of a colour, and one after it.

    >>> _written_out("{{!}}"), _written_out("{{Party name with color|Reds|rowspan=2}}"), _written_out("{{x|y}}")
    ('|', '|\\n|rowspan=2|{{Party name with color|Reds|rowspan=2}}', None)
    """
    if len(template) < 12:
        return _PIPES.get(template[2:-2].strip())
    if _COLOUR_AND_NAME.match(template):
        rowspan = _ROWSPAN.search(template)
        return f"|\n|{f'rowspan={rowspan[1]}' if rowspan else ''}|{template}"
    return "\n|\n" if _COLOUR_CELL.match(template) else None


def _outer_parts(text: str) -> list[tuple[int, int, str]]:
    parsed = wikitextparser.parse(text)
    found = [(*part.span, TEMPLATE) for part in (*parsed.templates, *parsed.parser_functions, *parsed.parameters)]
    return outermost([*found, *((*part.span, LINK) for part in parsed.wikilinks)])


def outermost(parts: list[tuple[int, int, Part]]) -> list[tuple[int, int, Part]]:
    """Of parts of a text (start, end, what), those that lie in no other, in order.

    >>> outermost([(1, 2, "b"), (0, 3, "a"), (3, 5, "c")])
    [(0, 3, 'a'), (3, 5, 'c')]
    """
    outer: list[tuple[int, int, Part]] = []
    for part in sorted(parts, key=lambda part: (part[0], -part[1])):
        if not outer or part[0] >= outer[-1][1]:
            outer.append(part)
    return outer


def _lines(text: str, mask: str) -> Iterator[Line]:
    start = 0
    for line in mask.split("\n"):
        yield Line(text[start : start + len(line)], line)
        start += len(line) + 1
