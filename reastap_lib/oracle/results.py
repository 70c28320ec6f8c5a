"""Sums and averages written as the cells of their column are."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from fractions import Fraction

from reastap_lib.oracle.quantities import Quantity, without_marks
from reastap_lib.oracle.sheet import Unreadable

_WRITTEN = re.compile(
    r"(?P<sign>[+\-−–]? ?)(?P<before>[^0-9.]*)(?P<figures>[0-9.][0-9., ]*[0-9]|[0-9])(?P<behind>[^0-9]*)"
)
_AVERAGE_PLACES = 2


def like_the_cells(value: Fraction, cells: Sequence[str], numbers: Sequence[Quantity], *, average: bool) -> str:
    """A sum with the places of the cells, an average rounded half up to two (or theirs, if more), without end zeros.

    >>> from reastap_lib.oracle.quantities import quantity
    >>> cells = ["$1,200", "−$5"]
    >>> numbers = [quantity(cell) for cell in cells]
    >>> like_the_cells(Fraction(-1500), cells, numbers, average=False)
    '−$1,500'
    """
    found = [_WRITTEN.fullmatch(without_marks(cell)) for cell in cells]
    written = [match for match in found if match]
    around = {(match["before"], match["behind"]) for match in written}
    if len(written) < len(cells) or len(around) > 1 or any("#" not in number.unit for number in numbers):
        raise Unreadable("a result cannot be written as these cells are")
    before, behind = around.pop()
    most = max(number.places for number in numbers)
    places = max(_AVERAGE_PLACES, most) if average else most
    even = len({number.places for number in numbers}) == 1 and not average
    digits = _digits(abs(value), places, _separator(match["figures"] for match in written), even=even)
    return f"{_sign(value, written)}{before}{digits}{behind}" if digits.strip("0.,") else f"{before}{digits}{behind}"


def _separator(figures: Iterable[str]) -> str:
    text = "|".join(figures)
    return "," if "," in text else " " if " " in text else ""


def _digits(value: Fraction, places: int, separator: str, *, even: bool) -> str:
    scaled = int(value * 10**places + Fraction(1, 2))
    whole, part = divmod(scaled, 10**places)
    behind = f"{part:0{places}d}" if places else ""
    behind = behind if even else behind.rstrip("0")
    return f"{whole:,}".replace(",", separator) + (f".{behind}" if behind else "")


def _sign(value: Fraction, written: Sequence[re.Match[str]]) -> str:
    wanted = "+" if value > 0 else "-−–"
    signs = sorted({match["sign"] for match in written if match["sign"] and match["sign"].strip() in wanted})
    return signs[0] if signs else "" if value > 0 else "-"
