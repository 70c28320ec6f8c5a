"""JSON files as a whole: every fault names its file, and a name that comes twice in an object is a fault."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from workbench_lib.errors import InputError


def read_json(path: Path) -> Any:
    """The value of a file.

    Raises:
        InputError: it cannot be read, is not JSON, or holds an object with a name twice.
    """
    return parse_json(read_text(path), path)


def read_text(path: Path) -> str:
    """The text of a file.

    Raises:
        InputError: it cannot be read or is not UTF-8.
    """
    try:
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", path=path) from None
    except UnicodeDecodeError as error:
        raise InputError("not UTF-8", path=path, line=error.object.count(b"\n", 0, error.start) + 1) from None


def parse_json(text: str, path: Path, line: int | None = None) -> Any:
    """The value of a text, of a file or of one line of it.

    Raises:
        InputError: it is not JSON, or holds an object with a name twice.
    """
    try:
        return json.loads(text, object_pairs_hook=_unique)
    except (ValueError, RecursionError) as error:
        raise InputError(f"not JSON ({error})", path=path, line=line, value=text[:80]) from None


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) < len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"the name {next(name for name in names if names.count(name) > 1)!r} comes twice")
    return values
