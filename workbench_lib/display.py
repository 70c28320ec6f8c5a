"""Graphs in a notebook: live by pyvis inside an iframe that needs no network, and the same graph as a picture.

All text comes from data, so it is escaped wherever it meets HTML; pyvis escapes what it puts into its script block.
"""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import fill
from typing import Any

import matplotlib.pyplot as plt
import networkx as nx
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.text import Text
from pyvis.network import Network

Edges = Sequence[tuple[str, str, str]]  # head, relation, tail

INK, PAPER = "#1b1b1b", "#ffffff"
START, MIDDLE, SINK = "#56b4e9", "#f0f0f0", "#e69f00"  # Okabe and Ito's palette, safe for the colour-blind
_REMOTE = re.compile(r"<(link|script)\b[^>]*\b(?:href|src)=[\"']https?://[^>]*>(?:\s*</script>)?", re.IGNORECASE)


@dataclass(frozen=True)
class Live:
    """Something that a notebook shows as HTML."""

    html: str

    def _repr_html_(self) -> str:
        return self.html


def show_graph(edges: Edges, title: str = "") -> Live:
    """The graph, to zoom and drag, layered from its starts (left) to its sink (right)."""
    return Live(graph_html(edges, title))


def show_table(frame: pd.DataFrame) -> Live:
    """The frame with its texts in full, escaped, and never read as mathematics."""
    with pd.option_context("display.max_colwidth", None, "display.html.use_mathjax", False):
        return Live(frame.to_html(border=0, index=False, justify="left"))


def graph_html(edges: Edges, title: str = "", height_px: int = 360) -> str:
    """An iframe that holds the whole page, scripts and styles in line: it shows offline and in an exported notebook."""
    page = html.escape(_REMOTE.sub("", _page(edges, height_px)), quote=True)
    caption = html.escape(title or describe(edges), quote=True)
    return (
        f'<figure><iframe title="{caption}" srcdoc="{page}" sandbox="allow-scripts" '
        f'style="width:100%;height:{height_px + 20}px;border:1px solid #ccc"></iframe>'
        f"<figcaption>{caption}</figcaption></figure>"
    )


def draw_graph(edges: Edges, title: str = "") -> Figure:
    """The graph as a picture, with the layout of the live one."""
    places = layout(edges)
    columns = len({x for x, _ in places.values()})
    lines = max(Counter(x for x, _ in places.values()).values(), default=1)
    figure, axes = plt.subplots(figsize=(2.6 * columns + 0.6, 0.9 * lines + 0.9))
    boxes = {concept: _draw_concept(axes, concept, place, edges) for concept, place in places.items()}
    for (head, tail), relations in _by_pair(edges).items():
        _draw_edge(axes, boxes[head], boxes[tail], "\n".join(relations))
    axes.set(xlim=(-0.6, columns - 0.4), ylim=(-0.7 * lines / 2 - 0.3, 0.7 * lines / 2 + 0.3))
    axes.set_title(title, fontsize=10, parse_math=False)
    axes.axis("off")
    figure.tight_layout()
    plt.close(figure)
    return figure


def describe(edges: Edges) -> str:
    """The graph in words, for those who can't see it."""
    return "; ".join(f"{head} {relation} {tail}" for head, relation, tail in edges) or "an empty graph"


def layout(edges: Edges) -> dict[str, tuple[float, float]]:
    """A place for every concept: x is the layer (starts left, sink right), y spreads a layer evenly around 0."""
    graph = nx.DiGraph()
    graph.add_edges_from((head, tail) for head, _, tail in edges if head != tail)
    graph.add_nodes_from(concept for head, _, tail in edges for concept in (head, tail))
    layers = _layers(graph)
    columns: dict[int, list[str]] = {}
    for concept in graph:
        columns.setdefault(layers[concept], []).append(concept)
    return {
        concept: (float(x), 0.7 * (k - (len(column) - 1) / 2))
        for x, column in columns.items()
        for k, concept in enumerate(column)
    }


def _layers(graph: nx.DiGraph) -> dict[str, int]:
    """Layers counted from the left; concepts on a cycle share a layer."""
    parts = nx.condensation(graph)
    to_end: dict[int, int] = {}
    for part in reversed(list(nx.topological_sort(parts))):
        to_end[part] = max((to_end[after] + 1 for after in parts.successors(part)), default=0)
    longest = max(to_end.values(), default=0)
    return {concept: longest - to_end[part] for concept, part in parts.graph["mapping"].items()}


def _page(edges: Edges, height_px: int) -> str:
    network = Network(height=f"{height_px}px", directed=True, notebook=True, cdn_resources="in_line")
    for concept, (x, y) in layout(edges).items():
        colour = {"background": _colour(concept, edges), "border": INK}
        network.add_node(concept, label=concept, shape="box", x=x * 230, y=-y * 110, color=colour, physics=False)
    font = {"background": PAPER, "strokeWidth": 0, "size": 13}
    seen: Counter[frozenset[str]] = Counter()
    for head, relation, tail in edges:
        seen[frozenset((head, tail))] += 1
        bend = {"type": "curvedCW", "roundness": 0.25 * (seen[frozenset((head, tail))] - 1)}
        network.add_edge(head, tail, label=relation, color=INK, smooth=bend, font=font)
    network.toggle_physics(False)
    page: str = network.generate_html(notebook=True)
    return page


def _draw_concept(axes: Axes, concept: str, place: tuple[float, float], edges: Edges) -> Text:
    box = {"boxstyle": "round,pad=0.4", "facecolor": _colour(concept, edges), "edgecolor": INK}
    return axes.text(
        *place, fill(concept, 18), ha="center", va="center", fontsize=9, bbox=box, zorder=3, parse_math=False
    )


def _draw_edge(axes: Axes, start: Text, end: Text, label: str) -> None:
    arrow = {"arrowstyle": "-|>", "color": INK, "lw": 1.1, "shrinkA": 0, "shrinkB": 0}
    arrow |= {"patchA": start.get_bbox_patch(), "patchB": end.get_bbox_patch()}
    (x1, y1), (x2, y2) = start.get_position(), end.get_position()
    axes.annotate("", xy=(x2, y2), xytext=(x1, y1), arrowprops=arrow, zorder=1)
    box = {"facecolor": PAPER, "edgecolor": "none", "pad": 0.8}
    style: Any = {
        "ha": "center",
        "va": "center",
        "fontsize": 8,
        "style": "italic",
        "bbox": box,
        "zorder": 2,
        "parse_math": False,
    }
    axes.text(0.55 * x1 + 0.45 * x2, 0.55 * y1 + 0.45 * y2, label, **style)


def _by_pair(edges: Edges) -> dict[tuple[str, str], list[str]]:
    pairs: dict[tuple[str, str], list[str]] = {}
    for head, relation, tail in edges:
        pairs.setdefault((head, tail), []).append(relation)
    return pairs


def _colour(concept: str, edges: Edges) -> str:
    if all(concept != tail for _, _, tail in edges):
        return START
    return SINK if all(concept != head for head, _, _ in edges) else MIDDLE
