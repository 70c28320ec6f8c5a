from __future__ import annotations

import json
from pathlib import Path

import pytest

from reastap_lib.audit import audit
from reastap_lib.denotation import official, official_of_text, string_of_text
from reastap_lib.params import TableSynthesisParams
from reastap_lib.readers import read_tables
from reastap_lib.skills import TABLE_1
from reastap_lib.synthesis import build_table_corpus
from reastap_lib.tasks import load_wikitq
from reastap_lib.wikitq import read_questions, unescape

pytestmark = pytest.mark.realdata


def published(data_root: Path, split: str) -> dict[str, dict[str, str]]:
    path = data_root / "reference_predictions" / "reastap" / "wtq_output" / f"reastap_{split}_predictions.json"
    return {entry["id"]: entry for entry in json.loads(path.read_text(encoding="utf-8"))}


@pytest.mark.parametrize(("split", "right", "n"), [("validation", 1691, 2831), ("test", 2548, 4344)])
def test_published_string_accuracy(data_root: Path, split: str, right: int, n: int) -> None:
    entries = published(data_root, split).values()
    assert len(entries) == n
    assert sum(string_of_text(entry["prediction"], [entry["answers"]]) for entry in entries) == right


def test_published_predictions_by_the_official_rules(data_root: Path) -> None:
    tagged = data_root / "reference_predictions" / "references" / "wikitq" / "pristine-unseen-tables.tagged"
    predictions = {name: entry["prediction"] for name, entry in published(data_root, "test").items()}
    questions = read_questions(tagged)
    assert len(questions) == 4344
    pairs = [(predictions[question.id], question) for question in questions]
    assert sum(official_of_text(p, q.answers, q.canon) for p, q in pairs) == 2530
    assert sum(official([p], q.answers, q.canon) for p, q in pairs) == 2562
    assert sum(official_of_text(p, q.answers) for p, q in pairs) == 2520
    assert sum(string_of_text(p, q.answers) for p, q in pairs) == 2548


def test_csv_tables_equal_their_tsv(data_root: Path) -> None:
    tables, left_out = read_tables(str(data_root / "wikitq" / "csv"))
    assert (len(tables), left_out) == (250, {})
    for table in tables:
        lines = (data_root / "wikitq" / table.id).with_suffix(".tsv").read_text(encoding="utf-8").split("\n")
        expected = [tuple(" ".join(unescape(cell).split()) for cell in line.split("\t")) for line in lines if line]
        assert [table.header, *table.rows] == expected
    assert sum(bool(table.title) for table in tables) == 250


def test_500_questions_over_real_tables_without_a_mismatch(data_root: Path, tmp_path: Path) -> None:
    values = {
        "tables": [str(data_root / "wikitq" / "csv"), str(data_root / "tabfact" / "data" / "all_csv")],
        "held_out": [str(data_root / "wikitq")],
        "examples": 500,
        "seed": 7,
        "skills": list(TABLE_1),
        "questions_a_table": 18,
        "min_rows": 8,
        "max_rows": 30,
        "min_columns": 3,
        "max_source_words": 350,
        "workers": 1,
    }
    corpus = build_table_corpus(TableSynthesisParams.make(values), tmp_path / "corpus")
    report = audit(corpus)
    assert (report["n"], report["faults"], report["first"]) == (500, 0, [])
    assert any(reason.startswith("the same table as in wikitq") for reason in corpus.manifest.notes["tables_left_out"])


@pytest.mark.parametrize(("split", "n"), [("train", 488), ("dev", 468), ("test", 1279)])
def test_real_questions_load(data_root: Path, split: str, n: int) -> None:
    examples = load_wikitq(str(data_root / "wikitq"), split)  # type: ignore[arg-type]
    assert len(examples) == n
    assert all(example.source and example.target for example in examples)
