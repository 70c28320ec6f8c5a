"""Tables out of csv files: the dialect of WikiTableQuestions, TabFact's `#`, and plain csv.

The dialect follows from where a file lies. WikiTableQuestions keeps its files in folders named like 203-csv and writes
a quote in a cell as `\\"`; TabFact keeps them in all_csv and separates cells by `#` without any quoting; everything
else is plain csv (a quote is doubled). No cell is ever turned into a missing value: "NA" stays "NA".
"""

from __future__ import annotations

import csv
import hashlib
import re
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

from reastap_lib.tables import Limits, Table, keep
from workbench_lib.errors import InputError, WorkbenchError
from workbench_lib.files import sha256_of_file, sha256_of_json
from workbench_lib.paths import find_data, find_files

BUILTIN = "builtin"
METADATA = "misc/table-metadata.tsv"
Dialect = Literal["wikitq", "tabfact", "plain"]
_DIALECTS: dict[Dialect, dict[str, Any]] = {
    "wikitq": {"doublequote": False, "escapechar": "\\", "strict": True},
    "tabfact": {"delimiter": "#", "quoting": csv.QUOTE_NONE},
    "plain": {"strict": True},
}


def load_tables(source: str, limits: Limits) -> tuple[list[Table], Counter[str]]:
    """The tables of a source that are within the limits, and the count of those left out by reason.

    Args:
        source: builtin, or a folder, file or glob pattern, as given or under WORKBENCH_DATA.

    Raises:
        InputError: a file cannot be read; or no table is left, with the reasons.
    """
    tables, left_out = read_tables(source)
    kept, more = keep(tables, limits)
    left_out += more
    if not kept:
        reasons = ", ".join(f"{n} {reason}" for reason, n in sorted(left_out.items()))
        raise InputError(f"no table can be used ({reasons or 'there is none'})", path=source)
    return kept, left_out


def read_tables(source: str) -> tuple[list[Table], Counter[str]]:
    """All tables of a source in a fixed order, and the count by reason of the files that hold none.

    Raises:
        InputError: a file is not UTF-8 or not csv; or `source` is one file, and holds no table.
        WorkbenchError: there is no such file or folder.
    """
    if source == BUILTIN:
        from reastap_lib.builtin import builtin_tables

        return list(builtin_tables()), Counter()
    tables: list[Table] = []
    left_out: Counter[str] = Counter()
    paths = csv_paths(source)
    for path in paths:
        table = read_table(path)
        if isinstance(table, Table):
            tables.append(table)
        elif len(paths) == 1:
            raise InputError(f"no table: {table}", path=path)
        else:
            left_out[table] += 1
    return tables, left_out


def csv_paths(source: str) -> list[Path]:
    """The csv files that a source names, sorted by path.

    Raises:
        WorkbenchError: nothing is there, or the folder holds no csv file.
    """
    paths = find_files(source) or sorted(find_data(source).rglob("*.csv"))
    if not paths:
        raise WorkbenchError(f"{source}: no csv file there")
    return paths


def source_digest(source: str) -> str:
    """What a source holds, in one digest: of every file's name and bytes, or of the built-in tables."""
    if source == BUILTIN:
        from reastap_lib.builtin import builtin_tables

        return sha256_of_json([[t.id, t.title, t.header, t.rows] for t in builtin_tables()])
    paths = csv_paths(source)
    extra = sorted({root / METADATA for root in map(_wikitq_root, paths) if root and (root / METADATA).exists()})
    lines = [f"{table_id(path)} {sha256_of_file(path)}" for path in [*paths, *extra]]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def read_table(path: Path, dialect: Dialect | None = None) -> Table | str:
    """The table of a csv file, or the reason why it holds none.

    Raises:
        InputError: the file is not UTF-8 or not csv; names the line.
    """
    rows = list(_read_rows(path, dialect or guess_dialect(path)))
    if len(rows) < 2:
        return "no rows" if rows else "empty file"
    header, *body = rows
    if any(len(row) != len(header) for row in body):
        return "rows of different lengths"
    return Table(table_id(path), _title(path), tuple(header), tuple(map(tuple, body)), source=str(path))


def guess_dialect(path: Path) -> Dialect:
    """The dialect of a file, by where it lies (see the module's text).

    >>> guess_dialect(Path("csv/203-csv/128.csv")), guess_dialect(Path("all_csv/1-10.html.csv"))
    ('wikitq', 'tabfact')
    """
    if re.fullmatch(r"\d+-csv", path.parent.name):
        return "wikitq"
    return "tabfact" if path.parent.name == "all_csv" or path.name.endswith(".html.csv") else "plain"


def table_id(path: Path) -> str:
    """The name of a table: csv/203-csv/128.csv in WikiTableQuestions, else its folder and file."""
    root = _wikitq_root(path)
    return path.relative_to(root).as_posix() if root else f"{path.parent.name}/{path.name}"


def clean(cell: str) -> str:
    """A cell's text on one line: line breaks and runs of spaces become one space."""
    return " ".join(cell.split())


def _read_rows(path: Path, dialect: Dialect) -> Iterator[list[str]]:
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = path.read_bytes()[: error.start].count(b"\n") + 1
        raise InputError("not UTF-8", path=path, line=line, value=error.object[error.start : error.end]) from None
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", path=path) from None
    lines = re.findall(r"[^\n]*\n|[^\n]+", text.replace("\r\n", "\n").replace("\r", "\n"))
    reader = csv.reader(lines, **_DIALECTS[dialect])
    try:
        for row in reader:
            if row:
                yield [clean(cell) for cell in row]
    except csv.Error as error:
        raise InputError(f"not csv ({error})", path=path, line=reader.line_num) from None


def _wikitq_root(path: Path) -> Path | None:
    """The folder that holds csv/NNN-csv/, when the file lies so."""
    return path.parents[2] if guess_dialect(path) == "wikitq" and path.parent.parent.name == "csv" else None


def _title(path: Path) -> str:
    root = _wikitq_root(path)
    return _titles(root / METADATA).get(table_id(path), "") if root else ""


@lru_cache(maxsize=8)
def _titles(path: Path) -> dict[str, str]:
    """Page titles, with the section where it says more, by table id."""
    if not path.exists():
        return {}
    lines = path.read_text(encoding="utf-8").split("\n")
    names = lines[0].split("\t")
    try:
        columns = [names.index(name) for name in ("contextId", "title", "headers")]
    except ValueError:
        raise InputError("needs the columns contextId, title, headers", path=path, line=1, value=lines[0]) from None
    titles = {}
    for line in lines[1:]:
        fields = line.split("\t")
        if len(fields) == len(names):
            context, title, section = (fields[i] for i in columns)
            last = section.split("|")[-1]
            titles[context] = f"{title}: {last}" if last else title
    return titles
