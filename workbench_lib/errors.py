"""The errors a user can meet, all under one root, so that a command line can print them in one line."""

from __future__ import annotations

from pathlib import Path


class WorkbenchError(Exception):
    """Root of every error that the workbench raises on purpose; its text is one line a user can act on."""


class InputError(WorkbenchError):
    """Something in a file is not what it should be; names the file, the line and the value.

    >>> str(InputError("needs 3 columns, found 2", path="kb.tsv", line=7, value="isa\\tdog"))
    "kb.tsv, line 7: needs 3 columns, found 2: 'isa\\\\tdog'"
    """

    def __init__(
        self, message: str, *, path: str | Path | None = None, line: int | None = None, value: object | None = None
    ):
        where = "" if path is None else str(path) + ("" if line is None else f", line {line}") + ": "
        what = "" if value is None else f": {_short(value)}"
        super().__init__(f"{where}{message}{what}")


def _short(value: object, limit: int = 120) -> str:
    text = repr(value)
    return text if len(text) <= limit else text[: limit - 3] + "..."
