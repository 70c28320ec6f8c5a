"""What notebooks 03 and 04 do between parameters and metrics: open models, tokenise, train, predict and score."""

from __future__ import annotations

import itertools
import shutil
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from transformers import LogitsProcessor, PreTrainedModel, PreTrainedTokenizerFast

from workbench_lib import launching, paths, runs, seq2seq
from workbench_lib.checkpoints import whole_weights
from workbench_lib.corpus import Corpus
from workbench_lib.devices import is_sharded
from workbench_lib.generation import Generated, generate, generation_config
from workbench_lib.labelling import label, labels_of, numbered, objective_of, open_classifier
from workbench_lib.locks import hold
from workbench_lib.objectives import token_accuracy
from workbench_lib.runs import Run
from workbench_lib.scores import Scores, with_metric
from workbench_lib.seq2seq import ModelError
from workbench_lib.shapes import SHAPES
from workbench_lib.stages import FinetuningParams, PretrainingParams, TrainingParams, model_folder
from workbench_lib.tasks import Example, Task, get_task
from workbench_lib.tokens import Side, TokenStore, store_identity, tokenise
from workbench_lib.training import Evaluate, Trained, train

TOKENIZER_ROWS = 50_000  # of a corpus: a byte-level vocabulary changes little with more
VALIDATION_ROWS = 500
MEASURED_ROWS = 100  # examples that are generated for, at the steps that ask for it
NOT_TRAINED = Trained(steps=0, loss=0.0, validation_loss=None, seconds=0.0, tokens=0)
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
    weights, measure = list(params.corpora.values()), exact_match(params, learner, corpora)
    trained = fit(params, learner, stores, validation, run, weights=weights, evaluate=measure)
    return pretraining_record(learner, stores, trained)


