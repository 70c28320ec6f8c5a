"""The official file formats of ExplaGraphs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from eg3p_lib.explagraphs import ExplaGraphsRow, Prediction, read_explagraphs, read_predictions, write_predictions
from eg3p_lib.graphs import ExplanationGraph
from workbench_lib.errors import InputError

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


def test_an_empty_line_is_a_missing_prediction(make_file: MakeFile) -> None:
    assert read_predictions(make_file("support\tx\n\nsupport\ty\n"))[1] == Prediction("", "")


def test_malformed_predictions_are_named(make_file: MakeFile) -> None:
    for line in ("support (a; is a; b)", "support\t(a; is a; b)\tmore"):
        with pytest.raises(InputError, match="line 2: needs 2 tab-separated columns"):
            read_predictions(make_file(f"support\tx\n{line}\n"))


@pytest.mark.realdata
def test_the_official_files_are_read_whole(data_root: Path) -> None:
    folder = data_root / "explagraphs"
    assert len(read_explagraphs(folder / "train.tsv")) == 2368
    assert len(read_explagraphs(folder / "dev.tsv")) == 398
    assert len(read_explagraphs(folder / "test_no_labels.tsv", labelled=False)) == 400
    assert [p.stance for p in read_predictions(folder / "preds.tsv")] == ["support", "counter"]
