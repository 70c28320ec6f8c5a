"""What every notebook must be: stripped, one parameter cell that agrees with its model and preset, plain code."""

from __future__ import annotations

import ast
import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from workbench_lib.params import NOTEBOOKS_DIR, PARAMS_DIR, load_yaml, model_of

NOTEBOOKS = sorted(NOTEBOOKS_DIR.glob("*.ipynb"))
PRESETS = [path for notebook in NOTEBOOKS for path in sorted((PARAMS_DIR / notebook.stem).glob("*.yaml"))]
MOST_LINES = 15
MOST_LINES_OF_A_FUNCTION = 5
ABSOLUTE = re.compile(r"^(/\w|[A-Za-z]:[\\/]|~/)")

each_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


@cache
def read(path: Path) -> dict[str, Any]:
    notebook: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return notebook


def source(cell: dict[str, Any]) -> str:
    return "".join(cell["source"])


def code_cells(path: Path) -> list[dict[str, Any]]:
    return [cell for cell in read(path)["cells"] if cell["cell_type"] == "code"]


def is_parameters(cell: dict[str, Any]) -> bool:
    return "parameters" in cell["metadata"].get("tags", [])


def trees(path: Path) -> list[ast.Module]:
    return [ast.parse(source(cell)) for cell in code_cells(path)]


def nodes(path: Path) -> list[ast.AST]:
    return [node for tree in trees(path) for node in ast.walk(tree)]


def test_there_are_notebooks_to_look_at() -> None:
    assert {"03_pretraining", "04_finetuning", "05_analysis"} <= {path.stem for path in NOTEBOOKS}


@each_notebook
def test_it_is_stripped(path: Path) -> None:
    notebook = read(path)
    assert not {"papermill", "widgets", "signature"} & notebook["metadata"].keys()
    for cell in notebook["cells"]:
        assert not {"papermill", "execution", "trusted", "ExecuteTime"} & cell["metadata"].keys()
    for cell in code_cells(path):
        assert cell["outputs"] == [], "strip it: .venv/bin/nbstripout notebooks/*.ipynb"
        assert cell["execution_count"] is None


@each_notebook
def test_it_opens_with_a_title(path: Path) -> None:
    first = read(path)["cells"][0]
    assert first["cell_type"] == "markdown"
    number = path.stem.split("_")[0].lstrip("0")
    assert re.match(rf"# {number} · \S", source(first))


@each_notebook
def test_its_parameter_cell_is_its_tiny_preset_in_names_order_and_values(path: Path) -> None:
    (cell,) = [cell for cell in code_cells(path) if is_parameters(cell)]
    values = {}
    for node in ast.parse(source(cell)).body:
        assert isinstance(node, ast.Assign), ast.unparse(node)
        (target,) = node.targets
        assert isinstance(target, ast.Name)
        assert target.id not in values
        values[target.id] = ast.literal_eval(node.value)
    preset = load_yaml(PARAMS_DIR / path.stem / "tiny.yaml")
    assert [(name, value, type(value)) for name, value in values.items()] == [
        (name, value, type(value)) for name, value in preset.items()
    ]


@each_notebook
def test_its_parameters_are_all_fields_of_its_model(path: Path) -> None:
    assert load_yaml(PARAMS_DIR / path.stem / "tiny.yaml").keys() == model_of(path).model_fields.keys()


@pytest.mark.parametrize("path", PRESETS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_every_preset_is_complete_and_valid(path: Path) -> None:
    model = model_of(NOTEBOOKS_DIR / f"{path.parent.name}.ipynb")
    values = load_yaml(path)
    made = model.make(values, str(path))
    assert made.model_dump(mode="json") == values


@each_notebook
def test_nothing_happens_before_the_parameters_are_checked(path: Path) -> None:
    """Imports, parameters, then `from_notebook`."""
    first, second, third = code_cells(path)[:3]
    assert is_parameters(second)
    assert all(isinstance(node, ast.Import | ast.ImportFrom) for node in ast.parse(source(first)).body)
    model = model_of(path).__name__
    assert ast.unparse(ast.parse(source(third)).body[0]) == f"params = {model}.from_notebook(globals())"


@each_notebook
def test_imports_stand_in_the_first_code_cell_alone(path: Path) -> None:
    for tree in trees(path)[1:]:
        assert not any(isinstance(node, ast.Import | ast.ImportFrom) for node in ast.walk(tree))


@each_notebook
def test_cells_are_short(path: Path) -> None:
    for cell in code_cells(path):
        assert is_parameters(cell) or len(source(cell).splitlines()) <= MOST_LINES, source(cell)


@each_notebook
def test_it_holds_no_classes_and_no_long_functions(path: Path) -> None:
    for node in nodes(path):
        assert not isinstance(node, ast.ClassDef)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            assert (node.end_lineno or 0) - node.lineno + 1 <= MOST_LINES_OF_A_FUNCTION, node.name


@each_notebook
def test_it_changes_no_path_and_installs_nothing(path: Path) -> None:
    for cell in code_cells(path):
        assert not re.search(r"sys\.path|\bpip\b|^\s*[%!]|os\.chdir|subprocess", source(cell), re.MULTILINE)


@each_notebook
def test_it_names_no_absolute_path(path: Path) -> None:
    for node in nodes(path):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            assert not ABSOLUTE.match(node.value), node.value


@each_notebook
def test_its_run_is_started_and_finished(path: Path) -> None:
    calls = [ast.unparse(node.func) for node in nodes(path) if isinstance(node, ast.Call)]
    assert calls.count("runs.start") == 1
    assert calls.count("run.finish") == 1


@each_notebook
def test_cell_ids_are_unique(path: Path) -> None:
    ids = [cell["id"] for cell in read(path)["cells"]]
    assert len(set(ids)) == len(ids)
