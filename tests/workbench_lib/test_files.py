"""Files are written whole or not at all, and digests are those of the bytes."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from workbench_lib.files import replacing, sha256_of_file, sha256_of_files, sha256_of_json, write_json, write_text


def test_replacing_puts_the_new_file_in_place(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("old")
    with replacing(path) as temporary:
        temporary.write_text("new")
        assert path.read_text() == "old"  # until the block ends
    assert path.read_text() == "new"
    assert [p.name for p in tmp_path.iterdir()] == ["a.txt"]


def write_half(path: Path, error: BaseException) -> None:
    with replacing(path) as temporary:
        temporary.write_text("half")
        raise error


def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("old")
    with pytest.raises(KeyboardInterrupt):
        write_half(path, KeyboardInterrupt())
    assert path.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["a.txt"]


def test_a_failure_of_a_new_file_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="half"):
        write_half(tmp_path / "a.txt", ValueError("half"))
    assert list(tmp_path.iterdir()) == []


def test_write_text_keeps_line_ends_and_is_utf8(tmp_path: Path) -> None:
    write_text(tmp_path / "a.txt", "é\n🐕\r\n")
    assert (tmp_path / "a.txt").read_bytes() == b"\xc3\xa9\n\xf0\x9f\x90\x95\r\n"


def test_write_json_is_read_back(tmp_path: Path) -> None:
    value = {"b": [1, 2.5, None], "a": "é"}
    write_json(tmp_path / "a.json", value)
    text = (tmp_path / "a.json").read_text(encoding="utf-8")
    assert json.loads(text) == value
    assert "é" in text


def test_a_value_that_is_not_json_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    write_json(path, 1)
    with pytest.raises(TypeError):
        write_json(path, {"a": {1, 2}})
    assert json.loads(path.read_text()) == 1


def test_sha256_of_file_is_that_of_its_bytes(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"abc")
    assert sha256_of_file(tmp_path / "a") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"


def test_sha256_of_json_ignores_the_order_of_keys_alone() -> None:
    assert sha256_of_json({"a": 1, "b": [1, 2]}) == sha256_of_json({"b": [1, 2], "a": 1})
    assert sha256_of_json({"a": 1, "b": [1, 2]}) != sha256_of_json({"a": 1, "b": [2, 1]})
    assert sha256_of_json({"b": 1, "a": "é"}) == hashlib.sha256('{"a":"é","b":1}'.encode()).hexdigest()


def test_sha256_of_files_depends_on_names_contents_and_order(tmp_path: Path) -> None:
    a, b = tmp_path / "a", tmp_path / "b"
    a.write_text("1")
    b.write_text("2")
    before = sha256_of_files([a, b])
    assert sha256_of_files([b, a]) != before
    b.write_text("3")
    assert sha256_of_files([a, b]) != before
