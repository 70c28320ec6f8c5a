"""What is taken out of wikitext before anything else is read: comments, references, and the insides of `<nowiki>`."""

from __future__ import annotations

import re

_GONE = (
    "ref", "references", "gallery", "timeline", "score", "imagemap", "graph", "mapframe", "templatestyles", "section",
    "indicator", "hiero", "templatedata", "inputbox", "categorytree", "includeonly", "maplink",
)  # fmt: skip
_LITERAL = ("nowiki", "math", "pre", "source", "syntaxhighlight", "chem", "ce")
_START = re.compile(rf"<!--|<({'|'.join(_GONE + _LITERAL)})(?=[\s/>])((?:[^<>\"]|\"[^\"<>]*\")*?)(/?)>", re.IGNORECASE)
_ENDS = {name: re.compile(rf"</{name}\s*>", re.IGNORECASE) for name in _GONE + _LITERAL} | {"!--": re.compile("-->")}
_MARK = re.compile(r"[^\w\s&;.,#]|(?<!&)#|_|\n")


def strip_unseen(text: str) -> str:
    """The text without comments and references; what `<nowiki>` keeps from being markup becomes entities.

    >>> strip_unseen("a<!-- | -->b<ref name=x>c</ref><nowiki>|</nowiki>")
    'ab&#124;'
    """
    if "<" not in text:
        return text
    pieces, position = [], 0
    never_closed: set[str] = set()
    start = _START.search(text)
    while start:
        name = (start[1] or "!--").lower()
        end = None if start[3] or name in never_closed else _ENDS[name].search(text, start.end())
        pieces.append(text[position : start.start()])
        if end:
            pieces.append(_as_entities(text[start.end() : end.start()]) if name in _LITERAL else "")
            position = end.end()
        else:
            never_closed |= set() if start[3] else {name}
            position = len(text) if name == "!--" else start.end()
        start = _START.search(text, position)
    return "".join([*pieces, text[position:]])


def _as_entities(text: str) -> str:
    return _MARK.sub(lambda mark: f"&#{ord(mark[0])};", text)
