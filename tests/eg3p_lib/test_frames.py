"""Knowledge from a pandas DataFrame or a networkx graph."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import networkx as nx
import numpy as np
import pandas as pd
import pytest

from eg3p_lib.frames import knowledge_from
from eg3p_lib.graphs import ExplanationGraph
from eg3p_lib.knowledge import read_knowledge
from eg3p_lib.merges import Merged
from eg3p_lib.store import KnowledgeBase, KnowledgeError
from workbench_lib.errors import InputError


def edges(kb: KnowledgeBase) -> list[tuple[str, str, str]]:
    return [kb.edge(number) for number in range(len(kb))]


def test_rows_are_judged_as_lines_are(make_file: Callable[..., Path]) -> None:
    rows = [
        ("IsA", "Guide_dog", "pet", 1.0),
        ("IsA", "guide dog", "pet", 2.0),
        ("HasA", "dog", "tail", 0.5),
        ("IsA", "dog", "fish", 0.0),
        ("IsA", "dog", "stone", -1.0),
        ("RelatedTo", "dog", "cat", 1.0),
        ("IsA", "dog", "Dog", 1.0),
        ("IsA", "/c/en/dog/n", "/c/fr/animal", 1.0),
    ]
    file = make_file("".join("\t".join(map(str, row)) + "\n" for row in rows))
    frame = pd.DataFrame(rows, columns=["relation", "head", "tail", "weight"])
    of_file, of_frame = read_knowledge([file], min_weight=0.6), knowledge_from(frame, "mine", min_weight=0.6)
    assert edges(of_frame) == edges(of_file) == [("guide dog", "isa", "pet")]
    assert of_frame.skipped == of_file.skipped
    assert of_frame.skipped == dict.fromkeys(
        ["duplicate", "low_weight", "other_language", "self_loop", "unmapped_relation"], 1
    ) | {"negative": 2}
    assert of_frame.lines == 8
    assert of_frame.triple(0).weight == 2.0
    assert of_frame.triple(0).source == "mine"


def test_the_other_columns_say_more(make_file: Callable[..., Path]) -> None:
    frame = pd.DataFrame(
        {
            "head": ["dog", "dog", "cat"],
            "relation": ["has a", "is a", "is a"],
            "tail": ["/c/en/tail/n", "pet", "pet"],
            "label": [True, False, None],
            "source": ["a", "b", None],
            "dataset": ["/d/x", None, ""],
            "head_sense": ["n/wn/animal", None, None],
        }
    )
    kb = knowledge_from(frame, "mine", merges={"has a": Merged("partof", reverse=True)})
    assert list(kb.triples()) == [
        ("tail", "partof", "dog", 1.0, "a", "/d/x", "n", "n/wn/animal"),
        ("cat", "isa", "pet", 1.0, "mine", "", "", ""),
    ]
    assert {name: (c.lines, c.kept, c.skipped) for name, c in kb.counts.items()} == {
        "a": (1, 1, {}),
        "b": (1, 0, {"negative": 1}),
        "mine": (1, 1, {}),
    }


def test_a_knowledge_base_as_a_frame_gives_itself(starter: KnowledgeBase) -> None:
    again = knowledge_from(starter.table.to_pandas(), "again")
    assert list(again.triples()) == list(starter.triples())
    assert again.counts == starter.counts


def test_what_is_no_text_makes_a_row_malformed() -> None:
    frame = pd.DataFrame(
        {
            "head": ["dog", None, 7, "dog", "dog", "dog"],
            "relation": ["isa", "isa", "isa", np.nan, "isa", "isa"],
            "tail": ["pet", "pet", "pet", "pet", ["cat"], "fish"],
            "weight": [1, 1, 1, 1, 1, "much"],
        },
        index=[9] * 6,
    )
    kb = knowledge_from(frame, "mine")
    assert (len(kb), kb.skipped, kb.lines) == (1, {"malformed": 5}, 6)
    assert [fault.split(":")[0] for fault in kb.counts["mine"].faults] == [f"row {n}" for n in range(2, 7)]
    assert "row 4: the relation nan is not a text" in kb.counts["mine"].faults[2]
    assert "the weight 'much' is not a number" in kb.counts["mine"].faults[4]


def test_mostly_malformed_rows_are_an_error_that_names_the_first() -> None:
    frame = pd.DataFrame({"head": ["dog"] * 20, "relation": ["isa"] * 20, "tail": ["pet"] * 9 + [None] * 11})
    with pytest.raises(InputError, match=r"mine, row 10: the tail .* is not a text \(11 of 20 rows are malformed\)"):
        knowledge_from(frame, "mine")


def test_a_missing_column_is_named() -> None:
    with pytest.raises(
        KnowledgeError, match="mine: needs the columns head, relation and tail; there is no relation, tail"
    ):
        knowledge_from(pd.DataFrame({"head": ["dog"], "rel": ["isa"]}), "mine")


def test_edges_of_a_graph() -> None:
    graph = nx.MultiDiGraph()
    graph.add_edge("dog", "pet", relation="IsA", weight=2.5)
    graph.add_edge("dog", "pet", relation="/r/HasProperty")
    graph.add_edge("dog", "cat", relation="RelatedTo")
    graph.add_edge("dog", 3, relation="IsA")
    kb = knowledge_from(graph, "mine")
    assert [t[:4] for t in kb.triples()] == [("dog", "isa", "pet", 2.5), ("dog", "hasproperty", "pet", 1.0)]
    assert kb.skipped == {"malformed": 1, "unmapped_relation": 1}
    assert kb.lines == 4


def test_an_explanation_graph_is_one_of_them() -> None:
    graph = ExplanationGraph.parse("cake : causes : joy | party : hassubevent : joy")
    assert edges(knowledge_from(graph.to_networkx(), "mine")) == list(graph.edges)


def test_graphs_that_cannot_be_read() -> None:
    with pytest.raises(KnowledgeError, match="the graph is not directed"):
        knowledge_from(nx.Graph([("a", "b")]), "mine")
    with pytest.raises(KnowledgeError, match="there is no relation"):
        knowledge_from(nx.DiGraph([("a", "b")]), "mine")
    with pytest.raises(KnowledgeError, match="no triple of mine was kept"):
        knowledge_from(nx.DiGraph(), "mine")
