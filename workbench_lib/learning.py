"""What notebooks 03 and 04 do between parameters and metrics: open models, tokenise, predict and score."""

from __future__ import annotations

import itertools
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from transformers import PreTrainedModel, PreTrainedTokenizerFast

from workbench_lib import runs, seq2seq
from workbench_lib.corpus import Corpus
from workbench_lib.generation import Generated, generate, generation_config
from workbench_lib.runs import Run
from workbench_lib.scores import Scores
from workbench_lib.shapes import SHAPES
from workbench_lib.stages import FinetuningParams, PretrainingParams, TrainingParams, is_run
from workbench_lib.tasks import Example, Task
from workbench_lib.tokens import TokenStore, tokenise

TOKENIZER_ROWS = 50_000  # of the corpus: a byte-level vocabulary changes little with more
VALIDATION_ROWS = 500


@dataclass(frozen=True)
class Learner:
    """A model and its tokenizer."""

    model: PreTrainedModel
    tokenizer: PreTrainedTokenizerFast


def pretraining_corpus(params: PretrainingParams) -> Corpus:
    """The corpus of a pre-training run.

    Raises:
        RunError: its run is not finished.
    """
    return Corpus(runs.finished(params.corpus).corpus)


def pretraining_learner(params: PretrainingParams, corpus: Corpus, run: Run) -> Learner:
    """The model to pre-train: fresh, with a tokenizer trained on the corpus, or loaded."""
    if params.model not in SHAPES:
        return _loaded(params.model, params)
    folder = run.folder / "tokenizer"
    if not folder.exists():
        texts = itertools.chain.from_iterable(corpus.pairs("train", TOKENIZER_ROWS))
        unfinished = run.folder / ".tokenizer.tmp"
        shutil.rmtree(unfinished, ignore_errors=True)
        seq2seq.train_tokenizer(texts, params.vocabulary).save_pretrained(unfinished)
        unfinished.rename(folder)
    tokenizer = seq2seq.load_tokenizer(folder)
    return Learner(seq2seq.build_model(params.model, tokenizer, seed=params.seed, dropout=params.dropout), tokenizer)


def finetuning_learner(params: FinetuningParams) -> Learner:
    """The model to fine-tune: pre-trained, or of the same shape and tokenizer with weights drawn anew.

    Raises:
        RunError: its pre-training run is not finished.
    """
    learner = _loaded(params.model, params)
    if not params.fresh_weights:
        return learner
    return Learner(seq2seq.with_fresh_weights(learner.model, seed=params.seed), learner.tokenizer)


def corpus_tokens(
    params: PretrainingParams, corpus: Corpus, tokenizer: PreTrainedTokenizerFast, run: Run
) -> tuple[TokenStore, TokenStore]:
    """The corpus's share of training rows, and some validation rows, tokenised in the run's folder."""
    rows = max(1, round(params.corpus_share * corpus.count("train")))
    stores = {"train": corpus.pairs("train", rows), "validation": corpus.pairs("validation", VALIDATION_ROWS)}
    train, validation = (
        _tokens(params, pairs, tokenizer, run, split, [corpus.digest, rows]) for split, pairs in stores.items()
    )
    return train, validation


def example_tokens(
    params: FinetuningParams, examples: Sequence[Example], tokenizer: PreTrainedTokenizerFast, run: Run, split: str
) -> TokenStore:
    """A task's examples, tokenised in the run's folder: what is too long is not trained on, but cut to be scored."""
    pairs = [(example.source, example.target) for example in examples]
    return _tokens(params, iter(pairs), tokenizer, run, split, pairs, cut_long=split != "train")


def training_examples(task: Task, params: FinetuningParams) -> list[Example]:
    """The training examples, or the share of them that the seed chooses (ReasTAP, section 6.1), in file order."""
    examples = task.load(params.data_folder, "train")
    kept = max(1, round(params.train_share * len(examples)))
    chosen = np.random.default_rng(params.seed).permutation(len(examples))[:kept]
    return [examples[i] for i in sorted(chosen)]


def predict(learner: Learner, params: TrainingParams, sources: Sequence[str], *, beams: int) -> Generated:
    """The texts that the model writes for the sources."""
    config = generation_config(learner.model, max_new_tokens=params.max_target_tokens, beams=beams)
    limit = params.max_source_tokens
    return generate(learner.model, learner.tokenizer, sources, config, max_source_tokens=limit)


def write_predictions(run: Run, examples: Sequence[Example], predictions: Sequence[str], scores: Scores) -> None:
    """`predictions.jsonl`: id, prediction, target and the example's own scores, a line an example."""
    rows = (
        {"id": example.id, "prediction": prediction, "target": example.target, **row}
        for example, prediction, row in zip(examples, predictions, scores.rows, strict=True)
    )
    runs.write_jsonl(run.folder / "predictions.jsonl", rows)


def _loaded(name: str, params: TrainingParams) -> Learner:
    where = runs.finished(name).model if is_run(name) else name
    tokenizer = seq2seq.load_tokenizer(where)
    return Learner(seq2seq.load_model(where, tokenizer, dropout=params.dropout), tokenizer)


def _tokens(
    params: TrainingParams,
    pairs: Iterator[tuple[str, str]],
    tokenizer: PreTrainedTokenizerFast,
    run: Run,
    split: str,
    identity: object,
    *,
    cut_long: bool = False,
) -> TokenStore:
    store = tokenise(
        pairs,
        tokenizer,
        run.folder / "tokens" / split,
        identity=identity,
        max_source_tokens=params.max_source_tokens,
        max_target_tokens=params.max_target_tokens,
        cut_long=cut_long,
    )
    print(
        f"{split}: {len(store):,} examples, {store.meta['too_long']:,} too long and {'cut' if cut_long else 'left out'}"
    )
    return store
