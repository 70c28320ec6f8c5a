"""One table out of one csv file: the dialect of WikiTableQuestions, TabFact's `#`, and plain csv.

The dialect follows from where a file lies. WikiTableQuestions keeps its files in folders named like 203-csv and writes
a quote in a cell as `\\"`; TabFact keeps them in all_csv and separates cells by `#` without any quoting; everything
else is plain csv (a quote is doubled). No cell is ever turned into a missing value: "NA" stays "NA".
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

from reastap_lib.tables import SECTION_JOIN, Table
from workbench_lib.errors import InputError

METADATA = "misc/table-metadata.tsv"
PAGES = "table_to_page.json"
Dialect = Literal["wikitq", "tabfact", "plain"]
_DIALECTS: dict[Dialect, dict[str, Any]] = {
    "wikitq": {"doublequote": False, "escapechar": "\\", "strict": True},
    "tabfact": {"delimiter": "#", "quoting": csv.QUOTE_NONE},
    "plain": {"strict": True},
}


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
    return Table(table_id(path), header=tuple(header), rows=tuple(map(tuple, body)), source=str(path), **_page(path))


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


def metadata_file(path: Path) -> Path | None:
    """The file that tells from which page a table comes, where there is one."""
    root = _wikitq_root(path)
    above = path.parent.parent
    places = [root / METADATA] if root else [above / PAGES, above / "data" / PAGES]
    is_known = root is not None or guess_dialect(path) == "tabfact"
    return next((place for place in places if is_known and place.exists()), None)


def _wikitq_root(path: Path) -> Path | None:
    """The folder that holds csv/NNN-csv/, when the file lies so."""
    return path.parents[2] if guess_dialect(path) == "wikitq" and path.parent.parent.name == "csv" else None


def _page(path: Path) -> dict[str, str]:
    """Title, section and caption, as far as they are known."""
    metadata = metadata_file(path)
    if metadata is None:
        return {"title": ""}
    pages = _tabfact_pages(metadata) if metadata.name == PAGES else _wikitq_pages(metadata)
    return pages.get(path.name if metadata.name == PAGES else table_id(path), {"title": ""})


@lru_cache(maxsize=8)
def _tabfact_pages(path: Path) -> dict[str, dict[str, str]]:
    try:
        pages = json.loads(path.read_bytes())
        return {name: {"title": str(page[0])} for name, page in pages.items()}
    except (ValueError, AttributeError, LookupError, TypeError) as error:
        raise InputError(f"needs an object of [title, address] by file name ({error})", path=path) from None


@lru_cache(maxsize=8)
def _wikitq_pages(path: Path) -> dict[str, dict[str, str]]:
    lines = path.read_text(encoding="utf-8").split("\n")
    names = lines[0].split("\t")
    missing = [name for name in ("contextId", "title", "headers", "caption") if name not in names]
    if missing:
        raise InputError(f"lacks the columns {', '.join(missing)}", path=path, line=1, value=lines[0])
    pages = {}
    for line in lines[1:]:
        fields = dict(zip(names, line.split("\t"), strict=False))
        if len(fields) == len(names):
            section = SECTION_JOIN.join(filter(None, fields["headers"].split("|")))
            pages[fields["contextId"]] = {"title": fields["title"], "section": section, "caption": fields["caption"]}
    return pages
