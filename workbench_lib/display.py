"""Graphs in a notebook: live by pyvis inside an iframe that needs no network, and the same graph as a picture.

All text comes from data, so it is escaped wherever it meets HTML; pyvis escapes what it puts into its script block.
Graphs are ink on paper in every theme; tables and notes take their colours from the page around them.
"""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import cycle
from textwrap import fill
from typing import Any

import matplotlib.pyplot as plt
import networkx as nx
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.transforms import Transform, offset_copy
from pandas.api.types import is_numeric_dtype
from pyvis.network import Network

Edge = tuple[str, str, str]  # head, relation, tail
Edges = Sequence[Edge]

INK, PAPER = "#1b1b1b", "#ffffff"
START, MIDDLE, SINK = "#56b4e9", "#f0f0f0", "#e69f00"  # Okabe and Ito's palette, safe for the colour-blind
MARKED = "#d55e00"
# What the viewer's page lacks: no frames within the frame, and all of the graph in view, also when it comes into sight.
_HEAD = (
    "<style>body{margin:0}h1{display:none}#mynetwork{border:0!important}</style>"
    "<script>addEventListener('load',()=>{network.once('afterDrawing',()=>network.fit());network.redraw()});"
    "addEventListener('resize',()=>network.fit())</script></head>"
)
_CELL = re.compile("<(t[dh])>")
_REMOTE = re.compile(r"<(link|script)\b[^>]*\b(?:href|src)=[\"']https?://[^>]*>(?:\s*</script>)?", re.IGNORECASE)


@dataclass(frozen=True)
class Live:
    """Something that a notebook shows as HTML."""

    html: str

    def _repr_html_(self) -> str:
        return self.html


def show_graph(edges: Edges, title: str = "", focus: str = "") -> Live:
    """The graph, to zoom and drag, layered from its starts (left) to its sink (right), or around a focus (`layout`)."""
    return Live(graph_html(edges, title, focus))


def show_table(frame: pd.DataFrame, caption: str = "") -> Live:
    """The frame with its texts in full, escaped, and never read as mathematics."""
    sides = cycle("right" if is_numeric_dtype(frame[column]) else "left" for column in frame)
    with pd.option_context("display.max_colwidth", None):
        table = frame.to_html(border=0, index=False)
    table = _CELL.sub(lambda cell: f'<{cell[1]} style="text-align:{next(sides)};vertical-align:top">', table)
    return show_html((f"<p>{html.escape(caption)}</p>" if caption else "") + table)


def show_note(text: str, *, is_fault: bool = False) -> Live:
    """A sentence to the reader, as text; a fault is told by a sign and a word, not by its colour alone."""
    sign = "<strong>⚠ Not possible:</strong> " if is_fault else ""
    colour = "var(--jp-error-color1, #d55e00)" if is_fault else "var(--jp-info-color1, #0072b2)"
    style = f"border-left:4px solid {colour};padding:2px 10px;margin:4px 0;overflow-wrap:anywhere"
    return show_html(f'<p role="status" style="{style}">{sign}{html.escape(text)}</p>')


def show_html(body: str) -> Live:
    """Escaped HTML in the page's own style and colours, also inside a widget, and never read as mathematics."""
    classes = "jp-RenderedHTMLCommon tex2jax_ignore mathjax_ignore"
    return Live(f'<div class="{classes}" style="overflow-x:auto">{body}</div>')


def stack(*parts: Any) -> Live:
    """Things that notebooks show as HTML, one below the other."""
    return Live("".join(part._repr_html_() for part in parts))


def graph_html(edges: Edges, title: str = "", focus: str = "", marked: Collection[Edge] = ()) -> str:
    """An iframe that holds the whole page, scripts and styles in line: it shows offline and in an exported notebook.

    Marked edges have a colour of their own, and are dashed.
    """
    _, lines = _spread(layout(edges, focus).values())
    height_px = max(360, 36 * lines + 40)
    page = html.escape(_REMOTE.sub("", _page(edges, focus, height_px, marked)), quote=True)
    caption = html.escape(title or describe(edges), quote=True)
    return (
        f'<figure style="margin:0"><iframe title="{caption}" srcdoc="{page}" sandbox="allow-scripts" '
        f'style="width:100%;height:{height_px}px;border:1px solid #ccc"></iframe>'
        f'<figcaption style="line-height:1.4">{caption}</figcaption></figure>'
    )


def draw_graph(edges: Edges, title: str = "", focus: str = "", marked: Collection[Edge] = ()) -> Figure:
    """The graph as a picture, with the layout of the live one; what leaves a focus, or is marked, is dashed."""
    figure, axes = plt.subplots(figsize=_inches(edges, focus))
    _draw(axes, edges, title, focus, marked)
    figure.tight_layout()
    plt.close(figure)
    return figure


