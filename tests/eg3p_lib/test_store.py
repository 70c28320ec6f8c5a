"""A knowledge base as arrays, its look-ups, and its file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from eg3p_lib.knowledge import read_knowledge
from eg3p_lib.relations import RELATIONS
from eg3p_lib.store import KnowledgeBase, KnowledgeError
from workbench_lib.errors import InputError

TEXT = "IsA\tdog\tpet\nIsA\tcat\tpet\nAntonym\tdog\tcat\nCapableOf\tdog\tguard house\t2.5\n"


@pytest.fixture
def kb(make_file: Callable[..., Path]) -> KnowledgeBase:
    return read_knowledge([make_file(TEXT)])


def test_arrays_hold_concepts_in_the_order_of_their_text(kb: KnowledgeBase) -> None:
    assert kb.concepts.to_pylist() == ["cat", "dog", "guard house", "pet"]
    assert (kb.head.tolist(), kb.tail.tolist()) == ([1, 1, 0, 1], [0, 2, 3, 3])
    assert [RELATIONS[number] for number in kb.relation] == ["antonym", "capableof", "isa", "isa"]


def test_incoming_and_outgoing_triples(kb: KnowledgeBase) -> None:
    assert kb.incoming_starts.tolist() == [0, 1, 1, 2, 4]
    assert [list(kb.incoming(c)) for c in range(4)] == [[0], [], [1], [2, 3]]
    assert [kb.outgoing(c).tolist() for c in range(4)] == [[2], [0, 1, 3], [], []]
    assert kb.sinks.tolist() == [0, 2, 3]


def test_index_agrees_with_a_plain_scan(starter: KnowledgeBase) -> None:
    for concept in range(0, len(starter.concepts), 97):
        assert list(starter.incoming(concept)) == np.flatnonzero(starter.tail == concept).tolist()
        assert starter.outgoing(concept).tolist() == np.flatnonzero(starter.head == concept).tolist()


def test_neighbours_come_incoming_first_and_limited(kb: KnowledgeBase) -> None:
    assert [t[:3] for t in kb.neighbours("cat")] == [("dog", "antonym", "cat"), ("cat", "isa", "pet")]
    assert len(kb.neighbours("dog", limit=2)) == 2


def test_an_unknown_concept_is_an_error_with_a_suggestion(kb: KnowledgeBase) -> None:
    with pytest.raises(KnowledgeError, match=r"unknown concept 'guard tower' \(there is 'guard house'\)"):
        kb.neighbours("guard tower")
    assert kb.number("pet") == 3


def test_search_gives_beginnings_before_other_places(make_file: Callable[..., Path]) -> None:
    kb = read_knowledge([make_file("IsA\tdog\tpet\nIsA\thot dog\tfood\nIsA\tdogma\tbelief\nIsA\tcat\tpet\n")])
    assert kb.search("dog") == ["dog", "dogma", "hot dog"]
    assert kb.search(" DOG", limit=2) == ["dog", "dogma"]
    assert kb.search("zebra") == []
    assert kb.search("", limit=2) == ["belief", "cat"]


def test_a_saved_knowledge_base_opens_the_same(kb: KnowledgeBase, tmp_path: Path) -> None:
    kb.save(tmp_path / "kb.arrow")
    again = KnowledgeBase.load(tmp_path / "kb.arrow")
    assert list(again.triples()) == list(kb.triples())
    assert (again.counts, again.language) == (kb.counts, "en")
    assert next(iter(again.triples())).source == f"{tmp_path.name}/kb.tsv"


def test_a_saved_file_is_an_ordinary_arrow_table(kb: KnowledgeBase, tmp_path: Path) -> None:
    kb.save(tmp_path / "kb.arrow")
    table = pa.ipc.open_file(str(tmp_path / "kb.arrow")).read_all()
    assert table.select(["head", "relation", "tail"]).to_pylist()[0] == {
        "head": "dog",
        "relation": "antonym",
        "tail": "cat",
    }


def test_saving_twice_gives_the_same_bytes(kb: KnowledgeBase, tmp_path: Path) -> None:
    kb.save(tmp_path / "a.arrow")
    kb.save(tmp_path / "b.arrow")
    assert (tmp_path / "a.arrow").read_bytes() == (tmp_path / "b.arrow").read_bytes()
    assert not list(tmp_path.glob(".*"))


def test_a_saved_file_is_a_source_like_others(
    kb: KnowledgeBase, tmp_path: Path, make_file: Callable[..., Path]
) -> None:
    kb.save(tmp_path / "kb.arrow")
    assert list(read_knowledge([tmp_path / "kb.arrow"]).triples()) == list(kb.triples())
    more = make_file("IsA\tcow\tanimal\nIsA\tdog\tpet\n", "more.tsv")
    joined = read_knowledge([tmp_path / "kb.arrow", more])
    assert (len(joined), joined.skipped) == (5, {"duplicate": 1})
    heavy = read_knowledge([tmp_path / "kb.arrow"], min_weight=2.0)
    assert ([t[:3] for t in heavy.triples()], heavy.skipped) == (
        [("dog", "capableof", "guard house")],
        {"low_weight": 3},
    )
    with pytest.raises(KnowledgeError, match="holds the language 'en', not 'fr'"):
        read_knowledge([tmp_path / "kb.arrow"], language="fr")


def test_a_damaged_or_strange_file_is_an_error(kb: KnowledgeBase, tmp_path: Path) -> None:
    path = tmp_path / "kb.arrow"
    kb.save(path)
    path.write_bytes(path.read_bytes()[:500])
    with pytest.raises(InputError, match=r"kb\.arrow: is not a knowledge file, or is damaged"):
        read_knowledge([path])
    table = pa.table({"head": ["a"]})
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)
    with pytest.raises(InputError, match="is not a knowledge file"):
        KnowledgeBase.load(path)
