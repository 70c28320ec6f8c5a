from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reastap_lib.lpa.frames import Frame, frame_of
from reastap_lib.lpa.operators import OPERATORS, ProgramError, Value
from reastap_lib.lpa.programs import ALL_ROWS, MAX_DEPTH, Call, execute, holds, parse
from reastap_lib.tables import Table

NAMES = sorted({operator.name for operator in OPERATORS.values()})
TEXTS = st.text(max_size=8).map(str.strip) | st.sampled_from(["{", ";", "}", "\\", "a;b", "\\}", ""])
WORDS = st.sampled_from([ALL_ROWS, "player", "club", "points", "born", "reds", "12", "-1", "3 June 1979", "", "no"])


def trees(leaves: st.SearchStrategy[str]) -> st.SearchStrategy[Call]:
    def call(inner: st.SearchStrategy[Call | str]) -> st.SearchStrategy[Call]:
        return st.builds(Call, st.sampled_from(NAMES), st.lists(inner, min_size=1, max_size=3).map(tuple))

    return call(st.recursive(leaves, call, max_leaves=8))


@given(trees(TEXTS))
def test_what_is_written_is_read_again(program: Call) -> None:
    assert parse(str(program)) == program
    assert parse(f"{program}=True") == program


@given(st.text(alphabet="{};\\ aeqcount3", max_size=30))
def test_any_text_is_a_program_or_a_named_error(text: str) -> None:
    try:
        program = parse(text)
    except ProgramError:
        return
    assert parse(str(program)) == program


@settings(max_examples=300)
@given(program=trees(WORDS))
def test_execution_gives_a_value_or_a_named_error(program: Call) -> None:
    frame = frame_of(
        Table("t", "", ("Player", "Points", "Born"), (("Ann", "9", "12 May 1980"), ("Bob", "—", "3 June 1979")))
    )
    try:
        found = execute(program, frame)
    except ProgramError:
        return
    assert isinstance(found, bool | Decimal | str | tuple | None)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "a text, not a program: ''"),
        ("all_rows", "a text, not a program: 'all_rows'"),
        ("count{all_rows", "count{ is not closed"),
        ("count{all_rows}}", "'}' where the program should end"),
        ("count{all_rows} ; 3", "';' where the program should end"),
        ("count{{all_rows}}", "unknown function ''"),
        ("mode{all_rows; club}", "unknown function 'mode'"),
        ("count{a}{b}", "'{' where the program should end"),
        ("and{count{a}{b}}", "and{ is not closed"),
        ("count{a\\", "a backslash with nothing behind it"),
        ("only{" * (MAX_DEPTH + 1) + "a" + "}" * (MAX_DEPTH + 1), f"more than {MAX_DEPTH} deep"),
        ("only{" * 100_000, f"more than {MAX_DEPTH} deep"),
    ],
)
def test_what_is_no_program_is_refused(text: str, message: str) -> None:
    with pytest.raises(ProgramError, match=message.replace("{", r"\{").replace("}", r"\}")):
        parse(text)


