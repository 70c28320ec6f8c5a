from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from reastap_lib.serialisation import parse
from reastap_lib.tabfact import SIZES, csv_table, label_of, read_file, read_split
from reastap_lib.tabfact_metrics import score_labels
from reastap_lib.tasks import TABFACT, load_tabfact
from workbench_lib.errors import InputError
from workbench_lib.tasks import Example, get_task

TABLES = {"a.html.csv": "name#goals\r\nann#9\r\nbob#12", "b.html.csv": "name#\r\nann#n / a"}
TEST = {"b.html.csv": [["bob win", "ann win"], [0, 1], "b"], "a.html.csv": [["ann score 9"], [1], "a"]}


@pytest.fixture
def release(tmp_path: Path) -> Path:
    """Two tables, with statements of the test split in both variants, and one pair for training."""
    files: dict[str, Any] = {
        "tokenized_data/test_examples.json": TEST,
        "collected_data/r1_training_all.json": {"a.html.csv": [["Ann scored 9", "Bob scored 9"], [1, 0], "A"]},
        "collected_data/r2_training_all.json": {"b.html.csv": [["Ann won"], [1], "B"], "x.html.csv": [["x"], [1], "X"]},
        "pairwise_data/all_positive_negative_pairs.json": [["a.html.csv", "yes", "no"], ["c.html.csv", "of test", "x"]],
        "data/test_id.json": ["b.html.csv", "a.html.csv"],
        "data/train_id.json": ["a.html.csv"],
        "data/simple_ids.json": ["a.html.csv"],
        "data/complex_test_id.json": ["b.html.csv"],
        "data/small_test_id.json": ["a.html.csv"],
    }
    for name, value in files.items():
        write(tmp_path / name, json.dumps(value))
    for name, text in TABLES.items():
        write(tmp_path / "data" / "all_csv" / name, text)
    return tmp_path


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())


def test_statements_in_the_order_of_the_file(release: Path) -> None:
    statements = read_split(str(release), "test")
    assert statements.variant == "tokenized"
    assert [(s.id, s.text, s.is_entailed) for s in statements.entries] == [
        ("0", "bob win", False),
        ("1", "ann win", True),
        ("2", "ann score 9", True),
    ]
    assert [s.channel for s in statements.entries] == ["complex", "complex", "simple"]
    assert [s.is_small for s in statements.entries] == [False, False, True]
    assert read_file(release / "tokenized_data" / "test_examples.json") == statements


def test_R04_variants_are_told_apart(release: Path) -> None:
    collected = read_split(str(release / "collected_data"), "test")
    assert collected.variant == "collected"
    assert [(s.text, s.channel) for s in collected.entries] == [
        ("Ann won", "complex"),
        ("Ann scored 9", "simple"),
        ("Bob scored 9", "simple"),
    ]
    assert read_split(str(release), "train").variant == "collected"  # there is no train_examples.json
    with pytest.raises(InputError, match="no statements for the split 'dev': looked for tokenized_data/val_examples"):
        read_split(str(release), "dev")


