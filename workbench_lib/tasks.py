"""The registry of downstream tasks. A library registers its tasks when its `tasks` module is imported."""

from __future__ import annotations

import difflib
import importlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from workbench_lib.errors import WorkbenchError
from workbench_lib.scores import Scores

Split = Literal["train", "dev", "test"]


@dataclass(frozen=True)
class Example:
    """One example of a task: what the model reads, and what it should write.

    `references` holds what the metrics need (several golds, canonical values, the belief ...), as text by name.
    """

    id: str
    source: str
    target: str
    references: Mapping[str, str]


@dataclass(frozen=True)
class Task:
    """A downstream task.

    Args:
        name: As in parameters and on the command line.
        version: Raised whenever the texts or the metrics change; part of a run's id.
        load: `(data, split)` to examples; `data` is "starter" (built in) or a folder of the official files.
        score: `(examples, predictions)` to scores; predictions in the order of the examples.
        higher_is_better: The direction of each metric, the main one first.
    """

    name: str
    version: int
    load: Callable[[str, Split], list[Example]]
    score: Callable[[Sequence[Example], Sequence[str]], Scores]
    higher_is_better: Mapping[str, bool]


class TaskError(WorkbenchError):
    """No task of that name, or two."""


_tasks: dict[str, Task] = {}


def register(task: Task) -> Task:
    """Make a task known by its name.

    Raises:
        TaskError: another task has that name.
    """
    if _tasks.get(task.name, task) is not task:
        raise TaskError(f"there is a task {task.name!r} already")
    _tasks[task.name] = task
    return task


def get_task(name: str, *, libraries: Sequence[str] = ("eg3p_lib", "reastap_lib")) -> Task:
    """The task of that name, from any of the libraries.

    Raises:
        TaskError: there is none; suggests the nearest name.
    """
    for library in libraries:
        importlib.import_module(f"{library}.tasks")
    if name not in _tasks:
        near = difflib.get_close_matches(name, _tasks, n=1)
        hint = f" (did you mean {near[0]!r}?)" if near else f" (there are: {', '.join(sorted(_tasks))})"
        raise TaskError(f"unknown task {name!r}{hint}")
    return _tasks[name]
