"""Blind order, a file that survives kills, and figures by hand and against other libraries."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.inter_rater import aggregate_raters, cohens_kappa
from statsmodels.stats.inter_rater import fleiss_kappa as fleiss_of_statsmodels

from eg3p_lib.__main__ import app
from eg3p_lib.case_studies import Answer, Case
from eg3p_lib.human_evaluation import (
    COLUMNS,
    Judgement,
    JudgementError,
    blind_order,
    cohen_kappa,
    compare,
    fleiss_kappa,
    outcome,
    read_judgements,
    record,
)
from eg3p_lib.judgement_sheets import (
    ANSWERS,
    FORM,
    KEY,
    RIGHT,
    WRONG,
    JudgementSheet,
    judge,
    judgement_file,
    read_form,
    read_judged,
    show_outcomes,
    write_form,
)
from workbench_lib import cli, runs
from workbench_lib.errors import InputError
from workbench_lib.params import load_params
from workbench_lib.runs import Run
from workbench_lib.tasks import get_task

CASES = [
    Case(
        f"dev-{k}",
        {"question": f"Question <{k}>?", "answer": "yes"},
        "",
        {
            "without": Answer(f"(a{k}; is a; b)", {}),
            "with": Answer("no graph" if k == 3 else f"(c{k}; causes; d)", {}),
        },
    )
    for k in range(20)
]
BOOLEANS = st.lists(st.booleans(), min_size=1, max_size=30)


# --- order -------------------------------------------------------------------------------------------------------


def test_annotators_see_the_same_cases_each_in_an_order_of_their_own() -> None:
    anna, bert = (blind_order(CASES, 8, 1, name) for name in ("anna", "bert"))
    assert {shown.case.id for shown in anna} == {shown.case.id for shown in bert}
    assert [shown.case.id for shown in anna] != [shown.case.id for shown in bert]
    assert anna == blind_order(CASES, 8, 1, "anna")
    assert len({shown.case.id for shown in anna}) == 8
    assert {shown.case.id for shown in anna} != {shown.case.id for shown in blind_order(CASES, 8, 2, "anna")}


def test_neither_system_stands_first_more_often() -> None:
    first = [shown.systems[0] for seed in range(50) for shown in blind_order(CASES, 20, seed)]
    assert 0.45 < first.count("with") / len(first) < 0.55


def test_a_sheet_needs_two_systems() -> None:
    one = Case("x", {}, "", {"only": Answer("", {})})
    for cases in ([], [one]):
        with pytest.raises(JudgementError, match="two systems"):
            blind_order(cases, 5, 1)


# --- the file ----------------------------------------------------------------------------------------------------


def test_judgements_are_read_as_recorded_and_the_last_of_two_counts(tmp_path: Path) -> None:
    path = tmp_path / "judgements.csv"
    first = [Judgement('Ann, "A."', "dev-1", "with", True), Judgement('Ann, "A."', "dev-1", "without", False)]
    record(path, first)
    record(path, [first[1]._replace(is_right=True)])
    assert read_judgements([path]) == [first[0], first[1]._replace(is_right=True)]
    with path.open(newline="") as file:
        assert next(csv.reader(file)) == list(COLUMNS)


def test_a_line_that_a_kill_cut_off_is_left_out_and_ended(tmp_path: Path) -> None:
    path = tmp_path / "judgements.csv"
    record(path, [Judgement("a", "dev-1", "with", True)])
    with path.open("a") as file:
        file.write("a,dev-2,wi")
    assert len(read_judgements([path])) == 1
    record(path, [Judgement("a", "dev-3", "with", True)])
    with pytest.raises(InputError, match=r"line 3: is no judgement .*: 'a,dev-2,wi'"):
        read_judgements([path])


def test_what_was_recorded_is_there_after_a_kill(tmp_path: Path) -> None:
    path = tmp_path / "judgements.csv"
    code = (
        "import os, signal, sys; from pathlib import Path; from eg3p_lib.human_evaluation import Judgement, record\n"
        "for k in range(3): record(Path(sys.argv[1]), [Judgement('a', f'dev-{k}', 'with', True)])\n"
        "os.kill(os.getpid(), signal.SIGKILL)"
    )
    done = subprocess.run([sys.executable, "-c", code, str(path)], cwd=Path(__file__).resolve().parents[2])
    assert done.returncode == -9
    assert [judgement.case for judgement in read_judgements([path])] == ["dev-0", "dev-1", "dev-2"]


@pytest.mark.parametrize("text", ["a,b,c", "a,b,c,2", "a,,c,1", "a,b,c,1,x"])
def test_other_lines_are_named(tmp_path: Path, text: str) -> None:
    path = tmp_path / "judgements.csv"
    path.write_text(",".join(COLUMNS) + f"\n{text}\n")
    with pytest.raises(InputError, match="line 2: is no judgement"):
        read_judgements([path])


def test_names_that_would_break_a_line_are_refused(tmp_path: Path) -> None:
    for name in ("", "a\nb", "a\u2028b"):
        with pytest.raises(JudgementError, match="can't be a name"):
            record(tmp_path / "j.csv", [Judgement(name, "dev-1", "with", True)])
    assert not (tmp_path / "j.csv").exists()


# --- figures -----------------------------------------------------------------------------------------------------


def said(annotator: str, system: str, *values: int) -> list[Judgement]:
    return [Judgement(annotator, f"dev-{k}", system, bool(value)) for k, value in enumerate(values)]


def test_one_annotator_by_hand() -> None:
    found = outcome([*said("a", "with", 1, 1, 1, 0, 1), *said("a", "without", 0, 0, 1, 0, 1)])
    assert (found.cases, found.judgements) == (5, 10)
    assert {system: metric.value for system, metric in found.accuracy.items()} == {"with": 0.8, "without": 0.4}
    assert found.comparison == (2, 0, 3, 0.5)
    assert (found.cohen, found.fleiss) == ({}, None)


def test_two_annotators_by_hand() -> None:
    """They agree in 3 of 4; each says right 2 and 1 times: chance agrees in (2*1 + 2*3)/16."""
    judgements = [*said("a", "with", 1, 1, 0, 0), *said("b", "with", 1, 0, 0, 0)]
    found = outcome(judgements)
    assert found.accuracy["with"].value == (1 + 0.5) / 4
    assert found.cohen == {"a / b": (3 / 4 - 8 / 16) / (1 - 8 / 16)}
    assert found.fleiss == pytest.approx((3 / 4 - (9 + 25) / 64) / (1 - (9 + 25) / 64))
    assert found.comparison is None
    assert found.as_json()["semantic_accuracy"]["with"]["value"] == 0.375


def test_agreement_is_over_what_all_judged() -> None:
    judgements = [*said("a", "with", 1, 0, 1), *said("b", "with", 1, 0), *said("c", "with", 1)]
    found = outcome(judgements)
    assert found.cohen == {"a / b": 1.0, "a / c": None, "b / c": None}  # of one graph chance alone agrees
    assert found.fleiss is None
    assert outcome([*said("a", "with", 1), Judgement("b", "dev-9", "with", True)]).cohen == {"a / b": None}
    with pytest.raises(JudgementError):
        outcome([])


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # of the other library
@given(BOOLEANS, st.integers(0, 2**32 - 1))
def test_cohen_is_statsmodels(first: list[bool], seed: int) -> None:
    second = (np.random.default_rng(seed).random(len(first)) < 0.5).tolist()
    table = [[sum(pair == (a, b) for pair in zip(first, second, strict=True)) for b in (0, 1)] for a in (0, 1)]
    if len({*first, *second}) == 1:
        assert cohen_kappa(first, second) is None
    else:
        assert cohen_kappa(first, second) == pytest.approx(cohens_kappa(np.array(table)).kappa)


@given(st.lists(st.tuples(*[st.booleans()] * 3), min_size=1, max_size=30))
def test_fleiss_is_statsmodels(rows: list[tuple[bool, ...]]) -> None:
    found = fleiss_kappa(list(zip(*rows, strict=True)))
    values = {value for row in rows for value in row}
    if len(values) == 1:
        assert found is None
    else:
        assert found == pytest.approx(fleiss_of_statsmodels(aggregate_raters(np.array(rows, dtype=int))[0]))


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=40))
def test_with_one_annotator_the_test_is_mcnemar_s(rows: list[tuple[bool, bool]]) -> None:
    first, second = ({str(k): float(row[side]) for k, row in enumerate(rows)} for side in (0, 1))
    table = [[sum(row == (a, b) for row in rows) for b in (True, False)] for a in (True, False)]
    assert compare(first, second).p_value == pytest.approx(mcnemar(table, exact=True).pvalue)


# --- sheets ------------------------------------------------------------------------------------------------------


def answer(sheet: JudgementSheet, *values: str) -> None:
    for buttons, value in zip(sheet.answers, values, strict=True):
        buttons.value = value
    sheet.next.click()


def test_a_sheet_is_blind_keeps_each_judgement_and_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "judgements.csv"
    sheet = JudgementSheet(CASES, path, "anna", number=3, seed=4)
    order = blind_order(CASES, 3, 4, "anna")
    assert "Case 1 of 3" in sheet.area.value
    assert order[0].case.texts["question"].replace("<", "&lt;").replace(">", "&gt;") in sheet.area.value
    assert "with" not in sheet.area.value.split("srcdoc")[0]
    answer(sheet, RIGHT, WRONG)
    assert [(j.system, j.is_right) for j in read_judgements([path])] == list(
        zip(order[0].systems, (True, False), strict=True)
    )
    assert [buttons.value for buttons in sheet.answers] == [None, None]
    again = JudgementSheet(CASES, path, "anna", number=3, seed=4)
    assert "Case 2 of 3" in again.area.value
    answer(again, WRONG, WRONG)
    answer(again, RIGHT, RIGHT)
    assert "All 3 cases are judged." in again.area.value
    assert again.next.disabled
    assert len(read_judgements([path])) == 6
    other = JudgementSheet(CASES, path, "bert", number=3, seed=4)
    assert "Case 1 of 3" in other.area.value


def test_both_graphs_need_an_answer(tmp_path: Path) -> None:
    sheet = JudgementSheet(CASES, tmp_path / "j.csv", "anna", number=2, seed=4)
    sheet.answers[0].value = RIGHT
    sheet.next.click()
    sheet.next.click()
    assert sheet.area.value.count("Answer for both graphs.") == 1
    assert not (tmp_path / "j.csv").exists()
    with pytest.raises(JudgementError, match="annotator's name"):
        JudgementSheet(CASES, tmp_path / "j.csv", "")


def test_a_printable_form_and_what_is_filled_in(tmp_path: Path) -> None:
    folder = tmp_path / "anna"
    write_form(CASES, folder, number=5, seed=1, annotator="anna")
    page = (folder / FORM).read_text(encoding="utf-8")
    assert page.count("<section>") == 5
    assert "Question &lt;" in page
    assert "without" not in page
    assert "<script" not in page
    lines = (folder / ANSWERS).read_text().split("\n")
    assert lines[:3] == ["number,graph,is_right", "1,1,", "1,2,"]
    assert read_form(folder / ANSWERS, folder / KEY, "anna") == []
    (folder / ANSWERS).write_text("\n".join([*lines[:1], "1,1,1", "1,2,0 ", *lines[3:]]))
    first = blind_order(CASES, 5, 1, "anna")[0]
    expected = [
        Judgement("anna", first.case.id, s, right) for s, right in zip(first.systems, (True, False), strict=True)
    ]
    assert read_form(folder / ANSWERS, folder / KEY, "anna") == expected
    record(tmp_path / "more.csv", [Judgement("bert", "dev-1", "with", True)])
    assert read_judged([folder / ANSWERS, tmp_path / "more.csv"]) == [
        *expected,
        Judgement("bert", "dev-1", "with", True),
    ]


@pytest.mark.parametrize("line", ["1,3,1", "9,1,1", "1,1,yes", "1,1"])
def test_answers_that_the_form_has_not_are_named(tmp_path: Path, line: str) -> None:
    write_form(CASES, tmp_path, number=2, seed=1)
    (tmp_path / ANSWERS).write_text(f"number,graph,is_right\n1,1,1\n{line}\n")
    with pytest.raises(InputError, match=r"answers\.csv, line 3"):
        read_form(tmp_path / ANSWERS, tmp_path / KEY, "anna")


def test_a_graph_that_is_none_is_shown_as_text(tmp_path: Path) -> None:
    write_form(CASES[3:4], tmp_path, number=1, seed=1)
    assert "<li>no graph</li>" in (tmp_path / FORM).read_text()
    sheet = JudgementSheet(CASES[3:4], tmp_path / "j.csv", "a", number=1)
    assert "can&#x27;t be drawn: no graph" in sheet.area.value


# --- of the runs of an experiment --------------------------------------------------------------------------------


@pytest.fixture
def compared(home: Path) -> dict[str, dict[str, Run]]:
    """Two finished runs of built-in questions, made up."""
    found = {}
    for seed, title in enumerate(("without", "with")):
        params = load_params("04_finetuning", "tiny", {"task": "commonsenseqa", "model": "tiny", "seed": seed})
        run = runs.start(params)
        ids = [example.id for example in get_task("commonsenseqa").load("starter", "dev")]
        runs.write_jsonl(
            run.folder / "predictions.jsonl", ({"id": name, "prediction": f"(a{seed}; is a; b)"} for name in ids)
        )
        run.finish(params, {})
        found[title] = run
    return {"commonsenseqa": found}


def test_a_judge_says_who_they_are_and_begins(compared: dict[str, dict[str, Run]]) -> None:
    box = judge(compared)
    (_, name, begin), place = box.children[0].children, box.children[1]
    begin.click()
    assert "needs the annotator" in place.children[0].value
    name.value = " anna "
    begin.click()
    (sheet,) = place.children
    assert "Case 1 of 8" in sheet.area.value
    answer(sheet, RIGHT, WRONG)
    first, second = compared["commonsenseqa"].values()
    path = second.folder / f"judgements_beside_{first.id}.csv"
    assert {judgement.annotator for judgement in read_judgements([path])} == {"anna"}


def test_what_all_judges_say_is_a_table(compared: dict[str, dict[str, Run]]) -> None:
    assert "Nobody has judged" in show_outcomes(compared).html
    path = judgement_file(compared["commonsenseqa"])
    for name in ("anna", "bert"):
        record(path, [*said(name, "with", 1, 1, 1, 1), *said(name, "without", 0, 0, 0, 1)])
    page = show_outcomes(compared).html
    assert "commonsenseqa" in page
    assert "100.0 [100.0, 100.0]" in page
    assert "Cohen" in page
    assert "0.25" in page  # of 3 cases in which one is better, all speak for one


def test_an_experiment_without_graphs_has_nothing_to_judge() -> None:
    assert "has no two runs" in judge({}).value
    assert "Nobody has judged" in show_outcomes({}).html


def test_the_command_line_writes_a_form_and_reads_what_was_judged(
    compared: dict[str, dict[str, Run]],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def call(*arguments: object) -> dict[str, Any]:
        monkeypatch.setattr(sys, "argv", ["eg3p_lib", *map(str, arguments), "--json"])
        with pytest.raises(SystemExit) as exit_:
            cli.run(app)
        assert not exit_.value.code
        result: dict[str, Any] = json.loads(capsys.readouterr().out.splitlines()[-1])
        return result

    names = [run.id for run in compared["commonsenseqa"].values()]
    made = call("sheet", *names, "--out", tmp_path / "anna", "--cases", 3)
    assert made == {"folder": str(tmp_path / "anna"), "cases": 3}
    text = (tmp_path / "anna" / ANSWERS).read_text()
    (tmp_path / "anna" / ANSWERS).write_text(text.replace(",\n", ",1\n"))
    found = call("judged", tmp_path / "anna" / ANSWERS)
    assert (found["cases"], found["judgements"]) == (3, 6)
    assert {system: metric["value"] for system, metric in found["semantic_accuracy"].items()} == dict.fromkeys(
        names, 1.0
    )
