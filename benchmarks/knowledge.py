"""How fast a conceptnet-assertions file is read, in how much memory, and how fast its knowledge base opens and answers.

    python benchmarks/knowledge.py [--lines 4000000] [--kept 400000]

It writes made-up files in the official layout (gzip): one of so many lines, and one of half of them with as many
triples to keep. Memory should follow what is kept, not the lines. The baseline is unpacking the same file and
counting its lines, in the same run.
"""

from __future__ import annotations

import argparse
import gzip
import json
import resource
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

from eg3p_lib.knowledge import KnowledgeBase, read_knowledge

WORDS, CONCEPTS = 40_000, 1_600_000
SYLLABLES = ("ba", "do", "ka", "ri", "mo", "te", "su", "la", "ni", "per", "con", "gra", "ted", "ing", "ol", "sh")
SENSES = ("", "", "", "/n", "/v", "/a", "/n/wn/act", "/n/wikt/en_1")
LANGUAGES = ("fr", "it", "de", "es", "ru", "pt", "ja", "nl", "zh", "fi", "enm", "roa-opt", "mul", "la")
MAPPED = ("Antonym", "AtLocation", "CapableOf", "HasContext", "HasSubevent", "IsA", "MannerOf", "PartOf", "UsedFor")
OTHERS = ("DerivedFrom", "EtymologicallyRelatedTo", "FormOf", "RelatedTo", "Synonym")
WIKTIONARY = {
    "dataset": "/d/wiktionary/en",
    "license": "cc:by-sa/4.0",
    "sources": [{"contributor": "/s/resource/wiktionary/en", "process": "/s/process/wikiparsec/2"}],
    "weight": 1.0,
}
OMCS = {
    "dataset": "/d/conceptnet/4/en",
    "license": "cc:by/4.0",
    "sources": [{"activity": "/s/activity/omcs/omcs1_possibly_free_text", "contributor": "/s/contributor/omcs/dev"}],
    "surfaceEnd": "a thing", "surfaceStart": "something", "surfaceText": "[[something]] is a kind of [[a thing]].",
    "weight": 2.0,
}  # fmt: skip
DETAILS = tuple(json.dumps(info) for info in (WIKTIONARY, WIKTIONARY, OMCS))
BLOCK = 100_000


def main() -> None:
    """Measure, and print one line a figure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lines", type=int, default=4_000_000)
    parser.add_argument("--kept", type=int, default=400_000, help="lines that the default rules keep")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path, short = Path(folder) / "assertions.csv.gz", Path(folder) / "half.csv.gz"
        write_assertions(path, arguments.lines, arguments.kept)
        write_assertions(short, arguments.lines // 2, arguments.kept)
        report(path, short)


def report(path: Path, short: Path) -> None:
    """Each measurement in a process of its own, so that each has its own peak of memory."""
    unpacked = in_process(unpack, path)
    read, half = in_process(read_and_save, path), in_process(read_and_save, short)
    opened = in_process(open_and_ask, path.with_suffix(".arrow"))
    rate = read["lines"] / read["seconds"]
    print(f"lines {read['lines']:,}, kept {read['kept']:,}, concepts {read['concepts']:,}")
    print(f"reading: {read['seconds']:.1f} s, {rate:,.0f} lines/s, peak {read['peak_mb']:,.0f} MB")
    print(f"as many triples in half of the lines: peak {half['peak_mb']:,.0f} MB")
    print(f"baseline, unpacking alone: {unpacked['seconds']:.1f} s")
    print(f"ratio reading / baseline: {read['seconds'] / unpacked['seconds']:.1f}")
    print(f"knowledge file: {read['file_mb']:,.0f} MB, written in {read['save_seconds']:.1f} s")
    for name, value in opened.items():
        print(f"{name}: {value:.1f}")


def in_process(function: Callable[[Path], dict[str, float]], path: Path) -> dict[str, float]:
    """The function's result from a fresh process."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(function, path).result()


def unpack(path: Path) -> dict[str, float]:
    """The floor: unpack, and count the lines."""
    began = time.perf_counter()
    with gzip.open(path) as file:
        lines = sum(1 for _ in file)
    return {"lines": lines, "seconds": time.perf_counter() - began}


