"""Cell texts read as quantities, by their shape: the figures taken out, what is left is the unit.

`$1,200` has the shape `$#`, `170 cm (5 ft 7 in)` the shape `# cm (# ft # in)`. Cells of one shape can be compared.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

_MARKS = re.compile(r"\s*(?:\[[^\[\]]{1,9}\]|[*†‡§¤¶^])$")
_FIGURE = re.compile(
    r"[0-9]{1,3}(?:,[0-9]{3})+(?![0-9])(?:\.[0-9]+)?|[0-9]{1,3}(?: [0-9]{3})+(?![0-9])|[0-9]*\.?[0-9]+"
)
_VULGAR = {"½": "1/2", "¼": "1/4", "¾": "3/4", "⅛": "1/8", "⅜": "3/8", "⅝": "5/8", "⅞": "7/8"}
_SCALES = {"thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}
_SHORT_SCALES = {"k": 10**3, "m": 10**6, "mn": 10**6, "b": 10**9, "bn": 10**9}
_SCALED = re.compile(r"^(.*)#\s?([a-z]+)\b(.*)$")
_CURRENCY = re.compile(r"[$£€¥₹₩₽₺]")
_BEFORE = re.compile(r"(?:us|au|nz|hk|[acrs])?\$ ?|[£€¥₹₩₽₺] ?|(?:rs\.?|usd|gbp|eur|chf) ?|[^\w]?")
_SPOKEN = re.compile(r"(?:# ?h[a-z]*,? ?)?(?:# ?(?:m|mins?|minutes?),? ?)?(?:# ?(?:s|secs?|seconds?))?")
_FEET = re.compile(r"#(?: ?ft|['′’]) ?#(?: ?in|[\"″”])(?: \(.*\))?")
_ORDINALS = frozenset(["#st", "#nd", "#rd", "#th", "t#", "=#", "t-#", "##", "# #", "#.", "#="])
ORDINAL, CLOCK, INCHES = "ordinal", "clock", "feet and inches"


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number, exactly, and the unit that its text shows; `places` are the figures after its point."""

    value: Fraction
    unit: str
    places: int = 0


def without_marks(text: str) -> str:
    """The text without footnote marks at its end.

    >>> without_marks("45[a]*"), without_marks("[x]")
    ('45', '[x]')
    """
    text = text.strip()
    while (bare := _MARKS.sub("", text)) and bare != text:
        text = bare
    return text


@lru_cache(maxsize=65536)
def quantity(text: str) -> Quantity | None:
    """The quantity that a whole cell is, or None.

    >>> quantity("$1,200.50").value, quantity("12 km").unit, quantity("Boeing 747 (1969)")
    (Fraction(2401, 2), '# km', None)
    >>> quantity("2:05.5").value, quantity("3rd").unit, quantity("−5½").value
    (Fraction(251, 2), 'ordinal', Fraction(-11, 2))
    """
    bare = without_marks(text)
    for sign, words in _VULGAR.items():
        bare = re.sub(rf"([0-9]?){sign}", lambda m, w=words: f"{m[1]}{' ' if m[1] else ''}{w}", bare)  # type: ignore[misc]
    found = _FIGURE.findall(bare)
    if not found:
        return None
    figures = [Fraction(figure.replace(",", "").replace(" ", "")) for figure in found]
    shape = " ".join(_FIGURE.sub("#", bare.replace("#", "# ")).lower().split())
    places = len(found[0].partition(".")[2])
    return _of_shape(shape, figures, places)


def _of_shape(shape: str, figures: list[Fraction], places: int) -> Quantity | None:
    negative, shape = _sign(shape)
    for read in (_ordinal, _clock, _feet, _fraction, _plain):
        found = read(shape, figures)
        if found is not None:
            value, unit = found
            return Quantity(-value if negative else value, unit, places)
    return None


def _sign(shape: str) -> tuple[bool, str]:
    match = re.match(r"([+\-−–]) ?(?=[^\w]{0,4}#)", shape)
    return (match is not None and match[1] != "+"), shape[match.end() :] if match else shape


def _ordinal(shape: str, figures: list[Fraction]) -> tuple[Fraction, str] | None:
    spelled = shape in _ORDINALS or re.fullmatch(r"[t=]-?#(?:st|nd|rd|th)?", shape)
    return (figures[0], ORDINAL) if spelled and len(figures) == 1 else None


def _clock(shape: str, figures: list[Fraction]) -> tuple[Fraction, str] | None:
    spoken = len(figures) > 1 and _SPOKEN.fullmatch(shape)
    if not (re.fullmatch(r"#(?::#){1,2}", shape) or spoken):
        return None
    if spoken and len(figures) == 2 and "h" in shape:
        hours, rest = figures
        return (hours * 3600 + rest * (60 if "m" in shape else 1), CLOCK)
    seconds = Fraction(0)
    for figure in figures:
        seconds = seconds * 60 + figure
    return seconds, CLOCK


def _feet(shape: str, figures: list[Fraction]) -> tuple[Fraction, str] | None:
    return (12 * figures[0] + figures[1], INCHES) if _FEET.fullmatch(shape) and len(figures) > 1 else None


def _fraction(shape: str, figures: list[Fraction]) -> tuple[Fraction, str] | None:
    match = re.fullmatch(r"(# |#-)?#[/⁄]#(.*)", shape)
    if not match or 0 in figures[-1:] or "#" in match[2]:
        return None
    whole = figures[0] if match[1] else Fraction(0)
    over, under = figures[-2:]
    return (whole + over / under, f"#{match[2]}") if over < under else None


def _plain(shape: str, figures: list[Fraction]) -> tuple[Fraction, str] | None:
    converted = re.search(r" \([^()]*#[^()]*\)$", shape)
    head = shape[: converted.start()] if converted else shape
    if head.count("#") != 1 or not _BEFORE.fullmatch(head[: head.index("#")]):
        return None
    value, unit = _scaled(head, figures[0])
    unit = re.sub(r"(?<=[a-z]{3})(?<!s)s$", "", unit).replace("us$", "$").rstrip(".")
    return value, unit + (f" ({re.sub(r'[^a-z%]+', ' ', converted[0]).strip()})" if converted else "")


def _scaled(head: str, value: Fraction) -> tuple[Fraction, str]:
    match = _SCALED.match(head)
    if not match:
        return value, head
    scales = _SCALES | _SHORT_SCALES if _CURRENCY.search(match[1]) else _SCALES
    scale = scales.get(match[2])
    return (value * scale, f"{match[1]}#{match[3]}") if scale else (value, head)
