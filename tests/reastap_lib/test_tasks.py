from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from reastap_lib.serialisation import count_words, parse
from reastap_lib.tasks import MAX_SOURCE_WORDS, WIKITQ, gold_examples, load_wikitq, score_wikitq
from reastap_lib.wikitq import STARTER_FOLDER, WikiQuestion
from workbench_lib.errors import InputError
from workbench_lib.tasks import get_task


def test_the_task_is_registered() -> None:
    assert get_task("wikitq", libraries=("reastap_lib",)) is WIKITQ
    assert list(WIKITQ.higher_is_better) == ["denotation_official", "denotation_string"]


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
    assert [metric.value for metric in empty.metrics.values()] == [0, 0]
    assert empty.notes["empty_predictions"] == len(examples)


def test_scores_are_means_of_the_verdicts() -> None:
    golds = [("4 events", "4.0"), ("December 27, 2008", "2008-12-27"), ("Ann", "Ann"), ("Bob", "Bob")]
    questions = [WikiQuestion(str(i), "q", "c", (gold,), (canon,)) for i, (gold, canon) in enumerate(golds)]
    scores = score_wikitq(gold_examples(questions), ["4", "december 27, 2008", "ann", "Eve"])
    assert scores.metrics["denotation_official"].value == 2 / 4  # the first and the third
    assert scores.metrics["denotation_string"].value == 2 / 4  # the second and the third
    assert scores.notes == {"official_only": 1, "string_only": 1, "empty_predictions": 0}


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
