"""A DataFrame as a table of text."""

from __future__ import annotations

import pandas as pd

from reastap_lib.cell_text import one_line
from reastap_lib.grids import join_names
from reastap_lib.tables import Table
from reastap_lib.wikisql import cell_of


def table_of(frame: pd.DataFrame, title: str = "", name: str = "frame") -> Table:
    """A DataFrame as a table: a named index becomes the first columns, levels of names are joined, missing is empty.

    Raises:
        TableError: it has no rows or no columns.

    >>> table_of(pd.DataFrame({"Name": ["Ann", None], "Goals": [9, 12]})).rows
    (('Ann', '9'), ('', '12'))
    """
    if any(level is not None for level in frame.index.names):
        frame = frame.reset_index()
    header = tuple(join_names([one_line(str(p)) for p in (c if isinstance(c, tuple) else (c,))]) for c in frame.columns)
    columns = [[_frame_cell(value) for value in frame.iloc[:, x]] for x in range(len(header))]
    rows = tuple(zip(*columns, strict=True)) if columns else ()
    return Table(name, title, header, rows, "DataFrame")


def _frame_cell(value: object) -> str:
    if pd.api.types.is_scalar(value) and pd.isna(value):
        return ""
    if isinstance(value, pd.Timestamp) and value == value.normalize():
        return str(value.date())
    return cell_of(value)
