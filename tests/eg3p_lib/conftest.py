"""Fixtures of the explanation-graph tests: knowledge built in, by hand and real, forests by hand, and parameters."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from eg3p_lib.knowledge import read_knowledge, starter_knowledge
from eg3p_lib.params import GraphSynthesisParams
from eg3p_lib.sampling import Forest
from eg3p_lib.store import KnowledgeBase

Edge = tuple[str, str, str]


@pytest.fixture(scope="session")
def starter() -> KnowledgeBase:
    return starter_knowledge()


@pytest.fixture(scope="session")
def omcs(data_root: Path) -> KnowledgeBase:
    """A slice of ConceptNet: 100,000 of its triples."""
    return read_knowledge(sorted((data_root / "conceptnet" / "omcs100k").glob("*.txt")))


@pytest.fixture
def make_file(tmp_path: Path) -> Callable[[str, str], Path]:
    """Write a small file byte for byte, and give its path."""

    def write(text: str, name: str = "kb.tsv") -> Path:
        path = tmp_path / name
        path.write_bytes(text.encode("utf-8"))
        return path

    return write


@pytest.fixture(scope="session")
def make_kb(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Iterable[Edge]], KnowledgeBase]:
    """A knowledge base of (head, relation, tail) triples."""
    path = tmp_path_factory.mktemp("knowledge") / "kb.tsv"

    def make(edges: Iterable[Edge]) -> KnowledgeBase:
        path.write_text("".join(f"{relation}\t{head}\t{tail}\n" for head, relation, tail in edges), encoding="utf-8")
        return read_knowledge([path])

    return make


@pytest.fixture(scope="session")
def number_of() -> Callable[[KnowledgeBase, Edge], int]:
    """The number of a triple in a knowledge base."""
    return lambda kb, edge: next(number for number in range(len(kb)) if kb.edge(number) == edge)


@pytest.fixture(scope="session")
def forest_of(number_of: Callable[[KnowledgeBase, Edge], int]) -> Callable[..., Forest]:
    """The forest of some trees, each given by its edges in writing order; slots are filled breadth first."""

    def make(kb: KnowledgeBase, *trees: Sequence[Edge]) -> Forest:
        slots = max(map(len, trees)) + 1
        node, triple, parent = (np.full((slots, len(trees)), -1, np.int64) for _ in range(3))
        depth = np.zeros((slots, len(trees)), np.int64)
        for graph, edges in enumerate(trees):
            found = [edges[-1][2]]
            node[0, graph] = kb.number(found[0])
            for place, concept in enumerate(found):  # grows while it goes by
                for edge in edges:
                    if edge[2] == concept:
                        slot = len(found)
                        node[slot, graph], triple[slot, graph] = kb.number(edge[0]), number_of(kb, edge)
                        parent[slot, graph], depth[slot, graph] = place, depth[place, graph] + 1
                        found.append(edge[0])
        return Forest(node, triple, parent, (node != -1).sum(axis=0), depth.max(axis=0))

    return make


@pytest.fixture(scope="session")
def make_params() -> Callable[..., GraphSynthesisParams]:
    """Parameters of a small corpus, with changes."""
    values: dict[str, Any] = {
        "knowledge": ["starter"],
        "language": "en",
        "min_weight": 0.0,
        "relations": [],
        "merges": "default",
        "held_out": [],
        "task": "text-to-graph",
        "graphs": 100,
        "seed": 13,
        "incoming": [1.0, 1.0, 1.0],
        "max_depth": 3,
        "min_triples": 1,
        "max_triples": 8,
        "levels": {"easy": 1.0, "normal": 1.0, "hard": 1.0},
        "distractors": "random",
        "templates": "default",
        "workers": 1,
    }
    return lambda **changes: GraphSynthesisParams.make({**values, **changes})


@pytest.fixture(scope="session")
def tiny_bert(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A BERT with random weights and a vocabulary of letters, as a model folder."""
    from transformers import BertConfig, BertModel, BertTokenizerFast

    folder = tmp_path_factory.mktemp("models") / "tiny_bert"
    folder.mkdir()
    letters = [*"abcdefghijklmnopqrstuvwxyz;.,"]
    tokens = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *letters, *(f"##{letter}" for letter in letters)]
    (folder / "vocab.txt").write_text("\n".join(tokens), encoding="utf-8")
    BertTokenizerFast(str(folder / "vocab.txt")).save_pretrained(folder)
    sizes = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 32}
    BertModel(BertConfig(vocab_size=len(tokens), max_position_embeddings=64, **sizes)).save_pretrained(folder)
    return folder
