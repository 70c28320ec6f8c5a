from __future__ import annotations

import pytest

from eg3p_lib.relations import (
    EXPLAGRAPHS_RELATIONS,
    RELATION_TEXT,
    RELATIONS,
    UnknownRelationError,
    relation_text,
)


def test_there_are_16_relations_and_28_of_explagraphs() -> None:
    assert (len(RELATIONS), len(set(RELATIONS)), len(EXPLAGRAPHS_RELATIONS)) == (16, 16, 28)
    assert set(RELATION_TEXT.values()) <= EXPLAGRAPHS_RELATIONS


def test_an_unknown_relation_has_no_text() -> None:
    with pytest.raises(UnknownRelationError, match="unknown relation 'likes'"):
        relation_text("likes")


@pytest.mark.realdata
def test_the_28_are_those_of_the_data_set(data_root) -> None:
    lines = (data_root / "explagraphs" / "relations.txt").read_text(encoding="utf-8").split("\n")
    assert set(lines) - {""} == EXPLAGRAPHS_RELATIONS
