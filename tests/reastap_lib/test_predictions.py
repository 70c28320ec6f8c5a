from __future__ import annotations

import json
from pathlib import Path

import pytest

from reastap_lib.predictions import holds_answers, read_answers, read_predictions
from workbench_lib.errors import InputError


def write(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "pred.jsonl"
    path.write_text(text, encoding="utf-8")
    return path


def test_jsonl_and_json_lists(tmp_path: Path) -> None:
    lines = '{"id": "a", "prediction": "1"}\n\n{"id": "b", "prediction": "", "answers": "x"}\n'
    assert read_predictions(write(tmp_path, lines)) == {"a": "1", "b": ""}
    listed = '[{"id": "a", "prediction": "1"}, {"id": 2, "prediction": 0}]'
    assert read_predictions(write(tmp_path, listed)) == {"a": "1", "2": "0"}
    assert read_predictions(write(tmp_path, "")) == {}


@pytest.mark.parametrize("indent", [None, 4])
def test_sentences_by_table(tmp_path: Path, indent: int | None) -> None:
    tables = json.dumps({"a.html.csv": ["ann won", "bob lost"], "b.html.csv": ["x"]}, indent=indent)
    expected = {"a.html.csv#0": "ann won", "a.html.csv#1": "bob lost", "b.html.csv#0": "x"}
    assert read_predictions(write(tmp_path, tables)) == expected


def test_answers_beside_predictions(tmp_path: Path) -> None:
    path = write(tmp_path, '[{"id": "a", "prediction": 1, "answers": 0}]')
    assert holds_answers(path)
    assert read_answers(path) == {"a": "0"}
    assert not holds_answers(write(tmp_path, '{"id": "a", "prediction": "1"}'))
    with pytest.raises(InputError, match="line 1: needs the names id and answers"):
        read_answers(path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"id": "a", "prediction": "1"}\nnot json\n', r"pred.jsonl, line 2: not JSON .*'not json'"),
        ('{"id": "a"}\n', r"line 1: needs the names id and prediction"),
        ("3\n", r"line 1: needs the names id and prediction: 3"),
        ('{"id": "a", "prediction": 0.5}\n', r"line 1: id and prediction must be text or whole numbers"),
        ('{"id": "a", "prediction": null}\n', r"line 1: id and prediction must be text or whole numbers"),
        ('{"id": "a", "prediction": true}\n', r"line 1: id and prediction must be text or whole numbers"),
        ('{"prediction": "1"}\n', r"line 1: needs the names id and prediction"),
        ('{"a": ["x"], "a": ["y"]}', r"not JSON .the name 'a' comes twice"),
        ('{"a": ["x", 3.5]}', r"line 1: id and prediction must be text or whole numbers"),
        ('{"id": "a", "prediction": "1"}\n' * 2, r"line 2: the id comes twice: 'a'"),
        ("[1", "pred.jsonl: not JSON"),
    ],
)
def test_bad_lines_are_named(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_predictions(write(tmp_path, text))


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none.jsonl: cannot be read"):
        read_predictions(tmp_path / "none.jsonl")
