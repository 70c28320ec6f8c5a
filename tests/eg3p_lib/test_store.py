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


def test_many_numbers_at_once(kb: KnowledgeBase) -> None:
    assert kb.numbers(["pet", "bird", "cat", "pet"]).tolist() == [3, -1, 0, 3]
    assert kb.numbers([]).tolist() == []


def test_search_gives_beginnings_then_words_then_other_places(make_file: Callable[..., Path]) -> None:
    kb = read_knowledge(
        [make_file("IsA\tdog\tpet\nIsA\thot dog\tfood\nIsA\tdogma\tbelief\nIsA\tendogeny\tpet\nIsA\ta dog\tpet\n")]
    )
    assert kb.search("dog") == ["dog", "dogma", "a dog", "hot dog", "endogeny"]
    assert kb.search(" DOG", limit=2) == ["dog", "dogma"]
    assert kb.search("dog", limit=4) == ["dog", "dogma", "a dog", "hot dog"]
    assert kb.search("hot  dog") == ["hot dog"]
    assert kb.search("zebra") == []
    assert kb.search("", limit=2) == ["a dog", "belief"]


def test_search_agrees_with_a_plain_scan(starter: KnowledgeBase) -> None:
    names = starter.concepts.to_pylist()
    for text in ("a", "an", "ing", "water", "e w", "x", "of"):
        order = sorted((not n.startswith(text), f" {text}" not in n, n) for n in names if text in n)
        expected = [n for first, _, n in order if not first] + [n for first, _, n in order if first]
        starts = sorted(n for n in names if n.startswith(text))
        assert starter.search(text, limit=50) == [*starts, *(n for n in expected if n not in starts)][:50]


def test_without_leaves_triples_out_and_counts_them(kb: KnowledgeBase, tmp_path: Path) -> None:
    left = kb.without({"dull": [1], "feline": np.array([1, 2])})
    assert [left.edge(n) for n in range(len(left))] == [("dog", "antonym", "cat"), ("dog", "isa", "pet")]
    assert left.concepts.to_pylist() == ["cat", "dog", "pet"]
    assert left.skipped == {"dull": 1, "feline": 1}
    (counts,) = left.counts.values()
    assert (counts.lines, counts.kept) == (4, 2)
    assert [list(left.incoming(c)) for c in range(3)] == [[0], [], [1]]
    left.save(tmp_path / "left.arrow")
    assert list(KnowledgeBase.load(tmp_path / "left.arrow").triples()) == list(left.triples())
    assert kb.without({"dull": []}) is kb
    assert kb.without({"dull": [], "feline": kb.head == 0}).skipped == {"feline": 1}
    assert (len(kb), kb.skipped) == (4, {})
    with pytest.raises(KnowledgeError, match="no triple is left without all"):
        kb.without({"all": np.ones(4, dtype=bool)})


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


def test_saved_knowledge_keeps_its_sources_and_counts_when_it_is_read_with_others(
    tmp_path: Path, make_file: Callable[..., Path]
) -> None:
    one = make_file("IsA\tdog\tpet\nLikes\tdog\tbone\nIsA\n", "one.tsv")
    two = make_file("IsA\tcow\tanimal\t3\nIsA\tdog\tpet\n", "two.tsv")
    folder = tmp_path.name
    read_knowledge([one]).save(tmp_path / "one.arrow")
    read_knowledge([one, two]).save(tmp_path / "both.arrow")
    joined = read_knowledge([tmp_path / "one.arrow", two])
    assert list(joined.triples()) == list(read_knowledge([one, two]).triples())
    assert joined.counts == read_knowledge([one, two]).counts
    twice = read_knowledge([tmp_path / "one.arrow", tmp_path / "both.arrow"])
    assert (twice.lines, len(twice)) == (8, 2)
    assert twice.skipped == {"duplicate": 2, "malformed": 2, "unmapped_relation": 2}
    assert twice.counts[f"{folder}/one.tsv"].faults == joined.counts[f"{folder}/one.tsv"].faults * 2
    heavy = read_knowledge([tmp_path / "both.arrow"], min_weight=2.0, relations=("isa", "causes"))
    assert [t[:4] for t in heavy.triples()] == [("cow", "isa", "animal", 3.0)]
    with pytest.raises(KnowledgeError, match="no triple is left"):
        read_knowledge([tmp_path / "both.arrow"], relations=("causes",))


def test_the_same_least_weight_holds_for_lines_and_for_saved_triples(
    tmp_path: Path, make_file: Callable[..., Path]
) -> None:
    path = make_file("IsA\tdog\tpet\t0.7\nIsA\tcat\tpet\t0.1\n")
    read_knowledge([path]).save(tmp_path / "kb.arrow")
    for source in (path, tmp_path / "kb.arrow"):
        assert len(read_knowledge([source], min_weight=0.7)) == 1


def test_opening_reads_only_what_is_asked_for(kb: KnowledgeBase, tmp_path: Path) -> None:
    kb.save(tmp_path / "kb.arrow")
    before = pa.total_allocated_bytes()
    again = KnowledgeBase.load(tmp_path / "kb.arrow")
    assert pa.total_allocated_bytes() - before < 1000
    assert not again.head.flags.owndata
    assert not again.head.flags.writeable


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
