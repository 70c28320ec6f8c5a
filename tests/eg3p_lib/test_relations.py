from __future__ import annotations

import pytest

from eg3p_lib.relations import (
    EXPLAGRAPHS_RELATIONS,
    RELATION_TEXT,
    RELATIONS,
    Merged,
    UnknownRelationError,
    relation_index,
    relation_key,
    relation_text,
)


def merged(name: str) -> Merged | None:
    return relation_index().get(relation_key(name))


def test_there_are_16_relations_and_28_of_explagraphs() -> None:
    assert (len(RELATIONS), len(set(RELATIONS)), len(EXPLAGRAPHS_RELATIONS)) == (16, 16, 28)
    assert set(RELATION_TEXT.values()) <= EXPLAGRAPHS_RELATIONS


@pytest.mark.parametrize(
    ("name", "relation", "reverse"),
    [
        ("DistinctFrom", "antonym", False),
        ("LocatedNear", "atlocation", False),
        ("CausesDesire", "causes", False),
        ("MotivatedByGoal", "causes", True),
        ("InstanceOf", "isa", False),
        ("DefinedAs", "isa", False),
        ("HasPrerequisite", "hassubevent", False),
        ("Entails", "hassubevent", False),
        ("MannerOf", "hassubevent", False),
        ("HasA", "partof", True),
        ("/r/UsedFor", "usedfor", False),
        ("usedfor", "usedfor", False),
        ("not capable of", "notcapableof", False),
    ],
)
def test_relations_merge_as_designed(name: str, relation: str, reverse: bool) -> None:
    assert merged(name) == Merged(relation, reverse)


@pytest.mark.parametrize("name", ["RelatedTo", "SimilarTo", "Synonym", "/r/dbpedia/genre", "mw:IsPOSFormOf", ""])
def test_other_relations_are_dropped(name: str) -> None:
    assert merged(name) is None


def test_an_unknown_relation_has_no_text() -> None:
    with pytest.raises(UnknownRelationError, match="unknown relation 'likes'"):
        relation_text("likes")


@pytest.mark.realdata
def test_the_28_are_those_of_the_data_set(data_root) -> None:
    lines = (data_root / "explagraphs" / "relations.txt").read_text(encoding="utf-8").split("\n")
    assert set(lines) - {""} == EXPLAGRAPHS_RELATIONS
