"""Texts out of pieces: the same as joining strings, for any strings and any pattern of absent ones."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from eg3p_lib.pieces import ABSENT, Vocabulary, lists

TEXTS = st.lists(st.text(max_size=8), max_size=6)


@st.composite
def written(draw: st.DrawFn) -> tuple[list[str], list[str], list[list[int]]]:
    """Names, fixed pieces, and columns of numbers of them, some absent."""
    names = draw(TEXTS)
    fixed = draw(st.lists(st.text(max_size=8), min_size=1, max_size=6, unique=True))
    rows = draw(st.integers(0, 5))
    number = st.integers(ABSENT, len(names) + len(fixed) - 1)
    columns = draw(st.lists(st.lists(number, min_size=rows, max_size=rows), min_size=1, max_size=5))
    return names, fixed, columns


def rows_of(texts: list[str], columns: list[list[int]]) -> list[list[str]]:
    return [[texts[number] for number in row if number != ABSENT] for row in zip(*columns, strict=True)]


@given(written(), st.integers(0, 2))
@settings(deadline=None)
def test_writing_is_joining(case: tuple[list[str], list[str], list[list[int]]], cut: int) -> None:
    names, fixed, columns = case
    vocabulary = Vocabulary(pa.array(["?"] * cut + names, pa.string()).slice(cut))
    assert vocabulary.pieces(fixed).tolist() == list(range(len(names), len(names) + len(fixed)))
    texts = vocabulary.write([np.array(column, np.int64) for column in columns])
    texts.validate(full=True)
    assert texts.to_pylist() == ["".join(row) for row in rows_of(names + fixed, columns)]


@given(written())
@settings(deadline=None)
def test_lists_hold_what_is_there(case: tuple[list[str], list[str], list[list[int]]]) -> None:
    names, fixed, columns = case
    found = lists(pa.array(names + fixed, pa.string()), [np.array(column, np.int64) for column in columns])
    found.validate(full=True)
    assert found.to_pylist() == rows_of(names + fixed, columns)


def test_a_piece_has_one_number_and_names_keep_theirs() -> None:
    vocabulary = Vocabulary(["rain", "X"])
    assert [vocabulary.piece(text) for text in ("X", "", "X", "mud")] == [2, 3, 2, 4]  # not the name's number
    assert vocabulary.write([np.array([0, 1, 2])]).to_pylist() == ["rain", "X", "X"]


def test_pieces_can_be_added_after_writing() -> None:
    vocabulary = Vocabulary(["rain"])
    assert vocabulary.write([np.array([0])]).to_pylist() == ["rain"]
    mud = vocabulary.piece(" and mud")
    assert vocabulary.write([np.array([0, ABSENT]), np.array([mud, mud])]).to_pylist() == ["rain and mud", " and mud"]