def draw_graphs(panels: Sequence[tuple[str, Edges, Collection[Edge]]]) -> Figure:
    """Graphs below each other in one picture: each with its title, its edges and those that are marked."""
    sizes = [_inches(edges, "") for _, edges, _ in panels]
    heights = [height for _, height in sizes]
    size = (max(width for width, _ in sizes), sum(heights))
    figure, axes = plt.subplots(len(panels), 1, figsize=size, squeeze=False, height_ratios=heights)
    for place, (title, edges, marked) in zip(axes[:, 0], panels, strict=True):
        _draw(place, edges, title, "", marked)
    figure.tight_layout()
    plt.close(figure)
    return figure


def _inches(edges: Edges, focus: str) -> tuple[float, float]:
    places = layout(edges, focus).values()
    columns, lines = _spread(places)
    line_inches, margin = (0.5, 0.95) if focus else (0.9, 0.6)
    return 2.6 * (columns - 1 + 2 * margin), line_inches * lines + 0.9


def _spread(places: Collection[tuple[float, float]]) -> tuple[int, int]:
    """How many columns there are, and the lines of the fullest one."""
    return max(len({x for x, _ in places}), 1), round(max((abs(y) for _, y in places), default=0) / 0.35) + 1


def _draw(axes: Axes, edges: Edges, title: str, focus: str, marked: Collection[Edge]) -> None:
    places, pairs = layout(edges, focus), _by_pair(edges)
    columns, lines = _spread(places.values())
    boxes = {concept: _draw_concept(axes, concept, places, edges, focus) for concept in places}
    axes.add_artist(_Measure(boxes.values()))
    for (head, tail), relations in pairs.items():
        is_two_way = (tail, head) in pairs
        at = _beside(axes, boxes[head], boxes[tail]) if is_two_way else axes.transData
        is_marked = any((head, relation, tail) in marked for relation in relations)
        line = ("--" if head == focus or is_marked else "-", MARKED if is_marked else INK)
        along = _label_place(head, tail, focus, is_two_way)
        _draw_edge(axes, boxes[head], boxes[tail], "\n".join(relations), at, along, line)
    margin = 0.95 if focus else 0.6
    axes.set(xlim=(-margin, columns - 1 + margin), ylim=(-0.7 * lines / 2 - 0.3, 0.7 * lines / 2 + 0.3))
    axes.set_title(title, fontsize=10, parse_math=False)
    axes.axis("off")


def describe(edges: Edges) -> str:
    """The graph in words, for those who can't see it."""
    return "; ".join(f"{head} {relation} {tail}" for head, relation, tail in edges) or "an empty graph"


def layout(edges: Edges, focus: str = "") -> dict[str, tuple[float, float]]:
    """A place for every concept: x is its column, and y spreads a column evenly around 0.

    Columns are the layers from the starts (left) to the sink (right), with room for the edges that pass through them;
    with a focus: what leads to it, itself, the rest.
    """
    columns: Sequence[Sequence[str | None]] = _around(edges, focus) if focus else _layered(edges)
    return {
        concept: (float(x), 0.7 * (k - (len(column) - 1) / 2))
        for x, column in enumerate(columns)
        for k, concept in enumerate(column)
        if concept is not None
    }


def _around(edges: Edges, focus: str) -> list[list[str]]:
    """Left, focus, right; the first edge comes out on top."""
    left = dict.fromkeys(head for head, _, tail in edges if tail == focus != head)
    ends = dict.fromkeys(concept for head, _, tail in edges for concept in (head, tail))
    right = [concept for concept in ends if concept != focus and concept not in left]
    return [column for column in ([*left][::-1], [focus], right[::-1]) if column]


def _layered(edges: Edges) -> list[list[str | None]]:
    """The concepts of each column, and None where an edge passes through it."""
    graph = nx.DiGraph()
    graph.add_nodes_from(concept for head, _, tail in edges for concept in (head, tail))
    for head, _, tail in edges:
        if not nx.has_path(graph, tail, head):  # an edge that would close a cycle leads back
            graph.add_edge(head, tail)
    layers = _layers(graph)
    columns: list[list[str | None]] = [[] for _ in range(max(layers.values(), default=-1) + 1)]
    for concept in graph:
        columns[layers[concept]].append(concept)
    for head, tail in _by_pair(edges):
        first, last = sorted((layers[head], layers[tail]))
        for x in range(first + 1, last):
            columns[x].append(None)
    return columns


def _layers(graph: nx.DiGraph) -> dict[str, int]:
    """Layers counted from the left."""
    to_end: dict[str, int] = {}
    for concept in reversed(list(nx.topological_sort(graph))):
        to_end[concept] = max((to_end[after] + 1 for after in graph.successors(concept)), default=0)
    longest = max(to_end.values(), default=0)
    return {concept: longest - steps for concept, steps in to_end.items()}


