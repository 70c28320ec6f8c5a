"""Every example in a docstring runs."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import eg3p_lib

MODULES = sorted(module.name for module in pkgutil.iter_modules(eg3p_lib.__path__) if module.name != "__main__")


@pytest.mark.parametrize("name", MODULES)
def test_examples_run(name: str) -> None:
    failed, _ = doctest.testmod(importlib.import_module(f"eg3p_lib.{name}"))
    assert failed == 0
