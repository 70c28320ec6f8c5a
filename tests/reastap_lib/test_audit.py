from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from reastap_lib.audit import audit, share_table, stats
from reastap_lib.synthesis import SCHEMA
from workbench_lib.corpus import Block, Corpus, build_corpus
from workbench_lib.errors import WorkbenchError

SOURCE = "Which {} [HEAD] Name | Goals | Club [ROW] Ann | 9 | Reds [ROW] Bob | 12 | reds [ROW] Cyd | 12 | Blues"
GOOD: dict[str, Any] = {
    "example": 0,
    "skill": "counting",
    "table": "t",
    "title": "",
    "question": "Which ?",
    "answers": ["2"],
    "sql": "SELECT COUNT(*) FROM w WHERE c2_number > 9",
    "evidence": [1, 1, 2, 1],
    "split": "train",
    "source": SOURCE.format("?"),
    "target": "2",
}
SECOND = (
    "SELECT c1 FROM w WHERE c2_number IS NOT NULL AND c2_number = (SELECT DISTINCT c2_number FROM w "
    "WHERE c2_number IS NOT NULL ORDER BY c2_number DESC LIMIT 1 OFFSET 1) ORDER BY id"
)


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
    assert report["faults"] == 0
    assert report["skills"] == {"counting": {"n": 1, "wrong": 0, "ambiguous": 0, "malformed": 0, "leaked": 0}}


@pytest.mark.parametrize(
    ("changes", "kind", "what"),
    [
        ({"answers": ["3"], "target": "3"}, "wrong", "SQL says"),
        ({"target": "3"}, "malformed", "the target is '3'"),
        ({"question": "Other?"}, "malformed", "the source asks"),
        ({"source": "no table"}, "malformed", "no "),
        ({"source": SOURCE.format("is 11st?"), "question": "Which is 11st?"}, "malformed", "'11st' is no ordinal"),
        ({"evidence": [7, 0]}, "malformed", "evidence outside"),
        ({"sql": "SELECT c9 FROM w"}, "malformed", "no such column"),
        ({"sql": SECOND, "answers": ["Ann"], "target": "Ann"}, "ambiguous", "a tie decides"),
        ({"sql": "SELECT COUNT(*) FROM w WHERE c3 = 'Reds'", "answers": ["1"], "target": "1"}, "ambiguous", "in case"),
        ({"source": GOOD["source"] + " [ROW] Total | 33 | x", "answers": ["3"], "target": "3"}, "ambiguous", "total"),
    ],
)
def test_faults_are_found(tmp_path: Path, changes: dict[str, Any], kind: str, what: str) -> None:
    report = audit(corpus(tmp_path, {**GOOD, **changes}))
    assert report["skills"]["counting"][kind] == report["faults"] == 1
    assert what in report["first"][0]


def test_a_table_in_both_splits_is_leaked(tmp_path: Path) -> None:
    report = audit(corpus(tmp_path, GOOD, {**GOOD, "example": 1, "split": "validation"}))
    assert report["skills"]["counting"]["leaked"] == 1


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
