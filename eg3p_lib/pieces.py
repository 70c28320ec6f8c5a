"""Texts written as sequences of pieces out of one vocabulary, a block of texts at a time.

Concepts, relations and the fixed parts of templates are pieces. To write a block, the numbers of its texts' pieces are
laid out in columns, and one `take` copies their bytes: the texts lie end to end in what it gives, so that no
text is ever built by itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from eg3p_lib.chance import Integers

ABSENT = -1
Column = npt.NDArray[np.int64]


class Vocabulary:
    """Numbers for pieces of text.

    Args:
        names: Many pieces at once: the name with number k is piece k.

    >>> vocabulary = Vocabulary(["rain", "mud"])
    >>> causes = vocabulary.piece(" causes ")
    >>> rain, nothing = np.array([0, 0]), np.array([1, ABSENT])
    >>> vocabulary.write([rain, np.where(nothing < 0, ABSENT, causes), nothing]).to_pylist()
    ['rain causes mud', 'rain']
    """

    def __init__(self, names: Sequence[str] | pa.StringArray):
        self._names = names if isinstance(names, pa.StringArray) else pa.array(names, pa.string())
        self._numbers: dict[str, int] = {}
        self._texts: pa.StringArray | None = None

    def piece(self, text: str) -> int:
        """The number of a fixed piece of text, which it gets when it is asked for the first time."""
        if text not in self._numbers:
            self._numbers[text] = len(self._names) + len(self._numbers)
            self._texts = None
        return self._numbers[text]

    def pieces(self, texts: Iterable[str]) -> Integers:
        """The numbers of several."""
        return np.array([self.piece(text) for text in texts], np.int64)

    @property
    def texts(self) -> pa.StringArray:
        """All pieces by their numbers."""
        if self._texts is None:
            fixed = pa.array(list(self._numbers), pa.string())
            self._texts = pa.concat_arrays([self._names, fixed])
        return self._texts

    def write(self, columns: Sequence[Column]) -> pa.StringArray:
        """The texts whose pieces stand in the columns, from left to right.

        Args:
            columns: Numbers of pieces, each (texts,); ABSENT ones are left out.
        """
        grid = np.stack(columns, axis=1)
        there = grid != ABSENT
        pieces = self.texts.take(pa.array(grid[there]))
        ends = np.concatenate([[0], np.cumsum(there.sum(axis=1))])
        _, offsets, data = pieces.buffers()
        places = np.frombuffer(offsets, np.int32)[ends]
        return pa.StringArray.from_buffers(len(grid), pa.py_buffer(np.ascontiguousarray(places)), data)


def lists(texts: pa.StringArray, columns: Sequence[Column]) -> pa.ListArray:
    """For each row the texts whose numbers stand in the columns, absent ones left out."""
    grid = np.stack(columns, axis=1)
    there = grid != ABSENT
    ends = np.concatenate([[0], np.cumsum(there.sum(axis=1))]).astype(np.int32)
    return pa.ListArray.from_arrays(pa.array(ends), texts.take(pa.array(grid[there])))
