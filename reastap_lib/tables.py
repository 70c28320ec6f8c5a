"""A table as a value: header and rows of text, its digest, its picture in a notebook, and which tables are kept."""

from __future__ import annotations

import html
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from workbench_lib.errors import WorkbenchError
from workbench_lib.files import sha256_of_json

Cells = tuple[str, ...]
SECTION_JOIN = " > "
_MARKED = "background-color:#ffe08a;color:#1b1b1b;font-weight:bold"  # readable on dark pages too


class TableError(WorkbenchError):
    """A table that is not rectangular, or has no header or no rows."""


@dataclass(frozen=True)
class Table:
    """A table of text (ReasTAP, section 2.1): every row has one cell a header.

    Args:
        id: Unique within its source, such as csv/203-csv/128.csv.
        title: What the table is about, such as its page's title; may be empty.
        header: (columns,) names as the reader of the table sees them.
        rows: (rows, columns) cell texts.
        source: Where it comes from: a folder, a file, a dump, or builtin.
        section: The headings above it on its page, from the largest on, where there are any.
        caption: What is written over the table itself, where anything is.

    Raises:
        TableError: no header, no rows, or a row of another length; names the row.

    >>> Table("t", "Goals", ("Player", "Goals"), (("Ann", "9"), ("Bob", "12"))).shape
    (2, 2)
    """

    id: str
    title: str
    header: Cells
    rows: tuple[Cells, ...]
    source: str = ""
    section: str = ""
    caption: str = ""

    def __post_init__(self) -> None:
        if not self.header:
            raise TableError(f"table {self.id!r} has no header")
        if not self.rows:
            raise TableError(f"table {self.id!r} has no rows")
        for number, row in enumerate(self.rows, 1):
            if len(row) != len(self.header):
                raise TableError(
                    f"table {self.id!r}, row {number}: {len(row)} cells under {len(self.header)} headers: {list(row)!r}"
                )

    @property
    def shape(self) -> tuple[int, int]:
        """(rows, columns)."""
        return len(self.rows), len(self.header)

    @property
    def heading(self) -> str:
        """Title, section and caption in one line.

        >>> Table("t", "Ann", ("a",), (("1",),), section="Career > Goals", caption="By year").heading
        'Ann: Career > Goals: By year'
        """
        return ": ".join(dict.fromkeys(filter(None, (self.title, self.section, self.caption))))

    @cached_property
    def digest(self) -> str:
        """Hex sha256 of the normalised header and rows; the order of rows, case and spaces make no difference."""
        rows = sorted([normalise(cell) for cell in row] for row in self.rows)
        return sha256_of_json([[normalise(name) for name in self.header], rows])

    def take(self, order: Sequence[int]) -> Table:
        """The table with the rows `order`, in that order."""
        return replace(self, rows=tuple(self.rows[i] for i in order))

    def _repr_html_(self) -> str:
        from reastap_lib.column_types import type_table

        return type_table(self)._repr_html_()


def normalise(text: str) -> str:
    """Text for comparing: compatibility forms joined, case folded, runs of spaces made one.

    >>> normalise("  Été\\u00a0 1998 ")
    'été 1998'
    """
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def words(text: str) -> tuple[str, ...]:
    """The words of a text; for long lists of them."""
    return tuple(text.split())


@dataclass(frozen=True)
class Limits:
    """Which tables are kept (ReasTAP, section 2.1: 8-30 rows, at least three columns)."""

    min_rows: int = 8
    max_rows: int = 30
    min_columns: int = 3

    def fault(self, table: Table) -> str | None:
        """Why the table is left out, or None where it is kept.

        >>> Limits().fault(Table("t", "", ("a", "b", "c"), (("1", "2", "3"),)))
        'fewer than 8 rows'
        """
        rows, columns = table.shape
        if rows < self.min_rows:
            return f"fewer than {self.min_rows} rows"
        if rows > self.max_rows:
            return f"more than {self.max_rows} rows"
        if columns < self.min_columns:
            return f"fewer than {self.min_columns} columns"
        return header_fault(table.header)


def header_fault(header: Sequence[str]) -> str | None:
    """What makes a header unusable in a question: an empty name, or two that read the same."""
    names = [normalise(name) for name in header]
    if not all(names):
        return "empty header"
    if len(set(names)) < len(names):
        return "duplicate headers"
    return None


def keep(tables: Iterable[Table], limits: Limits) -> tuple[list[Table], Counter[str]]:
    """The tables within the limits, without repeats, and the count of the others by reason."""
    kept: list[Table] = []
    left_out: Counter[str] = Counter()
    seen: set[str] = set()
    for table in tables:
        reason = limits.fault(table) or ("the same table again" if table.digest in seen else None)
        if reason:
            left_out[reason] += 1
            continue
        seen.add(table.digest)
        kept.append(table)
    return kept, left_out


def html_of(table: Table, notes: Sequence[str], marks: Iterable[tuple[int, int]] = ()) -> str:
    """The table as HTML, every text escaped: a note under each header, the cells `marks` (row, column) ticked."""
    marked = frozenset(marks)
    heads = "".join(
        f"<th>{html.escape(name)}<br><small><i>{html.escape(note)}</i></small></th>"
        for name, note in zip(table.header, notes, strict=True)
    )
    body = "".join(
        "<tr>" + "".join(_td(cell, (i, j) in marked) for j, cell in enumerate(row)) + "</tr>"
        for i, row in enumerate(table.rows)
    )
    caption = f"<caption>{html.escape(table.heading)}</caption>" if table.heading else ""
    return f'<table class="tex2jax_ignore">{caption}<thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>'


def _td(cell: str, marked: bool) -> str:
    if not marked:
        return f"<td>{html.escape(cell)}</td>"
    return f'<td style="{_MARKED}"><span role="img" aria-label="evidence">✓</span> {html.escape(cell)}</td>'
