"""Classifiers learn, restart exactly, and say the same of a text whatever stands beside it."""

from __future__ import annotations

import copy
import os
import signal
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from transformers import AutoModelForSequenceClassification, AutoTokenizer
from workbench_toy_training import PAIRS, outcome, toy_model, toy_params

from workbench_lib import seq2seq
from workbench_lib.classification import (
    Classifier,
    adapt_classifier,
    build_classifier,
    encode_texts,
    load_classifier,
    predict_classes,
    save_classifier,
    score_classes,
    tokenise_classes,
    train_classifier,
)
from workbench_lib.errors import InputError
from workbench_lib.metrics_log import read_metrics
from workbench_lib.seq2seq import ModelError
from workbench_lib.tokens import TokenError
from workbench_lib.training import TrainingStopped

LABELS = ("support", "counter", "incorrect")
FAMILIES = ("roberta:tiny", "bart:tiny")
TEXTS = [source for source, _ in PAIRS]
EXAMPLES = [(text, LABELS[k % 3]) for k, text in enumerate(TEXTS)]
AS_PAIRS = [((first, "the same"), label) for first, label in EXAMPLES]

each_family = pytest.mark.parametrize("family", FAMILIES)


def build(tokenizer: Any, family: str, **changes: Any) -> Classifier:
    torch.set_num_threads(1)
    settings = {"max_tokens": 64, "seed": 5, "dropout": 0.0, **changes}
    return build_classifier(family, tokenizer, LABELS, **settings)


def learner_params(**changes: Any) -> Any:
    settings = {"steps": 40, "learning_rate": 0.001, "dropout": 0.0, "label_smoothing": 0.0, "tokens_a_batch": 2000}
    return toy_params(**{**settings, "validate_every": 20, "checkpoint_every": 10, **changes})


def said(classifier: Classifier, texts: Sequence[Any], **how: Any) -> Any:
    return predict_classes(classifier, texts, **how).probabilities


@pytest.mark.slow
@each_family
@pytest.mark.parametrize("examples", [EXAMPLES, AS_PAIRS], ids=["texts", "pairs"])
def test_eight_examples_are_learnt_by_heart(tokenizer: Any, family: str, examples: Any, tmp_path: Path) -> None:
    classifier = build(tokenizer, family)
    texts, golds = [text for text, _ in examples], [label for _, label in examples]
    before = score_classes(classifier.labels, classifier(texts), golds).metrics["accuracy"].value
    params = learner_params(steps=100, generate_every=20)
    trained = train_classifier(classifier, examples, params, tmp_path, validation=examples)
    assert before < 1.0
    probabilities = classifier(texts)
    assert score_classes(classifier.labels, probabilities, golds).metrics["accuracy"].value == 1.0
    gold = probabilities[np.arange(8), [LABELS.index(label) for label in golds]]
    assert trained.validation_loss == pytest.approx(-np.log(gold).mean(), rel=1e-3)
    rows = read_metrics(tmp_path / "metrics.jsonl")
    assert [row["accuracy"] for row in rows if "accuracy" in row][-1] == 1.0


@each_family
def test_a_stopped_run_ends_as_one_that_was_not(tokenizer: Any, family: str, tmp_path: Path) -> None:
    def run(folder: Path, stop_at: int | None = None) -> Classifier:
        classifier, calls = build(tokenizer, family, dropout=0.1), []

        def stop(*_: Any) -> None:
            calls.append(1)
            if len(calls) == stop_at:
                os.kill(os.getpid(), signal.SIGTERM)

        classifier.model.register_forward_pre_hook(stop)
        params = learner_params(steps=25, dropout=0.1, tokens_a_batch=64, validate_every=7)
        train_classifier(classifier, EXAMPLES, params, folder, validation=EXAMPLES[:3])
        return classifier

    whole = run(tmp_path / "whole")
    with pytest.raises(TrainingStopped):
        run(tmp_path / "stopped", stop_at=9)
    resumed = run(tmp_path / "stopped")
    assert outcome(tmp_path / "stopped") == outcome(tmp_path / "whole")
    assert np.array_equal(resumed(TEXTS), whole(TEXTS))


