"""The command line: results as text and JSON, one-line errors with exit code 1, nothing half-written."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from eg3p_lib.__main__ import app
from eg3p_lib.knowledge import read_knowledge
from workbench_lib import cli

Call = Callable[..., tuple[int, str, str]]


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Call:
    """Run a command in this process: exit code, stdout, stderr."""

    def run(*arguments: object) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["eg3p_lib", *map(str, arguments)])
        with pytest.raises(SystemExit) as exit_:
            cli.run(app)
        captured = capsys.readouterr()
        return int(exit_.value.code or 0), captured.out, captured.err

    return run


def result_of(answer: tuple[int, str, str]) -> dict[str, Any]:
    code, out, _ = answer
    assert code == 0
    assert len(out.strip().split("\n")) == 1
    value: dict[str, Any] = json.loads(out)
    return value


def test_knowledge_writes_one_file_and_counts(call: Call, make_file: Callable[..., Path], tmp_path: Path) -> None:
    source = make_file("IsA\tdog\tpet\nRelatedTo\tdog\tbone\nLikes\tdog\tbone\nIsA\tdog\tpet\n")
    result = result_of(call("knowledge", source, "--out", tmp_path / "kb.arrow", "--json"))
    assert (result["lines"], result["kept"], result["concepts"]) == (4, 1, 2)
    assert result["skipped"] == {"duplicate": 1, "unmapped_relation": 2}
    assert result["sources"][f"{tmp_path.name}/kb.tsv"]["lines"] == 4
    assert len(read_knowledge([tmp_path / "kb.arrow"])) == 1
    code, out, _ = call("knowledge", source, "--out", tmp_path / "kb.arrow")
    assert code == 0
    assert "skipped.unmapped_relation" in out


def test_synthesize_stats_export(call: Call, tmp_path: Path) -> None:
    corpus, plain = tmp_path / "corpus", tmp_path / "plain"
    command = ("synthesize", "--knowledge", "starter", "--graphs", 20, "--seed", 1, "--out", corpus, "--json")
    made = result_of(call(*command))
    assert (made["rows"], made["graphs"], made["shards"]) == (60, 20, 1)
    assert result_of(call(*command)) == made
    assert result_of(call("stats", corpus, "--json"))["levels"] == {"easy": 20, "normal": 20, "hard": 20}
    assert result_of(call("export", corpus, "--out", plain, "--json"))["lines"]["corpus.jsonl"] == 60
    assert (plain / "train.source").exists()


def test_evaluate(call: Call, make_file: Callable[..., Path]) -> None:
    graph = "(cats; is a; pets)(pets; capable of; purr)(purr; causes; joy)"
    gold = make_file(f"Cats are pets.\tPets bring joy.\tsupport\t{graph}\n" * 2, "gold.tsv")
    pred = make_file(f"support\t{graph}\ncounter\t{graph}\n", "pred.tsv")
    result = result_of(call("evaluate", "--gold", gold, "--pred", pred, "--json"))
    assert result["n"] == 2
    assert result["metrics"]["SA"]["value"] == result["metrics"]["StCA"]["value"] == 0.5
    assert result["metrics"]["triple_f1"]["value"] == 1.0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("IsA\tdog\n", "kb.tsv, line 1"),
        ("IsA\tdog\tpet\nIsA\tdog\n", "kb.tsv, line 2"),
        ("", "kb.tsv: the file is empty"),
        ("Likes\tdog\tbone\n", "no triple"),
    ],
)
def test_bad_knowledge_is_one_line_and_leaves_nothing(
    call: Call, make_file: Callable[..., Path], tmp_path: Path, text: str, message: str
) -> None:
    source = make_file(text)
    commands = [
        ("knowledge", source, "--out", tmp_path / "kb.arrow"),
        ("synthesize", "--knowledge", source, "--graphs", 5, "--seed", 1, "--out", tmp_path / "corpus"),
    ]
    for command in commands:
        code, out, err = call(*command)
        assert (code, out) == (1, "")
        assert err.startswith("error: ")
        assert err.count("\n") == 1
        assert message in err
    assert [path.name for path in tmp_path.iterdir()] == ["kb.tsv"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("knowledge", "nowhere.tsv", "--out", "kb.arrow"), "knowledge source 'nowhere.tsv': no such file"),
        (("knowledge", "starter", "--out", "no/such/folder/kb.arrow"), "the folder no/such/folder does not exist"),
        (("stats", "nowhere"), "the corpus folder nowhere does not exist"),
        (("export", "nowhere", "--out", "plain"), "the corpus folder nowhere does not exist"),
        (("evaluate", "--gold", "nowhere.tsv", "--pred", "nowhere.tsv"), "nowhere.tsv: no such file"),
        (
            ("synthesize", "--knowledge", "starter", "--graphs", "0", "--seed", "1", "--out", "corpus"),
            "'graphs' is 0",
        ),
        (
            ("synthesize", "--knowledge", "starter", "--graphs", "9", "--seed", "1", "--out", "c", "--level", "odd"),
            "'levels.0' is 'odd'",
        ),
    ],
)
def test_other_errors_are_one_line(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    code, out, err = call(*arguments)
    assert (code, out) == (1, "")
    assert message in err
    assert err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_help_names_the_commands(call: Call) -> None:
    code, out, _ = call("--help")
    assert code == 0
    assert all(name in out for name in ("knowledge", "synthesize", "stats", "export", "evaluate"))
