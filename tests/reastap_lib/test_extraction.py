"""A dump becomes the same folder of tables, whatever the workers and interruptions."""

from __future__ import annotations

import bz2
import gzip
import json
import signal
import subprocess
import sys
import time
from html import escape
from pathlib import Path

import pytest
from typer.testing import CliRunner

from reastap_lib import extraction
from reastap_lib.__main__ import app
from reastap_lib.dumps import Dump
from reastap_lib.extraction import extract, extracted_tables
from reastap_lib.readers import load_tables, read_tables, source_digest, table_files
from reastap_lib.tables import Limits
from workbench_lib.corpus import MANIFEST, Corpus, CorpusError
from workbench_lib.errors import InputError
from workbench_lib.files import sha256_of_file

HEAD = '<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.10/" version="0.10" xml:lang="en">\n'
SITE = '<siteinfo><sitename>W</sitename><namespaces><namespace key="0" /></namespaces></siteinfo>\n'


def page(number: int, text: str, namespace: int = 0, inside: str = "", model: str = "wikitext") -> str:
    return (
        f"<page><title>Page {number}</title><ns>{namespace}</ns><id>{number}</id>{inside}"
        f"<revision><id>1</id><text>old {{|</text></revision>"
        f"<revision><id>{number}</id><model>{model}</model><text>{escape(text)}</text></revision></page>\n"
    )


def table(number: int, rows: int = 8) -> str:
    body = "".join(f"|-\n| [[Ann {number}.{i}]] || {i} || {{{{yes}}}}\n" for i in range(rows))
    return "== Results ==\n{| class=wikitable\n|+ Won\n! Name !! Goals !! Won\n" + body + "|}\n"


def dump_of(pages: list[str], site: str = SITE) -> bytes:
    return (HEAD + site + "".join(pages) + "</mediawiki>").encode()


@pytest.fixture
def dump(tmp_path: Path) -> Path:
    """Forty pages with a table, and one of each kind that has none."""
    pages = [page(number, table(number)) for number in range(40)]
    others = [
        page(90, "#REDIRECT [[Page 1]]", inside='<redirect title="Page 1" />'),
        page(91, "#redirect [[Page 1]]"),
        page(92, table(92), namespace=10),
        page(93, "no table here"),
        page(94, "{|", model="css"),
        page(95, table(95, rows=3) + table(96)),
    ]
    path = tmp_path / "wiki.xml.bz2"
    path.write_bytes(bz2.compress(dump_of(pages + others)))
    return path


@pytest.fixture
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extraction, "BATCH_PAGES", 6)


def digests(folder: Path) -> dict[str, str]:
    return {path.name: sha256_of_file(path) for path in folder.iterdir()}


def test_tables_titles_and_every_page_is_accounted_for(dump: Path, tmp_path: Path) -> None:
    corpus = extract(dump, tmp_path / "tables")
    assert corpus.manifest.units == 46
    assert corpus.manifest.rejected == {
        "fewer than 8 rows": 1,
        "no table on the page (page)": 1,
        "not an article (page)": 1,
        "not wikitext (page)": 1,
        "redirect (page)": 2,
    }
    tables = list(extracted_tables(tmp_path / "tables"))
    assert len(tables) == len(corpus) == 41
    first, last = tables[0], tables[-1]
    assert (first.id, first.title, first.section, first.caption) == ("0-0", "Page 0", "Results", "Won")
    assert (first.header, first.rows[3]) == (("Name", "Goals", "Won"), ("Ann 0.3", "3", "Yes"))
    assert (last.id, last.source) == ("95-1", "wiki.xml.bz2")


def test_limits_are_arguments(dump: Path, tmp_path: Path) -> None:
    assert len(extract(dump, tmp_path / "tables", Limits(3, 7, 2))) == 1


