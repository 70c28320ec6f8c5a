"""What the judges are trained on: pairs as the metrics will ask for them, and graphs that people found wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from eg3p_lib.explagraphs import ExplaGraphsRow, read_explagraphs
from eg3p_lib.judge_data import importance_pairs, read_refined, semantic_pairs, stance_pairs
from eg3p_lib.structure import structure_faults
from workbench_lib.errors import InputError

GRAPH = "(smoke; is a; harm)(cars; causes; smoke)(harm; not desires; people)"
ORDERED = "(cars; causes; smoke)(smoke; is a; harm)(harm; not desires; people)"
ROW = ExplaGraphsRow("Cars harm people.", "Smoke from cars.", "support", GRAPH, 7)
WRONG = "(cars; causes; harm)(harm; not desires; people)(people; desires; smoke)"


def test_pairs_are_written_as_the_metrics_ask() -> None:
    assert stance_pairs([ROW])[0][:3] == ("Cars harm people.", "Smoke from cars.", "support")
    (pair,) = importance_pairs([ROW])
    assert pair[:3] == (
        "Cars harm people.",
        "Smoke from cars. cars causes smoke. smoke is a harm. harm not desires people. ",
        "support",
    )
    assert semantic_pairs([ROW])[0][:3] == ("cars harm people.", ORDERED, "support")


def test_graphs_before_the_last_refinement_are_incorrect_but_not_where_they_are_the_last() -> None:
    pairs = semantic_pairs([ROW], [[WRONG, GRAPH.upper(), WRONG]])
    assert [(pair.label, pair.origin) for pair in pairs] == [("support", "gold"), ("incorrect", "refined")]
    assert pairs[1].second.startswith("(cars; causes; harm)")


def test_a_row_without_incorrect_graphs_gets_a_perturbed_one() -> None:
    for refined in ([], [[]], [[GRAPH]]):
        right, wrong = semantic_pairs([ROW], refined)
        assert (right.label, wrong.label, wrong.line) == ("support", "incorrect", 7)
        assert wrong.second != right.second
        assert structure_faults(wrong.second, ROW.belief, ROW.argument) == ()
    assert semantic_pairs([ROW]) == semantic_pairs([ROW], [[]])


def refined_line(*graphs: str, stance: str = "support") -> str:
    return "\t".join([ROW.belief, ROW.argument, stance, *graphs]) + "\n"


def test_refinement_graphs_of_one_two_and_three(make_file: Callable[..., Path]) -> None:
    path = make_file(refined_line(GRAPH) + refined_line(WRONG, GRAPH) + refined_line(WRONG, "x", GRAPH))
    assert read_refined(path, [ROW] * 3) == [[], [WRONG], [WRONG, "x"]]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (refined_line(GRAPH) + refined_line(WRONG), "line 2: is not the training file's line"),
        (refined_line(GRAPH) + refined_line(GRAPH, stance="counter"), "line 2: is not the training file's line"),
        (refined_line(GRAPH), "has 1 lines for 2 training rows"),
    ],
)
def test_other_refinement_files_are_refused(make_file: Callable[..., Path], text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_refined(make_file(text), [ROW] * 2)


@pytest.mark.realdata
def test_official_refinements(data_root: Path) -> None:
    folder = data_root / "explagraphs"
    rows = read_explagraphs(folder / "train.tsv")
    pairs = semantic_pairs(rows, read_refined(folder / "refinement_graphs_train.tsv", rows))
    assert Counter(pair.label for pair in pairs) == {"support": 1335, "counter": 1033, "incorrect": 2617}
    origins = Counter(pair.origin for pair in pairs)
    assert (origins["gold"], origins["refined"]) == (2368, 444 + 2 * 446 - 197)  # 197 were as the last one
