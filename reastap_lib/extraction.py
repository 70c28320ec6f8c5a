"""Tables out of a MediaWiki dump: streamed, by several processes, resumable, everything left out counted by reason.

The pages are read in order by one process and handed out in batches; batch k becomes shard k, whoever makes it. So the
bytes do not depend on the number of workers, and a shard that is there already is not made again.
"""

from __future__ import annotations

import multiprocessing
import re
from collections import Counter, deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
from tqdm import tqdm

from reastap_lib.dumps import Dump, DumpPage, sha256_of_dump
from reastap_lib.tables import Limits, Table
from reastap_lib.wiki_pages import page_tables
from workbench_lib.corpus import (
    MANIFEST,
    Corpus,
    CorpusError,
    same_settings,
    shard_is_finished,
    write_manifest,
    write_shard_table,
)
from workbench_lib.errors import WorkbenchError
from workbench_lib.files import sha256_of_json
from workbench_lib.locks import hold

EXTRACTION_VERSION = 1
KIND = "extraction"
BATCH_CHARACTERS = 2_000_000
BATCH_PAGES = 10_000
SCHEMA = pa.schema(
    [
        ("id", pa.string()),
        ("title", pa.string()),
        ("section", pa.string()),
        ("caption", pa.string()),
        ("header", pa.list_(pa.string())),
        ("rows", pa.list_(pa.list_(pa.string()))),
    ]
)


def extract(dump: Path, folder: Path, limits: Limits | None = None, workers: int = 1) -> Corpus:
    """The tables of a dump as Parquet shards and a manifest in `folder`; completes what is unfinished.

    Args:
        dump: A MediaWiki XML dump, plain or compressed by bzip2 or gzip.
        limits: The tables kept (ReasTAP, section 2.1: 8-30 rows, at least three columns).
        workers: Processes that parse pages, besides the one that reads them; with 1, one process does both.

    Raises:
        InputError: the file is no dump, or ends early; names the page.
        CorpusError: the folder holds something else.
    """
    if workers < 1:
        raise WorkbenchError(f"{workers=} must be at least 1")
    limits = limits or Limits()
    settings = _settings(dump, limits)
    digest = sha256_of_json(settings)
    if (folder / MANIFEST).exists():
        corpus = Corpus(folder)
        found = {name: value for name, value in corpus.manifest.settings.items() if name != "units"}
        same_settings(folder, sha256_of_json(found), digest)
        return corpus
    folder.mkdir(parents=True, exist_ok=True)
    with hold(folder):
        _clear(folder)
        pages, paths = _make_shards(dump, folder, digest, limits, workers)
        write_manifest(folder, {**settings, "units": pages}, paths, {"dump": dump.name})
    return Corpus(folder)


def extracted_tables(folder: Path) -> Iterator[Table]:
    """The tables of a finished extraction, in order.

    Raises:
        CorpusError: the folder is unfinished or damaged, or holds no extraction.
    """
    corpus = Corpus(folder)
    if corpus.manifest.settings.get("kind") != KIND:
        raise CorpusError(f"{folder}: holds a corpus of examples, not the tables of a dump")
    source = str(corpus.manifest.notes.get("dump", folder))
    for batch in corpus.batches():
        for row in batch.to_pylist():
            rows = tuple(map(tuple, row.pop("rows")))
            yield Table(header=tuple(row.pop("header")), rows=rows, source=source, **row)


def _clear(folder: Path) -> None:
    """Remove what a killed extraction left half-written (we hold the lock); refuse a folder with other shards."""
    for leftover in folder.glob(".*.tmp"):
        leftover.unlink()
    strangers = [path.name for path in folder.glob("*.parquet") if not re.fullmatch(r"part-\d{5}\.parquet", path.name)]
    if strangers:
        raise CorpusError(f"{folder}: holds shards of another corpus ({min(strangers)}); choose an empty folder")


def _settings(dump: Path, limits: Limits) -> dict[str, Any]:
    return {
        "kind": KIND,
        "version": EXTRACTION_VERSION,
        "dump_sha256": sha256_of_dump(dump),
        **asdict(limits),
        "batch_characters": BATCH_CHARACTERS,
        "batch_pages": BATCH_PAGES,
    }


@dataclass
class _Batch:
    """Pages that may hold tables, and the pages between them by why they hold none."""

    pages: list[DumpPage] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)
    characters: int = 0

    def __len__(self) -> int:
        return len(self.pages) + self.left_out.total()

    def add(self, page: DumpPage) -> None:
        if page.fault:
            self.left_out[f"{page.fault} (page)"] += 1
        else:
            self.pages.append(page)
            self.characters += len(page.text)


def _batches(pages: Iterator[DumpPage]) -> Iterator[_Batch]:
    batch = _Batch()
    for page in pages:
        batch.add(page)
        if batch.characters >= BATCH_CHARACTERS or len(batch) >= BATCH_PAGES:
            yield batch
            batch = _Batch()
    if len(batch):
        yield batch


def _make_shards(dump: Path, folder: Path, digest: str, limits: Limits, workers: int) -> tuple[int, list[Path]]:
    """The number of the dump's pages, and the shards, of which those that are missing were made."""
    paths: list[Path] = []
    with Dump(dump) as source, tqdm(unit="page", desc="pages", mininterval=5) as bar, _in_order(workers) as submit:
        for number, batch in enumerate(_batches(source.pages())):
            paths.append(folder / f"part-{number:05d}.parquet")
            if not shard_is_finished(paths[-1], digest):
                submit(paths[-1], batch, digest, limits)
            bar.update(len(batch))
            bar.set_postfix_str(f"{source.share_read:.1%} of the dump")
        pages = int(bar.n)
    return pages, paths


@contextmanager
def _in_order(workers: int) -> Iterator[Callable[..., None]]:
    """What has a shard written: at once, or by the next free process; no more than two a process are waiting."""
    if workers == 1:
        yield _write
        return
    pending: deque[Future[None]] = deque()
    with ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("spawn")) as pool:

        def submit(*job: Any) -> None:
            pending.append(pool.submit(_write, *job))
            while len(pending) > 2 * workers:
                pending.popleft().result()

        yield submit
        for job in pending:
            job.result()


def _write(path: Path, batch: _Batch, digest: str, limits: Limits) -> None:
    rows: list[dict[str, Any]] = []
    left_out = Counter(batch.left_out)
    for page in batch.pages:
        tables, counts = _page_tables(page, limits)
        rows += [{name: getattr(table, name) for name in SCHEMA.names} for table in tables]
        left_out += counts
    write_shard_table(path, pa.Table.from_pylist(rows, schema=SCHEMA), digest, left_out)


def _page_tables(page: DumpPage, limits: Limits) -> tuple[list[Table], Counter[str]]:
    """One page of millions must not end a run of hours: what the parser cannot take is counted by its error."""
    try:
        return page_tables(page.title, page.text, page.id, limits)
    except Exception as error:
        return [], Counter([f"parser failed with {type(error).__name__} (page)"])
