"""The command line: results as text and JSON, one-line errors with exit code 1, nothing half-written."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from eg3p_lib import corpora
from eg3p_lib.__main__ import app
from eg3p_lib.knowledge import STARTER, read_knowledge
from eg3p_lib.relations import relation_text
from workbench_lib import cli
from workbench_lib.corpus import Corpus
from workbench_lib.seq2seq import load_tokenizer, train_tokenizer

Call = Callable[..., tuple[int, str, str]]

SYNTHESIZE = ("synthesize", "--knowledge", "starter", "--graphs", "9", "--seed", "1", "--out", "c")


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


def synthesize(call: Call, out: Path, *more: object) -> dict[str, Any]:
    command = ("synthesize", "--knowledge", "starter", "--graphs", 300, "--seed", 1, "--out", out, "--json")
    return result_of(call(*command, *more))


def test_levels_have_weights(call: Call, tmp_path: Path) -> None:
    synthesize(call, tmp_path / "c", "--level", "hard=0.5", "--level", "normal", "--level", "easy=2")
    levels = Corpus(tmp_path / "c").manifest.settings["levels"]
    assert levels == {"easy": 2.0, "normal": 1.0, "hard": 0.5}
    found = result_of(call("stats", tmp_path / "c", "--json"))["levels"]
    assert found["easy"] == 300
    assert 110 < found["normal"] < 190
    assert 45 < found["hard"] < 105


def test_templates_and_held_out_files_can_be_named(call: Call, make_file: Callable[..., Path], tmp_path: Path) -> None:
    made = synthesize(call, tmp_path / "own", "--templates", "verbatim", "--level", "normal")
    verbatim = Corpus(tmp_path / "own").head(300, ["source"])["source"].to_pylist()
    assert any(" with a property of " in source for source in verbatim)  # ungrammatical, and only in Table 6
    starter = read_knowledge([STARTER])
    edge = starter.edge(0)
    graph = f"({edge[0]}; {relation_text(edge[1])}; {edge[2]})(a b c; is a; d e f)(d e f; is a; g h i)"
    gold = make_file(f"one\ttwo\tsupport\t{graph}\n", "dev.tsv")
    held_out = synthesize(call, tmp_path / "held", "--held-out", gold)["knowledge"]
    assert held_out["kept"] == made["knowledge"]["kept"] - 1
    assert held_out["skipped"] == {f"overlap_{tmp_path.name}/dev.tsv": 1}


def test_prediction_corpora(call: Call, tmp_path: Path) -> None:
    made = synthesize(call, tmp_path / "tails", "--task", "tail-prediction")
    assert made["rows"] == 300
    rows = Corpus(tmp_path / "tails").head(300).to_pylist()
    assert all(row["source"].startswith("predict tail: ") for row in rows)
    code, out, err = call("stats", tmp_path / "tails")
    assert (code, out) == (1, "")
    assert "holds a corpus of another kind than graphs" in err


def test_ranks_make_shares_and_the_same_call_without_completes_them(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(corpora, "UNITS_A_SHARD", 100)
    missing = "shards_missing_over_all_ranks"
    for rank, left in ((1, 2), (0, 0), (1, 0)):
        made = synthesize(call, tmp_path / "c", "--rank", rank, "--world-size", 2)
        assert made == {"folder": str(tmp_path / "c"), "rank": rank, missing: left}
    completed = synthesize(call, tmp_path / "c", "--world-size", 2)
    alone = synthesize(call, tmp_path / "d")
    assert completed["shards"] == 3
    assert {**completed, "folder": ""} == {**alone, "folder": ""}


def test_stats_prints_a_page(call: Call, tmp_path: Path) -> None:
    synthesize(call, tmp_path / "c")
    code, out, _ = call("stats", tmp_path / "c")
    assert code == 0
    assert out.startswith("900 examples of 300 graphs")
    assert "Table 5" in out
    assert "20.07%" in out


def test_stats_in_a_tokenizers_tokens(call: Call, tmp_path: Path) -> None:
    synthesize(call, tmp_path / "c", "--level", "easy")
    train_tokenizer(["rain causes mud"], 270).save_pretrained(tmp_path / "tokenizer")
    stats = result_of(call("stats", tmp_path / "c", "--tokenizer", tmp_path / "tokenizer", "--json"))
    targets = Corpus(tmp_path / "c").head(300)["target"].to_pylist()
    tokens = [len(ids) for ids in load_tokenizer(tmp_path / "tokenizer")(targets)["input_ids"]]
    assert stats["target_tokens"]["mean"] == pytest.approx(sum(tokens) / len(tokens))
    assert stats["target_tokens"]["max"] == max(tokens)


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
        ("IsA\tdog\tpet\n" + "IsA\tdog\n" * 11, "malformed"),
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
            "is 'odd': Input should be 'easy', 'normal' or 'hard'",
        ),
        ((*SYNTHESIZE, "--level", "hard=much"), "'levels.hard' is 'much'"),
        ((*SYNTHESIZE, "--level", "hard=0"), "every level that is named needs a weight above 0"),
        ((*SYNTHESIZE, "--level", "hard=-1"), "'levels.hard' is -1.0"),
        ((*SYNTHESIZE, "--level", "hard=nan"), "'levels.hard' is nan"),
        ((*SYNTHESIZE, "--level", "hard", "--level", "hard=2"), "--level names a level twice: hard, hard=2"),
        ((*SYNTHESIZE, "--task", "tails"), "'task' is 'tails': Input should be 'text-to-graph', 'link-prediction', "),
        ((*SYNTHESIZE, "--templates", "nowhere.yaml"), "'nowhere.yaml' does not exist"),
        ((*SYNTHESIZE, "--held-out", "nowhere.tsv"), "nowhere.tsv"),
        ((*SYNTHESIZE, "--distractors", "far"), "'distractors' is 'far'"),
        ((*SYNTHESIZE, "--max-triples", "1", "--min-triples", "2"), "must not be smaller than min_triples"),
        ((*SYNTHESIZE, "--rank", "2", "--world-size", "2"), "rank=2 must be at least 0 and below world_size=2"),
        ((*SYNTHESIZE, "--seed", "-1"), "'seed' is -1"),
        ((*SYNTHESIZE, "--seed", str(2**64)), f"'seed' is {2**64}"),
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
