"""The parameters of a graph corpus: what is refused, and what decides the id."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from eg3p_lib.corpora import generator_of
from eg3p_lib.params import GraphSynthesisParams
from workbench_lib.params import ParameterError


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"graph": 5}, "unknown parameter 'graph' \\(did you mean 'graphs'\\?\\)"),
        ({"graphs": "5"}, "'graphs' is '5'"),
        ({"graphs": 5.0}, "'graphs' is 5.0"),
        ({"graphs": 0}, "'graphs' is 0"),
        ({"knowledge": []}, "'knowledge' is"),
        ({"knowledge": "starter"}, "'knowledge' is 'starter'"),
        ({"language": "English"}, "'language' is 'English'"),
        ({"incoming": [1.0, 1.0]}, "'incoming.2' is missing"),
        ({"incoming": [1.0, "1", 1.0]}, "'incoming.1' is '1'"),
        ({"incoming": [1.0, -1.0, 1.0]}, "'incoming.1' is -1.0"),
        ({"incoming": [1.0, 0.0, 0.0]}, "1 or 2 incoming triples must be possible"),
        ({"min_triples": 4, "max_triples": 3}, "'max_triples' is 3: .*must not be smaller than min_triples"),
        ({"max_triples": 65}, "'max_triples' is 65"),
        ({"max_depth": 17}, "'max_depth' is 17"),
        ({"levels": ["easy"]}, "'levels' is \\['easy'\\]: .*dictionary"),
        ({"levels": {"medium": 1.0}}, "is 'medium': Input should be 'easy', 'normal' or 'hard'"),
        ({"levels": {"easy": "1"}}, "'levels.easy' is '1'"),
        ({"levels": {"easy": 1.0, "hard": 0.0}}, "every level that is named needs a weight above 0"),
        ({"levels": {}}, "'levels' is {}"),
        ({"seed": -1}, "'seed' is -1"),
        ({"seed": 2**64}, "'seed' is 18446744073709551616"),
        (
            {"task": "tail"},
            "'task' is 'tail': Input should be 'text-to-graph', 'link-prediction', 'head-prediction' or",
        ),
        ({"held_out": "dev.tsv"}, "'held_out' is 'dev.tsv'"),
        ({"distractors": "far"}, "'distractors' is 'far'"),
        ({"min_weight": float("nan")}, "'min_weight' is nan"),
    ],
)
def test_wrong_parameters_stop(make_params: Callable[..., Any], changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        make_params(**changes)


def test_every_field_is_needed(make_params: Callable[..., Any]) -> None:
    values = make_params().model_dump()
    for name in values:
        with pytest.raises(ParameterError, match=f"'{name}' is missing"):
            GraphSynthesisParams.make({k: v for k, v in values.items() if k != name})


def test_every_seed_that_is_allowed_makes_graphs(make_params: Callable[..., Any]) -> None:
    for seed in (0, 2**63, 2**64 - 1):
        assert generator_of(make_params(seed=seed)).open()(0, 2).table.num_rows == 6


def test_lists_and_tuples_are_the_same(make_params: Callable[..., Any]) -> None:
    assert make_params(incoming=(1, 1, 1), knowledge=("starter",)) == make_params()


def test_the_id_follows_what_decides_the_rows(make_params: Callable[..., Any], make_file: Callable[..., Path]) -> None:
    base = make_params().run_id()
    assert base.startswith("graphs-100-")
    assert make_params(workers=8).run_id() == base
    assert make_params(levels={"hard": 1.0, "easy": 1.0, "normal": 1.0}).run_id() == base
    changes: list[dict[str, Any]] = [
        {"seed": 14},
        {"graphs": 101},
        {"levels": {"easy": 1.0, "normal": 1.0, "hard": 0.5}},
        {"distractors": "neighbours"},
        {"templates": "verbatim"},
        {"max_depth": 2},
        {"task": "tail-prediction"},
        {"held_out": [str(make_file("b\ta\tsupport\t(a; is a; b)\n", "dev.tsv"))]},
    ]
    ids = {make_params(**change).run_id() for change in changes}
    assert len(ids | {base}) == 9
    assert make_params(task="tail-prediction").run_id().startswith("graphs-tail-prediction-100-")
    file = make_file("IsA\tdog\tpet\n")
    before = make_params(knowledge=[str(file)]).run_id()
    make_file("IsA\tdog\tpet\nIsA\tcat\tpet\n")
    assert make_params(knowledge=[str(file)]).run_id() not in {before, base}
