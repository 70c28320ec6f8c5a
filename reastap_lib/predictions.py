"""Prediction files: jsonl of {id, prediction}, or one JSON list of the same, as in ReasTAP's published files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from workbench_lib.errors import InputError


def read_predictions(path: Path) -> dict[str, str]:
    """Predictions by id.

    Raises:
        InputError: the file cannot be read, a line is not {id, prediction}, or an id comes twice; names the line.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"cannot be read ({error})", path=path) from None
    predictions: dict[str, str] = {}
    for line, entry in _entries(text, path):
        name, prediction = _checked(entry, path, line)
        if name in predictions:
            raise InputError("the id comes twice", path=path, line=line, value=name)
        predictions[name] = prediction
    return predictions


def _entries(text: str, path: Path) -> list[tuple[int, Any]]:
    if text.lstrip().startswith("["):
        whole = _json(text, path, 1)
        return list(enumerate(whole, 1))
    return [(n, _json(line, path, n)) for n, line in enumerate(text.split("\n"), 1) if line.strip()]


def _json(text: str, path: Path, line: int) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        raise InputError(f"not JSON ({error})", path=path, line=line, value=text[:80]) from None


def _checked(entry: Any, path: Path, line: int) -> tuple[str, str]:
    if not isinstance(entry, dict) or not {"id", "prediction"} <= entry.keys():
        raise InputError("needs the names id and prediction", path=path, line=line, value=entry)
    name, prediction = entry["id"], entry["prediction"]
    if not isinstance(name, str | int) or not isinstance(prediction, str):
        raise InputError("id and prediction must be text", path=path, line=line, value=entry)
    return str(name), prediction
