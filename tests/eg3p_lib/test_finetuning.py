"""The tasks through the training loop: judges are trained, and used; questions are answered without training."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch

from eg3p_lib.explagraphs import STANCES
from eg3p_lib.explagraphs_data import load_explagraphs
from eg3p_lib.judges import open_judge
from eg3p_lib.metrics import NEEDS_MODEL
from workbench_lib import learning, runs, seq2seq
from workbench_lib.params import load_params
from workbench_lib.runs import Run
from workbench_lib.stages import FinetuningParams
from workbench_lib.tasks import TaskError

pytestmark = pytest.mark.slow
FEW = {"steps": 4, "validate_every": 4, "checkpoint_every": 10, "warmup_steps": 1, "max_target_tokens": 40}


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The folder of a tiny model with random weights."""
    torch.set_num_threads(1)
    folder = tmp_path_factory.mktemp("model")
    examples = load_explagraphs("starter", "train")
    tokenizer = seq2seq.train_tokenizer([text for e in examples for text in (e.source, e.target)], 600)
    seq2seq.save(seq2seq.build_model("tiny", tokenizer, seed=1, dropout=0.0), tokenizer, folder)
    return str(folder)


def finetuned(task: str, model: str, **changes: Any) -> Run:
    params = load_params("04_finetuning", "tiny", {**FEW, "task": task, "model": model, **changes})
    assert isinstance(params, FinetuningParams)
    run = runs.start(params)
    run.finish(params, learning.finetune(params, params.bound_task, run))
    return run


def metrics(run: Run) -> dict[str, Any]:
    found: dict[str, Any] = run.record()["metrics"]
    return found


def test_judges_are_trained_and_then_used(home: Path, model: str) -> None:
    stance, edges, semantic = (
        finetuned(task, model) for task in ("stance-prediction", "edge-importance", "semantic-correctness")
    )
    assert list(metrics(semantic)["scores"]) == ["accuracy"]
    assert metrics(semantic)["training_examples"] == 2 * metrics(stance)["training_examples"]
    for name in (stance.id, str(stance.model)):
        assert open_judge(name, STANCES)([("A belief.", "An argument.")]).sum() == pytest.approx(1)
    uses = {"stance-prediction": stance.id, "edge-importance": edges.id, "semantic-correctness": semantic.id}
    run = finetuned("explagraphs", model, uses={**uses, "bertscore": model})
    scores = metrics(run)["scores"]
    assert {"SA", *NEEDS_MODEL} <= scores.keys()
    assert metrics(run)["notes"]["not_run"] == []
    assert scores["SA"]["value"] == pytest.approx(metrics(stance)["scores"]["accuracy"]["value"])
    assert run.record()["upstream"]["uses"] == {**uses, "bertscore": run.record()["upstream"]["model"]}
    rows = [json.loads(line) for line in (run.folder / "predictions.jsonl").read_text().split("\n")[:-1]]
    said = [
        json.loads(line)["prediction"] for line in (stance.folder / "predictions.jsonl").read_text().split("\n")[:-1]
    ]
    assert [row["stance"] for row in rows] == said


def test_questions_are_answered_by_a_model_as_it_is(home: Path, model: str) -> None:
    run = finetuned("commonsenseqa", model, constrained=True, max_target_tokens=120)
    found = metrics(run)
    assert (found["training_examples"], found["n"]) == (0, 8)
    assert found["scores"]["parsed"]["value"] == 1  # held to the notation
    assert "token_accuracy" not in found["scores"]
    again = seq2seq.load_model(str(run.model), seq2seq.load_tokenizer(str(run.model)), dropout=0.0)
    before = seq2seq.load_model(model, seq2seq.load_tokenizer(model), dropout=0.0)
    assert all(torch.equal(a, b) for a, b in zip(again.parameters(), before.parameters(), strict=True))


def test_what_a_task_uses_is_checked_before_work(home: Path, model: str) -> None:
    values = {**FEW, "task": "explagraphs", "model": model}
    with pytest.raises(TaskError, match="can't use 'semantic'"):
        load_params("04_finetuning", "tiny", {**values, "uses": {"semantic": "x"}}).run_id()
    with pytest.raises(runs.RunError, match="make it first"):
        runs.start(load_params("04_finetuning", "tiny", {**values, "uses": {"bertscore": "03_pretraining/tiny"}}))
