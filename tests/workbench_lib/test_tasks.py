"""The registry of tasks."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from workbench_lib import tasks
from workbench_lib.scores import summarise
from workbench_lib.tasks import Example, Task, TaskError, get_task, register

TASK = Task(
    name="explagraphs",
    version=1,
    load=lambda data, split: [Example(id=f"{data}/{split}", source="s", target="t", references={})],
    score=lambda examples, predictions: summarise([{"em": 1.0} for _ in examples], ["em"]),
    higher_is_better={"em": True},
)


@pytest.fixture(autouse=True)
def empty_registry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tasks, "_tasks", {})


def test_a_registered_task_is_found_by_its_name() -> None:
    assert register(TASK) is TASK
    assert get_task("explagraphs", libraries=()) is TASK


def test_registering_the_same_task_twice_does_nothing() -> None:
    register(TASK)
    assert register(TASK) is TASK


def test_a_second_task_of_one_name_is_refused_and_the_first_kept() -> None:
    register(TASK)
    with pytest.raises(TaskError, match="there is a task 'explagraphs' already"):
        register(replace(TASK, version=2))
    assert get_task("explagraphs", libraries=()) is TASK


def test_an_unknown_name_suggests_the_nearest_or_lists_all() -> None:
    register(TASK)
    register(replace(TASK, name="wikitq"))
    with pytest.raises(TaskError, match=r"^unknown task 'explagraph' \(did you mean 'explagraphs'\?\)$"):
        get_task("explagraph", libraries=())
    with pytest.raises(TaskError, match=r"^unknown task 'zzz' \(there are: explagraphs, wikitq\)$"):
        get_task("zzz", libraries=())


def test_the_tasks_of_a_library_are_those_that_its_module_registers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = tmp_path / "toy_library_of_tasks"
    library.mkdir()
    (library / "__init__.py").touch()
    (library / "tasks.py").write_text(
        "from workbench_lib.tasks import Task, register\n"
        "register(Task(name='toy', version=3, load=None, score=None, higher_is_better={}))\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    assert get_task("toy", libraries=("toy_library_of_tasks",)).version == 3


def test_a_task_in_use_of_something_is_what_it_binds() -> None:
    using = replace(
        TASK, uses={"model": "of a metric"}, bind=lambda things: replace(TASK, name=f"with {things['model']}")
    )
    assert using.using({"model": "x"}).name == "with x"
    assert using.using({}) is using
    with pytest.raises(TaskError, match=r"^the task 'explagraphs' can't use 'file' \(it can use: model\)$"):
        using.using({"file": "x"})
    with pytest.raises(TaskError, match=r"\(it can use: nothing\)$"):
        TASK.using({"model": "x"})


def test_what_is_read_is_a_text_or_a_pair() -> None:
    assert Example("1", "a", "t", {}).text == "a"
    assert Example("1", "a", "t", {}, "b").text == ("a", "b")
