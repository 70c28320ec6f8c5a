"""An experiment is a yaml file that lists runs: stages, what to set, what to vary, and what feeds what.

stages:
  - name: graphs
    notebook: 01_graph_synthesis
  - name: pretrained
    notebook: 03_pretraining
    set: {corpus: $graphs}           # `$name` stands for every run of an earlier stage; in {a: $name} for its only one
    vary: {corpus_share: [0.1, 1.0]}
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from workbench_lib.params import PARAMS_DIR, ParameterError, StageParams, load_params, load_yaml
from workbench_lib.paths import runs_dir
from workbench_lib.runs import Run

EXPERIMENTS_DIR = PARAMS_DIR / "experiments"
ANALYSIS = "05_analysis"


@dataclass(frozen=True)
class PlannedRun:
    """A run that an experiment asks for; its id is known before it is made."""

    stage: str
    notebook: str
    params: StageParams

    @property
    def id(self) -> str:
        return self.params.run_id()

    @property
    def run(self) -> Run:
        return Run(runs_dir() / self.id)


class Stage(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")
    name: str
    notebook: str
    set: dict[str, Any] = Field(default_factory=dict)
    vary: dict[str, Annotated[list[Any], Field(min_length=1)]] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _set_or_vary(self) -> Self:
        if both := self.set.keys() & self.vary.keys():
            raise ValueError(f"stage {self.name!r} both sets and varies {min(both)!r}")
        return self


class Experiment(BaseModel):
    """What an experiment file holds."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    description: str
    stages: list[Stage]

    def plan(self, preset: str) -> list[PlannedRun]:
        """Every run at a preset, those that feed others first.

        Raises:
            ParameterError: a stage names an unknown parameter, notebook, preset or earlier stage.
        """
        planned: dict[str, list[PlannedRun]] = {}
        for stage in self.stages:
            if stage.name in planned:
                raise ParameterError(f"two stages are named {stage.name!r}")
            planned[stage.name] = [
                PlannedRun(stage.name, stage.notebook, load_params(stage.notebook, preset, changes))
                for changes in _combinations(stage, planned)
            ]
        return [run for stage_runs in planned.values() for run in stage_runs]


def load_experiment(name: str) -> Experiment:
    """The experiment of that name in `params/experiments/`, or in the yaml file of that path.

    Raises:
        ParameterError: no such file, or a fault in it.
    """
    path = Path(name) if _is_file(name) else EXPERIMENTS_DIR / f"{name}.yaml"
    values = load_yaml(path)
    try:
        return Experiment.model_validate(values)
    except ValidationError as error:
        first = error.errors()[0]
        raise ParameterError(f"{path}: {'.'.join(map(str, first['loc']))}: {first['msg']}") from None


def analysis_of(name: str, preset: str) -> PlannedRun:
    """The run of the analysis notebook over an experiment."""
    if _is_file(name):
        name = str(Path(name).resolve())
    return PlannedRun("analysis", ANALYSIS, load_params(ANALYSIS, preset, {"experiment": name, "preset": preset}))


def _is_file(name: str) -> bool:
    return name.endswith((".yaml", ".yml"))


def _combinations(stage: Stage, planned: Mapping[str, list[PlannedRun]]) -> list[dict[str, Any]]:
    choices = {name: _expand([value], planned, stage) for name, value in stage.set.items()}
    choices |= {name: _expand(values, planned, stage) for name, values in stage.vary.items()}
    return [dict(zip(choices, values, strict=True)) for values in itertools.product(*choices.values())]


def _expand(values: list[Any], planned: Mapping[str, list[PlannedRun]], stage: Stage) -> list[Any]:
    expanded: list[Any] = []
    for value in values:
        if isinstance(value, dict):
            expanded.append({name: _only([part], planned, stage) for name, part in value.items()})
        elif not (isinstance(value, str) and value.startswith("$")):
            expanded.append(value)
        elif value[1:] in planned:
            expanded += [run.id for run in planned[value[1:]]]
        else:
            raise ParameterError(f"stage {stage.name!r}: {value!r} names no earlier stage ({', '.join(planned)})")
    return expanded


def _only(values: list[Any], planned: Mapping[str, list[PlannedRun]], stage: Stage) -> Any:
    found = _expand(values, planned, stage)
    if len(found) != 1:
        raise ParameterError(f"stage {stage.name!r}: {values[0]!r} stands for {len(found)} runs, where one is needed")
    return found[0]