def test_R04_sizes_are_printed_beside_the_papers(release: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert [SIZES["tokenized"][s] for s in ("train", "dev", "test")] == [92283, 12792, 12779]
    assert [SIZES["collected"][s] for s in ("train", "dev", "test")] == [92585, 12851, 12839]
    examples = load_tabfact(str(release), "test")
    told = "tabfact test: 3 statements about 2 tables, variant tokenized; NOT the whole split, which has 12,779"
    assert told in capsys.readouterr().out
    notes = score_labels(examples, ["entailed"] * 3).notes
    assert (notes["variant"], notes["tables"], notes["is_whole_split"]) == ("tokenized", 2, False)


def test_pairs_of_training_tables_where_there_is_nothing_else(release: Path) -> None:
    pairs = read_split(str(release / "pairwise_data"), "train")
    assert pairs.variant == "pairwise"
    assert [(s.text, s.is_entailed) for s in pairs.entries] == [("yes", True), ("no", False)]  # c is not of this split


def test_examples(release: Path) -> None:
    examples = load_tabfact(str(release), "test")
    assert examples[2].source == "ann score 9 [HEAD] name | goals [ROW] ann | 9 [ROW] bob | 12"
    assert [example.target for example in examples] == ["refuted", "entailed", "entailed"]
    assert parse(examples[0].source)[1] == ("name", "")
    assert get_task("tabfact", libraries=("reastap_lib",)) is TABFACT
    assert TABFACT.labels == ("refuted", "entailed")


def test_the_starter_set(capsys: pytest.CaptureFixture[str]) -> None:
    train, dev = load_tabfact("starter", "train"), load_tabfact("starter", "dev")
    assert capsys.readouterr().out.endswith("tabfact dev: 44 statements about 4 tables, variant starter\n")
    assert not {e.references["table"] for e in train} & {e.references["table"] for e in dev}
    for examples in (train, dev):
        labels = [example.target for example in examples]
        assert labels.count("entailed") == labels.count("refuted") > 20
        assert {example.references["channel"] for example in examples} == {"simple", "complex"}


def example(number: int, target: str, channel: str = "", small: str = "") -> Example:
    references = {"table": "t", "channel": channel, "small": small, "variant": "tokenized", "whole": "4"}
    return Example(str(number), "s", target, references)


def test_accuracies_on_all_and_on_parts() -> None:
    examples = [
        example(0, "entailed", "simple", "yes"),
        example(1, "refuted", "simple"),
        example(2, "refuted", "complex", "yes"),
        example(3, "entailed", "complex", "yes"),
    ]
    scores = score_labels(examples, ["1", "refuted", "entailed", ""])
    values = {name: metric.value for name, metric in scores.metrics.items()}
    assert values == {"accuracy": 2 / 4, "accuracy_simple": 2 / 2, "accuracy_complex": 0, "accuracy_small": 1 / 3}
    assert scores.notes == {
        "variant": "tokenized",
        "tables": 1,
        "is_whole_split": True,
        "n_of": {"accuracy": 4, "accuracy_simple": 2, "accuracy_complex": 2, "accuracy_small": 3},
        "predicted_entailed": 2,
        "no_label": 1,
        "empty_predictions": 1,
        "not_run": [],
    }


def test_a_part_without_its_list_is_not_run() -> None:
    scores = score_labels([example(0, "entailed")], ["maybe"])
    assert list(scores.metrics) == ["accuracy"]
    assert scores.metrics["accuracy"].value == 0
    assert scores.notes["not_run"] == ["accuracy_simple", "accuracy_complex", "accuracy_small"]


def test_labels() -> None:
    assert [label_of(text) for text in ("0", "1", " Entailed", "refuted", "2", "", "yes")] == [
        "refuted",
        "entailed",
        "entailed",
        "refuted",
        None,
        None,
        None,
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[]", "test_examples.json: needs one object, with an entry a table"),
        ('{"a": [["x"], [1, 0], "c"]}', "needs statements, as many labels, and a caption: 'a'"),
        ('{"a": [["x"], [2], "c"]}', r"a: no statement with a label of 0 or 1: \['x', 2\]"),
        ('{"a": [["x"], [1], "c"], "a": [["y"], [1], "c"]}', "not JSON .the name 'a' comes twice"),
        ("{}", "no statements for the split 'test'"),
        ("{", "not JSON"),
    ],
)
def test_faults_are_named(tmp_path: Path, text: str, message: str) -> None:
    write(tmp_path / "tokenized_data" / "test_examples.json", text)
    with pytest.raises(InputError, match=message):
        read_split(str(tmp_path), "test")


def test_other_faults(release: Path) -> None:
    write(release / "data" / "complex_ids.json", '["a.html.csv"]')
    with pytest.raises(InputError, match=r"a table is in the lists of both channels: 'a.html.csv'"):
        read_split(str(release), "test")
    with pytest.raises(InputError, match=r"x.json: must be one of train_examples.json"):
        read_file(release / "x.json")
    with pytest.raises(InputError, match=r"none.html.csv: cannot be read"):
        csv_table(release / "none.html.csv")
