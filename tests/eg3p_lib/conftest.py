"""Fixtures of the explanation-graph tests: the built-in knowledge, small files, and parameters."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from eg3p_lib.knowledge import starter_knowledge
from eg3p_lib.params import GraphSynthesisParams
from eg3p_lib.store import KnowledgeBase


@pytest.fixture(scope="session")
def starter() -> KnowledgeBase:
    return starter_knowledge()


@pytest.fixture
def make_file(tmp_path: Path) -> Callable[[str, str], Path]:
    """Write a small file byte for byte, and give its path."""

    def write(text: str, name: str = "kb.tsv") -> Path:
        path = tmp_path / name
        path.write_bytes(text.encode("utf-8"))
        return path

    return write


@pytest.fixture(scope="session")
def make_params() -> Callable[..., GraphSynthesisParams]:
    """Parameters of a small corpus, with changes."""
    values: dict[str, Any] = {
        "knowledge": ["starter"],
        "language": "en",
        "min_weight": 0.0,
        "graphs": 100,
        "seed": 13,
        "incoming": [1.0, 1.0, 1.0],
        "max_depth": 3,
        "min_triples": 1,
        "max_triples": 8,
        "levels": ["easy", "normal", "hard"],
        "distractors": "random",
        "templates": "default",
        "workers": 1,
    }
    return lambda **changes: GraphSynthesisParams.make({**values, **changes})
