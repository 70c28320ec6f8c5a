"""Which examples a training step sees: endless shuffled batches within a token budget, from one corpus or several.

Nothing here grows with a corpus: an epoch's order is computed a pool at a time, and a restart names its place.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

POOL = 4096  # examples sorted by length together: enough for even batches, few enough to keep an epoch shuffled
Indices = NDArray[np.int64]
Lengths = NDArray[np.integer]  # (examples, 2): tokens of source and target
_ROUNDS = 6


@dataclass(frozen=True)
class Position:
    """A place in the endless batches of one corpus."""

    epoch: int = 0
    pool: int = 0
    batch: int = 0


@dataclass(frozen=True)
class Batch:
    """Examples of one corpus, by their numbers."""

    corpus: int
    examples: Indices


def shuffled(places: Indices, size: int, key: Sequence[int]) -> Indices:
    """Where places of 0 .. size - 1 come to lie in a random order of them, without making all of that order.

    A Feistel network permutes the next power of four; what lands beyond `size` is permuted again.

    >>> sorted(shuffled(np.arange(5), 5, [7, 0]).tolist())
    [0, 1, 2, 3, 4]
    """
    half = max(1, ((size - 1).bit_length() + 1) // 2)
    keys = np.random.SeedSequence(list(key)).generate_state(_ROUNDS, np.uint64).astype(np.uint64)
    found = _feistel(places.astype(np.uint64), half, keys)
    while (outside := found >= size).any():
        found[outside] = _feistel(found[outside], half, keys)
    return found.astype(np.int64)


def _feistel(values: NDArray[np.uint64], half: int, keys: NDArray[np.uint64]) -> NDArray[np.uint64]:
    mask, width = np.uint64((1 << half) - 1), np.uint64(half)
    left, right = values >> width, values & mask
    for key in keys:
        mixed = (right + key) * np.uint64(0xBF58476D1CE4E5B9)
        mixed = (mixed ^ (mixed >> np.uint64(29))) * np.uint64(0x94D049BB133111EB)
        left, right = right, left ^ ((mixed >> np.uint64(32)) & mask)
    return (left << width) | right


def pool_batches(lengths: Lengths, tokens_a_batch: int, *, seed: int, epoch: int, pool: int) -> list[Indices]:
    """The batches of one pool of an epoch: of similar lengths within a batch, each within the token budget, shuffled.

    A batch costs examples x (longest source + longest target), padding counted; one longer example makes its own
    batch. A pure function of its arguments, so that a resumed run sees what the uninterrupted one would have.
    """
    places = np.arange(pool * POOL, min((pool + 1) * POOL, len(lengths)))
    batches = _within_budget(shuffled(places, len(lengths), [seed, epoch]), lengths, tokens_a_batch)
    return [batches[k] for k in np.random.default_rng([seed, epoch, pool]).permutation(len(batches))]


def all_batches(lengths: Lengths, tokens_a_batch: int) -> Iterator[Indices]:
    """Every example once, in batches within the token budget: for evaluation."""
    for start in range(0, len(lengths), POOL):
        yield from _within_budget(np.arange(start, min(start + POOL, len(lengths))), lengths, tokens_a_batch)


def _within_budget(pool: Indices, lengths: Lengths, budget: int) -> list[Indices]:
    of_pool = np.asarray(lengths[pool])
    order = np.lexsort((pool, of_pool[:, 1], of_pool[:, 0]))
    pool, sizes = pool[order], of_pool[order].tolist()
    batches, start, longest = [], 0, (0, 0)
    for k, (source, target) in enumerate(sizes):
        grown = (max(longest[0], source), max(longest[1], target))
        if k > start and (k + 1 - start) * sum(grown) > budget:
            batches.append(pool[start:k])
            start, grown = k, (source, target)
        longest = grown
    return [*batches, pool[start:]]


class BatchStream:
    """The endless batches of one or several corpora, in turn by their weights.

    Args:
        lengths: For each corpus the tokens of its examples, (examples, 2).
        weights: The share of the batches that each gets; they need not sum to 1.
        positions: Where to go on, from `positions` of an earlier stream.
    """

    def __init__(
        self,
        lengths: Sequence[Lengths],
        tokens_a_batch: int,
        seed: int,
        weights: Sequence[float] = (1.0,),
        positions: Sequence[Position] = (),
        taken: Sequence[int] = (),
    ):
        self._lengths, self._budget, self._seed = lengths, tokens_a_batch, seed
        self._shares = [weight / sum(weights) for weight in weights]
        self.positions = list(positions) or [Position()] * len(lengths)
        self.taken = list(taken) or [0] * len(lengths)
        self._pools: dict[tuple[int, int, int], list[Indices]] = {}

    def take(self, number: int) -> list[Batch]:
        """The next batches."""
        return [self._next() for _ in range(number)]

    def _next(self) -> Batch:
        corpus = self._whose_turn()
        self.taken[corpus] += 1
        position = self.positions[corpus]
        batches = self._pool(corpus, position)
        self.positions[corpus] = self._after(corpus, position, len(batches))
        return Batch(corpus, batches[position.batch])

    def _whose_turn(self) -> int:
        """The corpus that is furthest behind its share."""
        so_far = sum(self.taken) + 1
        behind = [share * so_far - taken for share, taken in zip(self._shares, self.taken, strict=True)]
        return int(np.argmax(behind))

    def _pool(self, corpus: int, at: Position) -> list[Indices]:
        name = (corpus, at.epoch, at.pool)
        if name not in self._pools:
            self._pools = {other: pool for other, pool in self._pools.items() if other[0] != corpus}
            seed = self._seed + corpus  # two corpora of one size are not shuffled alike
            lengths = self._lengths[corpus]
            self._pools[name] = pool_batches(lengths, self._budget, seed=seed, epoch=at.epoch, pool=at.pool)
        return self._pools[name]

    def _after(self, corpus: int, at: Position, batches: int) -> Position:
        if at.batch + 1 < batches:
            return replace(at, batch=at.batch + 1)
        pools = -(-len(self._lengths[corpus]) // POOL)
        return Position(at.epoch, at.pool + 1) if at.pool + 1 < pools else Position(at.epoch + 1)
