PYTHON ?= python3
PRESET ?= tiny
BIN := .venv/bin

.PHONY: help demo test check lab clean
.DEFAULT_GOAL := help

help:  ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
	@echo "  variables: PRESET=tiny|small|paper, WORKBENCH_DATA=<folder of real data>, WORKBENCH_HOME=<where runs/ go>"

demo: .venv/user  ## run the five notebooks in order and say where the results are
	$(BIN)/python -m workbench_lib run demo --preset $(PRESET)

test: .venv/dev  ## run the test suite (with WORKBENCH_DATA, on real data too)
	$(BIN)/python -m pytest

check: .venv/dev  ## ruff, mypy, and notebooks without outputs
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/nbstripout --verify notebooks/*.ipynb

lab: .venv/user  ## open JupyterLab on the notebooks
	$(BIN)/jupyter lab --notebook-dir=notebooks

clean:  ## remove the virtual environment and all runs
	rm -rf .venv runs

.venv/user: requirements.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit("Python 3.11 or later is needed, this is " + sys.version.split()[0] if sys.version_info < (3, 11) else 0)'
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --editable .
	@touch $@

.venv/dev: .venv/user requirements-dev.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-dev.txt
	@touch $@
