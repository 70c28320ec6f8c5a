"""The raw files of the two packages, and how their values are written in tables."""

from __future__ import annotations

import csv
import datetime
import importlib.util
import itertools
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path
from typing import Any, TypeVar

from reastap_lib.tables import Table, words
from workbench_lib.errors import WorkbenchError

T = TypeVar("T")
MISSING = "—"
MONTHS = words("January February March April May June July August September October November December")


def folder(package: str) -> Path:
    """Where a package's files lie; the package is not imported.

    Raises:
        WorkbenchError: it is not installed.
    """
    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise WorkbenchError(f"the built-in tables need the package {package!r}; install requirements.txt")
    return Path(spec.submodule_search_locations[0])


def vega_csv(name: str) -> list[dict[str, str]]:
    return _csv(folder("vega_datasets") / "_data" / f"{name}.csv")


def vega_json(name: str) -> list[dict[str, Any]]:
    text = (folder("vega_datasets") / "_data" / f"{name}.json").read_text(encoding="utf-8")
    rows: list[dict[str, Any]] = json.loads(text, parse_float=Decimal)
    return rows


def statsmodels_csv(name: str, file: str | None = None) -> list[dict[str, str]]:
    return _csv(folder("statsmodels") / "datasets" / name / f"{file or name}.csv")


def _csv(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def make(name: str, title: str, columns: Mapping[str, Sequence[str]]) -> Table:
    """A built-in table from its columns."""
    rows = tuple(tuple(map(clean, row)) for row in zip(*columns.values(), strict=True))
    return Table(f"builtin/{name}", clean(title), tuple(columns), rows, source="builtin")


def clean(cell: str) -> str:
    return " ".join(cell.split())


def numbers(values: Iterable[Any], places: int = 0, *, prefix: str = "", grouped: bool = True) -> list[str]:
    """Values written alike: as many places each, thousands grouped, and a dash where there is none."""
    return [number(value, places, prefix=prefix, grouped=grouped) for value in values]


def number(value: Any, places: int = 0, *, prefix: str = "", grouped: bool = True) -> str:
    """One value written with `places` digits after the point.

    >>> number("1234.5", 0), number(None), number(-2, 1)
    ('1,235', '—', '-2.0')
    """
    if value is None or value == "":
        return MISSING
    rounded = decimal(value).quantize(Decimal(1).scaleb(-places), rounding=ROUND_HALF_UP)
    digits = f"{abs(rounded):,f}" if grouped else f"{abs(rounded):f}"
    return f"{'-' if rounded < 0 else ''}{prefix}{digits}"


def decimal(value: Any) -> Decimal:
    return value if isinstance(value, Decimal) else Decimal(str(value))


def day(date: datetime.date) -> str:
    """12 May 1998."""
    return f"{date.day} {MONTHS[date.month - 1]} {date.year}"


def month(date: datetime.date) -> str:
    """May 1998."""
    return f"{MONTHS[date.month - 1]} {date.year}"


def iso(text: str) -> datetime.date:
    """The date at the start of 2012-01-31 or 2012/01/31 00:00."""
    return datetime.date.fromisoformat(text[:10].replace("/", "-"))


def pieces(items: Sequence[T], about: int) -> list[Sequence[T]]:
    """The items in pieces of nearly equal size, about that many each.

    >>> [len(piece) for piece in pieces(range(50), 20)]
    [16, 17, 17]
    """
    count = max(1, -(-len(items) // about))
    bounds = [len(items) * k // count for k in range(count + 1)]
    return [items[start:stop] for start, stop in itertools.pairwise(bounds)]


def groups(items: Iterable[T], by: Callable[[T], Any]) -> dict[Any, list[T]]:
    """The items by key, keys in the order of their first item."""
    found: dict[Any, list[T]] = {}
    for item in items:
        found.setdefault(by(item), []).append(item)
    return found


def unique(items: Iterable[T], by: Callable[[T], Any]) -> list[T]:
    """The first item of each key."""
    return [group[0] for group in groups(items, by).values()]


def changes(values: Sequence[Decimal | None]) -> list[Decimal | None]:
    """Each value less the one before; None for the first, and beside a missing one."""
    pairs = zip([None, *values], values, strict=False)
    return [None if a is None or b is None else b - a for a, b in pairs]


def direction(change: Decimal | None) -> str:
    """up, down or unchanged."""
    return MISSING if change is None else "up" if change > 0 else "down" if change < 0 else "unchanged"
