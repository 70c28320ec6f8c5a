"""Real dumps, pages and files of tables; outside references are the official csv and wikitextparser's own grids."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
import wikitextparser

from reastap_lib.csv_tables import read_table
from reastap_lib.dumps import Dump
from reastap_lib.extraction import extract, extracted_tables
from reastap_lib.grids import spread
from reastap_lib.readers import load_tables, read_html, read_tables
from reastap_lib.tables import Limits, Table
from reastap_lib.wiki_pages import page_tables
from reastap_lib.wikitext import markup_tables
from reastap_lib.wikitext_strip import strip_unseen

pytestmark = pytest.mark.realdata
LARGE = "enwiki-latest-pages-articles1.xml-p000000010p000030302-shortened.bz2"
MARKUP = "enwiki-table-markup.xml.bz2"
BULGARIAN = "bgwiki-latest-pages-articles-shortened.xml.bz2"


def real_pages(data_root: Path) -> Iterator[str]:
    """Every page of wikitext that there is, articles or not."""
    for path in sorted((data_root / "wikidump").glob("*.bz2")):
        with Dump(path) as dump:
            yield from (page.text for page in dump.pages())
    for path in sorted((data_root / "wikidump" / "wikitext").glob("*.txt")):
        yield path.read_text(encoding="utf-8")


def test_html_pages_equal_the_official_csv_cell_for_cell(data_root: Path) -> None:
    pages = sorted((data_root / "wikitq" / "csv").rglob("*.html"))
    differing = []
    for page in pages:
        expected, [table] = read_table(page.with_suffix(".csv")), read_html(page)[0]
        assert isinstance(expected, Table)
        if (table.header, table.rows) != (expected.header, expected.rows):
            differing.append(f"{page.parent.name}/{page.name}")
    assert len(pages) == 40
    assert differing == ["203-csv/845.html"]  # its csv lacks a row that holds a piece of markup


@pytest.mark.parametrize(
    ("name", "pages", "tables", "found"),
    [(LARGE, 206, 27, 88), (MARKUP, 5, 4, 20), (BULGARIAN, 3, 0, 0)],
)
def test_every_table_of_a_dump_is_kept_or_counted(
    data_root: Path, tmp_path: Path, name: str, pages: int, tables: int, found: int
) -> None:
    corpus = extract(data_root / "wikidump" / name, tmp_path)
    left_out = {reason: n for reason, n in corpus.manifest.rejected.items() if not reason.endswith(("(row)", "(page)"))}
    left_out.pop("nested in another table, taken as one of its own", None)
    assert (corpus.manifest.units, len(corpus)) == (pages, tables)
    assert len(corpus) + sum(left_out.values()) == found
    for table in extracted_tables(tmp_path):
        assert Limits().fault(table) is None


def test_grids_equal_those_of_wikitextparser(data_root: Path) -> None:
    counts: Counter[str] = Counter()
    for page in map(strip_unseen, real_pages(data_root)):
        for ours, theirs in zip(markup_tables(page), wikitextparser.parse(page).tables, strict=True):
            raw = [[(cell or "").strip() for cell in row] for row in theirs.data(span=True) if row]
            grid = [[slot.cell.text.strip() if slot.cell else "" for slot in row] for row in spread(ours.rows)]
            if ours.is_nested or any("{|" in cell for row in raw for cell in row):
                counts["nested"] += 1
            else:
                counts["equal" if grid == raw else "different"] += 1
    # Two have a column that only a banner reaches into; in one a template brings the attributes.
    assert counts == {"equal": 137, "nested": 14, "different": 3}


def test_no_markup_is_left_and_nearly_every_table_is_read(data_root: Path) -> None:
    found, counts = 0, Counter[str]()
    for page in real_pages(data_root):
        tables, left_out = page_tables("Page", page)
        found += len(tables)
        counts += left_out
    assert found == 134
    reasons = {reason: n for reason, n in counts.items() if not reason.endswith(("(row)", "(column)", "(cell)"))}
    assert reasons == {
        "no header row": 18,
        "no data rows": 1,
        "cells made by templates": 1,
        "nested in another table, taken as one of its own": 11,
    }


@pytest.mark.parametrize(
    ("source", "found", "kept", "titled"),
    [
        ("wikisql", 58, 48, 47),
        ("turning_tables", 99, 73, 99),
        ("tabfact/data/all_csv", 150, 91, 143),
        ("logicnlg/all_csv", 80, 54, 80),
        ("wikitq", 250, 153, 250),
        ("wikitq/csv/**/*.html", 40, 29, 0),
    ],
)
def test_other_sources(data_root: Path, source: str, found: int, kept: int, titled: int) -> None:
    tables, _ = read_tables(str(data_root / source))
    assert (len(tables), sum(bool(table.title) for table in tables)) == (found, titled)
    assert len(load_tables(str(data_root / source), Limits())[0]) == kept


def test_a_row_of_data_that_was_joined_to_the_names(data_root: Path) -> None:
    tables, _ = read_tables(str(data_root / "turning_tables"))
    first = tables[0]
    assert first.header == ("No.", "Governor", "Term", "Party", "Party")
    assert first.rows[0] == ("1", "Federico Castillo", "1951–1956", "", "")
    assert first.rows[7][2] == "2004–2013"
