from __future__ import annotations

from decimal import Decimal

import pytest

from reastap_lib.lpa.frames import Frame, frame_of
from reastap_lib.lpa.operators import OPERATORS, Mean, ProgramError, Value, same_number, same_text
from reastap_lib.tables import Table

ALL = (0, 1, 2, 3, 4)
# key, arguments (a header stands for its column), result; rows are counted from 0
CASES: list[tuple[str, tuple[object, ...], Value]] = [
    ("inc_num", (Decimal(3),), Decimal(3)),
    ("dec_num", (Decimal(3),), None),
    ("inc_str", ("ann",), "ann"),
    ("dec_str", ("ann",), None),
    ("all_exist", (("ann", "blues"),), True),
    ("all_exist", (("ann", "greens"),), False),
    ("none", ("n / a",), True),
    ("none", ("-",), True),
    ("none", ("blues",), False),
    ("zero", (Decimal("0.0"),), True),
    ("zero", (Decimal(1),), False),
    ("count", ((1, 3),), Decimal(2)),
    ("count", ((),), Decimal(0)),
    ("half", (ALL,), Decimal(2)),
    ("one_third", (ALL,), Decimal(1)),
    ("only", ((2,),), True),
    ("only", (ALL,), False),
    ("several", ((2,),), False),
    ("several", (ALL,), True),
    ("top", ((3, 4),), (3,)),
    ("bottom", ((3, 4),), (4,)),
    ("before", ((0,), (2,)), True),
    ("before", ((2,), (0,)), False),
    ("after", ((2,), (0,)), True),
    ("after", ((0,), (2,)), False),
    ("first", (ALL, (0,)), True),
    ("first", ((1, 3), (1,)), True),
    ("first", (ALL, (1,)), False),
    ("second", (ALL, (1,)), True),
    ("second", ((1, 3), (1,)), False),
    ("third", (ALL, (2,)), True),
    ("third", (ALL, (1,)), False),
    ("fourth", (ALL, (3,)), True),
    ("fourth", (ALL, (4,)), False),
    ("fifth", (ALL, (4,)), True),
    ("fifth", (ALL, (0,)), False),
    ("last", (ALL, (4,)), True),
    ("last", ((0, 1), (0,)), False),
    ("uniq_num", (ALL, "points"), Decimal(3)),  # 9, 12, 7
    ("uniq_str", (ALL, "club"), Decimal(3)),  # a missing one is a value, too
    ("avg", (ALL, "points"), Decimal(10)),  # (9 + 12 + 12 + 7) / 4: dnf is no number
    ("sum", (ALL, "points"), Decimal(40)),
    ("sum", ((0, 3), "points"), Decimal(9)),
    ("max", (ALL, "points"), Decimal(12)),
    ("min", (ALL, "points"), Decimal(7)),
    ("argmax", (ALL, "points"), (1, 2)),  # all that tie
    ("argmin", (ALL, "points"), (4,)),
    ("argmax", (ALL, "born"), (4,)),  # the latest
    ("num_hop", ((1, 2), "points"), Decimal(12)),
    ("num_hop", ((0,), "place"), Decimal(1)),
    ("str_hop", ((1, 0), "player"), "bob roy"),
    ("most_freq", (ALL, "club"), "utah reds"),  # twice, as the blues, which come later
    ("diff", (Decimal(3), Decimal(5)), Decimal(-2)),
    ("add", (Decimal(3), Decimal("5.5")), Decimal("8.5")),
    ("greater", (Decimal(3), Decimal(2)), True),
    ("greater", (Decimal(2), Decimal(2)), False),
    ("eq", (Decimal("2.0"), Decimal(2)), True),
    ("eq", (Decimal(2), Decimal(3)), False),
    ("str_eq", ("utah reds", "reds"), True),
    ("str_eq", ("utah reds", "red sox"), False),
    ("not_eq", (Decimal(2), Decimal(3)), True),
    ("not_eq", (Decimal(2), Decimal(2)), False),
    ("not_str_eq", ("utah reds", "blues"), True),
    ("not_str_eq", ("utah reds", "reds"), False),
    ("and", (True, True), True),
    ("and", (True, False), False),
    ("filter_str_eq", (ALL, "club", "reds"), (0, 2)),
    ("filter_str_eq", (ALL, "club", "reds utah"), (0, 2)),  # in any order
    ("filter_str_eq", (ALL, "player", "an"), ()),  # no pieces of words
    ("filter_str_eq", (ALL, "born", "may 1981"), (2, 3)),
    ("filter_str_not_eq", (ALL, "club", "reds"), (1, 3, 4)),
    ("filter_eq", (ALL, "points", Decimal("12.0")), (1, 2)),
    ("filter_not_eq", (ALL, "points", Decimal(12)), (0, 3, 4)),  # what is no number is not 12
    ("filter_less", (ALL, "points", Decimal(9)), (4,)),
    ("filter_less_eq", (ALL, "points", Decimal(9)), (0, 4)),
    ("filter_greater", (ALL, "points", Decimal(9)), (1, 2)),
    ("filter_greater_eq", ((0, 1), "points", Decimal(9)), (0, 1)),
    ("all_str_eq", ((0, 2), "club", "utah"), True),
    ("all_str_eq", (ALL, "club", "utah"), False),
    ("all_str_not_eq", ((1, 3), "club", "utah"), True),
    ("all_str_not_eq", (ALL, "club", "utah"), False),
    ("all_eq", ((1, 2), "points", Decimal(12)), True),
    ("all_eq", ((1, 2, 3), "points", Decimal(12)), False),
    ("all_not_eq", ((0, 3), "points", Decimal(12)), True),
    ("all_not_eq", ((0, 1), "points", Decimal(12)), False),
    ("all_less", ((0, 4), "points", Decimal(10)), True),
    ("all_less", ((0, 4), "points", Decimal(9)), False),
    ("all_less_eq", ((0, 4), "points", Decimal(9)), True),
    ("all_less_eq", ((0, 1), "points", Decimal(9)), False),
    ("all_greater", ((1, 2), "points", Decimal(11)), True),
    ("all_greater", ((1, 3), "points", Decimal(11)), False),  # dnf is not more
    ("all_greater_eq", ((0, 1), "points", Decimal(9)), True),
    ("all_greater_eq", ((0, 4), "points", Decimal(9)), False),
]


