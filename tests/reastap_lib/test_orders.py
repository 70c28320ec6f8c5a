from __future__ import annotations

from itertools import permutations
from math import factorial

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from reastap_lib.orders import Schedule, row_order


@given(st.integers(1, 5), st.integers(0, 2**64))
def test_orders_of_rows_are_all_there_and_none_twice(rows: int, start: int) -> None:
    found = [row_order(rows, number, start) for number in range(factorial(rows))]
    assert sorted(tuple(order) for order in found if order) == sorted(permutations(range(rows)))
    assert row_order(rows, factorial(rows), start) is None


@given(st.integers(1, 200), st.integers(0, 10**6), st.integers(0, 2**64))
def test_an_order_holds_every_row_once(rows: int, number: int, start: int) -> None:
    order = row_order(rows, number, start)
    assert order is None or sorted(order) == list(range(rows))


def test_first_rows_are_mixed_well() -> None:
    firsts = [order[0] for number in range(2000) if (order := row_order(20, number, start=7))]
    assert set(firsts) == set(range(20))
    assert max(map(firsts.count, range(20))) < 200  # 100 each, were they all as likely


def test_rounds_hold_every_item_once_in_orders_of_their_own() -> None:
    schedule = Schedule(seed=3, stream=0, size=50)
    places = [schedule.place(slot) for slot in range(150)]
    assert [number for _, number in places] == [0] * 50 + [1] * 50 + [2] * 50
    rounds = [[item for item, _ in places[k : k + 50]] for k in (0, 50, 100)]
    assert all(sorted(found) == list(range(50)) for found in rounds)
    assert len(set(map(tuple, rounds))) == 3
    assert [Schedule(3, 1, 50).place(slot)[0] for slot in range(50)] != rounds[0]


@given(st.lists(st.booleans(), min_size=1, max_size=60), st.integers(0, 3))
def test_some_items_stand_at_even_distances(flags: list[bool], number: int) -> None:
    schedule = Schedule(3, 0, len(flags), np.array(flags))
    order = [schedule.place(slot)[0] for slot in range(number * len(flags), (number + 1) * len(flags))]
    assert sorted(order) == list(range(len(flags)))
    places = [place for place, item in enumerate(order) if flags[item]]
    assert places == [k * len(flags) // sum(flags) for k in range(sum(flags))]
