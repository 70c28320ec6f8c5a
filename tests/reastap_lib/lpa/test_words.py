from __future__ import annotations

import pytest

from reastap_lib.lpa.words import aliases, is_comparative, is_superlative, stem, stems, tokens, with_digits
from reastap_lib.tables import words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Chet Miller 's best", "chet miller best"),
        ("a total of 28,610, or 1.5 %", "a total of 28610 or 1.5"),
        ("to par was - 7", "to par was -7"),
        ("- 7", "-7"),
        ("62 - 63 in 2008–09", "62 63 in 2008 09"),
        ("it didn't win .5 of 1990s' games", "it didn't win .5 of 1990s games"),
        ("Nenê, São Paulo", "nene sao paulo"),
        ("(pyg) / 1st", "pyg 1st"),
        ("—", ""),
    ],
)
def test_tokens(text: str, expected: str) -> None:
    assert tokens(text) == tuple(expected.split())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("one of twenty", "1 of 20"),
        ("zero", "zero"),
        ("a hundred and two thousand", "100 and 2000"),
        ("many hundred", "many hundred"),
        ("a few", "a few"),
    ],
)
def test_number_words(text: str, expected: str) -> None:
    assert with_digits(text.split()) == tuple(expected.split())


def test_stems_join_what_a_sentence_says_otherwise() -> None:
    assert stem("ladies") == stem("lady")
    assert stems("Scored goals") == stems("score goal")
    assert stems("September 5") == stems("sep 5") == stems("Sept 5")
    assert stem("was") == "was"


def test_aliases() -> None:
    assert aliases(("first", "place")) == {"1st"}
    assert aliases(("crowd",)) == {stem("people"), stem("audience")}
    assert aliases(("jan", "11")) == {"11th"}
    assert aliases(("jan", "03")) == {"3", "3rd"}
    assert aliases(("22", "points")) == frozenset()


@pytest.mark.parametrize("word", words("more fewer better higher earlier bigger younger larger later"))
def test_comparatives(word: str) -> None:
    assert is_comparative(word)
    assert not is_superlative(word)


@pytest.mark.parametrize("word", words("most least best highest earliest biggest youngest largest latest"))
def test_superlatives(word: str) -> None:
    assert is_superlative(word)
    assert not is_comparative(word)


@pytest.mark.parametrize("word", words("player number winner order over after former west test forest er est"))
def test_words_that_only_end_so(word: str) -> None:
    assert not is_comparative(word)
    assert not is_superlative(word)
