"""The registry of reasoning skills (ReasTAP, Table 1). A new skill is one function with a decorator."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from reastap_lib.columns import TypedTable
from reastap_lib.skills.drawing import Draw
from workbench_lib.errors import WorkbenchError


class SkillError(WorkbenchError):
    """No skill of that name, or a share that is no share."""


@dataclass(frozen=True)
class Question:
    """A question and the program that answers it: what `execute` and `to_sql` know, and what can be hashed."""

    text: str
    program: Any


Make = Callable[[TypedTable, Draw], Question]


@dataclass(frozen=True)
class Skill:
    """A reasoning skill.

    Args:
        name: As in parameters, manifests and the figures.
        share: Its part of a corpus; the shares of the skills in use are brought to a sum of 1.
        make: Draws one question about a table, or raises Undetermined with the reason.
        serves: Whether a table has the columns that the skill needs.
    """

    name: str
    share: float
    make: Make
    serves: Callable[[TypedTable], bool]


_skills: dict[str, Skill] = {}


def skill(
    name: str, *, share: float, serves: Callable[[TypedTable], bool] = lambda table: True
) -> Callable[[Make], Make]:
    """Register a function as a skill; a later one of the same name takes its place (a notebook cell run again).

    >>> from reastap_lib.programs import Count
    >>> @skill("size", share=0.1)
    ... def size(table, draw):
    ...     return Question("How many rows are there?", Count(()))
    >>> get_skill("size").share
    0.1
    >>> forget("size")
    """
    if not 0 < share <= 1:
        raise SkillError(f"skill {name!r}: a share of {share!r} is not in (0, 1]")

    def register(make: Make) -> Make:
        _skills[name] = Skill(name, share, make, serves)
        return make

    return register


def forget(name: str) -> None:
    """Take a skill out of the registry."""
    _skills.pop(get_skill(name).name)


def skill_names() -> tuple[str, ...]:
    """All skills, in the order of their registration."""
    return tuple(_skills)


def get_skill(name: str) -> Skill:
    """The skill of that name.

    Raises:
        SkillError: there is none; suggests the nearest.
    """
    if name not in _skills:
        near = difflib.get_close_matches(name, _skills, n=1)
        raise SkillError(f"unknown skill {name!r}" + (f" (did you mean {near[0]!r}?)" if near else f" ({_all()})"))
    return _skills[name]


def shares(skills: Iterable[str] | Mapping[str, float]) -> dict[str, float]:
    """The part of each skill in a corpus of these skills; the parts sum to 1.

    Args:
        skills: Names, whose own shares are taken; or names with shares.

    >>> shares({"counting": 3, "conjunction": 1})
    {'counting': 0.75, 'conjunction': 0.25}
    """
    given = skills if isinstance(skills, Mapping) else {name: get_skill(name).share for name in skills}
    total = sum(given.values())
    return {get_skill(name).name: share / total for name, share in given.items()}


def _all() -> str:
    return "there are: " + ", ".join(_skills)
