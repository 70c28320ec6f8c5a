from __future__ import annotations

from pathlib import Path

import pytest

from reastap_lib.predictions import read_predictions
from workbench_lib.errors import InputError


def write(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "pred.jsonl"
    path.write_text(text, encoding="utf-8")
    return path


def test_jsonl_and_json_lists(tmp_path: Path) -> None:
    lines = '{"id": "a", "prediction": "1"}\n\n{"id": "b", "prediction": "", "answers": "x"}\n'
    assert read_predictions(write(tmp_path, lines)) == {"a": "1", "b": ""}
    listed = '[{"id": "a", "prediction": "1"}, {"id": 2, "prediction": "x"}]'
    assert read_predictions(write(tmp_path, listed)) == {"a": "1", "2": "x"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"id": "a", "prediction": "1"}\nnot json\n', r"pred.jsonl, line 2: not JSON .*'not json'"),
        ('{"id": "a"}\n', r"line 1: needs the names id and prediction"),
        ("3\n", r"line 1: needs the names id and prediction: 3"),
        ('{"id": "a", "prediction": 1}\n', r"line 1: id and prediction must be text"),
        ('{"id": "a", "prediction": "1"}\n' * 2, r"line 2: the id comes twice: 'a'"),
        ("[1", "line 1: not JSON"),
    ],
)
def test_bad_lines_are_named(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_predictions(write(tmp_path, text))


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none.jsonl: cannot be read"):
        read_predictions(tmp_path / "none.jsonl")
