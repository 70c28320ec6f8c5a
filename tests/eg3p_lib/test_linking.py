"""Concepts in a text: whole words, the longest first."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eg3p_lib.knowledge import read_knowledge
from eg3p_lib.linking import linked_concepts, spellings, word_sequences, words_of
from eg3p_lib.multiple_choice import read_questions
from eg3p_lib.store import KnowledgeBase

CONCEPTS = ["getting drunk", "drunk", "people", "slurred speech", "of the", "new york city", "new york", "o'clock"]


@pytest.fixture(scope="module")
def kb(make_kb: Callable[[Iterable[tuple[str, str, str]]], KnowledgeBase]) -> KnowledgeBase:
    return make_kb([(concept, "isa", "thing") for concept in CONCEPTS])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("After getting drunk, people couldn't stand.", ["getting drunk", "people"]),
        ("Drunk people; DRUNK people!", ["drunk", "people"]),
        ("In New York City and New York", ["new york city", "new york"]),
        ("a new, york city", ["new york city"]),  # punctuation is between words
        ("newyork city peoples", []),
        ("One of the things at five o'clock", ["o'clock"]),  # function words alone are no concept
        ("", []),
        ("?!", []),
    ],
)
def test_the_longest_runs_of_whole_words_are_taken(kb: KnowledgeBase, text: str, expected: list[str]) -> None:
    assert linked_concepts([text], kb) == [expected]


def test_many_texts_at_once_are_the_texts_one_by_one(kb: KnowledgeBase) -> None:
    texts = ["Drunk people", "", "slurred speech of the people"]
    assert linked_concepts(texts, kb) == [linked_concepts([text], kb)[0] for text in texts]
    assert linked_concepts([], kb) == []


@given(st.lists(st.sampled_from(["new", "york", "city", "getting", "drunk", "of", "the", "people", "x"]), max_size=12))
def test_concepts_do_not_share_words_and_stand_in_order(kb: KnowledgeBase, words: list[str]) -> None:
    (found,) = linked_concepts([" ".join(words)], kb)
    assert set(found) <= set(CONCEPTS)
    assert len(set(found)) == len(found)
    for concept in found:
        assert f" {concept} " in f" {' '.join(words)} "


def test_spellings_and_sequences_by_hand() -> None:
    assert spellings("An apple") == ["an apple", "apple"]
    assert word_sequences("the of") == []
    assert word_sequences("The sun") == ["the sun", "sun"]
    assert words_of("U.S. mother-in-law's café") == ["u.s", "mother-in-law's", "café"]
    assert len(word_sequences(" ".join(f"w{k}" for k in range(20)))) == 8 * 13 + 7 * 8 // 2


@pytest.mark.realdata
def test_most_questions_of_openbookqa_hold_a_concept(data_root: Path) -> None:
    kb = read_knowledge(sorted((data_root / "conceptnet" / "omcs100k").glob("*.txt")))
    questions = read_questions(data_root / "obqa" / "Data" / "Main" / "dev.jsonl")
    found = linked_concepts([question.stem for question in questions], kb)
    assert len(questions) == 500
    assert sum(map(bool, found)) >= 450