def exact_match(params: PretrainingParams, learner: Learner, corpora: Sequence[Corpus]) -> Evaluate:
    """Measures a model by the share of a few validation examples whose target it writes to the letter."""
    pairs = [pair for corpus in corpora for pair in corpus.pairs("validation", MEASURED_ROWS // len(corpora))]

    def measure(model: PreTrainedModel) -> dict[str, float]:
        texts = write_samples(Learner(model, learner.tokenizer), params, [source for source, _ in pairs])
        return {"exact_match": sum(text == target for (_, target), text in zip(pairs, texts, strict=True)) / len(pairs)}

    return measure


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
    """A task's examples, tokenised: what is too long to write from is not trained on, but cut to be scored."""
    pairs = [(example.text, example.target) for example in examples]
    if labels := labels_of(params):
        sides = iter(numbered(examples, labels, tokenizer))
        return _tokens(params, sides, tokenizer, split, [*labels, *pairs], cut_long=True)
    texts = ((example.source, example.target) for example in examples)
    return _tokens(params, texts, tokenizer, split, pairs, cut_long=split != "train")


def training_tokens(
    params: FinetuningParams, examples: Sequence[Example], tokenizer: PreTrainedTokenizerFast
) -> list[TokenStore]:
    """The training examples, tokenised; nothing for a task that has none, whose model is taken as it is."""
    return [example_tokens(params, examples, tokenizer, "train")] if examples else []


def finetune(params: FinetuningParams, task: Task, run: Run, *, only_training: bool = False) -> dict[str, object]:
    """All of a fine-tuning run but its pictures; the metrics of its record (none with `only_training`)."""
    with launching.main_process_first():
        examples, development = training_examples(task, params), task.load(params.data_folder, "dev")
        learner = finetuning_learner(params)
        stores = training_tokens(params, examples, learner.tokenizer)
        validation = example_tokens(params, development, learner.tokenizer, "dev")
    measure = task_metrics(params, learner, task, development)
    trained = fit(params, learner, stores, validation, run, evaluate=measure)
    if only_training or not launching.is_main_process():
        return {}
    if is_sharded(learner.model):
        learner = _opened(str(run.model), params)  # here is only a part of it
    evaluation = task.load(params.data_folder, params.split)
    generated = predict(learner, params, evaluation, run)
    scores = score(learner, params, task, evaluation, generated)
    write_predictions(run, evaluation, generated.texts, scores)
    return finetuning_record(scores, stores, trained, generated)


def task_metrics(params: FinetuningParams, learner: Learner, task: Task, development: Sequence[Example]) -> Evaluate:
    """Measures a model by the task's metrics of what it writes for the first development examples.

    These are the metrics that need no model.
    """
    few, constraint = development[:MEASURED_ROWS], _constraint(params, learner.tokenizer)
    scored = get_task(params.task).score

    def measure(model: PreTrainedModel) -> dict[str, float]:
        now = Learner(model, learner.tokenizer)
        if task.labels:
            texts = label(now, params, few).texts
        else:
            texts = write_samples(now, params, [example.source for example in few], constraint)
        return {name: metric.value for name, metric in scored(few, texts).metrics.items()}

    return measure


def score(
    learner: Learner, params: FinetuningParams, task: Task, evaluation: Sequence[Example], generated: Generated
) -> Scores:
    """The task's metrics of the generated texts, and where there are gold texts the model's token accuracy, too."""
    if task.labels or not any(example.target for example in evaluation):
        return task.score(evaluation, generated.texts)
    tokens = example_tokens(params, evaluation, learner.tokenizer, params.split)
    accuracy = token_accuracy(learner.model, tokens, params.tokens_a_batch)
    return with_metric(task.score(evaluation, generated.texts), "token_accuracy", accuracy)


def finetuning_record(
    scores: Scores, stores: Sequence[TokenStore], trained: Trained, generated: Generated
) -> dict[str, object]:
    """The metrics of a fine-tuning run's record."""
    return {
        "n": scores.n,
        "scores": scores.as_json()["metrics"],
        "notes": scores.notes,
        "training_examples": sum(map(len, stores)),
        "loss": trained.loss,
        "validation_loss": trained.validation_loss,
        "hit_limit": generated.hit_limit,
        "hit_limit_share": generated.hit_share,
        "constrained": generated.constrained,
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
    evaluate: Evaluate | None = None,
) -> Trained:
    """Train the model and save it in `run.model`: here, or in as many processes as the parameters ask for."""
    if stores and params.processes > 1 and not launching.is_launched():
        launching.train_in_processes(run, params.processes)  # then there is nothing left to do here but to open it
    trained = NOT_TRAINED
    if stores:
        trained = train(
            learner.model,
            stores,
            validation,
            params,
            run.folder,
            weights=weights,
            objective=objective_of(params),
            evaluate=evaluate,
        )
    whole = whole_weights(learner.model)  # of all processes, where it is sharded
    if launching.is_main_process():
        if labels_of(params):
            learner.tokenizer.model_max_length = params.max_source_tokens
        else:
            beams = params.beams if isinstance(params, FinetuningParams) else 1
            limit = params.max_target_tokens
            learner.model.generation_config = generation_config(learner.model, max_new_tokens=limit, beams=beams)
        seq2seq.save(learner.model, learner.tokenizer, run.model, weights=whole)
        shutil.copy(run.folder / "params.yaml", run.model)
    return trained


def predict(learner: Learner, params: FinetuningParams, examples: Sequence[Example], run: Run) -> Generated:
    """The texts or labels that the model gives the examples; texts that were written before a kill are kept."""
    if labels_of(params):
        return label(learner, params, examples)
    config = generation_config(learner.model, max_new_tokens=params.max_target_tokens, beams=params.beams)
    return generate(
        learner.model,
        learner.tokenizer,
        [example.source for example in examples],
        config,
        max_source_tokens=params.max_source_tokens,
        ids=[example.id for example in examples],
        file=run.folder / "generated.jsonl",
        constraint=_constraint(params, learner.tokenizer),
    )


def write_samples(
    learner: Learner, params: TrainingParams, sources: Sequence[str], constraint: LogitsProcessor | None = None
) -> list[str]:
    """What the model writes for a few sources, greedily."""
    config = generation_config(learner.model, max_new_tokens=params.max_target_tokens)
    limit = params.max_source_tokens
    written = generate(
        learner.model, learner.tokenizer, sources, config, max_source_tokens=limit, constraint=constraint
    )
    return written.texts


def _constraint(params: FinetuningParams, tokenizer: PreTrainedTokenizerFast) -> LogitsProcessor | None:
    """What keeps texts to the task's notation, where the parameters ask for it."""
    if not params.constrained:
        return None
    constraint = get_task(params.task).constraint
    assert constraint is not None  # as `params.check` has found
    return constraint(tokenizer, params.max_target_tokens)


def _loaded(name: str, params: TrainingParams) -> Learner:
    return _opened(model_folder(name), params)


def _opened(where: str, params: TrainingParams) -> Learner:
    if labels_of(params):
        classifier = open_classifier(where, params)
        return Learner(classifier.model, classifier.tokenizer)
    tokenizer = seq2seq.load_tokenizer(where)
    model = seq2seq.load_model(where, tokenizer, dropout=params.dropout)
    most = getattr(model.config, "max_position_embeddings", None)  # T5's positions are relative, and have no end
    for name in ("max_source_tokens", "max_target_tokens"):
        if most is not None and getattr(params, name) > most:
            raise ModelError(f"{where}: has {most} positions, fewer than {name}={getattr(params, name)}")
    if getattr(model.config, "decoder_start_token_id", None) is None:
        raise ModelError(f"{where}: its config.json names no decoder_start_token_id")
    return Learner(model, tokenizer)


def _tokens(
    params: TrainingParams,
    pairs: Iterable[tuple[Side, Side]],
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
        was_there = (folder / "meta.json").exists()
        store = tokenise(pairs, tokenizer, folder, identity=identity, **limits, cut_long=cut_long)
    if launching.is_main_process():
        long = f"{store.meta['too_long']:,} too long and {'cut' if cut_long else 'left out'}"
        when = "tokenised before" if was_there else "tokenised now"
        print(f"{split}: {len(store):,} examples, {long}; {when} ({folder.name})")
    return store
