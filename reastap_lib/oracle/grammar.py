"""The questions as a reader knows them: sentences with slots, and every way in which a text fills one of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any

from reastap_lib.oracle.clauses import asked, clauses, had, whose
from reastap_lib.oracle.sheet import Sheet

Filled = dict[str, Any]

_SENTENCES = {
    "pick": """
        What {be} the {noun} when {where}?
        When {where}, what {be} the {noun}?
        What {be} the {noun} in the row where {where}?
        What {be} the {noun} in the rows where {where}?
        Give the {noun} of the row where {where}.
        List the {noun} of every row where {where}.
        Give the {noun} for each row in which {where}.
        For all rows where {where}, what {be} the {noun}?""",
    "count": """
        In how many rows {asked}?
        How many times {asked}?
        What is the number of rows in which {where}?
        How many rows are there where {where}?
        How many {names} are listed for which {where}?
        For how many {names} {asked}?
        What is the number of {names} for which {where}?
        How many {names} had {had}?""",
    "fold": """
        What {be} the {fold} of the {noun} when {where}?
        What {be} the {fold} of the {noun} over the rows where {where}?
        When {where}, what {be} the {fold} of the {noun}?
        Counting only rows where {where}, what {be} the {fold} of the {noun}?
        What {be} the {fold} of the {noun} over all rows?
        What {be} the {fold} of the whole {noun} column?""",
    "place": """
        Which {noun} [whose {whose} ]{has} the {place} {by}[ where {where}]?
        Among the rows where {where}, which {noun} {has} the {place} {by}?
        In the whole table, which {noun} {has} the {place} {by}?
        What {be} the {noun} in the row with the {place} {by}[ among those where {where}]?
        Among the rows where {where}, what {be} the {noun} of the row with the {place} {by}?
        In the whole table, what {be} the {noun} of the row with the {place} {by}?
        Looking at the {place} {by}[ where {where}], what {be} the {noun}?
        What {be} the {noun} with the {place} {by}[ where {where}]?
        Going by the {by}, which {noun} came {came}?
        Which {noun} came {came} in the order of the {by}?""",
    "gap": """
        Going by the {date}, how much time had passed between when the {noun} {be} {one} and when {it} {two}{unit}?
        How much time lies between the {date} of {one} and the {date2} of {two}{unit}?
        How far apart are the {noun} {one} and the {noun2} {two}, going by the {date}{unit}?
        Going by the {date}, how much time is there between {one} and {two}{unit}?""",
    "every": """
        {asked} for every {noun} whose {whose}?
        Is it true that {then} whenever {where}?
        {asked} in every row where {where}?
        Does it hold for every row where {where} that {then}?""",
    "only": """
        {asked} only when {where}?
        Is it true that {then} only where {where}?
        {asked} only for {a} {noun} whose {whose}?
        {be} it only in rows where {where} that {then}?""",
}
_SIZES = {"largest": True, "highest": True, "longest": True, "smallest": False, "lowest": False, "shortest": False}
_COUNTS = {"most": True, "largest number of": True, "highest number of": True}
_FEWEST = {"fewest": False, "smallest number of": False, "lowest number of": False}
_TIMES = {"earliest": False, "latest": True, "most recent": True}
_FOLDS = {"sum": "sum", "total": "sum", "average": "average", "mean": "average"}
_UNITS = {"": "year", ", in months": "month", ", in days": "day"}


def readings(sheet: Sheet, question: str) -> Iterator[tuple[str, Filled]]:
    """Every way to take the question: its kind, and what fills the slots."""
    for kind, pieces in _sentences():
        if question.startswith(pieces[0]):
            for filled in _fill(sheet, question, pieces, 0, {}):
                yield kind, filled


@lru_cache(maxsize=1)
def _sentences() -> list[tuple[str, list[str]]]:
    """Kind and pieces; text and slots take turns, from a text to a text, which may be empty."""
    found = []
    for kind, lines in _SENTENCES.items():
        for line in lines.strip().splitlines():
            found += [(kind, re.split(r"[{}]", variant)) for variant in _variants(line.strip())]
    return found


def _variants(line: str) -> list[str]:
    """The sentence with and without each part in brackets.

    >>> _variants("a[ b] c")
    ['a c', 'a b c']
    """
    before, bracket, rest = line.partition("[")
    if not bracket:
        return [line]
    inside, _, behind = rest.partition("]")
    return [f"{before}{part}{end}" for part in ("", inside) for end in _variants(behind)]


def _fill(sheet: Sheet, text: str, pieces: list[str], at: int, filled: Filled) -> Iterator[Filled]:
    """Fill the slots from the text's place `at` on, which the first piece must stand at."""
    if not text.startswith(pieces[0], at):
        return
    at += len(pieces[0])
    if len(pieces) == 1:
        if at == len(text):
            yield filled
        return
    slot, following = pieces[1], pieces[2]
    last = len(pieces) == 3
    ends = [len(text) - len(following)] if last else _places(text, following, at)
    for end in ends:
        for value in _SLOTS[slot](sheet, text[at:end]):
            yield from _fill(sheet, text, pieces[2:], end, {**filled, slot: value})


