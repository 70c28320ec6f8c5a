"""Classifiers of texts and of pairs of texts: built or loaded, trained by the loop of all models, and asked.

Encoders (RoBERTa and others) for stance, semantic correctness and edge importance (EG3P, appendix D); BART, which
reads the text in both its halves and takes the decoder's last hidden state, for TabFact (ReasTAP, section 4).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from transformers import (
    AutoConfig,
    AutoModelForSequenceClassification,
    AutoTokenizer,
    BartForSequenceClassification,
    PreTrainedModel,
    PreTrainedTokenizerFast,
    RobertaConfig,
    RobertaForSequenceClassification,
)

from workbench_lib import seq2seq
from workbench_lib.batches import all_batches
from workbench_lib.errors import InputError
from workbench_lib.launching import main_process_first
from workbench_lib.objectives import CLASSES
from workbench_lib.scores import Scores, summarise
from workbench_lib.seq2seq import MAX_POSITIONS, ModelError
from workbench_lib.shapes import SHAPES
from workbench_lib.stages import TrainingParams
from workbench_lib.tokens import TokenStore, cut, tokenise
from workbench_lib.training import Trained, train

Text = str | tuple[str, str]
"""What is classified: a text, or two that the tokenizer joins in its own way (`<s> A </s></s> B </s>`)."""

TOKENS_A_BATCH = 1 << 14


@dataclass(frozen=True)
class Classifier:
    """A model with the names of its classes in its config, its tokenizer, and how many tokens of a text it reads."""

    model: PreTrainedModel
    tokenizer: PreTrainedTokenizerFast
    max_tokens: int

    @property
    def labels(self) -> tuple[str, ...]:
        """The names of the classes, in the order of their numbers."""
        names = self.model.config.id2label
        return tuple(names[number] for number in range(len(names)))

    def __call__(self, texts: Sequence[Text]) -> NDArray[np.floating]:
        """The probabilities of the classes, (texts, classes)."""
        return predict_classes(self, texts).probabilities


@dataclass(frozen=True)
class Classes:
    """What a classifier says: probabilities, (texts, classes) in the texts' order; and how many texts were cut."""

    probabilities: NDArray[np.floating]
    cut_texts: int


# --- models ------------------------------------------------------------------------------------------------------


def build_classifier(
    name: str, tokenizer: PreTrainedTokenizerFast, labels: Sequence[str], *, max_tokens: int, seed: int, dropout: float
) -> Classifier:
    """A classifier with fresh weights drawn from `seed`.

    Args:
        name: `roberta:SHAPE` for an encoder alone, `bart:SHAPE` for encoder and decoder, such as `roberta:tiny`.
        max_tokens: Longer texts are cut at their end.

    Raises:
        ModelError: no such family or shape, or not so many positions.
    """
    family, _, shape = name.partition(":")
    if family not in _FAMILIES or shape not in SHAPES:
        known = ", ".join(f"{family}:{shape}" for family in _FAMILIES for shape in SHAPES)
        raise ModelError(f"unknown classifier {name!r} (there are: {known})")
    cls, make_config = _FAMILIES[family]
    config = make_config(shape, tokenizer, dropout)
    _name_classes(config, labels)
    return _checked(Classifier(seq2seq.fresh(cls, config, seed), tokenizer, max_tokens))


def adapt_classifier(
    name: str | Path, labels: Sequence[str], *, max_tokens: int, seed: int, dropout: float
) -> Classifier:
    """The pre-trained model of a local folder or a hub name, with a new head for these classes drawn from `seed`.

    Raises:
        ModelError: it cannot be loaded, or has not so many positions.
    """
    tokenizer = seq2seq.load_tokenizer(name)
    config = seq2seq.load(AutoConfig, name)
    _name_classes(config, labels)
    for setting in ("dropout", "hidden_dropout_prob", "attention_probs_dropout_prob", "classifier_dropout"):
        if hasattr(config, setting):
            setattr(config, setting, dropout)
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        model = _open(name, config)
        if len(tokenizer) > model.get_input_embeddings().num_embeddings:
            model.resize_token_embeddings(len(tokenizer))
    return _checked(Classifier(model, tokenizer, max_tokens))


