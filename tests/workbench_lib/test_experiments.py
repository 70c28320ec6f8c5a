"""An experiment's plan: which runs, in which order, by ids known before anything is run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from workbench_toys import ToyConsumer, ToyStage

from workbench_lib.experiments import Experiment, Stage, analysis_of, load_experiment
from workbench_lib.params import ParameterError

pytestmark = pytest.mark.usefixtures("project")

GRAPHS = Stage(name="graphs", notebook="01_graph_synthesis")


def consumer(**values: object) -> Stage:
    return Stage.model_validate({"name": "consumer", "notebook": "02_consumer", **values})


def plan(*stages: Stage) -> list[tuple[str, object]]:
    return [(run.stage, run.params) for run in Experiment(description="", stages=list(stages)).plan("tiny")]


def fault(*stages: Stage) -> str:
    with pytest.raises(ParameterError) as caught:
        plan(*stages)
    return str(caught.value)


def test_a_reference_becomes_the_id_of_an_earlier_stage() -> None:
    assert plan(GRAPHS, consumer(set={"corpus": "$graphs"})) == [
        ("graphs", ToyStage(seed=13)),
        ("consumer", ToyConsumer(corpus=ToyStage(seed=13).run_id())),
    ]


def test_what_varies_is_combined_with_each_other_last_name_fastest() -> None:
    varied = GRAPHS.model_copy(update={"set": {"name": "b"}, "vary": {"seed": [1, 2], "rate": [0.1, 0.2]}})
    assert plan(varied) == [
        ("graphs", ToyStage(name="b", seed=seed, rate=rate)) for seed in (1, 2) for rate in (0.1, 0.2)
    ]


def test_a_reference_stands_for_every_run_of_a_stage() -> None:
    two = GRAPHS.model_copy(update={"vary": {"seed": [1, 2]}})
    ids = [ToyStage(seed=seed).run_id() for seed in (1, 2)]
    expected = [("consumer", ToyConsumer(corpus=corpus, share=share)) for corpus in ids for share in (0.5, 1.0)]
    assert plan(two, consumer(set={"corpus": "$graphs"}, vary={"share": [0.5, 1.0]}))[2:] == expected
    mixed = plan(two, consumer(vary={"corpus": ["other-0123", "$graphs"]}))[2:]
    assert mixed == [("consumer", ToyConsumer(corpus=corpus)) for corpus in ["other-0123", *ids]]


def test_the_preset_decides_the_base() -> None:
    experiment = Experiment(description="", stages=[GRAPHS])
    assert [run.params for run in experiment.plan("small")] == [ToyStage(seed=14)]
    with pytest.raises(ParameterError, match=r"paper\.yaml: no such file"):
        experiment.plan("paper")


def test_ids_are_the_same_on_every_call() -> None:
    experiment = Experiment(description="", stages=[GRAPHS, consumer(set={"corpus": "$graphs"})])
    first, second = ([run.id for run in experiment.plan("tiny")] for _ in range(2))
    assert first == second
    assert len(set(first)) == 2


def test_a_reference_to_no_earlier_stage_is_refused() -> None:
    later = (consumer(set={"corpus": "$graphs"}), GRAPHS)
    assert fault(*later).startswith("stage 'consumer': '$graphs' names no earlier stage")
    assert fault(GRAPHS, consumer(set={"corpus": "$graph"})) == (
        "stage 'consumer': '$graph' names no earlier stage (graphs)"
    )


def test_two_stages_of_one_name_are_refused() -> None:
    assert fault(GRAPHS, GRAPHS) == "two stages are named 'graphs'"


def test_an_unknown_notebook_or_parameter_is_refused_with_a_suggestion() -> None:
    assert "(did you mean '02_consumer'?)" in fault(consumer(notebook="02_consume"))
    assert "unknown parameter 'sede' (did you mean 'seed'?)" in fault(GRAPHS.model_copy(update={"set": {"sede": 1}}))
    assert "'seed' is 'a'" in fault(GRAPHS.model_copy(update={"vary": {"seed": [1, "a"]}}))


# --- experiment files ---------------------------------------------------------------------------------------------

TEXT = """
description: toy
stages:
  - name: graphs
    notebook: 01_graph_synthesis
  - name: consumer
    notebook: 02_consumer
    set: {corpus: $graphs}
    vary: {share: [0.5, 1.0]}
"""


def test_load_experiment_by_name_and_by_path(project: Path, write_file: Callable[[Path, str], Path]) -> None:
    path = write_file(project / "params/experiments/toy.yaml", TEXT)
    experiment = load_experiment("toy")
    assert experiment == load_experiment(str(path))
    assert [run.stage for run in experiment.plan("tiny")] == ["graphs", "consumer", "consumer"]
    assert experiment.stages[1].vary == {"share": [0.5, 1.0]}


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("    set:", "    sett:", "stages.1.sett: Extra inputs are not permitted"),
        ("description: toy", "descripton: toy", "description: Field required"),
        ("    notebook: 02_consumer\n", "", "stages.1.notebook: Field required"),
        ("share: [0.5, 1.0]", "share: 0.5", "stages.1.vary.share: Input should be a valid list"),
        (
            "share: [0.5, 1.0]",
            "share: []",
            "stages.1.vary.share: List should have at least 1 item after validation, not 0",
        ),
        (
            "vary: {share:",
            "vary: {corpus:",
            "stages.1: Value error, stage 'consumer' both sets and varies 'corpus'",
        ),
    ],
)
def test_a_fault_in_a_file_is_named_with_its_place(
    project: Path, write_file: Callable[[Path, str], Path], old: str, new: str, expected: str
) -> None:
    assert old in TEXT
    path = write_file(project / "params/experiments/toy.yaml", TEXT.replace(old, new))
    with pytest.raises(ParameterError) as caught:
        load_experiment("toy")
    assert str(caught.value) == f"{path}: {expected}"


def test_a_missing_file_suggests_the_nearest(project: Path, write_file: Callable[[Path, str], Path]) -> None:
    write_file(project / "params/experiments/toy.yaml", TEXT)
    with pytest.raises(ParameterError, match=r"did you mean 'toy'"):
        load_experiment("toi")


@pytest.fixture
def analysis(project: Path, write_file: Callable[[Path, str], Path]) -> Path:
    """A project with the real analysis model."""
    metadata = '{"metadata": {"workbench": {"params": "workbench_lib.stages:AnalysisParams"}}, "cells": []}'
    write_file(project / "notebooks/05_analysis.ipynb", metadata)
    write_file(project / "params/05_analysis/tiny.yaml", "experiment: toy\npreset: tiny\n")
    return write_file(project / "params/experiments/toy.yaml", TEXT)


@pytest.mark.usefixtures("analysis")
def test_the_analysis_of_an_experiment_is_made_anew_once_more_runs_are_finished() -> None:
    before = analysis_of("toy", "tiny").id
    assert before.startswith("analysis-toy-tiny-")
    assert analysis_of("toy", "tiny").id == before
    first = load_experiment("toy").plan("tiny")[0]
    first.run.folder.mkdir(parents=True)
    (first.run.folder / "metrics.json").write_text("{}")
    assert analysis_of("toy", "tiny").id != before


def test_the_analysis_of_an_experiment_given_by_its_path_is_one_folder_of_runs(analysis: Path) -> None:
    planned = analysis_of(str(analysis), "tiny")
    assert "/" not in planned.id