def read_and_save(path: Path) -> dict[str, float]:
    """Read with the default rules, and save."""
    began = time.perf_counter()
    kb = read_knowledge([path])
    seconds = time.perf_counter() - began
    began = time.perf_counter()
    target = path.with_suffix(".arrow")
    kb.save(target)
    assert kb.lines == len(kb) + sum(kb.skipped.values())
    return {
        "lines": kb.lines,
        "kept": len(kb),
        "concepts": len(kb.concepts),
        "seconds": seconds,
        "peak_mb": peak_mb(),
        "save_seconds": time.perf_counter() - began,
        "file_mb": target.stat().st_size / 1e6,
    }


def open_and_ask(path: Path) -> dict[str, float]:
    """Milliseconds of opening and of some questions, each in the state that the ones before leave behind."""
    times: dict[str, float] = {}

    def clock(name: str, function: Callable[[], Any]) -> Any:
        began = time.perf_counter()
        result = function()
        times[f"{name}, ms"] = (time.perf_counter() - began) * 1000
        return result

    kb: KnowledgeBase = clock("opening", lambda: KnowledgeBase.load(path))
    times["peak memory of a process that has opened it, MB"] = peak_mb()
    middle = kb.name(len(kb.concepts) // 2)
    clock("number of a concept", lambda: kb.number(middle))
    clock("first incoming triples", lambda: kb.incoming(7))
    clock("first outgoing triples", lambda: kb.outgoing(7))
    clock("neighbours", lambda: kb.neighbours(middle))
    clock("search, a beginning", lambda: kb.search(middle[:3]))
    clock("search, inside words", lambda: kb.search(middle[1:7]))
    clock("search, one letter", lambda: kb.search("z"))
    clock("search, nothing found", lambda: kb.search("qqqq"))
    return times


def peak_mb() -> float:
    """The most memory that this process has held."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000


def write_assertions(path: Path, lines: int, kept: int) -> None:
    """A made-up file in the layout of conceptnet-assertions; it depends on the numbers alone."""
    rng = np.random.default_rng([lines, kept])
    with gzip.open(path, "wt", encoding="utf-8", compresslevel=1) as file:
        for start in range(0, lines, BLOCK):
            file.write("".join(block_of_lines(rng, start, min(BLOCK, lines - start), kept / lines)))


def block_of_lines(rng: np.random.Generator, start: int, size: int, kept: float) -> Iterator[str]:
    """Lines that are kept, others in English, external links, and (most of them) other languages."""
    kinds = np.searchsorted([kept, kept + 0.08, kept + 0.16], rng.random(size), side="right")
    heads = (start + np.arange(size)) // 2 % CONCEPTS
    tails = (rng.random(size) ** 2 * CONCEPTS).astype(np.int64)
    picks = rng.integers(0, 1 << 30, size)
    for kind, head, tail, pick in zip(kinds.tolist(), heads.tolist(), tails.tolist(), picks.tolist(), strict=True):
        language = "en" if kind < 3 else LANGUAGES[pick % len(LANGUAGES)]
        names = (MAPPED if kind == 0 or pick % 4 == 0 else OTHERS) if kind != 2 else ("ExternalURL",)
        relation = names[head // 1000 % len(names)] if kind != 1 else OTHERS[pick % len(OTHERS)]
        first = f"/c/{language}/{text_of(head)}{SENSES[pick % len(SENSES)]}"
        second = f"/c/{'en' if kind < 2 or pick % 9 == 0 else language}/{text_of(tail)}"
        if kind == 2:
            second = f"http://{language}.wiktionary.org/wiki/{text_of(tail)}"
        yield f"/a/[/r/{relation}/,{first}/,{second}/]\t/r/{relation}\t{first}\t{second}\t{DETAILS[pick % 3]}\n"


def text_of(number: int) -> str:
    """A made-up concept of one or two words."""
    first, second = number % WORDS, number // WORDS
    return word_of(first) if second == 0 else f"{word_of(second * 7919 % WORDS)}_{word_of(first)}"


def word_of(number: int) -> str:
    """A made-up word for each number below 40,000."""
    return "".join(SYLLABLES[number >> shift & 15] for shift in (0, 4, 8, 12) if shift < 8 or number >> shift)


if __name__ == "__main__":
    main()
