from __future__ import annotations

import itertools
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from reastap_lib.__main__ import app
from reastap_lib.evaluation import gold_examples
from reastap_lib.logicnlg import STARTER_FOLDER
from reastap_lib.lpa.accuracy import ANY_TRUE, RANDOM_RANKER, SEARCH_ALONE, SP_ACC, by_lot, is_right, sp_judges
from reastap_lib.lpa.programs import parse
from reastap_lib.lpa.ranker import FUNCTION_TOKENS, load_ranker, ranker_params, ranker_text, train_ranker
from reastap_lib.lpa.ranker_data import Candidate, Told, label_programs, read_told, same_program
from workbench_lib.classification import build_classifier, save_classifier
from workbench_lib.errors import InputError
from workbench_lib.seq2seq import train_tokenizer

TABLES = STARTER_FOLDER / "all_csv"
TABLE_ID = "1-21-1.html.csv"
BEA, JOAN = (f"hop{{filter_eq{{all_rows; player; {name}}}; wins}}" for name in ("bea lindqvist", "joan pettibone"))
MEANT = f"greater{{{BEA}; {JOAN}}}"


@pytest.mark.parametrize(
    ("holds", "probabilities", "expected"),
    [
        ([], [], False),
        ([False, True], [0.4, 0.6], True),
        ([False, True], [0.6, 0.4], False),
        ([True, *[False] * 7], [0.8, 0.9, *[0.1] * 6], False),  # of eight the likeliest alone
        ([True, *[False] * 8], [0.8, 0.9, *[0.1] * 7], True),  # of nine the three likeliest
        ([True, *[False] * 8], [0.6, 0.9, 0.8, 0.7, *[0.1] * 5], False),
    ],
)
def test_when_a_sentence_is_right(holds: list[bool], probabilities: list[float], expected: bool) -> None:
    assert is_right(holds, probabilities) is expected


@pytest.mark.parametrize(("true", "n"), [(0, 5), (2, 5), (8, 8), (1, 9), (4, 9), (7, 9)])
def test_lots_score_as_all_their_draws_do(true: int, n: int) -> None:
    holds = [True] * true + [False] * (n - true)
    draws = list(itertools.combinations(holds, 3 if n > 8 else 1))
    assert by_lot(holds) == pytest.approx(sum(map(any, draws)) / len(draws))


def test_the_bounds_of_the_search() -> None:
    golden = gold_examples("logicnlg", "starter")
    judges = sp_judges(SEARCH_ALONE)
    assert list(judges) == [ANY_TRUE, RANDOM_RANKER]  # no SP-Acc without a ranker
    sentences = [gold.target for gold in golden]
    found = {name: judge(golden, sentences) for name, judge in judges.items()}
    assert found[ANY_TRUE].values == [1.0] * len(golden)
    assert all(0 < value <= 1 for value in found[RANDOM_RANKER].values)
    notes = found[ANY_TRUE].notes
    assert (notes["without_program"], notes["timed_out"], notes["cut"]) == (0, 0, 0)
    assert notes["sentences_a_second"] > 0
    nothing = judges[ANY_TRUE](golden[:1], ["it rained"])
    assert (nothing.values, nothing.notes["without_program"]) == ([0.0], 1.0)


def test_programs_are_told_right_from_wrong() -> None:
    sentence = "the number of wins of bea lindqvist is higher than that of joan pettibone"
    human = Told(TABLE_ID, "2003 halden chess week", sentence, parse(MEANT))
    known = human._replace(program=None)
    labels = {
        name: dict(label_programs([told], TABLES).candidates)
        for name, told in {"human": human, "true": known, "false": known._replace(is_true=False)}.items()
    }
    meant = Candidate("2003 halden chess week", sentence, MEANT)
    assert [one.program for one, right in labels["human"].items() if right] == [MEANT]
    assert labels["true"][meant]
    assert labels["false"] == {one: not right for one, right in labels["true"].items()}


def test_sentences_that_teach_nothing_are_counted() -> None:
    told = [
        Told("nowhere.csv", "", "ann won"),
        Told(TABLE_ID, "", "it rained"),
        Told(TABLE_ID, "", "the number of wins of farid amsel is 2", parse("only{all_rows}")),
    ]
    found = label_programs(told, TABLES)
    assert found.candidates == []
    assert found.left_out == {"no table": 1, "no program found": 1, "the person's program not found": 1}


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("eq{count{all_rows}; 3}", "eq{3; count{all_rows}}", True),
        ("greater{3; count{all_rows}}", "greater{count{all_rows}; 3}", False),
        ("and{only{a}; eq{b; c}}", "and{eq{c; b}; only{a}}", True),
        ("filter_eq{all_rows; team; jazz}", "filter_eq{all_rows; team; utah jazz}", True),
        ("filter_eq{all_rows; team; jazz}", "filter_eq{all_rows; team; jaz}", True),  # a slip
        ("eq{count{all_rows}; 300}", "eq{count{all_rows}; 30}", False),  # no slip
        ("only{all_rows}", "only{top{all_rows}}", False),
        ("exist{a; b}", "exist{a; b; c}", False),
    ],
)
def test_programs_that_are_the_same(one: str, other: str, same: bool) -> None:
    assert same_program(parse(one), parse(other)) is same
    assert same_program(parse(other), parse(one)) is same


