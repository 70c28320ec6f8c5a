"""Tables out of any source: csv, HTML, the jsonl of WikiSQL and of turning_tables, an extracted dump.

A source is `builtin`, or a file, folder or pattern. A folder is read as what it holds most plainly: an extraction
(see `reastap_lib.extraction`) where it has a manifest, else its csv files, else its jsonl files (only those named
*.tables.jsonl, where there are any), else its HTML files, always in the order of their paths.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from reastap_lib.csv_tables import metadata_file, read_table, table_id
from reastap_lib.extraction import extracted_tables
from reastap_lib.grids import LeftOut, finish, split
from reastap_lib.html_tables import HtmlTable, html_tables
from reastap_lib.json_lines import read_json_lines
from reastap_lib.tables import Limits, Table, keep
from reastap_lib.turning_tables import read_turning_tables
from reastap_lib.wikisql import read_wikisql
from workbench_lib.corpus import MANIFEST, Corpus
from workbench_lib.errors import InputError, WorkbenchError
from workbench_lib.files import sha256_of_file, sha256_of_json
from workbench_lib.paths import find_data, find_files

BUILTIN = "builtin"
_SITE = " - Wikipedia"
Found = tuple[list[Table], Counter[str]]


def load_tables(source: str, limits: Limits) -> Found:
    """The tables of a source that are within the limits, and the count of those left out by reason.

    Args:
        source: builtin, or a folder, file or glob pattern, as given or under WORKBENCH_DATA.

    Raises:
        InputError: a file cannot be read; or no table is left, with the reasons.
    """
    left_out: Counter[str] = Counter()
    kept, more = keep(stream_tables(source, left_out), limits)
    left_out += more
    if not kept:
        reasons = ", ".join(f"{n} {reason}" for reason, n in sorted(left_out.items()))
        raise InputError(f"no table can be used ({reasons or 'there is none'})", path=source)
    return kept, left_out


def read_tables(source: str) -> Found:
    """All tables of a source in a fixed order, and the count by reason of what holds none.

    Raises:
        InputError: a file cannot be read; or `source` is one file, and holds no table.
        WorkbenchError: there is no such file or folder.
    """
    left_out: Counter[str] = Counter()
    return list(stream_tables(source, left_out)), left_out


def stream_tables(source: str, left_out: Counter[str]) -> Iterator[Table]:
    """As `read_tables`, one table after the other; what holds none is counted in `left_out` on the way."""
    if source == BUILTIN:
        from reastap_lib.builtin import builtin_tables

        yield from builtin_tables()
        return
    paths = table_files(source)
    if paths[0].name == MANIFEST:
        yield from extracted_tables(paths[0].parent)
        return
    for path in paths:
        tables, reasons = _READERS[path.suffix.lower()](path)
        if not tables and len(paths) == 1:
            raise InputError(f"no table: {', '.join(sorted(reasons)) or 'there is none'}", path=path)
        left_out += reasons
        yield from tables


def table_files(source: str) -> list[Path]:
    """The files that a source names, sorted by path; for an extraction, its manifest.

    Raises:
        WorkbenchError: nothing is there, or nothing that can be read.
    """
    paths = find_files(source)
    if not paths:
        folder = find_data(source)
        if (folder / MANIFEST).exists() or any(folder.glob("part-*.parquet")):
            return [folder / MANIFEST]
        inside = {suffix: sorted(folder.rglob(f"*{suffix}")) for suffix in _READERS}
        paths = next(filter(None, inside.values()), [])
        paths = [path for path in paths if path.name.endswith(".tables.jsonl")] or paths
    unknown = [path for path in paths if path.suffix.lower() not in _READERS]
    if unknown:
        raise WorkbenchError(f"{unknown[0]}: no reader for such files (there are: {', '.join(_READERS)})")
    if not paths:
        raise WorkbenchError(f"{source}: no csv, jsonl or html file there, and no extraction")
    return paths


def source_digest(source: str) -> str:
    """What a source holds, in one digest: of every file's name and bytes, or of the tables themselves."""
    if source == BUILTIN:
        from reastap_lib.builtin import builtin_tables

        return sha256_of_json([[t.id, t.title, t.header, t.rows] for t in builtin_tables()])
    paths = table_files(source)
    if paths[0].name == MANIFEST:
        return Corpus(paths[0].parent).digest
    extra = sorted({found for found in map(metadata_file, paths) if found})
    lines = [f"{table_id(path)} {sha256_of_file(path)}" for path in [*paths, *extra]]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def read_csv(path: Path) -> Found:
    """The table of a csv file, or the reason why it holds none."""
    table = read_table(path)
    return ([table], Counter()) if isinstance(table, Table) else ([], Counter([table]))


def read_html(path: Path) -> Found:
    """The tables of an HTML page with a header and a row, and the count of the others by reason.

    Raises:
        InputError: the file cannot be read.
    """
    try:
        text = path.read_bytes().decode("utf-8-sig", errors="replace")
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", path=path) from None
    title, found = html_tables(text)
    tables: list[Table] = []
    left_out: Counter[str] = Counter()
    for number, table in enumerate(found):
        try:
            tables.append(_html_table(table, path, number, title.removesuffix(_SITE), left_out))
        except LeftOut as reason:
            left_out[str(reason)] += 1
    return tables, left_out


def _html_table(table: HtmlTable, path: Path, number: int, title: str, counts: Counter[str]) -> Table:
    grid = split(table.rows, str)
    header, rows = finish(grid, str)
    counts += grid.set_aside
    caption = table.caption or " ".join(cell.text for cell in grid.titles)
    return Table(f"{table_id(path)}#{number}", title, header, rows, str(path), table.section, caption)


def read_jsonl(path: Path) -> Found:
    """The tables of a jsonl file of WikiSQL or of turning_tables.

    Raises:
        InputError: it is neither; or a line is damaged.
    """
    first: Any = next((entry for _, entry in read_json_lines(path)), {})
    if isinstance(first, dict) and "header" in first:
        return read_wikisql(path)
    if isinstance(first, dict) and "context" in first:
        return read_turning_tables(path)
    raise InputError("neither WikiSQL's tables (header, rows) nor turning_tables' (context)", path=path, line=1)


_READERS: dict[str, Callable[[Path], Found]] = {
    ".csv": read_csv,
    ".jsonl": read_jsonl,
    ".html": read_html,
    ".htm": read_html,
}
