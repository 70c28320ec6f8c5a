"""The last steps from what a page holds to a cell's text, for wikitext and HTML alike."""

from __future__ import annotations

import re

_PICTURE, _RAISED, _LOWERED, _END = "\ue000", "\ue001", "\ue002", "\ue003"
_MARKED = re.compile(f"{_PICTURE}([^{_END}]*){_END}")
_SCRIPT = re.compile(f"(\\d?)([{_RAISED}{_LOWERED}])([^{_RAISED}{_LOWERED}{_END}]*){_END}")
_DIGITS = {
    _RAISED: str.maketrans("0123456789+-−n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻ⁿ"),
    _LOWERED: str.maketrans("0123456789+-−", "₀₁₂₃₄₅₆₇₈₉₊₋₋"),
}
_INVISIBLE = dict.fromkeys(map(ord, "\u200b\u200c\u200d\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u00ad\ufeff"))
_PRIVATE = dict.fromkeys(map(ord, _PICTURE + _RAISED + _LOWERED + _END))


def picture(text: str) -> str:
    """The mark for a picture that stands for a text: it is shown where a cell holds nothing else."""
    return f"{_PICTURE}{text}{_END}" if text else ""


def script(text: str, tag: str) -> str:
    """The mark for what `<sup>` and `<sub>` hold."""
    return f"{_RAISED if tag == 'sup' else _LOWERED}{text}{_END}"


def one_line(text: str) -> str:
    """A cell's text on one line, without invisible characters; raised digits after a digit stay apart from it.

    >>> one_line("10" + script("6", "sup") + " km" + script("2", "sup")), one_line(picture("Peru") + " Lima")
    ('10⁶ km2', 'Lima')
    >>> one_line(picture("Peru"))
    'Peru'
    """
    if _RAISED in text or _LOWERED in text:
        text = _SCRIPT.sub(_settled, text)
    if _PICTURE in text:
        text = _MARKED.sub("", text) if _MARKED.sub("", text).strip() else _MARKED.sub(r"\1 ", text)
    if not text.isascii():
        text = text.translate(_INVISIBLE | _PRIVATE)
    return " ".join(text.split())


def _settled(found: re.Match[str]) -> str:
    digit, kind, inside = found.groups()
    table = _DIGITS[kind]
    apart = digit and inside and all(ord(character) in table for character in inside)
    return digit + (inside.translate(table) if apart else inside)
