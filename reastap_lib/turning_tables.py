"""The tables of turning_tables (ClassifyTableColumnsFiltered.jsonl), which the released ReasTAP code starts from.

Its own parser of wikitext left faults that can be undone: attributes and links in cells, a line of markup or nothing
but empty names for a header, and the first row of data joined to the names (`No. - 1`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from reastap_lib.json_lines import tables_of_lines
from reastap_lib.tables import Table
from reastap_lib.wikitext_cells import reader_text
from reastap_lib.wikitext_strip import strip_unseen
from workbench_lib.errors import InputError

_MELTED = " - "
_ATTRIBUTE = r"[\w-]++\s*+=\s*+(?:\"[^\"]*+\"|'[^']*+'|[^\s|]++)"
_ATTRIBUTES = re.compile(rf"\s*+{_ATTRIBUTE}(?:\s++{_ATTRIBUTE})*+\s*+\|")
_NOTHING_ELSE = re.compile(r"\s*+(?:(?:col|row)span|v?align|style|bgcolor|width|class|scope)\s*+=[^|]*+")
_PICTURE = re.compile(r"\|?\s*\d+(?:x\d+)?px\b(?:\|[^|]*)*")


def read_turning_tables(path: Path) -> tuple[list[Table], Counter[str]]:
    """The tables of a file and the count of the others by reason.

    Raises:
        InputError: a line is not of this form; names it.
    """
    return tables_of_lines(path, _table)


def _table(entry: Any, path: Path, line: int) -> Table | str:
    try:
        document = entry["context"]["documents"][0]
        written = document["table"]
        names = [str(column["column_name"]) for column in written["header"]]
        rows = [[str(cell["text"]) for cell in row] for row in written["table_rows"]]
        name, title, caption = str(document["id"]), str(document["title"]), str(written.get("table_name") or "")
    except (LookupError, TypeError, AttributeError) as error:
        raise InputError(f"not a table of turning_tables ({error})", path=path, line=line) from None
    names, rows = with_header_apart(names, rows)
    header, body = tuple(map(clean_cell, names)), tuple(tuple(map(clean_cell, row)) for row in rows)
    if not body:
        return "no rows"
    if not header or any(len(row) != len(header) for row in body):
        return "rows of different lengths"
    if any(mark in text for text in header for mark in ("{|", "{{", "[[")):
        return "markup left over"
    return Table(name, title, header, body, str(path), caption=clean_cell(caption))


def with_header_apart(names: Sequence[str], rows: Sequence[Sequence[str]]) -> tuple[list[str], list[list[str]]]:
    """Header and rows, with the first row of data taken out of the names, or the names out of the first row.

    Data is joined to the names where all have a second part and one name at least occurs once: of two true header
    rows, the upper one spans several columns wherever it differs from the lower one.

    >>> with_header_apart(["No. - 1", "Won - "], [["2", "5"]])
    (['No.', 'Won'], [['1', ''], ['2', '5']])
    >>> with_header_apart(["Heat - Time", "Heat - Rank"], [["9", "1"]])
    (['Heat Time', 'Heat Rank'], [['9', '1']])
    >>> with_header_apart(["{| class=wikitable", ""], [["No.", "Won"], ["2", "5"]])
    (['No.', 'Won'], [['2', '5']])
    """
    lines = [list(row) for row in rows]
    if lines and not any(name.strip() for name in names if "{|" not in name):
        return lines[0], lines[1:]
    parts = [name.partition(_MELTED) for name in names]
    above = [first.strip() for first, _, _ in parts]
    if all(joint for _, joint, _ in parts) and any(above.count(name) == 1 for name in above):
        return above, [[second.strip() for _, _, second in parts], *lines]
    return [name.replace(_MELTED, " ") for name in names], lines


def clean_cell(text: str) -> str:
    """A cell without the markup that was left in it.

    >>> clean_cell("align=center| 2004–2013 |"), clean_cell("20px|link=Tour|alt=A jersey."), clean_cell("[[a|b]]")
    ('2004–2013', '', 'b')
    """
    text = _PICTURE.sub("", _ATTRIBUTES.sub("", strip_unseen(text)))
    return "" if _NOTHING_ELSE.fullmatch(text) else reader_text(text).strip("| ")
