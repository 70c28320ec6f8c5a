from __future__ import annotations

from collections import Counter
from pathlib import Path

import pandas as pd
import pytest

from reastap_lib.csv_tables import read_table, table_id
from reastap_lib.frames import table_of
from reastap_lib.readers import load_tables, read_tables, source_digest, stream_tables, table_files
from reastap_lib.tables import Limits, Table, TableError
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
        "contextId\ttitle\theaders\tcaption\ncsv/203-csv/1.csv\tAirports\tList|France\tBusiest\n",
    )
    table = read_table(path)
    assert isinstance(table, Table)
    assert (table.title, table.section, table.caption) == ("Airports", "List > France", "Busiest")
    write(tmp_path / "data" / "table_to_page.json", '{"1-1.html.csv": ["turkish cup", "https://x"]}')
    table = read_table(write(tmp_path / "data" / "all_csv" / "1-1.html.csv", "a#b\n1#2\n"))
    assert isinstance(table, Table)
    assert table.title == "turkish cup"


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
        assert [path.name for path in table_files(source)] == ["a.csv", "b.csv"]
    with pytest.raises(WorkbenchError, match="'nowhere' does not exist"):
        table_files("nowhere")
    for pattern in ("set/*.tsv", "/nowhere/*.csv", "*/nothing.csv"):
        with pytest.raises(WorkbenchError, match="does not exist"):
            table_files(pattern)
    (tmp_path / "empty").mkdir()
    with pytest.raises(WorkbenchError, match="no csv, jsonl or html file there"):
        table_files("empty")


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


def test_a_folder_is_read_as_one_kind_of_file(tmp_path: Path) -> None:
    write(tmp_path / "b.html", "<table><tr><th>a<th>b<tr><td>1<td>2</table>")
    assert [path.name for path in table_files(str(tmp_path))] == ["b.html"]
    tables = '{"id": "t", "header": ["a"], "rows": [["1"]]}\n'
    write(tmp_path / "test.jsonl", '{"question": "who?"}\n')
    write(tmp_path / "test.tables.jsonl", tables)
    assert [path.name for path in table_files(str(tmp_path))] == ["test.tables.jsonl"]
    write(tmp_path / "deep" / "a.csv", "a,b\n1,2\n")
    assert [path.name for path in table_files(str(tmp_path))] == ["a.csv"]
    assert [path.name for path in table_files(f"{tmp_path}/*.html")] == ["b.html"]
    write(tmp_path / "notes.txt", "x")
    with pytest.raises(WorkbenchError, match=r"notes.txt: no reader for such files \(there are: .csv"):
        table_files(str(tmp_path / "notes.txt"))


def test_tables_of_many_files_come_one_after_the_other(tmp_path: Path) -> None:
    write(tmp_path / "a.html", "<table><tr><th>a<th>b<tr><td>1<td>2</table><table></table>")
    write(tmp_path / "b.html", "<table><tr><th>c<th>d<tr><td>3<td>4</table>")
    left_out: Counter[str] = Counter()
    assert [table.header for table in stream_tables(str(tmp_path), left_out)] == [("a", "b"), ("c", "d")]
    assert left_out == {"no rows": 1}
    with pytest.raises(InputError, match=r"c.html: no table: there is none"):
        read_tables(str(write(tmp_path / "c.html", "<p>nothing</p>")))


def test_a_data_frame_as_a_table() -> None:
    frame = pd.DataFrame(
        {
            "Name": ["Ann", None, "NaN"],
            "Born": pd.to_datetime(["1998-05-12", None, "1999-01-01 10:30"], format="mixed"),
            "Goals": [3, None, 1],
            "Share": [0.5, 2.0, float("nan")],
            "Won": [True, False, True],
        }
    )
    table = table_of(frame, "Players")
    assert (table.title, table.header) == ("Players", ("Name", "Born", "Goals", "Share", "Won"))
    assert table.rows == (
        ("Ann", "1998-05-12", "3", "0.5", "True"),
        ("", "", "", "2", "False"),
        ("NaN", "1999-01-01 10:30:00", "1", "", "True"),
    )


def test_levels_and_named_indexes_of_a_data_frame_and_frames_without_rows() -> None:
    frame = pd.DataFrame({("Score", "Home"): [1], ("Score", "Away"): [2]}, index=pd.Index(["A"], name="Team"))
    assert table_of(frame).header == ("Team", "Score Home", "Score Away")
    twice = pd.DataFrame([[1, 2]], columns=["a", "a"])
    assert table_of(twice).rows == (("1", "2"),)
    with pytest.raises(TableError, match="no rows"):
        table_of(pd.DataFrame({"a": []}))
    with pytest.raises(TableError, match="no header"):
        table_of(pd.DataFrame())
