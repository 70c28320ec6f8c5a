"""The parameters of the table-synthesis stage."""

from __future__ import annotations

from math import inf
from typing import Annotated, Any, ClassVar, Self

from pydantic import Field, field_validator, model_validator

from reastap_lib.blocks import BLOCK
from reastap_lib.readers import source_digest
from reastap_lib.skills import get_skill, shares, skill_names
from reastap_lib.synthesis import SYNTHESIS_VERSION, TableGenerator, held_out_tables
from workbench_lib.params import StageParams

Names = Annotated[tuple[str, ...], Field(strict=False)]


class TableSynthesisParams(StageParams):
    """What decides a table corpus (ReasTAP, section 2).

    Args:
        tables: Sources: builtin, or folders, files or patterns as given or under WORKBENCH_DATA.
        held_out: Task data (starter, or folders in the layout of WikiTQ, WikiSQL, TabFact or LogicNLG) whose dev and
            test tables must not be used, nor nearly the same ones.
        examples: Questions in the corpus.
        seed: Of the whole corpus.
        skills: The skills in use, with their shares of Table 1; or a mapping of skills to shares. Shares are brought to
            a sum of 1.
        questions_a_table: How many questions about a table, with its rows in one order, are aimed at; a skill that few
            tables serve asks those more.
        min_rows, max_rows, min_columns: The tables kept (the paper: 8, 30, 3).
        max_source_words: Longer tables lose their last rows; tables that would be left with too few are left out.
        workers: Processes.

    >>> values = dict(tables=["builtin"], held_out=[], examples=10, seed=0, skills=["counting"],
    ...               questions_a_table=18, min_rows=8, max_rows=30, min_columns=3, max_source_words=350, workers=1)
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
    skills: Names | dict[str, float]
    questions_a_table: Annotated[int, Field(ge=1, le=BLOCK)]
    min_rows: Annotated[int, Field(ge=2)]
    max_rows: Annotated[int, Field(ge=2)]
    min_columns: Annotated[int, Field(ge=2)]
    max_source_words: Annotated[int, Field(ge=100)]
    workers: Annotated[int, Field(ge=1)]

    @field_validator("skills", mode="before")
    @classmethod
    def _known(cls, skills: Any) -> tuple[str, ...] | dict[str, float]:
        names = list(skills) if isinstance(skills, list | tuple | dict) else []
        if not names or any(name not in skill_names() or names.count(name) > 1 for name in names):
            raise ValueError(f"must be different names out of {', '.join(skill_names())}")
        if not isinstance(skills, dict):
            return tuple(names)
        if not all(type(share) in (int, float) and 0 < share < inf for share in skills.values()):
            raise ValueError("shares must be numbers above 0")
        return {name: float(share) for name, share in skills.items()}

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
        return {
            "tables": [source_digest(source) for source in self.tables],
            "held_out": held_out_tables(self.held_out).digest,
        }

    def generator(self) -> TableGenerator:
        """The generator of these parameters."""
        chosen = shares(self.skills)
        modules = sorted({get_skill(name).make.__module__ for name in chosen})
        values = self.model_dump(exclude={"examples", "workers", "skills"})
        return TableGenerator(**values, skills=tuple(chosen.items()), modules=tuple(modules))
