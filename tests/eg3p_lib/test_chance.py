"""Random words by address: by another implementation of Philox, in any blocks, and numbers below a bound."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eg3p_lib.chance import Chance, below

MASK = (1 << 64) - 1
WORDS = st.integers(0, 2**32 - 1)


def philox(counter: int, key: tuple[int, int]) -> list[int]:
    """Philox4x64-10 (Salmon et al., 2011): four words of 64 bits of a counter of 256 bits."""
    c = [counter >> 64 * k & MASK for k in range(4)]
    for round_ in range(10):
        k0 = key[0] + round_ * 0x9E3779B97F4A7C15 & MASK
        k1 = key[1] + round_ * 0xBB67AE8584CAA73B & MASK
        one, two = 0xD2E7470EE14C6C93 * c[0], 0xCA5A826395121157 * c[2]
        c = [two >> 64 ^ c[1] ^ k0, two & MASK, one >> 64 ^ c[3] ^ k1, one & MASK]
    return c


def test_the_implementation_here_gives_the_known_answer_of_the_papers_authors() -> None:
    answer = [0x16554D9ECA36314C, 0xDB20FE9D672D0FDC, 0xD7E772CEE186176B, 0x7E68B68AEC7BA23B]
    assert philox(0, (0, 0)) == answer


@pytest.mark.parametrize(("seed", "purpose"), [(0, 0), (7, 3), (2**64 - 1, 191)])
@pytest.mark.parametrize("width", [1, 8, 9, 25])
def test_words_are_those_of_philox_at_the_graphs_address(seed: int, purpose: int, width: int) -> None:
    steps = -(-width // 8)
    words = Chance(seed, 5, 8).words(purpose, width)
    assert words.shape == (width, 3)
    for graph in (5, 6, 7):
        counters = range(graph * steps + 1, (graph + 1) * steps + 1)  # numpy counts up before it draws
        long = [word for counter in counters for word in philox(counter, (seed, purpose))]
        halves = [half for word in long for half in (word & 0xFFFFFFFF, word >> 32)]
        assert words[:, graph - 5].tolist() == halves[:width]


@given(st.integers(0, 2**64 - 1), st.integers(0, 10**9), st.lists(st.integers(1, 9), min_size=1), st.integers(1, 30))
@settings(deadline=None)
def test_blocks_of_any_cut_give_the_same_words(seed: int, start: int, lengths: list[int], width: int) -> None:
    ends = [start, *(start + np.cumsum(lengths)).tolist()]
    parts = [Chance(seed, a, b).words(2, width) for a, b in itertools.pairwise(ends)]
    assert (np.concatenate(parts, axis=1) == Chance(seed, start, ends[-1]).words(2, width)).all()


def test_graphs_purposes_and_seeds_have_words_of_their_own() -> None:
    first = {(s, p): Chance(s, 0, 50).words(p, 4) for s in range(12) for p in range(12)}
    everything = np.concatenate([words.T for words in first.values()])
    assert len(np.unique(everything, axis=0)) == 12 * 12 * 50


@given(st.lists(WORDS, min_size=1), st.integers(1, 2**31))
@settings(deadline=None)
def test_below_stays_in_its_bounds(words: list[int], bound: int) -> None:
    drawn = below(np.array(words, np.uint32), bound)
    assert drawn.tolist() == [word * bound // 2**32 for word in words]
    assert ((drawn >= 0) & (drawn < bound)).all()


def test_below_reaches_both_ends_and_takes_a_bound_for_each_word() -> None:
    ends = np.array([0, 2**32 - 1], np.uint32)
    assert below(ends, 2**31).tolist() == [0, 2**31 - 1]
    assert below(np.repeat(ends, 3), np.array([1, 2, 0, 1, 2, 7])).tolist() == [0, 0, 0, 0, 1, 6]


def test_below_is_uniform() -> None:
    drawn = below(Chance(3, 0, 140_000).words(0, 1)[0], 7)
    counts = np.bincount(drawn, minlength=7)
    assert len(counts) == 7
    assert (abs(counts - 20_000) < 4.5 * np.sqrt(20_000 * 6 / 7)).all()