def load_classifier(name: str | Path) -> Classifier:
    """A trained classifier: one that `save_classifier` wrote, or another's folder or hub name.

    Raises:
        ModelError: it cannot be loaded.
    """
    tokenizer, config = seq2seq.load(AutoTokenizer, name), seq2seq.load(AutoConfig, name)
    model = _open(name, config)
    return Classifier(model, tokenizer, min(tokenizer.model_max_length, _positions(model)))


def save_classifier(classifier: Classifier, folder: Path) -> None:
    """Write a folder that `from_pretrained` opens without us: the classes' names and the limit are in it."""
    classifier.tokenizer.model_max_length = classifier.max_tokens
    seq2seq.save(classifier.model, classifier.tokenizer, folder)


def _open(name: str | Path, config: Any) -> PreTrainedModel:
    settings = {"config": config, "dtype": torch.float32, "use_safetensors": True}
    model: PreTrainedModel = seq2seq.load(AutoModelForSequenceClassification, name, **settings)
    return model


def _roberta(shape: str, tokenizer: PreTrainedTokenizerFast, dropout: float) -> RobertaConfig:
    width, layers, _, heads, feed_forward = SHAPES[shape]
    return RobertaConfig(
        vocab_size=len(tokenizer),
        max_position_embeddings=MAX_POSITIONS + tokenizer.pad_token_id + 1,  # it counts on from the padding's id
        hidden_size=width,
        num_hidden_layers=layers,
        num_attention_heads=heads,
        intermediate_size=feed_forward,
        hidden_dropout_prob=dropout,
        attention_probs_dropout_prob=dropout,
        type_vocab_size=1,
        bos_token_id=tokenizer.bos_token_id,
        pad_token_id=tokenizer.pad_token_id,
        eos_token_id=tokenizer.eos_token_id,
    )


_FAMILIES: dict[str, tuple[type[PreTrainedModel], Callable[[str, PreTrainedTokenizerFast, float], Any]]] = {
    "roberta": (RobertaForSequenceClassification, _roberta),
    "bart": (BartForSequenceClassification, seq2seq.bart_config),
}


def _name_classes(config: Any, labels: Sequence[str]) -> None:
    config.id2label = dict(enumerate(labels))
    config.label2id = {label: number for number, label in enumerate(labels)}
    config.use_cache = False


def _positions(model: PreTrainedModel) -> int:
    """How many tokens have a place; RoBERTa's first ones are never used."""
    unused = getattr(getattr(model.base_model, "embeddings", None), "padding_idx", -1) + 1
    return int(model.config.max_position_embeddings) - unused


def _checked(classifier: Classifier) -> Classifier:
    if classifier.max_tokens > (most := _positions(classifier.model)):
        raise ModelError(f"the model has {most} positions, fewer than max_tokens={classifier.max_tokens}")
    return classifier


# --- training ----------------------------------------------------------------------------------------------------


def train_classifier(
    classifier: Classifier,
    examples: Sequence[tuple[Text, str]],
    params: TrainingParams,
    folder: Path,
    *,
    validation: Sequence[tuple[Text, str]] = (),
) -> Trained:
    """Train a classifier in place by `training.train`, which goes on from `folder/checkpoints` after a kill.

    Args:
        examples: Texts, each with the name of its class.
        validation: What the validation loss, and every `params.generate_every` steps the accuracy, is measured on.

    Raises:
        InputError: a class that the classifier has not.
        TokenError: there are no examples, or others than before.
        TrainingError, TrainingStopped, CheckpointError: as `train`.
    """
    with main_process_first():
        store = tokenise_classes(classifier, examples, folder / "tokens" / "train")
        held_out = tokenise_classes(classifier, validation, folder / "tokens" / "validation") if validation else None

    def accuracy(model: PreTrainedModel) -> dict[str, float]:
        said = Classifier(model, classifier.tokenizer, classifier.max_tokens)([text for text, _ in validation])
        scores = score_classes(classifier.labels, said, [label for _, label in validation])
        return {"accuracy": scores.metrics["accuracy"].value}

    evaluate = accuracy if validation else None
    return train(classifier.model, store, held_out, params, folder, objective=CLASSES, evaluate=evaluate)