@pytest.mark.usefixtures("small_batches")
def test_the_bytes_do_not_depend_on_workers_and_missing_shards_are_made_again(dump: Path, tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    extract(dump, one)
    extract(dump, two, workers=2)
    assert len(digests(one)) == 9
    assert digests(two) == digests(one)
    before = {path.name: path.stat().st_mtime_ns for path in two.iterdir()}
    for name in (MANIFEST, "part-00003.parquet"):
        (two / name).unlink()
    (two / ".part-00003.parquet.123.tmp").write_bytes(b"half")
    extract(dump, two)
    assert digests(two) == digests(one)
    after = {path.name: path.stat().st_mtime_ns for path in two.iterdir()}
    assert {name for name in before if after[name] != before[name]} == {MANIFEST, "part-00003.parquet"}


def test_a_killed_extraction_goes_on_and_ends_with_the_same_bytes(dump: Path, tmp_path: Path) -> None:
    code = (
        "import sys, time; from pathlib import Path; from reastap_lib import extraction as e; e.BATCH_PAGES = 6\n"
        "write = e._write\n"
        "def slow(*job): write(*job); time.sleep(float(sys.argv[3]))\n"
        "e._write = slow; e.extract(Path(sys.argv[1]), Path(sys.argv[2]))"
    )
    command = [sys.executable, "-c", code, str(dump), str(tmp_path / "killed")]
    process = subprocess.Popen([*command, "60"], stderr=subprocess.DEVNULL)
    while not (tmp_path / "killed" / "part-00000.parquet").exists():
        assert process.poll() is None
        time.sleep(0.05)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert not (tmp_path / "killed" / MANIFEST).exists()
    with pytest.raises(CorpusError, match="is unfinished"):
        read_tables(str(tmp_path / "killed"))
    subprocess.run([*command, "0"], check=True, stderr=subprocess.DEVNULL)
    subprocess.run([*command[:-1], str(tmp_path / "whole"), "0"], check=True, stderr=subprocess.DEVNULL)
    found = {name: digest for name, digest in digests(tmp_path / "killed").items() if name != ".lock"}
    assert found == digests(tmp_path / "whole")


def test_a_finished_extraction_is_opened_and_another_is_refused(dump: Path, tmp_path: Path) -> None:
    folder = tmp_path / "tables"
    extract(dump, folder)
    before = digests(folder)
    extract(dump, folder)
    assert digests(folder) == before
    with pytest.raises(CorpusError, match="other settings"):
        extract(dump, folder, Limits(min_rows=3))
    (folder / MANIFEST).unlink()
    with pytest.raises(CorpusError, match="other settings"):
        extract(dump, folder, Limits(min_rows=3))
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "part-00000-of-00002.parquet").write_bytes(b"")
    with pytest.raises(CorpusError, match="shards of another corpus"):
        extract(dump, tmp_path / "other")


def test_an_extraction_is_a_source_of_tables(dump: Path, tmp_path: Path) -> None:
    folder = tmp_path / "tables"
    extract(dump, folder)
    assert table_files(str(folder)) == [folder / MANIFEST]
    kept, left_out = load_tables(str(folder), Limits())
    assert (len(kept), left_out) == (41, {})
    assert source_digest(str(folder)) == Corpus(folder).digest
    manifest = (folder / MANIFEST).read_text().replace('"extraction"', '"tables"')
    (folder / MANIFEST).write_text(manifest)
    with pytest.raises(CorpusError, match="not the tables of a dump"):
        load_tables(str(folder), Limits())


def test_the_command_line(dump: Path, tmp_path: Path) -> None:
    arguments = ["extract", str(dump), "--out", str(tmp_path / "tables"), "--min-rows", "3", "--json"]
    result = CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert result.exit_code == 0
    report = json.loads(result.stdout)
    assert (report["pages"], report["tables"], report["left_out"]["redirect (page)"]) == (46, 42, 2)


@pytest.mark.parametrize("pack", [bytes, gzip.compress, bz2.compress], ids=["plain", "gzip", "bzip2"])
def test_dumps_are_read_packed_or_plain_with_or_without_site_info(tmp_path: Path, pack: type[bytes]) -> None:
    path = tmp_path / "dump"
    for data in (dump_of([page(1, table(1))]), dump_of([page(1, table(1))], site="")):
        path.write_bytes(pack(data))
        with Dump(path) as source:
            [found] = source.pages()
            assert source.share_read == 1
        assert (found.id, found.title, found.text, found.fault) == (1, "Page 1", table(1), "")


def test_a_dump_in_utf_16(tmp_path: Path) -> None:
    path = tmp_path / "dump.xml"
    path.write_bytes(dump_of([page(1, "Страница {|")]).decode().encode("utf-16"))
    with Dump(path) as source:
        assert [found.text for found in source.pages()] == ["Страница {|"]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "before the first page"),
        (b"Name,Goals\nAnn,3\n", "before the first page"),
        (b"<html><body>x</body></html>", "the root is <html>"),
        (dump_of([page(1, "a"), page(2, "b")])[:-100], "after the page 'Page 1'"),
        (bz2.compress(dump_of([page(1, "a")]))[:-20], "before the first page"),
        (HEAD.encode() + b"<page><title>x</title><odd /></page></mediawiki>", "before the first page"),
    ],
)
def test_what_is_no_dump_or_ends_early_is_named(tmp_path: Path, data: bytes, message: str) -> None:
    path = tmp_path / "dump.xml"
    path.write_bytes(data)
    with pytest.raises(InputError, match=rf"dump.xml: not a MediaWiki dump, or damaged, .*{message}"):
        extract(path, tmp_path / "tables")
    with pytest.raises(InputError, match=r"nowhere.xml: cannot be read"):
        extract(tmp_path / "nowhere.xml", tmp_path / "tables")


def test_what_the_parser_cannot_take_is_counted(dump: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> None:
        raise IndexError("list index out of range")

    monkeypatch.setattr(extraction, "page_tables", fails)
    corpus = extract(dump, tmp_path / "tables")
    assert (len(corpus), corpus.manifest.rejected["parser failed with IndexError (page)"]) == (0, 41)
    with pytest.raises(InputError, match="no table can be used"):
        load_tables(str(tmp_path / "tables"), Limits())
