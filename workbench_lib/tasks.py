"""The registry of downstream tasks. A library registers its tasks when its `tasks` module is imported."""

from __future__ import annotations

import difflib
import importlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from workbench_lib.errors import WorkbenchError
from workbench_lib.scores import Scores

if TYPE_CHECKING:
    from transformers import LogitsProcessor, PreTrainedTokenizerFast

Split = Literal["train", "dev", "test"]


@dataclass(frozen=True)
class Example:
    """One example of a task: what the model reads, and what it should write.

    Args:
        references: What the metrics need (several golds, canonical values, the belief ...), as text by name.
        second: A second text to read, of a task in which pairs of texts get labels.
    """

    id: str
    source: str
    target: str
    references: Mapping[str, str]
    second: str = ""

    @property
    def text(self) -> str | tuple[str, str]:
        """What is read: the source, or the pair."""
        return (self.source, self.second) if self.second else self.source


@dataclass(frozen=True)
class Remote:
    """A file of an official release.

    Args:
        path: Where it lies in the folder of a task's data.
        url: Its address, or that of a zip archive that holds it; https alone.
        sha256: Of what is at the address.
        member: Its name in the archive, where it is in one.
    """

    path: str
    url: str
    sha256: str
    member: str = ""


@dataclass(frozen=True)
class Task:
    """A downstream task.

    Args:
        name: As in parameters and on the command line.
        version: Raised whenever the texts or the metrics change; part of a run's id.
        load: `(data, split)` to examples; `data` is "starter" (built in) or a folder of the official files.
        score: `(examples, predictions)` to scores; predictions in the order of the examples.
        higher_is_better: The direction of each metric, the main one first.
        constraint: `(tokenizer, max_new_tokens)` to what lets out texts of the task's notation alone, if there is such.
        labels: The classes of a task in which a source gets one of them; the examples' targets and the predictions are
            then labels. Empty where a text is written.
        folder: The folder of its official files under WORKBENCH_DATA, by default its name.
        files: Where these files can be fetched from.
        uses: What else the task can use, and for what: runs, models, files, by the names that `bind` takes.
        bind: The task with these things in use.
    """

    name: str
    version: int
    load: Callable[[str, Split], list[Example]]
    score: Callable[[Sequence[Example], Sequence[str]], Scores]
    higher_is_better: Mapping[str, bool]
    constraint: Callable[[PreTrainedTokenizerFast, int], LogitsProcessor] | None = None
    labels: tuple[str, ...] = ()
    folder: str = ""
    files: tuple[Remote, ...] = ()
    uses: Mapping[str, str] = field(default_factory=dict)
    bind: Callable[[Mapping[str, str]], Task] | None = None

    def using(self, things: Mapping[str, str]) -> Task:
        """The task with some of what it can use: model folders and hub names, or names of files.

        Raises:
            TaskError: it can use no such thing.
        """
        strangers = [name for name in things if name not in self.uses]
        if strangers:
            known = ", ".join(self.uses) or "nothing"
            raise TaskError(f"the task {self.name!r} can't use {strangers[0]!r} (it can use: {known})")
        return self.bind(things) if self.bind and things else self


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
