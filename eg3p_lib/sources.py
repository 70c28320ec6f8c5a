"""The simulated knowledge source: a graph's triples among others that do not answer its query (paper, section 3)."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Literal

import numpy as np

from eg3p_lib.sampling import RejectedDrawError
from eg3p_lib.store import KnowledgeBase

Distractors = Literal["random", "neighbours"]
_NEIGHBOUR_TRIES = 20
_RANDOM_TRIES = 100


@dataclass(frozen=True)
class Gold:
    """A graph as numbers, as the checks need it."""

    triples: frozenset[int]
    nodes: tuple[int, ...]
    sink: int
    tails: dict[tuple[int, int], int]

    @classmethod
    def of(cls, kb: KnowledgeBase, triples: list[int]) -> Gold:
        """The graph of these triples, in writing order (the last one leads to the answer)."""
        ends = [(int(kb.head[t]), int(kb.relation[t]), int(kb.tail[t])) for t in triples]
        nodes = dict.fromkeys(node for head, _, tail in ends for node in (head, tail))
        return cls(frozenset(triples), tuple(nodes), ends[-1][2], {(head, rel): tail for head, rel, tail in ends})


def refusal(kb: KnowledgeBase, gold: Gold, triple: int, *, only_first_relation: bool) -> str:
    """Why a triple cannot be a distractor, or nothing.

    Every query names its starts. A query that names all relations (easy, normal) has a second answer only where
    some head and relation of the graph lead to a second tail. A hard one names the first relation alone, so there
    no distractor may lead from a concept of the graph out of it, or on from the answer.
    """
    if triple in gold.triples:
        return "distractor_is_gold"
    head, relation, tail = int(kb.head[triple]), int(kb.relation[triple]), int(kb.tail[triple])
    if gold.tails.get((head, relation), tail) != tail:
        return "distractor_second_tail"
    if only_first_relation and head in gold.nodes and (tail not in gold.nodes or head == gold.sink):
        return "distractor_second_path"
    return ""


def draw_source(
    kb: KnowledgeBase,
    rng: np.random.Generator,
    gold: Gold,
    kind: Distractors,
    refused: Counter[str],
    *,
    only_first_relation: bool,
) -> list[int]:
    """The numbers of the source's triples, shuffled: the graph's k, and distractors up to ceil(1.5 k) .. 2 k in all.

    Args:
        kind: `random` triples of the knowledge base, or `neighbours`: triples at the graph's concepts (where 20
            draws give none, a random one is taken).
        refused: Counts the distractors drawn but not taken, by reason.

    Raises:
        RejectedDrawError: too_few_distractors.
    """
    size = len(gold.triples)
    wanted = int(rng.integers((3 * size + 1) // 2, 2 * size + 1)) - size
    taken: dict[int, None] = {}
    for _ in range(wanted):
        taken[_draw_distractor(kb, rng, gold, kind, refused, taken, only_first_relation)] = None
    everything = [*sorted(gold.triples), *taken]
    return [everything[place] for place in rng.permutation(len(everything))]


def _draw_distractor(
    kb: KnowledgeBase,
    rng: np.random.Generator,
    gold: Gold,
    kind: Distractors,
    refused: Counter[str],
    taken: dict[int, None],
    only_first_relation: bool,
) -> int:
    near = _NEIGHBOUR_TRIES if kind == "neighbours" else 0
    for attempt in range(near + _RANDOM_TRIES):
        triple = _draw_neighbour(kb, rng, gold) if attempt < near else int(rng.integers(len(kb)))
        repeated = "distractor_repeated" if triple in taken else ""
        reason = repeated or refusal(kb, gold, triple, only_first_relation=only_first_relation)
        if not reason:
            return triple
        refused[reason] += 1
    raise RejectedDrawError("too_few_distractors")


def _draw_neighbour(kb: KnowledgeBase, rng: np.random.Generator, gold: Gold) -> int:
    """Any triple at any concept of the graph."""
    node = gold.nodes[int(rng.integers(len(gold.nodes)))]
    incoming, outgoing = kb.incoming(node), kb.outgoing(node)
    place = int(rng.integers(len(incoming) + len(outgoing)))
    return incoming[place] if place < len(incoming) else int(outgoing[place - len(incoming)])
