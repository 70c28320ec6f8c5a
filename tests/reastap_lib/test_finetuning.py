"""The four tasks through the fine-tuning stage, on the starter sets, with a model of a few thousand weights."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import BartForConditionalGeneration, BartForSequenceClassification

from reastap_lib.evaluation import evaluate
from reastap_lib.tabfact import LABELS
from reastap_lib.tasks import NLI_MODEL, load_tabfact, load_wikisql
from workbench_lib import learning, runs, seq2seq
from workbench_lib.classification import load_classifier
from workbench_lib.params import load_params
from workbench_lib.runs import Run
from workbench_lib.stages import FinetuningParams
from workbench_lib.tasks import get_task


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A model with fresh weights, in a folder."""
    torch.set_num_threads(1)
    folder = tmp_path_factory.mktemp("model")
    examples = [*load_tabfact("starter", "train"), *load_wikisql("starter", "train")]
    tokenizer = seq2seq.train_tokenizer((example.source for example in examples), 500)
    seq2seq.save(seq2seq.build_model("tiny", tokenizer, seed=1, dropout=0.0), tokenizer, folder)
    return str(folder)


def finetune(task: str, model: str, **changes: Any) -> Run:
    short = {"steps": 2, "validate_every": 2, "warmup_steps": 1, "tokens_a_batch": 4096, "max_target_tokens": 12}
    values = {**short, "task": task, "model": model, **changes}
    params = load_params("04_finetuning", "tiny", values)
    assert isinstance(params, FinetuningParams)
    run = runs.start(params)
    run.finish(params, learning.finetune(params, get_task(task), run))
    return run


def metrics(run: Run) -> dict[str, Any]:
    return dict(run.record()["metrics"])


def test_tabfact_is_a_classifier_on_the_decoders_last_hidden_state(home: Path, model: str) -> None:
    run = finetune("tabfact", model, generate_every=2)
    record = metrics(run)
    assert record["n"] == 44
    assert set(record["scores"]) == {"accuracy", "accuracy_simple", "accuracy_complex"}
    assert record["training_examples"] == 84
    classifier = load_classifier(run.model)
    assert isinstance(classifier.model, BartForSequenceClassification)
    assert (classifier.labels, classifier.max_tokens) == (LABELS, 1024)
    rows = [json.loads(line) for line in (run.folder / "predictions.jsonl").read_text(encoding="utf-8").splitlines()]
    assert {row["prediction"] for row in rows} <= set(LABELS)
    said = classifier([example.source for example in load_tabfact("starter", "dev")]).argmax(axis=1)
    assert [row["prediction"] for row in rows] == [LABELS[number] for number in said]
    again = evaluate("tabfact", "starter", run.folder / "predictions.jsonl")
    assert again.metrics["accuracy"].value == record["scores"]["accuracy"]["value"]
    pred = home / "pred.jsonl"
    pred.write_text("")
    notes = evaluate(
        "logicnlg", "starter", pred, models={NLI_MODEL: run.id}
    ).notes  # a run of tabfact is an entailment model
    assert notes["NLI-Acc"]["model"] == str(run.model)


def test_first_the_source_task_then_the_target_task(home: Path, model: str) -> None:
    """Table 9: WikiTQ starts from the weights of a run of TabFact, but for the classifier's head."""
    source = finetune("tabfact", model)
    target = finetune("wikitq", source.id, steps=1)
    assert target.record()["upstream"]["model"] == source.id
    assert set(metrics(target)["scores"]) >= {"denotation_official", "denotation_string"}
    params = FinetuningParams.make(target.record()["params"], "record")
    start = learning.finetuning_learner(params).model
    trained = seq2seq.load(BartForSequenceClassification, source.model)
    assert torch.equal(start.model.decoder.layers[1].fc1.weight, trained.model.decoder.layers[1].fc1.weight)
    assert torch.equal(start.lm_head.weight, trained.model.shared.weight)


def test_logicnlg_and_a_share_of_the_examples(home: Path, model: str) -> None:
    run = finetune("logicnlg", model, train_share=0.2, max_target_tokens=80)
    assert metrics(run)["training_examples"] == round(0.2 * 48)
    assert {"BLEU-1", "BLEU-2", "BLEU-3", "corpus_BLEU-3", "token_accuracy"} <= set(metrics(run)["scores"])
    assert metrics(run)["notes"]["not_run"] == ["SP-Acc", "NLI-Acc"]


def test_without_pre_training_the_whole_classifier_is_drawn_anew(home: Path, model: str) -> None:
    params = load_params("04_finetuning", "tiny", {"task": "tabfact", "model": model, "fresh_weights": True})
    assert isinstance(params, FinetuningParams)
    fresh = learning.finetuning_learner(params).model
    old = seq2seq.load(BartForConditionalGeneration, model)
    assert isinstance(fresh, BartForSequenceClassification)
    assert not torch.equal(fresh.model.shared.weight, old.model.shared.weight)
    assert fresh.config.id2label == dict(enumerate(LABELS))
