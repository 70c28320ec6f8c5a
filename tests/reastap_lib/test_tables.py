from __future__ import annotations

import dataclasses

import pytest

from reastap_lib.column_types import type_table
from reastap_lib.tables import Limits, Table, TableError, html_of, keep


def table(header: list[str], rows: list[list[str]], name: str = "t") -> Table:
    return Table(name, "Title", tuple(header), tuple(map(tuple, rows)))


def numbered(rows: int, columns: int = 3) -> Table:
    return table([f"h{j}" for j in range(columns)], [[f"{i}.{j}" for j in range(columns)] for i in range(rows)])


def test_T09_all_rows_have_as_many_cells_as_the_header() -> None:
    assert table(["A", "B", "C"], [["1", "", "3"], ["4", "one two", ""]]).shape == (2, 3)
    with pytest.raises(TableError, match=r"row 2: 2 cells under 3 headers.*'one two'"):
        table(["A", "B", "C"], [["1", "", "3"], ["4", "one two"]])


def test_no_rows_and_no_header_are_errors() -> None:
    with pytest.raises(TableError, match="has no rows"):
        table(["A"], [])
    with pytest.raises(TableError, match="has no header"):
        table([], [[]])


def test_a_table_is_a_frozen_value() -> None:
    made = table(["A"], [["1"]])
    assert made == table(["A"], [["1"]])
    with pytest.raises(dataclasses.FrozenInstanceError):
        made.title = "other"  # type: ignore[misc]


def test_digest_overlooks_order_of_rows_case_spaces_and_title() -> None:
    one = table(["Name", "Goals"], [["Ann", "1"], ["Bob", "2"]])
    two = Table("other", "Other", ("NAME", "Goals "), (("Bob", "2"), ("ann", "1")))
    assert one.digest == two.digest
    assert one.digest != table(["Name", "Goals"], [["Ann", "2"], ["Bob", "1"]]).digest


@pytest.mark.parametrize(
    ("made", "reason"),
    [
        (numbered(7), "fewer than 8 rows"),
        (numbered(8), None),
        (numbered(30), None),
        (numbered(31), "more than 30 rows"),
        (numbered(8, 2), "fewer than 3 columns"),
        (table(["a", " ", "c"], [["1", "2", "3"]] * 8), "empty header"),
        (table(["Gold", "gold ", "c"], [["1", "2", "3"]] * 8), "duplicate headers"),
    ],
)
def test_limits(made: Table, reason: str | None) -> None:
    assert Limits().fault(made) == reason


def test_keep_counts_by_reason_and_drops_repeats() -> None:
    kept, left_out = keep([numbered(8), numbered(7), numbered(8), numbered(6)], Limits())
    assert len(kept) == 1
    assert left_out == {"fewer than 8 rows": 2, "the same table again": 1}


def test_html_escapes_every_text_and_marks_types_and_evidence() -> None:
    made = table(["<b>Name</b>", "Born"], [["<script>", "12 May 1998"], ["&", "13 May 1998"]])
    page = made._repr_html_()
    assert "<script>" not in page
    assert "&lt;script&gt;" in page
    assert "&lt;b&gt;Name&lt;/b&gt;" in page
    assert "date (day)" in page
    assert html_of(made, ["", ""], [(1, 0)]).count("background-color") == 1


def test_take_reorders() -> None:
    assert type_table(numbered(8).take([3, 0])).table.rows == (("3.0", "3.1", "3.2"), ("0.0", "0.1", "0.2"))


def test_title_section_and_caption_stand_over_the_table() -> None:
    made = dataclasses.replace(table(["A"], [["1"]]), section="1998 > <i>", caption="Title")
    assert made.heading == "Title: 1998 > <i>"
    assert "<caption>Title: 1998 &gt; &lt;i&gt;</caption>" in html_of(made, [""])
