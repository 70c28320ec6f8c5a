"""The file of templates, and its faults with their lines."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from eg3p_lib.relations import RELATIONS
from eg3p_lib.templates import DEFAULT, VERBATIM, fill, load_templates, split_template, templates_path
from workbench_lib.errors import InputError, WorkbenchError

MakeFile = Callable[..., Path]


def test_the_built_in_file_covers_every_relation() -> None:
    templates = load_templates()
    assert set(templates.statements) == set(templates.questions) == set(RELATIONS)
    for relation in RELATIONS:
        assert len(set(templates.statements[relation])) == len(templates.statements[relation]) >= 3
        assert len(set(templates.questions[relation])) == len(templates.questions[relation]) >= 2
        assert any(q.endswith("X") for q in templates.questions[relation])


def test_the_papers_own_file_has_statements_of_every_relation_and_no_questions() -> None:
    templates = load_templates(VERBATIM)
    assert set(templates.statements) == set(RELATIONS)
    assert templates.questions == {}
    assert templates.statements["usedfor"] == ("X is used for Y", "Y will use X")  # the last row of Table 6
    assert sum(map(len, templates.statements.values())) == 66


def test_the_built_in_files_have_names(make_file: MakeFile, monkeypatch: pytest.MonkeyPatch) -> None:
    assert [templates_path(name) for name in ("default", "verbatim")] == [DEFAULT, VERBATIM]
    mine = make_file("", "mine.yaml")
    assert templates_path(str(mine)) == mine
    monkeypatch.setenv("WORKBENCH_DATA", str(mine.parent))
    assert templates_path("mine.yaml") == mine


def test_slots_are_filled_once_and_literally() -> None:
    assert fill("X's material is Y", r"a \1 Y", "X") == r"a \1 Y's material is X"


@pytest.mark.parametrize("path", [DEFAULT, VERBATIM])
def test_the_parts_of_a_template_make_it_again(path: Path) -> None:
    templates = load_templates(path)
    for parts, slots in ((templates.statements, 2), (templates.questions, 1)):
        for template in (text for texts in parts.values() for text in texts):
            split = split_template(template)
            assert "".join(split) == template
            assert len(split) == 2 * slots + 1
            assert sorted(split[1::2]) == ["X", "Y"][:slots]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("- X is opposite to Y", "- X is opposite", "line 12: each of the statements needs X and Y exactly once"),
        ("- X is opposite to Y", "- X is X to Y", "line 12: each of the statements needs X and Y exactly once"),
        ("- is opposite to X", "- is opposite to it", "line 17: each of the questions needs X exactly once, and no Y"),
        ("- is opposite to X", "- is opposite to X Y", "line 17: each of the questions"),
        ("- X is opposite to Y", "- [X, Y]", "line 12: each of the statements"),
        ("- X is opposite to Y", "- X [SEP] Y", "line 12: a template must not hold"),
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


def test_questions_are_there_for_all_relations_or_none(make_file: MakeFile) -> None:
    text = VERBATIM.read_text(encoding="utf-8")
    one = text.replace("antonym:\n", "antonym:\n  questions:\n    - is opposite to X\n", 1)
    with pytest.raises(InputError, match=r"t\.yaml: the relation 'atlocation' has no questions"):
        load_templates(make_file(one, "t.yaml"))


def test_missing_files_are_errors(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        load_templates(tmp_path / "none.yaml")
    with pytest.raises(WorkbenchError, match=r"none\.yaml"):
        templates_path("none.yaml")
