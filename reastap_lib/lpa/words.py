"""Words of sentences and cells, for linking and for equality: tokens, stems, digits for number words, degree tags.

No trained tagger or lexicon is needed: stems are Porter's, and comparatives and superlatives (the tags JJR, RBR, JJS,
RBS that gate the search) go by a word list and the endings -er and -est of gradable adjectives.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache

from nltk.stem.porter import PorterStemmer

from reastap_lib.dates import MONTH
from reastap_lib.tables import words

_ACCENTS = re.compile("[\u0300-\u036f]")
_POSSESSIVE = re.compile(r" ?['’]s\b")
_MINUS = re.compile(r"(?<!\d )(?<!\w)[-−–] ?(?=\.?\d)")
_TOKEN = re.compile(r"-?(?:\d[\d,]*(?:\.\d+)*|\.\d+)[^\W\d_]*|[^\W\d_]+n['’]t\b|[^\W_]+")
_NUMBER_WORDS = words(
    """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
    eighteen nineteen twenty"""
)
_DIGITS = {word: str(number) for number, word in enumerate(_NUMBER_WORDS) if number}
_POWERS = {"hundred": "00", "thousand": "000"}
_ORDINALS = dict(zip(words("first second third fourth fifth sixth"), words("1st 2nd 3rd 4th 5th 6th"), strict=True))
_SYNONYMS = {"crowd": ("people", "audience"), "attendance": ("people", "audience")}
_GRADABLE = frozenset(
    words(
        """big bright broad cheap clean clear close cold cool dark deep dense dry early easy fair fast few fine full
        great hard heavy high hot large late lengthy light long loose loud low mild narrow near new nice old poor
        popular quick rare recent rich rough safe sharp short simple slim slow small soft steep strict strong sweet tall
        thick thin tight tough warm weak wealthy wet wide wild young"""
    )
)
_COMPARATIVE = frozenset(words("more less fewer better worse further farther"))
_SUPERLATIVE = frozenset(words("most least best worst furthest farthest"))
_stemmer = PorterStemmer()


@lru_cache(maxsize=65536)
def tokens(text: str) -> tuple[str, ...]:
    """The words and numbers of a text in lower case, without marks: a minus sign stays with its number.

    >>> tokens("Ann's average was - 7.5 (of 1,200), 62 - 63 in the 1st")
    ('ann', 'average', 'was', '-7.5', 'of', '1200', '62', '63', 'in', 'the', '1st')
    """
    plain = _MINUS.sub(" -", _POSSESSIVE.sub("", fold(text)))
    return tuple(found.replace(",", "").replace("’", "'") for found in _TOKEN.findall(plain))


def fold(text: str) -> str:
    """Lower case without accents: what a writer may leave out.

    >>> fold("Marit Bjørgen, Guaraní")
    'marit bjørgen, guarani'
    """
    spelled = unicodedata.normalize("NFKD", text.casefold())
    return unicodedata.normalize("NFC", _ACCENTS.sub("", spelled))


def with_digits(sentence: Sequence[str]) -> tuple[str, ...]:
    """The tokens with number words up to twenty as digits, and hundreds and thousands joined to theirs.

    >>> with_digits(("three", "hundred", "of", "a", "thousand"))
    ('300', 'of', '1000')
    """
    found: list[str] = []
    for word in sentence:
        before = found[-1] if found else ""
        if word in _POWERS and (before == "a" or before.isdigit()):
            found[-1] = ("1" if before == "a" else before) + _POWERS[word]
        else:
            found.append(_DIGITS.get(word, word))
    return tuple(found)


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """The stem of a word; numbers and short words are their own, a month is its first three letters.

    >>> stem("goals"), stem("scored"), stem("was"), stem("1990s"), stem("september")
    ('goal', 'score', 'was', '1990s', 'sep')
    """
    if word in MONTH:
        return word[:3]
    return str(_stemmer.stem(word)) if len(word) > 3 and word.isalpha() else word


@lru_cache(maxsize=65536)
def stems(text: str) -> tuple[str, ...]:
    """The stems of a text's tokens.

    >>> stems("Total Goals (2008)")
    ('total', 'goal', '2008')
    """
    return tuple(map(stem, tokens(text)))


def aliases(cell: Sequence[str]) -> frozenset[str]:
    """Other stems by which a sentence may say a cell's words: ordinals, 05 as 5, days of a month, crowds as people.

    >>> sorted(aliases(("may", "05")))
    ['5', '5th']
    """
    found = {other for word in cell for other in (_ORDINALS.get(word), *_SYNONYMS.get(word, ())) if other}
    found |= {word[1:] for word in cell if re.fullmatch(r"0\d", word)}
    if not MONTH.keys().isdisjoint(cell):
        days = {word for word in {*cell, *found} if re.fullmatch(r"[1-9]|[12]\d|3[01]", word)}
        found |= {day + _ending(int(day)) for day in days}
    return frozenset(map(stem, found))


def _ending(number: int) -> str:
    return "th" if number in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")


def is_comparative(word: str) -> bool:
    """Whether a word compares two things: more, better, higher, earlier. A player and a winner do not.

    >>> is_comparative("earlier"), is_comparative("bigger"), is_comparative("player")
    (True, True, False)
    """
    return word in _COMPARATIVE or _is_degree(word, "er")


def is_superlative(word: str) -> bool:
    """Whether a word names the extreme: most, best, highest, latest.

    >>> is_superlative("latest"), is_superlative("biggest"), is_superlative("west")
    (True, True, False)
    """
    return word in _SUPERLATIVE or _is_degree(word, "est")


def _is_degree(word: str, ending: str) -> bool:
    base = word.removesuffix(ending)
    if base == word or len(base) < 2:
        return False
    doubled = base[:-1] if base[-1] == base[-2] else base
    bare = base[:-1] + "y" if base.endswith("i") else base
    return not _GRADABLE.isdisjoint({base, base + "e", doubled, bare})
