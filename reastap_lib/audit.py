"""A corpus re-checked from its text alone, and what it holds.

What is looked for in a row stands in `reastap_lib.audit_rows`. Shards are checked by several processes; what is kept of
each are its counts, the first examples of every fault, and eight bytes a table.
"""

from __future__ import annotations

import multiprocessing
from collections import Counter
from collections.abc import Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow.parquet as pq
from tqdm import tqdm

from reastap_lib.audit_rows import FAULTS, KINDS, Part, check_rows
from reastap_lib.serialisation import count_words
from reastap_lib.skills import TABLE_1, get_skill, skill_names
from workbench_lib.corpus import ROW_GROUP_ROWS, Corpus, CorpusError
from workbench_lib.errors import WorkbenchError


def audit(corpus: Corpus, workers: int = 1) -> dict[str, Any]:
    """Faults by skill and kind, and the first examples of them.

    Returns:
        n, faults and unchecked (all in all), skills ({skill: {n, wrong, ambiguous, malformed, leaked, truncated,
        unchecked}}), first (a few of every skill and kind: example, skill, kind, reason, question, target, table).

    Raises:
        WorkbenchError: not a table corpus, or a shard that cannot be read.
    """
    _check_columns(corpus)
    whole = Part()
    with tqdm(total=len(corpus), desc="audit", unit=" questions", mininterval=5, disable=len(corpus.paths) < 2) as bar:
        for part in _parts(corpus.paths, workers):
            whole.join(part)
            bar.update(part.n)
    skills = {name: {key: whole.counts[name][key] for key in ("n", *KINDS)} for name in sorted(whole.counts)}
    return {
        "n": whole.n,
        "faults": sum(counts[kind] for counts in skills.values() for kind in FAULTS),
        "unchecked": sum(counts["unchecked"] for counts in skills.values()),
        "skills": skills,
        "first": [shown for key in sorted(whole.first) for shown in whole.first[key]],
    }


def report_text(report: Mapping[str, Any]) -> str:
    """What `audit` gives, for people: a line a skill, and the first examples with their tables."""
    counts = pd.DataFrame.from_dict(report["skills"], orient="index", columns=["n", *KINDS])
    counts.loc["all"] = counts.sum()
    return "\n".join([counts.to_string(), *map(_example_text, report["first"])])


def _example_text(found: Mapping[str, Any]) -> str:
    title = f"\n{found['kind']}: example {found['example']} ({found['skill']}): {found['reason']}"
    if "table" not in found:
        return title
    lines = [title, f"  {found['question']}", f"  -> {found['target']}"]
    return "\n".join(lines + ["    " + " | ".join(cells) for cells in found["table"]])


def _check_columns(corpus: Corpus) -> None:
    for path in corpus.paths[:1]:
        names = pq.read_schema(path).names
        if "skill" not in names:
            raise WorkbenchError(f"{corpus.folder}: not a table corpus (its columns: {', '.join(names)})")


def _parts(paths: list[Path], workers: int) -> Iterator[Part]:
    if workers == 1 or len(paths) < 2:
        yield from map(_check_shard, paths)
        return
    with ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("spawn")) as pool:
        yield from pool.map(_check_shard, paths)


def _check_shard(path: Path) -> Part:
    whole = Part()
    try:
        with pq.ParquetFile(path) as file:
            for batch in file.iter_batches(batch_size=ROW_GROUP_ROWS):
                whole.join(check_rows(batch.to_pylist()))
    except OSError as error:
        raise CorpusError(f"{path}: the shard cannot be read ({error})") from error
    return whole


def stats(corpus: Corpus) -> dict[str, Any]:
    """What a corpus holds: rows, splits, tables, lengths, and each skill's share beside the paper's (Table 1)."""
    skills: Counter[str] = Counter()
    splits: Counter[str] = Counter()
    yes_no: Counter[str] = Counter()
    tables: set[str] = set()
    words = targets = 0
    for row in _rows(corpus):
        skills[row["skill"]] += 1
        splits[row["split"]] += 1
        tables.add(row["table"])
        words += count_words(row["source"])
        targets += len(row["answers"])
        if row["skill"] == "quantifiers":
            yes_no[row["target"]] += 1
    n = len(corpus)
    return {
        "rows": n,
        "tables": len(tables),
        "splits": dict(sorted(splits.items())),
        "mean_source_words": words / n,
        "mean_answers": targets / n,
        "yes_share": yes_no["Yes"] / max(1, sum(yes_no.values())),
        "skills": {name: _share(name, count, n) for name, count in sorted(skills.items())},
        "rejected": corpus.manifest.rejected,
    }


def share_table(summary: Mapping[str, Any]) -> pd.DataFrame:
    """Each skill's share beside the paper's (Table 1), in the table's order; the argument is what `stats` gives.

    Returns:
        Columns skill, this corpus, paper; shares are fractions of 1.
    """
    known = [name for name in skill_names() if name in summary["skills"]]
    shares = ((name, summary["skills"][name]["share"], summary["skills"][name]["paper"]) for name in known)
    return pd.DataFrame(shares, columns=["skill", "this corpus", "paper"])


def _share(name: str, count: int, n: int) -> dict[str, float | int | None]:
    return {"n": count, "share": count / n, "paper": get_skill(name).share if name in TABLE_1 else None}


def _rows(corpus: Corpus) -> Iterator[Mapping[str, Any]]:
    for batch in corpus.batches():
        if "skill" not in batch.schema.names:
            raise WorkbenchError(f"{corpus.folder}: not a table corpus (its columns: {', '.join(batch.schema.names)})")
        yield from batch.to_pylist()
