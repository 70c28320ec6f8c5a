"""JSON lines: one value a line, with the line's number for error messages; and tables written so."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from reastap_lib.tables import Table
from workbench_lib.errors import InputError


def read_json_lines(path: Path) -> Iterator[tuple[int, Any]]:
    """The values of a file and the numbers of their lines, from 1 on; empty lines are passed over.

    Raises:
        InputError: a line is not JSON, or not UTF-8; names it.
    """
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            if line.strip():
                try:
                    yield number, json.loads(line.decode("utf-8-sig"))
                except (ValueError, RecursionError):
                    raise InputError("not JSON", path=path, line=number, value=line[:80]) from None


def tables_of_lines(path: Path, read: Callable[[Any, Path, int], Table | str]) -> tuple[list[Table], Counter[str]]:
    """The tables of a file with one a line, and the count of the others by reason.

    Args:
        read: `(value, path, line)` to the table, or to the reason why it is left out.
    """
    tables: list[Table] = []
    left_out: Counter[str] = Counter()
    for number, value in read_json_lines(path):
        table = read(value, path, number)
        if isinstance(table, Table):
            tables.append(table)
        else:
            left_out[table] += 1
    return tables, left_out
