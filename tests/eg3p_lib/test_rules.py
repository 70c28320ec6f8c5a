"""Which lines are kept: the cases K*, terms and senses, relations and merge tables, and whatever lines may hold."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from eg3p_lib.graphs import is_writable
from eg3p_lib.knowledge import KnowledgeBase, KnowledgeError, read_knowledge
from eg3p_lib.merges import Merged
from eg3p_lib.relations import UnknownRelationError
from eg3p_lib.rules import Term, parse_term

MakeFile = Callable[..., Path]


def assertion(relation: str, head: str, tail: str, weight: float = 1.0) -> str:
    """A line in the layout of conceptnet-assertions."""
    info = json.dumps({"dataset": "/d/test", "surfaceText": '*a "quoted", text', "weight": weight})
    return f"/a/[{relation}/,{head}/,{tail}/]\t{relation}\t{head}\t{tail}\t{info}\n"


def edges(kb: KnowledgeBase) -> list[tuple[str, str, str]]:
    return [kb.edge(number) for number in range(len(kb))]


def assert_adds_up(kb: KnowledgeBase, lines: int) -> None:
    assert kb.lines == lines == len(kb) + sum(kb.skipped.values())


def test_k01_sense_and_part_of_speech_are_beside_the_text(make_file: MakeFile) -> None:
    line = assertion("/r/IsA", "/c/en/guide_dog/n/wn/animal", "/c/en/pet/n", 2.0)
    (triple,) = read_knowledge([make_file(line)]).triples()
    assert triple[:4] == ("guide dog", "isa", "pet", 2.0)
    assert (triple.head_sense, triple.tail_sense) == ("n/wn/animal", "n")


def test_k01_a_concept_with_and_without_sense_is_one_node(make_file: MakeFile) -> None:
    lines = [
        assertion("/r/IsA", "/c/en/guide_dog/n/wn/animal", "/c/en/pet"),
        assertion("/r/IsA", "/c/en/guide_dog", "/c/en/pet/n", 3.0),
        assertion("/r/CapableOf", "/c/en/guide_dog", "/c/en/lead"),
    ]
    kb = read_knowledge([make_file("".join(lines))])
    assert kb.concepts.to_pylist() == ["guide dog", "lead", "pet"]
    assert kb.skipped == {"duplicate": 1}
    isa = next(t for t in kb.triples() if t.relation == "isa")
    assert (isa.weight, isa.head_sense, isa.tail_sense) == (3.0, "n/wn/animal", "")


def test_k02_an_external_url_is_counted_and_makes_no_node(make_file: MakeFile) -> None:
    url = "http://en.wiktionary.org/wiki/dog"
    lines = [assertion("/r/ExternalURL", "/c/en/dog", url), assertion("/r/IsA", "/c/en/cat", "/c/en/pet")]
    kb = read_knowledge([make_file("".join(lines))])
    assert kb.concepts.to_pylist() == ["cat", "pet"]
    assert kb.skipped == {"external_url": 1}


def test_k02_nothing_but_external_urls_is_an_error_with_the_counts(make_file: MakeFile) -> None:
    with pytest.raises(KnowledgeError, match=r"no triple .* was kept \(external_url 1\)"):
        read_knowledge([make_file(assertion("/r/ExternalURL", "/c/en/dog", "http://en.wiktionary.org/wiki/dog/"))])


def test_k03_self_loops_are_found_after_the_senses_are_gone(make_file: MakeFile) -> None:
    text = (
        "/r/RelatedTo\t/c/en/u.s.a.\t/c/en/u.s.a.\n"
        "/r/DerivedFrom\t/c/en/run/v\t/c/en/run/n\n"
        "/r/IsA\t/c/en/u.s.a.\t/c/en/country\n"
    )
    kb = read_knowledge([make_file(text)])
    assert edges(kb) == [("u.s.a.", "isa", "country")]
    assert kb.skipped == {"self_loop": 2}
    assert_adds_up(kb, 3)


def test_k05_both_ends_must_be_in_the_language(make_file: MakeFile) -> None:
    lines = [
        assertion("/r/Antonym", "/c/en/fur", "/c/en/skin"),
        assertion("/r/Antonym", "/c/en/fur", "/c/fr/peau"),
        assertion("/r/IsA", "/c/ja/犬", "/c/ja/動物"),
        assertion("/r/IsA", "/c/enm/hund", "/c/enm/dere"),
    ]
    path = make_file("".join(lines))
    assert edges(read_knowledge([path])) == [("fur", "antonym", "skin")]
    assert read_knowledge([path]).skipped == {"other_language": 3}
    assert edges(read_knowledge([path], language="ja")) == [("犬", "isa", "動物")]


def test_k05_an_unknown_filter_raises(make_file: MakeFile) -> None:
    path = make_file("IsA\tdog\tpet\n")
    with pytest.raises(TypeError):
        read_knowledge([path], lang="en")  # type: ignore[call-arg]
    with pytest.raises(KnowledgeError, match="language='English'"):
        read_knowledge([path], language="English")


def test_both_codings_of_an_accent_are_one_concept(make_file: MakeFile) -> None:
    kb = read_knowledge([make_file("IsA\tcaf\u00e9\tplace\nIsA\tcafe\u0301\tplace\n")])
    assert edges(kb) == [("caf\u00e9", "isa", "place")]
    assert kb.skipped == {"duplicate": 1}


def test_relations_can_be_chosen(make_file: MakeFile) -> None:
    path = make_file("IsA\tdog\tpet\nHasA\tdog\ttail\nRelatedTo\tdog\tcat\nAntonym\tdog\tcat\n")
    kb = read_knowledge([path], relations=("partof", "antonym"))
    assert sorted(edges(kb)) == [("dog", "antonym", "cat"), ("tail", "partof", "dog")]
    assert kb.skipped == {"unmapped_relation": 1, "unwanted_relation": 1}
    with pytest.raises(UnknownRelationError, match="'is a'"):
        read_knowledge([path], relations=("is a",))
    with pytest.raises(KnowledgeError, match="no relations"):
        read_knowledge([path], relations=())


def test_a_merge_table_of_ones_own(make_file: MakeFile) -> None:
    path = make_file("RelatedTo\tdog\tcat\nHasA\tdog\ttail\nMotivatedByGoal\trun\tfitness\nis a\tdog\tpet\n")
    merges = {"/r/RelatedTo": Merged("hascontext", reverse=True), "HasA": Merged("hasproperty")}
    kb = read_knowledge([path], merges=merges)
    assert sorted(edges(kb)) == [("cat", "hascontext", "dog"), ("dog", "hasproperty", "tail"), ("dog", "isa", "pet")]
    assert kb.skipped == {"unmapped_relation": 1}


TERMS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\t\n"), max_size=12)
LINES = st.lists(
    st.one_of(
        TERMS,
        st.tuples(st.sampled_from(["IsA", "HasA", "/r/RelatedTo", "/r/ExternalURL", ""]), TERMS, TERMS).map("\t".join),
        st.tuples(st.just("IsA"), TERMS, TERMS, st.sampled_from(["1", "0", "-2", "0.1", "x", ""])).map("\t".join),
        st.tuples(st.just("IsA"), TERMS.map("/c/en/{}/n".format), TERMS.map("/c/fr/{}".format)).map("\t".join),
    ),
    max_size=10,
)


@given(LINES)
@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_whatever_the_lines_are_the_counts_add_up(tmp_path: Path, lines: list[str]) -> None:
    path = tmp_path / "kb.tsv"
    path.write_bytes("\n".join(["IsA\tthe first\tline", *lines]).encode())
    kb = read_knowledge([path], min_weight=0.5)
    assert kb.lines == len(lines) + 1 - (bool(lines) and not lines[-1])
    assert_adds_up(kb, kb.lines)
    assert len(set(edges(kb))) == len(kb)
    for head, _, tail in edges(kb):
        assert head != tail
        for text in (head, tail):
            assert text == text.lower() == " ".join(text.split())
            assert "_" not in text
            assert is_writable(text)


@given(TERMS)
def test_a_parsed_term_stays_as_it_is(raw: str) -> None:
    text = parse_term(raw).text
    assert text.startswith("/c/") or parse_term(text) == Term("", text, "")


@given(TERMS.filter(lambda text: "/" not in text), st.sampled_from(["", "/n", "/v/wn/act", "/n/wikt/en_1", "/n/wn/"]))
def test_a_sense_never_changes_a_term(text: str, sense: str) -> None:
    assert parse_term(f"/c/en/{text}{sense}") == Term("en", parse_term(text).text, sense.strip("/"))
