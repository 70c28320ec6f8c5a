"""Prediction files: jsonl of {id, prediction}, or what ReasTAP published.

Published are a JSON list of {id, prediction, answers}, in which 0 and 1 stand for TabFact's labels, and for LogicNLG
one object of a list of sentences a table.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from reastap_lib.json_files import parse_json, read_text
from reastap_lib.logicnlg import sentence_id
from workbench_lib.errors import InputError


def read_predictions(path: Path) -> dict[str, str]:
    """Predictions by id.

    Raises:
        InputError: the file cannot be read, an entry is not {id, prediction}, or an id comes twice; names the line.
    """
    return _texts(path, "prediction")


def read_answers(path: Path) -> dict[str, str]:
    """The gold answers that stand beside published predictions, by id.

    Raises:
        InputError: as for predictions; or the entries have no `answers`.
    """
    return _texts(path, "answers")


def holds_answers(path: Path) -> bool:
    """Whether a file is one of published predictions with their answers."""
    return "answers" in next((entry for _, entry in _entries(path) if isinstance(entry, dict)), {})


def _texts(path: Path, name: str) -> dict[str, str]:
    texts: dict[str, str] = {}
    for line, entry in _entries(path):
        key, text = _checked(entry, name, path, line)
        if key in texts:
            raise InputError("the id comes twice", path=path, line=line, value=key)
        texts[key] = text
    return texts


def _entries(path: Path) -> Iterator[tuple[int, Any]]:
    """Every entry, with the number of its line, of its place in a list, or of its table."""
    text = read_text(path)
    lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    if text.lstrip().startswith("["):
        yield from enumerate(parse_json(text, path), 1)
    elif lines and text.lstrip().startswith("{") and not _is_entry(lines[0][1]):
        yield from _by_table(parse_json(text, path))
    else:
        yield from ((number, parse_json(line, path, number)) for number, line in lines)


def _is_entry(line: str) -> bool:
    """Whether a line is an entry of its own, and not (the begin of) an object of lists."""
    try:
        entry = json.loads(line)
    except ValueError:
        return False
    return not all(isinstance(value, list) for value in entry.values())


def _by_table(tables: dict[str, list[Any]]) -> Iterator[tuple[int, Any]]:
    for number, (table, sentences) in enumerate(tables.items(), 1):
        for k, sentence in enumerate(sentences):
            yield number, {"id": sentence_id(table, k), "prediction": sentence}


def _checked(entry: Any, name: str, path: Path, line: int) -> tuple[str, str]:
    if not isinstance(entry, dict) or not {"id", name} <= entry.keys():
        raise InputError(f"needs the names id and {name}", path=path, line=line, value=entry)
    key, text = entry["id"], entry[name]
    if any(isinstance(value, bool) or not isinstance(value, str | int) for value in (key, text)):
        raise InputError(f"id and {name} must be text or whole numbers", path=path, line=line, value=entry)
    return str(key), str(text)
