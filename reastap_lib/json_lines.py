"""JSON lines: one value a line, with the line's number for error messages."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

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
