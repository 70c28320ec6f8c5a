"""A corpus is a folder: Parquet shards, and a manifest written last.

Row block [start, stop) of a corpus is a pure function of its generator's settings, so shards can be made in any
order by any number of processes, and a killed build goes on where it was. A folder without a manifest is unfinished.
"""

from __future__ import annotations

import itertools
import json
import multiprocessing
import os
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any, Protocol

import pyarrow as pa
import pyarrow.parquet as pq
from pydantic import BaseModel, ConfigDict, ValidationError
from tqdm import tqdm

from workbench_lib.duplicates import drop_repeated
from workbench_lib.errors import WorkbenchError
from workbench_lib.files import replacing, sha256_of_file, sha256_of_json, write_text
from workbench_lib.locks import hold

MANIFEST = "manifest.json"
ROW_GROUP_ROWS = 4096
_META = b"workbench"


class CorpusError(WorkbenchError):
    """A corpus folder is unfinished, damaged, or of other settings than asked for."""


@dataclass(frozen=True)
class Block:
    """What a generator made of its units [start, stop): rows, and what it threw away, by reason."""

    table: pa.Table
    rejected: Counter[str]


class Generator(Protocol):
    """What makes a corpus. It is picklable: every worker process opens its own copy once."""

    @property
    def schema(self) -> pa.Schema:
        """The explicit schema of the rows; `source`, `target` and `split` are always there."""
        ...

    def settings(self) -> dict[str, Any]:
        """All that decides the rows, as JSON: parameters, seed, version, digests of the sources."""
        ...

    def open(self) -> Callable[[int, int], Block]:
        """Load what is needed, and return the function from units [start, stop) to their block."""
        ...


class Shard(BaseModel):
    model_config = ConfigDict(extra="forbid")
    name: str
    rows: int
    sha256: str


class Manifest(BaseModel):
    """The record of a finished corpus."""

    model_config = ConfigDict(extra="forbid")
    rows: int
    units: int
    settings: dict[str, Any]
    rejected: dict[str, int]
    notes: dict[str, Any] = {}
    shards: list[Shard]


def build_corpus(
    folder: Path,
    generator: Generator,
    units: int,
    *,
    units_a_shard: int = 4096,
    workers: int = 1,
    distinct: tuple[str, ...] = (),
    notes: Mapping[str, Any] | None = None,
) -> Corpus:
    """Build, or finish, or simply open the corpus of `units` units in `folder`.

    A unit is what the generator counts in (a graph with its three queries, a table question). Finished shards of
    the same settings are kept; the bytes do not depend on `workers` or on interruptions.

    Args:
        distinct: Text columns: a row with the values of an earlier row is dropped, and counted as `duplicate`.
        notes: For the manifest: what is worth knowing but decides nothing, such as how many lines of sources were kept.

    Raises:
        CorpusError: the folder holds a corpus of other settings, or files that are not a corpus's.
    """
    if units < 1 or units_a_shard < 1 or workers < 1:
        raise CorpusError(f"{units=}, {units_a_shard=} and {workers=} must be at least 1")
    settings = _settings(generator, units, units_a_shard, distinct)
    if (folder / MANIFEST).exists():
        corpus = Corpus(folder)
        same_settings(folder, sha256_of_json(corpus.manifest.settings), sha256_of_json(settings))
        return corpus
    folder.mkdir(parents=True, exist_ok=True)
    with hold(folder):
        for leftover in (*folder.glob(".part-*.tmp"), *folder.glob(f".{MANIFEST}.*.tmp")):
            leftover.unlink()  # of a build that was killed; we hold the lock
        plan, digest = _plan(folder, units, units_a_shard), sha256_of_json(settings)
        _make_shards(generator, digest, plan, workers)
        paths = [path for path, _, _ in plan]
        if distinct:
            drop_repeated(paths, distinct, partial(_write_without_repeated, digest))
        write_manifest(folder, settings, paths, notes or {})
    return Corpus(folder)


