"""The published prediction files of ReasTAP, scored: the published numbers come out."""

from __future__ import annotations

import json
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
from nltk.translate.bleu_score import SmoothingFunction, sentence_bleu

from reastap_lib.denotation_metrics import differences
from reastap_lib.evaluation import evaluate, gold_examples
from reastap_lib.logicnlg_metrics import score_sentences
from reastap_lib.predictions import read_answers, read_predictions
from reastap_lib.tasks import load_logicnlg, load_tabfact, load_wikisql
from workbench_lib.errors import WorkbenchError
from workbench_lib.scores import Scores
from workbench_lib.tasks import Split

pytestmark = pytest.mark.realdata


def published(data_root: Path, task: str, split: str) -> Path:
    folder = data_root / "reference_predictions" / "reastap" / f"{task}_output"
    return folder / f"reastap_{split}_predictions.json"


def values(scores: Scores, digits: int = 2) -> dict[str, float]:
    return {name: round(100 * metric.value, digits) for name, metric in scores.metrics.items()}


def test_wikitq_test(data_root: Path) -> None:
    gold = data_root / "reference_predictions" / "references" / "wikitq" / "pristine-unseen-tables.tagged"
    scores = evaluate("wikitq", str(gold), published(data_root, "wtq", "test"))
    expected = {"denotation_string": 58.66, "denotation_official": 58.24, "denotation_official_whole": 58.98}
    assert (scores.n, values(scores)) == (4344, expected)
    assert len(differences(scores.rows)) == scores.notes["official_only"] + scores.notes["string_only"] == 56 + 74


@pytest.mark.parametrize(
    ("task", "folder", "split", "n", "metric", "value"),
    [
        ("wikitq", "wtq", "validation", 2831, "denotation_string", 59.73),
        ("wikisql", "wikisql", "validation", 8421, "denotation", 89.55),
        ("wikisql", "wikisql", "test", 15878, "denotation", 89.21),
        ("tabfact", "tabfact", "validation", 12792, "accuracy", 84.62),
        ("tabfact", "tabfact", "test", 12779, "accuracy", 84.93),
    ],
)
def test_files_with_their_own_gold(
    data_root: Path, task: str, folder: str, split: str, n: int, metric: str, value: float
) -> None:
    path = published(data_root, folder, split)
    scores = evaluate(task, str(path), path)
    assert (scores.n, values(scores)) == (n, {metric: value})


def test_tabfact_parts_of_the_whole_release(data_root: Path) -> None:
    """Simple, complex and small: only where the whole test file and the lists of ids are there."""
    pred, gold = published(data_root, "tabfact", "test"), str(data_root / "tabfact")
    if len(gold_examples("tabfact", gold, "test")) != len(read_answers(pred)):
        pytest.skip("tokenized_data/test_examples.json here is a part of the test split")
    expected = {"accuracy": 84.93, "accuracy_simple": 94.29, "accuracy_complex": 80.39, "accuracy_small": 86.74}
    scores = evaluate("tabfact", gold, pred, "test")
    assert values(scores) == expected
    assert scores.notes["n_of"] == {"accuracy": 12779, "accuracy_simple": 4171, "accuracy_complex": 8608} | {
        "accuracy_small": 1998
    }


def test_logicnlg_test(data_root: Path) -> None:
    gold = data_root / "reference_predictions" / "references" / "logicnlg" / "test_lm.json"
    scores = evaluate("logicnlg", str(gold), published(data_root, "logicnlg", "test"))
    sentences = {"BLEU-1": 53.72, "BLEU-2": 34.3, "BLEU-3": 20.75}
    whole = {"corpus_BLEU-1": 56.2, "corpus_BLEU-2": 38.1, "corpus_BLEU-3": 26.8}
    assert (scores.n, values(scores)) == (4305, sentences | {k: values(scores)[k] for k in whole})
    assert {name: values(scores, 1)[name] for name in whole} == whole
    assert scores.notes["repeated_sentences"] == 948


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_logicnlg_dev(data_root: Path) -> None:
    """All of dev where all its references are there; else its part, beside nltk."""
    golden = gold_examples("logicnlg", str(data_root / "logicnlg"), "dev")
    predictions = read_predictions(published(data_root, "logicnlg", "validation"))
    written = [predictions[gold.id] for gold in golden]
    found = values(score_sentences(golden, written))
    if len(golden) == len(predictions):
        assert {k: found[k] for k in ("BLEU-1", "BLEU-2", "BLEU-3")} == {
            "BLEU-1": 53.34,
            "BLEU-2": 33.65,
            "BLEU-3": 19.98,
        }
    weights = {"BLEU-1": (1, 0, 0), "BLEU-2": (0.5, 0.5, 0), "BLEU-3": (0.33, 0.33, 0.33)}
    for name, each in weights.items():
        by_nltk = fmean(_nltk(gold.references, text, each) for gold, text in zip(golden, written, strict=True))
        assert found[name] == round(100 * by_nltk, 2)


def _nltk(references: Any, text: str, weights: tuple[float, ...]) -> float:
    tokens = [sentence.lower().split() for sentence in json.loads(references["sentences"])]
    value: float = sentence_bleu(tokens, text.lower().split(), weights, SmoothingFunction().method0)
    return value


def test_wikisql_answers_equal_the_published(data_root: Path) -> None:
    lines = (data_root / "wikisql" / "test_official_line_numbers.tsv").read_text(encoding="utf-8").split("\n")[1:]
    official = dict(line.split("\t")[:2] for line in lines if line)
    answers = read_answers(published(data_root, "wikisql", "test"))
    examples = load_wikisql(str(data_root / "wikisql"), "test")
    assert len(examples) == 207
    assert [example.target.lower() for example in examples] == [answers[official[example.id]] for example in examples]
    assert sum(example.target == "none" for example in examples) == 9  # two cells are the word "None" besides


@pytest.mark.parametrize(("split", "n"), [("dev", 355), ("test", 547)])
def test_real_statements_load(data_root: Path, split: Split, n: int) -> None:
    examples = load_tabfact(str(data_root / "tabfact"), split)
    assert len(examples) >= n
    assert {example.references["channel"] for example in examples} == {"simple", "complex"}


@pytest.mark.parametrize(("split", "n"), [("dev", 200), ("test", 198)])
def test_real_sentences_load(data_root: Path, split: Split, n: int) -> None:
    examples = load_logicnlg(str(data_root / "logicnlg"), split)
    assert len(examples) >= n
    assert all(example.source.split(" [HEAD] ")[0] == example.references["title"] for example in examples)


def test_a_part_of_the_references_is_refused(data_root: Path) -> None:
    with pytest.raises(WorkbenchError, match="predictions have ids that the gold lacks"):
        evaluate(
            "logicnlg", str(data_root / "logicnlg" / "data" / "val_lm.json"), published(data_root, "logicnlg", "test")
        )
