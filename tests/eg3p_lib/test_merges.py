"""The merge table: the built-in one, and the faults of a user's, each with its line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from eg3p_lib.merges import DEFAULT, MERGES, Merged, load_merges, merges_path, relation_index
from eg3p_lib.relations import RELATIONS, relation_key
from workbench_lib.errors import InputError

MakeFile = Callable[..., Path]


def merged(name: str) -> Merged | None:
    return relation_index().get(relation_key(name))


@pytest.mark.parametrize(
    ("name", "relation", "reverse"),
    [
        ("DistinctFrom", "antonym", False),
        ("LocatedNear", "atlocation", False),
        ("CausesDesire", "causes", False),
        ("MotivatedByGoal", "causes", True),
        ("InstanceOf", "isa", False),
        ("DefinedAs", "isa", False),
        ("HasFirstSubevent", "hassubevent", False),
        ("HasLastSubevent", "hassubevent", False),
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


def test_the_built_in_table_reaches_all_16() -> None:
    assert {entry.relation for entry in MERGES.values()} == set(RELATIONS)
    assert (len(MERGES), sum(entry.reverse for entry in MERGES.values())) == (28, 2)
    assert merges_path("default") == DEFAULT


def test_a_table_of_ones_own(make_file: MakeFile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = make_file("# mine\nSynonym: {relation: isa}\n/r/HasA:\n  relation: partof\n  reverse: true\n", "mine.yaml")
    assert load_merges(path) == {"Synonym": Merged("isa"), "/r/HasA": Merged("partof", True)}
    monkeypatch.setenv("WORKBENCH_DATA", str(tmp_path))
    assert merges_path("mine.yaml") == path


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "merges.yaml: the file is empty"),
        ("- IsA\n", "merges.yaml, line 1: needs `name:` lines here"),
        ("IsA: {relation: isa\n", "merges.yaml: not yaml"),
        ("IsA: isa\n", "line 1: needs `name:` lines here"),
        ("IsA:\n  relation: is a\n", "line 2: 'relation' must be one of antonym, .*: 'is a'"),
        ("IsA:\n  relation: [isa]\n", "line 2: 'relation' must be one of"),
        ("HasA: {relation: partof}\nIsA:\n  reverse: true\n", "line 2: needs `relation:`, one of the 16"),
        ("HasA:\n  relation: partof\n  reverse: perhaps\n", "line 3: 'reverse' must be true or false: 'perhaps'"),
        ("HasA:\n  relation: partof\n  weight: 2\n", "line 3: only 'relation' and 'reverse' belong here: 'weight'"),
        ("IsA: {relation: isa}\nIsA: {relation: partof}\n", "line 2: comes twice: 'IsA'"),
        ("IsA: {relation: isa}\n/r/IsA: {relation: partof}\n", "line 2: comes twice: '/r/IsA'"),
        ("[a, b]: {relation: isa}\n", "line 1: the name is no text"),
    ],
)
def test_faults_are_named_with_their_line(make_file: MakeFile, text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        load_merges(make_file(text, "merges.yaml"))


def test_a_missing_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none\.yaml: cannot be read"):
        load_merges(tmp_path / "none.yaml")
