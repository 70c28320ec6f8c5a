"""Random numbers by address: graph i draws the same ones whichever block, shard, process or machine makes it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Words = npt.NDArray[np.uint32]
Integers = npt.NDArray[np.int64]
_WORDS_A_STEP = 8  # one step of Philox4x64 gives four words of 64 bits


@dataclass(frozen=True)
class Chance:
    """The random words of graphs [start, stop).

    Philox is a counter-based generator: its key is (seed, purpose), its counter the graph's number.

    >>> late, early = Chance(7, 2, 4).words(0, 3), Chance(7, 0, 4).words(0, 3)
    >>> (late == early[:, 2:]).all()
    np.True_
    """

    seed: int
    start: int
    stop: int

    def words(self, purpose: int, width: int) -> Words:
        """Uniform 32-bit words.

        Args:
            purpose: What they are for; each purpose has a stream of its own, and always the same width.
            width: How many a graph needs.

        Returns:
            (width, stop - start)
        """
        steps = -(-width // _WORDS_A_STEP)
        philox = np.random.Philox(key=np.array([self.seed, purpose], np.uint64), counter=self.start * steps)
        raw = philox.random_raw((self.stop - self.start) * steps * (_WORDS_A_STEP // 2))
        words = raw.astype("<u8", copy=False).view("<u4").reshape(-1, steps * _WORDS_A_STEP)
        return np.ascontiguousarray(words[:, :width].T)


def below(words: Words, bounds: Integers | int) -> Integers:
    """A whole number from 0 up to, without, the bound: the word's share of it (Lemire's multiplication).

    >>> below(np.array([0, 2**31, 2**32 - 1], np.uint32), 10).tolist()
    [0, 5, 9]
    """
    scaled = (words.astype(np.uint64) * np.asarray(bounds).astype(np.uint64)) >> np.uint64(32)
    return scaled.astype(np.int64)
