"""Which table comes when, and its rows in which order: functions of a seed and a number, without repeats.

A table that is shown again is shown in another order of its rows, so no two examples of a corpus have the same source.
"""

from __future__ import annotations

from functools import lru_cache
from math import factorial

import numpy as np
import numpy.typing as npt

_STEP = 2**4423 - 1  # a prime, so its multiples go through all orders of up to 4,423 rows before one comes again


class Schedule:
    """An endless sequence of items, round after round: each round holds every item once, in an order of its own.

    Args:
        seed: Of the corpus.
        stream: Sequences of different streams have nothing to do with one another.
        size: The number of items.
        even: (size,) items that stand at even distances in each round, the first of them at its beginning.

    >>> schedule = Schedule(seed=1, stream=0, size=3)
    >>> sorted(schedule.place(slot)[0] for slot in (3, 4, 5)), schedule.place(5)[1]
    ([0, 1, 2], 1)
    """

    def __init__(self, seed: int, stream: int, size: int, even: npt.NDArray[np.bool_] | None = None):
        self.size = size
        self._seed = seed, stream
        self._even = np.zeros(size, bool) if even is None else even
        self._round = lru_cache(maxsize=2)(self._make_round)

    def place(self, slot: int) -> tuple[int, int]:
        """The item at a place of the sequence, and the number of its round."""
        number, place = divmod(slot, self.size)
        return int(self._round(number)[place]), number

    def _make_round(self, number: int) -> npt.NDArray[np.int64]:
        items = np.random.default_rng([*self._seed, number]).permutation(self.size)
        even = items[self._even[items]]
        places = np.zeros(self.size, bool)
        places[np.arange(len(even)) * self.size // max(1, len(even))] = True
        order = np.empty(self.size, np.int64)
        order[places], order[~places] = even, items[~self._even[items]]
        return order


def row_order(rows: int, number: int, start: int) -> list[int] | None:
    """The `number`-th order of some rows, or None where all of them were there before.

    Args:
        start: Where the sequence of orders begins, such as a hash of the table.

    >>> sorted(map(tuple, (row_order(3, number, start=4) for number in range(6))))[:2], row_order(3, 6, start=4)
    ([(0, 1, 2), (0, 2, 1)], None)
    """
    orders, step = _orders(rows)
    if number >= orders:
        return None
    code, left, order = (start + number * step) % orders, list(range(rows)), []
    for size in range(rows, 0, -1):
        code, place = divmod(code, size)
        order.append(left.pop(place))
    return order


@lru_cache(maxsize=1024)
def _orders(rows: int) -> tuple[int, int]:
    orders = factorial(rows)
    return orders, _STEP % orders
