"""A training run small enough for a test, and runnable in a process of its own."""

from __future__ import annotations

import time
from pathlib import Path
from typing import ClassVar

import torch
from transformers import PreTrainedModel, PreTrainedTokenizerFast

from workbench_lib import seq2seq
from workbench_lib.stages import TrainingParams
from workbench_lib.tokens import TokenStore, tokenise
from workbench_lib.training import Trained, train

PAIRS = [
    ("cars [SEP] pollution", "cars : causes : pollution"),
    ("dogs [SEP] pets", "dogs : isa : pets | pets : atlocation : home"),
    ("rain", "rain : causes : flood"),
    ("a long source about gas, engines, roads, and towns", "gas : partof : engine"),
    ("war [SEP] peace", "war : antonym : peace"),
    ("pen", "pen : usedfor : writing | writing : isa : skill"),
    ("ice [SEP] water", "ice : madeof : water"),
    ("sun", "sun : capableof : shine"),
]


class ToyTraining(TrainingParams):
    stage: ClassVar[str] = "toy-training"
    version: ClassVar[int] = 1


def toy_params(**changes: object) -> ToyTraining:
    values = {
        "max_source_tokens": 64,
        "max_target_tokens": 64,
        "steps": 60,
        "max_tokens": 0,
        "max_examples": 0,
        "tokens_a_batch": 200,
        "batches_a_step": 1,
        "learning_rate": 0.001,
        "schedule": "linear",
        "warmup_steps": 5,
        "weight_decay": 0.01,
        "label_smoothing": 0.1,
        "dropout": 0.1,
        "clip_norm": 1.0,
        "validate_every": 15,
        "generate_every": 0,
        "checkpoint_every": 10,
        "patience": 0,
        "keep": "last",
        "compile": False,
        "processes": 1,
        "shard": False,
        "seed": 3,
    }
    return ToyTraining.make({**values, **changes})


def toy_tokenizer() -> PreTrainedTokenizerFast:
    return seq2seq.train_tokenizer((text for pair in PAIRS for text in pair), 300)


def toy_model(tokenizer: PreTrainedTokenizerFast, dropout: float = 0.1, seed: int = 5) -> PreTrainedModel:
    return seq2seq.build_model("tiny", tokenizer, seed=seed, dropout=dropout)


def toy_store(folder: Path, tokenizer: PreTrainedTokenizerFast, pairs: list[tuple[str, str]] = PAIRS) -> TokenStore:
    return tokenise(pairs, tokenizer, folder, identity=pairs, max_source_tokens=64, max_target_tokens=64)


def train_toy(folder: Path, pause_s: float = 0.0) -> Trained:
    """One whole toy run in `folder`; `pause_s` before every forward pass makes it slow enough to be killed."""
    torch.set_num_threads(1)
    tokenizer = toy_tokenizer()
    model = toy_model(tokenizer)
    model.register_forward_pre_hook(lambda *_: time.sleep(pause_s))
    store = toy_store(folder / "tokens" / "train", tokenizer)
    validation = toy_store(folder / "tokens" / "validation", tokenizer, PAIRS[:2])
    return train(model, store, validation, toy_params(), folder)
