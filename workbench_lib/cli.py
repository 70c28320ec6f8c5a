"""What the three command lines share: one-line errors, and results as text or as one JSON object."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from typing import Any

import typer

from workbench_lib.errors import WorkbenchError


def run(app: typer.Typer) -> None:
    """Run a command line; a WorkbenchError becomes one line on stderr and exit code 1."""
    try:
        app()
    except WorkbenchError as error:
        print(f"error: {' '.join(str(error).split())}", file=sys.stderr)
        sys.exit(1)
    except OSError as error:
        if not isinstance(error, BrokenPipeError):
            print(f"error: {error}", file=sys.stderr)
            sys.exit(1)
        sys.stderr.close()  # the reader of our output is gone
        sys.exit(1)


def emit(value: Mapping[str, Any], as_json: bool) -> None:
    """Print a result: as one JSON object, or as aligned `name  value` lines, nested names joined by dots."""
    if as_json:
        print(json.dumps(value, ensure_ascii=False))
        return
    lines = list(_flatten(value))
    width = max((len(name) for name, _ in lines), default=0)
    for name, text in lines:
        print(f"{name:<{width}}  {text}")


def _flatten(value: Mapping[str, Any], prefix: str = "") -> list[tuple[str, str]]:
    lines = []
    for name, item in value.items():
        if isinstance(item, Mapping):
            lines += _flatten(item, f"{prefix}{name}.")
        else:
            lines.append((prefix + name, f"{item:.4f}" if isinstance(item, float) else str(item)))
    return lines
