"""Graphs beside the gold: what differs, which rules break, and which cases are chosen."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import ipywidgets
import pandas as pd
import pytest

from eg3p_lib.case_explorer import explore_cases
from eg3p_lib.case_studies import (
    Answer,
    Case,
    CaseError,
    cases_table,
    compared_runs,
    metrics_of,
    read_cases,
    select,
)
from eg3p_lib.tasks import EXPLAGRAPHS
from workbench_lib import runs
from workbench_lib.display import MARKED
from workbench_lib.params import load_params
from workbench_lib.runs import Run

GOLD = "(Cars; causes; smoke)(smoke; is a; harm)(harm; causes; pain)"
OTHER = "(cars;causes;smoke) (smoke; is a; <b>)"


def answer(text: str, faults: tuple[str, ...] = (), **scores: float) -> Answer:
    return Answer(text, {"faults": list(faults), "StCA": float(not faults), "GED": 0.5, **scores})


def case(name: str = "dev-1", gold: str = GOLD, stance: str = "support", **answers: Answer) -> Case:
    return Case(name, {"belief": "B", "argument": "<A>", "stance": stance}, gold, answers)


def test_edges_that_differ_from_the_gold_are_marked_and_the_gold_s_that_none_has() -> None:
    one = case(without=answer(OTHER), with_=answer("(cars; causes; smoke)(harm; causes; pain)"))
    assert one.differing("without") == {("smoke", "is a", "<b>")}
    assert one.differing("with_") == set()
    assert one.differing("gold") == {("smoke", "is a", "harm")}


def test_without_gold_the_models_differ_from_each_other() -> None:
    one = case(gold="", without=answer(OTHER), with_=answer(GOLD))
    assert one.differing("without") == {("smoke", "is a", "<b>")}
    assert one.differing("with_") == {("smoke", "is a", "harm"), ("harm", "causes", "pain")}
    assert [title.split(":")[0] for title, *_ in one.panels()] == ["without", "with_"]
    assert one.size == 3


def test_titles_name_the_rules_that_break() -> None:
    one = case(without=answer(OTHER, ("disconnected", "cycle")), with_=answer(GOLD), third=answer(" "))
    assert [title for title, *_ in one.panels()] == [
        "gold",
        "without: breaks: disconnected; cyclic",
        "with_: keeps all rules",
        "third: nothing written",
    ]


def test_the_picture_has_a_panel_a_graph_with_differing_edges_dashed_and_coloured() -> None:
    one = case(without=answer("(cars; causes; smoke)(smoke; is a; fog)"), with_=answer("no graph"))
    figure = one.picture()
    assert len(figure.axes) == 3
    arrows = [text.arrow_patch for text in figure.axes[1].texts if getattr(text, "arrow_patch", None)]
    marked = [text.get_text() for text in figure.axes[1].texts if text.get_color() == MARKED]
    assert marked == ["is a"]
    assert [arrow.get_linestyle() for arrow in arrows] == ["-", "--"]


def test_live_graphs_stand_side_by_side_escaped() -> None:
    page = case(without=answer(OTHER), with_=answer("<i>no</i> graph"))._repr_html_()
    assert page.count("<iframe") == 2
    assert "&lt;A&gt;" in page
    assert "<A>" not in page
    assert "with_, no graph: &lt;i&gt;no&lt;/i&gt; graph" in page
    assert page.count(MARKED) == 3  # in the gold the two edges that are in no other, and smoke is a <b>


def test_cases_are_chosen_by_gain_stance_size_and_error() -> None:
    cases = [
        case("a", a=answer(OTHER, ("cycle",), bleu=0.4), b=answer(GOLD, bleu=0.5)),
        case("b", stance="counter", a=answer(OTHER, bleu=0.0), b=answer(OTHER, ("words",), bleu=0.9)),
        case("c", gold="(a; is a; b)", a=answer(OTHER, bleu=0.7), b=answer(OTHER, bleu=0.1)),
    ]
    assert [c.id for c in select(cases)] == ["a", "b", "c"]
    assert [c.id for c in select(cases, metric="bleu", limit=2)] == ["b", "a"]
    assert [c.id for c in select(cases, stance="counter")] == ["b"]
    assert [c.id for c in select(cases, size=1)] == ["c"]
    assert [c.id for c in select(cases, fault="cycle")] == ["a"]
    assert select(cases, fault="cycle", stance="counter") == []


def test_a_lower_distance_is_a_gain() -> None:
    cases = [
        case("a", a=answer(GOLD, GED=0.2), b=answer(GOLD, GED=0.9)),
        case("b", a=answer(GOLD, GED=0.9), b=answer(GOLD, GED=0.2)),
    ]
    assert [c.id for c in select(cases, metric="GED")] == ["b", "a"]


def test_a_table_of_cases() -> None:
    one = case(first=answer(OTHER, ("cycle",)), second=answer(GOLD))
    (row,) = cases_table([one], ["StCA"]).to_dict("records")
    assert row == {
        **{"id": "dev-1", "belief": "B", "argument": "<A>", "stance": "support", "gold": GOLD},
        **{"first": OTHER, "first: rules": "breaks: cyclic", "first: StCA": 0.0},
        **{"second": GOLD, "second: rules": "keeps all rules", "second: StCA": 1.0},
    }
    assert metrics_of([one]) == ["StCA", "GED"]
    assert metrics_of([]) == []


# --- from runs ---------------------------------------------------------------------------------------------------


def finished_run(task: str, wrote: Mapping[str, str], **changes: Any) -> Run:
    """A finished fine-tuning run whose predictions are made up."""
    params = load_params("04_finetuning", "tiny", {"task": task, "model": "tiny", **changes})
    run = runs.start(params)
    rows = [{"id": name, "prediction": text, "target": "", "StCA": 1.0, "faults": []} for name, text in wrote.items()]
    runs.write_jsonl(run.folder / "predictions.jsonl", rows)
    run.finish(params, {})
    return run


@pytest.fixture
def starter_ids() -> list[str]:
    return [example.id for example in EXPLAGRAPHS.load("starter", "dev")]


def test_cases_of_runs_have_their_examples(home: Path, starter_ids: list[str]) -> None:
    one, two = (finished_run("explagraphs", dict.fromkeys(starter_ids, GOLD), seed=seed) for seed in (1, 2))
    cases = read_cases({"without": one, "with": two})
    examples = EXPLAGRAPHS.load("starter", "dev")
    assert [found.id for found in cases] == starter_ids
    assert cases[0].texts == {name: examples[0].references[name] for name in ("belief", "argument", "stance")}
    assert (cases[0].gold, cases[0].answers["with"].text) == (examples[0].target, GOLD)


def test_runs_that_cannot_be_compared_are_refused(home: Path, starter_ids: list[str]) -> None:
    one = finished_run("explagraphs", dict.fromkeys(starter_ids, GOLD), seed=1)
    other = finished_run("commonsenseqa", {"dev-1": GOLD})
    with pytest.raises(CaseError, match="different tasks, data or splits"):
        read_cases({"a": one, "b": other})
    with pytest.raises(CaseError, match="was scored on other examples"):
        read_cases({"a": other})
    with pytest.raises(CaseError, match="'wikitq' has no graphs"):
        read_cases({"a": finished_run("wikitq", {"x": "y"})})


def test_the_runs_without_and_with_the_largest_corpus_are_compared(home: Path) -> None:
    rows = [("explagraphs", 100, "b"), ("explagraphs", 0, "a"), ("explagraphs", 1000, "c"), ("wikitq", 0, "x")]
    outcomes = pd.DataFrame(rows, columns=["task", "corpus_examples", "run"])
    found = compared_runs(outcomes)
    assert {task: {title: run.id for title, run in pair.items()} for task, pair in found.items()} == {
        "explagraphs": {"without pre-training": "a", "with pre-training": "c"}
    }


# --- behind controls ---------------------------------------------------------------------------------------------


def controls(box: ipywidgets.VBox) -> dict[str, ipywidgets.Widget]:
    return {control.description: control for control in box.children[0].children}


def test_the_explorer_filters_and_turns_pages() -> None:
    cases = [
        case("a", a=answer(GOLD), b=answer(OTHER, ("cycle",))),
        case("b", stance="counter", a=answer(GOLD), b=answer(GOLD)),
    ]
    box = explore_cases(cases)
    area, found = box.children[1], controls(box)
    assert "Case 1 of 2" in area.value
    found["Case"].value = 2
    assert "Case 2 of 2" in area.value
    found["Stance"].value = "counter"
    assert "Case 1 of 1" in area.value
    found["Error"].value = "cycle"
    assert "No case is like that." in area.value
    found["Stance"].value = ""
    assert "breaks: cyclic" in area.value


def test_the_record_of_a_run_is_read_as_json_lines(home: Path, starter_ids: list[str]) -> None:
    text = "(a; is a; \u2028b)"
    run = finished_run("explagraphs", dict.fromkeys(starter_ids, text))
    assert (
        json.loads((run.folder / "predictions.jsonl").read_text(encoding="utf-8").split("\n")[0])["prediction"] == text
    )
    assert read_cases({"a": run})[0].answers["a"].text == text
