"""Conditions in English: `the Goals were at least 5`, `whose Club was Reds`, `did the Motto contain the word "Art"`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction

from reastap_lib.oracle.calendar import Time
from reastap_lib.oracle.quantities import quantity
from reastap_lib.oracle.sheet import Rows, Sheet, Unclear, Unreadable, same_unit

_MORE, _LESS = ("greater than", "more than", "above", "longer than"), ("less than", "below", "lower than", "fewer than")
_NUMBERS: dict[str, Callable[[Fraction, Fraction], bool]] = {
    **dict.fromkeys(_MORE, lambda value, bound: value > bound),
    **dict.fromkeys((*_LESS, "smaller than", "shorter than"), lambda value, bound: value < bound),
    **dict.fromkeys(("at least", "greater than or equal to"), lambda value, bound: value >= bound),
    **dict.fromkeys(("at most", "less than or equal to"), lambda value, bound: value <= bound),
    **dict.fromkeys(("equal to", "exactly"), lambda value, bound: value == bound),
}
_TIMES = {"before": -1, "earlier than": -1, "after": 1, "later than": 1}
_VERB = re.compile(r" (?:was|were) ")
_WORD = re.compile(r'(.+) contained the word "([^"]+)"')
AND = " and "


@dataclass(frozen=True, slots=True)
class Clause:
    """A condition on a column, as one may take it.

    Args:
        rows: That meet it; or why that cannot be said.
        said: The value in the question.
    """

    column: int
    rows: Rows | Unclear | Unreadable
    said: str


def clauses(sheet: Sheet, text: str) -> list[tuple[Clause, ...]]:
    """All readings of `the A was x`, or of several such joined by and."""
    return sheet.remember("clauses", text, lambda: list(_joined(text, lambda part: _after_the(sheet, part))))


def asked(sheet: Sheet, text: str) -> list[tuple[Clause, ...]]:
    """All readings of `was the A x`, or `did the A contain the word "x"`, or of several such joined by and."""
    return sheet.remember("asked", text, lambda: list(_joined(text, lambda part: _asked(sheet, part))))


def whose(sheet: Sheet, text: str) -> list[tuple[Clause, ...]]:
    """All readings of `A was x`, as it stands after whose."""
    return sheet.remember("whose", text, lambda: [(clause,) for clause in _clause(sheet, text)])


def had(sheet: Sheet, text: str) -> list[tuple[Clause, ...]]:
    """All readings of `A above x`, as it stands after had."""
    return sheet.remember("had", text, lambda: [(clause,) for clause in _after_name(sheet, text)])


def _joined(text: str, read: Callable[[str], list[Clause]]) -> Iterator[tuple[Clause, ...]]:
    yield from ((clause,) for clause in read(text))
    at = text.find(AND)
    while at >= 0:
        for first in read(text[:at]):
            yield from ((first, *rest) for rest in _joined(text[at + len(AND) :], read))
        at = text.find(AND, at + 1)


def _after_the(sheet: Sheet, text: str) -> list[Clause]:
    return _clause(sheet, text[4:]) if text.startswith("the ") else []


def _clause(sheet: Sheet, text: str) -> list[Clause]:
    found: list[Clause] = []
    for verb in _VERB.finditer(text):
        for column in sheet.named(text[: verb.start()]):
            found += _values(sheet, column, text[verb.end() :])
    word = _WORD.fullmatch(text)
    if word:
        found += [_holding(sheet, column, word[2]) for column in sheet.named(word[1])]
    return found


def _asked(sheet: Sheet, text: str) -> list[Clause]:
    lower = text[:1].lower() + text[1:]
    if lower.startswith("did the "):
        name, contain, rest = lower[8:].partition(" contain the word ")
        quoted = contain and re.fullmatch('"[^"]+"', rest)
        return [_holding(sheet, column, rest[1:-1]) for column in sheet.named(name)] if quoted else []
    verb = re.match(r"(?:was|were) the ", lower)
    return _after_name(sheet, lower[verb.end() :]) if verb else []


def _after_name(sheet: Sheet, text: str) -> list[Clause]:
    """A name and a value with nothing but a space between them."""
    found: list[Clause] = []
    at = text.find(" ")
    while at > 0:
        for column in sheet.named(text[:at]):
            found += _values(sheet, column, text[at + 1 :])
        at = text.find(" ", at + 1)
    return found


def _holding(sheet: Sheet, column: int, word: str) -> Clause:
    return Clause(column, _tried(lambda: sheet.holding(column, word)), word)


def _values(sheet: Sheet, column: int, text: str) -> list[Clause]:
    """The readings of what stands behind a verb: a whole cell, a comparison of numbers, or one of times."""
    found = []
    whole = _tried(lambda: sheet.equal(column, text))
    if whole:
        found.append(Clause(column, whole, text))
    for words, compare in _NUMBERS.items():
        bound = text[len(words) + 1 :]
        if text.startswith(f"{words} ") and quantity(bound):
            found.append(Clause(column, _tried(lambda c=compare, b=bound: _compared(sheet, column, c, b)), bound))  # type: ignore[misc]
    for words, side in _TIMES.items():
        bound = text[len(words) + 1 :]
        if text.startswith(f"{words} "):
            found.append(Clause(column, _tried(lambda s=side, b=bound: _happened(sheet, column, s, b)), bound))  # type: ignore[misc]
    return found


def _tried(read: Callable[[], Rows]) -> Rows | Unclear | Unreadable:
    try:
        return read()
    except (Unclear, Unreadable) as error:
        return error


def _compared(sheet: Sheet, column: int, compare: Callable[[Fraction, Fraction], bool], text: str) -> Rows:
    bound, numbers = quantity(text), sheet.numbers(column)
    assert bound is not None
    if not all(same_unit(number, bound) for number in numbers.values()):
        raise Unreadable(f"{text!r} has another unit than {sheet.header[column]!r}")
    return frozenset(i for i, number in numbers.items() if compare(number.value, bound.value))


def _happened(sheet: Sheet, column: int, side: int, text: str) -> Rows:
    bound = sheet.time_of(column, text)
    return frozenset(i for i, time in sheet.times(column).items() if order(time, bound) == side)


def order(one: Time, other: Time) -> int:
    """-1, 0 or 1 where one time is before, the same as, or after the other.

    Raises:
        Unclear: they overlap, or one is said more exactly than the other.
    """
    if (one.first, one.last) == (other.first, other.last):
        return 0
    if one.precision != other.precision and "range" not in (one.precision, other.precision):
        raise Unclear("times that are not said equally exactly")
    if one.first < other.first and one.last <= max(other.first, other.last if one.first == one.last else other.first):
        return -1
    if other.first < one.first and other.last <= max(one.first, one.last if other.first == other.last else one.first):
        return 1
    raise Unclear("times that overlap")
