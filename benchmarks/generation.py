"""Examples a second of `generate`, beside transformers' `model.generate` called batch by batch in data order.

    python benchmarks/generation.py [--examples 384] [--rounds 3] [--steps 300]

A tiny model first learns some examples by heart, so that its outputs are as long as real ones are: graphs of an EG3P
corpus, and explanation graphs of ExplaGraphs (the files of WORKBENCH_DATA where it is set, else what is built in), at
evenly spaced ranks of length. Both then write the same sources in turns, with the same settings; the baseline takes
32 sources at a time. Where others use the machine, the processor seconds tell more than the examples a second.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import ClassVar

import numpy as np
import torch
from transformers import PreTrainedModel, PreTrainedTokenizerFast

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from eg3p_lib.corpora import GraphGenerator, KnowledgeChoice
from eg3p_lib.knowledge import resolve_sources
from eg3p_lib.tasks import load_explagraphs
from workbench_lib import seq2seq
from workbench_lib.corpus import Corpus, build_corpus
from workbench_lib.generation import generate, generation_config
from workbench_lib.paths import data_root
from workbench_lib.stages import TrainingParams
from workbench_lib.tokens import encode, tokenise
from workbench_lib.training import train

BY_HEART = 24  # examples of each kind
BATCH = 32  # of the baseline
LIMITS = {"max_source_tokens": 256, "max_target_tokens": 128}
Pairs = list[tuple[str, str]]


class ByHeart(TrainingParams):
    """Training that is not a run of any notebook."""

    stage: ClassVar[str] = "benchmark"
    version: ClassVar[int] = 1


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--examples", type=int, default=384, help="sources of each kind")
    parser.add_argument("--rounds", type=int, default=3, help="turns of each; the fastest counts")
    parser.add_argument("--steps", type=int, default=500, help="of learning by heart")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        kinds = {"EG3P": corpus_pairs(Path(folder)), "ExplaGraphs": explagraphs_pairs()}
        model, tokenizer = learnt(kinds, arguments.steps, Path(folder))
    print(f"{torch.get_num_threads()} threads, {seq2seq.count_parameters(model):,} parameters")
    for kind, pairs in kinds.items():
        order = random.Random(1).choices(range(BY_HEART), k=arguments.examples)
        for beams in (1, 4):
            compare(model, tokenizer, f"{kind}, {beams} beams", [pairs[k] for k in order], beams, arguments.rounds)


def corpus_pairs(folder: Path) -> Pairs:
    """Some examples of an EG3P corpus, every level of queries among them."""
    sources = ["conceptnet/*/*.csv*", "conceptnet/*/*.txt", "conceptnet/*/*.tsv"] if data_root() else ["starter"]
    generator = GraphGenerator(KnowledgeChoice(tuple(resolve_sources(sources))), seed=1)
    build_corpus(folder / "corpus", generator, 1000)
    return of_every_length(list(Corpus(folder / "corpus").pairs("train", 2500)))


def explagraphs_pairs() -> Pairs:
    """Some examples of ExplaGraphs."""
    examples = load_explagraphs("explagraphs" if data_root() else "starter", "train")
    return of_every_length([(example.source, example.target) for example in examples])


def of_every_length(pairs: Pairs) -> Pairs:
    """Pairs at evenly spaced ranks of their targets' lengths, so that few stand for all."""
    ranked = sorted(random.Random(2).sample(pairs, len(pairs)), key=lambda pair: len(pair[1]))
    return [ranked[(2 * k + 1) * len(ranked) // (2 * BY_HEART)] for k in range(BY_HEART)]


def learnt(kinds: dict[str, Pairs], steps: int, folder: Path) -> tuple[PreTrainedModel, PreTrainedTokenizerFast]:
    """A tiny model that has learnt the pairs."""
    pairs = [pair for of_kind in kinds.values() for pair in of_kind]
    tokenizer = seq2seq.train_tokenizer((text for pair in pairs for text in pair), 1000)
    model = seq2seq.build_model("tiny", tokenizer, seed=1, dropout=0.0)
    store = tokenise(pairs, tokenizer, folder / "tokens", identity=pairs, **LIMITS)
    settings = {name: 0 for name in ("max_tokens", "max_examples", "generate_every", "patience", "seed")}
    rates = {"learning_rate": 2e-3, "weight_decay": 0.0, "label_smoothing": 0.0, "dropout": 0.0, "clip_norm": 1.0}
    params = ByHeart(
        **LIMITS, **settings, **rates, steps=steps, tokens_a_batch=6000, batches_a_step=1, schedule="linear",
        warmup_steps=30, validate_every=steps, checkpoint_every=10_000, keep="last", compile=False, processes=1,
        shard=False,
    )  # fmt: skip
    print(f"learnt by heart: loss {train(model, store, None, params, folder / 'run').loss:.3f}")
    return model, tokenizer


def compare(
    model: PreTrainedModel, tokenizer: PreTrainedTokenizerFast, name: str, pairs: Pairs, beams: int, rounds: int
) -> None:
    """Both in turns, the faster turn of each; and how many texts are the same."""
    sources = [source for source, _ in pairs]
    limit = LIMITS["max_target_tokens"]
    ways: dict[str, Callable[[], list[str]]] = {
        "baseline": lambda: batch_by_batch(model, tokenizer, sources, beams),
        "ours": lambda: generate(
            model, tokenizer, sources, generation_config(model, max_new_tokens=limit, beams=beams),
            max_source_tokens=LIMITS["max_source_tokens"],
        ).texts,
    }  # fmt: skip
    taken: dict[str, list[tuple[float, float]]] = {way: [] for way in ways}
    texts: dict[str, list[str]] = {}
    for _ in range(rounds):
        for way, write in ways.items():
            began = time.perf_counter(), time.process_time()
            texts[way] = write()
            taken[way].append((time.perf_counter() - began[0], time.process_time() - began[1]))
    right = sum(text == target for text, (_, target) in zip(texts["ours"], pairs, strict=True))
    print(f"{name}: {right} of {len(pairs)} texts as they were learnt")
    report(taken, texts, [len(ids) for ids in encode(tokenizer, texts["ours"])])


def report(taken: dict[str, list[tuple[float, float]]], texts: dict[str, list[str]], tokens: list[int]) -> None:
    """The fastest turn of each way, on the clock and of the processors."""
    number = len(tokens)
    (slow, slow_cpu), (fast, fast_cpu) = ([min(column) for column in zip(*taken[way], strict=True)] for way in taken)
    same = sum(a == b for a, b in zip(*texts.values(), strict=True))
    spread = "/".join(str(int(n)) for n in np.quantile(tokens, [0.05, 0.5, 0.95]))
    print(f"    {number / slow:.1f} -> {number / fast:.1f} examples/s, ratio {slow / fast:.2f}")
    print(f"    processor seconds {slow_cpu:.2f} -> {fast_cpu:.2f}, ratio {slow_cpu / fast_cpu:.2f}")
    print(f"    {same} of {number} texts the same; tokens of a text (5th, 50th, 95th percentile): {spread}", flush=True)


def batch_by_batch(
    model: PreTrainedModel, tokenizer: PreTrainedTokenizerFast, sources: list[str], beams: int
) -> list[str]:
    """What one writes at first: batches in data order, padded to the longest."""
    config = generation_config(model, max_new_tokens=LIMITS["max_target_tokens"], beams=beams)
    own, model.generation_config = model.generation_config, config
    texts: list[str] = []
    for start in range(0, len(sources), BATCH):
        inputs = tokenizer(sources[start : start + BATCH], padding=True, return_tensors="pt")
        ids = model.eval().generate(
            inputs["input_ids"], attention_mask=inputs["attention_mask"], generation_config=config
        )
        texts += [text.strip() for text in tokenizer.batch_decode(ids, skip_special_tokens=True)]
    model.generation_config = own
    return texts


if __name__ == "__main__":
    main()
