"""Corpora of graphs on disk: the same bytes in every way of making them, duplicates, prefixes, and refusals."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from eg3p_lib import corpora, synthesis
from eg3p_lib.corpora import build_graph_corpus, build_graph_share, generator_of
from eg3p_lib.params import GraphSynthesisParams
from eg3p_lib.queries import split_source
from eg3p_lib.sampling import SamplingError
from eg3p_lib.templates import DEFAULT
from workbench_lib.corpus import MANIFEST, Corpus, CorpusError
from workbench_lib.errors import InputError

MakeParams = Callable[..., GraphSynthesisParams]
MakeFile = Callable[..., Path]

CHILD = """
import json, pathlib, sys
from eg3p_lib import corpora
from eg3p_lib.params import GraphSynthesisParams

params, folder, corpora.UNITS_A_SHARD = json.loads(sys.argv[1]), pathlib.Path(sys.argv[2]), int(sys.argv[3])
corpora.build_graph_corpus(GraphSynthesisParams.make(params), folder)
"""
RAY = """
import json, pathlib, sys
import ray
from eg3p_lib.params import GraphSynthesisParams

params, folder, units, home = json.loads(sys.argv[1]), pathlib.Path(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, _temp_dir=home)


@ray.remote
def share(rank):
    from eg3p_lib import corpora

    corpora.UNITS_A_SHARD = units
    return corpora.build_graph_share(GraphSynthesisParams.make(params), folder, rank, 3)


print(min(ray.get([share.remote(rank) for rank in range(3)])))
"""


@pytest.fixture
def shards_of(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Cut corpora into shards of so many units."""
    return lambda units: monkeypatch.setattr(corpora, "UNITS_A_SHARD", units)


@pytest.fixture
def few(make_file: MakeFile) -> Path:
    """A chain of 10 triples, and 3 beside it: the same rows come again and again."""
    chain = [f"IsA\tc{k}\tc{k + 1}\n" for k in range(10)]
    return make_file("".join([*chain, "Causes\ta\tb\n", "UsedFor\tc\td\n", "IsA\te\tf\n"]), "few.tsv")


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def rows_of(corpus: Corpus) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = corpus.head(10**9).to_pylist()
    return rows


def command(code: str, params: GraphSynthesisParams, folder: Path, units: int, *more: str) -> list[str]:
    return [sys.executable, "-c", code, params.model_dump_json(), str(folder), str(units), *more]


# ------------------------------------------------------------------ the same bytes in every way


@pytest.mark.slow
def test_q02_workers_and_hash_seeds_change_nothing(make_params: MakeParams, few: Path, tmp_path: Path) -> None:
    made = []
    for workers, seed in ((1, "0"), (2, "1"), (5, "random")):
        params = make_params(knowledge=[str(few)], graphs=700, workers=workers, distractors="neighbours")
        folder = tmp_path / f"w{workers}"
        subprocess.run(
            command(CHILD, params, folder, 100), check=True, timeout=120, env={**os.environ, "PYTHONHASHSEED": seed}
        )
        made.append(contents(folder))
    assert len(made[0]) == 8
    assert made[1] == made[0]
    assert made[2] == made[0]


def finished(folder: Path) -> list[Path]:
    return sorted(folder.glob("part-*.parquet"))


