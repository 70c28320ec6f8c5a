"""What notebooks 03 and 04 do between parameters and metrics: open models, tokenise, train, predict and score."""

from __future__ import annotations

import itertools
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from transformers import PreTrainedModel, PreTrainedTokenizerFast

from workbench_lib import launching, paths, runs, seq2seq
from workbench_lib.corpus import Corpus
from workbench_lib.generation import Generated, generate, generation_config
from workbench_lib.locks import hold
from workbench_lib.runs import Run
from workbench_lib.scores import Scores
from workbench_lib.shapes import SHAPES
from workbench_lib.stages import FinetuningParams, PretrainingParams, TrainingParams, is_run
from workbench_lib.tasks import Example, Task
from workbench_lib.tokens import TokenStore, store_identity, tokenise
from workbench_lib.training import Trained, train

TOKENIZER_ROWS = 50_000  # of a corpus: a byte-level vocabulary changes little with more
VALIDATION_ROWS = 500
MEASURED_ROWS = 100  # examples that are generated for, at the steps that ask for it
TOKENISING_TAKES_S = 24 * 3600.0  # at most, when another run tokenises the same texts


@dataclass(frozen=True)
class Learner:
    """A model and its tokenizer."""

    model: PreTrainedModel
    tokenizer: PreTrainedTokenizerFast


# --- pre-training ------------------------------------------------------------------------------------------------


def pretraining_corpora(params: PretrainingParams) -> list[Corpus]:
    """The corpora of a pre-training run.

    Raises:
        RunError: the run of one is not finished.
    """
    return [Corpus(runs.finished(corpus).corpus) for corpus in params.corpora]


def pretraining_learner(params: PretrainingParams, corpora: Sequence[Corpus], run: Run) -> Learner:
    """The model to pre-train: fresh, with a tokenizer trained on the corpora, or loaded."""
    if params.model not in SHAPES:
        return _loaded(params.model, params)
    folder = run.folder / "tokenizer"
    if not folder.exists():
        rows = itertools.chain.from_iterable(corpus.pairs("train", TOKENIZER_ROWS) for corpus in corpora)
        unfinished = run.folder / ".tokenizer.tmp"
        shutil.rmtree(unfinished, ignore_errors=True)
        texts = itertools.chain.from_iterable(rows)
        seq2seq.train_tokenizer(texts, params.vocabulary).save_pretrained(unfinished)
        unfinished.rename(folder)
    tokenizer = seq2seq.load_tokenizer(folder)
    return Learner(seq2seq.build_model(params.model, tokenizer, seed=params.seed, dropout=params.dropout), tokenizer)


def corpus_tokens(
    params: PretrainingParams, corpora: Sequence[Corpus], tokenizer: PreTrainedTokenizerFast
) -> tuple[list[TokenStore], TokenStore]:
    """Each corpus's share of training rows, tokenised; and some validation rows of all of them together."""
    stores = []
    for corpus in corpora:
        rows = max(1, round(params.corpus_share * corpus.count("train")))
        stores.append(_tokens(params, corpus.pairs("train", rows), tokenizer, "train", [corpus.digest, rows]))
    validation = itertools.chain.from_iterable(corpus.pairs("validation", VALIDATION_ROWS) for corpus in corpora)
    identity = ["validation", VALIDATION_ROWS, *(corpus.digest for corpus in corpora)]
    return stores, _tokens(params, validation, tokenizer, "validation", identity)


def pretrain(params: PretrainingParams, run: Run) -> dict[str, object]:
    """All of a pre-training run but its pictures; the metrics of its record, with the model saved in `run.model`."""
    with launching.main_process_first():
        corpora = pretraining_corpora(params)
        learner = pretraining_learner(params, corpora, run)
        stores, validation = corpus_tokens(params, corpora, learner.tokenizer)
    trained = fit(params, learner, stores, validation, run, weights=list(params.corpora.values()))
    return pretraining_record(learner, stores, trained)


def pretraining_record(learner: Learner, stores: Sequence[TokenStore], trained: Trained) -> dict[str, object]:
    """The metrics of a pre-training run's record."""
    return {
        "examples": sum(map(len, stores)),
        "parameters": seq2seq.count_parameters(learner.model),
        "steps": trained.steps,
        "loss": trained.loss,
        "validation_loss": trained.validation_loss,
        "tokens": trained.tokens,
        "training_seconds": trained.seconds,
        "too_long": sum(store.meta["too_long"] for store in stores),
    }


# --- fine-tuning -------------------------------------------------------------------------------------------------


def finetuning_learner(params: FinetuningParams) -> Learner:
    """The model to fine-tune: pre-trained, or of the same shape and tokenizer with weights drawn anew.

    Raises:
        RunError: its pre-training run is not finished.
    """
    learner = _loaded(params.model, params)
    if not params.fresh_weights:
        return learner
    return Learner(seq2seq.with_fresh_weights(learner.model, seed=params.seed), learner.tokenizer)


def training_examples(task: Task, params: FinetuningParams) -> list[Example]:
    """The training examples, or the share of them that the seed chooses (ReasTAP, section 6.1), in file order."""
    examples = task.load(params.data_folder, "train")
    kept = max(1, round(params.train_share * len(examples)))
    chosen = np.random.default_rng(params.seed).permutation(len(examples))[:kept]
    return [examples[i] for i in sorted(chosen)]


