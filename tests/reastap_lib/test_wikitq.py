from __future__ import annotations

from pathlib import Path

import pytest

from reastap_lib.wikitq import (
    WikiQuestion,
    context_table,
    evaluation_contexts,
    question_file,
    read_questions,
    root_of,
    unescape,
    unescape_list,
    with_canon,
)
from workbench_lib.errors import InputError

HEADER = "id\tutterance\tcontext\ttargetValue\n"


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_escapes() -> None:
    assert unescape(r"a\pb\nc\\nd") == "a|b\nc\\nd"
    assert unescape_list(r"a\pb|c") == ("a|b", "c")


def test_questions_and_canon(tmp_path: Path) -> None:
    path = write(tmp_path / "data" / "x.tsv", HEADER + 'nt-1\twho \\p what?\tcsv/1-csv/0.csv\t"A"|B\n')
    questions = read_questions(path)
    assert questions == [WikiQuestion("nt-1", "who | what?", "csv/1-csv/0.csv", ('"A"', "B"))]
    assert with_canon(questions, tmp_path, path) == questions
    tagged = HEADER.strip() + "\ttargetCanon\nnt-1\twho?\tcsv/1-csv/0.csv\tA|B\t4.0|5.0\n"
    write(tmp_path / "tagged" / "data" / "x.tagged", tagged)
    assert with_canon(questions, tmp_path, path)[0].canon == ("4.0", "5.0")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("id\tutterance\tcontext\n", r"x.tsv, line 1: the header lacks 'targetValue'"),
        (HEADER + "nt-1\twho?\tcsv/1-csv/0.csv\n", r"x.tsv, line 2: 3 fields under 4 names: 'nt-1"),
        (HEADER + "nt-1\ta\tc\tx\nnt-1\tb\tc\ty\n", r"x.tsv, line 3: the id comes twice: 'nt-1'"),
        (HEADER, "no questions"),
        ("", "the header lacks 'id'"),
    ],
)
def test_bad_files_name_the_line_and_the_value(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_questions(write(tmp_path / "x.tsv", text))


def test_bad_bytes_name_the_line(tmp_path: Path) -> None:
    path = tmp_path / "x.tsv"
    path.write_bytes(HEADER.encode() + b"nt-1\t\xff\tc\tx\n")
    with pytest.raises(InputError, match="line 2: not UTF-8"):
        read_questions(path)


def test_splits_by_the_files_that_are_there(tmp_path: Path) -> None:
    for name in ("training.tsv", "dev.tsv"):
        write(tmp_path / "data" / name, HEADER)
    assert question_file(tmp_path, "train").name == "training.tsv"
    assert question_file(tmp_path, "dev").name == "dev.tsv"
    with pytest.raises(InputError, match="no question file for the split 'test'"):
        question_file(tmp_path, "test")
    for name in ("random-split-1-train.tsv", "random-split-1-dev.tsv", "pristine-unseen-tables.tsv"):
        write(tmp_path / "data" / name, HEADER)
    assert question_file(tmp_path, "train").name == "random-split-1-train.tsv"
    assert question_file(tmp_path, "dev").name == "random-split-1-dev.tsv"
    assert question_file(tmp_path, "test").name == "pristine-unseen-tables.tsv"


def test_missing_things_are_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no folder data/"):
        root_of(str(tmp_path))
    with pytest.raises(InputError, match=r"0.csv: the table of a question is missing"):
        context_table(tmp_path, "csv/1-csv/0.csv")


def test_the_starter_set_is_in_the_official_layout() -> None:
    root = root_of("starter")
    train, dev = (read_questions(question_file(root, split)) for split in ("train", "dev"))
    assert len(train) + len(dev) >= 100
    assert not {q.context for q in train} & {q.context for q in dev}
    assert {("dev", q.context) for q in dev} == set(evaluation_contexts(root))
    assert all(context_table(root, q.context).title for q in train)
