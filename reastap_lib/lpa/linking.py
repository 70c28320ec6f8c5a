"""Runs of a sentence's words linked to the cells, headers or title of a table that hold them.

Runs are taken greedily, the longest first. A run that is not a whole cell must be telling enough (the scores of
LogicNLG's parser; without its list of word frequencies, every word but a function word counts as rare). A first pass
finds the columns that the sentence names; a second, more lenient one prefers them where cells of several columns fit.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from reastap_lib.dates import MONTH
from reastap_lib.lpa.frames import Frame
from reastap_lib.lpa.words import aliases, stem, stems
from reastap_lib.tables import words

HEADER, TITLE = -1, -2
STRICT, LENIENT = 1.0, 0.0
FUNCTION_WORDS = frozenset(
    words(
        """a an the this that these those of in on at to for from by with and or but nor as than is are was were be been
        has have had do does did not no it its he his she her their they them there who which while when after before
        all both each every any only more most less least other over under between during into out up per"""
    )
)


class Place(NamedTuple):
    """Where words stand: a cell; a header (row HEADER); the title (row TITLE, column -1)."""

    row: int
    column: int


class Link(NamedTuple):
    """Words `start` to `end` of the sentence, and the place that they name, said in the words of that place."""

    start: int
    end: int
    place: Place
    said: str


@dataclass(frozen=True)
class TableIndex:
    """Which places of a table hold a word."""

    frame: Frame

    @cached_property
    def contents(self) -> dict[Place, tuple[str, ...]]:
        """The stems of each place, the title's and the headers' first."""
        columns = list(enumerate(self.frame.columns))
        found = {Place(TITLE, -1): stems(self.frame.title)}
        found |= {Place(HEADER, j): stems(column.name) for j, column in columns}
        found |= {Place(i, j): cell for j, column in columns for i, cell in enumerate(column.stems)}
        return {place: cell for place, cell in found.items() if cell}

    @cached_property
    def places(self) -> dict[str, frozenset[Place]]:
        """The places of each stem, and of other words for it."""
        found: dict[str, set[Place]] = {}
        for place, cell in self.contents.items():
            for word in {*cell, *aliases(cell)}:
                found.setdefault(word, set()).add(place)
        return {word: frozenset(places) for word, places in found.items()}


def link(sentence: Sequence[str], index: TableIndex) -> list[Link]:
    """The links of a sentence, in its order.

    Args:
        sentence: Its tokens, number words as digits.

    >>> from reastap_lib.lpa.frames import frame_of
    >>> from reastap_lib.tables import Table
    >>> table = Table("t", "", ("Player", "Goals"), (("Ann Lee", "9"), ("Bob", "12")))
    >>> found = link(("ann", "scored", "9", "goals"), TableIndex(frame_of(table)))
    >>> [(one.said, tuple(one.place)) for one in found]
    [('ann', (0, 0)), ('9', (0, 1)), ('goals', (-1, 1))]
    """
    strict = _pass(sentence, index, STRICT, frozenset())
    named = {found.place.column for found in strict if found.place.row == HEADER}
    if all(found.place.row == TITLE for found in strict):
        return strict
    return _joined(sentence, _pass(sentence, index, LENIENT, named), index)


def is_small_number(word: str) -> bool:
    """Whether a token is a whole number below 100: a count as well as a value."""
    return word.isdecimal() and int(word) < 100


def _pass(sentence: Sequence[str], index: TableIndex, threshold: float, named: Collection[int]) -> list[Link]:
    links, start = [], 0
    while start < len(sentence):
        found = _link_at(sentence, start, index, threshold, named)
        if found:
            links.append(found)
        start = found.end if found else start + 1
    return links


def _link_at(
    sentence: Sequence[str], start: int, index: TableIndex, threshold: float, named: Collection[int]
) -> Link | None:
    """The longest run from `start` that some place holds, where it tells enough."""
    run, places = _longest_run(sentence, start, index)
    if not run:
        return None
    place = _chosen(run, places, index, named)
    telling = run[0] not in FUNCTION_WORDS and _score(run, place, places, index) > threshold
    if telling or _is_whole(run, place, index):
        return Link(start, start + len(run), place, _said(run, place, index))
    return None


def _longest_run(sentence: Sequence[str], start: int, index: TableIndex) -> tuple[Sequence[str], frozenset[Place]]:
    """The words from `start` that some place holds, each as often as it stands there, and the places; no function
    word ends them but where they are a whole cell."""
    run: list[str] = []
    places = frozenset(index.contents)
    for word in map(stem, sentence[start:]):
        held = places & index.places.get(word, frozenset())
        if word in run:
            held = frozenset(place for place in held if index.contents[place].count(word) > run.count(word))
        if not held:
            break
        run, places = [*run, word], held
    while run and run[-1] in FUNCTION_WORDS and not any(_is_whole(run, place, index) for place in places):
        run.pop()
    return sentence[start : start + len(run)], places


def _is_whole(run: Sequence[str], place: Place, index: TableIndex) -> bool:
    return len(index.contents[place]) == len(run)


def _chosen(run: Sequence[str], places: Collection[Place], index: TableIndex, named: Collection[int]) -> Place:
    """The place nearest to the run in length; then title, header, a column that the sentence names, the leftmost."""

    def order(place: Place) -> tuple[int, bool, bool, int, int]:
        distance = abs(len(index.contents[place]) - len(run))
        return distance, place.row >= 0, place.column not in named, place.column, place.row

    return min(places, key=order)


def _score(run: Sequence[str], place: Place, places: Collection[Place], index: TableIndex) -> float:
    """How telling a run is that is only a part of its place (LogicNLG's scores)."""
    distance = abs(len(index.contents[place]) - len(run))
    rare = any(word not in FUNCTION_WORDS and not is_small_number(word) for word in run)
    return (
        len(run)
        - 4 * distance / (len(run) + distance)
        + (4 if rare else 0)
        + (len(run) > 1)
        + (len(places) == 1)
        + (len(run) > distance)
        + 2 * (place.row == HEADER)
        + 5 * any(word in MONTH for word in run)
    )


def _said(run: Sequence[str], place: Place, index: TableIndex) -> str:
    """The run in the words of its place: what it says otherwise is put back."""
    cell = index.contents[place]
    months = MONTH.keys() & set(cell)
    other = {alias: word for word in cell for alias in aliases((word, *months))}
    return " ".join(word if stem(word) in cell else other.get(stem(word), word) for word in run)


def _joined(sentence: Sequence[str], links: Sequence[Link], index: TableIndex) -> list[Link]:
    """Two links to one place with a single word between them, made one."""
    found: list[Link] = []
    for here in links:
        before = found[-1] if found else None
        if before and before.place == here.place and here.start - before.end == 1 and here.place.row != HEADER:
            here = Link(before.start, here.end, here.place, f"{before.said} {here.said}")
            found.pop()
        found.append(here)
    return found
