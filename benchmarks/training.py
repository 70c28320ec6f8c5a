"""Examples a second of the training loop beside transformers' Seq2SeqTrainer, its overhead, and tokens a core-second.

    python benchmarks/training.py [--shape tiny] [--threads 1] [--turns 5]

Both train the same model on the same tokens, from the built-in data: a graph corpus and a table corpus. The trainer
has its usual settings: shuffled batches of a fixed number of examples, padded to the longest (DataCollatorForSeq2Seq);
the loop's token budget is set to the same number of examples a batch on average. They take turns, since other work on
the machine comes and goes, and the medians of examples a second for the same number of target tokens are compared.
"""

from __future__ import annotations

import argparse
import itertools
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import torch
from transformers import (
    DataCollatorForSeq2Seq,
    PreTrainedModel,
    PreTrainedTokenizerFast,
    Seq2SeqTrainer,
    Seq2SeqTrainingArguments,
    TrainerCallback,
)
from transformers.utils import logging

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from eg3p_lib.corpora import build_graph_corpus
from reastap_lib.synthesis import build_table_corpus
from workbench_lib import seq2seq
from workbench_lib.batches import BatchStream, all_batches
from workbench_lib.corpus import Corpus
from workbench_lib.metrics_log import read_metrics
from workbench_lib.objectives import TARGET_TOKENS
from workbench_lib.params import load_params, load_yaml, preset_path
from workbench_lib.stages import TrainingParams
from workbench_lib.tokens import TokenStore, tokenise
from workbench_lib.training import train

LIMITS = {"max_source_tokens": 1024, "max_target_tokens": 128}
VOCABULARY, DROPOUT, RATE = 4000, 0.1, 1e-4
WARM_STEPS = 10  # not timed


class LoopParams(TrainingParams):
    stage: ClassVar[str] = "benchmark"
    version: ClassVar[int] = 1


@dataclass
class Setting:
    """What both candidates train on."""

    name: str
    folder: Path
    corpus: Corpus
    shape: str
    examples_a_batch: int
    steps: int
    tokenizer: PreTrainedTokenizerFast = field(init=False)
    store: TokenStore = field(init=False)
    tokens_a_core_second: float = field(init=False)

    def __post_init__(self) -> None:
        pairs = list(self.corpus.pairs("train"))
        self.tokenizer = seq2seq.train_tokenizer(itertools.chain.from_iterable(pairs), VOCABULARY)
        began = time.process_time()
        self.store = tokenise(pairs, self.tokenizer, self.folder / "tokens", identity=self.name, **LIMITS)
        tokens = self.store.meta["source_tokens"] + self.store.meta["target_tokens"]
        self.tokens_a_core_second = tokens / (time.process_time() - began)

    def model(self) -> PreTrainedModel:
        return seq2seq.build_model(self.shape, self.tokenizer, seed=1, dropout=DROPOUT)

    def budget(self) -> int:
        """The tokens a batch that make batches of so many examples on average."""
        low, high = 64, 1 << 20
        while high - low > 8:
            middle = (low + high) // 2
            batches = sum(1 for _ in all_batches(self.store.lengths, middle))
            low, high = (middle, high) if len(self.store) / batches < self.examples_a_batch else (low, middle)
        return high


@dataclass
class Turn:
    """What a candidate did in a turn, its first steps left out."""

    seconds: float
    examples: int
    tokens: int
    padded: int
    target_tokens: int

    @property
    def rate(self) -> float:
        """Target tokens a second: examples a second, once divided by those of an example."""
        return self.target_tokens / self.seconds

    @property
    def padding(self) -> float:
        return 1 - self.tokens / self.padded


def turn_of(seconds: float, batches: list[np.ndarray]) -> Turn:
    """A turn over batches, each as the lengths of its examples, (examples, 2)."""
    lengths = np.concatenate(batches)
    padded = sum(len(batch) * int(batch.max(axis=0).sum()) for batch in batches)
    return Turn(seconds, len(lengths), int(lengths.sum()), padded, int(lengths[:, 1].sum()))


def loop_turn(setting: Setting, number: int, budget: int) -> Turn:
    """The loop of this project, a fresh run."""
    params = loop_params(steps=setting.steps, tokens_a_batch=budget, seed=number)
    folder = Path(tempfile.mkdtemp(dir=setting.folder))
    train(setting.model(), setting.store, None, params, folder)
    at = {row["step"]: row["seconds"] for row in read_metrics(folder / "metrics.jsonl")}
    stream = BatchStream([setting.store.lengths], budget, number)
    batches = [np.asarray(setting.store.lengths[batch.examples], np.int64) for batch in stream.take(setting.steps)]
    return turn_of(at[setting.steps] - at[WARM_STEPS], batches[WARM_STEPS:])


def loop_params(**changes: Any) -> LoopParams:
    names = TrainingParams.model_fields
    preset = {k: v for k, v in load_yaml(preset_path("03_pretraining", "tiny")).items() if k in names}
    fixed = {"learning_rate": RATE, "warmup_steps": 0, "dropout": DROPOUT, "checkpoint_every": 100_000}
    return LoopParams.make({**preset, **fixed, **changes})


