"""Which library may import which, and what none of them may do."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[2]
LIBRARIES = ("workbench_lib", "eg3p_lib", "reastap_lib")
FORBIDDEN_IMPORTS = {
    "workbench_lib": {"eg3p_lib", "reastap_lib"},
    "eg3p_lib": {"reastap_lib"},
    "reastap_lib": {"eg3p_lib"},
}
UNSAFE_IMPORTS = {"pickle", "cPickle", "dill", "joblib", "shelve", "marshal", "random"}
UNSAFE_CALLS = {"eval", "exec", "compile", "__import__"}
UNSAFE_ATTRIBUTES = {"yaml.load", "yaml.unsafe_load", "yaml.full_load", "torch.load", "os.system", "pd.read_pickle"}
PURE_RANDOM = {"Generator", "Philox", "PCG64", "SeedSequence", "BitGenerator", "default_rng"}


def modules(library: str) -> list[Path]:
    return sorted((PROJECT / library).rglob("*.py"))


MODULES = [path for library in LIBRARIES for path in modules(library)]


def imported(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""


def dotted(node: ast.AST) -> str:
    if isinstance(node, ast.Attribute):
        return f"{dotted(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""


def faults(tree: ast.AST, library: str) -> list[str]:
    found = [name for name in imported(tree) if name.split(".")[0] in FORBIDDEN_IMPORTS[library] | UNSAFE_IMPORTS]
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in UNSAFE_CALLS:
            found.append(f"{node.func.id}()")
        if isinstance(node, ast.Attribute):
            name = dotted(node)
            parts = name.split(".")
            is_global = len(parts) == 3 and parts[:2] in (["np", "random"], ["numpy", "random"])
            if name in UNSAFE_ATTRIBUTES or (is_global and parts[2] not in PURE_RANDOM):
                found.append(name)
    return found


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PROJECT)))
def test_a_module_keeps_to_its_side_and_does_nothing_unsafe(path: Path) -> None:
    library = path.relative_to(PROJECT).parts[0]
    assert faults(ast.parse(path.read_text(encoding="utf-8")), library) == []


def test_every_library_is_looked_at() -> None:
    assert all(len(modules(library)) > 3 for library in LIBRARIES)


@pytest.mark.parametrize(
    "text",
    [
        "import eg3p_lib",
        "from reastap_lib.tables import Table",
        "def f():\n    from eg3p_lib import graphs",
        "import pickle",
        "from random import shuffle",
        "eval('1')",
        "x = exec",
        "import yaml\nyaml.load('a')",
        "torch.load(p, weights_only=True)",
        "np.random.seed(1)",
        "numpy.random.shuffle(x)",
    ],
)
def test_the_check_itself_finds_faults(text: str) -> None:
    found = faults(ast.parse(text), "workbench_lib")
    assert len(found) == (0 if text == "x = exec" else 1)


def test_the_check_itself_lets_sound_code_pass() -> None:
    text = "import numpy as np\nmodel.eval()\nnp.random.default_rng([1, 2])\nyaml.safe_load(t)\nimport workbench_lib.x"
    assert faults(ast.parse(text), "workbench_lib") == []
