"""Graphs made wrong: one change, the structure kept."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eg3p_lib.explagraphs import read_explagraphs
from eg3p_lib.explagraphs_data import STARTER
from eg3p_lib.perturbation import CHANGES, perturbed, replaced_relation, reversed_edge, swapped_concepts
from eg3p_lib.structure import is_structure, triples_of

EDGES = [("cars", "causes", "smoke"), ("smoke", "is a", "harm"), ("harm", "not desires", "people")]
BELIEF, ARGUMENT = "cars harm people", "smoke from cars"


@given(st.integers(0, 2**32 - 1))
def test_each_change_does_what_it_says(seed: int) -> None:
    rng = np.random.default_rng(seed)
    relation = replaced_relation(EDGES, rng)
    assert [(h, t) for h, _, t in relation] == [(h, t) for h, _, t in EDGES]
    assert sum(edge not in EDGES for edge in relation) == 1
    turned = reversed_edge(EDGES, rng)
    assert next(edge for edge in turned if edge not in EDGES)[::-1] in EDGES
    swapped = swapped_concepts(EDGES, rng)
    assert [r for _, r, _ in swapped] == [r for _, r, _ in EDGES]
    assert {c for h, _, t in swapped for c in (h, t)} == {c for h, _, t in EDGES for c in (h, t)}


@given(st.integers(0, 2**32 - 1))
def test_what_is_perturbed_is_another_right_structure(seed: int) -> None:
    found = perturbed(EDGES, BELIEF, ARGUMENT, np.random.default_rng(seed))
    assert found is not None
    name, edges = found
    assert name in CHANGES
    assert is_structure(edges, BELIEF, ARGUMENT)
    assert set(edges) != set(EDGES)
    assert found == perturbed(EDGES, BELIEF, ARGUMENT, np.random.default_rng(seed))


def test_what_cannot_be_right_is_given_up() -> None:
    assert perturbed(EDGES, "nothing", "at all", np.random.default_rng(1)) is None


def test_all_changes_are_drawn() -> None:
    rows = read_explagraphs(STARTER / "train.tsv")
    rng = np.random.default_rng(1)
    found = Counter(perturbed(triples_of(row.graph), row.belief, row.argument, rng)[0] for row in rows)  # type: ignore[index]
    assert found.keys() == CHANGES.keys()
    assert min(found.values()) >= len(rows) // 6


@pytest.mark.realdata
def test_nearly_all_official_graphs_can_be_perturbed(data_root: Path) -> None:
    rows = read_explagraphs(data_root / "explagraphs" / "dev.tsv")
    rng = np.random.default_rng(1)
    assert all(perturbed(triples_of(row.graph), row.belief, row.argument, rng) for row in rows)
