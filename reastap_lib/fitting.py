"""The source text of a downstream example: what is asked, and as many rows of the table as there is room for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from reastap_lib.serialisation import Rows, SerialisationError, rows_that_fit, serialise

MAX_SOURCE_WORDS = 350


class Fitted(NamedTuple):
    """A source text, and how many of the table's last rows are not in it."""

    source: str
    rows_cut: int


def fit(text: str, header: Sequence[str], rows: Rows) -> Fitted:
    """The source of a question, statement or title over a table, cut by the count of words in them alone.

    In training and evaluation alike; what the answer is makes no difference.

    >>> fit("who?", ["Name"], [["Ann"], ["Bob"]])
    Fitted(source='who? [HEAD] Name [ROW] Ann [ROW] Bob', rows_cut=0)
    """
    try:
        kept = rows_that_fit(text, header, rows, MAX_SOURCE_WORDS)
    except SerialisationError:  # the text alone is too long
        kept = 0
    return Fitted(serialise(text, header, rows[:kept]), len(rows) - kept)
