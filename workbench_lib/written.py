"""Generated texts in a file, a line each as they come, so that a killed generation goes on where it was."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import IO, Any, NamedTuple, Self

from workbench_lib.errors import InputError
from workbench_lib.files import write_text


class Written(NamedTuple):
    """A generated text, whether it hit the length limit, and whether its source was cut."""

    text: str
    hit_limit: bool
    cut: bool


class WrittenFile:
    """Texts by id, each written to `path` as it is added (nowhere without a path).

    The first line holds the identity of what decides the texts. What a file of another identity holds is not taken
    over, and the file begins anew; a last line that a kill has cut off is dropped.

    Raises:
        InputError: another line is damaged.
    """

    def __init__(self, path: Path | None, identity: str):
        self._path, self._identity = path, identity
        self._file: IO[str] | None = None
        self.by_id: dict[str, Written] = {}

    def __enter__(self) -> Self:
        if self._path is not None:
            self.by_id = self._read(self._path)
            lines = [json.dumps({"identity": self._identity}), *map(_line, self.by_id.items())]
            write_text(self._path, "".join(f"{line}\n" for line in lines))
            self._file = self._path.open("a", encoding="utf-8", newline="\n")
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        if self._file is not None:
            self._file.close()

    def add(self, texts: Mapping[str, Written]) -> None:
        """Add texts, and have them written before this returns."""
        self.by_id.update(texts)
        if self._file is not None:
            self._file.writelines(f"{_line(item)}\n" for item in texts.items())
            self._file.flush()

    def _read(self, path: Path) -> dict[str, Written]:
        lines = path.read_text(encoding="utf-8").split("\n")[:-1] if path.exists() else []
        if not lines:
            return {}
        if _parse(lines[0], path, 1) != {"identity": self._identity}:
            print(f"{path}: holds texts of another model, other settings or sources; begun anew")
            return {}
        rows = [_parse(line, path, number) for number, line in enumerate(lines[1:], start=2)]
        if rows:
            print(f"{path}: goes on after {len(rows):,} texts")
        return {row["id"]: Written(row["text"], row["hit_limit"], row["cut"]) for row in rows}


def _line(item: tuple[str, Written]) -> str:
    return json.dumps({"id": item[0], **item[1]._asdict()}, ensure_ascii=False)


def _parse(line: str, path: Path, number: int) -> dict[str, Any]:
    try:
        row: dict[str, Any] = json.loads(line)
    except ValueError:
        raise InputError("not JSON; delete the file to generate anew", path=path, line=number, value=line) from None
    return row
