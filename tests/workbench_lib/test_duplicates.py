"""Repeated rows over all shards: the first one stays, by a plain count; doing it again changes nothing."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench_lib.duplicates import drop_repeated, keys_of, repeated

Rows = list[tuple[str, str]]
ROWS: list[Rows] = [
    [("a", "1"), ("b", "1"), ("a", "2"), ("a", "1")],
    [],
    [("b", "1"), ("", "1"), ("b", "2")],
    [("b", "2"), ("", "1")],
]


@given(st.lists(st.lists(st.integers(-3, 3), max_size=8), min_size=1, max_size=5))
@settings(deadline=None)
def test_repeated_rows_are_those_that_a_set_has_seen(shards: list[list[int]]) -> None:
    seen: set[int] = set()
    expected = []
    for shard in shards:
        again = []
        for place, key in enumerate(shard):
            if key in seen:
                again.append(place)
            seen.add(key)
        expected.append(again)
    assert [rows.tolist() for rows in repeated([np.array(shard, np.int64) for shard in shards])] == expected


def write(folder: Path, shards: list[Rows]) -> list[Path]:
    paths = []
    for number, rows in enumerate(shards):
        table = pa.table({"source": [s for s, _ in rows], "target": [t for _, t in rows]})
        table = table.cast(pa.schema([("source", pa.string()), ("target", pa.string())]))
        paths.append(folder / f"{number}.parquet")
        pq.write_table(table, paths[-1], row_group_size=2)
    return paths


def read(paths: list[Path]) -> list[Rows]:
    return [[(row["source"], row["target"]) for row in pq.read_table(path).to_pylist()] for path in paths]


@pytest.mark.parametrize(
    ("columns", "kept", "dropped"),
    [
        (["source"], [[("a", "1"), ("b", "1")], [], [("", "1")], []], {"0": 2, "2": 2, "3": 2}),
        (
            ["source", "target"],
            [[("a", "1"), ("b", "1"), ("a", "2")], [], [("", "1"), ("b", "2")], []],
            {"0": 1, "2": 1, "3": 2},
        ),
        (["target"], [[("a", "1"), ("a", "2")], [], [], []], {"0": 2, "2": 3, "3": 2}),
    ],
)
def test_rows_are_dropped_by_some_columns(
    tmp_path: Path, columns: list[str], kept: list[Rows], dropped: dict[str, int]
) -> None:
    paths = write(tmp_path, ROWS)
    told: dict[str, int] = {}

    def rewrite(path: Path, table: pa.Table, number: int) -> None:
        told[path.stem] = number
        pq.write_table(table, path)

    drop_repeated(paths, columns, rewrite)
    assert read(paths) == kept
    assert told == dropped
    told.clear()
    drop_repeated(paths, columns, rewrite)
    assert told == {}


@pytest.mark.parametrize("stopped_at", [0, 1, 2])
def test_it_may_be_stopped_anywhere(tmp_path: Path, stopped_at: int) -> None:
    """Before any of the three shards that are rewritten: the second time gives what one time does."""
    paths = write(tmp_path, ROWS)
    done: list[Path] = []

    def rewrite(path: Path, table: pa.Table, number: int) -> None:
        pq.write_table(table, path)
        done.append(path)

    def stop(path: Path, table: pa.Table, number: int) -> None:
        if len(done) == stopped_at:
            raise KeyboardInterrupt
        rewrite(path, table, number)

    with pytest.raises(KeyboardInterrupt):
        drop_repeated(paths, ["source"], stop)
    drop_repeated(paths, ["source"], rewrite)
    assert read(paths) == [[("a", "1"), ("b", "1")], [], [("", "1")], []]
    assert len(done) == 3


def test_columns_are_not_run_together(tmp_path: Path) -> None:
    rows = [("ab", "c"), ("a", "bc"), ("c", "ab"), ("", "abc")]
    (path,) = write(tmp_path, [rows])
    assert len(set(keys_of(path, ["source", "target"]).tolist())) == 4
    assert keys_of(path, ["source"])[0] == keys_of(write(tmp_path, [[("ab", "")]])[0], ["source"])[0]


def test_many_texts_have_keys_of_their_own(tmp_path: Path) -> None:
    (path,) = write(tmp_path, [[(f"text {k}", f"{k % 10}") for k in range(20_000)]])
    assert len(np.unique(keys_of(path, ["source"]))) == 20_000
    assert len(np.unique(keys_of(path, ["source", "target"]))) == 20_000
