"""SQUALL (Shi et al. 2020): questions of WikiTableQuestions with their SQL, and the tables it runs on.

A table holds its cells in lower case with several parts a column (`c2`, `c2_number`, `c2_parsed` ...). Parts that are
lists have a row for each item; a select that names one of them reads the table joined with the lists of that column.
Rows that sum up others (`agg` is 1) are not in the table that the SQL sees.
"""

from __future__ import annotations

import csv
import json
import re
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import zip_longest
from pathlib import Path
from typing import Any

from reastap_lib.pairs.grammar import SQL, Column, Query, Statement, walk, write
from workbench_lib.errors import InputError

UNKNOWN = "unk"
PRESENT = "2014"
_COLUMNS = ("id", "tbl", "question", "query", "answer")
_NAME = re.compile(r"[a-z][a-z0-9_]*")
_TYPES = frozenset(["TEXT", "INTEGER", "REAL"])


@dataclass(frozen=True)
class SquallQuestion:
    """A question, its SQL (empty where the file has none), and its answer as the items that it is made of."""

    id: str
    table: str
    question: str
    sql: str
    answers: tuple[str, ...]


def read_squall(path: Path) -> list[SquallQuestion]:
    """The questions of a csv file with the columns id, tbl, question, query and answer.

    Raises:
        InputError: the file cannot be read, or lacks a column; names it.
    """
    try:
        with path.open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"cannot be read ({error})", path=path) from None
    missing = [name for name in _COLUMNS if rows and rows[0].get(name) is None]
    if missing:
        raise InputError(f"the header lacks {missing[0]!r}", path=path, line=1)
    return [_question(row) for row in rows]


class SquallTable:
    """A table of SQUALL in SQLite.

    Args:
        path: One of its json files.

    Raises:
        InputError: the file is no table of SQUALL.
    """

    def __init__(self, path: Path):
        try:
            groups = json.loads(path.read_text(encoding="utf-8"))["contents"]
            self._lists = {part["col"]: _stem(part["col"]) for group in groups for part in group if _is_list(part)}
            self._connection = sqlite3.connect(":memory:")
            plain = [part for group in groups for part in group if not _is_list(part)]
            self._fill("w", plain, zip(*(part["data"] for part in plain), strict=True))
            self._connection.execute("DELETE FROM w WHERE agg = 1")
            for group in groups:
                self._fill_lists([part for part in group if _is_list(part)])
        except (OSError, ValueError, KeyError, TypeError, sqlite3.Error) as error:
            raise InputError(f"no table of SQUALL ({error!r})", path=path) from None

    def run(self, statement: Statement) -> tuple[str, ...]:
        """The results of a statement, one column wide.

        Raises:
            sqlite3.Error: it does not run.
        """
        sql = write(statement, replace(SQL, source=partial(_source, self._lists)))
        return tuple(str(value) for (value,) in self._connection.execute(sql) if value is not None)

    def _fill(self, name: str, parts: list[dict[str, Any]], rows: Iterator[tuple[Any, ...]]) -> None:
        columns = ", ".join(f"{_checked(part['col'])} {part['type'].removeprefix('LIST ')}" for part in parts)
        if any(part["type"].removeprefix("LIST ") not in _TYPES for part in parts):
            raise ValueError(f"unknown type in {columns}")
        marks = ", ".join("?" * len(parts))
        self._connection.execute(f"CREATE TABLE {name} ({columns})")
        self._connection.executemany(f"INSERT INTO {name} VALUES ({marks})", rows)  # noqa: S608

    def _fill_lists(self, parts: list[dict[str, Any]]) -> None:
        """The items of a column's lists, side by side, each with the row that it stands in."""
        if not parts:
            return
        rows = enumerate(zip(*(part["data"] for part in parts), strict=True), 1)
        items = ((row, *item) for row, lists in rows for item in zip_longest(*(values or [] for values in lists)))
        self._fill(_joined(_stem(parts[0]["col"])), [{"col": "m_id", "type": "INTEGER"}, *parts], items)


def _question(row: dict[str, str]) -> SquallQuestion:
    sql = "" if row["query"] == UNKNOWN else row["query"].replace("present_ref", PRESENT).replace("\\'", "''")
    return SquallQuestion(row["id"], row["tbl"], row["question"], sql, tuple(row["answer"].split("|")))


def _source(lists: dict[str, str], query: Query) -> str:
    names = (node.name for node in walk(replace(query, source=False), into_queries=False) if isinstance(node, Column))
    stems = sorted({lists[name] for name in names if name in lists})
    return " from w" + "".join(f" join {_joined(stem)} on {_joined(stem)}.m_id = w.id" for stem in stems)


def _is_list(part: dict[str, Any]) -> bool:
    return str(part["type"]).startswith("LIST ")


def _stem(name: str) -> str:
    return name.split("_")[0]


def _joined(stem: str) -> str:
    return f"w_{stem}_list"


def _checked(name: str) -> str:
    """A column's name as it goes into SQL."""
    if not _NAME.fullmatch(name):
        raise ValueError(f"no name of a column: {name!r}")
    return name
