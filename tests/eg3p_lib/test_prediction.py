"""The corpora of the paper's baselines: formats, every triple once a round, and splits by triples."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any, get_args

import pyarrow as pa
import pytest

from eg3p_lib.prediction import PARTS, PredictionMaker, PredictionTask
from eg3p_lib.sampling import Shape
from eg3p_lib.store import KnowledgeBase
from eg3p_lib.synthesis import GraphMaker, GraphRules

Triple = tuple[str, str, str]
TASKS: tuple[PredictionTask, ...] = get_args(PredictionTask)
FEW = [
    ("attention", "causes", "make people laugh"),
    ("product", "isa", "number"),
    ("dog", "capableof", "guard house"),
    ("rain", "causes", "mud"),
]


def rows_of(kb: KnowledgeBase, task: PredictionTask, start: int, stop: int, seed: int = 3) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = PredictionMaker(kb, seed, task).block(start, stop).table.to_pylist()
    return rows


def triple_of(row: dict[str, Any]) -> Triple:
    """The triple that an example is about, from its texts."""
    prompt, told = row["source"].split(": ", 1)
    assert prompt == f"predict {row['part']}"
    fields = told.split(" | ")
    assert len(fields) == 2
    fields.insert(PARTS.index(row["part"]), row["target"])
    return fields[0], fields[1], fields[2]


def test_the_formats_of_table_4(make_kb: Callable[..., KnowledgeBase]) -> None:
    """`predict tail: attention | causes` to `make_people_laugh`, and the same for the other parts."""
    texts = {
        (row["source"], row["target"])
        for task in TASKS
        for row in rows_of(make_kb(FEW[:1]), task, 0, 3)  # one triple: three rounds
    }
    assert texts == {
        ("predict head: causes | make people laugh", "attention"),
        ("predict relation: attention | make people laugh", "causes"),
        ("predict tail: attention | causes", "make people laugh"),
    }


@pytest.mark.parametrize("task", TASKS)
def test_every_triple_comes_once_a_round(starter: KnowledgeBase, task: PredictionTask) -> None:
    known = {starter.edge(number) for number in range(len(starter))}
    rounds = [rows_of(starter, task, k * len(starter), (k + 1) * len(starter)) for k in range(3)]
    orders = [[triple_of(row) for row in rows] for rows in rounds]
    assert orders[0] == orders[1] == orders[2]
    assert len(orders[0]) == len(known)
    assert set(orders[0]) == known
    assert orders[0] != sorted(orders[0], key=lambda edge: (edge[2], edge[1], edge[0]))


@pytest.mark.parametrize("task", ["head-prediction", "tail-prediction"])
def test_one_part_is_asked_for(starter: KnowledgeBase, task: PredictionTask) -> None:
    assert {row["part"] for row in rows_of(starter, task, 0, 500)} == {task.split("-")[0]}


def test_link_prediction_asks_for_each_part_over_three_rounds(starter: KnowledgeBase) -> None:
    rows = rows_of(starter, "link-prediction", 0, 3 * len(starter))
    asked = Counter((triple_of(row), row["part"]) for row in rows)
    assert len(asked) == 3 * len(starter)
    first = Counter(row["part"] for row in rows[: len(starter)])
    assert all(abs(first[part] - len(starter) / 3) < 4.5 * (len(starter) * 2 / 9) ** 0.5 for part in PARTS)


def test_no_triple_is_in_both_splits(starter: KnowledgeBase) -> None:
    """Of any task and seed; nor is the split another one where the knowledge is."""
    splits: dict[Triple, str] = {}
    for task in TASKS:
        for seed in (1, 2):
            for row in rows_of(starter, task, 0, 2 * len(starter), seed):
                assert splits.setdefault(triple_of(row), row["split"]) == row["split"]
    share = Counter(splits.values())["validation"] / len(splits)
    assert abs(share - 1 / 50) < 4.5 * (0.02 * 0.98 / len(splits)) ** 0.5


def test_a_triple_is_in_the_split_of_its_graph(starter: KnowledgeBase) -> None:
    """The graph of one triple that a text-to-graph corpus has is in the same split."""
    one = GraphMaker(starter, 1, GraphRules(Shape(max_triples=1), {"easy": 1.0})).block(0, 3000).table.to_pylist()
    graphs = {row["target"]: row["split"] for row in one}
    triples = {" : ".join(triple_of(r)): r["split"] for r in rows_of(starter, "tail-prediction", 0, len(starter))}
    assert graphs.items() <= triples.items()
    assert "validation" in graphs.values()


@pytest.mark.parametrize("task", TASKS)
def test_an_example_is_the_same_in_any_block(starter: KnowledgeBase, task: PredictionTask) -> None:
    maker, size = PredictionMaker(starter, 7, task), len(starter)
    whole = maker.block(size - 50, size + 50).table
    parts = [maker.block(*ends).table for ends in ((size - 50, size - 3), (size - 3, size + 1), (size + 1, size + 50))]
    assert pa.concat_tables(parts).equals(whole)
    assert whole["example"].to_pylist() == list(range(size - 50, size + 50))
    other = PredictionMaker(starter, 8, task).block(size - 50, size + 50).table
    assert other["source"].to_pylist() != whole["source"].to_pylist()


def test_the_first_examples_stay_what_they_are(make_kb: Callable[..., KnowledgeBase]) -> None:
    """On every machine and in every version, as the graphs do."""
    rows = rows_of(make_kb(FEW), "link-prediction", 0, 5)
    assert [(row["source"], row["target"]) for row in rows] == [
        ("predict tail: rain | causes", "mud"),
        ("predict tail: attention | causes", "make people laugh"),
        ("predict head: capableof | guard house", "dog"),
        ("predict tail: product | isa", "number"),
        ("predict head: causes | mud", "rain"),
    ]
