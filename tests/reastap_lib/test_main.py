from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from reastap_lib.__main__ import app
from workbench_lib.corpus import Corpus

HEADER = "id\tutterance\tcontext\ttargetValue\n"


def run(*arguments: str) -> str:
    result = CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    out = tmp_path / "corpus"
    run(*f"synthesize --tables builtin --examples 60 --seed 1 --out {out}".split())
    return out


def test_synthesize_stats_and_audit(folder: Path) -> None:
    assert len(Corpus(folder)) == 60
    found = json.loads(run("stats", str(folder), "--json"))
    assert found["rows"] == 60
    assert found["skills"]["counting"]["paper"] == 0.18
    report = json.loads(run("audit", str(folder), "--json"))
    assert (report["n"], report["faults"]) == (60, 0)
    assert "skills.counting.share" in run("stats", str(folder))


def test_N03_missing_predictions_count_as_wrong(tmp_path: Path) -> None:
    gold = tmp_path / "gold.tsv"
    gold.write_text(HEADER + "".join(f"g-{i}\tq\tcsv/1-csv/0.csv\ta{i}\n" for i in range(10)), encoding="utf-8")
    pred = tmp_path / "pred.jsonl"
    answers = [f"a{i}" if i < 6 else "wrong" for i in range(8)]
    pred.write_text("".join(json.dumps({"id": f"g-{i}", "prediction": a}) + "\n" for i, a in enumerate(answers)))
    report = json.loads(run("evaluate", "--task", "wikitq", "--gold", str(gold), "--pred", str(pred), "--json"))
    assert report["n"] == 10
    assert report["metrics"]["denotation_official"]["value"] == 0.6
    assert report["metrics"]["denotation_string"]["value"] == 0.6
    assert report["notes"]["empty_predictions"] == 2


def test_evaluate_on_the_starter_set(tmp_path: Path) -> None:
    pred = tmp_path / "pred.jsonl"
    pred.write_text("")
    report = json.loads(run("evaluate", "--task", "wikitq", "--gold", "starter", "--pred", str(pred), "--json"))
    assert report["metrics"]["denotation_string"]["value"] == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("stats nowhere", "the corpus folder nowhere does not exist"),
        ("synthesize --tables nowhere --examples 5 --seed 0 --out OUT", "'nowhere' does not exist"),
        ("synthesize --tables EMPTY --examples 5 --seed 0 --out OUT", "a.csv: no table: no rows"),
        ("synthesize --tables builtin --examples 0 --seed 0 --out OUT", "'examples' is 0"),
        ("evaluate --task wikitqq --gold starter --pred x", "unknown task 'wikitqq'"),
        ("evaluate --task wikitq --gold starter --split de --pred x", "unknown split 'de'"),
        ("evaluate --task wikitq --gold starter --pred nowhere.jsonl", "nowhere.jsonl: cannot be read"),
    ],
)
def test_errors_are_one_line_and_leave_nothing(arguments: str, message: str, tmp_path: Path) -> None:
    empty = tmp_path / "in" / "a.csv"
    empty.parent.mkdir()
    empty.write_text("a,b,c\n")
    words = arguments.replace("OUT", str(tmp_path / "out")).replace("EMPTY", str(empty)).split()
    env = {key: value for key, value in os.environ.items() if key != "WORKBENCH_DATA"}
    done = subprocess.run(
        [sys.executable, "-m", "reastap_lib", *words], capture_output=True, text=True, check=False, env=env
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("error: ")
    assert done.stderr.count("\n") == 1
    assert message in done.stderr
    assert not (tmp_path / "out").exists()