def _places(text: str, following: str, at: int) -> list[int]:
    if not following:  # the slot behind is `unit`, which may be empty
        return [len(text) - 1 - len(unit) for unit in _UNITS]
    found = []
    while (at := text.find(following, at)) >= 0:
        found.append(at)
        at += 1
    return found


def _place(sheet: Sheet, text: str) -> list[tuple[int, str, bool]]:
    """The place (1 = the first), what is ranked (numbers or times), and whether the first is the largest (latest)."""
    match = re.fullmatch(r"(?:([0-9]+)(?:st|nd|rd|th) )?(.+)", text)
    if not match:
        return []
    k, words = int(match[1] or 1), match[2]
    options = [("numbers", table[words]) for table in (_SIZES, _COUNTS, _FEWEST) if words in table]
    options += [("times", _TIMES[words])] if words in _TIMES else []
    return [(k, what, largest) for what, largest in options]


def _came(sheet: Sheet, text: str) -> list[tuple[int, str, bool]]:
    return [(int(text[:-2]), "times", False)] if re.fullmatch(r"[0-9]+(?:st|nd|rd|th)", text) else []


def _names(sheet: Sheet, text: str) -> list[int]:
    """The columns whose header has this plural."""
    return [i for i, header in enumerate(sheet.header) if text in _plurals(header)]


@lru_cache(maxsize=4096)
def _plurals(name: str) -> frozenset[str]:
    """All that may be the plural of a name.

    >>> sorted(_plurals("Home city")), sorted(_plurals("Chairman"))
    (['Home cities', 'Home citys'], ['Chairmans', 'Chairmen'])
    """
    options = [f"{name}s"]
    changes = [("y", "ies"), ("x", "xes"), ("z", "zes"), ("ch", "ches"), ("sh", "shes"), ("man", "men")]
    changes += [("person", "people"), ("Person", "People"), ("child", "children"), ("Child", "Children")]
    changes += [("half", "halves"), ("Half", "Halves"), ("s", "ses"), ("Man", "Men")]
    options += [name[: -len(end)] + plural for end, plural in changes if name.endswith(end)]
    return frozenset(options)


def _of(options: dict[str, Any]) -> Callable[[Sheet, str], list[Any]]:
    return lambda sheet, text: [options[text]] if text in options else []


def _noun(sheet: Sheet, text: str) -> list[int]:
    return sheet.named(text)


def _text(sheet: Sheet, text: str) -> list[str]:
    return [text] if text else []


_VERBS = dict.fromkeys(("was", "were", "is", "are", "Was"), "")
_SLOTS: dict[str, Callable[[Sheet, str], list[Any]]] = {
    **dict.fromkeys(("noun", "noun2", "by", "date", "date2"), _noun),
    **dict.fromkeys(("where", "then"), clauses),
    **dict.fromkeys(("one", "two"), _text),
    "asked": asked,
    "whose": whose,
    "had": had,
    "names": _names,
    "place": _place,
    "came": _came,
    "be": _of(_VERBS),
    "has": _of(dict.fromkeys(("had", "has"), "")),
    "it": _of(dict.fromkeys(("it was", "they were"), "")),
    "a": _of(dict.fromkeys(("a", "an"), "")),
    "fold": _of(_FOLDS),
    "unit": _of(_UNITS),
}
