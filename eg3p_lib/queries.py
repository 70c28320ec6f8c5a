"""The easy, normal and hard query of a graph, and the whole input text (paper, section 4.2, Tables 4 and 6).

- easy: all triples as statements in the graph's order, with the answer and the nodes between hidden;
- normal: the same as one English question, in which a hidden node is described by the triples that lead to it;
- hard: the starts and the first relation alone.

With templates that have statements only (the paper's own, `verbatim`), normal and hard queries are the statements
without their hidden concepts, as in Table 4.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from eg3p_lib.chance import Integers, Words, below
from eg3p_lib.graphs import ExplanationGraph
from eg3p_lib.pieces import ABSENT, Column, Vocabulary
from eg3p_lib.relations import RELATIONS
from eg3p_lib.sampling import Forest
from eg3p_lib.store import KnowledgeBase
from eg3p_lib.templates import Templates, fill, split_template

Level = Literal["easy", "normal", "hard"]
LEVELS: tuple[Level, ...] = get_args(Level)
SEPARATOR = " [SEP] "
ANSWER = "[ANSWER]"
INTERMEDIATE = "[I_E]"
OBJECT_PREFIX = "is something that "


def split_source(source: str) -> tuple[str, str, ExplanationGraph]:
    """Starts, query and knowledge of an input text, for checks and views.

    >>> split_source("rain [SEP] What is caused by rain ? [SEP] rain : causes : mud")[1]
    'What is caused by rain ?'
    """
    starts, query, knowledge = source.split(SEPARATOR)
    return starts, query, ExplanationGraph.parse(knowledge)


class Choices:
    """For each relation some templates, of which one is drawn; their pieces as columns of numbers.

    Args:
        groups: For each relation its templates, each as the same number of texts.
    """

    def __init__(self, vocabulary: Vocabulary, groups: Iterable[Iterable[Sequence[str]]]):
        lists = [list(group) for group in groups]
        self.count = np.array([len(group) for group in lists], np.int64)
        self.first = np.cumsum(self.count) - self.count
        self.pieces = np.array([vocabulary.pieces(template) for group in lists for template in group])

    def draw(self, relation: npt.NDArray[np.integer], word: Words) -> npt.NDArray[np.int64]:
        """The pieces of one template for each relation: (parts, ...)."""
        relation = np.maximum(relation, 0)
        return np.moveaxis(self.pieces[self.first[relation] + below(word, self.count[relation])], -1, 0)


class QueryWriter:
    """Writes the queries of blocks of graphs.

    Args:
        kb: The concepts of the graphs are its own, by their numbers.
        templates: What is said of a triple.
    """

    def __init__(self, kb: KnowledgeBase, templates: Templates):
        self.kb, self.templates = kb, templates
        self.vocabulary = Vocabulary(kb.concepts)
        piece = self.vocabulary.piece
        self.nothing = piece("")
        self._relations = self.vocabulary.pieces(f" : {relation} : " for relation in RELATIONS)
        self._answer, self._intermediate = piece(ANSWER), piece(INTERMEDIATE)

    # ------------------------------------------------------------------ the parts of an input text

    def knowledge(self, triples: Integers) -> list[Column]:
        """`h : r : t | h : r : t`; triples (any, graphs), absent ones -1 and last."""
        columns: list[Column] = []
        bar = self.vocabulary.piece(" | ")
        for number, triple in enumerate(triples):
            there = triple != ABSENT
            relation = self._relations[self.kb.relation[triple]]
            parts = (np.full(len(triple), bar if number else self.nothing), self.kb.head[triple], relation)
            columns += [np.where(there, part, ABSENT) for part in (*parts, self.kb.tail[triple])]
        return columns

    def starts(self, forest: Forest) -> list[Column]:
        """`start | start`, in writing order."""
        columns: list[Column] = []
        bar = self.vocabulary.piece(" | ")
        before = np.zeros(len(forest.used), bool)
        for start in self.start_columns(forest):
            there = start != ABSENT
            columns += [np.where(there & before, bar, ABSENT), start]
            before |= there
        return columns

    def start_columns(self, forest: Forest) -> list[Column]:
        """The starts in writing order, one column a triple, absent where its head is no start."""
        is_start = (forest.order != ABSENT) & forest.in_order(forest.is_start)
        return list(np.where(is_start, forest.in_order(forest.node), ABSENT))

    def constant(self, text: str, graphs: int) -> list[Column]:
        """The same text in all of them."""
        return [np.full(graphs, self.vocabulary.piece(text))]

    def query(self, level: Level, forest: Forest, words: Words) -> list[Column]:
        """The query of each graph, without starts and question mark.

        Args:
            words: Choose the templates: (max_triples, graphs), the nth for the nth written triple.
        """
        if level == "easy":
            return self._easy(forest, words)
        if not self.templates.questions:
            return self._bare(forest, words, first_only=level == "hard")
        return self._normal(forest, words) if level == "normal" else self._hard(forest, words)

    # ------------------------------------------------------------------ easy

    @cached_property
    def _statements(self) -> Choices:
        """The five parts of each statement: its two slots as they come, and the text around them."""
        return Choices(self.vocabulary, (map(split_template, self.templates.statements[r]) for r in RELATIONS))

    def _easy(self, forest: Forest, words: Words) -> list[Column]:
        parts = self._statements.draw(self._written_relations(forest), words)
        head, tail = self._shown(forest)
        is_head = parts == self.vocabulary.piece("X")
        filled = np.where(is_head, head, np.where(parts == self.vocabulary.piece("Y"), tail, parts))
        written = [column for nth, joint in enumerate(self._joints(forest)) for column in (joint, *filled[:, nth])]
        return self._where_written(forest, written)

    def _where_written(self, forest: Forest, columns: list[Column]) -> list[Column]:
        """The columns, the same number for each written triple, without those of triples that are not there."""
        each = len(columns) // len(forest.order)
        return [np.where(forest.order[n // each] == ABSENT, ABSENT, column) for n, column in enumerate(columns)]

    def _written_relations(self, forest: Forest) -> Integers:
        return np.where(forest.triples == ABSENT, ABSENT, self.kb.relation[forest.triples])

    def _shown(self, forest: Forest) -> tuple[Integers, Integers]:
        """Head and tail of each written triple as an easy query shows them: only starts by their names."""
        head = np.where(forest.in_order(forest.is_start), forest.in_order(forest.node), self._intermediate)
        tail = np.where(forest.in_order(forest.parent) == 0, self._answer, self._intermediate)
        return head, tail

    def _joints(self, forest: Forest) -> list[Column]:
        """What stands before each statement: `and` where it brings in a start, else `then`."""
        brings_start = forest.in_order(forest.is_start)
        joints = np.where(brings_start, self.vocabulary.piece(" and "), self.vocabulary.piece(" then "))
        joints[0] = self.nothing
        return list(joints)

    # ------------------------------------------------------------------ normal and hard, in English

    @cached_property
    def _predicates(self) -> Choices:
        return Choices(self.vocabulary, (map(_predicate, self.templates.questions[r]) for r in RELATIONS))

    @cached_property
    def _closing_predicates(self) -> Choices:
        """Those that end with the head, where a relation has such: a description of it then comes last."""
        groups = []
        for relation in RELATIONS:
            options = self.templates.questions[relation]
            groups.append([_predicate(text) for text in options if text.endswith("X")] or map(_predicate, options))
        return Choices(self.vocabulary, groups)

    def _drawn_predicates(self, forest: Forest, words: Words) -> npt.NDArray[np.int64]:
        """For each slot: the predicate's text before the head, the same inside a description, and after the head."""
        slots, graphs = np.nonzero(forest.node[1:] != ABSENT)
        slots += 1
        word = words[forest.begin[slots, graphs] + forest.subtree[slots, graphs] - 1, graphs]
        relation = self.kb.relation[forest.triple[slots, graphs]]
        open_, closing = self._predicates.draw(relation, word), self._closing_predicates.draw(relation, word)
        drawn = np.full((3, *forest.node.shape), ABSENT, np.int64)
        drawn[:, slots, graphs] = np.where(forest.is_start[slots, graphs], open_, closing)
        return drawn

    def _normal(self, forest: Forest, words: Words) -> list[Column]:
        """A walk through the tree: a slot's predicate opens, the description of its head follows, then it closes."""
        top, nested, after = self._drawn_predicates(forest, words)
        slots, graphs = np.nonzero(forest.node[1:] != ABSENT)
        slots += 1
        parent, begin = forest.parent[slots, graphs], forest.begin[slots, graphs]
        step = 2 * begin + _path_lengths(forest)[slots, graphs] - 1
        end = step + 2 * forest.subtree[slots, graphs] - 1
        is_first = begin == forest.begin[parent, graphs]
        at_top = parent == 0
        piece = self.vocabulary.piece
        joint = np.where(is_first, np.where(at_top, piece("What "), piece("something ")), piece(" and "))
        walk = np.full((3, 2 * (len(forest.node) - 1), len(forest.used)), ABSENT, np.int64)
        walk[0, step, graphs] = joint
        walk[1, step, graphs] = np.where(at_top, top[slots, graphs], nested[slots, graphs])
        walk[2, step, graphs] = np.where(forest.is_start[slots, graphs], forest.node[slots, graphs], ABSENT)
        walk[0, end, graphs] = after[slots, graphs]
        return [column for step_ in range(walk.shape[1]) for column in walk[:, step_]]

    def _hard(self, forest: Forest, words: Words) -> list[Column]:
        first = forest.order[0]
        graphs = np.arange(len(first))
        start, is_answer = forest.node[first, graphs], forest.parent[first, graphs] == 0
        top, nested, after = self._predicates.draw(self.kb.relation[forest.triple[first, graphs]], words[0])
        piece = self.vocabulary.piece
        asked = np.where(is_answer, piece("What "), piece("What follows from something "))
        return [asked, np.where(is_answer, top, nested), start, after, *self._others(forest, " , together with ")]

    def _others(self, forest: Forest, opening: str) -> list[Column]:
        """The starts but the first, as a list in English."""
        starts = np.array(self.start_columns(forest))[1:]
        there = starts != ABSENT
        place, number = np.cumsum(there, axis=0), there.sum(axis=0)
        piece = self.vocabulary.piece
        joints = np.where(place == 1, piece(opening), np.where(place == number, piece(" and "), piece(" , ")))
        joints = np.where(there, joints, ABSENT)
        return [column for pair in zip(joints, starts, strict=True) for column in pair]

    # ------------------------------------------------------------------ normal and hard, as in the paper

    @cached_property
    def _bare_statements(self) -> Choices:
        """For each statement without its tail: the text before the head, after it, and the whole without the head."""
        groups = [[_bare(text) for text in self.templates.statements[r]] for r in RELATIONS]
        return Choices(self.vocabulary, groups)

    def _bare(self, forest: Forest, words: Words, *, first_only: bool) -> list[Column]:
        before, after, whole = self._bare_statements.draw(self._written_relations(forest), words)
        head, is_start = forest.in_order(forest.node), forest.in_order(forest.is_start)
        first = np.where(is_start, before, whole)
        head, after = np.where(is_start, head, ABSENT), np.where(is_start, after, ABSENT)
        joints = self._joints(forest)
        written = [part for n, joint in enumerate(joints) for part in (joint, first[n], head[n], after[n])]
        written = self._where_written(forest, written)
        opening = self.constant("What ", len(forest.used))
        return [*opening, *written[:4], *self._others(forest, " with ")] if first_only else opening + written


def _path_lengths(forest: Forest) -> Integers:
    """The number of triples from each slot to the answer."""
    lengths = np.zeros_like(forest.node)
    graphs = np.arange(lengths.shape[1])
    for slot in range(1, len(lengths)):
        lengths[slot] = lengths[forest.parent[slot], graphs] + 1
    return lengths


def _predicate(text: str) -> tuple[str, str, str]:
    """A question predicate around its slot: before it, the same inside `something that ...`, and after it."""
    before, _, after = split_template(text)
    nested = before.removeprefix("is something ") if before.startswith(OBJECT_PREFIX) else f"that {before}"
    return before, nested, after


def _bare(text: str) -> tuple[str, str, str]:
    """A statement without its tail: before the head, after it, and all of it without the head."""
    before, _, after = split_template(" ".join(fill(text, "X").split()))
    return before, after, " ".join(f"{before} {after}".split())
