from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from reastap_lib.table_store import BATCH, TableStore
from reastap_lib.tables import Table

TEXT = st.text(max_size=6)


@given(st.lists(st.tuples(TEXT, st.lists(st.tuples(TEXT, TEXT), min_size=1, max_size=3)), max_size=4))
def test_tables_come_back_as_they_were(contents: list[tuple[str, list[tuple[str, str]]]]) -> None:
    tables = [
        Table(f"t{i}", title, ("a", title), tuple(rows), "here", "Part > One", "caption")
        for i, (title, rows) in enumerate(contents)
    ]
    store = TableStore.of((table, 2**64 - 1 - i) for i, table in enumerate(tables))
    assert [store.table(i) for i in range(len(store))] == tables
    assert store.scores.tolist() == [2**64 - 1 - i for i in range(len(tables))]


def test_a_saved_store_opens_by_memory_map(tmp_path: Path) -> None:
    tables = [Table(f"t{i}", "", ("a", "b"), (("x", str(i)), ("y", "2"))) for i in range(BATCH + 5)]
    TableStore.of((table, i) for i, table in enumerate(tables)).save(tmp_path / "tables.arrow")
    store = TableStore.load(tmp_path / "tables.arrow")
    assert len(store) == BATCH + 5
    assert store.table(BATCH + 4) == tables[-1]
    assert [column.kind for column in store[BATCH + 4].columns] == ["string", "number"]
    assert store[3] is store[3]
