"""The ranker of SP-Acc: a classifier that says how likely it is that a program is what a sentence means.

It reads the title and the sentence, then the program with a token for each function (LogicNLG's own ranker is BERT
with such tokens). It never sees what a program returns.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from tokenizers import AddedToken

from reastap_lib.lpa.operators import OPERATORS
from reastap_lib.lpa.programs import ALL_ROWS, Call, parse
from reastap_lib.lpa.ranker_data import Candidate, label_programs, read_told
from workbench_lib import seq2seq
from workbench_lib.classification import (
    Classifier,
    adapt_classifier,
    build_classifier,
    load_classifier,
    save_classifier,
    train_classifier,
)
from workbench_lib.errors import InputError
from workbench_lib.stages import TrainingParams
from workbench_lib.training import Trained

LABELS = ("wrong", "right")
FUNCTION_TOKENS = sorted({f"[{operator.name}]" for operator in OPERATORS.values()} | {ALL_ROWS})
MAX_TOKENS = 160  # LogicNLG: 120 of BERT's; a small vocabulary cuts words into more pieces
TOKENS_A_BATCH = 64 * MAX_TOKENS
VOCABULARY = 4096
DROPOUT = 0.1


def train_ranker(
    examples: Sequence[tuple[Candidate, bool]], params: TrainingParams, folder: Path, *, model: str
) -> Trained:
    """Train a ranker into a folder that `load_ranker` opens; a call that was interrupted goes on.

    Args:
        examples: Candidates, each with whether it is right.
        params: Of the training loop; `ranker_params` makes LogicNLG's.
        model: A classifier with fresh weights, such as `roberta:small`, or the folder or hub name of an encoder.

    Raises:
        InputError: all candidates are right, or all are wrong.
        ModelError: there is no such model.
    """
    if len({right for _, right in examples}) < 2:
        raise InputError("the ranker needs candidates that are right and candidates that are wrong", path=folder)
    texts = [(ranker_text(candidate), LABELS[right]) for candidate, right in examples]
    classifier = _classifier(model, [part for text, _ in texts for part in text], params)
    trained = train_classifier(classifier, texts, params, folder)
    save_classifier(classifier, folder)
    return trained


def train_on_files(
    sentences: Sequence[Path], tables: Path, params: TrainingParams, folder: Path, *, model: str, workers: int = 1
) -> dict[str, Any]:
    """Train a ranker on files of LogicNLG (see `ranker_data`); what it learnt from, and how it went.

    Raises:
        InputError: a file is none of LogicNLG's, or no programs were found.
        ModelError: there is no such model.
    """
    told = [one for path in sentences for one in read_told(path)]
    found = label_programs(told, tables, workers=workers)
    trained = train_ranker(found.candidates, params, folder, model=model)
    return {
        "folder": str(folder),
        "sentences": len(told),
        "left_out": dict(found.left_out),
        "programs": len(found.candidates),
        "right": sum(right for _, right in found.candidates),
        "steps": trained.steps,
        "loss": trained.loss,
    }


def load_ranker(folder: str | Path) -> Ranker:
    """The ranker of a folder.

    Raises:
        ModelError: it cannot be loaded.
        InputError: it is another classifier.
    """
    classifier = load_classifier(folder)
    if classifier.labels != LABELS:
        raise InputError("no ranker: its classes are others", path=folder, value=list(classifier.labels))
    return Ranker(classifier)


@dataclass(frozen=True)
class Ranker:
    """How likely it is that programs are what their sentences mean."""

    classifier: Classifier

    def __call__(self, candidates: Sequence[Candidate]) -> NDArray[np.floating]:
        """The probabilities, (candidates,)."""
        return self.classifier(list(map(ranker_text, candidates)))[:, LABELS.index("right")]


def ranker_text(candidate: Candidate) -> tuple[str, str]:
    """What the ranker reads: title and sentence; the program.

    >>> ranker_text(Candidate("cup", "Ann won 3 times", "eq{count{filter_eq{all_rows; name; ann}}; 3}"))
    ('title : cup [SEP] ann won 3 times', '[eq] { [count] { [filter_eq] { all_rows ; name ; ann } } ; 3 }')
    """
    title, sentence = candidate.title.lower(), candidate.sentence.lower()
    return f"title : {title} [SEP] {sentence}", _with_tokens(parse(candidate.program))


def ranker_params(*, steps: int, learning_rate: float, seed: int) -> TrainingParams:
    """The settings of LogicNLG's ranker: linear decay without warm-up, no weight decay, no smoothing."""
    values = {
        "max_source_tokens": MAX_TOKENS,
        "max_target_tokens": 8,
        "steps": steps,
        "max_tokens": 0,
        "max_examples": 0,
        "tokens_a_batch": TOKENS_A_BATCH,
        "batches_a_step": 1,
        "learning_rate": learning_rate,
        "schedule": "linear",
        "warmup_steps": 0,
        "weight_decay": 0.0,
        "label_smoothing": 0.0,
        "dropout": DROPOUT,
        "clip_norm": 1.0,
        "validate_every": steps,
        "generate_every": 0,
        "checkpoint_every": 100,
        "patience": 0,
        "keep": "last",
        "compile": False,
        "processes": 1,
        "shard": False,
        "seed": seed,
    }
    return TrainingParams.make(values)


def _classifier(model: str, texts: Sequence[str], params: TrainingParams) -> Classifier:
    most, seed, dropout = params.max_source_tokens, params.seed, params.dropout
    if ":" in model:
        tokenizer = seq2seq.train_tokenizer(texts, VOCABULARY)
        tokenizer.add_tokens(_function_tokens())
        return build_classifier(model, tokenizer, LABELS, max_tokens=most, seed=seed, dropout=dropout)
    classifier = adapt_classifier(model, LABELS, max_tokens=most, seed=seed, dropout=dropout)
    classifier.tokenizer.add_tokens(_function_tokens())
    with torch.random.fork_rng():
        torch.manual_seed(params.seed)
        classifier.model.resize_token_embeddings(len(classifier.tokenizer))
    return classifier


def _function_tokens() -> list[AddedToken]:
    return [AddedToken(token, normalized=False) for token in FUNCTION_TOKENS]


def _with_tokens(program: Call | str) -> str:
    if isinstance(program, str):
        return program
    return f"[{program.name}] {{ {' ; '.join(map(_with_tokens, program.arguments))} }}"
