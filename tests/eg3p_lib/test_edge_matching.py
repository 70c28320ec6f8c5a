"""Edges matched one to one: case M07 and others by hand, BLEU and ROUGE against their references, BERTScore (M05)."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nltk.translate.bleu_score import sentence_bleu
from rouge_score.rouge_scorer import RougeScorer

from eg3p_lib import edge_matching
from eg3p_lib.edge_matching import NO_MATCH, bertscore_settings, bertscores, bleu, edge_texts, match_edges, rouge
from workbench_lib.scores import ScoreError

WORDS = st.lists(st.sampled_from(["cars", "causes", "smoke;", "is", "a", "harm", "running", "runs;"]), max_size=7)


def equal(gold: str, predicted: str) -> float:
    return float(gold == predicted)


@pytest.mark.parametrize(
    ("predicted", "expected"),
    [
        (["e1", "e2", "e3"], (1.0, 0.75, 2 * 0.75 / 1.75)),
        (["e3", "e1", "e2"], (1.0, 0.75, 2 * 0.75 / 1.75)),
        (["x1", "x2", "x3"], (0.0, 0.0, 0.0)),
        (["e1", "e1", "e1"], (1 / 3, 1 / 4, 2 * (1 / 3) * (1 / 4) / (1 / 3 + 1 / 4))),
    ],
)
def test_m07_each_edge_is_matched_once(predicted: list[str], expected: tuple[float, float, float]) -> None:
    assert match_edges(["e1", "e2", "e3", "e4"], predicted, equal) == pytest.approx(expected)


def test_the_matching_is_the_best_in_sum() -> None:
    scores = {("a", "x"): 0.9, ("a", "y"): 0.8, ("b", "x"): 0.7, ("b", "y"): 0.1}
    match = match_edges(["a", "b"], ["x", "y"], lambda gold, predicted: scores[gold, predicted])
    assert match.precision == match.recall == pytest.approx((0.8 + 0.7) / 2)


def test_no_edges_match_nothing() -> None:
    assert match_edges([], [], equal) == match_edges(["e1"], [], equal) == match_edges([], ["e1"], equal) == NO_MATCH


def test_edges_are_lower_cased_sentences_without_parentheses() -> None:
    assert edge_texts(" (Cars; causes; smoke (CO))(smoke; is a; harm)\n") == [
        "cars; causes; smoke co",
        "smoke; is a; harm",
    ]


@given(WORDS, WORDS)
def test_bleu_is_nltk_s(gold: list[str], predicted: list[str]) -> None:
    """Which has a value near 0, and a warning, where an n-gram order has no hit."""
    tokens = [" ".join(words).replace(";", " ;").split() for words in (gold, predicted)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = sentence_bleu([tokens[0]], tokens[1]) if tokens[1] else 0.0
    assert bleu(" ".join(gold), " ".join(predicted)) == pytest.approx(expected, abs=1e-9)


@given(WORDS, WORDS)
def test_rouge_is_the_precision_of_rouge_2(gold: list[str], predicted: list[str]) -> None:
    expected = RougeScorer(["rouge2"], use_stemmer=True).score(" ".join(gold), " ".join(predicted))
    assert rouge(" ".join(gold), " ".join(predicted)) == expected["rouge2"].precision


def test_bleu_and_rouge_by_hand() -> None:
    gold, predicted = "cars; causes; smoke", "cars; causes; fire"
    assert bleu(gold, gold) == 1
    assert bleu(gold, predicted) == pytest.approx((4 / 5 * 3 / 4 * 2 / 3 * 1 / 2) ** 0.25)
    assert rouge(gold, predicted) == 1 / 2
    assert bleu(gold, "smoke") == rouge(gold, "smoke") == rouge(gold, "") == 0


@pytest.mark.parametrize(
    ("edge", "tokens"),
    [("a b; is a; c", ["a", "b", ";", "is", "a", ";", "c"]), ("a  b;c", ["a", " ", "b", ";", "c"])],
)
def test_tokens_are_those_of_the_official_tokenizer(edge: str, tokens: list[str]) -> None:
    """spaCy's: of a run of spaces, the first separates and the rest is a token."""
    assert edge_matching._TOKEN.findall(edge) == tokens


def test_m05_bertscore_of_equal_and_of_empty_edges(tiny_bert: Path) -> None:
    edge, other = "dogs; is a; pets", "cats; is a; pets"
    score = bertscores([("", edge), (edge, ""), (edge, edge), (edge, other), (edge, edge)], str(tiny_bert))
    assert score("", edge) == score(edge, "") == 0
    assert score(edge, edge) == pytest.approx(1, abs=1e-4)
    assert 0 < score(edge, other) < 1


def test_m05_each_distinct_pair_is_scored_once(tiny_bert: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import bert_score

    asked = []
    original = bert_score.BERTScorer.score
    monkeypatch.setattr(
        bert_score.BERTScorer, "score", lambda self, *texts: asked.append(texts) or original(self, *texts)
    )
    bertscores([("a", "b"), ("a", "c"), ("a", "b")], str(tiny_bert))
    assert asked == [(["b", "c"], ["a", "a"])]


def test_m05_nothing_to_score_and_a_text_instead_of_pairs(tiny_bert: Path) -> None:
    assert bertscores([], str(tiny_bert))("a", "b") == 0
    assert bertscores([("", "a")], str(tiny_bert))("", "a") == 0
    with pytest.raises(TypeError, match="pairs of edges"):
        bertscores("dogs; is a; pets", str(tiny_bert))  # type: ignore[arg-type]


def test_a_folder_that_bert_score_would_take_for_another_model_is_refused(tiny_bert: Path, tmp_path: Path) -> None:
    folder = tmp_path / "not_t5"
    folder.symlink_to(tiny_bert)
    with pytest.raises(ScoreError, match="rename it"):
        bertscores([("a", "b")], str(folder))


def test_the_settings_name_model_layer_and_version(tiny_bert: Path) -> None:
    assert bertscore_settings(str(tiny_bert)) == "bert-score 0.3.13, tiny_bert, layer 2, no idf, not rescaled"
    assert "layer 1" in bertscore_settings(str(tiny_bert), 1)
