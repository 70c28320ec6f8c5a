"""From parameters to records: models that open elsewhere, texts tokenised once, and what is refused before work."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import AutoModelForSeq2SeqLM, AutoTokenizer, BartForConditionalGeneration, GenerationConfig
from workbench_toy_training import PAIRS, toy_model, toy_params, toy_t5
from workbench_toys import ToyGenerator, ToyStage

from workbench_lib import launching, learning, paths, runs, seq2seq, tasks
from workbench_lib.corpus import build_corpus
from workbench_lib.metrics_log import read_metrics
from workbench_lib.params import load_params
from workbench_lib.runs import Run
from workbench_lib.scores import Scores, summarise
from workbench_lib.seq2seq import ModelError
from workbench_lib.stages import FinetuningParams, PretrainingParams
from workbench_lib.steps import TrainingError
from workbench_lib.tasks import Example, Split, Task


@pytest.fixture(autouse=True)
def one_thread() -> None:
    torch.set_num_threads(1)


@pytest.fixture
def corpus(home: Path) -> str:
    return corpus_run(1)


def corpus_run(seed: int) -> str:
    """The id of a finished run that has a corpus of numbers and their doubles."""
    params = ToyStage(seed=seed)
    run = runs.start(params)
    build_corpus(run.corpus, ToyGenerator(seed), 200)
    run.finish(params, {})
    return run.id


SHORT = {"steps": 10, "validate_every": 10}


def pretraining(corpus: Any, **changes: Any) -> PretrainingParams:
    preset = load_params("03_pretraining", "tiny").model_dump()
    own = {"corpus": corpus, "vocabulary": 300}
    return PretrainingParams.make({**preset, **toy_params(**SHORT).model_dump(), **own, **changes})


def finetuning(model: str, **changes: Any) -> FinetuningParams:
    preset = load_params("04_finetuning", "tiny").model_dump()
    own = {"task": "toy-doubles", "model": model}
    return FinetuningParams.make({**preset, **toy_params(**SHORT).model_dump(), **own, **changes})


def pretrained(params: PretrainingParams) -> Run:
    run = runs.start(params)
    if not run.is_done:
        run.finish(params, learning.pretrain(params, run))
    return run


# --- models that open elsewhere ----------------------------------------------------------------------------------


def test_a_trained_model_opens_without_us_and_says_how_it_was_made(corpus: str) -> None:
    run = pretrained(pretraining(corpus, max_target_tokens=40))
    model = AutoModelForSeq2SeqLM.from_pretrained(run.model)
    tokenizer = AutoTokenizer.from_pretrained(run.model)
    again = seq2seq.load_model(run.model, seq2seq.load_tokenizer(run.model), dropout=0.0)
    assert all(torch.equal(a, b) for a, b in zip(model.parameters(), again.parameters(), strict=True))
    assert tokenizer("[SEP]")["input_ids"] == seq2seq.load_tokenizer(run.model)("[SEP]")["input_ids"]
    assert (run.model / "params.yaml").read_text() == (run.folder / "params.yaml").read_text()
    settings = GenerationConfig.from_pretrained(run.model)
    assert (settings.max_new_tokens, settings.num_beams, settings.do_sample) == (40, 1, False)
    record = run.record()["metrics"]
    assert record["steps"] == 10
    assert record["parameters"] == sum(p.numel() for p in model.parameters())


def test_weights_stay_tied_over_resizing_training_and_reloading(
    corpus: str, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:  # a tokenizer of someone else's, without the structure tokens
        patch.setattr(seq2seq, "ADDED_TOKENS", ())
        foreign = seq2seq.train_tokenizer([text for pair in PAIRS for text in pair], 290)
        seq2seq.save(toy_model(foreign), foreign, home / "foreign")
    params = pretraining(corpus, model=str(home / "foreign"))
    run = runs.start(params)
    before = learning.pretraining_learner(params, learning.pretraining_corpora(params), run).model
    assert before.get_input_embeddings().num_embeddings == len(foreign) + len(seq2seq.ADDED_TOKENS)
    run.finish(params, learning.pretrain(params, run))
    model = AutoModelForSeq2SeqLM.from_pretrained(run.model)
    places = (model.lm_head, model.model.encoder.embed_tokens, model.model.decoder.embed_tokens)
    assert len({place.weight.data_ptr() for place in places}) == 1
    moved = (model.lm_head.weight - before.lm_head.weight).abs().sum(dim=1)
    assert (moved > 0).all()  # of every token, those that were added, too


def test_nothing_that_hides_in_a_models_settings_comes_through(corpus: str, tokenizer: Any, home: Path) -> None:
    """BART-large ships with forced tokens and no repeated trigrams, and stops at 20 tokens where none is named."""
    model = toy_model(tokenizer)
    model.generation_config.update(forced_bos_token_id=0, forced_eos_token_id=2, no_repeat_ngram_size=3, max_length=20)
    seq2seq.save(model, tokenizer, home / "hiding")
    assert GenerationConfig.from_pretrained(home / "hiding").no_repeat_ngram_size == 3
    run = pretrained(pretraining(corpus, model=str(home / "hiding")))
    settings = GenerationConfig.from_pretrained(run.model)
    hidden = (settings.forced_bos_token_id, settings.forced_eos_token_id, settings.no_repeat_ngram_size)
    assert hidden == (None, None, None)
    assert (settings.max_length, settings.max_new_tokens) == (None, 64)


# --- models that are refused -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["max_source_tokens", "max_target_tokens"])
def test_more_tokens_than_positions_are_refused_before_any_work(
    corpus: str, tokenizer: Any, home: Path, name: str
) -> None:
    config = toy_model(tokenizer).config
    config.max_position_embeddings = 32
    seq2seq.save(BartForConditionalGeneration(config), tokenizer, home / "narrow")
    limits = {"max_source_tokens": 32, "max_target_tokens": 32, name: 33}
    with pytest.raises(ModelError, match=f"{home / 'narrow'}: has 32 positions, fewer than {name}=33$"):
        pretrained(pretraining(corpus, **limits, model=str(home / "narrow")))
    assert not paths.tokens_dir().exists()


def test_a_model_without_a_start_token_is_refused(corpus: str, tokenizer: Any, home: Path) -> None:
    model = toy_t5(tokenizer)
    del model.config.decoder_start_token_id
    seq2seq.save(model, tokenizer, home / "t5")
    with pytest.raises(ModelError, match=f"{home / 't5'}: its config.json names no decoder_start_token_id"):
        pretrained(pretraining(corpus, model=str(home / "t5")))


def test_a_t5_is_pretrained_and_writes(corpus: str, tokenizer: Any, home: Path) -> None:
    """Its positions are relative: no length is too much for it."""
    seq2seq.save(toy_t5(tokenizer), tokenizer, home / "t5")
    params = pretraining(corpus, model=str(home / "t5"), max_source_tokens=1024, generate_every=10)
    run = pretrained(params)
    learner = learning.Learner(AutoModelForSeq2SeqLM.from_pretrained(run.model), tokenizer)
    assert len(learning.write_samples(learner, params, ["12", "345"])) == 2
    assert any("exact_match" in row for row in read_metrics(run.folder / "metrics.jsonl"))


# --- texts that are tokenised ------------------------------------------------------------------------------------


def test_texts_are_tokenised_once_for_all_runs_and_each_time_told_with_their_key(
    corpus: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """R02: whether a cache was hit is printed, with its key."""
    pretrained(pretraining(corpus))
    first = capsys.readouterr().out
    folders = sorted(folder.name for folder in paths.tokens_dir().iterdir())
    written = {path: path.stat().st_mtime_ns for path in paths.tokens_dir().rglob("*.ids")}
    pretrained(pretraining(corpus, learning_rate=0.002))
    second = capsys.readouterr().out
    assert first.count("; tokenised now (") == second.count("; tokenised before (") == 2
    assert all(f"({name})" in first and f"({name})" in second for name in folders)
    assert {path: path.stat().st_mtime_ns for path in paths.tokens_dir().rglob("*.ids")} == written


def test_a_corpus_that_changed_underneath_is_refused_and_the_old_one_goes_on(corpus: str) -> None:
    """Its run has the same name, since the parameters are the same; its rows are others."""
    folder = runs.finished(corpus).corpus
    params = pretraining(corpus, steps=20)
    run = runs.start(params)
    corpora = learning.pretraining_corpora(params)
    learner = learning.pretraining_learner(params, corpora, run)
    stores, validation = learning.corpus_tokens(params, corpora, learner.tokenizer)
    learning.train(learner.model, stores, validation, params.model_copy(update={"steps": 10}), run.folder)

    shutil.move(folder, folder.with_name("before"))
    build_corpus(folder, ToyGenerator(seed=99), 200)
    with pytest.raises(TrainingError, match=f"{run.folder}: the examples are not those of the checkpoint"):
        learning.pretrain(params, run)
    shutil.rmtree(folder)
    shutil.move(folder.with_name("before"), folder)
    assert learning.pretrain(params, run)["steps"] == 20


def test_a_mixture_is_trained_on_by_its_weights(corpus: str) -> None:
    params = pretraining({corpus: 3.0, corpus_run(2): 1.0}, steps=12)
    run = pretrained(params)
    progress = json.loads((run.folder / "checkpoints/last/progress.json").read_text())
    assert progress["taken"] == [9, 3]
    assert run.id.startswith("pretraining-toy+toy-tiny-1-")


def test_a_share_of_a_corpus_is_its_first_rows(corpus: str) -> None:
    run = pretrained(pretraining(corpus, corpus_share=0.25))
    rows = runs.finished(corpus).record()
    whole = learning.pretraining_corpora(pretraining(corpus))[0].count("train")
    assert rows["id"] == corpus
    assert run.record()["metrics"]["examples"] == round(0.25 * whole)


# --- fine-tuning -------------------------------------------------------------------------------------------------


def load_doubles(_: str, split: Split) -> list[Example]:
    starts = {"train": (0, 60), "dev": (60, 70), "test": (70, 90)}
    return [Example(f"{split}-{n}", str(n), str(2 * n), {}) for n in range(*starts[split])]


def score_doubles(examples: Sequence[Example], texts: Sequence[str]) -> Scores:
    pairs = zip(examples, texts, strict=True)
    return summarise([{"accuracy": float(text == example.target)} for example, text in pairs], ["accuracy"])


@pytest.fixture
def task(monkeypatch: pytest.MonkeyPatch) -> Task:
    task = Task("toy-doubles", 1, load_doubles, score_doubles, {"accuracy": True})
    monkeypatch.setitem(tasks._tasks, task.name, task)
    return task


def test_a_fine_tuned_model_is_scored_on_its_split_and_validated_on_dev(
    corpus: str, task: Task, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Weights that were kept for their loss on the test examples would be chosen by what they are scored on."""
    base = pretrained(pretraining(corpus))
    seen: list[int] = []
    fit = learning.train

    def watched(model: Any, stores: Any, validation: Any, *arguments: Any, **named: Any) -> Any:
        seen.append(len(validation))
        return fit(model, stores, validation, *arguments, **named)

    monkeypatch.setattr(learning, "train", watched)
    params = finetuning(base.id, split="test", keep="best", generate_every=5)
    run = runs.start(params)
    record = learning.finetune(params, task, run)
    assert seen == [10]  # dev
    assert record["n"] == 20  # test
    assert set(record["scores"]) == {"accuracy", "token_accuracy"}
    predictions = [json.loads(line) for line in (run.folder / "predictions.jsonl").read_text().splitlines()]
    assert [row["id"] for row in predictions] == [f"test-{n}" for n in range(70, 90)]
    assert all({"prediction", "target", "accuracy"} <= row.keys() for row in predictions)
    measured = [row for row in read_metrics(run.folder / "metrics.jsonl") if "accuracy" in row]
    assert [row["step"] for row in measured] == [5, 10]


