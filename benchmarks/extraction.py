"""Pages a second and peak memory of `extract`, beside reading the same dump and doing nothing with it.

    WORKBENCH_DATA=FOLDER python benchmarks/extraction.py [--repeats 20] [--workers 2]

The dump is the largest slice of wikidump, its pages repeated; memory is also measured at a quarter of that length.
"""

from __future__ import annotations

import argparse
import bz2
import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from reastap_lib.dumps import Dump
from reastap_lib.extraction import extract
from workbench_lib.paths import find_data

SLICE = "wikidump/enwiki-latest-pages-articles1.xml-p000000010p000030302-shortened.bz2"


def repeated(path: Path, repeats: int) -> int:
    """Write the dump; its length in bytes, unpacked."""
    text = bz2.decompress(find_data(SLICE).read_bytes())
    start, stop = text.index(b"  <page>"), text.rindex(b"</page>") + len(b"</page>\n")
    with bz2.open(path, "wb") as file:
        parts = (text[:start], *[text[start:stop]] * repeats, text[stop:])
        return sum(file.write(part) for part in parts)


def read_only(path: Path) -> int:
    with Dump(path) as dump:
        return sum(1 for _ in dump.pages())


@dataclass(frozen=True)
class Measured:
    """One task in a process of its own: wall and CPU seconds, pages, and the peak memory of reader and worker in MB."""

    seconds: float
    pages: int
    cpu_seconds: float
    peak_mb: float


def measured(*arguments: object) -> Measured:
    start = time.perf_counter()
    command = [sys.executable, __file__, "--child", *map(str, arguments)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    pages, cpu_seconds, peak = done.stdout.split()
    return Measured(time.perf_counter() - start, int(pages), float(cpu_seconds), int(peak) / 1024)


def child(task: str, dump: Path, folder: Path, workers: int) -> None:
    pages = read_only(dump) if task == "read" else extract(dump, folder, workers=workers).manifest.units
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    print(pages, sum(usage.ru_utime + usage.ru_stime for usage in usages), sum(usage.ru_maxrss for usage in usages))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=20)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--child", nargs=4, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.child:
        task, dump, folder, workers = arguments.child
        child(task, Path(dump), Path(folder), int(workers))
        return
    with tempfile.TemporaryDirectory() as temporary:
        dump, short = Path(temporary) / "dump.xml.bz2", Path(temporary) / "short.xml.bz2"
        megabytes = repeated(dump, arguments.repeats) / 1e6
        repeated(short, max(arguments.repeats // 4, 1))
        reading = measured("read", dump, "-", 1)
        report("reading alone", reading, megabytes)
        for workers in sorted({1, arguments.workers}):
            before = measured("extract", short, f"{temporary}/short{workers}", workers)
            found = measured("extract", dump, f"{temporary}/tables{workers}", workers)
            report(f"{workers} worker(s)", found, megabytes)
            print(
                f"  CPU time of reading alone times {found.cpu_seconds / reading.cpu_seconds:.1f};"
                f" peak memory at a quarter of the length {before.peak_mb:.0f} MB"
            )


def report(name: str, found: Measured, megabytes: float) -> None:
    print(
        f"{name}: {found.pages / found.seconds:.0f} pages/s, {found.pages / found.cpu_seconds:.0f} pages a CPU second,"
        f" {megabytes / found.cpu_seconds:.1f} MB of XML a CPU second, peak memory {found.peak_mb:.0f} MB"
    )


if __name__ == "__main__":
    main()
