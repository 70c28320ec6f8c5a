"""Faults of English that can be seen in a question without an understanding of it."""

from __future__ import annotations

import re
from collections.abc import Iterator

_ORDINAL = re.compile(r"\b([0-9]+)(st|nd|rd|th)\b")
_ARTICLE = re.compile(r"\bfor (an?) ((\w)(\w*))")
_TWICE = re.compile(r"\b([^\W\d_]+) \1\b", re.I)
_SPACES = re.compile(r"  | [?.,;](?![0-9])|\( | \)")
_LIKE_YOU = re.compile(r"(?:uni(?!n)|use|usa|eu|one|u[a-z]?$)", re.I)
_NO_SENTENCE = re.compile(r"[A-Z].*[?.]", re.DOTALL)


def faults_of_english(question: str, shown: str) -> Iterator[str]:
    """What is wrong with a sentence.

    Args:
        shown: All texts of the table, on lines; what stands there already is not the question's fault.

    >>> list(faults_of_english("Which  Name had the 11st most Goals", "Name"))[:2]
    ["two spaces, or one before a mark: 'Which  Name'", "'11st' is no ordinal"]
    >>> list(faults_of_english("Was the Club Reds only for a Owner?", "Club"))
    ["'a Owner'"]
    """
    for found in _SPACES.finditer(question):
        around = question[max(0, found.start() - 5) : found.end() + 4]
        if found[0] not in shown:
            yield f"two spaces, or one before a mark: {around!r}"
    for found in _ORDINAL.finditer(question):
        if found[2] != _ending(int(found[1])) and found[0] not in shown:
            yield f"{found[0]!r} is no ordinal"
    for found in _ARTICLE.finditer(question):
        if (found[1] == "an") != _begins_with_vowel(found[2]) and found[0] not in shown:
            yield f"{found[1] + ' ' + found[2]!r}"
    for found in _TWICE.finditer(question):
        if found[0] not in shown:
            yield f"a word twice: {found[0]!r}"
    if not _NO_SENTENCE.fullmatch(question):
        yield "no capital at the beginning, or no mark at the end"


def _ending(number: int) -> str:
    return "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")


def _begins_with_vowel(word: str) -> bool:
    """By its sound: letters that are spelled (an FBI), an hour, a unit, an 8th."""
    if word[0].isdigit():
        return re.match(r"8|11(?:\D|$)|18(?:\D|$)", word) is not None
    if len(word) > 1 and word.isupper():
        return word[0] in "AEFHILMNORSX"
    if re.match(r"hour|honou?r|heir", word, re.I):
        return True
    return word[0].lower() in "aeiou" and not _LIKE_YOU.match(word)
