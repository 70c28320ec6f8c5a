"""The official file formats of ExplaGraphs."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from eg3p_lib.explagraphs import (
    MISSING,
    ExplaGraphsRow,
    Prediction,
    read_explagraphs,
    read_predictions,
    read_predictions_of_run,
    write_predictions,
)
from eg3p_lib.graphs import ExplanationGraph
from workbench_lib.errors import InputError
from workbench_lib.scores import ScoreError

MakeFile = Callable[..., Path]
ROW = 'People say "no" to it.\tIt is bad.\tsupport\t(a; is a; b)(b; causes; c)(c; is a; d)'


def test_quotes_are_text_and_the_last_newline_may_lack(make_file: MakeFile) -> None:
    rows = read_explagraphs(make_file(ROW + "\r\n" + ROW.replace("support", "counter")))
    assert rows[0] == ExplaGraphsRow(
        'People say "no" to it.', "It is bad.", "support", "(a; is a; b)(b; causes; c)(c; is a; d)", 1
    )
    assert (rows[1].stance, rows[1].line) == ("counter", 2)


@pytest.mark.parametrize("sign", ["\u2028", "\u2029", "\x85", "\v", "\f", "\x1c", "\x1d", "\x1e", "\r"])
def test_g09_only_newlines_end_a_line(make_file: MakeFile, sign: str) -> None:
    (prediction,) = read_predictions(make_file(f"support\t(a; is a; b{sign}c)(b{sign}c; causes; d)(d; used for; e)"))
    assert len(ExplanationGraph.parse(prediction.graph, "explagraphs").edges) == 3
    text = write_predictions([prediction])
    assert len(text.splitlines()) == 1
    assert len(ExplanationGraph.parse(text.split("\t")[1], "explagraphs").edges) == 3


def test_the_file_without_labels(make_file: MakeFile) -> None:
    path = make_file("A belief.\tAn argument.\n")
    assert read_explagraphs(path, labelled=False) == [ExplaGraphsRow("A belief.", "An argument.", line=1)]
    with pytest.raises(InputError, match=r"line 1: needs 4 tab-separated columns .* found 2: 'A belief"):
        read_explagraphs(path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (ROW + "\n" + ROW.replace("support", "neutral"), "line 2: the stance is neither .*: 'neutral'"),
        (ROW + "\n\n" + ROW, "line 2: needs 4 tab-separated columns .* found 1"),
        ("", "the file is empty"),
    ],
)
def test_malformed_gold_is_named(make_file: MakeFile, text: str, message: str) -> None:
    with pytest.raises(InputError, match=f"kb.tsv.*{message}"):
        read_explagraphs(make_file(text))


def test_predictions_are_read_back_as_written(make_file: MakeFile) -> None:
    predictions = [Prediction("support", "(a; is a; b)"), Prediction("counter", "garbage"), Prediction("support", "x")]
    assert read_predictions(make_file(write_predictions(predictions))) == predictions


def test_an_empty_line_is_a_missing_prediction_but_at_the_end(make_file: MakeFile) -> None:
    assert read_predictions(make_file("support\tx\n\nsupport\ty\n\n \r\n")) == [
        Prediction("support", "x"),
        MISSING,
        Prediction("support", "y"),
    ]


@pytest.mark.parametrize(
    "line", [b"support (a; is a; b)", b"support\t(a; is a; b)\tmore", b"support\t\xff\xfe", b"\t\t"]
)
def test_a_malformed_prediction_counts_as_wrong_and_is_marked(make_file: MakeFile, line: bytes) -> None:
    path = make_file("")
    path.write_bytes(b"support\tx\n" + line + b"\nsupport\ty")
    assert read_predictions(path) == [Prediction("support", "x"), Prediction("", "", True), Prediction("support", "y")]


def test_a_labelled_test_file_may_have_two_graphs(make_file: MakeFile) -> None:
    (row,) = read_explagraphs(make_file(ROW + "\t(x; is a; y)"))
    assert row.graphs == (row.graph, "(x; is a; y)")
    assert read_explagraphs(make_file(ROW))[0].graphs == (row.graph,)


def of_run(*rows: tuple[str, str]) -> str:
    return "".join(json.dumps({"id": name, "stance": "support", "prediction": graph}) + "\n" for name, graph in rows)


def test_n02_predictions_of_a_run_are_joined_by_id(make_file: MakeFile) -> None:
    golds = [ExplaGraphsRow("b", "a", "support", "(x; is a; y)", line) for line in (1, 2, 3)]
    path = make_file(of_run(("dev-3", "third"), ("dev-1", "first")), "predictions.jsonl")
    assert [p.graph for p in read_predictions_of_run(path, golds)] == ["first", "", "third"]
    for rows, message in [
        ([("dev-1", "x"), ("dev-1", "y")], "line 2: the id 'dev-1' comes twice"),
        ([("dev-1", "x"), ("dev-4", "y")], "1 predictions are for lines that the gold has not: 4"),
    ]:
        with pytest.raises(ScoreError, match=message):
            read_predictions_of_run(make_file(of_run(*rows), "predictions.jsonl"), golds)
    with pytest.raises(InputError, match="line 1: is no prediction of an ExplaGraphs run"):
        read_predictions_of_run(make_file('{"id": "dev-1", "prediction": "x"}\n', "predictions.jsonl"), golds)


@pytest.mark.realdata
def test_the_official_files_are_read_whole(data_root: Path) -> None:
    folder = data_root / "explagraphs"
    assert len(read_explagraphs(folder / "train.tsv")) == 2368
    assert len(read_explagraphs(folder / "dev.tsv")) == 398
    assert len(read_explagraphs(folder / "test_no_labels.tsv", labelled=False)) == 400
    assert [p.stance for p in read_predictions(folder / "preds.tsv")] == ["support", "counter"]
