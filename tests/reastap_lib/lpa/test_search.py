from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest

from reastap_lib.evaluation import gold_examples
from reastap_lib.lpa.frames import Frame, frame_of
from reastap_lib.lpa.linking import TableIndex
from reastap_lib.lpa.parsing import parse_sentences
from reastap_lib.lpa.programs import holds, parse
from reastap_lib.lpa.search import Found, Limits, search
from reastap_lib.lpa.sentences import Reading, read_sentence
from reastap_lib.tabfact import csv_table
from reastap_lib.tables import Table
from workbench_lib.errors import WorkbenchError

WIDE = Limits(programs=10_000)


def programs(sentence: str, index: TableIndex, limits: Limits = WIDE) -> dict[str, bool]:
    found = search(read_sentence(sentence, index), index.frame, limits)
    return {str(program): true for program, true in found.programs}


@pytest.mark.parametrize(
    ("sentence", "program", "true"),
    [
        ("there are 2 players with 12 points", "eq{count{filter_eq{all_rows; points; 12}}; 2}", True),
        ("Eve scored the fewest points", "eq{hop{argmin{all_rows; points}; player}; eve}", True),
        ("Eve is in the Reds", "eq{hop{filter_eq{all_rows; player; eve}; club}; reds}", False),
        (
            "Bob has 3 more points than Ann",
            "eq{diff{hop{filter_eq{all_rows; player; bob}; points}; hop{filter_eq{all_rows; player; ann}; points}}; 3}",
            True,
        ),
        ("the average of points was 10", "eq{avg{all_rows; points}; 10}", True),
        (
            "only Bob played for the Reds",
            "and{only{filter_eq{all_rows; club; reds}}; only{filter_eq{all_rows; player; bob}}}",
            False,
        ),
        ("2 players have more than 9 points", "eq{count{filter_greater{all_rows; points; 9}}; 2}", True),
        ("Ann and Eve both played", "exist{ann; eve}", True),
        ("Eve had no club", "none{hop{filter_eq{all_rows; player; eve}; club}}", True),
        ("half of the players, 2, are in the Reds", "eq{count{filter_eq{all_rows; club; reds}}; half{all_rows}}", True),
        ("Ann came before Cyd", "before{filter_eq{all_rows; player; ann}; filter_eq{all_rows; player; cyd}}", True),
        ("Ann was the first player", "first{all_rows; filter_eq{all_rows; player; ann}}", True),
        ("the Reds are the most frequent club", "eq{most_freq{all_rows; club}; reds}", True),
    ],
)
def test_the_meant_program_is_found(index: TableIndex, sentence: str, program: str, true: bool) -> None:
    assert programs(sentence, index)[program] is true


def test_what_is_found_returns_what_the_executor_says() -> None:
    asked = [(csv_table(Path(gold.references["file"])), gold.target) for gold in gold_examples("logicnlg", "starter")]
    for (table, sentence), parsed in zip(asked, parse_sentences(asked), strict=True):
        frame = frame_of(table)
        assert any(true for _, true in parsed.programs), sentence  # all of them are true of their tables
        assert [holds(parse(program), frame) for program, _ in parsed.programs] == [true for _, true in parsed.programs]
        assert len({program for program, _ in parsed.programs}) == len(parsed.programs)


def test_all_that_a_sentence_names_is_used(index: TableIndex) -> None:
    for program in programs("Bob has more points than Ann", index):
        assert "; bob}" in program
        assert "; ann}" in program


def test_programs_come_by_length_and_fewer_are_a_prefix(index: TableIndex) -> None:
    sentence = "2 of the players in the Reds have more than 9 points"
    found = list(programs(sentence, index))
    assert len(found) > 20
    assert list(programs(sentence, index, Limits(programs=5))) == found[:5]
    assert parse(found[0]).depth <= 3


def test_the_number_of_states_is_bounded(frame: Frame, index: TableIndex) -> None:
    reading = read_sentence("2 of the players in the Reds have more than 9 points", index)
    few = search(reading, frame, Limits(states=3))
    assert (few.states, few.cut, few.timed_out) == (3, True, False)
    whole = search(reading, frame, WIDE)
    assert not whole.cut
    assert whole.states > 3
    assert whole.programs[: len(few.programs)] == few.programs


def test_a_search_that_takes_too_long_says_so(frame: Frame, index: TableIndex) -> None:
    found = search(read_sentence("Ann has 9 points", index), frame, Limits(seconds=0.0))
    assert found == Found((), 0, True, True)


def test_enough_programs_are_no_cut(frame: Frame, index: TableIndex) -> None:
    found = search(read_sentence("Bob has more points than Ann", index), frame, Limits(programs=1))
    assert (len(found.programs), found.cut) == (1, False)


def test_a_sentence_that_names_nothing_has_no_program(frame: Frame, index: TableIndex) -> None:
    assert search(Reading(), frame, WIDE).programs == ()
    assert programs("it rained", index) == {}


def test_a_count_of_more_rows_than_there_are_is_not_compared(index: TableIndex) -> None:
    column = index.frame.columns[1]
    reading = Reading(texts=((column, "reds"),), counts=(Decimal(6),), columns=(column,))
    found = search(reading, index.frame, WIDE)
    assert [str(program) for program, _ in found.programs] == []


def test_processes_change_nothing(table: Table) -> None:
    other = Table("u", "", ("Player", "Points"), (("Fay", "1"), ("Gil", "2")))
    asked = [
        (table, "Bob has more points than Ann"),
        (other, "Gil has more points than Fay"),
        (table, "Ann has 9 points"),
    ]
    together = parse_sentences(asked, workers=2)
    assert together == parse_sentences(asked) == [parse_sentences([one])[0] for one in asked]
    with pytest.raises(WorkbenchError, match="workers=0"):
        parse_sentences(asked, workers=0)
