from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from reastap_lib.__main__ import app
from reastap_lib.evaluation import TASKS, evaluate, gold_examples
from workbench_lib.errors import InputError
from workbench_lib.scores import ScoreError
from workbench_lib.tasks import TaskError


def write(path: Path, entries: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(entry) + "\n" for entry in entries), encoding="utf-8")
    return path


@pytest.mark.parametrize("task", TASKS)
def test_the_gold_against_itself_and_with_one_missing(task: str, tmp_path: Path) -> None:
    golden = gold_examples(task, "starter")
    assert [(e.id, e.target) for e in TASKS[task].load("starter", "dev")] == [(e.id, e.target) for e in golden]
    pred = write(tmp_path / "pred.jsonl", [{"id": e.id, "prediction": e.target} for e in golden[1:]])
    scores = evaluate(task, "starter", pred)
    names = [name for name in TASKS[task].higher_is_better if not name.startswith("denotation_official")]
    main = scores.metrics[names[0]]  # one gold of WikiTQ is an item with a comma: officially it is none of its own
    assert scores.n == len(golden)
    assert main.value == pytest.approx((len(golden) - 1) / len(golden))
    assert scores.notes["missing"] == scores.notes["empty_predictions"] == 1


@pytest.mark.parametrize("task", TASKS)
def test_repeated_and_unknown_ids_are_refused(task: str, tmp_path: Path) -> None:
    first = gold_examples(task, "starter")[0].id
    with pytest.raises(InputError, match=r"pred.jsonl, line 2: the id comes twice"):
        evaluate(task, "starter", write(tmp_path / "pred.jsonl", [{"id": first, "prediction": "x"}] * 2))
    with pytest.raises(ScoreError, match="1 predictions have ids that the gold lacks, the first: 'stranger'"):
        evaluate(task, "starter", write(tmp_path / "pred.jsonl", [{"id": "stranger", "prediction": "x"}]))


def test_published_files_bring_their_own_gold(tmp_path: Path) -> None:
    answered = [{"id": str(k), "prediction": p, "answers": a} for k, (p, a) in enumerate([("1", "1.0"), ("b", "a, b")])]
    path = write(tmp_path / "published.json", answered)
    assert evaluate("wikisql", str(path), path).metrics["denotation"].value == 1 / 2
    labelled = write(tmp_path / "labels.json", [{"id": "0", "prediction": 1, "answers": 1}])
    scores = evaluate("tabfact", str(labelled), labelled)
    assert scores.metrics["accuracy"].value == 1
    assert scores.notes["variant"] == "unknown"


def test_the_command_prints_one_object_and_writes_the_rows(tmp_path: Path) -> None:
    golden = gold_examples("wikitq", "starter")
    pred = write(tmp_path / "pred.jsonl", [{"id": golden[0].id, "prediction": golden[0].target + " (x)"}])
    words = ["evaluate", "--task", "wikitq", "--gold", "starter", "--pred", str(pred)]
    result = CliRunner().invoke(app, [*words, "--json", "--rows", str(tmp_path / "rows.jsonl")], catch_exceptions=False)
    report = json.loads(result.output)
    assert report["n"] == len(golden)
    assert set(report["metrics"]["denotation_official"]) == {"value", "low", "high"}
    assert [entry["id"] for entry in report["differences"]] == [golden[0].id]  # details in brackets are overlooked
    rows = [json.loads(line) for line in (tmp_path / "rows.jsonl").read_text(encoding="utf-8").splitlines()]
    assert len(rows) == len(golden)
    assert (rows[0]["denotation_official"], rows[0]["denotation_string"]) == (1, 0)
    told = CliRunner().invoke(app, words, catch_exceptions=False).output
    assert "metrics.denotation_official.value" in told
    assert "where official and string differ, the first of 1:" in told


def test_what_there_is_not() -> None:
    with pytest.raises(TaskError, match=r"unknown task 'x' .there are: wikitq, wikisql, tabfact, logicnlg."):
        gold_examples("x", "starter")
    with pytest.raises(InputError, match="unknown split 'de'"):
        gold_examples("tabfact", "starter", "de")
