"""What there is to see of a knowledge base, of sampled graphs and of a corpus, as values: tables, pictures, HTML.

Notebook 01 shows them as they are; `explorer` shows the same ones behind controls.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow.compute as pc
from matplotlib.figure import Figure

from eg3p_lib.graphs import ExplanationGraph
from eg3p_lib.queries import split_source
from eg3p_lib.relations import RELATION_TEXT, RELATIONS
from eg3p_lib.sampling import sink_number
from eg3p_lib.store import KnowledgeBase, Triple
from eg3p_lib.synthesis import GraphMaker
from eg3p_lib.templates import Templates, template_fault
from workbench_lib.browsing import Scan, all_of
from workbench_lib.corpus import Corpus
from workbench_lib.display import Live, draw_graph, show_graph, show_html, show_table
from workbench_lib.errors import InputError

GOLD, OTHER = "✓", "·"
_LEFT = 'style="text-align:left;vertical-align:top"'
_GRAPH_COLUMNS = ["graph", "level", "triples", "depth", "source", "target"]


# ---------------------------------------------------------------------- a concept and its triples


@dataclass(frozen=True)
class Neighbourhood:
    """Some of the triples that a concept is in.

    Args:
        incoming, outgoing: Those that lead to it and those that leave it.
        totals: How many of each the knowledge base has.
    """

    concept: str
    incoming: tuple[Triple, ...]
    outgoing: tuple[Triple, ...]
    totals: tuple[int, int]

    @property
    def edges(self) -> list[tuple[str, str, str]]:
        """Its triples in words, those that lead to it first."""
        return [(t.head, RELATION_TEXT[t.relation], t.tail) for t in (*self.incoming, *self.outgoing)]

    @property
    def caption(self) -> str:
        """How much of it is shown."""
        to, from_ = self.totals
        shown = f"; here {len(self.incoming)} and {len(self.outgoing)} of them"
        is_part = len(self.edges) < to + from_
        return f"{self.concept}: {to:,} incoming and {from_:,} outgoing triples" + (shown if is_part else "")

    def table(self) -> pd.DataFrame:
        """A row a triple: direction, head, relation, tail, weight, source."""
        sides = ["leads to it"] * len(self.incoming) + ["leaves it"] * len(self.outgoing)
        triples = [*self.incoming, *self.outgoing]
        rows = [(side, *edge, t.weight, t.source) for side, edge, t in zip(sides, self.edges, triples, strict=True)]
        return pd.DataFrame(rows, columns=["direction", "head", "relation", "tail", "weight", "source"])

    def picture(self) -> Figure:
        """What leads to it on the left, what it leads to on the right and dashed."""
        return draw_graph(self.edges, self.caption, self.concept)

    def live(self) -> Live:
        """The same, to zoom and drag."""
        return show_graph(self.edges, self.caption, self.concept)

    def _repr_html_(self) -> str:
        return show_table(self.table(), self.caption).html


def neighbourhood(kb: KnowledgeBase, concept: str, limit: int = 20) -> Neighbourhood:
    """At most `limit` triples of a concept, in and out by halves where both have enough.

    Each relation has its turn, the heaviest triples first, so that a concept of thousands shows what kinds it has.

    Raises:
        KnowledgeError: the concept is unknown.

    >>> from eg3p_lib.knowledge import starter_knowledge
    >>> near = neighbourhood(starter_knowledge(), "school", limit=2)
    >>> [triple.tail for triple in near.incoming], [triple.head for triple in near.outgoing]
    (['school'], ['school'])
    """
    number = kb.number(concept)
    incoming, outgoing = np.array(kb.incoming(number), np.int64), kb.outgoing(number)
    most_in = max(limit - limit // 2, limit - len(outgoing))
    first_in, first_out = (_by_turns(kb, triples) for triples in (incoming, outgoing))
    shown_in = first_in[:most_in]
    shown_out = first_out[: limit - len(shown_in)]
    totals = (len(incoming), len(outgoing))
    return Neighbourhood(concept, _triples(kb, shown_in), _triples(kb, shown_out), totals)


def _triples(kb: KnowledgeBase, numbers: npt.NDArray[np.int64]) -> tuple[Triple, ...]:
    return tuple(kb.triple(int(number)) for number in numbers[np.argsort(kb.relation[numbers], kind="stable")])


def _by_turns(kb: KnowledgeBase, triples: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """The heaviest triple of each relation, then the second heaviest of each, and so on."""
    weight = kb.table["weight"].chunk(0).to_numpy()[triples]
    order = np.lexsort((triples, -weight, kb.relation[triples]))
    relation = kb.relation[triples][order]
    turn = np.arange(len(order)) - np.searchsorted(relation, relation)
    ordered: npt.NDArray[np.int64] = triples[order][np.lexsort((relation, turn))]
    return ordered


def richest_concept(kb: KnowledgeBase) -> str:
    """The concept that the most triples lead to; of several the first."""
    return kb.name(int(np.argmax(np.diff(kb.incoming_starts))))


# ---------------------------------------------------------------------- a graph and its queries


@dataclass(frozen=True)
class Example:
    """A graph with its queries and knowledge sources, by level."""

    graph: ExplanationGraph
    starts: str
    queries: Mapping[str, str]
    sources: Mapping[str, ExplanationGraph]

    def _repr_html_(self) -> str:
        gold = set(self.graph.edges)
        head = f"<tr><th {_LEFT}>level</th><th {_LEFT}>query</th><th {_LEFT}>knowledge source ({GOLD} gold)</th></tr>"
        rows = "".join(
            f'<tr><th scope="row" {_LEFT}>{escape(level)}</th><td {_LEFT}>{escape(query)}</td>'
            f"<td {_LEFT}>{_source_html(self.sources[level], gold)}</td></tr>"
            for level, query in self.queries.items()
        )
        lines = {"starts": self.starts, "answer": self.graph.sink, "target": self.graph.format()}
        told = "".join(f"<li>{name}: <strong>{escape(text)}</strong></li>" for name, text in lines.items())
        return show_html(f"<ul>{told}</ul><table><thead>{head}</thead><tbody>{rows}</tbody></table>").html


def _source_html(source: ExplanationGraph, gold: set[Any]) -> str:
    def item(edge: tuple[str, str, str]) -> str:
        text = escape(" : ".join(edge))
        if edge in gold:
            return f'<li><strong><span role="img" aria-label="gold">{GOLD}</span> {text}</strong></li>'
        return f'<li><span role="img" aria-label="distractor">{OTHER}</span> {text}</li>'

    items = "".join(map(item, source.edges))
    return f'<ul style="list-style:none;margin:0;padding:0;min-width:24em">{items}</ul>'


def example(maker: GraphMaker, sink: str | None = None, number: int = 0) -> Example:
    """Graph `number` of the maker's seed with its queries.

    Args:
        sink: The answer; by default any concept, so that this is graph `number` of the corpus.

    Raises:
        KnowledgeError: the sink is unknown.
        SamplingError: no triple leads to it, or no graph fits.

    >>> from eg3p_lib.knowledge import starter_knowledge
    >>> one = example(GraphMaker(starter_knowledge(), seed=7), "school")
    >>> one.graph.sink, list(one.queries)
    ('school', ['easy', 'normal', 'hard'])
    """
    place = None if sink is None else sink_number(maker.kb, sink)
    rows = maker.block(number, number + 1, place).table.to_pylist()
    parts = {row["level"]: split_source(row["source"]) for row in rows}
    return Example(
        graph=ExplanationGraph.parse(rows[0]["target"]),
        starts=" | ".join(rows[0]["starts"]),
        queries={level: query for level, (_, query, _) in parts.items()},
        sources={level: source for level, (_, _, source) in parts.items()},
    )


def graphs_table(graphs: Sequence[ExplanationGraph]) -> pd.DataFrame:
    """A row a graph: its text, number of triples, depth, starts."""
    rows = [(graph.format(), len(graph.edges), graph.depth, " | ".join(graph.starts)) for graph in graphs]
    return pd.DataFrame(rows, columns=["graph", "triples", "depth", "starts"])


# ---------------------------------------------------------------------- templates


def edited(templates: Templates, relation: str, statements: str, questions: str = "") -> Templates:
    """The templates with those of one relation in place of its own.

    Args:
        statements, questions: One a line; blank lines do not count. Templates without questions stay without.

    Raises:
        InputError: a template is faulty, or there are none; says in which line.

    >>> from eg3p_lib.templates import load_templates
    >>> edited(load_templates(), "isa", "every X is a Y", "is what every X is").statements["isa"]
    ('every X is a Y',)
    """
    new = {"statements": _template_lines("statements", relation, statements)}
    if templates.questions:
        new["questions"] = _template_lines("questions", relation, questions)
    parts = {"statements": templates.statements, "questions": templates.questions}
    changed = {part: {**known, relation: new[part]} if part in new else known for part, known in parts.items()}
    return Templates(changed["statements"], changed["questions"])


def _template_lines(part: str, relation: str, text: str) -> tuple[str, ...]:
    where = f"{part} of {RELATION_TEXT[relation]!r}"
    lines = [(number, line) for number, line in enumerate(text.splitlines(), start=1) if line.strip()]
    if not lines:
        raise InputError("at least one is needed", path=where)
    for number, line in lines:
        if fault := template_fault(part, line):
            raise InputError(fault, path=where, line=number, value=line)
    return tuple(" ".join(line.split()) for _, line in lines)


# ---------------------------------------------------------------------- a corpus


def scan(corpus: Corpus, relation: str = "", triples: int = 0, level: str = "") -> Scan:
    """A search for the rows of a corpus of graphs in which all hold that is asked; see `browse`.

    In a corpus of another task there is nothing to ask for: it is shown as it is.
    """
    columns = _GRAPH_COLUMNS if corpus.manifest.settings.get("task") == "text-to-graph" else None
    asked = [
        (relation, pc.match_substring(pc.field("target"), f" : {relation} : ")),
        (triples, pc.field("triples") == triples),
        (level, pc.field("level") == level),
    ]
    return Scan(corpus, columns, all_of([condition for value, condition in asked if value]))


def browse(corpus: Corpus, relation: str = "", triples: int = 0, level: str = "", limit: int = 5) -> pd.DataFrame:
    """The first rows of a corpus in which all hold that is asked.

    Args:
        relation: One that the graph uses.
        triples: The size of the graph.
        level: The difficulty of the query.
        limit: The most rows; the corpus is read as far as it takes to find them.

    Raises:
        CorpusError: a shard cannot be read.
    """
    return scan(corpus, relation, triples, level).take(limit, len(corpus))


def shapes_table(stats: Mapping[str, Any]) -> pd.DataFrame:
    """The shares of the graphs' sizes and depths, from what `corpus_stats` gives: columns graphs, share."""
    counts = {f"size {size}": number for size, number in stats["graphs_by_triples"].items()}
    counts |= {f"depth {depth}": number for depth, number in stats["graphs_by_depth"].items()}
    return pd.DataFrame({"graphs": counts.keys(), "share": [n / stats["graphs"] for n in counts.values()]})


def relation_choices() -> list[tuple[str, str]]:
    """The 16 relations for a menu: what is read, and the id."""
    return [(RELATION_TEXT[relation], relation) for relation in RELATIONS]
