from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from reastap_lib.audit import audit, report_text, share_table, stats
from reastap_lib.synthesis import SCHEMA
from workbench_lib.corpus import Block, Corpus, build_corpus
from workbench_lib.errors import WorkbenchError

TABLE = " [HEAD] Name | Goals | Club | Born [ROW] Ann | 9 | Reds | 1980 [ROW] Bob | 12 | reds | 1981"
TABLE += " [ROW] Cyd | 12 | Blues | 1982"


def asking(question: str, target: str, **more: Any) -> dict[str, Any]:
    """The columns of a row that depend on question and answer."""
    return {"question": question, "source": question + TABLE, "target": target, "answers": [target], **more}


COUNT = "How many Names had Goals above 9?"
GOOD: dict[str, Any] = {
    "example": 0,
    "skill": "counting",
    "table": "t",
    "title": "",
    "sql": "SELECT COUNT(*) FROM w WHERE c2_number > 9",
    "evidence": [1, 1, 2, 1],
    "split": "train",
    **asking(COUNT, "2"),
}


class Rows:
    """A generator that writes given rows."""

    def __init__(self, rows: list[dict[str, Any]], schema: pa.Schema = SCHEMA):
        self.rows, self.schema = rows, schema

    def settings(self) -> dict[str, Any]:
        return {}

    def open(self) -> Any:
        return lambda start, stop: Block(pa.Table.from_pylist(self.rows[start:stop], schema=self.schema), _NOTHING)


_NOTHING: Any = {}


def corpus(tmp_path: Path, *rows: dict[str, Any]) -> Corpus:
    return build_corpus(tmp_path / "corpus", Rows(list(rows)), len(rows))


def test_a_good_row_has_no_fault(tmp_path: Path) -> None:
    report = audit(corpus(tmp_path, GOOD))
    assert (report["faults"], report["unchecked"], report["first"]) == (0, 0, [])
    kinds = dict.fromkeys(("wrong", "ambiguous", "malformed", "leaked", "truncated", "unchecked"), 0)
    assert report["skills"] == {"counting": {"n": 1, **kinds}}


BEST = "SELECT c1 FROM w WHERE c2_number = 12 ORDER BY id"
REDS = "SELECT COUNT(*) FROM w WHERE c3 = 'Reds'"
LEAST = "Which Name had the lowest Goals where the Born year was after 1980?"


@pytest.mark.parametrize(
    ("changes", "kind", "what"),
    [
        (
            {"answers": ["3"], "target": "3"},
            "wrong",
            "SQL says ['2']: SELECT COUNT(*) FROM w WHERE c2_number > 9; a reader",
        ),
        ({"sql": "SELECT 3"}, "wrong", "SQL says ['3']"),
        (asking("How many Names had Goals below 12?", "2"), "wrong", "a reader finds '1'"),
        ({"target": "3"}, "malformed", "the target is '3'"),
        ({"question": "How many Names had Goals at least 12?"}, "malformed", "the source asks"),
        ({"source": "no table"}, "malformed", "no [HEAD]"),
        (asking(COUNT.replace("had", " had"), "2"), "malformed", "two spaces"),
        ({"sql": "SELECT c9 FROM w"}, "malformed", "no such column"),
        ({"evidence": [7, 0]}, "truncated", "evidence outside"),
        (asking(LEAST, "Dee", sql="SELECT 'Dee'"), "truncated", "no such cell is in the table"),
        (asking("Which Name had the 2nd highest Goals?", "Bob", sql=BEST + " LIMIT 1"), "ambiguous", "a tie"),
        (asking("How many Names had Goals above the 9?", "2"), "unchecked", "no such question"),
        (asking("For how many Names was the Club Reds?", "1", sql=REDS), "ambiguous", "only in case"),
        ({"source": GOOD["source"] + " [ROW] Total | 3 | x | 1990"}, "ambiguous", "a total row"),
        ({"source": GOOD["source"] + " [ROW] Name | 3 | Club | Born"}, "ambiguous", "the header is in the table again"),
    ],
)
def test_faults_are_found(tmp_path: Path, changes: dict[str, Any], kind: str, what: str) -> None:
    report = audit(corpus(tmp_path, {**GOOD, **changes}))
    assert report["skills"]["counting"][kind] == 1
    assert any(found["kind"] == kind and what in found["reason"] for found in report["first"])


def test_an_answer_in_the_question_is_leaked(tmp_path: Path) -> None:
    question = "What was the Name when the Born year was after 1980 and the Club was Blues FC Cyd?"
    row = {**GOOD, **asking(question, "Cyd", sql="SELECT 'Cyd'")}
    row["source"] = row["source"].replace("| Blues", "| Blues FC Cyd")
    report = audit(corpus(tmp_path, row))
    assert [(found["kind"], found["reason"]) for found in report["first"]] == [
        ("leaked", "the answer stands in the question")
    ]


def test_the_report_shows_the_table_and_the_reason(tmp_path: Path) -> None:
    text = report_text(audit(corpus(tmp_path, {**GOOD, "answers": ["3"], "target": "3", "sql": "SELECT 3"})))
    assert "wrong: example 0 (counting): a reader finds '2'" in text
    assert "    Bob | 12 | reds | 1981" in text


def test_parts_are_the_same_from_any_number_of_workers(tmp_path: Path) -> None:
    rows = [{**GOOD, "example": i, **(asking(COUNT, "3", sql="SELECT 3") if i % 3 else {})} for i in range(12)]
    found = build_corpus(tmp_path / "corpus", Rows(rows), len(rows), units_a_shard=4)
    assert audit(found, workers=2) == audit(found)
    assert audit(found)["skills"]["counting"]["wrong"] == 8
    assert [shown["example"] for shown in audit(found)["first"]] == [1, 2, 4]


def test_a_table_in_both_splits_is_leaked(tmp_path: Path) -> None:
    report = audit(corpus(tmp_path, GOOD, {**GOOD, "example": 1, "split": "validation"}))
    assert report["skills"]["counting"]["leaked"] == 1
    assert "of example 0, which is of the other split" in report["first"][0]["reason"]


def test_stats(tmp_path: Path) -> None:
    yes = {**GOOD, "skill": "quantifiers", "answers": ["Yes"], "target": "Yes"}
    found = stats(corpus(tmp_path, GOOD, yes, {**yes, "target": "No", "table": "u"}, GOOD))
    assert (found["rows"], found["tables"], found["splits"], found["yes_share"]) == (4, 2, {"train": 4}, 0.5)
    assert found["skills"]["counting"] == {"n": 2, "share": 0.5, "paper": 0.18}


def test_a_corpus_of_another_kind_is_an_error(tmp_path: Path) -> None:
    schema = pa.schema([("source", pa.string())])
    other = build_corpus(tmp_path / "other", Rows([{"source": "x"}], schema), 1)
    with pytest.raises(WorkbenchError, match="not a table corpus"):
        stats(other)


def test_share_table_stands_in_the_order_of_table_1() -> None:
    summary = {
        "skills": {
            "counting": {"n": 3, "share": 0.75, "paper": 0.18},
            "conjunction": {"n": 1, "share": 0.25, "paper": 0.216},
        }
    }
    table = share_table(summary)
    assert table["skill"].tolist() == ["conjunction", "counting"]
    assert table["this corpus"].tolist() == [0.25, 0.75]
    assert table["paper"].tolist() == [0.216, 0.18]