@each_family
def test_probabilities_sum_to_one_and_are_the_model_s(tokenizer: Any, family: str) -> None:
    classifier = build(tokenizer, family)
    found = said(classifier, TEXTS)
    assert found.shape == (8, 3)
    assert found.sum(axis=1) == pytest.approx(np.ones(8), abs=1e-6)
    for text, row in zip(TEXTS, found, strict=True):
        with torch.no_grad():
            logits = classifier.model(**tokenizer(text, return_tensors="pt")).logits[0].double().numpy()
        assert row == pytest.approx(np.exp(logits) / np.exp(logits).sum(), abs=1e-5)


@each_family
@pytest.mark.parametrize("pairs", [False, True])
def test_the_order_and_the_company_of_texts_change_nothing(tokenizer: Any, family: str, pairs: bool) -> None:
    classifier = build(tokenizer, family)
    texts: list[Any] = [(text, "and this") for text in TEXTS] if pairs else TEXTS
    together = said(classifier, texts)
    assert len({tuple(row) for row in together.round(4).tolist()}) > 4  # else this would prove nothing
    assert said(classifier, texts[::-1]) == pytest.approx(together[::-1], abs=1e-5)
    assert said(classifier, texts, tokens_a_batch=1) == pytest.approx(together, abs=1e-5)
    assert said(classifier, [texts[3]]) == pytest.approx(together[3:4], abs=1e-5)


@each_family
def test_more_padding_changes_nothing(tokenizer: Any, family: str) -> None:
    model = build(tokenizer, family).model.eval()
    inputs = tokenizer.pad({"input_ids": encode_texts(tokenizer, TEXTS[:3])}, return_tensors="pt")
    wider = {name: torch.nn.functional.pad(inputs[name], (0, 17), value=tokenizer.pad_token_id if k == 0 else 0)
             for k, name in enumerate(("input_ids", "attention_mask"))}  # fmt: skip
    with torch.no_grad():
        plain, padded = (model(**{k: batch[k] for k in wider}).logits for batch in (inputs, wider))
    assert padded.numpy() == pytest.approx(plain.numpy(), abs=1e-5)


def test_long_texts_are_cut_at_their_end_and_counted(tokenizer: Any, tmp_path: Path) -> None:
    classifier = build(tokenizer, "roberta:tiny", max_tokens=5)
    classes = predict_classes(classifier, ["123456789", "123", "12"])
    assert classes.cut_texts == 1
    assert classes.probabilities[0] == pytest.approx(classes.probabilities[1], abs=1e-6)
    store = tokenise_classes(classifier, [("123456789", "counter"), ("123", "support")], tmp_path)
    assert store.meta["too_long"] == 1
    assert store.source(0).tolist() == store.source(1).tolist() == tokenizer("123")["input_ids"]
    assert [store.target(k).tolist() for k in (0, 1)] == [[1], [0]]


def test_no_texts_have_no_classes(tokenizer: Any) -> None:
    classes = predict_classes(build(tokenizer, "roberta:tiny"), [])
    assert classes.probabilities.shape == (0, 3)
    assert classes.cut_texts == 0


def test_pairs_are_joined_as_the_tokenizer_joins_them(tokenizer: Any) -> None:
    """`<s> A </s></s> B </s>`: what published RoBERTa classifiers were trained on; a `</s>` in a text is text."""
    (ids,) = encode_texts(tokenizer, [("1", "2")])
    one, two = (tokenizer(digit)["input_ids"][1] for digit in "12")
    assert ids == [0, one, 2, 2, two, 2]
    (ids,) = encode_texts(tokenizer, ["</s>"])
    assert ids.count(2) == 1


@pytest.mark.parametrize("model", FAMILIES)
def test_a_saved_classifier_opens_without_us_and_says_the_same(tokenizer: Any, model: str, tmp_path: Path) -> None:
    classifier = build(copy.deepcopy(tokenizer), model, max_tokens=20)
    save_classifier(classifier, tmp_path)
    again = load_classifier(tmp_path)
    assert (again.labels, again.max_tokens) == (LABELS, 20)
    assert np.array_equal(again(TEXTS), classifier(TEXTS))
    theirs = AutoModelForSequenceClassification.from_pretrained(tmp_path)
    assert theirs.config.id2label == dict(enumerate(LABELS))
    inputs = AutoTokenizer.from_pretrained(tmp_path)(TEXTS[3], truncation=True, return_tensors="pt")
    assert inputs["input_ids"].shape == (1, 20)
    with torch.no_grad():
        logits = theirs.eval()(**{k: inputs[k] for k in ("input_ids", "attention_mask")}).logits
    assert logits.softmax(-1)[0].numpy() == pytest.approx(classifier([TEXTS[3]])[0], abs=1e-5)