class Clock(TrainerCallback):
    """The time from the end of the last step that is left out to the end of the last one."""

    def __init__(self) -> None:
        self.ends: list[float] = []

    def on_step_end(self, *_: Any, **__: Any) -> None:
        self.ends.append(time.perf_counter())


def trainer_turn(setting: Setting, number: int) -> Turn:
    """transformers' trainer, a fresh run."""
    model, clock, seen = setting.model(), Clock(), []
    collator = DataCollatorForSeq2Seq(setting.tokenizer, model=model)

    def collate(features: list[dict[str, Any]]) -> Any:
        seen.append(np.array([(len(f["input_ids"]), len(f["labels"])) for f in features]))
        return collator(features)

    arguments = Seq2SeqTrainingArguments(
        output_dir=tempfile.mkdtemp(dir=setting.folder),
        per_device_train_batch_size=setting.examples_a_batch,
        max_steps=setting.steps,
        learning_rate=RATE,
        seed=number,
        use_cpu=True,
        save_strategy="no",
        report_to="none",
        disable_tqdm=True,
    )
    trainer = Seq2SeqTrainer(
        model, arguments, data_collator=collate, train_dataset=features_of(setting.store), callbacks=[clock]
    )
    trainer.train()
    return turn_of(clock.ends[-1] - clock.ends[WARM_STEPS - 1], seen[WARM_STEPS : setting.steps])


def features_of(store: TokenStore) -> list[dict[str, Any]]:
    return [
        {
            "input_ids": store.source(k).tolist(),
            "attention_mask": [1] * len(store.source(k)),
            "labels": store.target(k).tolist(),
        }
        for k in range(len(store))
    ]


def overhead(setting: Setting, budget: int) -> float:
    """The share of the loop's time that is spent outside of forward, backward and optimiser."""
    spent = [0.0]
    timed = replace(TARGET_TOKENS, loss=_timed(TARGET_TOKENS.loss, spent))
    folder = Path(tempfile.mkdtemp(dir=setting.folder))
    owners = ((torch.Tensor, "backward"), (torch.optim.AdamW, "step"), (torch.optim.AdamW, "zero_grad"))
    with _patched(spent, *owners, (torch.nn.utils, "clip_grad_norm_")):
        began = time.perf_counter()
        params = loop_params(steps=setting.steps, tokens_a_batch=budget)
        at_start = _after_loading(began)
        train(setting.model(), setting.store, None, params, folder, objective=timed)
    total = read_metrics(folder / "metrics.jsonl")[-1]["seconds"]
    return 1 - spent[0] / total + at_start


def _after_loading(_: float) -> float:
    return 0.0


def _timed(work: Callable[..., Any], spent: list[float]) -> Callable[..., Any]:
    def timed(*arguments: Any, **named: Any) -> Any:
        began = time.perf_counter()
        try:
            return work(*arguments, **named)
        finally:
            spent[0] += time.perf_counter() - began

    return timed


@contextmanager
def _patched(spent: list[float], *places: tuple[Any, str]) -> Iterator[None]:
    before = [(owner, name, getattr(owner, name)) for owner, name in places]
    for owner, name, work in before:
        setattr(owner, name, _timed(work, spent))
    try:
        yield
    finally:
        for owner, name, work in before:
            setattr(owner, name, work)


def compare(setting: Setting, turns: int) -> None:
    budget = setting.budget()
    loops, trainers = [], []
    for number in range(turns):
        loops.append(loop_turn(setting, number, budget))
        trainers.append(trainer_turn(setting, number))
    of_example = setting.store.meta["target_tokens"] / len(setting.store)
    ours, theirs = (statistics.median(turn.rate for turn in taken) / of_example for taken in (loops, trainers))
    mean = len(setting.store) / sum(1 for _ in all_batches(setting.store.lengths, budget))
    print(f"{setting.name}: {len(setting.store):,} examples, {budget:,} tokens a batch ({mean:.1f} examples)")
    for name, taken, rate in (("loop", loops, ours), ("trainer", trainers, theirs)):
        padding = 1 - sum(t.tokens for t in taken) / sum(t.padded for t in taken)
        each = " ".join(f"{turn.rate / of_example:.0f}" for turn in taken)
        print(f"  {name:<8} {rate:8.1f} examples/s (turns: {each}), {padding:.1%} padding")
    print(f"  ratio {ours / theirs:.2f}, loop overhead {overhead(setting, budget):.1%},", end=" ")
    print(f"tokenising {setting.tokens_a_core_second:,.0f} tokens a core-second", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shape", default="tiny")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--turns", type=int, default=5)
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    logging.set_verbosity_error()
    with tempfile.TemporaryDirectory() as temporary:
        for name, build, stem, size, steps in (
            ("graphs", build_graph_corpus, "01_graph_synthesis", 32, 40),
            ("tables", build_table_corpus, "02_table_synthesis", 16, 30),
        ):
            folder = Path(temporary) / name
            corpus = build(load_params(stem, "tiny"), folder / "corpus")
            compare(Setting(name, folder, corpus, arguments.shape, size, steps), arguments.turns)


if __name__ == "__main__":
    main()
