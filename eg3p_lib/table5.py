"""The relation shares of the paper's corpora, by their number of graphs (EG3P, appendix A, Table 5), in percent."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

GRAPHS = (3_000, 30_000, 300_000, 1_000_000, 2_000_000, 3_000_000, 10_000_000, 20_000_000)

TRIPLES_A_GRAPH = 73_191_788 / 36_333_000
"""All triples over all graphs of the eight corpora: 2.01."""

PERCENT: Mapping[str, tuple[float, ...]] = MappingProxyType(
    {
        "isa": (20.07, 19.84, 19.68, 19.71, 19.73, 19.69, 19.71, 19.70),
        "atlocation": (11.84, 12.43, 12.58, 12.53, 12.51, 12.57, 12.55, 12.55),
        "partof": (4.57, 4.53, 4.69, 4.68, 4.68, 4.68, 4.67, 4.67),
        "capableof": (6.17, 5.96, 5.92, 5.89, 5.90, 5.91, 5.91, 5.91),
        "hascontext": (3.46, 3.85, 3.79, 3.80, 3.81, 3.80, 3.81, 3.81),
        "desires": (1.26, 1.21, 1.30, 1.31, 1.31, 1.30, 1.31, 1.31),
        "antonym": (13.28, 12.75, 12.87, 12.89, 12.90, 12.91, 12.92, 12.91),
        "usedfor": (10.51, 10.14, 10.18, 10.18, 10.22, 10.19, 10.18, 10.19),
        "causes": (9.75, 10.45, 10.28, 10.38, 10.35, 10.35, 10.35, 10.35),
        "hassubevent": (13.78, 13.44, 13.39, 13.35, 13.33, 13.31, 13.32, 13.31),
        "hasproperty": (2.86, 2.66, 2.62, 2.63, 2.60, 2.61, 2.61, 2.61),
        "receivesaction": (0.99, 1.22, 1.15, 1.14, 1.13, 1.14, 1.13, 1.14),
        "madeof": (0.35, 0.34, 0.38, 0.37, 0.37, 0.38, 0.37, 0.38),
        "notdesires": (0.89, 0.95, 0.91, 0.91, 0.91, 0.91, 0.91, 0.91),
        "createdby": (0.12, 0.16, 0.17, 0.17, 0.16, 0.17, 0.16, 0.16),
        "notcapableof": (0.10, 0.08, 0.08, 0.08, 0.08, 0.08, 0.08, 0.09),
    }
)


def paper_column(graphs: int) -> tuple[int, dict[str, float]]:
    """The paper's corpus of the nearest size (by ratio): its number of graphs, and the shares as fractions of 1.

    >>> paper_column(5_000)[0], paper_column(100_000)[1]["isa"]
    (3000, 0.1968)
    """
    column = min(range(len(GRAPHS)), key=lambda k: max(GRAPHS[k] / graphs, graphs / GRAPHS[k]))
    return GRAPHS[column], {relation: round(shares[column] / 100, 4) for relation, shares in PERCENT.items()}