def test_programs_that_could_not_be_written_are_refused() -> None:
    with pytest.raises(ProgramError, match="spaces around an argument of count: ' a'"):
        Call("count", (" a",))
    with pytest.raises(ProgramError, match="count without an argument"):
        Call("count", ())
    program = Call("only", ("a",))
    for _ in range(MAX_DEPTH - 1):
        program = Call("only", (program,))
    with pytest.raises(ProgramError, match="deep"):
        Call("only", (program,))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("eq{count{filter_eq{all_rows; Club; reds}}; 2}", True),
        ("eq { count { filter_eq { all_rows ; club ; reds } } ; 3 }", False),
        ("eq{hop{argmin{all_rows; points}; player}; eve fox}", True),
        ("greater{hop{filter_eq{all_rows; player; bob}; points}; hop{filter_eq{all_rows; player; ann}; points}}", True),
        ("greater{hop{filter_eq{all_rows; player; cyd}; born}; hop{filter_eq{all_rows; player; bob}; born}}", True),
        ("and{only{filter_eq{all_rows; place; 5}}; eq{hop{filter_eq{all_rows; place; 5th}; club}; n / a}}", True),
        ("and{only{filter_eq{all_rows; club; n / a}}; eq{hop{bottom{all_rows}; club}; n / a}}", True),
        ("eq{avg{all_rows; points}; 10}", True),
        ("eq{sum{filter_not_eq{all_rows; player; eve}; points}; 33}", True),
        ("all_eq{filter_greater{all_rows; points; 11}; points; 12}", True),
        ("eq{diff{max{all_rows; points}; min{all_rows; points}}; 5}", True),
        ("eq{count{filter_eq{all_rows; points; dnf}}; 1}", True),  # a text in a column of numbers
        ("eq{count{filter_eq{all_rows; born; 1 May 1981}}; 1}", True),
        ("eq{count{filter_eq{all_rows; born; 1981}}; 2}", True),  # no whole date: by its words
        ("eq{count{filter_not_eq{all_rows; born; 1981}}; 3}", True),
        ("all_eq{filter_greater{all_rows; born; 30 April 1981}; born; 1981}", False),
        ("eq{hop{argmax{all_rows; born}; born}; 4 July 1982}", True),  # the latest
        ("eq{hop{argmax{all_rows; born}; born}; July}", True),
        ("eq{hop{argmax{all_rows; born}; born}; 1982}", True),  # a year is no date: by its words
        ("not_eq{max{all_rows; points}; 11}", True),
        ("eq{most_freq{all_rows; club}; reds}", True),
        ("first{all_rows; filter_eq{all_rows; player; ann}}", True),
        ("exist{ann; eve; blues}", True),
        ("several{filter_eq{all_rows; club; blues}}", True),
        ("none{hop{bottom{all_rows}; club}}", True),
        ("zero{diff{3; 3}}", True),
        ("uniq{all_rows; points}", Decimal(3)),
        ("hop{top{all_rows}; points}", Decimal(9)),
        ("hop{filter_eq{all_rows; player; dee}; points}", "dnf"),  # no number: its text
        ("filter_less{all_rows; points; 1,000}", (0, 1, 2, 4)),
    ],
)
def test_programs_over_a_table(frame: Frame, text: str, expected: Value) -> None:
    assert execute(parse(text), frame) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("count{some_rows}", "'some_rows' where a rows should stand"),
        ("max{all_rows; age}", "no column 'age'"),
        ("sum{all_rows; born}", "column 'born' holds dates"),
        ("diff{hop{all_rows; born}; hop{all_rows; born}}", "'12 may 1980' is no number"),
        ("greater{hop{all_rows; born}; 1979}", "'12 may 1980' is no number"),
        ("max{all_rows; club}", "column 'club' holds texts"),
        ("max{all_rows; hop{all_rows; player}}", "no column 'hop"),
        ("max{all_rows}", "max takes 2 arguments, not 1"),
        ("greater{hop{all_rows; player}; 3}", "'ann lee' is no number"),
        ("filter_less{all_rows; points; many}", "'many' is no number"),
        ("and{3; only{all_rows}}", "'3' where a truth should stand"),
        ("none{count{all_rows}}", "where a text should stand"),
        ("exist{count{all_rows}}", "where a text should stand"),
        ("eq{count{all_rows}; many}", "'many' is no number"),
        ("count{filter_eq{all_rows; player}}", "takes 3 arguments, not 2"),
    ],
)
def test_programs_that_mean_nothing_over_the_table(frame: Frame, text: str, message: str) -> None:
    with pytest.raises(ProgramError, match=message):
        execute(parse(text), frame)


def test_only_truth_values_hold(frame: Frame) -> None:
    assert holds(parse("only{top{all_rows}}"), frame)
    with pytest.raises(ProgramError, match="count returns no truth value"):
        holds(parse("count{all_rows}"), frame)
