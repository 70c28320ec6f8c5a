"""The rows of a graph corpus, one example at a time: the readable reference of `eg3p_lib.synthesis`.

The same rules in plain Python, with lists and strings. Tests hold that both give the same bytes, and
`benchmarks/graph_synthesis.py` measures how much faster the block-wise one is. Read this first.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from eg3p_lib.graphs import ExplanationGraph
from eg3p_lib.queries import ANSWER, INTERMEDIATE, LEVELS, OBJECT_PREFIX, SEPARATOR, Level
from eg3p_lib.relations import RELATIONS
from eg3p_lib.sampling import MAX_ATTEMPTS, SamplingError
from eg3p_lib.sampling import STAGES as STAGES_AN_ATTEMPT
from eg3p_lib.sources import STAGES as STAGES_A_SOURCE
from eg3p_lib.sources import TRIES
from eg3p_lib.splits import VALIDATION_SHARE
from eg3p_lib.store import KnowledgeBase
from eg3p_lib.synthesis import SCHEMA, GraphRules
from eg3p_lib.templates import Templates, fill, load_templates
from workbench_lib.corpus import Block

WORD = 1 << 32
MASK = (1 << 64) - 1
NEIGHBOUR_TRIES = 8


class Rejected(Exception):
    """This draw of a graph does not fit."""


def random_words(seed: int, purpose: int, number: int, width: int) -> list[int]:
    """The words of graph `number` for one purpose: 8 of 32 bits a step of Philox."""
    steps = -(-width // 8)
    philox = np.random.Philox(key=np.array([seed, purpose], np.uint64), counter=number * steps)
    return [half for word in philox.random_raw(4 * steps).tolist() for half in (word % WORD, word // WORD)][:width]


def below(word: int, bound: int) -> int:
    return word * bound >> 32


@dataclass
class Node:
    """A concept of a graph, and what leads to it."""

    concept: int
    depth: int = 0
    triple: int | None = None  # that leads from here to the parent
    children: list[Node] = field(default_factory=list)

    def written(self) -> list[Node]:
        """The nodes that are heads, in writing order: the subtree of a head, then its triple."""
        nodes = [node for child in self.children for node in child.written()]
        return nodes if self.triple is None else [*nodes, self]


class Reference:
    """Makes the rows of graphs, one graph after the other."""

    def __init__(self, kb: KnowledgeBase, seed: int, rules: GraphRules):
        self.kb, self.seed, self.rules = kb, seed, rules
        self.templates: Templates = load_templates(rules.templates)

    def block(self, start: int, stop: int) -> Block:
        rejected: Counter[str] = Counter()
        rows = [row for number in range(start, stop) for row in self.rows(number, rejected)]
        return Block(pa.Table.from_pylist(rows, schema=SCHEMA), rejected)

    def rows(self, number: int, rejected: Counter[str]) -> list[dict[str, Any]]:
        for attempt in range(MAX_ATTEMPTS):
            try:
                return self.attempt(number, attempt, rejected)
            except Rejected as reason:
                rejected[str(reason)] += 1
        raise SamplingError(f"graph {number}: none of {MAX_ATTEMPTS} draws fitted")

    def attempt(self, number: int, attempt: int, rejected: Counter[str]) -> list[dict[str, Any]]:
        first = attempt * STAGES_AN_ATTEMPT
        root = self.grow(random_words(self.seed, first, number, 1 + 3 * (self.rules.shape.max_triples + 1)))
        stage = {level: first + 1 + LEVELS.index(level) * (1 + STAGES_A_SOURCE) for level in self.rules.levels}
        sources = {level: self.source(root, stage[level] + 1, number, level, rejected) for level in stage}
        if None in sources.values():
            raise Rejected("too_few_distractors")
        graph = self.graph_of([node.triple for node in root.written()])
        shared = {
            "graph": number,
            "answer": graph.sink,
            "starts": list(graph.starts),
            "triples": len(graph.edges),
            "depth": graph.depth,
            "split": "validation" if self.hash_of(graph) % VALIDATION_SHARE == VALIDATION_SHARE - 1 else "train",
            "target": graph.format(),
        }
        rows = []
        for level, weight in self.rules.levels.items():
            choice = random_words(self.seed, STAGES_AN_ATTEMPT * (1 + LEVELS.index(level)) - 1, number, 1)
            if choice[0] < weight / max(self.rules.levels.values()) * WORD:
                words = random_words(self.seed, stage[level], number, self.rules.shape.max_triples)
                query = self.query(root, level, words)
                knowledge = self.graph_of(sources[level]).format()
                text = f"{' | '.join(graph.starts)}{SEPARATOR}{query} ?{SEPARATOR}{knowledge}"
                rows.append({**shared, "level": level, "source": text})
        return rows

    # ------------------------------------------------------------------ the graph

    def grow(self, words: list[int]) -> Node:
        """Breadth first: the node in slot k takes its incoming triples by the words 3 k + 1 to 3 k + 3."""
        shape = self.rules.shape
        slots = [Node(int(self.kb.sinks[below(words[0], len(self.kb.sinks))]))]
        for slot in range(shape.max_triples + 1):
            if slot < len(slots) and slots[slot].depth < shape.max_depth:
                number, pick, other = words[3 * slot + 1 : 3 * slot + 4]
                for triple in self.incoming(slots[slot].concept, slot == 0, number, pick, other):
                    head = int(self.kb.head[triple])
                    if head not in [node.concept for node in slots]:
                        if len(slots) > shape.max_triples:
                            raise Rejected("too_many_triples")
                        child = Node(head, slots[slot].depth + 1, triple)
                        slots[slot].children.append(child)
                        slots.append(child)
        if len(slots) - 1 < shape.min_triples:
            raise Rejected("too_few_triples")
        return slots[0]

    def incoming(self, concept: int, at_least_one: bool, number: int, pick: int, other: int) -> list[int]:
        """One or two of the triples that lead to a concept, or none."""
        found = self.kb.incoming(concept)
        one, two = self.rules.shape.limits(at_least_one=at_least_one)
        wanted = min(int(number >= one) + int(number >= two), len(found))
        first = below(pick, len(found))
        second = below(other, max(len(found) - 1, 0))
        return [found[place] for place in (first, second + (second >= first))[:wanted]]

    def graph_of(self, triples: list[int | None]) -> ExplanationGraph:
        return ExplanationGraph.of(self.kb.edge(triple) for triple in triples if triple is not None)

    def hash_of(self, graph: ExplanationGraph) -> int:
        """From the texts of the triples alone, in any order."""
        total = 0
        for head, relation, tail in graph.edges:
            texts = pd.util.hash_array(np.array([head, tail, relation], object)).tolist()
            mixed = (3 * texts[0] + 5 * texts[1] + texts[2]) * 0x9E3779B97F4A7C15 & MASK
            total += mixed ^ (mixed >> 29)
        return (total * 0x9E3779B97F4A7C15 & MASK) >> 32

    # ------------------------------------------------------------------ the knowledge source

    def source(self, root: Node, purpose: int, number: int, level: Level, rejected: Counter[str]) -> list[int] | None:
        """The graph's triples and distractors, shuffled; None where a distractor could not be had."""
        most = self.rules.shape.max_triples
        words = random_words(self.seed, purpose, number, 1 + 2 * most)
        gold = [node.triple for node in root.written()]
        size = len(gold)
        least = (3 * size + 1) // 2
        wanted = least + below(words[0], 2 * size - least + 1) - size
        tries = [random_words(self.seed, purpose + 1 + t, number, 2 * most) for t in range(TRIES)]
        taken: list[int | None] = []
        for nth in range(wanted):
            taken.append(self.distractor(root, taken, [t[2 * nth : 2 * nth + 2] for t in tries], level, rejected))
        if None in taken:
            return None
        keyed = [*zip(words[1 : 1 + size], gold, strict=True)]
        keyed += [*zip(words[1 + most : 1 + most + wanted], taken, strict=True)]
        return [triple for _, triple in sorted(keyed, key=lambda pair: pair[0])]

    def distractor(
        self, root: Node, taken: list[int | None], tries: list[list[int]], level: Level, rejected: Counter[str]
    ) -> int | None:
        for number, (first, second) in enumerate(tries):
            if self.rules.distractors == "neighbours" and number < NEIGHBOUR_TRIES:
                triple = self.neighbour(root, first, second)
            else:
                triple = below(first, len(self.kb))
            reason = self.refusal(root, triple, taken, level)
            if not reason:
                return triple
            rejected[reason] += 1
        return None

    def neighbour(self, root: Node, first: int, second: int) -> int:
        nodes = [*root.written(), root]
        concept = nodes[below(first, len(nodes))].concept
        near = [*self.kb.incoming(concept), *self.kb.outgoing(concept).tolist()]
        return near[below(second, len(near))]

    def refusal(self, root: Node, triple: int, taken: list[int | None], level: Level) -> str:
        """Why a triple cannot be a distractor: it would be in the graph, or answer the query otherwise."""
        gold = [node.triple for node in root.written()]
        if triple in gold:
            return "distractor_is_gold"
        if triple in taken:
            return "distractor_repeated"
        head, relation, tail = self.kb.edge(triple)
        for h, r, t in map(self.kb.edge, gold):
            if r == relation and ((h == head and t != tail) or (r == "antonym" and h == tail and t != head)):
                return "distractor_second_tail"
        inside = {self.kb.name(node.concept) for node in (*root.written(), root)}
        sink = self.kb.name(root.concept)
        if level == "hard" and head in inside and (tail not in inside or head == sink):
            return "distractor_second_path"
        return ""

    # ------------------------------------------------------------------ the query

    def query(self, root: Node, level: Level, words: list[int]) -> str:
        nodes = root.written()
        chosen = dict(zip(map(id, nodes), words[: len(nodes)], strict=True))
        if level == "easy":
            return self.easy(root, chosen)
        if not self.templates.questions:
            return self.bare(root, chosen, first_only=level == "hard")
        return self.normal(root, chosen) if level == "normal" else self.hard(root, words[0])

    def relation(self, node: Node) -> str:
        return RELATIONS[self.kb.relation[node.triple]]

    def name(self, node: Node) -> str:
        return self.kb.name(node.concept)

    def statement(self, node: Node, word: int) -> str:
        options = self.templates.statements[self.relation(node)]
        return options[below(word, len(options))]

    def easy(self, root: Node, chosen: dict[int, int]) -> str:
        words: list[str] = []
        for node in root.written():
            if words:
                words.append("then" if node.children else "and")
            head = INTERMEDIATE if node.children else self.name(node)
            tail = ANSWER if node in root.children else INTERMEDIATE
            words.append(fill(self.statement(node, chosen[id(node)]), head, tail))
        return " ".join(words)

    def bare(self, root: Node, chosen: dict[int, int], *, first_only: bool) -> str:
        """The easy query's statements without hidden concepts (Table 4)."""
        words = ["What"]
        nodes = root.written()
        for node in nodes[:1] if first_only else nodes:
            if len(words) > 1:
                words.append("then" if node.children else "and")
            statement = fill(self.statement(node, chosen[id(node)]), "X" if not node.children else "")
            words.append(" ".join(fill(" ".join(statement.split()), self.name(node)).split()))
        return " ".join(words) + (self.others(nodes, " with ") if first_only else "")

    def normal(self, root: Node, chosen: dict[int, int]) -> str:
        return "What " + " and ".join(self.predicates(root, chosen))

    def predicates(self, node: Node, chosen: dict[int, int]) -> list[str]:
        """What each triple that leads to a node says of it; a head that is no start is described in the same way."""
        said = []
        for child in node.children:
            described = self.predicates(child, chosen)
            head = self.something(described) if described else self.name(child)
            said.append(fill(self.predicate(child, chosen[id(child)], nested=bool(described)), head))
        return said

    def predicate(self, node: Node, word: int, *, nested: bool = False) -> str:
        options = self.templates.questions[self.relation(node)]
        ending = tuple(option for option in options if option.endswith("X"))
        options = ending if nested and ending else options
        return options[below(word, len(options))]

    def something(self, predicates: list[str]) -> str:
        """`something that is caused by X and that Y is used for`."""
        said = (
            text.removeprefix("is something ") if text.startswith(OBJECT_PREFIX) else f"that {text}"
            for text in predicates
        )
        return "something " + " and ".join(said)

    def hard(self, root: Node, word: int) -> str:
        nodes = root.written()
        said = fill(self.predicate(nodes[0], word), self.name(nodes[0]))
        asked = said if nodes[0] in root.children else f"follows from {self.something([said])}"
        return f"What {asked}{self.others(nodes, ' , together with ')}"

    def others(self, nodes: list[Node], opening: str) -> str:
        """The starts but the first, as a list in English."""
        names = [self.name(node) for node in nodes[1:] if not node.children]
        if not names:
            return ""
        return opening + " and ".join([" , ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
