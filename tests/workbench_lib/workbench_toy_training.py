"""A training run small enough for a test, and runnable in a process of its own."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any, ClassVar

import torch
from safetensors.torch import save_file
from transformers import (
    PreTrainedModel,
    PreTrainedTokenizerFast,
    RobertaConfig,
    RobertaForSequenceClassification,
    T5Config,
    T5ForConditionalGeneration,
)

from workbench_lib import seq2seq
from workbench_lib.files import sha256_of_file
from workbench_lib.metrics_log import read_metrics
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

TOY_CORPORA = {"first": PAIRS, "second": PAIRS[2:5]}


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


def toy_t5(tokenizer: PreTrainedTokenizerFast) -> PreTrainedModel:
    """A model whose positions are relative, and whose decoder starts with the padding token."""
    with torch.random.fork_rng():
        torch.manual_seed(5)
        return T5ForConditionalGeneration(
            T5Config(
                vocab_size=len(tokenizer),
                d_model=64,
                d_kv=16,
                d_ff=128,
                num_layers=2,
                num_heads=4,
                dropout_rate=0.0,
                decoder_start_token_id=tokenizer.pad_token_id,
                pad_token_id=tokenizer.pad_token_id,
                eos_token_id=tokenizer.eos_token_id,
            )
        )


def toy_classifier(tokenizer: PreTrainedTokenizerFast, classes: int = 3) -> PreTrainedModel:
    """A RoBERTa with a head; its position ids are a buffer that no checkpoint holds."""
    with torch.random.fork_rng():
        torch.manual_seed(5)
        return RobertaForSequenceClassification(
            RobertaConfig(
                vocab_size=len(tokenizer),
                hidden_size=32,
                num_hidden_layers=1,
                num_attention_heads=2,
                intermediate_size=64,
                max_position_embeddings=80,
                pad_token_id=tokenizer.pad_token_id,
                num_labels=classes,
            )
        )


def toy_store(folder: Path, tokenizer: PreTrainedTokenizerFast, pairs: list[tuple[str, str]] = PAIRS) -> TokenStore:
    return tokenise(pairs, tokenizer, folder, identity=pairs, max_source_tokens=64, max_target_tokens=64)


def train_toy(folder: Path, pause_s: float = 0.0) -> Trained:
    """One whole toy run in `folder`; `pause_s` before every forward pass makes it slow enough to be killed."""
    torch.set_num_threads(1)
    tokenizer = toy_tokenizer()
    model = toy_model(tokenizer)
    model.register_forward_pre_hook(lambda *_: time.sleep(pause_s))
    stores = [toy_store(folder / "tokens" / name, tokenizer, pairs) for name, pairs in TOY_CORPORA.items()]
    validation = toy_store(folder / "tokens" / "validation", tokenizer, PAIRS[:2])
    params = toy_params(steps=33, validate_every=7, keep="best", batches_a_step=2)
    trained = train(model, stores, validation, params, folder, weights=(2, 1))
    save_file({name: tensor.contiguous() for name, tensor in model.named_parameters()}, folder / "trained.safetensors")
    return trained


def outcome(folder: Path) -> tuple[list[dict[str, Any]], dict[str, str]]:
    """What must not depend on kills: the log without its times, and the digests of all tensors that are left."""
    times = ("seconds", "tokens_a_second")
    rows = [{k: v for k, v in row.items() if k not in times} for row in read_metrics(folder / "metrics.jsonl")]
    return rows, {str(path.relative_to(folder)): sha256_of_file(path) for path in folder.rglob("*.safetensors")}
