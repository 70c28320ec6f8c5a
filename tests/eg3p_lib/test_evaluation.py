"""Scores as text and as rows, and the command line that gives them."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eg3p_lib.__main__ import app
from eg3p_lib.evaluation import OPTIONS, evaluate, tell_scores
from eg3p_lib.judges import Judges
from eg3p_lib.metrics import NEEDS_MODEL, score_explagraphs
from workbench_lib import cli

MakeFile = Callable[..., Path]
GRAPH = "(cats; is a; pets)(pets; capable of; purr)(purr; causes; joy)"
GOLD = f"Cats are pets.\tPets bring joy.\tsupport\t{GRAPH}\n"
PRED = (
    f"support\t{GRAPH}\ncounter\t{GRAPH}\nsupport\t{GRAPH.replace('; ', ';')}\nsupport {GRAPH}\nsupport\t{GRAPH[:-1]}\n"
)


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Callable[..., tuple[int, str, str]]:
    def run(*arguments: object) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["eg3p_lib", "evaluate", *map(str, arguments)])
        with pytest.raises(SystemExit) as exit_:
            cli.run(app)
        captured = capsys.readouterr()
        return int(exit_.value.code or 0), captured.out, captured.err

    return run


@pytest.fixture
def files(make_file: MakeFile) -> tuple[Path, Path]:
    return make_file(GOLD * 6, "gold.tsv"), make_file(PRED, "pred.tsv")


def test_the_text_names_every_metric_the_reasons_and_what_was_odd(files: tuple[Path, Path]) -> None:
    scores, _ = evaluate(*files, Judges())
    lines = tell_scores(scores).split("\n")
    table = {line.split("  ")[0]: line for line in lines}
    assert table["StCA"].split()[1] == "0.3333"
    assert table["StCA"].split()[-1] == "6"
    assert "0.3333 [" in table["StCA"][50:]  # the strict value: any spacing, but both parentheses
    assert "GED (lower is better)" in table
    for name in ("SeCA", "EA", "G-BERTScore"):
        assert table[name].endswith(f"not run: needs {OPTIONS[name]}")
    assert table["notation"].split()[-2:] == ["1", "1"]
    assert "2 predictions are missing or empty" in lines
    assert "1 lines are malformed (not stance, tab, graph)" in lines
    assert "1 graphs lack an outer parenthesis, which the official rules make good" in lines


def test_json_has_the_agreed_shape(call: Callable[..., tuple[int, str, str]], files: tuple[Path, Path]) -> None:
    code, out, _ = call("--gold", files[0], "--pred", files[1], "--json")
    assert code == 0
    (result,) = map(json.loads, out.splitlines())
    assert (result["n"], list(result["metrics"]["StCA"])) == (6, ["value", "low", "high"])
    assert result["metrics"]["StCA"]["value"] == 2 / 6
    assert result["notes"]["not_run"] == list(NEEDS_MODEL)
    assert not result["metrics"].keys() & NEEDS_MODEL.keys()


def test_rows_tell_what_each_example_was_and_scored(
    call: Callable[..., tuple[int, str, str]], files: tuple[Path, Path], tmp_path: Path
) -> None:
    code, out, _ = call("--gold", files[0], "--pred", files[1], "--rows", tmp_path / "rows.jsonl")
    assert code == 0
    assert "why graphs failed" in out
    rows = [json.loads(line) for line in (tmp_path / "rows.jsonl").read_text(encoding="utf-8").split("\n")[:-1]]
    assert [row["line"] for row in rows] == [1, 2, 3, 4, 5, 6]
    assert [row["StCA"] for row in rows] == [1, 0, 0, 0, 1, 0]
    assert (rows[0]["belief"], rows[0]["gold_graphs"], rows[0]["graph"]) == ("Cats are pets.", [GRAPH], GRAPH)
    assert rows[2]["faults"] == ["not_triple"]
    assert rows[5]["graph"] == ""


def test_predictions_of_a_run_are_scored_by_their_ids(make_file: MakeFile) -> None:
    gold = make_file(GOLD * 2, "gold.tsv")
    row = {"id": "dev-2", "stance": "support", "prediction": GRAPH}
    pred = make_file(json.dumps(row) + "\n", "predictions.jsonl")
    scores, rows = evaluate(gold, pred, Judges())
    assert scores.metrics["StCA"].value == 0.5
    assert [row["graph"] for row in rows] == ["", GRAPH]


def test_bertscore_layers_and_settings(files: tuple[Path, Path], tiny_bert: Path) -> None:
    scores, _ = evaluate(*files, Judges(bertscore=str(tiny_bert), layers=1))
    assert "G-BERTScore by bert-score 0.3.13, tiny_bert, layer 1, no idf, not rescaled" in tell_scores(scores)


def test_the_names_of_options_and_of_what_needs_a_model_agree() -> None:
    assert OPTIONS.keys() == NEEDS_MODEL.keys()
    assert score_explagraphs.__defaults__ == (Judges(),)


@pytest.mark.parametrize(
    ("pred", "message"),
    [("support\tx\n" * 7, "7 predictions for 6 gold examples"), ("", "pred.tsv: the file is empty")],
)
def test_errors_are_one_line(
    call: Callable[..., tuple[int, str, str]], make_file: MakeFile, files: tuple[Path, Path], pred: str, message: str
) -> None:
    code, out, err = call("--gold", files[0], "--pred", make_file(pred, "pred.tsv"))
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert message in err


@settings(max_examples=40)
@given(
    st.lists(
        st.binary(max_size=60)
        | st.integers(0, len(PRED)).map(lambda k: PRED[:k].encode())
        | st.text(st.sampled_from("\tsupport();, \r\x85\u2028"), max_size=60).map(str.encode),
        min_size=1,
        max_size=6,
    ).map(lambda lines: b"\n".join(line.replace(b"\n", b" ") for line in lines) + b".")
)
def test_any_bytes_are_scored_over_all_gold_rows(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    folder = tmp_path_factory.mktemp("fuzz")
    (folder / "gold.tsv").write_text(GOLD * 9, encoding="utf-8")
    (folder / "pred.tsv").write_bytes(content[:-1] if content[:-1] else content)
    scores, rows = evaluate(folder / "gold.tsv", folder / "pred.tsv", Judges())
    assert scores.n == len(rows) == 9
    assert all(0 <= metric.value <= 1 for metric in scores.metrics.values())
