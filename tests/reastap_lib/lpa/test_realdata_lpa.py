from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from reastap_lib.lpa.accuracy import LIMITS
from reastap_lib.lpa.frames import frame_of
from reastap_lib.lpa.operators import ProgramError
from reastap_lib.lpa.parsing import parse_sentences
from reastap_lib.lpa.programs import holds, parse
from reastap_lib.lpa.ranker_data import Told, read_told
from reastap_lib.tabfact import csv_table

pytestmark = pytest.mark.realdata


@pytest.fixture(scope="module")
def told(data_root: Path) -> list[Told]:
    return read_told(data_root / "logicnlg" / "bootstrap.json")


def test_all_programs_by_people_are_read(told: list[Told], data_root: Path) -> None:
    assert len(told) == 1499
    raw = json.loads((data_root / "logicnlg" / "bootstrap.json").read_bytes())
    texts = [row[-1] for rows in raw.values() for row in rows]
    for text, one in zip(texts, told, strict=True):
        plain = text.removesuffix("=True").replace(" ", "")
        assert str(one.program).replace(" ", "") == plain


def test_programs_by_people_over_the_tables_at_hand(told: list[Told], data_root: Path) -> None:
    """27 of their 1,391 tables are there; the annotators' slips stay false, and texts that are no numbers errors."""
    folders = (data_root / "logicnlg" / "all_csv", data_root / "tabfact" / "data" / "all_csv")
    paths = [(one, [folder / one.table_id for folder in folders if (folder / one.table_id).exists()]) for one in told]
    found = Counter(outcome(one, there[0]) for one, there in paths if there)
    assert found == {"True": 23, "False": 4, "error": 4}


def outcome(told: Told, path: Path) -> str:
    assert told.program is not None
    try:
        return str(holds(told.program, frame_of(csv_table(path))))
    except ProgramError:
        return "error"


def test_more_true_sentences_than_false_ones_have_a_true_program(data_root: Path) -> None:
    folder = data_root / "logicnlg"
    told = read_told(folder / "data" / "test_lm_pos_neg.json")
    asked = [(csv_table(folder / "all_csv" / one.table_id), one.sentence) for one in told]
    parsed = parse_sentences(asked, LIMITS)
    assert len(told) == 396
    for is_true, without, any_true in ((True, 0.12, (0.7, 1.0)), (False, 0.12, (0.5, 0.72))):
        some = [one for one, which in zip(parsed, told, strict=True) if which.is_true == is_true]
        assert sum(not one.programs for one in some) / len(some) < without
        assert any_true[0] < sum(any(true for _, true in one.programs) for one in some) / len(some) < any_true[1]
        assert not any(one.timed_out for one in some)
    for (table, _), one in zip(asked[::8], parsed[::8], strict=True):
        assert [holds(parse(program), frame_of(table)) for program, _ in one.programs] == [t for _, t in one.programs]