def build_share(
    folder: Path,
    generator: Generator,
    units: int,
    rank: int,
    world_size: int,
    *,
    units_a_shard: int = 4096,
    workers: int = 1,
    distinct: tuple[str, ...] = (),
) -> int:
    """Make the shards that fall to one of several processes, on any machines that share `folder`; then `build_corpus`.

    Every `world_size`-th shard from `rank` on is made, unless it is there. Once none is missing, `build_corpus` with
    the same arguments writes the manifest, and makes nothing.

    Returns:
        How many shards of the corpus are still missing, over all ranks.

    Raises:
        CorpusError: as `build_corpus`; or rank and world size contradict each other.
    """
    if not 0 <= rank < world_size:
        raise CorpusError(f"{rank=} must be at least 0 and below {world_size=}")
    digest = sha256_of_json(_settings(generator, units, units_a_shard, distinct))
    folder.mkdir(parents=True, exist_ok=True)
    plan = _plan(folder, units, units_a_shard)
    _make_shards(generator, digest, plan[rank::world_size], workers)
    return sum(not path.exists() for path, _, _ in plan)


class Corpus:
    """A finished corpus, opened for reading.

    Raises:
        CorpusError: the folder is missing or unfinished, or its manifest cannot be read.
    """

    def __init__(self, folder: Path):
        self.folder = folder
        self.manifest = _read_manifest(folder)
        missing = [path for path in self.paths if not path.exists()]
        if missing:
            raise CorpusError(f"{missing[0]}: the shard is missing; delete {MANIFEST} and build again to complete it")

    def __len__(self) -> int:
        return self.manifest.rows

    @property
    def paths(self) -> list[Path]:
        return [self.folder / shard.name for shard in self.manifest.shards]

    @cached_property
    def digest(self) -> str:
        """One digest of the rows: that of the shards' digests."""
        return sha256_of_json([shard.sha256 for shard in self.manifest.shards])

    def batches(self, columns: list[str] | None = None) -> Iterator[pa.RecordBatch]:
        """The rows in order, a row group at a time."""
        for path in self.paths:
            try:
                with pq.ParquetFile(path) as file:
                    yield from file.iter_batches(batch_size=ROW_GROUP_ROWS, columns=columns)
            except (OSError, pa.ArrowException) as error:
                raise CorpusError(f"{path}: the shard cannot be read ({error})") from error

    def head(self, rows: int, columns: list[str] | None = None) -> pa.Table:
        """The first `rows` rows, or all where there are fewer."""
        kept: list[pa.RecordBatch] = []
        for batch in self.batches(columns):
            kept.append(batch[: rows - sum(map(len, kept))])
            if sum(map(len, kept)) >= rows:
                break
        return pa.Table.from_batches(kept)

    def pairs(self, split: str, limit: int | None = None) -> Iterator[tuple[str, str]]:
        """(source, target) of the rows of a split ("train", "validation"), in order, the first `limit` of them."""
        columns = (batch for batch in self.batches(["split", "source", "target"]))
        rows = (row for batch in columns for row in zip(*(column.to_pylist() for column in batch.columns), strict=True))
        return itertools.islice(((source, target) for name, source, target in rows if name == split), limit)

    def count(self, split: str) -> int:
        """The number of rows of a split."""
        return sum(batch.column(0).to_pylist().count(split) for batch in self.batches(["split"]))

    def verify(self) -> list[str]:
        """The names of the shards whose bytes are not those of the manifest; empty when all is well."""
        return [
            shard.name
            for shard in self.manifest.shards
            if not (self.folder / shard.name).exists() or sha256_of_file(self.folder / shard.name) != shard.sha256
        ]


def _settings(generator: Generator, units: int, units_a_shard: int, distinct: tuple[str, ...]) -> dict[str, Any]:
    return {**generator.settings(), "units": units, "units_a_shard": units_a_shard, "distinct": list(distinct)}


def _plan(folder: Path, units: int, units_a_shard: int) -> list[tuple[Path, int, int]]:
    """Each shard's path and units; refuses a folder that holds others."""
    starts = range(0, units, units_a_shard)
    name = "part-{:05d}-of-{:05d}.parquet".format
    plan = [(folder / name(k, len(starts)), s, min(s + units_a_shard, units)) for k, s in enumerate(starts)]
    strangers = {path.name for path in folder.glob("*.parquet")} - {path.name for path, _, _ in plan}
    if strangers:
        raise CorpusError(f"{folder}: holds shards of another corpus ({min(strangers)}); choose an empty folder")
    return plan


