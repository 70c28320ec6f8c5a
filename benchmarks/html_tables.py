"""Rendered Wikipedia tables read from HTML: the share equal to the official csv cell for cell, beside pandas.read_html.

    WORKBENCH_DATA=FOLDER python benchmarks/html_tables.py [--show]

The pages are those of WikiTableQuestions whose HTML lies beside its csv. Runs of white space count as one space; header
rows are joined as the csv does. pandas is asked to keep every cell's text.
"""

from __future__ import annotations

import argparse
import io
import sys
from collections.abc import Callable
from pathlib import Path

import pandas as pd

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from reastap_lib.csv_tables import clean, read_table
from reastap_lib.grids import LeftOut, join_names
from reastap_lib.readers import read_html
from reastap_lib.tables import Table
from workbench_lib.paths import find_data

Lines = list[list[str]]


def ours(path: Path) -> Lines:
    tables, _ = read_html(path)
    return [list(line) for line in (tables[0].header, *tables[0].rows)]


def of_pandas(path: Path) -> Lines:
    text = path.read_text(encoding="utf-8")
    width = pd.read_html(io.StringIO(text))[0].shape[1]
    frame = pd.read_html(io.StringIO(text), keep_default_na=False, converters=dict.fromkeys(range(width), str))[0]
    names = [join_names([clean(part) for part in name]) if isinstance(name, tuple) else str(name) for name in frame]
    return [[clean(cell) for cell in line] for line in [names, *frame.values.tolist()]]


def lines_or_none(read: Callable[[Path], Lines], path: Path) -> Lines | None:
    try:
        return read(path)
    except (LeftOut, ValueError, IndexError):
        return None


def official(path: Path) -> Lines:
    table = read_table(path.with_suffix(".csv"))
    assert isinstance(table, Table)
    return [list(line) for line in (table.header, *table.rows)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--show", action="store_true", help="print the first difference of each page")
    arguments = parser.parse_args()
    pages = sorted(find_data("wikitq/csv").rglob("*.html"))
    same = {"ours": 0, "pandas": 0}
    for page in pages:
        expected = official(page)
        for name, read in (("ours", ours), ("pandas", of_pandas)):
            found = lines_or_none(read, page)
            same[name] += found == expected
            if arguments.show and found != expected and name == "ours":
                differing = next(((a, b) for a, b in zip(found or [], expected, strict=False) if a != b), None)
                print(page.name, len(found or []), len(expected), differing)
    for name, count in same.items():
        print(f"{name:<7} {count}/{len(pages)} tables equal cell for cell ({count / len(pages):.1%})")
    print(f"ratio   {same['ours'] / max(same['pandas'], 1):.1f}")


if __name__ == "__main__":
    main()
