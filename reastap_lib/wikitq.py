"""The official files of WikiTableQuestions 1.0.2: questions, tables, and the tagged files with canonical answers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from reastap_lib.csv_tables import read_table
from reastap_lib.tables import Table
from workbench_lib.errors import InputError
from workbench_lib.paths import find_data
from workbench_lib.tasks import Split

STARTER = "starter"
STARTER_FOLDER = Path(__file__).resolve().parent / "data" / "starter_wikitq"
_FILES: dict[Split, tuple[str, ...]] = {
    "train": ("random-split-1-train.tsv", "training.tsv"),
    "dev": ("random-split-1-dev.tsv", "dev.tsv"),
    "test": ("pristine-unseen-tables.tsv", "test.tsv"),
}
_COLUMNS = ("id", "utterance", "context", "targetValue")
_ESCAPES = {"\\n": "\n", "\\p": "|", "\\\\": "\\"}


@dataclass(frozen=True)
class WikiQuestion:
    """One line of a question file.

    Args:
        answers: The items of targetValue.
        canon: Their canonical values (numbers as 4.0, dates as xxxx-10-17), or empty where the file has none.
    """

    id: str
    question: str
    context: str
    answers: tuple[str, ...]
    canon: tuple[str, ...] = ()


def root_of(data: str) -> Path:
    """The folder of a data set: the one built in, or as given or under WORKBENCH_DATA.

    Raises:
        InputError: it has no `data/` folder, so it is not in the official layout.
    """
    root = STARTER_FOLDER if data == STARTER else find_data(data)
    if not (root / "data").is_dir():
        raise InputError("not the layout of WikiTableQuestions: there is no folder data/ in it", path=root)
    return root


def question_file(root: Path, split: Split) -> Path:
    """The question file of a split.

    In the official release: random-split-1-train, random-split-1-dev and pristine-unseen-tables. Where those of the
    random split are missing (as in the starter set): training.tsv and dev.tsv. (training.tsv of the release is the
    union of both halves of every random split, so it is never mixed with them.)

    Raises:
        InputError: neither is there.
    """
    for name in _FILES[split]:
        if (root / "data" / name).exists():
            return root / "data" / name
    raise InputError(
        f"no question file for the split {split!r}: looked for {' and '.join(_FILES[split])}", path=root / "data"
    )


def read_questions(path: Path) -> list[WikiQuestion]:
    """The questions of a .tsv or .tagged file, in its order.

    Raises:
        InputError: a column is missing, a line has another number of fields, an id comes twice; names the line.
    """
    lines = _lines(path)
    header = next(lines, (1, ""))[1].split("\t")
    missing = [name for name in _COLUMNS if name not in header]
    if missing:
        raise InputError(f"the header lacks {missing[0]!r}", path=path, line=1, value="\t".join(header))
    questions: dict[str, WikiQuestion] = {}
    for number, line in lines:
        fields = line.split("\t")
        if len(fields) != len(header):
            raise InputError(f"{len(fields)} fields under {len(header)} names", path=path, line=number, value=line)
        question = _question(dict(zip(header, fields, strict=True)))
        if question.id in questions:
            raise InputError("the id comes twice", path=path, line=number, value=question.id)
        questions[question.id] = question
    if not questions:
        raise InputError("no questions", path=path)
    return list(questions.values())


def with_canon(questions: list[WikiQuestion], root: Path, path: Path) -> list[WikiQuestion]:
    """The questions with canonical answers from tagged/data/NAME.tagged, where that file is there."""
    tagged = root / "tagged" / "data" / f"{path.stem}.tagged"
    if not tagged.exists():
        return questions
    known = {question.id: question for question in read_questions(tagged)}
    return [known.get(question.id, question) for question in questions]


@lru_cache(maxsize=4096)
def context_table(root: Path, context: str) -> Table:
    """The table that a question is about.

    Raises:
        InputError: the file is missing or holds no table.
    """
    path = root / context
    if not path.is_file():
        raise InputError("the table of a question is missing", path=path)
    table = read_table(path)
    if not isinstance(table, Table):
        raise InputError(f"no table: {table}", path=path)
    return table


def evaluation_contexts(root: Path) -> list[tuple[Split, str]]:
    """The tables of the dev and test splits, each with its split, of whichever split is there."""
    splits: list[Split] = ["dev", "test"]
    paths = [(split, root / "data" / name) for split in splits for name in _FILES[split]]
    return sorted({(split, q.context) for split, path in paths if path.exists() for q in read_questions(path)})


def unescape(text: str) -> str:
    """A field's text: its \\n, \\p and \\\\ as line break, bar and backslash.

    >>> unescape(r"a\\pb")
    'a|b'
    """
    return re.sub(r"\\[np\\]", lambda match: _ESCAPES[match[0]], text)


def unescape_list(text: str) -> tuple[str, ...]:
    """A field that is a list: its items, separated by bars, each unescaped.

    >>> unescape_list("Siim|Andri")
    ('Siim', 'Andri')
    """
    return tuple(unescape(item) for item in text.split("|"))


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    try:
        text = path.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError("not UTF-8", path=path, line=error.object.count(b"\n", 0, error.start) + 1) from None
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", path=path) from None
    for number, line in enumerate(text.replace("\r\n", "\n").split("\n"), 1):
        if line:
            yield number, line


def _question(fields: dict[str, str]) -> WikiQuestion:
    return WikiQuestion(
        id=fields["id"],
        question=unescape(fields["utterance"]),
        context=unescape(fields["context"]),
        answers=unescape_list(fields["targetValue"]),
        canon=unescape_list(fields["targetCanon"]) if fields.get("targetCanon") else (),
    )
