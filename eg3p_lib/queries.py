"""The easy, normal and hard query of a graph, and the whole input text (paper, section 4.2, Tables 4 and 6)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, get_args

import numpy as np

from eg3p_lib.graphs import Edge, ExplanationGraph
from eg3p_lib.templates import Templates, fill

Level = Literal["easy", "normal", "hard"]
LEVELS: tuple[Level, ...] = get_args(Level)
SEPARATOR = " [SEP] "
ANSWER = "[ANSWER]"
INTERMEDIATE = "[I_E]"
_OBJECT_PREFIX = "is something that "


def make_query(graph: ExplanationGraph, level: Level, templates: Templates, rng: np.random.Generator) -> str:
    """`starts [SEP] query ?` of a graph that is an in-tree; one template a triple is drawn.

    - easy: all triples as statements in the graph's order, with the answer and the nodes between hidden;
    - normal: the same as one English question;
    - hard: the starts and the first relation alone.

    Raises:
        GraphError: the graph has not exactly one sink.

    >>> from eg3p_lib.templates import Templates
    >>> one = Templates({"causes": ("X causes Y",)}, {"causes": ("is caused by X",)})
    >>> rain = ExplanationGraph.parse("rain : causes : mud | mud : causes : dirt")
    >>> for level in LEVELS:
    ...     print(make_query(rain, level, one, np.random.default_rng(0)))
    rain [SEP] rain causes [I_E] then [I_E] causes [ANSWER] ?
    rain [SEP] What is caused by something that is caused by rain ?
    rain [SEP] What follows from something that is caused by rain ?
    """
    write = {"easy": _easy, "normal": _normal, "hard": _hard}[level]
    return f"{' | '.join(graph.starts)}{SEPARATOR}{write(graph, templates, rng)} ?"


def make_source(query: str, knowledge: Iterable[tuple[str, str, str]]) -> str:
    """The whole input text: `starts [SEP] query ? [SEP] h : r : t | h : r : t`."""
    return query + SEPARATOR + ExplanationGraph.of(knowledge).format("triples")


def split_source(source: str) -> tuple[str, str, ExplanationGraph]:
    """Starts, query and knowledge of an input text, for checks and views.

    >>> split_source("rain [SEP] What is caused by rain ? [SEP] rain : causes : mud")[1]
    'What is caused by rain ?'
    """
    starts, query, knowledge = source.split(SEPARATOR)
    return starts, query, ExplanationGraph.parse(knowledge)


def _easy(graph: ExplanationGraph, templates: Templates, rng: np.random.Generator) -> str:
    shown = dict.fromkeys(graph.concepts, INTERMEDIATE) | {start: start for start in graph.starts}
    shown[graph.sink] = ANSWER
    words: list[str] = []
    for edge in graph.edges:
        if words:
            words.append("and" if edge.head in graph.starts else "then")
        statement = _choose(templates.statements[edge.relation], rng)
        words.append(fill(statement, shown[edge.head], shown[edge.tail]))
    return " ".join(words)


def _normal(graph: ExplanationGraph, templates: Templates, rng: np.random.Generator) -> str:
    return "What " + " and ".join(_predicates(graph.sink, graph, templates, rng))


def _predicates(node: str, graph: ExplanationGraph, templates: Templates, rng: np.random.Generator) -> list[str]:
    """What each incoming triple says of a node, its head described in the same way where it is no start."""
    said = []
    for edge in graph.edges:
        if edge.tail == node:
            of_head = _predicates(edge.head, graph, templates, rng)
            head = _something(of_head) if of_head else edge.head
            said.append(_predicate(edge, head, templates, rng, nested=bool(of_head)))
    return said


def _hard(graph: ExplanationGraph, templates: Templates, rng: np.random.Generator) -> str:
    first = graph.edges[0]
    predicate = _predicate(first, first.head, templates, rng)
    asked = predicate if first.tail == graph.sink else f"follows from {_something([predicate])}"
    others = [start for start in graph.starts if start != first.head]
    return f"What {asked}" + (f" , together with {_listed(others)}" if others else "")


def _predicate(edge: Edge, head: str, templates: Templates, rng: np.random.Generator, *, nested: bool = False) -> str:
    """What one triple says of its hidden tail; a nested description comes last in it, where a template allows that."""
    options = templates.questions[edge.relation]
    ending = tuple(option for option in options if option.endswith("X"))
    return fill(_choose(ending if nested and ending else options, rng), head)


def _something(predicates: list[str]) -> str:
    """`something that is caused by X and that Y is used for`."""
    clauses = (
        said[len("is something ") :] if said.startswith(_OBJECT_PREFIX) else f"that {said}" for said in predicates
    )
    return "something " + " and ".join(clauses)


def _listed(items: list[str]) -> str:
    return items[0] if len(items) == 1 else " , ".join(items[:-1]) + " and " + items[-1]


def _choose(options: tuple[str, ...], rng: np.random.Generator) -> str:
    return options[int(rng.integers(len(options)))]
