"""TAPEX's form of a table (Liu et al. 2022), and its pre-training corpus of {SQL, result} pairs.

`question col : h1 | h2 row 1 : c11 | c12 row 2 : ...`. As TAPEX writes it, nothing is escaped, and all is lower case.
What `serialise_tapex` writes keeps the case, and has the escapes of `reastap_lib.serialisation` with `\\c` for the
colon of a `col :` or `row 2 :` inside a text, so that `parse_tapex` gives back exactly what went in.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count, zip_longest
from pathlib import Path

from reastap_lib.serialisation import ANSWER_JOIN, BAR, Parsed, Rows, SerialisationError, escape, parsed
from reastap_lib.tables import Table
from workbench_lib.errors import InputError

_COL = " col : "
_STRUCTURE = re.compile(r"\\|\||\n|\r|\A | \Z|\b(?:col|row [0-9]+) :", re.IGNORECASE)


@dataclass(frozen=True)
class TapexExample:
    """One line of a TAPEX corpus.

    Args:
        question: The SQL, or whatever stands before the table.
        answers: The items of the target; a comma inside a cell of the table parts nothing.
    """

    question: str
    table: Table
    answers: tuple[str, ...]


def serialise_tapex(question: str, header: Sequence[str], rows: Rows) -> str:
    """The source text of a question about a table in TAPEX's form.

    >>> serialise_tapex("who won?", ["name", "score | total"], [["ann", "3"], ["row 2 : x", "2"]])
    'who won? col : name | score \\\\p total row 1 : ann | 3 row 2 : row 2 \\\\c x | 2'
    """
    lines = [BAR.join(escape(cell, _STRUCTURE) for cell in cells) for cells in [header, *rows]]
    numbered = "".join(f"{_row(number)}{line}" for number, line in enumerate(lines[1:], 1))
    return f"{escape(question, _STRUCTURE)}{_COL}{lines[0]}{numbered}"


def parse_tapex(text: str) -> Parsed:
    """Question, header and rows of a text that `serialise_tapex` wrote.

    Raises:
        SerialisationError: no `col :`, an unknown escape, or a row of another length; names it.

    >>> parse_tapex("who won? col : name | score row 1 : ann | 3")
    ('who won?', ('name', 'score'), (('ann', '3'),))
    """
    return parsed(*_split(text))


def read_tapex(source: Path, target: Path, left_out: Counter[str]) -> Iterator[TapexExample]:
    """The examples of a .src and a .tgt file as TAPEX published them, one at a time.

    Args:
        left_out: Counts the lines that hold no rectangular table: TAPEX escapes no `|`.

    Raises:
        InputError: a file cannot be read, or one is shorter than the other; names the line.
    """
    for number, (text, answer) in enumerate(zip_longest(_lines(source), _lines(target)), 1):
        if text is None or answer is None:
            raise InputError("one of the two files ends here", path=source if text is None else target, line=number)
        try:
            question, header, rows = _parse_raw(text)
        except SerialisationError:
            left_out["no rectangular table"] += 1
            continue
        if not rows:
            left_out["no rows"] += 1
            continue
        table = Table(f"{source.name}:{number}", "", header, rows, source=str(source))
        yield TapexExample(question, table, split_answers(answer, table))


def split_answers(text: str, table: Table) -> tuple[str, ...]:
    """The items of a target, parted at `, ` but for the commas of a whole cell; the longest cell goes first.

    >>> split_answers("paris, france, 3", Table("t", "", ("place",), (("paris, france",), ("lyon",))))
    ('paris, france', '3')
    """
    cells = {cell for row in table.rows for cell in row if ANSWER_JOIN in cell}
    pieces, items = text.split(ANSWER_JOIN), list[str]()
    while pieces:
        runs = (n for n in range(len(pieces), 1, -1) if ANSWER_JOIN.join(pieces[:n]) in cells)
        taken = next(runs, 1) if cells else 1
        items.append(ANSWER_JOIN.join(pieces[:taken]))
        pieces = pieces[taken:]
    return tuple(items)


def _row(number: int) -> str:
    return f" row {number} : "


def _split(text: str) -> tuple[str, Iterable[str]]:
    """The question, and the header and rows as lines; `row 2 :` counts only after `row 1 :`, and so on."""
    text = f" {text.strip(' ')} "
    end = text.find(_row(1))
    start = text.rfind(_COL, 0, end + 1 if end >= 0 else len(text))
    if start < 0:
        raise SerialisationError(f"no 'col :' in {text[:80]!r}")
    return text[:start], _numbered(text[start + len(_COL) - 1 :])


def _numbered(table: str) -> Iterator[str]:
    for number in count(1):
        line, found, table = table.partition(_row(number))
        yield line
        if not found:
            return


def _parse_raw(text: str) -> Parsed:
    question, lines = _split(text)
    header, *rows = [tuple(cell.strip(" ") for cell in line.split(BAR)) for line in lines]
    if any(len(row) != len(header) for row in rows):
        raise SerialisationError(f"rows of different lengths in {text[:80]!r}")
    return question.strip(" "), header, tuple(rows)


def _lines(path: Path) -> Iterator[str]:
    """The lines of a text file; only a line feed ends one."""
    try:
        with path.open("rb") as file:
            for number, line in enumerate(file, 1):
                try:
                    yield line.decode().rstrip("\r\n")
                except UnicodeDecodeError:
                    raise InputError("not UTF-8", path=path, line=number) from None
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", path=path) from None
