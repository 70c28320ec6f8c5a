from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from reastap_lib import golds
from reastap_lib.denotation_metrics import differences, score_wikitq
from reastap_lib.fitting import MAX_SOURCE_WORDS, fit
from reastap_lib.serialisation import count_words, parse
from reastap_lib.tasks import WIKITQ, load_wikitq
from reastap_lib.wikitq import STARTER_FOLDER, WikiQuestion
from workbench_lib.errors import InputError
from workbench_lib.tasks import get_task


def test_the_task_is_registered() -> None:
    assert get_task("wikitq", libraries=("reastap_lib",)) is WIKITQ
    assert list(WIKITQ.higher_is_better) == ["denotation_official", "denotation_string", "denotation_official_whole"]


def test_examples_of_the_starter_set() -> None:
    examples = load_wikitq("starter", "dev")
    assert len(examples) >= 24
    for example in examples:
        question, _, rows = parse(example.source)
        assert question == example.references["question"]
        assert len(rows) >= 8
        assert example.target == ", ".join(json.loads(example.references["answers"]))
        assert example.references["rows_cut"] == "0"


def test_the_gold_scores_one_and_nothing_scores_zero() -> None:
    examples = load_wikitq("starter", "dev")
    perfect = score_wikitq(examples, [example.target for example in examples])
    assert perfect.metrics["denotation_string"].value == 1
    empty = score_wikitq(examples, [""] * len(examples))
    assert [metric.value for metric in empty.metrics.values()] == [0, 0, 0]
    assert empty.notes["empty_predictions"] == len(examples)


def test_scores_are_means_of_the_verdicts() -> None:
    answers = [("4 events", "4.0"), ("December 27, 2008", "2008-12-27"), ("Ann", "Ann"), ("Bob", "Bob")]
    questions = [WikiQuestion(str(i), "q", "c", (gold,), (canon,)) for i, (gold, canon) in enumerate(answers)]
    examples = [golds.of_question(question) for question in questions]
    scores = score_wikitq(examples, ["4", "december 27, 2008", "ann", "Eve"])
    assert scores.metrics["denotation_official"].value == 2 / 4  # the first and the third
    assert scores.metrics["denotation_string"].value == 2 / 4  # the second and the third
    assert scores.metrics["denotation_official_whole"].value == 3 / 4  # all but the last
    assert scores.notes == {"empty_predictions": 0, "official_only": 1, "string_only": 1, "not_run": []}
    table = differences(scores.rows)
    assert table["id"].tolist() == ["0", "1"]
    assert table["denotation_official"].tolist() == [True, False]


def test_answers_of_unknown_items_have_no_official_verdict() -> None:
    scores = score_wikitq(golds.of_published({"a": "x, y", "b": "z"}, ()), ["y, x", "x"])
    assert {name: metric.value for name, metric in scores.metrics.items()} == {"denotation_string": 1 / 2}
    assert scores.notes["not_run"] == ["denotation_official", "denotation_official_whole"]
    assert len(differences(scores.rows)) == 0


@pytest.mark.parametrize(
    ("words", "rows", "kept"),
    [(1, 30_000, (MAX_SOURCE_WORDS - 1 - 1 - 19) // 20), (3000, 3, 0)],
)
def test_Z05_whatever_is_too_long_keeps_its_header(words: int, rows: int, kept: int) -> None:
    # q [HEAD] c | c | ... | c: 1 + 1 + 19 words; [ROW] x | x | ... | x: 20 words a row
    fitted = fit(" ".join(["q"] * words), ["c"] * 10, [["x"] * 10] * rows)
    _, header, shown = parse(fitted.source)
    assert (len(header), len(shown), fitted.rows_cut) == (10, kept, rows - kept)


def test_long_tables_lose_whole_rows_without_a_look_at_the_answer(tmp_path: Path) -> None:
    root = copy_of_starter(tmp_path)
    table = '"Name","Score"\n' + "".join(f'"player {i}","{i}"\n' for i in range(200))
    (root / "csv" / "1-csv" / "99.csv").write_text(table, encoding="utf-8")
    header = "id\tutterance\tcontext\ttargetValue\n"
    for answer in ("player 0", "player 199"):
        text = f"{header}x-1\twho?\tcsv/1-csv/99.csv\t{answer}\n"
        (root / "data" / "dev.tsv").write_text(text, encoding="utf-8")
        example = load_wikitq(str(root), "dev")[0]
        kept = parse(example.source)[2]
        # who? [HEAD] Name | Score: 5 words; [ROW] player i | i: 5 words a row
        assert len(kept) == (MAX_SOURCE_WORDS - 5) // 5
        assert kept[0] == ("player 0", "0")
        assert count_words(example.source) <= MAX_SOURCE_WORDS
        assert example.references["rows_cut"] == str(200 - len(kept))


def test_a_table_in_both_splits_is_refused(tmp_path: Path) -> None:
    root = copy_of_starter(tmp_path)
    lines = (root / "data" / "training.tsv").read_text(encoding="utf-8").splitlines(keepends=True)
    (root / "data" / "dev.tsv").write_text("".join(lines[:2]), encoding="utf-8")
    with pytest.raises(InputError, match="a table of this split is in the training split too"):
        load_wikitq(str(root), "dev")


def copy_of_starter(tmp_path: Path) -> Path:
    return Path(shutil.copytree(STARTER_FOLDER, tmp_path / "copy"))
