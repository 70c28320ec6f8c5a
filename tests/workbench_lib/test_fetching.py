"""Official files from a server of this test: fetched once, checked, gone on with after a break; errors that help."""

from __future__ import annotations

import hashlib
import io
import threading
import zipfile
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from workbench_lib import fetching
from workbench_lib.fetching import FetchError, official_folder
from workbench_lib.tasks import Remote

CONTENT = b"belief\targument\n" * 5000


class Server:
    """What is asked for, and how the answers go."""

    def __init__(self, address: str):
        self.address = address
        self.files: dict[str, bytes] = {}
        self.asked: list[tuple[str, str | None]] = []
        self.break_after: int | None = None
        self.knows_ranges = True

    def remote(self, path: str, content: bytes = CONTENT, member: str = "") -> Remote:
        name = "archive.zip" if member else path
        self.files[f"/{name}"] = content
        return Remote(path, f"{self.address}/{name}", hashlib.sha256(content).hexdigest(), member)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            wanted = self.headers.get("Range")
            state.asked.append((self.path, wanted))
            content = state.files.get(self.path)
            start = int(wanted.removeprefix("bytes=").removesuffix("-")) if wanted and state.knows_ranges else 0
            if content is None or (start and start >= len(content)):
                self.send_error(404 if content is None else 416)
                return
            self.send_response(206 if start else 200)
            self.send_header("Content-Length", str(len(content) - start))
            self.end_headers()
            self.wfile.write(content[start : state.break_after])

        def log_message(self, *_: object) -> None:
            pass

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    state = Server(f"http://127.0.0.1:{http.server_port}")
    threading.Thread(target=http.serve_forever, daemon=True).start()
    monkeypatch.setattr(fetching, "SCHEME", "http://")
    monkeypatch.delenv("WORKBENCH_DATA", raising=False)
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    yield state
    http.shutdown()
    http.server_close()


def test_a_file_is_fetched_once(server: Server, home: Path) -> None:
    remotes = [server.remote("train.tsv"), server.remote("deep/er/dev.tsv", b"dev")]
    folder = official_folder("explagraphs", remotes)
    assert folder == home / "downloads" / "explagraphs"
    assert (folder / "train.tsv").read_bytes() == CONTENT
    assert (folder / "deep" / "er" / "dev.tsv").read_bytes() == b"dev"
    assert official_folder("explagraphs", remotes) == folder
    assert server.asked == [("/train.tsv", None), ("/deep/er/dev.tsv", None)]


def test_what_is_under_the_data_folder_is_never_fetched(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "data" / "explagraphs").mkdir(parents=True)
    monkeypatch.setenv("WORKBENCH_DATA", str(tmp_path / "data"))
    assert official_folder("explagraphs", [server.remote("train.tsv")]) == tmp_path / "data" / "explagraphs"
    assert server.asked == []


@pytest.mark.parametrize("knows_ranges", [True, False])
def test_a_broken_transfer_goes_on_where_it_was(server: Server, home: Path, knows_ranges: bool) -> None:
    remotes = [server.remote("train.tsv")]
    server.break_after = 30_000
    with pytest.raises(FetchError, match=r"explagraphs/train\.tsv is not here"):
        official_folder("explagraphs", remotes)
    had = (home / "downloads" / "explagraphs" / ".train.tsv.part").stat().st_size
    assert 0 < had <= 30_000
    server.break_after, server.knows_ranges = None, knows_ranges
    folder = official_folder("explagraphs", remotes)
    assert (folder / "train.tsv").read_bytes() == CONTENT
    assert server.asked == [("/train.tsv", None), ("/train.tsv", f"bytes={had}-")]
    assert [path.name for path in folder.iterdir()] == ["train.tsv"]


def test_a_part_that_is_all_there_is_taken(server: Server, home: Path) -> None:
    folder = home / "downloads" / "explagraphs"
    folder.mkdir(parents=True)
    (folder / ".train.tsv.part").write_bytes(CONTENT)
    assert (official_folder("explagraphs", [server.remote("train.tsv")]) / "train.tsv").read_bytes() == CONTENT


def test_other_contents_are_refused_and_not_kept(server: Server, home: Path) -> None:
    remote = server.remote("train.tsv")
    server.files["/train.tsv"] = b"something else"
    with pytest.raises(FetchError, match="SHA256 hash of downloaded file"):
        official_folder("explagraphs", [remote])
    assert list((home / "downloads" / "explagraphs").iterdir()) == []


def test_members_of_an_archive_are_taken_out(server: Server, home: Path) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("Release/Data/dev.jsonl", "{}")
        archive.writestr("Release/Data/test.jsonl", "[]")
    remotes = [
        server.remote(f"Data/{split}.jsonl", packed.getvalue(), f"Release/Data/{split}.jsonl")
        for split in ("dev", "test")
    ]
    folder = official_folder("obqa", remotes)
    assert [(folder / "Data" / f"{split}.jsonl").read_text() for split in ("dev", "test")] == ["{}", "[]"]
    assert server.asked == [("/archive.zip", None)]
    lost = [server.remote("gone.jsonl", packed.getvalue(), "Release/gone.jsonl")]
    with pytest.raises(FetchError, match=r"There is no item named 'Release/gone\.jsonl'"):
        official_folder("obqa", lost)


def test_without_a_network_the_file_and_its_place_are_named(
    server: Server, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    remote = Remote("train.tsv", "http://127.0.0.1:1/train.tsv", "0" * 64)
    monkeypatch.setenv("WORKBENCH_DATA", str(home / "data"))
    with pytest.raises(FetchError) as caught:
        official_folder("explagraphs", [remote])
    assert str(caught.value) == (
        f"explagraphs/train.tsv is not here (not under WORKBENCH_DATA={home / 'data'}), and could not be fetched from "
        f"http://127.0.0.1:1/train.tsv: no connection; put it at {home / 'downloads' / 'explagraphs' / 'train.tsv'}"
    )


def test_a_missing_file_and_a_folder_that_is_nowhere_are_errors(server: Server, home: Path) -> None:
    with pytest.raises(FetchError, match="404"):
        official_folder("explagraphs", [Remote("train.tsv", f"{server.address}/nothing", "0" * 64)])
    with pytest.raises(FetchError, match="data: official means the folder 'wikitq' under WORKBENCH_DATA=None"):
        official_folder("wikitq")


def test_only_https_addresses_are_asked(server: Server, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fetching, "SCHEME", "https://")
    with pytest.raises(FetchError, match="is no https:// address"):
        official_folder("explagraphs", [server.remote("train.tsv")])
    assert server.asked == []
