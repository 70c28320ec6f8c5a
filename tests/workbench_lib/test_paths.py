"""Where things lie, and what names mean."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench_lib import paths
from workbench_lib.errors import WorkbenchError
from workbench_lib.fetching import official_folder
from workbench_lib.paths import find_data, find_files
from workbench_lib.stages import is_run, model_identity


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder with odd names, and another folder to stand in."""
    root = tmp_path / "data [1]"
    (root / "set").mkdir(parents=True)
    for name in ("b.txt", "a.txt", "c[1].csv"):
        (root / "set" / name).write_text(name)
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setenv("WORKBENCH_DATA", str(root))
    return root


def test_files_are_found_by_name_and_pattern_under_the_data_folder(data: Path) -> None:
    assert find_files("set/a.txt") == [data / "set/a.txt"]
    assert find_files("set/*.txt") == [data / "set/a.txt", data / "set/b.txt"]
    assert find_files("set/c[1].csv") == [data / "set/c[1].csv"]
    assert find_files("*/b.txt") == [data / "set/b.txt"]
    assert find_files("set") == find_files("nothing") == find_files("") == []


def test_what_lies_here_comes_before_the_data_folder(data: Path) -> None:
    Path("set").mkdir()
    Path("set/a.txt").write_text("mine")
    assert find_files("set/a.txt") == [Path("set/a.txt").resolve()]
    assert find_files("set/*.txt") == [Path("set/a.txt").resolve()]
    assert find_data("set") == Path("set").resolve()


def test_an_empty_name_stands_for_nothing(data: Path) -> None:
    with pytest.raises(WorkbenchError, match="empty name"):
        find_data("")


def test_official_means_the_data_folder_alone(data: Path) -> None:
    Path("wikitq").mkdir()
    with pytest.raises(WorkbenchError, match="'wikitq' under WORKBENCH_DATA"):
        official_folder("wikitq")
    (data / "wikitq").mkdir()
    assert official_folder("wikitq") == data / "wikitq"


def test_a_folder_here_does_not_hide_a_shape(data: Path) -> None:
    Path("tiny").mkdir()
    Path("tiny/config.json").write_text("{}")
    assert model_identity("tiny") == "tiny"
    assert model_identity("facebook/bart-large") == "facebook/bart-large"


def test_an_empty_home_is_the_project(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORKBENCH_HOME", "")
    assert paths.home() == paths.PROJECT


def test_runs_and_tokens_lie_in_the_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORKBENCH_HOME", str(tmp_path))
    assert (paths.runs_dir(), paths.tokens_dir()) == (tmp_path / "runs", tmp_path / "tokens")


def test_the_model_folder_of_a_run_is_a_folder_and_no_run(home: Path) -> None:
    folder = home / "runs" / "finetuning-x-0123"
    (folder / "model").mkdir(parents=True)
    for place in (folder, folder / "model"):
        (place / "params.yaml").write_text("{}")
    assert is_run(folder.name)
    assert not is_run(str(folder / "model"))
    assert is_run("03_pretraining/tiny")
    assert not is_run("facebook/bart-large")