def write(path: Path, value: object) -> Path:
    path.write_text(json.dumps(value), encoding="utf-8")
    return path


def test_files_of_logicnlg(tmp_path: Path) -> None:
    row = ["ann won", [1], "a cup", "[ENT] won"]
    bootstrap = {"t.csv": [["ann won", None, "a cup", None, "only{all_rows}=True"]]}
    told = Told("t.csv", "a cup", "ann won")
    assert read_told(write(tmp_path / "a.json", bootstrap)) == [told._replace(program=parse("only{all_rows}"))]
    assert read_told(write(tmp_path / "b.json", {"t.csv": [row]})) == [told]
    pairs = {"t.csv": [{"pos": row, "neg": ["ann lost", *row[1:]]}]}
    assert read_told(write(tmp_path / "c.json", pairs)) == [told, told._replace(sentence="ann lost", is_true=False)]


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ([], "needs one object"),
        ({"t.csv": [["ann won"]]}, r"t\.csv: needs a sentence, columns and a title: \['ann won'\]"),
        ({"t.csv": [["ann won", None, "a cup", None, "only{"]]}, r"t\.csv: no program \(only\{ is not closed\)"),
        ({"t.csv": [{"pos": []}]}, "needs a sentence, columns and a title"),
    ],
)
def test_files_of_another_kind_are_refused(tmp_path: Path, value: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_told(write(tmp_path / "x.json", value))


def test_a_ranker_is_trained_saved_and_asked(tmp_path: Path) -> None:
    right, wrong = "eq{count{all_rows}; 3}", "greater{3; count{all_rows}}"
    examples = [
        (Candidate("cup", f"there were {k} games", program), program == right)
        for k in range(8)
        for program in (right, wrong)
    ]
    folder = tmp_path / "ranker"
    trained = train_ranker(examples, ranker_params(steps=20, learning_rate=0.003, seed=1), folder, model="roberta:tiny")
    assert trained.loss < 0.3
    ranker = load_ranker(folder)
    said = ranker([Candidate("cup", "there were 9 games", right), Candidate("cup", "there were 9 games", wrong)])
    assert said[0] > 0.5 > said[1]
    for token in FUNCTION_TOKENS:
        assert len(ranker.classifier.tokenizer.tokenize(token)) == 1
    golden = gold_examples("logicnlg", "starter")[:3]
    verdicts = sp_judges(str(folder))[SP_ACC](golden, [gold.target for gold in golden])
    assert set(verdicts.values) <= {0.0, 1.0}
    assert verdicts.notes == {"ranker": str(folder)}
    again = train_ranker(examples, ranker_params(steps=20, learning_rate=0.003, seed=1), folder, model="roberta:tiny")
    assert again.loss == trained.loss  # goes on from its checkpoint, where nothing is left to do


def test_the_ranker_never_sees_what_a_program_returns() -> None:
    assert "true" not in " ".join(ranker_text(Candidate("cup", "ann won", "only{all_rows}=True"))).lower()


def test_rankers_that_cannot_be(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="candidates that are right and candidates that are wrong"):
        train_ranker(
            [(Candidate("", "a", "only{b}"), True)],
            ranker_params(steps=10, learning_rate=0.001, seed=0),
            tmp_path,
            model="roberta:tiny",
        )
    other = build_classifier(
        "roberta:tiny", train_tokenizer(["a"], 300), ("no", "yes"), max_tokens=16, seed=0, dropout=0.0
    )
    save_classifier(other, tmp_path / "other")
    with pytest.raises(InputError, match=r"no ranker: its classes are others: \['no', 'yes'\]"):
        load_ranker(tmp_path / "other")


def test_the_commands(tmp_path: Path) -> None:
    folder, pred = tmp_path / "ranker", tmp_path / "pred.jsonl"
    files = ["--sentences", str(STARTER_FOLDER / "data" / "val_lm.json"), "--tables", str(TABLES)]
    made = CliRunner().invoke(
        app, ["ranker", *files, "--out", str(folder), "--model", "roberta:tiny", "--steps", "2", "--json"]
    )
    report = json.loads(made.stdout.splitlines()[-1])
    assert (report["sentences"], report["left_out"], report["steps"]) == (24, {}, 2)
    assert 0 < report["right"] < report["programs"]
    golden = gold_examples("logicnlg", "starter")
    lines = [json.dumps({"id": gold.id, "prediction": gold.target}) for gold in golden[:-1]]
    pred.write_text("\n".join(lines), encoding="utf-8")
    task = ["evaluate", "--task", "logicnlg", "--gold", "starter", "--pred", str(pred), "--json"]
    bounds = json.loads(CliRunner().invoke(app, [*task, "--sp-ranker", "search"]).stdout)
    assert bounds["metrics"][ANY_TRUE]["value"] == pytest.approx(23 / 24)  # what is missing is wrong
    assert bounds["notes"]["not_run"] == [SP_ACC, "NLI-Acc"]
    scores = json.loads(CliRunner().invoke(app, [*task, "--sp-ranker", str(folder)]).stdout)
    assert scores["metrics"][SP_ACC]["value"] <= 23 / 24
    assert scores["notes"][SP_ACC] == {"ranker": str(folder)}
    assert scores["metrics"][RANDOM_RANKER] == bounds["metrics"][RANDOM_RANKER]
