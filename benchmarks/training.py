"""Examples a second of the training loop beside transformers' Seq2SeqTrainer, its overhead, and tokens a core-second.

    python benchmarks/training.py [--shape tiny] [--threads 1] [--turns 3]

Both train the same model on the same tokens, from the built-in data: a graph corpus and a table corpus. The trainer
has its usual settings: shuffled batches of a fixed number of examples, padded to the longest (DataCollatorForSeq2Seq);
the loop's token budget is set to the same number of examples a batch on average. They take turns, and the medians of
examples a second are compared, for the same number of target tokens. Other work on the machine moves the seconds of
the clock, but hardly those of the processor, so with one thread the ratio by processor seconds is the one to trust.
"""

from __future__ import annotations

import argparse
import io
import itertools
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import torch
from torch.optim import AdamW
from transformers import (
    DataCollatorForSeq2Seq,
    PreTrainedModel,
    PreTrainedTokenizerFast,
    Seq2SeqTrainer,
    Seq2SeqTrainingArguments,
)
from transformers.utils import logging

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from eg3p_lib.corpora import build_graph_corpus
from reastap_lib.synthesis import build_table_corpus
from workbench_lib import seq2seq
from workbench_lib.batches import BatchStream, Lengths, all_batches
from workbench_lib.corpus import Corpus
from workbench_lib.objectives import TARGET_TOKENS, Objective
from workbench_lib.params import load_params, load_yaml, preset_path
from workbench_lib.stages import TrainingParams
from workbench_lib.tokens import TokenStore, tokenise
from workbench_lib.training import train

LIMITS = {"max_source_tokens": 1024, "max_target_tokens": 128}
VOCABULARY, DROPOUT, RATE = 4000, 0.1, 1e-4
WARM_STEPS = 4  # not timed


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
    """What a candidate did in a turn, its first steps left out; by the clock and by the processor."""

    clock_s: float
    processor_s: float
    examples: int
    tokens: int
    padded: int
    target_tokens: int


class Stamps:
    """Both times at the start of every forward pass of a model, one a step."""

    def __init__(self, model: PreTrainedModel):
        self.times: list[tuple[float, float]] = []
        model.register_forward_pre_hook(lambda *_: self.times.append((time.perf_counter(), time.process_time())))

    def turn(self, batches: list[Lengths]) -> Turn:
        """From the first step that counts to the start of the last one; batches are the lengths of their examples."""
        timed = batches[WARM_STEPS : len(self.times) - 1]
        lengths = np.concatenate(timed).astype(np.int64)
        padded = sum(len(batch) * int(batch.max(axis=0).sum()) for batch in timed)
        (clock, processor) = (self.times[-1][k] - self.times[WARM_STEPS][k] for k in (0, 1))
        return Turn(clock, processor, len(lengths), int(lengths.sum()), padded, int(lengths[:, 1].sum()))


def loop_turn(setting: Setting, seed: int, budget: int, objective: Objective = TARGET_TOKENS) -> Turn:
    """The loop of this project, a fresh run."""
    model = setting.model()
    stamps = Stamps(model)
    params = loop_params(steps=setting.steps, tokens_a_batch=budget, seed=seed)
    train(model, setting.store, None, params, Path(tempfile.mkdtemp(dir=setting.folder)), objective=objective)
    stream = BatchStream([setting.store.lengths], budget, seed)
    return stamps.turn([setting.store.lengths[batch.examples] for batch in stream.take(setting.steps)])


def loop_params(**changes: Any) -> LoopParams:
    preset = load_yaml(preset_path("03_pretraining", "tiny"))
    values = {name: value for name, value in preset.items() if name in TrainingParams.model_fields}
    fixed = {"learning_rate": RATE, "warmup_steps": 0, "dropout": DROPOUT, "checkpoint_every": 100_000}
    return LoopParams.make({**values, **fixed, **changes})


