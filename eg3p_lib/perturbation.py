"""Graphs made wrong on purpose, to train the model of semantic correctness: structure kept, meaning changed."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from eg3p_lib.relations import EXPLAGRAPHS_RELATIONS
from eg3p_lib.structure import Triples, is_structure

TRIES = 50
_RELATIONS = sorted(EXPLAGRAPHS_RELATIONS)

Change = Callable[[Triples, np.random.Generator], Triples]


def replaced_relation(edges: Triples, rng: np.random.Generator) -> Triples:
    """One edge gets another relation of the data set."""
    place = int(rng.integers(len(edges)))
    head, old, tail = edges[place]
    others = [relation for relation in _RELATIONS if relation != old]
    return [*edges[:place], (head, others[rng.integers(len(others))], tail), *edges[place + 1 :]]


def reversed_edge(edges: Triples, rng: np.random.Generator) -> Triples:
    """One edge leads the other way."""
    place = int(rng.integers(len(edges)))
    head, relation, tail = edges[place]
    return [*edges[:place], (tail, relation, head), *edges[place + 1 :]]


def swapped_concepts(edges: Triples, rng: np.random.Generator) -> Triples:
    """Two concepts take each other's places."""
    concepts = list(dict.fromkeys(concept for head, _, tail in edges for concept in (head, tail)))
    one, other = (concepts[k] for k in rng.choice(len(concepts), 2, replace=False))
    put = {one: other, other: one}
    return [(put.get(head, head), relation, put.get(tail, tail)) for head, relation, tail in edges]


CHANGES: dict[str, Change] = {
    "replaced_relation": replaced_relation,
    "reversed_edge": reversed_edge,
    "swapped_concepts": swapped_concepts,
}


def perturbed(edges: Triples, belief: str, argument: str, rng: np.random.Generator) -> tuple[str, Triples] | None:
    """The graph with one change, and the change's name; still structurally correct, so that only meaning tells.

    None where no change was found, as with a graph that was not structurally correct.

    >>> edges = [("cars", "causes", "smoke"), ("smoke", "is a", "harm"), ("harm", "causes", "pain")]
    >>> perturbed(edges, "cars harm", "smoke, pain", np.random.default_rng(3))
    ('swapped_concepts', [('pain', 'causes', 'smoke'), ('smoke', 'is a', 'harm'), ('harm', 'causes', 'cars')])
    """
    names = list(CHANGES)
    for _ in range(TRIES):
        name = names[rng.integers(len(names))]
        changed = CHANGES[name](edges, rng)
        if set(changed) != set(edges) and is_structure(changed, belief, argument):
            return name, changed
    return None
