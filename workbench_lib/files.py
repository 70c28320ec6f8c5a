"""Files written whole or not at all, and their digests."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give a temporary path beside `path`; on success it takes `path`'s place, on failure it is removed."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        yield temporary
        _flush(temporary)
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def write_text(path: Path, text: str) -> None:
    """Write `text` as UTF-8 with `\\n` line ends, atomically."""
    with replacing(path) as temporary:
        temporary.write_bytes(text.encode("utf-8"))


def write_json(path: Path, value: Any) -> None:
    """Write `value` as indented JSON, atomically."""
    write_text(path, json.dumps(value, indent=2, ensure_ascii=False) + "\n")


def sha256_of_file(path: Path) -> str:
    """Hex sha256 of a file's bytes, read in pieces; remembered until the file's size or time changes."""
    state = path.stat()
    return _sha256_of_file(path.resolve(), state.st_size, state.st_mtime_ns)


@lru_cache(maxsize=4096)
def _sha256_of_file(path: Path, size: int, changed_ns: int) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def sha256_of_files(paths: Iterable[Path]) -> str:
    """One digest for several files: names and contents, in the order given."""
    lines = (f"{path.name} {sha256_of_file(path)}\n" for path in paths)
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def sha256_of_json(value: Any) -> str:
    """Hex sha256 of a value's canonical JSON (sorted keys, no spaces)."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def _flush(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
