"""Concepts of a knowledge base in a text: runs of whole words, the longest ones first."""

from __future__ import annotations

import re
from collections.abc import Sequence

from eg3p_lib.knowledge import DATA
from eg3p_lib.rules import parse_term
from eg3p_lib.store import KnowledgeBase

_WORD = re.compile(r"\w+(?:['’.-]\w+)*")
FUNCTION_WORDS = frozenset((DATA / "function_words.txt").read_text(encoding="utf-8").split())
"""Words that name nothing by themselves."""
MOST_WORDS = 8
_ARTICLES = ("a ", "an ", "the ")


def words_of(text: str) -> list[str]:
    """The words of a text, lower-cased, without punctuation.

    >>> words_of("The dog's tail -- wagging!")
    ['the', "dog's", 'tail', 'wagging']
    """
    return _WORD.findall(text.lower())


def spellings(text: str) -> list[str]:
    """A concept as it is, without punctuation, and without an article.

    >>> spellings("The Sun.")
    ['the sun.', 'the sun', 'sun']
    """
    words = " ".join(words_of(text))
    bare = next((words.removeprefix(article) for article in _ARTICLES if words.startswith(article)), words)
    return list(dict.fromkeys([parse_term(text).text, words, bare]))


def word_sequences(text: str) -> list[str]:
    """The concepts that may stand in a text: up to 8 words in a row, of which one is no function word.

    >>> word_sequences("Fish in a pond")
    ['fish', 'fish in', 'fish in a', 'fish in a pond', 'in a pond', 'a pond', 'pond']
    """
    words = words_of(text)
    return [" ".join(words[start:stop]) for start, stop in _spans(words)]


def linked_concepts(texts: Sequence[str], kb: KnowledgeBase) -> list[list[str]]:
    """For each text the concepts of the knowledge base in it, in order, each once.

    From the left, the longest run of words that is a concept is taken, and the search goes on after it; a run of
    function words alone is none.
    """
    names = sorted({sequence for text in texts for sequence in word_sequences(text)})
    known = {name for name, number in zip(names, kb.numbers(names).tolist(), strict=True) if number >= 0}
    return [_longest_first(words_of(text), known) for text in texts]


def _longest_first(words: Sequence[str], known: set[str]) -> list[str]:
    longest = {start: stop for start, stop in _spans(words) if " ".join(words[start:stop]) in known}
    found, start = [], 0
    while start < len(words):
        stop = longest.get(start)
        if stop is not None:
            found.append(" ".join(words[start:stop]))
        start = stop or start + 1
    return list(dict.fromkeys(found))


def _spans(words: Sequence[str]) -> list[tuple[int, int]]:
    """Runs of words that are not all function words, by their start, the shorter ones first."""
    spans = ((start, stop) for start in range(len(words)) for stop in range(start + 1, start + MOST_WORDS + 1))
    return [(a, b) for a, b in spans if b <= len(words) and not FUNCTION_WORDS.issuperset(words[a:b])]
