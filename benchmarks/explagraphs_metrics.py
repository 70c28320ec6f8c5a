"""How long the metrics of ExplaGraphs take, beside networkx's exact edit distance, and that no prediction breaks them.

    python benchmarks/explagraphs_metrics.py [--lines 100000] [--pairs 200] [--seconds 60]

With WORKBENCH_DATA set, the gold is ExplaGraphs dev and the predictions are the published ones, else the starter's
gold against itself. Times are CPU seconds of one core. networkx is stopped after --seconds a pair.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import networkx as nx
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from eg3p_lib.edit_distance import edit_distance
from eg3p_lib.explagraphs import ExplaGraphsRow, Prediction, read_explagraphs, read_predictions, write_predictions
from eg3p_lib.explagraphs_data import STARTER
from eg3p_lib.metrics import score_explagraphs
from eg3p_lib.structure import Triples, triples_of
from workbench_lib.paths import data_root

PIECES = [
    "(",
    ")",
    ")(",
    "; ",
    ";",
    " ",
    "\t",
    "is a",
    "causes",
    "not desires",
    "[SEP]",
    "\x85",
    "\u2028",
    "\r",
    "é",
    "𝔘",
]


def cpu_seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def files() -> tuple[list[ExplaGraphsRow], list[Prediction]]:
    root = data_root()
    if root is None:
        golds = read_explagraphs(STARTER / "dev.tsv")
        return golds, [Prediction(gold.stance, gold.graph) for gold in golds]
    published = root / "reference_predictions/explagraphs/explagraphgen_dev_preds.tsv"
    return read_explagraphs(root / "explagraphs/dev.tsv"), read_predictions(published)


def broken(line: str, rng: np.random.Generator) -> str:
    """A line of predictions, cut, mixed up, repeated, or made of pieces."""
    kind, place = rng.integers(6), int(rng.integers(len(line) + 1))
    if kind == 0:
        return line[:place]
    if kind == 1:
        return line[:place] + str(rng.choice(PIECES)) + line[place:]
    if kind == 2:
        return line[:place] + line[place + 1 + int(rng.integers(5)) :]
    if kind == 3:
        return "support\t" + "".join(rng.choice(PIECES, int(rng.integers(60))))
    if kind == 4:
        return line + line.partition("\t")[2] * int(rng.integers(1, 30))
    return "".join(chr(int(c)) for c in rng.integers(1, 0xD7FF, int(rng.integers(80))) if c != 10)


def fuzz(golds: Sequence[ExplaGraphsRow], predictions: Sequence[Prediction], lines: int) -> None:
    rng = np.random.default_rng(1)
    whole = write_predictions(list(predictions)).split("\n")[:-1]
    done, seconds = 0, 0.0
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "predictions.tsv"
        while done < lines:
            made = [broken(whole[int(rng.integers(len(whole)))], rng) for _ in golds]
            path.write_text("".join(f"{line}\n" for line in made), encoding="utf-8", newline="\n")
            start = time.process_time()
            scores = score_explagraphs(golds, read_predictions(path))
            seconds += time.process_time() - start
            assert scores.n == len(scores.rows) == len(golds)
            assert all(0 <= row[name] <= 1 for row in scores.rows for name in scores.metrics)
            done += len(golds)
    print(
        f"{done:,} broken lines: no crash, the denominator always {len(golds)}; {1000 * seconds / done:.2f} ms a line"
    )


def by_networkx(first: Triples, second: Triples, seconds: float) -> float | None:
    graphs = []
    for edges in (first, second):
        graph = nx.DiGraph()
        graph.add_nodes_from((node, {"label": node}) for head, _, tail in edges for node in (head, tail))
        graph.add_edges_from((head, tail, {"label": relation}) for head, relation, tail in edges)
        graphs.append(graph)
    same = {name: lambda one, other: one["label"] == other["label"] for name in ("node_match", "edge_match")}
    start = time.perf_counter()  # as networkx counts
    found = nx.graph_edit_distance(*graphs, **same, timeout=seconds)
    return found if time.perf_counter() - start < seconds else None


def compare(name: str, pairs: Sequence[tuple[Triples, Triples]], seconds: float) -> None:
    ours = [cpu_seconds(lambda pair=pair: edit_distance(*pair)) for pair in pairs]  # type: ignore[misc]
    theirs, unfinished = [], 0
    for pair in pairs:
        start = time.process_time()
        found = by_networkx(*pair, seconds)
        theirs.append(time.process_time() - start)
        unfinished += found is None
        assert found is None or found == edit_distance(*pair).high, pair
    spread = "median {:.1f}, 99 % {:.1f}, most {:.1f} ms".format
    mine, other = (spread(*(1000 * np.quantile(times, [0.5, 0.99, 1]))) for times in (ours, theirs))
    print(f"{name}, {len(pairs)} pairs: ours {mine}; networkx {other} ({unfinished} stopped after {seconds:g} s)")
    print(f"    together: {sum(theirs) / sum(ours):,.0f} times faster")


def eight_edges(rng: np.random.Generator, name: str) -> Triples:
    """A random tree of nine nodes."""
    parents = [int(rng.integers(max(0, k - int(rng.integers(1, 9))), k)) for k in range(1, 9)]
    labels = rng.choice([*"abcdefgh"][: int(rng.integers(1, 9))], 8).tolist()
    return [(f"{name}{p}", label, f"{name}{k}") for k, (p, label) in enumerate(zip(parents, labels, strict=True), 1)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--lines", type=int, default=100_000)
    parser.add_argument("--pairs", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=60.0)
    asked = parser.parse_args()
    golds, predictions = files()
    score_explagraphs(golds, predictions)  # imports what is imported late
    taken = cpu_seconds(lambda: score_explagraphs(golds, predictions))
    print(f"all metrics without models, {len(golds)} rows: {taken:.2f} s")
    rng = np.random.default_rng(2)
    graphs = [triples_of(gold.graph) for gold in golds]
    drawn = rng.integers(len(graphs), size=(asked.pairs, 2)).tolist()
    compare("gold graphs", [(graphs[a], graphs[b]) for a, b in drawn], asked.seconds)
    trees = [(eight_edges(rng, "a"), eight_edges(rng, str(rng.choice(["a", "b"])))) for _ in range(2000)]
    ours = [1000 * cpu_seconds(lambda pair=pair: edit_distance(*pair)) for pair in trees]  # type: ignore[misc]
    print(
        "2,000 pairs of trees of 8 edges: median {:.1f}, 99 % {:.1f}, most {:.1f} ms".format(
            *np.quantile(ours, [0.5, 0.99, 1])
        )
    )
    star: Triples = [("hub", "causes", f"a{k}") for k in range(8)]
    chain: Triples = [(f"b{k}", ["used for", "part of", "is a"][k % 3], f"b{k + 1}") for k in range(8)]
    compare("star and chain of 8 edges", [(star, chain)], asked.seconds)
    fuzz(golds, predictions, asked.lines)


if __name__ == "__main__":
    main()
