from __future__ import annotations

import json
import warnings
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nltk.translate.bleu_score import sentence_bleu as nltk_bleu
from sacrebleu.metrics.bleu import BLEU

from reastap_lib.logicnlg import read_sentences, sentence_file
from reastap_lib.logicnlg_metrics import WEIGHTS, Verdicts, score_sentences
from reastap_lib.tasks import LOGICNLG, load_logicnlg
from workbench_lib.bleu import sentence_bleu
from workbench_lib.errors import InputError
from workbench_lib.tasks import Example, get_task

THIRDS = (1 / 3, 1 / 3, 1 / 3)


def example(references: Sequence[str], table: str = "t", number: int = 0) -> Example:
    return Example(f"{table}#{number}", "", references[0], {"table": table, "sentences": json.dumps(list(references))})


@pytest.mark.parametrize(
    ("written", "reference", "expected", "third_by_thirds"),
    [
        ("yes", "yes", (1, 0, 0), 0),
        ("left right", "left right", (1, 1, 0), 0),
        ("the team won 4 games in 2005", "the team won 3 games in 2005", (0.857143, 0.755929, 0.614437), 0.611421),
        ("", "the team won", (0, 0, 0), 0),
    ],
)
def test_M08_unsmoothed_and_without_warnings(
    written: str, reference: str, expected: tuple[float, ...], third_by_thirds: float
) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        scores = score_sentences([example([reference])], [written])
    assert [scores.metrics[name].value for name in WEIGHTS] == pytest.approx(expected, abs=1e-6)
    assert sentence_bleu([reference.split()], written.split(), THIRDS) == pytest.approx(third_by_thirds, abs=1e-6)


WORDS = st.lists(st.sampled_from(["a", "b", "c", "d"]), min_size=1, max_size=8)


@settings(max_examples=20, deadline=None)
@given(st.lists(st.tuples(st.lists(WORDS, min_size=1, max_size=3), WORDS), min_size=5, max_size=30))
def test_sentences_score_as_in_the_data_sets_evaluator(cases: list[tuple[list[list[str]], list[str]]]) -> None:
    golds = [example([" ".join(words) for words in references]) for references, _ in cases]
    rows = score_sentences(golds, [" ".join(written).upper() for _, written in cases]).rows
    each = ((1, 0, 0), (0.5, 0.5, 0), (0.33, 0.33, 0.33))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = [[nltk_bleu(references, written, weights=w) for w in each] for references, written in cases]
    found = [[row[name] for name in WEIGHTS] for row in rows]
    assert np.array(found) == pytest.approx(np.array(expected), abs=1e-9)


def test_the_whole_scores_as_by_sacrebleu() -> None:
    golds = [["Ann won 3 games", "ann was first ."], ["the total is 12"], ["bob came after ann in 2005", "bob lost"]]
    written = ["ann won 4 games", "the total is 12", "bob came in 2005"]
    scores = score_sentences([example(gold, str(k)) for k, gold in enumerate(golds)], written)
    streams = [[gold[k] if k < len(gold) else None for gold in golds] for k in range(2)]
    for order in (1, 2, 3):
        bleu = BLEU(lowercase=True, tokenize="none", smooth_method="none", max_ngram_order=order)
        metric = scores.metrics[f"corpus_BLEU-{order}"]
        assert metric.value == pytest.approx(bleu.corpus_score(written, streams).score / 100)
        assert metric.low <= metric.value <= metric.high


def test_values_are_means_over_all_sentences() -> None:
    golds = [example(["ann won"], "t", 0), example(["ann won"], "t", 1), example(["bob lost"], "u")]
    scores = score_sentences(golds, ["ann won", "ann won", ""])
    assert scores.metrics["BLEU-2"].value == 2 / 3
    assert scores.n == 3
    assert {name: scores.notes[name] for name in ("tables", "empty_predictions", "repeated_sentences", "not_run")} == {
        "tables": 2,
        "empty_predictions": 1,
        "repeated_sentences": 1,
        "not_run": ["SP-Acc", "NLI-Acc"],
    }