def example_tokens(
    params: FinetuningParams, examples: Sequence[Example], tokenizer: PreTrainedTokenizerFast, split: str
) -> TokenStore:
    """A task's examples, tokenised: what is too long is not trained on, but cut to be scored."""
    pairs = [(example.source, example.target) for example in examples]
    return _tokens(params, iter(pairs), tokenizer, split, pairs, cut_long=split != "train")


def finetune(params: FinetuningParams, task: Task, run: Run, *, only_training: bool = False) -> dict[str, object]:
    """All of a fine-tuning run but its pictures; the metrics of its record (none with `only_training`)."""
    with launching.main_process_first():
        examples, evaluation = training_examples(task, params), task.load(params.data_folder, params.split)
        learner = finetuning_learner(params)
        tokens = example_tokens(params, examples, learner.tokenizer, "train")
        validation = example_tokens(params, evaluation, learner.tokenizer, params.split)
    trained = fit(params, learner, [tokens], validation, run, task=task, evaluation=evaluation)
    if only_training or not launching.is_main_process():
        return {}
    generated = predict(learner, params, evaluation, run)
    scores = task.score(evaluation, generated.texts)
    write_predictions(run, evaluation, generated.texts, scores)
    return finetuning_record(scores, tokens, trained, generated)


def finetuning_record(scores: Scores, tokens: TokenStore, trained: Trained, generated: Generated) -> dict[str, object]:
    """The metrics of a fine-tuning run's record."""
    return {
        "n": scores.n,
        "scores": scores.as_json()["metrics"],
        "notes": scores.notes,
        "training_examples": len(tokens),
        "loss": trained.loss,
        "validation_loss": trained.validation_loss,
        "hit_limit": generated.hit_limit,
        "cut_sources": generated.cut_sources,
    }


def write_predictions(run: Run, examples: Sequence[Example], predictions: Sequence[str], scores: Scores) -> None:
    """`predictions.jsonl`: id, prediction, target and the example's own scores, a line an example."""
    rows = (
        {"id": example.id, "prediction": prediction, "target": example.target, **row}
        for example, prediction, row in zip(examples, predictions, scores.rows, strict=True)
    )
    runs.write_jsonl(run.folder / "predictions.jsonl", rows)


# --- both --------------------------------------------------------------------------------------------------------


def fit(
    params: TrainingParams,
    learner: Learner,
    stores: Sequence[TokenStore],
    validation: TokenStore,
    run: Run,
    *,
    weights: Sequence[float] = (1.0,),
    task: Task | None = None,
    evaluation: Sequence[Example] = (),
) -> Trained:
    """Train the model and save it in `run.model`: here, or in as many processes as the parameters ask for.

    With `task` and `evaluation`, the steps that `generate_every` names are measured by the task's metrics on the
    first examples.
    """
    if params.processes > 1 and not launching.is_launched():
        launching.train_in_processes(run, params.processes)  # then there is nothing left to do here but to open it

    def measured(model: PreTrainedModel) -> Mapping[str, float]:
        assert task is not None
        few = list(evaluation[:MEASURED_ROWS])
        config = generation_config(model, max_new_tokens=params.max_target_tokens, beams=1)
        limit = params.max_source_tokens
        texts = generate(model, learner.tokenizer, [e.source for e in few], config, max_source_tokens=limit).texts
        return {name: metric.value for name, metric in task.score(few, texts).metrics.items()}

    evaluate = measured if task else None
    trained = train(learner.model, stores, validation, params, run.folder, weights=weights, evaluate=evaluate)
    if launching.is_main_process():
        seq2seq.save(learner.model, learner.tokenizer, run.model)
    return trained


def predict(learner: Learner, params: FinetuningParams, examples: Sequence[Example], run: Run) -> Generated:
    """The texts that the model writes for the examples; what was written before a kill is kept."""
    config = generation_config(learner.model, max_new_tokens=params.max_target_tokens, beams=params.beams)
    return generate(
        learner.model,
        learner.tokenizer,
        [example.source for example in examples],
        config,
        max_source_tokens=params.max_source_tokens,
    )


def write_samples(learner: Learner, params: TrainingParams, sources: Sequence[str]) -> list[str]:
    """What the model writes for a few sources, greedily."""
    config = generation_config(learner.model, max_new_tokens=params.max_target_tokens, beams=1)
    limit = params.max_source_tokens
    return generate(learner.model, learner.tokenizer, sources, config, max_source_tokens=limit).texts


def _loaded(name: str, params: TrainingParams) -> Learner:
    where = runs.finished(name).model if is_run(name) else name
    tokenizer = seq2seq.load_tokenizer(where)
    return Learner(seq2seq.load_model(where, tokenizer, dropout=params.dropout), tokenizer)


def _tokens(
    params: TrainingParams,
    pairs: Iterator[tuple[str, str]],
    tokenizer: PreTrainedTokenizerFast,
    split: str,
    identity: object,
    *,
    cut_long: bool = False,
) -> TokenStore:
    """Texts tokenised in the folder that all runs share, once for the same texts, tokenizer and limits."""
    limits = {"max_source_tokens": params.max_source_tokens, "max_target_tokens": params.max_target_tokens}
    digest = store_identity(identity, tokenizer, **limits, cut_long=cut_long)
    folder = paths.tokens_dir() / digest[:24]
    folder.mkdir(parents=True, exist_ok=True)
    with hold(folder, wait_s=TOKENISING_TAKES_S):
        store = tokenise(pairs, tokenizer, folder, identity=identity, **limits, cut_long=cut_long)
    if launching.is_main_process():
        long = f"{store.meta['too_long']:,} too long and {'cut' if cut_long else 'left out'}"
        print(f"{split}: {len(store):,} examples, {long}")
    return store
