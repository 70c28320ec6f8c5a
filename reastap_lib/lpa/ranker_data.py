"""What the ranker of SP-Acc learns from: the programs found for a sentence, each right or wrong for it.

Of a sentence with a program by a person (LogicNLG's bootstrap.json), the programs that equal it are right and the
others wrong; where the search found no equal one, none is used. Of a sentence that is true of its table, the programs
that return True are right; of one that is false (the files of pairs), those that return False.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from nltk.metrics.distance import edit_distance

from reastap_lib.json_files import read_json
from reastap_lib.lpa.operators import ProgramError, same_text
from reastap_lib.lpa.parsing import Parsed, parse_sentences
from reastap_lib.lpa.programs import Call, parse
from reastap_lib.lpa.search import Limits
from reastap_lib.tabfact import csv_table
from workbench_lib.errors import InputError

COMMUTING = frozenset(["eq", "and"])


class Candidate(NamedTuple):
    """A program that a sentence may mean; `title` is of the table's page."""

    title: str
    sentence: str
    program: str


class Told(NamedTuple):
    """A sentence about a table: with a program by a person, or known to be true or false."""

    table_id: str
    title: str
    sentence: str
    program: Call | None = None
    is_true: bool = True


class Labelled(NamedTuple):
    """Candidates, each with whether it is right; and how many sentences gave none, by reason."""

    candidates: list[tuple[Candidate, bool]]
    left_out: Counter[str]


def label_programs(told: Sequence[Told], tables: Path, *, workers: int = 1) -> Labelled:
    """Programs found for the sentences, told right from wrong.

    Args:
        tables: The folder of the tables; sentences whose table is not in it are left out, and counted.
        workers: Processes that search.
    """
    there = [one for one in told if (tables / one.table_id).exists()]
    asked = [(csv_table(tables / one.table_id), one.sentence) for one in there]
    candidates, left_out = list[tuple[Candidate, bool]](), Counter({"no table": len(told) - len(there)})
    for one, parsed in zip(there, parse_sentences(asked, Limits(), workers=workers), strict=True):
        rights = _rights(one, parsed)
        if not rights:
            left_out["no program found"] += 1
        elif one.program and not any(rights):
            left_out["the person's program not found"] += 1
        else:
            programs = [program for program, _ in parsed.programs]
            candidates += zip(
                (Candidate(one.title, one.sentence, program) for program in programs), rights, strict=True
            )
    return Labelled(candidates, +left_out)


def _rights(told: Told, parsed: Parsed) -> list[bool]:
    if told.program:
        return [same_program(parse(program), told.program) for program, _ in parsed.programs]
    return [holds == told.is_true for _, holds in parsed.programs]


def same_program(one: Call | str, other: Call | str) -> bool:
    """Whether two programs are the same but for the order of eq and and, a slip of a letter, or words more in a text.

    >>> same_program(parse("eq{count{filter_eq{all_rows; team; jazz}}; 3}"),
    ...              parse("eq{3; count{filter_eq{all_rows; team; utah jaz}}}"))
    False
    >>> same_program(parse("eq{count{filter_eq{all_rows; team; jazz}}; 3}"),
    ...              parse("eq{3; count{filter_eq{all_rows; team; utah jazz}}}"))
    True
    """
    if isinstance(one, str) or isinstance(other, str):
        return isinstance(one, str) and isinstance(other, str) and _same_leaf(one, other)
    if one.name != other.name or len(one.arguments) != len(other.arguments):
        return False
    orders = [other.arguments, other.arguments[::-1]] if one.name in COMMUTING else [other.arguments]
    return any(all(map(same_program, one.arguments, order)) for order in orders)


def _same_leaf(one: str, other: str) -> bool:
    may_slip = min(len(one), len(other)) >= 3 and not one.isdecimal()
    return same_text(one, other) or (may_slip and int(edit_distance(one, other)) == 1)


# --- files -------------------------------------------------------------------------------------------------------


def read_told(path: Path) -> list[Told]:
    """The sentences of a file of LogicNLG: bootstrap.json, a split (train_lm.json) or pairs (val_lm_pos_neg.json).

    Raises:
        InputError: it is none of these; names the table.
    """
    tables = read_json(path)
    if not isinstance(tables, dict):
        raise InputError("needs one object, with a list of sentences a table", path=path)
    return [told for table_id, rows in tables.items() for row in rows for told in _told(table_id, row, path)]


def _told(table_id: str, row: Any, path: Path) -> Iterator[Told]:
    if isinstance(row, dict) and row.keys() == {"pos", "neg"}:
        yield _sentence(table_id, row["pos"], path)
        yield _sentence(table_id, row["neg"], path)._replace(is_true=False)
    elif isinstance(row, list) and len(row) == 5:
        try:
            yield _sentence(table_id, row, path)._replace(program=parse(str(row[4])))
        except ProgramError as error:
            raise InputError(f"{table_id}: no program ({error})", path=path, value=row[4]) from None
    else:
        yield _sentence(table_id, row, path)


def _sentence(table_id: str, row: Any, path: Path) -> Told:
    if not isinstance(row, list) or len(row) < 3 or not isinstance(row[0], str) or not isinstance(row[2], str):
        raise InputError(f"{table_id}: needs a sentence, columns and a title", path=path, value=row)
    return Told(table_id, row[2], row[0])