def test_fresh_weights_keep_shape_and_tokenizer_alone(corpus: str, task: Task) -> None:
    base = pretrained(pretraining(corpus))
    old, new = (learning.finetuning_learner(finetuning(base.id, fresh_weights=fresh)) for fresh in (False, True))
    assert old.tokenizer.get_vocab() == new.tokenizer.get_vocab()
    shapes = [[p.shape for p in learner.model.parameters()] for learner in (old, new)]
    assert shapes[0] == shapes[1]
    assert not torch.equal(old.model.lm_head.weight, new.model.lm_head.weight)


def test_a_share_of_the_training_examples_is_chosen_by_seed_and_stays_in_order(task: Task) -> None:
    chosen = [learning.training_examples(task, finetuning("m", train_share=0.2, seed=seed)) for seed in (1, 1, 2)]
    assert [example.id for example in chosen[0]] == [example.id for example in chosen[1]]
    assert {example.id for example in chosen[0]} != {example.id for example in chosen[2]}
    for examples in chosen:
        numbers = [int(example.source) for example in examples]
        assert len(numbers) == 12
        assert numbers == sorted(numbers)


def test_only_training_leaves_the_rest_to_another_process(corpus: str, task: Task) -> None:
    params = finetuning(pretrained(pretraining(corpus)).id)
    run = runs.start(params)
    assert learning.finetune(params, task, run, only_training=True) == {}
    assert run.model.exists()
    assert not (run.folder / "predictions.jsonl").exists()


def test_several_processes_are_started_where_the_parameters_ask_for_them(
    corpus: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[str, int]] = []

    def instead(run: Run, processes: int) -> None:
        asked.append((run.id, processes))

    monkeypatch.setattr(launching, "train_in_processes", instead)
    params = pretraining(corpus, processes=2, batches_a_step=2)
    run = pretrained(params)
    assert asked == [(run.id, 2)]
    assert params.run_id() == pretraining(corpus, processes=1, batches_a_step=2).run_id()
