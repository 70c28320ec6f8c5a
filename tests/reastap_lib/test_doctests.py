from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import reastap_lib

MODULES = [
    module.name
    for module in pkgutil.walk_packages(reastap_lib.__path__, "reastap_lib.")
    if not module.name.endswith("__main__")
]


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_in_docstrings_run(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name)).failed == 0
