"""Wiki markup to what a reader sees, on one line: templates, links, tags, quotes, lists and entities."""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import wikitextparser

from reastap_lib.cell_text import one_line, script
from reastap_lib.tables import words
from reastap_lib.wikitext_lines import outermost
from reastap_lib.wikitext_templates import Call, rule_for, show

MAX_DEPTH = 30  # of templates in templates
_FILE_SPACES = frozenset(
    words(
        """file image media category файл картинка изображение категория datei bild kategorie fichier catégorie archivo
        imagen categoría immagine categoria ficheiro imagem bestand afbeelding plik grafika ファイル 画像 파일 文件"""
    )
)
_LANGUAGE_LINK = re.compile(r"[a-z]{2,3}(?:-[a-z]+)*|simple|zh-min-nan")
_EXTERNAL_LINK = re.compile(
    r"\[(?:(?:https?|ftp|news|irc|git|gopher):|mailto:|(?=//))(?://)?[^\s\[\]]*(?:\s+([^\[\]]*))?\]", re.IGNORECASE
)
_ENTITY = re.compile(r"&(?:#\d+|#[xX][0-9a-fA-F]+|[a-zA-Z][a-zA-Z0-9]*);")
_TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9]*)((?:[^<>\"']|\"[^\"<>]*\"|'[^'<>]*')*?)(/?)>")
_TAGS = frozenset(
    words(
        """abbr b bdi bdo big blockquote br caption center cite code col colgroup data dd del dfn div dl dt em font h1
        h2 h3 h4 h5 h6 hr i ins kbd li link mark meta noinclude includeonly nowiki ol onlyinclude p poem q rb ref rp rt
        rtc ruby s samp section small span strike strong sub sup table tbody td tfoot th thead time tr tt u ul var
        wbr"""
    )
)
_BREAKS = frozenset(words("br hr p div li dd dt center blockquote ul ol dl tr td th"))
_UNSEEN = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*hidden|class\s*=\s*[\"']?[^\"'>]*\b(?:sortkey|reference)\b", re.IGNORECASE
)
_FOOTNOTE = re.compile(r"(?:\[[^\[\]]{0,12}\]|[a-zA-Z]|[*†‡§¶#]+|n \d+|note \d+)")
_QUOTES = re.compile(r"'{2,}")
_BULLET = re.compile(r"[ \t]*[*#:;]+[ \t]*(.*)")
_SWITCH = re.compile(r"__[A-Z]+__")
_MARKS = re.compile(r"(?<=[^\s†‡§¶])[\s†‡§¶]*[†‡§¶]$")
_NOTHING = "\u200b"  # where nothing is shown: it keeps the quotes around it from becoming one run


@dataclass(frozen=True)
class Shown:
    """What a reader sees of some markup, and the templates in it that no rule is known for."""

    text: str
    unknown: tuple[str, ...] = ()


def reader_text(markup: str) -> str:
    """The markup as a reader sees it.

    >>> reader_text("[[Paris|the '''city''']]<br>{{flag|France}} &amp; {{unbulleted list|a|b}}")
    'the city France & a, b'
    """
    return shown(markup).text


@lru_cache(maxsize=8192)
def shown(markup: str) -> Shown:
    """`reader_text`, with the names of the templates that were shown without a rule."""
    unknown: list[str] = []
    text = _expand(markup, unknown, 0) if "{{" in markup or "[[" in markup else markup
    return Shown(_finish(text), tuple(dict.fromkeys(unknown)))


def _finish(text: str) -> str:
    if "[" in text:
        text = _EXTERNAL_LINK.sub(lambda link: link[1] or "", text)
    if "<" in text:
        text = _without_tags(text)
    if "''" in text:
        text = "\n".join(map(_without_quotes, text.split("\n")))
    if "\n" in text:
        text = _lists_as_text(text)
    if "__" in text:
        text = _SWITCH.sub("", text)
    if "&" in text:
        text = _ENTITY.sub(lambda entity: html.unescape(entity[0]), text)
    return _MARKS.sub("", one_line(text))


def _expand(markup: str, unknown: list[str], depth: int) -> str:
    """The markup with its templates and links replaced by their text."""
    if depth > MAX_DEPTH or ("{{" not in markup and "[[" not in markup):
        return markup
    pieces, position = [], 0
    for start, end, replace in _outer_parts(markup):
        pieces += [markup[position:start], replace(unknown, depth + 1) or _NOTHING]
        position = end
    return "".join([*pieces, markup[position:]])


Replace = Callable[[list[str], int], str]


def _outer_parts(markup: str) -> list[tuple[int, int, Replace]]:
    """Templates, parser functions and links that lie in no other: where, and what makes their text."""
    parsed = wikitextparser.parse(markup)
    found: list[tuple[int, int, Replace]] = [(*part.span, _template(part)) for part in parsed.templates]
    found += [(*part.span, _function(part)) for part in parsed.parser_functions]
    found += [(*part.span, _link(part)) for part in parsed.wikilinks]
    found += [(*part.span, lambda _unknown, _depth: "") for part in parsed.parameters]
    return outermost(found)


def _template(template: Any) -> Replace:
    def replace(unknown: list[str], depth: int) -> str:
        name = template.name.strip()
        if rule_for(name) is None:
            unknown.append(name)
        arguments = {part.name.strip(): _expand(part.value, unknown, depth) for part in template.arguments}
        return show(Call(name, arguments))

    return replace


def _function(function: Any) -> Replace:
    """Of the functions only `formatnum` and a few more say something without a wiki around them."""

    def replace(unknown: list[str], depth: int) -> str:
        name = function.name.strip().lower()
        values = [_expand(part.value, unknown, depth).strip() for part in function.arguments]
        if name == "formatnum":
            return show(Call("formatnum", {"1": values[0] if values else ""}))
        return values[-1] if name in {"lc", "uc", "lcfirst", "ucfirst", "nowrap"} and values else ""

    return replace


def _link(link: Any) -> Replace:
    def replace(unknown: list[str], depth: int) -> str:
        target, label = link.title.strip(), link.text
        space, colon, page = target.partition(":")
        space = space.strip().lower()
        if colon and (space in _FILE_SPACES or (_LANGUAGE_LINK.fullmatch(space) and label is None and page)):
            return ""
        return _expand(label, unknown, depth) if label and label.strip() else target.removeprefix(":")

    return replace


def _without_tags(text: str) -> str:
    """The text between tags that is seen; `<foo>` is text where there is no such tag."""
    pieces: list[str] = []
    hidden: list[str] = []  # the open tags inside a hidden one, which comes first
    raised: list[tuple[str, int]] = []
    position = 0
    for tag in _TAG.finditer(text):
        closes, name, attributes, alone = tag[1], tag[2].lower(), tag[3], tag[4]
        if name not in _TAGS:
            continue
        if not hidden:
            pieces.append(text[position : tag.start()])
        position = tag.end()
        if hidden or (not closes and not alone and _UNSEEN.search(attributes)):
            _follow(hidden, name, bool(closes), bool(alone) or name in {"br", "hr", "wbr"})
        elif name in {"sup", "sub"}:
            _raise_or_lower(pieces, raised, name, bool(closes))
        elif name in _BREAKS:
            pieces.append(" ")
    return "".join(pieces) + ("" if hidden else text[position:])


def _follow(hidden: list[str], name: str, closes: bool, alone: bool) -> None:
    if closes and name in hidden:
        del hidden[len(hidden) - 1 - hidden[::-1].index(name) :]
    elif not closes and not alone:
        hidden.append(name)


def _raise_or_lower(pieces: list[str], raised: list[tuple[str, int]], name: str, closes: bool) -> None:
    """Mark what is raised or lowered, and drop raised footnote marks."""
    if not closes:
        raised.append((name, len(pieces)))
    elif raised and raised[-1][0] == name:
        start = raised.pop()[1]
        inside = "".join(pieces[start:]).strip()
        is_mark = name == "sup" and _FOOTNOTE.fullmatch(inside)
        pieces[start:] = [] if is_mark else [script(inside, name)]


def _without_quotes(line: str) -> str:
    """A line without the quotes of bold and italic; those that are text stay, by MediaWiki's own rule.

    >>> _without_quotes("''a'' '''b''' c'd L''''e'''"), _without_quotes("L'''amour''")
    ("a b c'd L'e", "L'amour")
    """
    runs = list(_QUOTES.finditer(line))
    lengths = [_split_run(len(run[0])) for run in runs]
    italic, bold = (sum(marks in {wanted, 5} for _, marks in lengths) for wanted in (2, 3))
    odd = _apostrophe(line, runs, [marks for _, marks in lengths]) if italic % 2 and bold % 2 else None
    pieces, position = [], 0
    for number, (run, (literal, _)) in enumerate(zip(runs, lengths, strict=True)):
        pieces += [line[position : run.start()], "'" * (literal + (number == odd))]
        position = run.end()
    return "".join([*pieces, line[position:]])


def _split_run(length: int) -> tuple[int, int]:
    """How many quotes of a run are text, and how many are marks: two, three or five."""
    marks = 5 if length >= 5 else 3 if length >= 3 else 2
    return length - marks, marks


def _apostrophe(line: str, runs: list[re.Match[str]], marks: list[int]) -> int | None:
    """Where bold and italic are both left open: the three quotes that are an apostrophe and italic."""
    threes = [number for number, length in enumerate(marks) if length == 3]

    def kind(number: int) -> int:
        before = line[: runs[number].start()]
        return 2 if before.endswith(" ") or not before else 0 if before[-2:-1] in {" ", ""} else 1

    return min(threes, key=kind, default=None)


def _lists_as_text(text: str) -> str:
    """Lines in one; the items of a list divided by commas."""
    lines: list[str] = []
    in_list = False
    for line in text.split("\n"):
        item = _BULLET.fullmatch(line) if lines or line is not text else None
        if item and item[1]:
            if in_list:
                lines[-1] += ","
            lines.append(item[1])
        elif line.strip():
            lines.append(line)
        in_list = item is not None or (in_list and not line.strip())
    return " ".join(lines)