def _page(edges: Edges, focus: str, height_px: int, marked: Collection[Edge]) -> str:
    network = Network(height=f"{height_px}px", directed=True, notebook=True, cdn_resources="in_line")
    x_px, y_px = (330, 70) if focus else (230, 110)
    for concept, (x, y) in layout(edges, focus).items():
        box = {"background": _colour(concept, edges, focus), "border": INK}
        network.add_node(concept, label=concept, shape="box", x=x * x_px, y=-y * y_px, color=box, physics=False)
    font = {"background": PAPER, "strokeWidth": 0, "size": 13}
    seen: Counter[frozenset[str]] = Counter()
    for head, relation, tail in _joined(edges) if focus else edges:
        seen[frozenset((head, tail))] += 1
        bend = {"type": "curvedCW", "roundness": 0.25 * (seen[frozenset((head, tail))] - 1)}
        is_marked = (head, relation, tail) in marked
        dashed = {"dashes": True} if head == focus or is_marked else {}
        colour = MARKED if is_marked else INK
        network.add_edge(head, tail, label=relation, color=colour, smooth=bend, font=font, **dashed)
    network.toggle_physics(False)
    page: str = network.generate_html(notebook=True)
    return page.replace("</head>", _HEAD, 1)


def _joined(edges: Edges) -> Edges:
    """One edge a pair with all its relations: around a focus there is no room for parallel lines."""
    return [(head, ", ".join(relations), tail) for (head, tail), relations in _by_pair(edges).items()]


def _draw_concept(
    axes: Axes, concept: str, places: Mapping[str, tuple[float, float]], edges: Edges, focus: str
) -> Text:
    """A box; around a focus it begins or ends at its place, so that no line runs behind other boxes."""
    x, y = places[concept]
    side = "center" if not focus or concept == focus else "right" if x < places[focus][0] else "left"
    box = {"boxstyle": "round,pad=0.4", "facecolor": _colour(concept, edges, focus), "edgecolor": INK}
    text = fill(concept, 26 if focus else 18)
    return axes.text(x, y, text, ha=side, va="center", fontsize=9, bbox=box, zorder=3, parse_math=False)


class _Measure(Artist):
    """Tells boxes where they are at the resolution that is drawn, before the arrows that end at them are drawn."""

    def __init__(self, boxes: Iterable[Text]):
        super().__init__()
        self.boxes = list(boxes)
        self.set(zorder=0, in_layout=False)

    def draw(self, renderer: Any) -> None:
        for box in self.boxes:
            box.update_bbox_position_size(renderer)


def _label_place(head: str, tail: str, focus: str, is_two_way: bool) -> float:
    """Where on the way from head to tail the label stands: around a focus nearer to the neighbour."""
    if not focus:
        return 0.3 if is_two_way else 0.45
    return 0.35 if tail == focus else 0.4 if is_two_way else 0.65


def _beside(axes: Axes, start: Text, end: Text) -> Transform:
    """Places a little off the line, to the side that the opposite edge does not take."""
    (x1, y1), (x2, y2) = start.get_position(), end.get_position()
    side = 6 if (x1, y1) < (x2, y2) else -6
    aside = (0, side) if x1 != x2 else (side, 0)
    return offset_copy(axes.transData, axes.get_figure(root=True), *aside, units="points")


def _draw_edge(
    axes: Axes, start: Text, end: Text, label: str, at: Transform, along: float, line: tuple[str, str]
) -> None:
    """An arrow with a label; `line` is its style and its colour."""
    arrow = {"arrowstyle": "-|>", "color": line[1], "lw": 1.1, "linestyle": line[0], "shrinkA": 0, "shrinkB": 0}
    arrow |= {"patchA": start.get_bbox_patch(), "patchB": end.get_bbox_patch()}
    (x1, y1), (x2, y2) = start.get_position(), end.get_position()
    axes.annotate("", xy=(x2, y2), xytext=(x1, y1), xycoords=at, textcoords=at, arrowprops=arrow, zorder=1)
    style: Any = {
        "ha": "center",
        "va": "center",
        "fontsize": 8,
        "style": "italic",
        "color": line[1],
        "bbox": {"facecolor": PAPER, "edgecolor": "none", "pad": 0.8},
        "zorder": 2,
        "parse_math": False,
    }
    axes.text(x1 + along * (x2 - x1), y1 + along * (y2 - y1), label, transform=at, **style)


def _by_pair(edges: Edges) -> dict[tuple[str, str], list[str]]:
    pairs: dict[tuple[str, str], list[str]] = {}
    for head, relation, tail in edges:
        pairs.setdefault((head, tail), []).append(relation)
    return pairs


def _colour(concept: str, edges: Edges, focus: str) -> str:
    if focus:
        return SINK if concept == focus else MIDDLE
    if all(concept != tail for _, _, tail in edges):
        return START
    return SINK if all(concept != head for head, _, _ in edges) else MIDDLE
