from __future__ import annotations

import pytest

from reastap_lib.column_types import type_column
from reastap_lib.skills.wording import a, is_plural, noun, place, plural, sentence, was


def test_words_for_places() -> None:
    assert [place(1, "largest", figure=False), place(1, "largest", figure=True)] == ["largest", "1st largest"]
    assert [place(k, "latest", figure=False) for k in (2, 11, 22)] == ["2nd latest", "11th latest", "22nd latest"]


def test_plurals_only_where_sure() -> None:
    assert [plural(name) for name in ("Player", "City", "Church", "Day", "Chairman", "Person", "Race winner")] == [
        *("Players", "Cities", "Churches", "Days", "Chairmen", "People"),
        "Race winners",
    ]
    assert [plural(name) for name in ("Goals", "No.", "Weather", "GDP", "Name (age)", "Released", "Directed by")] == (
        [None] * 7
    )


@pytest.mark.parametrize("name", ["Goals", "Points per game", "Votes (%)", "Total votes", "Laps"])
def test_headers_that_are_plurals(name: str) -> None:
    assert (is_plural(name), was(name)) == (True, "were")


@pytest.mark.parametrize(
    "name",
    [
        "Height",
        "No. of seats",
        "Class",
        "Status",
        "Series",
        "Pos",
        "Tennis",
        "As",
        "Goals for figure",
        "GDP (2014) millions",
        "",
    ],
)
def test_headers_that_are_none(name: str) -> None:
    assert (is_plural(name), was(name)) == (False, "was")


@pytest.mark.parametrize(
    ("name", "cells", "expected"),
    [
        ("Founded", ["1998", "2001"], "Founded year"),
        ("Born", ["12 May 1998", "3 May 1999"], "Born date"),
        ("Held", ["1998–99", "2001–02"], "Held period"),
        ("Won", ["3", "5"], "Won figure"),
        ("Directed by", ["Ann", "Bob"], "Directed by entry"),
        ("Speed", ["3", "5"], "Speed"),
        ("Release date", ["12 May 1998", "3 May 1999"], "Release date"),
        ("Goals for", ["3", "5"], "Goals for figure"),
        ("2005", ["3", "5"], "2005 figure"),
        ("Highest rate", ["3", "5"], "Highest rate figure"),
        ("Year born", ["1998", "2001"], "Year born"),
        ("Urban areas:", ["Ann", "Bob"], "Urban areas"),
        ("2005", ["2R", "A"], "2005 entry"),
    ],
)
def test_headers_as_nouns(name: str, cells: list[str], expected: str) -> None:
    assert noun(type_column(name, cells)) == expected


def test_articles_and_capitals() -> None:
    assert [a(name) for name in ("Episode", "Unit", "US state", "NFL team", "European city", "Player")] == [
        *("an Episode", "a Unit", "a US state", "an NFL team", "a European city", "a Player")
    ]
    assert sentence("was it so?") == "Was it so?"
