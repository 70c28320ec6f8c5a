"""BLEU of one sentence as the papers' scorers count it: unsmoothed, so that one n-gram order without a hit gives 0."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

Tokens = Sequence[str]


def sentence_bleu(references: Sequence[Tokens], hypothesis: Tokens, weights: Sequence[float]) -> float:
    """The weighted geometric mean of clipped n-gram precisions, times the brevity penalty (Papineni et al. 2002).

    Args:
        references: Tokens of one or several references.
        weights: Of the n-gram orders from 1 on; they are used as they are, and need not sum to 1.

    >>> round(sentence_bleu([["the", "team", "won"]], ["the", "team", "lost"], [0.5, 0.5]), 4)
    0.5774
    """
    if not hypothesis:
        return 0.0
    logarithms = 0.0
    for order, weight in enumerate(weights, start=1):
        found = _ngrams(hypothesis, order)
        most: Counter[tuple[str, ...]] = Counter()
        for reference in references:
            most |= _ngrams(reference, order)
        hits = (found & most).total()
        if not hits:
            return 0.0
        logarithms += weight * math.log(hits / found.total())
    return _brevity_penalty(references, len(hypothesis)) * math.exp(logarithms)


def _brevity_penalty(references: Sequence[Tokens], length: int) -> float:
    """By the reference that is nearest in length, the shorter one of two."""
    nearest = min((abs(len(reference) - length), len(reference)) for reference in references)[1]
    return 1.0 if length > nearest else math.exp(1 - nearest / length)


def _ngrams(tokens: Tokens, order: int) -> Counter[tuple[str, ...]]:
    return Counter(zip(*(tokens[k:] for k in range(order)), strict=False))
