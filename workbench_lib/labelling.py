"""Fine-tuning on a task of labels: a classifier in the place of a model that writes (TabFact; ReasTAP, section 4)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from transformers import PreTrainedModel, PreTrainedTokenizerFast

from workbench_lib.classification import Classifier, adapt_classifier, encode_texts
from workbench_lib.generation import Generated
from workbench_lib.objectives import CLASSES, TARGET_TOKENS, Objective
from workbench_lib.stages import FinetuningParams, TrainingParams
from workbench_lib.tasks import Example, get_task
from workbench_lib.written import Written


class Learner(Protocol):
    """A model and its tokenizer."""

    @property
    def model(self) -> PreTrainedModel: ...
    @property
    def tokenizer(self) -> PreTrainedTokenizerFast: ...


def labels_of(params: TrainingParams) -> tuple[str, ...]:
    """The labels of the task that a model is trained on; none where it learns to write."""
    return get_task(params.task).labels if isinstance(params, FinetuningParams) else ()


def objective_of(params: TrainingParams) -> Objective:
    """What a training step minimises."""
    return CLASSES if labels_of(params) else TARGET_TOKENS


def numbered(
    examples: Sequence[Example], labels: Sequence[str], tokenizer: PreTrainedTokenizerFast
) -> list[tuple[list[int], list[int]]]:
    """What a classifier is trained on: the token ids of each text or pair of texts, and the number of its label."""
    sources = encode_texts(tokenizer, [example.text for example in examples])
    return [(ids, [labels.index(example.target)]) for ids, example in zip(sources, examples, strict=True)]


def open_classifier(where: str, params: TrainingParams) -> Classifier:
    """The model of a folder or hub name with a head for the labels: its own, where it has one for as many.

    Raises:
        ModelError: it cannot be loaded, or has not so many positions.
    """
    limit = params.max_source_tokens
    return adapt_classifier(where, labels_of(params), max_tokens=limit, seed=params.seed, dropout=params.dropout)


def label(learner: Learner, params: TrainingParams, examples: Sequence[Example]) -> Generated:
    """The most probable label of each example, as texts are given."""
    classifier = Classifier(learner.model, learner.tokenizer, params.max_source_tokens)
    texts = [example.text for example in examples]
    too_long = [len(tokens) > classifier.max_tokens for tokens in encode_texts(classifier.tokenizer, texts)]
    said = [classifier.labels[number] for number in classifier(texts).argmax(axis=1)]
    written = (Written(text, hit_limit=False, cut=cut) for text, cut in zip(said, too_long, strict=True))
    return Generated(dict(zip((example.id for example in examples), written, strict=True)))
