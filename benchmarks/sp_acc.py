"""Sentences a second that SP-Acc's search turns into programs, and what the search alone says of true and false ones.

    python benchmarks/sp_acc.py DATA [--split test] [--workers 1] [--ranker FOLDER]

DATA is the folder of LogicNLG's files; their pairs of a true and a false sentence are parsed. Beside each share stands
what was measured with the public parser on 60 random sentences (with a trained tagger, without its ranker), which took
11 to 18 seconds a sentence; it is not run here.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from reastap_lib.lpa.accuracy import LIMITS, by_lot, is_right
from reastap_lib.lpa.parsing import Parsed, parse_sentences
from reastap_lib.lpa.ranker_data import Candidate, Told, read_told
from reastap_lib.tabfact import csv_table

PUBLIC_SECONDS = 11.0
PUBLIC = {
    True: {"without a program": 0.10, "some program true": 0.83, "first program true": 0.37, "drawn by lot": 0.554},
    False: {"without a program": 0.10, "some program true": 0.63, "first program true": 0.17, "drawn by lot": 0.373},
}


def report(told: Sequence[Told], parsed: Sequence[Parsed], *, is_true: bool, ranker: str) -> None:
    """The shares for the true, or for the false sentences."""
    kept = [(one, found) for one, found in zip(told, parsed, strict=True) if one.is_true == is_true]
    holds, n = [[true for _, true in found.programs] for _, found in kept], len(kept)
    shares = {
        "without a program": sum(not some for some in holds) / n,
        "some program true": sum(map(any, holds)) / n,
        "first program true": sum(some[:1] == [True] for some in holds) / n,
        "drawn by lot": sum(map(by_lot, holds)) / n,
    }
    print(f"{n} {'true' if is_true else 'false'} sentences, {sum(map(len, holds)) / n:.1f} programs a sentence")
    for name, share in shares.items():
        print(f"  {name}: {share:.3f} (public parser, 60 sentences: {PUBLIC[is_true][name]:.3f})")
    print(f"  cut by a limit: {sum(found.cut for _, found in kept) / n:.3f}", end="")
    print(f", of them in seconds: {sum(found.timed_out for _, found in kept) / n:.3f}")
    if ranker:
        print(f"  likeliest by the ranker: {sum(ranked(kept, holds, ranker)) / n:.3f}")


def ranked(kept: Sequence[tuple[Told, Parsed]], holds: Sequence[Sequence[bool]], folder: str) -> list[bool]:
    from reastap_lib.lpa.ranker import load_ranker

    candidates = [Candidate(one.title, one.sentence, text) for one, found in kept for text, _ in found.programs]
    said = iter(load_ranker(folder)(candidates).tolist())
    return [is_right(some, [next(said) for _ in some]) for some in holds]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--split", default="test", choices=["val", "test"])
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--ranker", default="")
    arguments = parser.parse_args()
    told = read_told(arguments.data / "data" / f"{arguments.split}_lm_pos_neg.json")
    asked = [(csv_table(arguments.data / "all_csv" / one.table_id), one.sentence) for one in told]
    began = time.perf_counter()
    parsed = parse_sentences(asked, LIMITS, workers=arguments.workers)
    rate = len(asked) / (time.perf_counter() - began)
    for is_true in (True, False):
        report(told, parsed, is_true=is_true, ranker=arguments.ranker)
    print(f"{rate:.1f} sentences a second with {arguments.workers} processes")
    print(f"ratio to the public parser's {PUBLIC_SECONDS:.0f} s a sentence (elsewhere): {rate * PUBLIC_SECONDS:.0f}")


if __name__ == "__main__":
    main()