def trainer_turn(setting: Setting, seed: int) -> Turn:
    """transformers' trainer, a fresh run."""
    model, seen = setting.model(), []
    stamps = Stamps(model)
    collator = DataCollatorForSeq2Seq(setting.tokenizer, model=model)

    def collate(features: list[dict[str, Any]]) -> Any:
        seen.append(np.array([(len(f["input_ids"]), len(f["labels"])) for f in features]))
        return collator(features)

    arguments = Seq2SeqTrainingArguments(
        output_dir=tempfile.mkdtemp(dir=setting.folder),
        per_device_train_batch_size=setting.examples_a_batch,
        max_steps=setting.steps,
        learning_rate=RATE,
        seed=seed,
        use_cpu=True,
        save_strategy="no",
        report_to="none",
        disable_tqdm=True,
    )
    features = features_of(setting.store)
    with redirect_stdout(io.StringIO()):
        Seq2SeqTrainer(model, arguments, data_collator=collate, train_dataset=features).train()
    return stamps.turn(seen)


def features_of(store: TokenStore) -> list[dict[str, Any]]:
    sides = [(store.source(k).tolist(), store.target(k).tolist()) for k in range(len(store))]
    return [{"input_ids": ids, "attention_mask": [1] * len(ids), "labels": labels} for ids, labels in sides]


def overhead(setting: Setting, budget: int) -> float:
    """The share of a turn's processor time that is spent outside of forward, backward and optimiser."""
    spent: list[tuple[float, float]] = []
    timed = replace(TARGET_TOKENS, loss=_timed(TARGET_TOKENS.loss, spent))
    places = ((torch.Tensor, "backward"), (AdamW, "step"), (AdamW, "zero_grad"), (torch.nn.utils, "clip_grad_norm_"))
    with _patched(spent, *places):
        turn = loop_turn(setting, 1, budget, timed)
    steps = len(spent) // setting.steps  # calls a step
    return 1 - sum(seconds for _, seconds in spent[WARM_STEPS * steps : -steps]) / turn.processor_s


def _timed(work: Callable[..., Any], spent: list[tuple[float, float]]) -> Callable[..., Any]:
    def timed(*arguments: Any, **named: Any) -> Any:
        began = time.process_time()
        result = work(*arguments, **named)
        spent.append((began, time.process_time() - began))
        return result

    return timed


@contextmanager
def _patched(spent: list[tuple[float, float]], *places: tuple[Any, str]) -> Iterator[None]:
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
    taken: dict[str, list[Turn]] = {"loop": [], "trainer": []}
    for seed in range(turns):
        taken["loop"].append(loop_turn(setting, seed, budget))
        taken["trainer"].append(trainer_turn(setting, seed))
    print(f"{setting.name}: {len(setting.store):,} examples, {setting.shape} model, {budget:,} tokens a batch")
    for name, some in taken.items():
        padding = 1 - sum(turn.tokens for turn in some) / sum(turn.padded for turn in some)
        clock, processor = rates(setting, some)
        size = statistics.mean(turn.examples / (setting.steps - 1 - WARM_STEPS) for turn in some)
        print(f"  {name:<8}{clock:8.1f} examples/s, {processor:8.1f} a processor second,", end=" ")
        print(f"{size:.1f} examples a batch, {padding:.1%} padding")
    ratios = [a / b for a, b in zip(rates(setting, taken["loop"]), rates(setting, taken["trainer"]), strict=True)]
    print(f"  ratio   {ratios[0]:8.2f}             {ratios[1]:8.2f}")
    print(f"  overhead of the loop {overhead(setting, budget):.1%}", end="; ")
    print(f"tokenising {setting.tokens_a_core_second:,.0f} tokens a core-second", flush=True)


def rates(setting: Setting, turns: list[Turn]) -> tuple[float, float]:
    """Median examples a second by clock and processor; an example is as many target tokens as one has on average."""
    of_example = setting.store.meta["target_tokens"] / len(setting.store)
    clock = statistics.median(turn.target_tokens / turn.clock_s for turn in turns)
    processor = statistics.median(turn.target_tokens / turn.processor_s for turn in turns)
    return clock / of_example, processor / of_example


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shape", default="tiny")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--turns", type=int, default=3)
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    logging.set_verbosity_error()
    with tempfile.TemporaryDirectory() as temporary:
        for name, build, stem, size, steps in (
            ("graphs", build_graph_corpus, "01_graph_synthesis", 32, 24),
            ("tables", build_table_corpus, "02_table_synthesis", 16, 20),
        ):
            folder = Path(temporary) / name
            corpus = build(load_params(stem, "tiny"), folder / "corpus")
            compare(Setting(name, folder, corpus, arguments.shape, size, steps), arguments.turns)


if __name__ == "__main__":
    main()