def test_a_pre_trained_bart_gets_a_new_head(tokenizer: Any, tmp_path: Path) -> None:
    pretrained = toy_model(tokenizer)
    seq2seq.save(pretrained, tokenizer, tmp_path)
    state = torch.get_rng_state()
    how = {"max_tokens": 64, "dropout": 0.2}
    first, same, other = (adapt_classifier(tmp_path, LABELS, seed=seed, **how) for seed in (1, 1, 2))
    assert torch.equal(torch.get_rng_state(), state)
    assert first.labels == LABELS
    assert first.model.config.dropout == 0.2
    layer = "decoder.layers.1.fc1.weight"
    assert torch.equal(first.model.model.get_parameter(layer), pretrained.model.get_parameter(layer))
    heads = [classifier.model.classification_head.out_proj.weight for classifier in (first, same, other)]
    assert torch.equal(heads[0], heads[1])
    assert not torch.equal(heads[0], heads[2])


def test_a_pre_trained_encoder_gets_a_new_head(tokenizer: Any, tmp_path: Path) -> None:
    encoder = build(tokenizer, "roberta:tiny").model.roberta
    seq2seq.save(encoder, tokenizer, tmp_path)
    adapted = adapt_classifier(tmp_path, ("no", "yes"), max_tokens=64, seed=1, dropout=0.0)
    assert adapted(TEXTS).shape == (8, 2)
    name = "encoder.layer.1.output.dense.weight"
    assert torch.equal(adapted.model.roberta.get_parameter(name), encoder.get_parameter(name))


@each_family
def test_fresh_weights_hang_on_the_seed_alone(tokenizer: Any, family: str) -> None:
    weights = [torch.cat([p.flatten() for p in build(tokenizer, family, seed=s).model.parameters()]) for s in (5, 5, 6)]
    assert torch.equal(weights[0], weights[1])
    assert not torch.equal(weights[0], weights[2])


@each_family
def test_every_position_that_is_allowed_is_there(tokenizer: Any, family: str) -> None:
    classifier = build(tokenizer, family, max_tokens=seq2seq.MAX_POSITIONS)
    classes = predict_classes(classifier, ["1 2 " * 600])
    assert classes.cut_texts == 1
    assert np.isfinite(classes.probabilities).all()
    with pytest.raises(ModelError, match="the model has 1024 positions, fewer than max_tokens=1025"):
        build(tokenizer, family, max_tokens=1025)


@pytest.mark.parametrize("name", ["roberta", "roberta:huge", "gpt:tiny", "tiny"])
def test_an_unknown_shape_is_named_with_those_there_are(tokenizer: Any, name: str) -> None:
    with pytest.raises(ModelError, match=f"unknown classifier '{name}' .*roberta:tiny"):
        build(tokenizer, name)


def test_an_unknown_class_is_named(tokenizer: Any, tmp_path: Path) -> None:
    examples = [*EXAMPLES, ("x", "neutral")]
    with pytest.raises(InputError, match="none of support, counter, incorrect: 'neutral'"):
        train_classifier(build(tokenizer, "roberta:tiny"), examples, learner_params(), tmp_path)


def test_accuracy_by_hand() -> None:
    probabilities = np.array([[0.7, 0.2, 0.1], [0.2, 0.3, 0.5], [0.4, 0.35, 0.25], [0.1, 0.8, 0.1]])
    scores = score_classes(LABELS, probabilities, ["support", "incorrect", "counter", "counter"])
    assert scores.metrics["accuracy"].value == 0.75
    assert [row["said"] for row in scores.rows] == ["support", "incorrect", "support", "counter"]


def test_no_examples_to_train_on_are_an_error(tokenizer: Any, tmp_path: Path) -> None:
    with pytest.raises(TokenError, match="no examples"):
        train_classifier(build(tokenizer, "roberta:tiny"), [], learner_params(), tmp_path)
