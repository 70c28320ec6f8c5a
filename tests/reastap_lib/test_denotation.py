from __future__ import annotations

import pytest

from reastap_lib.denotation import normalise_text, official, official_of_text, split, string, string_of_text

M10 = [
    ("1,234", "1234", False, False),
    ("1234", "1234.0", True, True),
    ("Yes", "yes", True, True),
    ("1/2", "0.5", False, False),
    ("May 5, 2001", "2001-05-05", False, False),
    ("b, a", "a, b", True, True),
    ("a, a, b", "a, b", False, True),
    ("12%", "12", False, False),
    ("-5", "−5", False, True),
    ("café", "cafe", False, True),
    ("45[a]", "45", False, True),
    ("Smith (captain)", "Smith", False, True),
    ("1e3", "1000", True, True),
    ("5.", "5", True, True),
    ("a,b", "a, b", False, False),
]


@pytest.mark.parametrize(("prediction", "gold", "by_string", "by_official"), M10)
def test_M10_both_metrics_by_name(prediction: str, gold: str, by_string: bool, by_official: bool) -> None:
    assert string_of_text(prediction, split(gold)) is by_string
    assert official_of_text(prediction, split(gold)) is by_official


@pytest.mark.parametrize(
    ("gold", "predicted", "expected"),
    [
        (["Washington, D.C."], ["D.C., Washington"], False),
        (["Nan"], ["Nan"], True),
        (["1000"], ["1_000"], False),
        (["inf"], ["infinity"], False),
    ],
)
def test_M11_lists_are_compared_and_words_are_no_numbers(gold: list[str], predicted: list[str], expected: bool) -> None:
    assert string(predicted, gold) is expected
    assert official(predicted, gold) is expected


@pytest.mark.parametrize(
    ("prediction", "gold", "canon", "by_string", "by_official"),
    [
        ("4", ["4 events"], ["4.0"], False, True),
        ("202.6 km/h (126 mph)", ["202.6 km/h"], [], False, True),
        ("west germany (frg)", ["West Germany"], [], False, True),
        ('"lake of fire"', ["Lake of Fire"], [], False, True),
        ("juan mónaco", ["Juan Monaco"], [], False, True),
        ("1:00:28 #", ["1:00:28"], [], False, True),
        ("2", ["Season 2"], ["2.0"], False, True),
        ("december 27, 2008", ["December 27, 2008"], ["2008-12-27"], True, False),
        ("manna dey, lata mangeshkar", ["Lata Mangeshkar, Manna Dey"], [], True, False),
        ("2008-12-27", ["December 27, 2008"], ["2008-12-27"], False, True),
        ("xxxx-12-27", ["December 27"], ["xxxx-12-27"], False, True),
    ],
)
def test_where_the_two_differ(
    prediction: str, gold: list[str], canon: list[str], by_string: bool, by_official: bool
) -> None:
    assert string_of_text(prediction, gold) is by_string
    assert official_of_text(prediction, gold, canon) is by_official


def test_a_date_given_whole_matches_by_its_text() -> None:
    assert official(["december 27, 2008"], ["December 27, 2008"], ["2008-12-27"])


def test_normalising() -> None:
    assert normalise_text("“Lata”–x[1][b]†") == '"lata"-x'
    assert normalise_text('"Only the Good"') == "only the good"
    assert normalise_text("(2001)") == "(2001)"