def wait_for(holds: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < deadline, what
        time.sleep(0.005)


@pytest.mark.slow
def test_a_killed_build_goes_on_where_it_was(
    make_params: MakeParams, tmp_path: Path, shards_of: Callable[[int], None]
) -> None:
    shards_of(500)
    params = make_params(graphs=40_000, workers=2)
    folder = tmp_path / "killed"
    with subprocess.Popen(command(CHILD, params, folder, 500), start_new_session=True) as process:
        wait_for(lambda: len(finished(folder)) >= 3, "no shards were made")
        process.kill()
        process.wait()
        wait_for(lambda: not group_lives(process.pid), "the workers outlive a killed build")
    kept = {path: path.stat().st_mtime_ns for path in finished(folder)}
    assert 3 <= len(kept) < 80
    assert not (folder / MANIFEST).exists()
    with pytest.raises(CorpusError, match="is unfinished"):
        Corpus(folder)
    before = {path: path.read_bytes() for path in kept}
    resumed = build_graph_corpus(params, folder, workers=1)
    untouched = [path for path, data in before.items() if path.read_bytes() == data]
    assert all(path.stat().st_mtime_ns == kept[path] for path in untouched)
    assert len(untouched) > 0
    whole = build_graph_corpus(params, tmp_path / "whole", workers=1)
    assert contents(whole.folder) == contents(resumed.folder)
    assert len(resumed.paths) == 80


def group_lives(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.parametrize("world_size", [1, 2, 3])
def test_shares_of_several_processes_make_the_same_corpus(
    make_params: MakeParams, few: Path, tmp_path: Path, shards_of: Callable[[int], None], world_size: int
) -> None:
    shards_of(60)
    params = make_params(knowledge=[str(few)], graphs=400)  # 7 shards
    missing = 7
    for rank in reversed(range(world_size)):
        missing -= len(range(rank, 7, world_size))
        assert build_graph_share(params, tmp_path / "shared", rank, world_size) == missing
        made = {int(path.name[5:10]) for path in finished(tmp_path / "shared")}
        assert made == {k for k in range(7) if k % world_size >= rank}
    assert missing == 0
    assert not (tmp_path / "shared" / MANIFEST).exists()
    shared = build_graph_corpus(params, tmp_path / "shared")
    alone = build_graph_corpus(params, tmp_path / "alone")
    assert contents(shared.folder) == contents(alone.folder)
    assert build_graph_share(params, tmp_path / "shared", 0, world_size) == 0
    assert contents(shared.folder) == contents(alone.folder)


def test_shares_that_are_missing_are_made_at_the_end(
    make_params: MakeParams, tmp_path: Path, shards_of: Callable[[int], None]
) -> None:
    shards_of(60)
    params = make_params(graphs=200)
    assert build_graph_share(params, tmp_path / "shared", 1, 2) == 2
    shared = build_graph_corpus(params, tmp_path / "shared")
    assert contents(shared.folder) == contents(build_graph_corpus(params, tmp_path / "alone").folder)


@pytest.mark.slow
def test_a_ray_cluster_makes_the_same_corpus(
    make_params: MakeParams, tmp_path: Path, shards_of: Callable[[int], None]
) -> None:
    pytest.importorskip("ray")
    shards_of(100)
    params = make_params(graphs=800)
    with tempfile.TemporaryDirectory(prefix="ray-") as home:  # a short path: sockets lie below it
        environment = {**os.environ, "HOME": home, "RAY_USAGE_STATS_ENABLED": "0"}
        result = subprocess.run(
            command(RAY, params, tmp_path / "ray", 100, home),
            check=True,
            timeout=180,
            env=environment,
            stdout=subprocess.PIPE,
            text=True,
        )
    assert result.stdout.split()[-1] == "0"
    assert len(finished(tmp_path / "ray")) == 8
    assert not (tmp_path / "ray" / MANIFEST).exists()
    assert contents(build_graph_corpus(params, tmp_path / "ray").folder) == contents(
        build_graph_corpus(params, tmp_path / "alone").folder
    )


def test_the_rows_of_a_small_corpus_stay_what_they_are(make_params: MakeParams, tmp_path: Path) -> None:
    """On every machine; of the text, since Parquet's bytes depend on its version.

    It changes with the built-in knowledge and templates, and with SYNTHESIS_VERSION.
    """
    corpus = build_graph_corpus(make_params(graphs=500, distractors="neighbours"), tmp_path / "corpus")
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows_of(corpus))
    assert len(corpus) == 1500 - corpus.manifest.rejected.get("duplicate", 0)
    assert (
        hashlib.sha256(text.encode("utf-8")).hexdigest()
        == "6b2e4f1ceb653b9e671053f74c3974c763797a390ab38928444608e3717e8ce2"
    )


# ------------------------------------------------------------------ duplicates and prefixes


def test_duplicates_are_dropped_and_counted(
    make_params: MakeParams, few: Path, tmp_path: Path, shards_of: Callable[[int], None]
) -> None:
    """Over all shards; the first one stays."""
    shards_of(150)
    params = make_params(knowledge=[str(few)], graphs=1000, max_depth=2)
    corpus = build_graph_corpus(params, tmp_path / "corpus")
    block = generator_of(params).open()(0, 1000)
    first: dict[str, dict[str, Any]] = {}
    for row in block.table.to_pylist():
        first.setdefault(row["source"], row)
    assert rows_of(corpus) == list(first.values())
    dropped = 3000 - len(first)
    assert 200 < dropped < 2800
    assert corpus.manifest.rejected == {**block.rejected, "duplicate": dropped}
    assert corpus.verify() == []
    assert sum(shard.rows for shard in corpus.manifest.shards) == len(corpus)


@pytest.mark.parametrize("task", ["text-to-graph", "link-prediction"])
def test_a_corpus_is_a_prefix_of_a_larger_one(
    make_params: MakeParams, few: Path, tmp_path: Path, shards_of: Callable[[int], None], task: str
) -> None:
    shards_of(70)
    small, large = (
        build_graph_corpus(
            make_params(knowledge=[str(few)], task=task, graphs=n, max_depth=2, levels={"easy": 1.0, "hard": 0.4}),
            tmp_path / str(n),
        )
        for n in (30, 390)
    )
    assert small.manifest.rejected.get("duplicate", 0) + large.manifest.rejected["duplicate"] > 0
    assert rows_of(large)[: len(small)] == rows_of(small)
    assert len(large) > len(small)


def test_a_prediction_corpus_has_every_example_once(make_params: MakeParams, few: Path, tmp_path: Path) -> None:
    params = make_params(knowledge=[str(few)], task="tail-prediction", graphs=130)
    corpus = build_graph_corpus(params, tmp_path / "corpus")
    triples = len(few.read_text().splitlines())
    asked = [(row["source"], row["target"]) for row in rows_of(corpus)]
    assert len(set(asked)) == len(asked) == triples
    assert corpus.manifest.rejected == {"duplicate": 130 - triples}
    heads = {source for source, _ in asked}
    assert len(heads) == triples  # two tails of one head and relation would both stay
    assert corpus.manifest.settings["task"] == "tail-prediction"


# ------------------------------------------------------------------ settings


def test_a_second_call_opens_the_finished_corpus(make_params: MakeParams, tmp_path: Path) -> None:
    first = build_graph_corpus(make_params(graphs=10), tmp_path / "corpus")
    before = {path: path.stat().st_mtime_ns for path in first.folder.iterdir()}
    again = build_graph_corpus(make_params(graphs=10, workers=3), tmp_path / "corpus")
    assert again.digest == first.digest
    assert {path: path.stat().st_mtime_ns for path in first.folder.iterdir()} == before
    settings = first.manifest.settings
    assert (settings["seed"], settings["task"]) == (13, "text-to-graph")
    assert settings["knowledge"] == ["starter_knowledge.tsv"]
    assert len(settings["knowledge_sha256"]) == len(settings["templates_sha256"]) == 64
    assert first.manifest.notes["knowledge"]["lines"] == first.manifest.notes["knowledge"]["kept"] > 1000


@pytest.mark.parametrize("finished_before", [True, False])
@pytest.mark.parametrize(
    "changes",
    [
        {"seed": 14},
        {"graphs": 11},
        {"levels": {"easy": 1.0}},
        {"distractors": "neighbours"},
        {"max_depth": 2},
        {"incoming": [1.0, 1.0, 2.0]},
        {"templates": "verbatim"},
        {"task": "tail-prediction"},
        {"min_weight": 0.5},
    ],
)
def test_other_settings_are_refused(
    make_params: MakeParams, tmp_path: Path, changes: dict[str, Any], finished_before: bool
) -> None:
    build_graph_corpus(make_params(graphs=10), tmp_path / "corpus")
    if not finished_before:
        (tmp_path / "corpus" / MANIFEST).unlink()
    before = contents(tmp_path / "corpus")
    other = make_params(**{"graphs": 10, **changes})
    assert other.run_id() != make_params(graphs=10).run_id()
    with pytest.raises(CorpusError, match="of other settings"):
        build_graph_corpus(other, tmp_path / "corpus")
    if not finished_before:
        with pytest.raises(CorpusError, match="of other settings"):
            build_graph_share(other, tmp_path / "corpus", 0, 1)
    assert contents(tmp_path / "corpus") == before


def test_q02_edited_files_make_another_corpus(make_params: MakeParams, make_file: MakeFile, tmp_path: Path) -> None:
    templates = DEFAULT.read_text(encoding="utf-8")
    kb = "".join(f"IsA\tc{k}\tc{k + 1}\n" for k in range(30))

    def params() -> GraphSynthesisParams:
        files = {"knowledge": [str(tmp_path / "kb.tsv")], "templates": str(tmp_path / "t.yaml")}
        return make_params(graphs=5, held_out=[str(tmp_path / "dev.tsv")], **files)

    make_file(kb, "kb.tsv")
    make_file(templates, "t.yaml")
    make_file("b\ta\tsupport\t(c1; is a; c2)(c2; is a; c3)(c3; is a; c4)\n", "dev.tsv")
    build_graph_corpus(params(), tmp_path / "corpus")
    ids = {params().run_id()}
    for name, text in (
        ("t.yaml", templates.replace("- is caused by X", "- stems from X")),
        ("kb.tsv", kb + "IsA\tc40\tc41\n"),
        ("dev.tsv", "b\ta\tsupport\t(c5; is a; c6)(c6; is a; c7)(c7; is a; c8)\n"),
    ):
        make_file(text, name)
        ids.add(params().run_id())
        with pytest.raises(CorpusError, match="of other settings"):
            build_graph_corpus(params(), tmp_path / "corpus")
    assert len(ids) == 4


def test_triples_of_evaluation_splits_are_left_out_and_counted(
    make_params: MakeParams, make_file: MakeFile, tmp_path: Path
) -> None:
    kb = make_file("".join(f"IsA\tc{k}\tc{k + 1}\n" for k in range(30)))
    dev = make_file("b\ta\tsupport\t(c1; is a; c2)(c2; is a; c3)(c3; causes; c4)\n", "dev.tsv")

    def edges(**changes: Any) -> tuple[Corpus, set[tuple[str, ...]]]:
        params = make_params(knowledge=[str(kb)], graphs=300, max_triples=3, **changes)
        corpus = build_graph_corpus(params, tmp_path / f"corpus{len(changes)}")
        return corpus, {edge for row in rows_of(corpus) for edge in split_source(row["source"])[2].edges}

    _, all_ = edges()
    held_out, kept = edges(held_out=[str(dev)])
    assert len(all_) == 30
    assert all_ - kept == {("c1", "isa", "c2"), ("c2", "isa", "c3")}
    told = held_out.manifest.notes["knowledge"]
    assert (told["lines"], told["kept"]) == (30, 28)
    assert told["skipped"] == {f"overlap_{tmp_path.name}/dev.tsv": 2}


# ------------------------------------------------------------------ errors


def test_bad_knowledge_leaves_nothing_behind(make_params: MakeParams, make_file: MakeFile, tmp_path: Path) -> None:
    params = make_params(knowledge=[str(make_file("no triples here\n"))], workers=2)
    with pytest.raises(InputError, match=r"kb\.tsv, line 1"):
        build_graph_corpus(params, tmp_path / "corpus")
    with pytest.raises(InputError, match=r"kb\.tsv, line 1"):
        build_graph_share(params, tmp_path / "corpus", 0, 2)
    assert not (tmp_path / "corpus").exists()


def test_bad_templates_leave_nothing_behind(make_params: MakeParams, make_file: MakeFile, tmp_path: Path) -> None:
    params = make_params(templates=str(make_file("antonym:\n  statements:\n  - X is Z\n", "t.yaml")))
    with pytest.raises(InputError, match=r"t\.yaml, line 3"):
        build_graph_corpus(params, tmp_path / "corpus")
    assert not (tmp_path / "corpus").exists()


def test_too_little_knowledge_is_a_clear_error(
    make_params: MakeParams, make_file: MakeFile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(synthesis, "MAX_ATTEMPTS", 60)
    params = make_params(knowledge=[str(make_file("IsA\tdog\tpet\n"))], min_triples=2)
    with pytest.raises(
        SamplingError, match=r"graphs 0 and following: 100 .* in 60 attempts \(.*too_few_triples 6000\)"
    ):
        build_graph_corpus(params, tmp_path / "corpus")
    assert not (tmp_path / "corpus" / MANIFEST).exists()


@pytest.mark.parametrize(("rank", "world_size"), [(2, 2), (-1, 2), (0, 0)])
def test_ranks_outside_the_world_are_refused(
    make_params: MakeParams, tmp_path: Path, rank: int, world_size: int
) -> None:
    with pytest.raises(CorpusError, match=f"rank={rank} must be at least 0 and below world_size={world_size}"):
        build_graph_share(make_params(), tmp_path / "corpus", rank, world_size)
    assert not (tmp_path / "corpus").exists()
