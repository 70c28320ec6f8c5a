from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from reastap_lib.params import TableSynthesisParams
from reastap_lib.skills import TABLE_1
from workbench_lib.params import ParameterError

VALUES: dict[str, Any] = {
    "tables": ["builtin"],
    "held_out": ["starter"],
    "examples": 20,
    "seed": 0,
    "skills": list(TABLE_1),
    "questions_a_table": 18,
    "min_rows": 8,
    "max_rows": 30,
    "min_columns": 3,
    "max_source_words": 350,
    "workers": 1,
}


def make(**changes: Any) -> TableSynthesisParams:
    return TableSynthesisParams.make({**VALUES, **changes})


def test_lists_of_yaml_become_tuples() -> None:
    assert make().tables == ("builtin",)
    assert make().skills == TABLE_1


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"examples": 0}, "'examples' is 0"),
        ({"examples": "10"}, "'examples' is '10'"),
        ({"examples": 10.0}, "'examples' is 10.0"),
        ({"seed": -1}, "'seed' is -1"),
        ({"tables": []}, "'tables' is "),
        ({"tables": "builtin"}, "'tables' is 'builtin'"),
        ({"skills": ["countin"]}, "'skills' is .*must be different names out of"),
        ({"skills": ["counting", "counting"]}, "'skills' is .*must be different names out of"),
        ({"skills": []}, "'skills' is .*must be different names out of"),
        ({"skills": {}}, "'skills' is .*must be different names out of"),
        ({"skills": {"countin": 0.5}}, "'skills' is .*must be different names out of"),
        ({"skills": "counting"}, "'skills' is 'counting': .*must be different names out of"),
        ({"skills": {"counting": 0}}, "'skills' is .*shares must be numbers above 0"),
        ({"skills": {"counting": "half"}}, "'skills' is .*shares must be numbers above 0"),
        ({"skills": {"counting": True}}, "'skills' is .*shares must be numbers above 0"),
        ({"questions_a_table": 0}, "'questions_a_table' is 0"),
        ({"min_rows": 31}, r"min_rows \(31\) must not be above max_rows \(30\)"),
        ({"max_source_words": 50}, "'max_source_words' is 50"),
        ({"example": 10}, "unknown parameter 'example' .did you mean 'examples'"),
    ],
)
def test_wrong_values_stop_with_the_name_and_the_value(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        make(**changes)


@pytest.mark.parametrize("name", sorted(VALUES))
def test_every_field_is_needed(name: str) -> None:
    with pytest.raises(ParameterError, match=f"'{name}' is missing"):
        TableSynthesisParams.make({key: value for key, value in VALUES.items() if key != name})


def test_the_id_follows_what_decides_the_corpus(tmp_path: Path) -> None:
    one = make().run_id()
    assert one.startswith("tables-20-")
    assert make(workers=2).run_id() == one
    assert make(seed=1).run_id() != one
    assert make(skills=["counting"]).run_id() != one
    assert make(questions_a_table=7).run_id() != one
    assert make(held_out=[]).run_id() != one
    source = tmp_path / "a.csv"
    source.write_text("a,b\n1,2\n")
    before = make(tables=[str(source)]).run_id()
    source.write_text("a,b\n1,3\n")
    assert make(tables=[str(source)]).run_id() != before


def test_skills_may_be_given_with_shares() -> None:
    assert make(skills={"counting": 3, "conjunction": 1}).generator().skills == (
        ("counting", 0.75),
        ("conjunction", 0.25),
    )
    paper = dict(make().generator().skills)
    assert (paper["conjunction"], paper["counting"]) == (pytest.approx(0.216), pytest.approx(0.18))
    some = dict(make(skills=["counting", "conjunction"]).generator().skills)
    assert some == {"counting": 0.18 / 0.396, "conjunction": 0.216 / 0.396}
