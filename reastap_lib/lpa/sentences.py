"""What a sentence says of its table, as the search starts from it: texts, numbers, counts, columns, words left.

Numbers that name no cell are counts, or values that a column is compared with; two sums of evidence decide, those of
LogicNLG's parser.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import TypeVar

from reastap_lib.dates import MONTH
from reastap_lib.lpa.frames import FrameColumn, number_of
from reastap_lib.lpa.linking import HEADER, TITLE, Link, TableIndex, is_small_number, link
from reastap_lib.lpa.words import is_comparative, is_superlative, tokens, with_digits

T = TypeVar("T")
LINKED = "<cell>"
_COMPARING = frozenset(["than", "over", "more", "less", "below", "above", "least"])
_BE = frozenset(["is", "are", "was", "were", "be"])


@dataclass(frozen=True)
class Reading:
    """What a sentence says of its table.

    Args:
        texts: (column, words) of the cells that it names.
        numbers: (column, number) of the cells that it names, or that it compares others with.
        counts: Numbers that name no cell.
        columns: Columns that it names, or whose cells it names.
        words: Its tokens, each run that names a cell, a column or the title replaced by <cell>.
    """

    texts: tuple[tuple[FrameColumn, str], ...] = ()
    numbers: tuple[tuple[FrameColumn, Decimal], ...] = ()
    counts: tuple[Decimal, ...] = ()
    columns: tuple[FrameColumn, ...] = ()
    words: tuple[str, ...] = ()


def read_sentence(sentence: str, index: TableIndex) -> Reading:
    """The reading of a sentence over a table.

    >>> from reastap_lib.lpa.frames import frame_of
    >>> from reastap_lib.tables import Table
    >>> table = Table("t", "", ("Player", "Goals"), (("Ann Lee", "9"), ("Bob", "12"), ("Cyd", "12")))
    >>> found = read_sentence("two of the players have more goals than Ann", TableIndex(frame_of(table)))
    >>> [text for _, text in found.texts], found.counts, [column.name for column in found.columns]
    (['ann'], (Decimal('2'),), ['player', 'goals'])
    """
    said = with_digits(tokens(sentence))
    links = link(said, index)
    named = {found.place.column for found in links if found.place.row == HEADER}
    links = [found for found in links if not _is_count(found, said, named)]
    reading = Reading(words=_without(said, links))
    for found in links:
        reading = _with_link(reading, found, index)
    for place, word in enumerate(reading.words):
        number = number_of(word)
        if number is not None:
            reading = _with_number(reading, place, number, index)
    return _with_degree(reading, index)


def _is_count(found: Link, sentence: Sequence[str], named: Collection[int]) -> bool:
    """Whether a small number that is some cell is a count all the same: by the words around it, or because nothing
    names that cell's column."""
    if found.end - found.start > 1 or found.place.row < 0 or not is_small_number(sentence[found.start]):
        return False
    return found.place.column not in named or _counts(sentence, found.start)


def _counts(sentence: Sequence[str], place: int) -> bool:
    """Whether the number there counts things: "there are 3", "3 of the"."""
    before = sentence[max(place - 2, 0) : place]
    there_are = len(before) == 2 and before[0] == "there" and before[1] in _BE
    return there_are or place == 0 or "of" in sentence[place + 1 : place + 2]


def _without(sentence: Sequence[str], links: Sequence[Link]) -> tuple[str, ...]:
    """The sentence with one <cell> for each link."""
    rest, end = list[str](), 0
    for found in links:
        rest += [*sentence[end : found.start], LINKED]
        end = found.end
    return (*rest, *sentence[end:])


def _with_link(reading: Reading, found: Link, index: TableIndex) -> Reading:
    if found.place.row == TITLE:
        return reading
    column = index.frame.columns[found.place.column]
    reading = replace(reading, columns=_plus(reading.columns, column))
    if found.place.row == HEADER:
        return reading
    number = _number(found, column)
    if number is None:
        return replace(reading, texts=_plus(reading.texts, (column, found.said)))
    return replace(reading, numbers=_plus(reading.numbers, (column, number)))


def _number(found: Link, column: FrameColumn) -> Decimal | None:
    """The number that a link to a number column says: in its own words, or as the cell that has them."""
    if column.kind != "number":
        return None
    number = column.read(found.said)
    return column.numbers[found.place.row] if number is None else number


def _with_number(reading: Reading, place: int, number: Decimal, index: TableIndex) -> Reading:
    """The reading with a number that names no cell: as a count, as a value of columns, or left out."""
    compared, counted = _evidence(reading, place, number, index.frame.size)
    if compared >= counted:
        return _with_compared(reading, number, index) if compared > 0 else reading
    return replace(reading, counts=(*reading.counts, number)) if counted > 0 else reading


def _evidence(reading: Reading, place: int, number: Decimal, size: int) -> tuple[int, int]:
    """How much speaks for a value that is compared, and for a count."""
    words, whole = reading.words, number == number.to_integral_value()
    month = -6 * (words[place - 1 : place] != () and words[place - 1] in MONTH)
    compares = 2 if not _COMPARING.isdisjoint(words) else -2
    degree = 2 if any(map(is_comparative, words)) else -2
    large = (-2 if 1900 < number < 2020 else 2) if number > 50 else 2 if number > size else -1
    around = 4 if _counts(words, place) else -1
    free = 2 * bool(_free_columns(reading))
    compared = month + compares + degree + 4 * (not whole) + large - around + free
    counted = month - 6 * (not whole) + (-4 if number > min(size, 50) else 2) + around
    return compared, counted


def _free_columns(reading: Reading) -> list[FrameColumn]:
    """The number columns that the sentence names, of which it names no number."""
    taken = [column for column, _ in reading.numbers]
    return [column for column in reading.columns if column.kind == "number" and column not in taken]


def _with_compared(reading: Reading, number: Decimal, index: TableIndex) -> Reading:
    """The number as a value of the column named last that has none, or just of the one named last; of the table's
    last number column where the sentence names none."""
    named = [column for column in reading.columns if column.kind == "number"]
    for column in (_free_columns(reading) or named or _last_number(index))[-1:]:
        numbers = _plus(reading.numbers, (column, number))
        return replace(reading, numbers=numbers, columns=_plus(reading.columns, column))
    return reading


def _with_degree(reading: Reading, index: TableIndex) -> Reading:
    """The reading with a number column, where the sentence has a comparative or a superlative and names none."""
    named = any(column.kind == "number" for column in reading.columns)
    if named or not any(is_comparative(word) or is_superlative(word) for word in reading.words):
        return reading
    return replace(reading, columns=(*reading.columns, *_last_number(index)))


def _last_number(index: TableIndex) -> list[FrameColumn]:
    return [column for column in index.frame.columns if column.kind == "number"][-1:]


def _plus(known: tuple[T, ...], new: T) -> tuple[T, ...]:
    return known if new in known else (*known, new)
