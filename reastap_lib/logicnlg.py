"""The official files of LogicNLG: sentences that a table entails, each with its linked columns (Chen et al. 2020)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from reastap_lib.json_files import read_json
from reastap_lib.tabfact import csv_table
from workbench_lib.errors import InputError
from workbench_lib.paths import find_data
from workbench_lib.tasks import Example, Split

STARTER = "starter"
STARTER_FOLDER = Path(__file__).resolve().parent / "data" / "starter_logicnlg"
TABLES = "all_csv"
_FILES: dict[Split, str] = {"train": "train_lm.json", "dev": "val_lm.json", "test": "test_lm.json"}


@dataclass(frozen=True)
class Sentence:
    """One reference sentence.

    Args:
        columns: The numbers of its linked columns, from 0 on, in the file's order.
        title: Of the table's page.
    """

    id: str
    text: str
    columns: tuple[int, ...]
    title: str
    table_id: str


class Sentences(NamedTuple):
    """The sentences of a file, and the folder of their tables."""

    entries: list[Sentence]
    tables: Path


def sentence_id(table_id: str, number: int) -> str:
    """The id of a table's reference sentence, and of the sentence that a model writes for it, from 0 on.

    >>> sentence_id("2-1859269-1.html.csv", 4)
    '2-1859269-1.html.csv#4'
    """
    return f"{table_id}#{number}"


def sentence_file(data: str, split: Split) -> Path:
    """The file of a split: in the folder's `data/`, or in the folder itself.

    Args:
        data: starter (built in), or a folder in the official layout, as given or under WORKBENCH_DATA.

    Raises:
        InputError: it is in neither.
    """
    root = STARTER_FOLDER if data == STARTER else find_data(data)
    for path in (root / "data" / _FILES[split], root / _FILES[split]):
        if path.exists():
            return path
    raise InputError(f"no sentences for the split {split!r}: looked for {_FILES[split]} in data/ and in it", path=root)


def read_sentences(path: Path) -> Sentences:
    """The sentences of a file such as data/test_lm.json, in its order; the tables lie in all_csv/ beside it or above.

    Raises:
        InputError: it is not {table: [[sentence, columns, title, ...], ...]}; names the table.
    """
    tables = read_json(path)
    if not isinstance(tables, dict):
        raise InputError("needs one object, with a list of sentences a table", path=path)
    entries = [sentence for table_id, rows in tables.items() for sentence in _of_table(table_id, rows, path)]
    if not entries:
        raise InputError("no sentences", path=path)
    folder = path.resolve().parent
    return Sentences(entries, next((p / TABLES for p in (folder, folder.parent) if (p / TABLES).is_dir()), folder))


def linked_part(example: Example) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Header and rows of the columns that an example is linked to; of all where it is linked to none.

    Raises:
        InputError: its table is missing, or has no such column.
    """
    table = csv_table(Path(example.references["file"]))
    columns: list[int] = json.loads(example.references["columns"]) or list(range(len(table.header)))
    if max(columns) >= len(table.header):
        raise InputError(f"{example.id} is linked to a column that is not there", path=table.source, value=columns)
    return tuple(table.header[c] for c in columns), [tuple(row[c] for c in columns) for row in table.rows]


def _of_table(table_id: str, rows: Any, path: Path) -> Iterator[Sentence]:
    if not isinstance(rows, list):
        raise InputError("needs a list of sentences", path=path, value=table_id)
    for number, row in enumerate(rows):
        try:
            text, columns, title = row[:3]
            linked = tuple(map(int, columns))
        except (TypeError, ValueError):
            raise InputError(f"{table_id}: needs sentence, columns and title", path=path, value=row) from None
        if not isinstance(text, str) or not isinstance(title, str) or min(linked, default=0) < 0:
            raise InputError(f"{table_id}: needs sentence, columns and title", path=path, value=row)
        yield Sentence(sentence_id(table_id, number), " ".join(text.split()), linked, title, table_id)