def test_judges_see_what_was_written_and_the_rest_counts_as_wrong() -> None:
    seen: list[str] = []

    def judge(examples: Sequence[Example], sentences: Sequence[str]) -> Verdicts:
        seen.extend(f"{one.id}: {sentence}" for one, sentence in zip(examples, sentences, strict=True))
        return Verdicts([1.0] * len(sentences), {"without_program": 0})

    golds = [example(["ann won"], "t", number) for number in range(4)]
    scores = score_sentences(golds, ["ann won", "", "ann lost", "x"], {"SP-Acc": judge})
    assert seen == ["t#0: ann won", "t#2: ann lost", "t#3: x"]
    assert scores.metrics["SP-Acc"].value == 3 / 4
    assert [row["SP-Acc"] for row in scores.rows] == [1, 0, 1, 1]
    assert scores.notes["SP-Acc"] == {"without_program": 0}
    assert scores.notes["not_run"] == ["NLI-Acc"]


# --- files -------------------------------------------------------------------------------------------------------


def write(root: Path, text: str) -> Path:
    for name, content in (("data/val_lm.json", text), ("all_csv/a.html.csv", "name#goals#club\r\nann#9#reds")):
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_bytes(content.encode())
    return root / "data" / "val_lm.json"


def test_examples_have_the_title_and_the_linked_columns(tmp_path: Path) -> None:
    write(tmp_path, '{"a.html.csv": [["ann  be red", [2, 0], "players (2005)", "x"], ["9 goals", [], "players", "x"]]}')
    first, second = load_logicnlg(str(tmp_path), "dev")
    assert (first.id, first.source) == ("a.html.csv#0", "players (2005) [HEAD] club | name [ROW] reds | ann")
    assert (first.target, json.loads(first.references["sentences"])) == ("ann be red", ["ann be red", "9 goals"])
    assert second.source == "players [HEAD] name | goals | club [ROW] ann | 9 | reds"  # no column is linked: all
    assert get_task("logicnlg", libraries=("reastap_lib",)) is LOGICNLG


def test_the_starter_set() -> None:
    train, dev = load_logicnlg("starter", "train"), load_logicnlg("starter", "dev")
    assert (len(train), len(dev)) == (48, 24)
    assert not {e.references["table"] for e in train} & {e.references["table"] for e in dev}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[]", "val_lm.json: needs one object, with a list of sentences a table"),
        ('{"a": 3}', "needs a list of sentences: 'a'"),
        ('{"a": [["x", [0]]]}', "a: needs sentence, columns and title"),
        ('{"a": [["x", [-1], "t"]]}', "a: needs sentence, columns and title"),
        ('{"a": [[3, [0], "t"]]}', "a: needs sentence, columns and title"),
        ("{}", "no sentences"),
        ('{"a": [], "a": []}', "the name 'a' comes twice"),
    ],
)
def test_faults_are_named(tmp_path: Path, text: str, message: str) -> None:
    path = write(tmp_path, text)
    with pytest.raises(InputError, match=message):
        read_sentences(path)


def test_other_faults(tmp_path: Path) -> None:
    write(tmp_path, '{"a.html.csv": [["x", [3], "t"]]}')
    with pytest.raises(InputError, match=r"a.html.csv#0 is linked to a column that is not there: \[3\]"):
        load_logicnlg(str(tmp_path), "dev")
    write(tmp_path, '{"b.html.csv": [["x", [0], "t"]]}')
    with pytest.raises(InputError, match=r"b.html.csv: cannot be read"):
        load_logicnlg(str(tmp_path), "dev")
    with pytest.raises(InputError, match=r"no sentences for the split 'test': looked for test_lm.json"):
        sentence_file(str(tmp_path), "test")
