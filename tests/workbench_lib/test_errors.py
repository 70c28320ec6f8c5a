"""The text of an error a user meets: the file, the line and the value, in one line."""

from __future__ import annotations

import pytest

from workbench_lib.errors import InputError, WorkbenchError


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"path": "kb.tsv", "line": 7, "value": "isa\tdog"}, r"kb.tsv, line 7: needs 3: 'isa\tdog'"),
        ({"path": "kb.tsv"}, "kb.tsv: needs 3"),
        ({"value": 0}, "needs 3: 0"),
        ({"line": 7}, "needs 3"),
        ({}, "needs 3"),
    ],
)
def test_input_error_names_file_line_and_value(arguments: dict[str, object], text: str) -> None:
    assert str(InputError("needs 3", **arguments)) == text  # type: ignore[arg-type]


def test_a_long_value_is_cut_to_120_characters() -> None:
    text = str(InputError("too long", value="x" * 500))
    assert text == "too long: '" + "x" * 116 + "..."
    assert len(text) == len("too long: ") + 120


def test_a_value_with_line_ends_stays_on_one_line() -> None:
    assert "\n" not in str(InputError("bad", path="a.tsv", line=1, value="a\nb"))


def test_input_error_is_a_workbench_error() -> None:
    assert issubclass(InputError, WorkbenchError)
