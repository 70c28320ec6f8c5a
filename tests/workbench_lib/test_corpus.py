"""A corpus is the same bytes whatever the workers and interruptions, and never mixes two settings."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from workbench_toys import ToyGenerator, toy_draw

from workbench_lib.corpus import MANIFEST, Corpus, CorpusError, build_corpus, build_share
from workbench_lib.files import sha256_of_file
from workbench_lib.locks import FolderInUseError


def digests(folder: Path) -> dict[str, str]:
    return {path.name: sha256_of_file(path) for path in folder.iterdir()}


@pytest.fixture
def corpus(tmp_path: Path) -> Corpus:
    """20 units in 4 shards; its rows are those of `expected_rows(20)`."""
    return build_corpus(tmp_path / "corpus", ToyGenerator(), 20, units_a_shard=6)


def expected_rows(units: int, seed: int = 7) -> list[tuple[int, str, str, str]]:
    draws = [(i, toy_draw(seed, i)) for i in range(units)]
    return [(i, str(n), str(2 * n), "validation" if i % 5 == 0 else "train") for i, n in draws if n >= 20]


def rows(corpus: Corpus) -> list[tuple[int, str, str, str]]:
    return [tuple(row.values()) for row in corpus.head(10**6).to_pylist()]  # type: ignore[misc]


def test_rows_are_those_of_the_generator_in_order(corpus: Corpus) -> None:
    assert rows(corpus) == expected_rows(20)
    assert len(corpus) == len(expected_rows(20))


def test_shards_are_cut_by_units(corpus: Corpus) -> None:
    assert [path.name for path in corpus.paths] == [f"part-{k:05d}-of-00004.parquet" for k in range(4)]
    ids = [pq.read_table(path)["id"].to_pylist() for path in corpus.paths]
    assert all(6 * k <= i < 6 * (k + 1) for k, shard in enumerate(ids) for i in shard)


def test_every_rejection_is_counted(corpus: Corpus) -> None:
    small = sum(toy_draw(7, i) < 20 for i in range(20))
    assert small > 0
    assert corpus.manifest.rejected == {"small": small}
    assert len(corpus) + small == corpus.manifest.units == 20


def test_pairs_count_and_head(corpus: Corpus) -> None:
    expected = [(source, target) for _, source, target, split in expected_rows(20) if split == "validation"]
    assert list(corpus.pairs("validation")) == expected
    assert list(corpus.pairs("validation", 2)) == expected[:2]
    assert corpus.count("validation") == len(expected)
    assert corpus.count("test") == 0
    assert [tuple(row.values()) for row in corpus.head(8).to_pylist()] == expected_rows(20)[:8]
    assert corpus.head(3, ["target"]).column_names == ["target"]
    assert corpus.head(3).num_rows == 3


def test_two_workers_write_the_same_bytes(corpus: Corpus, tmp_path: Path) -> None:
    build_corpus(tmp_path / "two", ToyGenerator(), 20, units_a_shard=6, workers=2)
    assert digests(tmp_path / "two") == digests(corpus.folder)
    assert set(digests(corpus.folder)) == {MANIFEST, *(path.name for path in corpus.paths)}


def test_a_build_goes_on_where_it_was_stopped(corpus: Corpus) -> None:
    before = digests(corpus.folder)
    kept = corpus.paths[1]
    written = kept.stat().st_mtime_ns
    (corpus.folder / MANIFEST).unlink()
    corpus.paths[0].unlink()
    corpus.paths[3].unlink()
    build_corpus(corpus.folder, ToyGenerator(), 20, units_a_shard=6)
    assert digests(corpus.folder) == before
    assert kept.stat().st_mtime_ns == written


def test_a_finished_corpus_is_opened_untouched(corpus: Corpus) -> None:
    before = {path: path.stat().st_mtime_ns for path in corpus.folder.iterdir()}
    again = build_corpus(corpus.folder, ToyGenerator(fails_at=0), 20, units_a_shard=6)
    assert again.digest == corpus.digest
    assert {path: path.stat().st_mtime_ns for path in corpus.folder.iterdir()} == before


@pytest.mark.parametrize("finished", [True, False])
@pytest.mark.parametrize(("seed", "units_a_shard", "units"), [(8, 6, 20), (7, 5, 20), (7, 6, 19)])
def test_other_settings_are_refused(corpus: Corpus, finished: bool, seed: int, units_a_shard: int, units: int) -> None:
    if not finished:
        (corpus.folder / MANIFEST).unlink()
    before = digests(corpus.folder)
    with pytest.raises(CorpusError, match="holds a corpus of other settings than asked for"):
        build_corpus(corpus.folder, ToyGenerator(seed), units, units_a_shard=units_a_shard)
    assert digests(corpus.folder) == before


def test_shards_of_another_cut_are_refused(corpus: Corpus) -> None:
    (corpus.folder / MANIFEST).unlink()
    with pytest.raises(CorpusError, match=r"shards of another corpus \(part-00000-of-00004\.parquet\)"):
        build_corpus(corpus.folder, ToyGenerator(), 20, units_a_shard=4)


def test_a_stranger_among_the_shards_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "corpus"
    folder.mkdir()
    (folder / "train.parquet").write_bytes(b"not ours")
    with pytest.raises(CorpusError, match=r"another corpus \(train\.parquet\)"):
        build_corpus(folder, ToyGenerator(), 20)
    assert (folder / "train.parquet").read_bytes() == b"not ours"


def test_a_shard_cut_short_is_named_when_a_build_goes_on(corpus: Corpus) -> None:
    (corpus.folder / MANIFEST).unlink()
    shard = corpus.paths[2]
    shard.write_bytes(shard.read_bytes()[:-50])
    with pytest.raises(CorpusError, match=rf"{shard}: not a shard of ours, or damaged .*; delete it"):
        build_corpus(corpus.folder, ToyGenerator(), 20, units_a_shard=6)


def test_a_shard_cut_short_is_named_when_it_is_read(corpus: Corpus) -> None:
    shard = corpus.paths[2]
    shard.write_bytes(shard.read_bytes()[:-50])
    with pytest.raises(CorpusError, match=f"{shard.name}: the shard cannot be read"):
        list(corpus.batches())


def test_verify_names_damaged_and_missing_shards(corpus: Corpus) -> None:
    assert corpus.verify() == []
    flipped = bytearray(corpus.paths[1].read_bytes())
    flipped[len(flipped) // 2] ^= 1
    corpus.paths[1].write_bytes(flipped)
    corpus.paths[3].unlink()
    assert corpus.verify() == ["part-00001-of-00004.parquet", "part-00003-of-00004.parquet"]


def test_a_corpus_is_a_prefix_of_a_larger_one(corpus: Corpus, tmp_path: Path) -> None:
    larger = build_corpus(tmp_path / "larger", ToyGenerator(), 40, units_a_shard=9)
    assert rows(larger)[: len(corpus)] == rows(corpus)
    assert len(larger) > len(corpus)


def test_a_generator_that_fails_leaves_no_manifest_and_no_half_file(tmp_path: Path) -> None:
    folder = tmp_path / "corpus"
    with pytest.raises(ValueError, match="unit 13 cannot be made"):
        build_corpus(folder, ToyGenerator(fails_at=13), 20, units_a_shard=6)
    assert sorted(path.name for path in folder.iterdir()) == [f"part-{k:05d}-of-00004.parquet" for k in (0, 1)]
    with pytest.raises(CorpusError, match=r"is unfinished \(no manifest\.json\)"):
        Corpus(folder)
    assert rows(build_corpus(folder, ToyGenerator(), 20, units_a_shard=6)) == expected_rows(20)


def test_a_failure_in_a_worker_comes_out_and_leaves_no_manifest(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="unit 13 cannot be made"):
        build_corpus(tmp_path, ToyGenerator(fails_at=13), 20, units_a_shard=6, workers=2)
    assert not (tmp_path / MANIFEST).exists()
    assert Counter(path.suffix for path in tmp_path.iterdir())[".tmp"] == 0


def test_the_digest_follows_the_rows(corpus: Corpus, tmp_path: Path) -> None:
    same = build_corpus(tmp_path / "same", ToyGenerator(), 20, units_a_shard=6)
    other = build_corpus(tmp_path / "other", ToyGenerator(8), 20, units_a_shard=6)
    assert corpus.digest == same.digest != other.digest


def test_a_missing_folder_and_a_bad_manifest_are_told_apart(corpus: Corpus, tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="nowhere does not exist"):
        Corpus(tmp_path / "nowhere")
    manifest = json.loads((corpus.folder / MANIFEST).read_text())
    (corpus.folder / MANIFEST).write_text(json.dumps({**manifest, "rows": "many"}))
    with pytest.raises(CorpusError, match=r"manifest\.json: not a manifest"):
        Corpus(corpus.folder)
    (corpus.folder / MANIFEST).write_text("{")
    with pytest.raises(CorpusError, match=r"manifest\.json: not a manifest"):
        Corpus(corpus.folder)


@pytest.mark.parametrize("counts", [(0, 1, 1), (1, 0, 1), (1, 1, 0)])
def test_counts_below_one_are_refused(tmp_path: Path, counts: tuple[int, int, int]) -> None:
    units, units_a_shard, workers = counts
    with pytest.raises(CorpusError, match="must be at least 1"):
        build_corpus(tmp_path / "c", ToyGenerator(), units, units_a_shard=units_a_shard, workers=workers)
    assert not (tmp_path / "c").exists()


def test_a_folder_in_use_is_refused(tmp_path: Path, held_by_another) -> None:  # type: ignore[no-untyped-def]
    with held_by_another(tmp_path), pytest.raises(FolderInUseError, match=str(tmp_path)):
        build_corpus(tmp_path, ToyGenerator(), 5)


# ------------------------------------------------------------------ distinct rows


def first_of_each(rows: list[tuple[int, str, str, str]]) -> list[tuple[int, str, str, str]]:
    seen: dict[str, tuple[int, str, str, str]] = {}
    for row in rows:
        seen.setdefault(row[1], row)
    return list(seen.values())


def test_repeated_rows_are_dropped_over_all_shards_and_counted(tmp_path: Path) -> None:
    corpus = build_corpus(tmp_path / "corpus", ToyGenerator(), 200, units_a_shard=30, distinct=("source",))
    everything = expected_rows(200)
    kept = first_of_each(everything)
    assert rows(corpus) == kept
    assert corpus.manifest.rejected == {"duplicate": len(everything) - len(kept), "small": 200 - len(everything)}
    assert corpus.manifest.settings["distinct"] == ["source"]
    assert [shard.rows for shard in corpus.manifest.shards] == [pq.read_metadata(p).num_rows for p in corpus.paths]
    assert corpus.verify() == []


def test_a_corpus_of_distinct_rows_is_a_prefix_of_a_larger_one(tmp_path: Path) -> None:
    small, large = (
        build_corpus(tmp_path / str(n), ToyGenerator(), n, units_a_shard=17, distinct=("source",)) for n in (40, 90)
    )
    assert rows(large)[: len(small)] == rows(small)
    assert len(large) > len(small)


@pytest.mark.parametrize("removed", [(0,), (3,), (0, 1, 2, 3, 4, 5, 6)])
def test_distinct_rows_are_the_same_when_a_build_goes_on(tmp_path: Path, removed: tuple[int, ...]) -> None:
    """Also where only some shards have lost their repeated rows: those that are made anew have them again."""
    how: dict[str, Any] = {"units_a_shard": 30, "distinct": ("source",)}
    corpus = build_corpus(tmp_path / "corpus", ToyGenerator(), 200, **how)
    before = digests(corpus.folder)
    (corpus.folder / MANIFEST).unlink()
    for number in removed:
        corpus.paths[number].unlink()
    build_corpus(corpus.folder, ToyGenerator(), 200, **how, workers=2)
    assert digests(corpus.folder) == before


def test_distinct_rows_are_another_corpus(corpus: Corpus) -> None:
    with pytest.raises(CorpusError, match="of other settings"):
        build_corpus(corpus.folder, ToyGenerator(), 20, units_a_shard=6, distinct=("source",))


# ------------------------------------------------------------------ shares of several processes


@pytest.mark.parametrize("distinct", [(), ("source",)])
@pytest.mark.parametrize("world_size", [1, 2, 3, 9])
def test_shares_make_the_same_corpus(tmp_path: Path, world_size: int, distinct: tuple[str, ...]) -> None:
    how: dict[str, Any] = {"units_a_shard": 6, "distinct": distinct}
    folder = tmp_path / "shared"
    missing = [build_share(folder, ToyGenerator(), 40, rank, world_size, **how) for rank in range(world_size)]
    assert missing == {1: [0], 2: [3, 0], 3: [4, 2, 0], 9: [6, 5, 4, 3, 2, 1, 0, 0, 0]}[world_size]  # of 7 shards
    assert not (folder / MANIFEST).exists()
    shared = build_corpus(folder, ToyGenerator(fails_at=0), 40, **how)  # which has nothing to make
    alone = build_corpus(tmp_path / "alone", ToyGenerator(), 40, **how)
    assert digests(shared.folder) == digests(alone.folder)


def test_a_share_keeps_what_is_there_and_refuses_other_settings(tmp_path: Path) -> None:
    assert build_share(tmp_path, ToyGenerator(), 20, 1, 2, units_a_shard=6) == 2
    made = {path: path.stat().st_mtime_ns for path in tmp_path.iterdir()}
    assert build_share(tmp_path, ToyGenerator(fails_at=0), 20, 1, 2, units_a_shard=6, workers=2) == 2
    assert {path: path.stat().st_mtime_ns for path in tmp_path.iterdir()} == made
    with pytest.raises(CorpusError, match="of other settings"):
        build_share(tmp_path, ToyGenerator(8), 20, 1, 2, units_a_shard=6)
    with pytest.raises(CorpusError, match="shards of another corpus"):
        build_share(tmp_path, ToyGenerator(), 20, 1, 2, units_a_shard=4)
    build_share(tmp_path, ToyGenerator(8), 20, 0, 2, units_a_shard=6)  # sees no shard of its own
    with pytest.raises(CorpusError, match="of other settings"):
        build_corpus(tmp_path, ToyGenerator(), 20, units_a_shard=6)


@pytest.mark.parametrize(("rank", "world_size"), [(2, 2), (-1, 2), (0, 0)])
def test_ranks_outside_the_world_are_refused(tmp_path: Path, rank: int, world_size: int) -> None:
    with pytest.raises(CorpusError, match=f"rank={rank} must be at least 0 and below world_size={world_size}"):
        build_share(tmp_path / "c", ToyGenerator(), 20, rank, world_size)
    assert not (tmp_path / "c").exists()
