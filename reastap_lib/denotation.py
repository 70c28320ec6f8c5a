"""Denotation accuracy, twice and by name, for they differ on a few examples in a hundred.

`official` follows the evaluator of WikiTableQuestions 1.0.2: two sets of items are equal when they are as large, and
each gold item matches a predicted one as normalised text, as a number (within 1e-6), or as a date. What kind of value
a gold item is, its canonical value says where there is one. `string` follows the scripts of TAPEX and ReasTAP: both
texts in lower case, split at ", ", numbers as numbers, and equal as multisets. Numbers are only what is written as
one: "nan", "infinity" and "1_000" are text.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from reastap_lib.serialisation import ANSWER_JOIN

_NUMBER = re.compile(r"\s*[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?\s*")
_QUOTES = {**dict.fromkeys("‘’´`", "'"), **dict.fromkeys("“”", '"'), **dict.fromkeys("‐‑‒–—−", "-")}
_CITATIONS = re.compile(r"(?:(?<!^)\[[^\]]*\]|\[\d+\]|[•♦†‡*#+])*$")
_DETAILS = re.compile(r"(?<!^)(?: \([^)]*\))*$")
_OUTER_QUOTES = re.compile(r'^"([^"]*)"$')
_TOLERANCE = 1e-6


@dataclass(frozen=True)
class Value:
    """An item as the official evaluator sees it: its normalised text, and its number or its date (-1: unknown part)."""

    text: str
    number: float | None = None
    date: tuple[int, int, int] | None = None

    @property
    def identity(self) -> object:
        """What makes two items of a list one: the number, the date, or the text."""
        return self.date or (self.text if self.number is None else self.number)

    def matches(self, other: Value) -> bool:
        """Whether `other`, a prediction, is this gold item."""
        if self.text == other.text:
            return True
        if self.number is not None and other.number is not None:
            return abs(self.number - other.number) < _TOLERANCE
        return self.date is not None and self.date == other.date


def official(predicted: Sequence[str], gold: Sequence[str], canon: Sequence[str] = ()) -> bool:
    """Whether predicted items denote the gold ones by the rules of WikiTableQuestions.

    Args:
        canon: The gold items' canonical values (4.0, xxxx-10-17), when the tagged file gives them.

    >>> official(["4"], ["4 events"], ["4.0"]), official(["1,234"], ["1234"]), official(["café"], ["Cafe"])
    (True, False, True)
    """
    targets = _distinct([_value(text, c) for text, c in zip(gold, canon or gold, strict=True)])
    found = _distinct([_value(text, text) for text in predicted])
    return len(targets) == len(found) and all(any(t.matches(p) for p in found) for t in targets)


def string(predicted: Sequence[str], gold: Sequence[str]) -> bool:
    """Whether two lists of items are equal as multisets, in lower case, numbers by value.

    >>> string(["b", "A"], ["a", "b"]), string(["1_000"], ["1000"]), string(["D.C., Washington"], ["Washington, D.C."])
    (True, False, False)
    """
    return Counter(map(_key, predicted)) == Counter(map(_key, gold))


def official_of_text(prediction: str, gold: Sequence[str], canon: Sequence[str] = ()) -> bool:
    """`official` for a model's output, split at ", "; the gold items stay as they are."""
    return official(split(prediction), gold, canon)


def string_of_text(prediction: str, gold: Sequence[str]) -> bool:
    """`string` as published: the gold items joined, and both texts split at ", ".

    >>> string_of_text("december 27, 2008", ["December 27, 2008"]), string_of_text("b, a", ["a", "b"])
    (True, True)
    """
    return string(split(prediction.lower()), split(ANSWER_JOIN.join(gold).lower()))


def split(text: str) -> list[str]:
    """The items of a text: between ", "."""
    return text.split(ANSWER_JOIN)


def normalise_text(text: str) -> str:
    """A text without what the official evaluator overlooks: accents, kinds of quotes and dashes, footnotes, details.

    >>> normalise_text("“Café”[3]"), normalise_text("Smith (captain)"), normalise_text("5.")
    ('cafe', 'smith', '5')
    """
    text = "".join(c for c in unicodedata.normalize("NFKD", text) if unicodedata.category(c) != "Mn")
    text = "".join(_QUOTES.get(c, c) for c in text)
    before = None
    while before != text:
        before = text
        text = _CITATIONS.sub("", text.strip())
        text = _DETAILS.sub("", text.strip())
        text = _OUTER_QUOTES.sub(r"\1", text.strip())
    return " ".join(text.removesuffix(".").lower().split())


def _value(text: str, typed: str) -> Value:
    plain = normalise_text(text)
    if _NUMBER.fullmatch(typed):
        return Value(plain, number=_whole(float(typed)))
    date = _date(typed)
    if date and date[1:] == (-1, -1):
        return Value(plain, number=float(date[0]))
    return Value(plain, date=date)


def _whole(number: float) -> float:
    return float(round(number)) if abs(number) < 1e15 and abs(number - round(number)) < _TOLERANCE else number


def _date(text: str) -> tuple[int, int, int] | None:
    """xxxx-10-17 as (-1, 10, 17); None where it is no date, or all of it is unknown."""
    parts = text.lower().split("-")
    if len(parts) != 3:
        return None
    unknown = [part in ("x", "xx", "xxx", "xxxx") for part in parts]
    if all(unknown) or not all(
        u or re.fullmatch(r"\s*[0-9]+\s*", part) for u, part in zip(unknown, parts, strict=True)
    ):
        return None
    year, month, day = (-1 if u else int(part) for u, part in zip(unknown, parts, strict=True))
    return (year, month, day) if month in (-1, *range(1, 13)) and day in (-1, *range(1, 32)) else None


def _distinct(values: Sequence[Value]) -> list[Value]:
    return list({value.identity: value for value in values}.values())


def _key(item: str) -> float | str:
    return float(item) if _NUMBER.fullmatch(item) else item.strip().lower()
