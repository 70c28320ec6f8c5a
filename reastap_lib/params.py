"""The parameters of the table-synthesis stage."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Self

from pydantic import Field, field_validator, model_validator

from reastap_lib.readers import source_digest
from reastap_lib.skills import skill_names
from reastap_lib.synthesis import SYNTHESIS_VERSION, TableGenerator
from reastap_lib.wikitq import evaluation_digests
from workbench_lib.files import sha256_of_json
from workbench_lib.params import StageParams

Names = Annotated[tuple[str, ...], Field(strict=False)]


class TableSynthesisParams(StageParams):
    """What decides a table corpus (ReasTAP, section 2).

    Args:
        tables: Sources: builtin, or folders, files or patterns as given or under WORKBENCH_DATA.
        held_out: Task data in the WikiTQ layout (starter, or a folder) whose dev and test tables must not be used.
        examples: Questions in the corpus.
        seed: Of the whole corpus.
        skills: The skills in use; their shares (Table 1) are brought to a sum of 1.
        min_rows, max_rows, min_columns: The tables kept (the paper: 8, 30, 3).
        max_source_words: Longer tables lose their last rows; tables that would be left with too few are left out.
        workers: Processes.

    >>> values = dict(tables=["builtin"], held_out=[], examples=10, seed=0, skills=["counting"], min_rows=8,
    ...               max_rows=30, min_columns=3, max_source_words=350, workers=1)
    >>> TableSynthesisParams.make(values).slug
    '10'
    """

    stage: ClassVar[str] = "tables"
    version: ClassVar[int] = SYNTHESIS_VERSION
    not_in_id: ClassVar[frozenset[str]] = frozenset({"workers"})

    tables: Annotated[tuple[str, ...], Field(strict=False, min_length=1)]
    held_out: Names
    examples: Annotated[int, Field(ge=1)]
    seed: Annotated[int, Field(ge=0)]
    skills: Annotated[tuple[str, ...], Field(strict=False, min_length=1)]
    min_rows: Annotated[int, Field(ge=2)]
    max_rows: Annotated[int, Field(ge=2)]
    min_columns: Annotated[int, Field(ge=2)]
    max_source_words: Annotated[int, Field(ge=100)]
    workers: Annotated[int, Field(ge=1)]

    @field_validator("skills")
    @classmethod
    def _known(cls, skills: tuple[str, ...]) -> tuple[str, ...]:
        unknown = [name for name in skills if name not in skill_names()]
        if unknown or len(set(skills)) < len(skills):
            raise ValueError(f"must be different names out of {', '.join(skill_names())}")
        return skills

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.min_rows > self.max_rows:
            raise ValueError(f"min_rows ({self.min_rows}) must not be above max_rows ({self.max_rows})")
        return self

    @property
    def slug(self) -> str:
        return f"{self.examples}"

    def identities(self) -> dict[str, Any]:
        """What the sources hold, instead of where they lie."""
        held_out = sorted({digest for name in self.held_out for digest in evaluation_digests(name)})
        return {
            "tables": [source_digest(source) for source in self.tables],
            "held_out": sha256_of_json(held_out),
        }

    def generator(self) -> TableGenerator:
        """The generator of these parameters."""
        return TableGenerator(**self.model_dump(exclude={"examples", "workers"}))
