from __future__ import annotations

from decimal import Decimal

import pytest

from reastap_lib.lpa.frames import frame_of
from reastap_lib.lpa.linking import HEADER, TITLE, TableIndex, link
from reastap_lib.lpa.sentences import read_sentence
from reastap_lib.lpa.triggers import TRIGGERS, allowed
from reastap_lib.tables import Table


def linked(sentence: str, index: TableIndex) -> list[tuple[str, int, int]]:
    return [(found.said, *found.place) for found in link(sentence.split(), index)]


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("ann lee won", [("ann lee", 0, 0)]),
        ("the reds won", [("reds", 0, 1)]),  # of several rows the first: the column and the words are what counts
        ("it was the 2nd", [("2nd", 1, 3)]),
        ("the example open", [("example open", TITLE, -1)]),
        ("points of the player", [("points", HEADER, 2), ("player", HEADER, 0)]),
        ("born on may 12th", [("born", HEADER, 4), ("may 12", 0, 4)]),
        ("nothing is said", []),
        ("in the of", []),
    ],
)
def test_links(index: TableIndex, sentence: str, expected: list[tuple[str, int, int]]) -> None:
    assert linked(sentence, index) == expected


def test_of_several_columns_the_one_that_the_sentence_names() -> None:
    index = TableIndex(frame_of(Table("t", "", ("Wins", "Losses"), (("31", "40"), ("40", "31")))))
    assert linked("40 losses", index) == [("40", 0, 1), ("losses", HEADER, 1)]
    assert linked("40 wins", index) == [("40", 1, 0), ("wins", HEADER, 0)]


def test_a_single_word_between_two_parts_of_a_cell_joins_them() -> None:
    index = TableIndex(frame_of(Table("t", "", ("Place",), (("santiago south chile",), ("lima peru",)))))
    assert linked("santiago in chile", index) == [("santiago chile", 0, 0)]


@pytest.mark.parametrize(
    ("sentence", "texts", "numbers", "counts"),
    [
        ("Ann scored 9 points", ["ann"], ["points 9"], []),
        ("there are 2 players with 12 points", [], ["points 12"], [2]),
        ("2 of the players have more than 10 points", [], ["points 10"], [2]),
        ("three players are in the Reds", ["reds"], [], [3]),
        ("the average of points is 10.5", [], ["points 10.5"], []),
        ("Bob came 2nd", ["bob"], ["place 2"], []),
        ("Dee was dnf", ["dee", "dnf"], [], []),  # a text of a number column
        ("Ann was born in 1980", ["ann", "1980"], [], []),  # a part of a date
    ],
)
def test_readings(index: TableIndex, sentence: str, texts: list[str], numbers: list[str], counts: list[int]) -> None:
    found = read_sentence(sentence, index)
    assert [text for _, text in found.texts] == texts
    assert [f"{column.name} {number}" for column, number in found.numbers] == numbers
    assert found.counts == tuple(map(Decimal, counts))


def test_a_comparison_without_a_number_column_takes_the_last_one(index: TableIndex) -> None:
    assert [column.name for column in read_sentence("Ann was better than Bob", index).columns] == ["player", "place"]
    assert [column.name for column in read_sentence("Ann played with Bob", index).columns] == ["player"]


def test_what_is_linked_is_no_trigger() -> None:
    index = TableIndex(frame_of(Table("t", "", ("Show",), (("the last mile",), ("ann",)))))
    reading = read_sentence("the last mile and ann", index)
    assert reading.words == ("<cell>", "and", "<cell>")
    assert "last" not in allowed(reading.words)


@pytest.mark.parametrize(
    ("sentence", "may", "may_not"),
    [
        ("ann has points", "count hop eq and filter_eq", "max argmax greater avg not_eq only"),
        ("ann has more points than bob", "greater filter_greater filter_less diff", "max all_greater"),
        ("every one has more points", "all_greater all_less all_eq", "all_not_eq filter_greater_eq"),
        ("at least 3", "filter_greater_eq", "all_greater_eq filter_greater"),
        ("all have at most 3", "filter_less_eq all_less_eq", "filter_less"),
        ("the highest", "max min argmax argmin", "most_freq top"),
        ("more than any other", "max most_freq", "first"),
        ("only ann", "only all_eq", "not_eq"),
        ("only 2", "all_eq", "only"),
        ("one third of them", "one_third", "half"),
        ("not all", "all_not_eq not_eq none zero", "several"),
    ],
)
def test_triggers(sentence: str, may: str, may_not: str) -> None:
    names = {key.replace("_str", "").replace("str_", "").replace("num_", "") for key in allowed(sentence.split())}
    assert set(may.split()) <= names
    assert names.isdisjoint(may_not.split())


def test_the_functions_that_need_no_trigger() -> None:
    free = "count dec_num dec_str str_hop num_hop eq str_eq and filter_str_eq filter_eq"
    assert allowed(()) == set(free.split())
    assert TRIGGERS.keys().isdisjoint(free.split())