def tokenise_classes(classifier: Classifier, examples: Sequence[tuple[Text, str]], folder: Path) -> TokenStore:
    """Examples as a token store, whose target is one number: that of the class. Long texts are cut, and counted.

    Raises:
        InputError: a class that the classifier has not.
    """
    labels = {label: number for number, label in enumerate(classifier.labels)}
    strangers = [label for _, label in examples if label not in labels]
    if strangers:
        raise InputError(f"a class that is none of {', '.join(labels)}", value=strangers[0])
    sources = encode_texts(classifier.tokenizer, [text for text, _ in examples])
    return tokenise(
        zip(sources, ([labels[label]] for _, label in examples), strict=True),
        classifier.tokenizer,
        folder,
        identity=[*labels, *examples],
        max_source_tokens=classifier.max_tokens,
        max_target_tokens=1,
        cut_long=True,
    )


def encode_texts(tokenizer: PreTrainedTokenizerFast, texts: Sequence[Text]) -> list[list[int]]:
    """Token ids of texts or of pairs, with the tokenizer's start, separators and end; those inside a text are text."""
    if not texts:
        return []
    columns = zip(*((text,) if isinstance(text, str) else text for text in texts), strict=True)
    ids: list[list[int]] = tokenizer(*map(list, columns), verbose=False, split_special_tokens=True)["input_ids"]
    return ids


# --- asking ------------------------------------------------------------------------------------------------------


def predict_classes(classifier: Classifier, texts: Sequence[Text], *, tokens_a_batch: int = TOKENS_A_BATCH) -> Classes:
    """The probabilities of the classes of each text; texts of similar length go together."""
    model, limit = classifier.model.eval(), classifier.max_tokens
    whole = encode_texts(classifier.tokenizer, texts)
    short = [cut(ids, limit) for ids in whole]
    found = np.zeros((len(texts), len(classifier.labels)), np.float32)
    for examples, probabilities in _probabilities(model, classifier.tokenizer, short, tokens_a_batch):
        found[examples] = probabilities
    return Classes(found, sum(len(ids) > limit for ids in whole))


@torch.no_grad()
def _probabilities(
    model: PreTrainedModel, tokenizer: PreTrainedTokenizerFast, sources: list[list[int]], tokens_a_batch: int
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.floating]]]:
    lengths = np.array([(len(ids), 0) for ids in sources]).reshape(-1, 2)
    for examples in all_batches(lengths, tokens_a_batch):
        batch = tokenizer.pad({"input_ids": [sources[k] for k in examples]}, return_tensors="pt").to(model.device)
        logits = model(input_ids=batch["input_ids"], attention_mask=batch["attention_mask"]).logits
        yield examples, logits.float().softmax(-1).cpu().numpy()


def score_classes(labels: Sequence[str], probabilities: NDArray[np.floating], golds: Sequence[str]) -> Scores:
    """The accuracy, and for each example what was said and how surely.

    >>> score_classes(["no", "yes"], np.array([[0.9, 0.1], [0.2, 0.8]]), ["no", "no"]).rows
    [{'accuracy': 1.0, 'said': 'no', 'probability': 0.9}, {'accuracy': 0.0, 'said': 'yes', 'probability': 0.8}]
    """
    said = [labels[number] for number in probabilities.argmax(axis=1)]
    rows = [
        {"accuracy": float(label == gold), "said": label, "probability": float(surest)}
        for label, gold, surest in zip(said, golds, probabilities.max(axis=1), strict=True)
    ]
    return summarise(rows, ["accuracy"])
