"""The parameters of a corpus of synthetic graphs."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

from pydantic import BeforeValidator, Field, ValidationInfo, field_validator

from eg3p_lib.corpora import Task
from eg3p_lib.knowledge import resolve_sources
from eg3p_lib.merges import merges_path
from eg3p_lib.queries import Level
from eg3p_lib.relations import RELATIONS
from eg3p_lib.sources import Distractors
from eg3p_lib.synthesis import SYNTHESIS_VERSION
from eg3p_lib.templates import templates_path
from workbench_lib.files import sha256_of_file, sha256_of_files
from workbench_lib.params import StageParams


def _as_tuple(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


_List = BeforeValidator(_as_tuple)
Weight = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class GraphSynthesisParams(StageParams):
    """What decides a corpus of graphs; see `GraphGenerator`, `GraphRules`, `Shape`, `read_knowledge` for the meanings.

    `knowledge` names sources: "starter", files, or glob patterns under WORKBENCH_DATA; `held_out` names files of
    evaluation splits in the same way. `relations` are those of the 16 that are kept, [] for all. In the prediction
    tasks `graphs` counts examples, and the shape, levels, distractors and templates mean nothing.
    """

    stage: ClassVar[str] = "graphs"
    version: ClassVar[int] = SYNTHESIS_VERSION
    not_in_id: ClassVar[frozenset[str]] = frozenset({"workers"})

    knowledge: Annotated[tuple[str, ...], _List, Field(min_length=1)]
    language: Annotated[str, Field(pattern=r"^[a-z]{2,3}(-[a-z]+)?$")]
    min_weight: Annotated[float, Field(allow_inf_nan=False)]
    relations: Annotated[tuple[str, ...], _List]
    merges: str
    held_out: Annotated[tuple[str, ...], _List]
    task: Task
    graphs: Annotated[int, Field(ge=1)]
    seed: Annotated[int, Field(ge=0, lt=1 << 64)]
    incoming: Annotated[tuple[Weight, Weight, Weight], _List]
    max_depth: Annotated[int, Field(ge=1, le=16)]
    min_triples: Annotated[int, Field(ge=1)]
    max_triples: Annotated[int, Field(ge=1, le=64)]
    levels: Annotated[dict[Level, Weight], Field(min_length=1)]
    distractors: Distractors
    templates: str
    workers: Annotated[int, Field(ge=1)]

    @field_validator("relations")
    @classmethod
    def _check_relations(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        if strange := [relation for relation in value if relation not in RELATIONS]:
            raise ValueError(f"{strange[0]!r} is none of {', '.join(RELATIONS)}")
        return value

    @field_validator("incoming")
    @classmethod
    def _check_incoming(cls, value: tuple[float, float, float]) -> tuple[float, float, float]:
        if value[1] + value[2] <= 0:
            raise ValueError("1 or 2 incoming triples must be possible")
        return value

    @field_validator("max_triples")
    @classmethod
    def _check_sizes(cls, value: int, info: ValidationInfo) -> int:
        if value < info.data.get("min_triples", 1):
            raise ValueError("must not be smaller than min_triples")
        return value

    @field_validator("levels")
    @classmethod
    def _check_levels(cls, value: dict[Level, float]) -> dict[Level, float]:
        if min(value.values()) <= 0:
            raise ValueError("every level that is named needs a weight above 0")
        return value

    @property
    def slug(self) -> str:
        """The number of graphs, or the task and its number of examples."""
        return f"{self.graphs}" if self.task == "text-to-graph" else f"{self.task}-{self.graphs}"

    def identities(self) -> dict[str, Any]:
        """The contents of the knowledge sources and of the templates, wherever they lie."""
        return {
            "knowledge": sha256_of_files(resolve_sources(self.knowledge)),
            "merges": sha256_of_file(merges_path(self.merges)),
            "held_out": sha256_of_files(resolve_sources(self.held_out)) if self.held_out else "",
            "templates": sha256_of_file(templates_path(self.templates)),
        }