def _make_shards(generator: Generator, digest: str, plan: list[tuple[Path, int, int]], workers: int) -> None:
    missing = [piece for piece in plan if not shard_is_finished(piece[0], digest)]
    jobs = [(digest, *piece) for piece in missing]
    bar = tqdm(total=len(plan), initial=len(plan) - len(jobs), desc="shards", mininterval=5, disable=len(plan) < 2)
    with bar:
        if workers == 1 or len(jobs) < 2:
            make = generator.open() if jobs else None
            for job in jobs:
                assert make is not None
                _write_shard(make, generator.schema, *job)
                bar.update()
            return
        spawn = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(workers, mp_context=spawn, initializer=_open_in_worker, initargs=(generator,)) as pool:
            for _ in pool.map(_write_shard_in_worker, jobs):
                bar.update()


_worker: dict[str, Any] = {}


def _open_in_worker(generator: Generator) -> None:
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _worker.update(make=generator.open(), schema=generator.schema)


def _end_with_parent() -> None:
    """A killed build leaves no workers behind, which would wait for work for ever."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)


def _write_shard_in_worker(job: tuple[str, Path, int, int]) -> None:
    _write_shard(_worker["make"], _worker["schema"], *job)


def _write_shard(
    make: Callable[[int, int], Block], schema: pa.Schema, digest: str, path: Path, start: int, stop: int
) -> None:
    block = make(start, stop)
    write_shard_table(path, block.table.cast(schema), digest, block.rejected)


def write_shard_table(path: Path, table: pa.Table, digest: str, rejected: Mapping[str, int]) -> None:
    """Write a shard, with the digest of its corpus's settings and what was rejected on the way to it."""
    meta = {"settings_sha256": digest, "rejected": dict(sorted(rejected.items()))}
    table = table.replace_schema_metadata({_META: json.dumps(meta)})
    with replacing(path) as temporary:
        pq.write_table(table, temporary, compression="zstd", row_group_size=ROW_GROUP_ROWS)


def _write_without_repeated(digest: str, path: Path, kept: pa.Table, dropped: int) -> None:
    rejected = Counter(_shard_meta(path)["rejected"]) + Counter(duplicate=dropped)
    write_shard_table(path, kept, digest, rejected)


def shard_is_finished(path: Path, digest: str) -> bool:
    """Whether a shard is there.

    Raises:
        CorpusError: it is one of other settings, or damaged.
    """
    if not path.exists():
        return False
    same_settings(path.parent, _shard_meta(path)["settings_sha256"], digest)
    return True


def _shard_meta(path: Path) -> dict[str, Any]:
    try:
        metadata = pq.read_schema(path).metadata or {}
        meta: dict[str, Any] = json.loads(metadata[_META])
        return meta
    except (OSError, KeyError, ValueError, pa.ArrowException) as error:
        raise CorpusError(f"{path}: not a shard of ours, or damaged ({error}); delete it to make it anew") from error


def same_settings(folder: Path, found: str, asked: str) -> None:
    """Raises CorpusError where two digests of settings differ."""
    if found != asked:
        raise CorpusError(f"{folder}: holds a corpus of other settings than asked for; choose an empty folder")


def write_manifest(folder: Path, settings: dict[str, Any], paths: list[Path], notes: Mapping[str, Any]) -> None:
    """Finish a corpus of the shards `paths`; `settings` hold its number of units."""
    rejected: Counter[str] = Counter()
    for path in paths:
        rejected.update(_shard_meta(path)["rejected"])
    shards = [Shard(name=p.name, rows=pq.read_metadata(p).num_rows, sha256=sha256_of_file(p)) for p in paths]
    manifest = Manifest(
        rows=sum(shard.rows for shard in shards),
        units=settings["units"],
        settings=settings,
        rejected=dict(sorted(rejected.items())),
        notes=dict(notes),
        shards=shards,
    )
    write_text(folder / MANIFEST, manifest.model_dump_json(indent=2) + "\n")


def _read_manifest(folder: Path) -> Manifest:
    path = folder / MANIFEST
    if not path.exists():
        what = "is unfinished (no manifest.json): build it again" if folder.is_dir() else "does not exist"
        raise CorpusError(f"the corpus folder {folder} {what}")
    try:
        return Manifest.model_validate_json(path.read_bytes())
    except ValidationError as error:
        raise CorpusError(f"{path}: not a manifest: {error.errors()[0]['msg']}") from error
