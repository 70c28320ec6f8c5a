from __future__ import annotations

import json
import re
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from reastap_lib.denotation import official
from reastap_lib.pairs.categories import skill_of
from reastap_lib.pairs.parsing import SqlSyntaxError, parse_sql
from reastap_lib.squall import SquallTable, read_squall
from workbench_lib.errors import InputError

PARTS = [
    [{"col": "id", "type": "INTEGER", "data": [1, 2, 3]}],
    [{"col": "agg", "type": "INTEGER", "data": [0, 0, 1]}],
    [{"col": "c1", "type": "TEXT", "data": ["ann", "o'neill", "total"]}],
    [
        {"col": "c2", "type": "TEXT", "data": ["reds, blues", "reds", None]},
        {"col": "c2_list", "type": "LIST TEXT", "data": [["reds", "blues"], ["reds"], []]},
    ],
    [{"col": "c3", "type": "TEXT", "data": ["3", "4", "7"]}, {"col": "c3_number", "type": "REAL", "data": [3, 4, 7]}],
]


def write_table(path: Path, parts: object) -> Path:
    path.write_text(json.dumps({"contents": parts}), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("sql", "answers"),
    [
        ("select sum ( c3_number ) from w", ("7.0",)),
        ("select c1 from w where c2_list = 'reds'", ("ann", "o'neill")),
        ("select count ( * ) from w where c2_list = 'blues'", ("1",)),
        ("select ( select count ( * ) from w ) - ( select count ( * ) from w where c2_list = 'reds' )", ("0",)),
        ("select c3 from w where c1 = 'o''neill'", ("4",)),
    ],
)
def test_lists_and_total_rows(tmp_path: Path, sql: str, answers: tuple[str, ...]) -> None:
    assert SquallTable(write_table(tmp_path / "1.json", PARTS)).run(parse_sql(sql)) == answers


@pytest.mark.parametrize(
    "parts",
    [[[{"col": "x); drop", "type": "TEXT", "data": []}]], [[{"col": "c1", "type": "TEXT; --", "data": []}]], 3],
)
def test_what_is_no_table_is_refused(tmp_path: Path, parts: object) -> None:
    with pytest.raises(InputError, match=r"1\.json.*no table of SQUALL"):
        SquallTable(write_table(tmp_path / "1.json", parts))


def test_the_gold_file(tmp_path: Path) -> None:
    path = tmp_path / "gold.csv"
    path.write_text(
        "id,tbl,question,query,answer\n"
        "nt-1,200_1,who?,select c1 from w where c2 = 'workin\\' it',Ann|Bob\n"
        "nt-2,200_1,how many?,unk,3\n",
        encoding="utf-8",
    )
    first, second = read_squall(path)
    assert (first.sql, first.answers) == ("select c1 from w where c2 = 'workin'' it'", ("Ann", "Bob"))
    assert (second.id, second.sql) == ("nt-2", "")
    path.write_text("id,tbl,question,query\nnt-1,200_1,who?,unk\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"gold\.csv.*the header lacks 'answer'"):
        read_squall(path)


def canonical(answer: str) -> str:
    """What CoreNLP makes of 6,859 in the official files."""
    return answer.replace(",", "") if re.fullmatch(r"[0-9,.]+", answer) else answer


@pytest.mark.realdata
def test_the_gold_queries_of_squall(data_root: Path) -> None:
    questions = read_squall(data_root / "tapex" / "squall_gold_sql.csv")
    assert len(questions) == 503
    table = cache(lambda name: SquallTable(data_root / "tapex" / "squall_tables_json" / f"{name}.json"))
    counts: Counter[str] = Counter()
    skills: Counter[str] = Counter()
    for question in questions:
        if not question.sql:
            counts["no sql"] += 1
            continue
        try:
            statement = parse_sql(question.sql)
        except SqlSyntaxError:
            counts["not in the grammar"] += 1
            continue
        skills[skill_of(statement)] += 1
        if "c1_year from w group by" in question.sql:
            counts["a column that the table lacks"] += 1
            continue
        gold = question.answers
        equal = official(table(question.table).run(statement), gold, [canonical(answer) for answer in gold])
        counts["equal" if equal else "another answer"] += 1
    # two queries select several columns; of the 29 others, most gold answers are words (more, yes, 2 years) for numbers
    assert counts == {
        "no sql": 109,
        "not in the grammar": 2,
        "a column that the table lacks": 1,
        "equal": 362,
        "another answer": 29,
    }
    assert skills == {
        "counting": 113,
        "numerical_comparison": 108,
        "other": 102,
        "numerical_operation": 26,
        "temporal_comparison": 19,
        "conjunction": 18,
        "date_difference": 6,
    }
