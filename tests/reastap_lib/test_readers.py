from __future__ import annotations

from pathlib import Path

import pytest

from reastap_lib.readers import csv_paths, load_tables, read_table, read_tables, source_digest, table_id
from reastap_lib.tables import Limits, Table
from workbench_lib.errors import InputError, WorkbenchError


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    return path


def rows(table: Table | str) -> tuple[tuple[str, ...], ...]:
    assert isinstance(table, Table)
    return (table.header, *table.rows)


def test_wikitq_dialect(tmp_path: Path) -> None:
    text = '"Name","Said"\n"Ann","a \\"b\\" c"\n"Bob","back\\\\slash"\n"Cyd","two\nlines"\n"Dee",""\n'
    path = write(tmp_path / "csv" / "203-csv" / "1.csv", text)
    assert rows(read_table(path)) == (
        ("Name", "Said"),
        ("Ann", 'a "b" c'),
        ("Bob", "back\\slash"),
        ("Cyd", "two lines"),
        ("Dee", ""),
    )
    assert table_id(path) == "csv/203-csv/1.csv"


def test_titles_come_from_the_metadata(tmp_path: Path) -> None:
    path = write(tmp_path / "csv" / "203-csv" / "1.csv", '"a","b"\n"1","2"\n')
    write(
        tmp_path / "misc" / "table-metadata.tsv",
        "contextId\ttitle\theaders\ncsv/203-csv/1.csv\tAirports\tList|France\n",
    )
    table = read_table(path)
    assert isinstance(table, Table)
    assert table.title == "Airports: France"


def test_tabfact_dialect(tmp_path: Path) -> None:
    path = write(tmp_path / "all_csv" / "1-1.html.csv", 'name#"points\r\nann , b#1\r\nn / a#-')
    assert rows(read_table(path)) == (("name", '"points'), ("ann , b", "1"), ("n / a", "-"))


def test_plain_csv_keeps_every_text(tmp_path: Path) -> None:
    path = write(tmp_path / "mine.csv", '\ufeffcode,said\nNA,"a ""b"""\nNone,\n\nnull,"x, y"\n')
    assert rows(read_table(path)) == (("code", "said"), ("NA", 'a "b"'), ("None", ""), ("null", "x, y"))


@pytest.mark.parametrize(
    ("text", "reason"),
    [("a,b\n", "no rows"), ("", "empty file"), ("a,b\n1,2\n1,2,3\n", "rows of different lengths")],
)
def test_files_without_a_table_are_counted_or_an_error(tmp_path: Path, text: str, reason: str) -> None:
    bad = write(tmp_path / "bad.csv", text)
    with pytest.raises(InputError, match=f"bad.csv: no table: {reason}"):
        read_tables(str(bad))
    write(tmp_path / "good.csv", "a,b\n1,2\n")
    tables, left_out = read_tables(str(tmp_path))
    assert [table.id for table in tables] == [f"{tmp_path.name}/good.csv"]
    assert left_out == {reason: 1}


def test_bad_bytes_and_bad_csv_name_the_line(tmp_path: Path) -> None:
    (tmp_path / "latin.csv").write_bytes("a,b\n1,\xe9\n".encode("latin-1"))
    with pytest.raises(InputError, match=r"latin.csv, line 2: not UTF-8: b'\\xe9'"):
        read_table(tmp_path / "latin.csv")
    path = write(tmp_path / "open.csv", 'a,b\n1,"2\n')
    with pytest.raises(InputError, match=r"open.csv, line 2: not csv"):
        read_table(path)


def test_sources_are_files_folders_patterns_or_under_the_data_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "set" / "b.csv", "a,b\n1,2\n")
    write(tmp_path / "set" / "a.csv", "a,b\n1,3\n")
    monkeypatch.setenv("WORKBENCH_DATA", str(tmp_path))
    for source in ("set", "set/*.csv", str(tmp_path / "set"), f"{tmp_path}/set/*.csv"):
        assert [path.name for path in csv_paths(source)] == ["a.csv", "b.csv"]
    with pytest.raises(WorkbenchError, match="'nowhere' does not exist"):
        csv_paths("nowhere")
    for pattern in ("set/*.tsv", "/nowhere/*.csv", "*/nothing.csv"):
        with pytest.raises(WorkbenchError, match="does not exist"):
            csv_paths(pattern)
    (tmp_path / "empty").mkdir()
    with pytest.raises(WorkbenchError, match="no csv file"):
        csv_paths("empty")


def test_no_usable_table_is_an_error_with_the_reasons(tmp_path: Path) -> None:
    write(tmp_path / "a.csv", "a,b,c\n1,2,3\n")
    with pytest.raises(InputError, match=r"no table can be used .*1 fewer than 8 rows"):
        load_tables(str(tmp_path), Limits())


def test_the_digest_of_a_source_follows_its_bytes(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", "a,b\n1,2\n")
    before = source_digest(str(tmp_path))
    assert source_digest(str(tmp_path)) == before
    write(path, "a,b\n1,3\n")
    assert source_digest(str(tmp_path)) != before
