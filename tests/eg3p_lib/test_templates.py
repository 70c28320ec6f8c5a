"""The file of templates, and its faults with their lines."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from eg3p_lib.relations import RELATIONS
from eg3p_lib.templates import DEFAULT, fill, load_templates, templates_path
from workbench_lib.errors import InputError

MakeFile = Callable[..., Path]


def test_the_built_in_file_covers_every_relation() -> None:
    templates = load_templates()
    assert set(templates.statements) == set(templates.questions) == set(RELATIONS)
    for relation in RELATIONS:
        assert len(set(templates.statements[relation])) == len(templates.statements[relation]) >= 3
        assert len(set(templates.questions[relation])) == len(templates.questions[relation]) >= 2
        assert any(q.endswith("X") for q in templates.questions[relation])


def test_slots_are_filled_once_and_literally() -> None:
    assert fill("X's material is Y", r"a \1 Y", "X") == r"a \1 Y's material is X"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("- X is opposite to Y", "- X is opposite", "line 12: each of the statements needs X and Y exactly once"),
        ("- X is opposite to Y", "- X is X to Y", "line 12: each of the statements needs X and Y exactly once"),
        ("- is opposite to X", "- is opposite to it", "line 17: each of the questions needs X exactly once, and no Y"),
        ("- is opposite to X", "- is opposite to X Y", "line 17: each of the questions"),
        ("- X is opposite to Y", "- [X, Y]", "line 12: each of the statements"),
        ("antonym:", "anonym:", "line 10: unknown relation: 'anonym'"),
        ("atlocation:", "antonym:", "line 20: comes twice: 'antonym'"),
        (
            "  questions:\n    - is opposite to X",
            "  answers:\n    - is opposite to X",
            "line 16: only 'statements' and",
        ),
        ("antonym:\n  statements:", "antonym:\n  - statements:", "not yaml|needs `name:` lines here"),
    ],
)
def test_faults_are_named_with_their_line(make_file: MakeFile, old: str, new: str, message: str) -> None:
    text = DEFAULT.read_text(encoding="utf-8")
    assert old in text
    with pytest.raises(InputError, match=f"t.yaml.*{message}"):
        load_templates(make_file(text.replace(old, new, 1), "t.yaml"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the file is empty"),
        ("- a\n", "line 1: needs `name:` lines"),
        ("a: [", "not yaml"),
        ("{}", "'antonym' has no"),
    ],
)
def test_other_files_are_errors(make_file: MakeFile, text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        load_templates(make_file(text, "t.yaml"))


def test_a_missing_relation_is_an_error(make_file: MakeFile) -> None:
    text = DEFAULT.read_text(encoding="utf-8")
    with pytest.raises(InputError, match="the relation 'usedfor' has no statements"):
        load_templates(make_file(text[: text.index("usedfor:")], "t.yaml"))


def test_missing_files_are_errors(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        load_templates(tmp_path / "none.yaml")
    assert templates_path("default") == DEFAULT
