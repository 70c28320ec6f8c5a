"""Headers as nouns, and the small words that go with them: was or were, a or an, plurals, places."""

from __future__ import annotations

import re
from functools import lru_cache

from reastap_lib.columns import Column
from reastap_lib.formats import ordinal
from reastap_lib.tables import words

_IRREGULAR = {"person": "people", "child": "children", "half": "halves"}
_UNCOUNTED = frozenset(
    words(
        """weather information data music population attendance attended capacity total percentage high low average
        height weight length media personnel people men women children staff money revenue income notes home away"""
    )
)
_SINGULAR_S = frozenset(
    words("series species news lens gas bus pos mathematics politics physics athletics chassis abs expires")
)
_PARTICIPLES = frozenset(words("born built won lost drawn held made written sold shown left taken given sung begun"))
_NO_PARTICIPLES = frozenset(words("speed seed bed breed feed need red shed led greed creed steed weed bleed"))
_PREPOSITIONS = frozenset(words("by to from in at of for with as on since until under over against"))
_HEAD = re.compile(r" (?:of|per|for|in|by|at|with|to|from|on|against) ")
_SUPERLATIVES = frozenset(words("most fewest highest lowest largest smallest longest shortest greatest least"))
_DATE_NOUNS = {"year": "year", "range": "period"}


def noun(column: Column) -> str:
    """What a column is called in a question: its header, with a noun behind it where that ends in none.

    >>> from reastap_lib.column_types import type_column
    >>> [noun(type_column(name, ["1998", "2001"])) for name in ("Founded", "Won", "Year born", "Most jobs")]
    ['Founded year', 'Won figure', 'Year born', 'Most jobs figure']
    """
    return _noun(column.name.rstrip(" :"), column.kind, column.precision)


@lru_cache(maxsize=8192)
def _noun(name: str, kind: str, precision: str | None) -> str:
    last = name.split()[-1].casefold() if name.split() else ""
    if kind == "number" and name.split(" ")[0].casefold() in _SUPERLATIVES:  # not: the highest Fewest jobs
        return f"{name} figure"
    participle = last in _PARTICIPLES or (last.endswith("ed") and last not in _NO_PARTICIPLES)
    if not participle and last not in _PREPOSITIONS and any(map(str.isalpha, name)):
        return name
    added = _DATE_NOUNS.get(precision or "", "date") if kind == "date" else "figure" if kind == "number" else "entry"
    return name if added in name.casefold().split() else f"{name} {added}"


@lru_cache(maxsize=8192)
def is_plural(name: str) -> bool:
    """Whether a header reads as a plural, so that it takes "were".

    >>> [is_plural(name) for name in ("Goals", "Points per game", "No. of seats", "Class", "Votes (%)")]
    [True, True, False, False, True]
    """
    if name.endswith((" figure", " entry")):
        return False
    head = _HEAD.split(name.casefold().split(" (")[0])[0]
    last = (head.split() or [""])[-1]
    return len(last) > 2 and last.endswith("s") and not last.endswith(("ss", "us", "is")) and last not in _SINGULAR_S


def was(name: str) -> str:
    """was or were, as the noun needs."""
    return "were" if is_plural(name) else "was"


def a(name: str) -> str:
    """The noun with its article.

    >>> a("Episode"), a("Unit"), a("Player"), a("NFL team")
    ('an Episode', 'a Unit', 'a Player', 'an NFL team')
    """
    first = name.split(" ")[0]
    spelled = len(first) > 1 and first.isalpha() and first.isupper()
    vowel = name[:1].casefold() in "aeiou" and not name.casefold().startswith(("uni", "use", "eu", "one"))
    return f"{'an' if (first[0] in 'AEFHILMNORSX' if spelled else vowel) else 'a'} {name}"


@lru_cache(maxsize=8192)
def plural(name: str) -> str | None:
    """The plural of a header that is a plain singular noun, or None where that is not sure.

    >>> plural("Player"), plural("Home city"), plural("Goals"), plural("No.")
    ('Players', 'Home cities', None, None)
    """
    if not re.fullmatch(r"[A-Za-z][a-z]{2,}(?: [A-Za-z]?[a-z]+)*", name):
        return None
    word = name.split()[-1].lower()
    if word in _IRREGULAR:
        return name[: len(name) - len(word) + 1] + _IRREGULAR[word][1:]
    if word.endswith("man"):
        return None if word in ("human", "german", "roman", "talisman", "shaman") else name[:-2] + "en"
    if word.endswith(("s", "ed", "ing", "er than")) or word in _UNCOUNTED | _PREPOSITIONS or len(word) < 3:
        return None
    if word.endswith("y") and word[-2] not in "aeiou":
        return name[:-1] + "ies"
    return name + ("es" if word.endswith(("x", "z", "ch", "sh")) else "s")


def place(k: int, adjective: str, *, figure: bool) -> str:
    """The words for a place: largest or 1st largest, 2nd largest, 11th largest.

    >>> place(1, "largest", figure=False), place(12, "largest", figure=False)
    ('largest', '12th largest')
    """
    return adjective if k == 1 and not figure else f"{ordinal(k)} {adjective}"


def sentence(text: str) -> str:
    """The text with a capital at its beginning."""
    return text[:1].upper() + text[1:]