def test_there_are_57_functions_and_each_has_a_worked_example() -> None:
    assert len(OPERATORS) == 57
    assert {key for key, _, _ in CASES} == OPERATORS.keys()
    truths = {key for key, operator in OPERATORS.items() if operator.gives == "truth"}
    for wanted in (True, False):
        assert {key for key, _, found in CASES if found is wanted} == truths


@pytest.mark.parametrize(("key", "arguments", "expected"), CASES)
def test_worked_examples(frame: Frame, key: str, arguments: tuple[object, ...], expected: Value) -> None:
    operator = OPERATORS[key]
    assert len(arguments) == len(operator.takes)
    typed = [
        frame.column(str(argument)) if kind.endswith("column") else argument
        for kind, argument in zip(operator.takes, arguments, strict=True)
    ]
    found = operator.apply(frame, *typed)
    assert found == expected
    assert type(found) is type(expected) or isinstance(found, Mean)


@pytest.mark.parametrize(
    ("key", "rows", "header", "message"),
    [
        ("top", (), "", "no row"),
        ("num_hop", (), "points", "no row"),
        ("num_hop", (3,), "points", "column 'points' has no number in 1 rows"),
        ("max", (3,), "points", "has no number"),
        ("most_freq", (0, 1), "club", "no cell of column 'club' comes twice"),
    ],
)
def test_what_means_nothing_is_a_named_error(
    frame: Frame, key: str, rows: tuple[int, ...], header: str, message: str
) -> None:
    with pytest.raises(ProgramError, match=message):
        OPERATORS[key].apply(frame, rows, *([frame.column(header)] if header else []))


def test_the_place_of_a_row_that_is_not_there(frame: Frame) -> None:
    with pytest.raises(ProgramError, match="row 5 is not among the 2 rows"):
        OPERATORS["last"].apply(frame, (0, 1), (4,))
    with pytest.raises(ProgramError, match="no row"):
        OPERATORS["all_eq"].apply(frame, (), frame.column("points"), Decimal(1))


def test_a_mean_equals_what_is_written_as_far_as_it_is_written() -> None:
    mean = Mean(Decimal(574) / 9)  # 63.777...
    assert same_number(mean, Decimal("63.78"))
    assert same_number(Decimal("64"), mean)
    assert not same_number(mean, Decimal("63.77"))
    assert not same_number(mean, Decimal("63"))
    assert not same_number(Mean("2.5"), Mean("2.51"))
    assert not same_number(Decimal("2.5"), Decimal("3"))


def test_texts_are_equal_by_whole_words() -> None:
    assert same_text("the scorers", "scorer")
    assert not same_text("10", "1")
    assert not same_text("ann lee", "lee ann")
    assert same_text("-", "-")
    assert not same_text("-", "ann")
    assert not same_text("", "ann")


def test_a_table_of_few_columns_and_repeated_rows_has_places() -> None:
    """The public code looks rows up by their first four cells."""
    frame = frame_of(Table("t", "", ("a",), (("x",), ("x",), ("y",))))
    assert OPERATORS["second"].apply(frame, frame.rows, (1,)) is True
    assert OPERATORS["before"].apply(frame, (1,), (2,)) is True
