"""The words of a cell, for conditions such as "contained the word Street"."""

from __future__ import annotations

import re
from functools import lru_cache

from reastap_lib.tables import normalise, words

MIN_LETTERS = 3
_RUNS = re.compile(r"[^\W_]+")
_AROUND = ".,;:!?\"'()[]{}“”‘’«»…"
_SMALL_WORDS = frozenset(
    words(
        """the and for from with without into onto over under not but nor its his her their our your was were are has
        had have been one two all any who whom which that this these those des der die das del los las les von van"""
    )
)


@lru_cache(maxsize=65536)
def padded_words(text: str) -> str:
    """All words of a text in lower case, between spaces: what `reastap_lib.sql` looks a word up in.

    >>> padded_words("New York-based (1998)")
    ' new york based 1998 '
    """
    return f" {' '.join(_RUNS.findall(normalise(text)))} "


@lru_cache(maxsize=65536)
def standing_words(text: str) -> frozenset[str]:
    """The words that stand between spaces, without the marks around them: York-based is one, and York is none.

    >>> sorted(standing_words("New York-based (1998)"))
    ['1998', 'new', 'york-based']
    """
    return frozenset(word for part in normalise(text).split() if (word := part.strip(_AROUND)))


@lru_cache(maxsize=65536)
def telling_words(text: str) -> tuple[str, ...]:
    """The words that a question may ask for, as they are written: of three letters or more, no small words.

    >>> telling_words("The Art of War, 1998")
    ('Art', 'War')
    """
    found = (part.strip(_AROUND) for part in text.split())
    return tuple(w for w in found if len(w) >= MIN_LETTERS and w.isalpha() and w.casefold() not in _SMALL_WORDS)
