PYTHON ?= python3
PRESET ?= tiny
BIN := .venv/bin
# Kernels run in other folders, so relative paths are made absolute.
ifneq ($(WORKBENCH_DATA),)
override WORKBENCH_DATA := $(abspath $(WORKBENCH_DATA))
export WORKBENCH_DATA
endif
ifneq ($(WORKBENCH_HOME),)
override WORKBENCH_HOME := $(abspath $(WORKBENCH_HOME))
export WORKBENCH_HOME
endif

.PHONY: help demo test test-browser check lab clean
.DEFAULT_GOAL := help

help:  ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-13s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
	@echo "  variables: PRESET=tiny|small|paper, WORKBENCH_DATA=<folder of real data>, WORKBENCH_HOME=<where runs/ go>"

demo: .venv/user  ## run the five notebooks in order and say where the results are
	$(BIN)/python -m workbench_lib run demo --preset $(PRESET)

test: .venv/dev  ## run the test suite (with WORKBENCH_DATA, on real data too)
	$(BIN)/python -m pytest

test-browser: .venv/dev  ## open the notebooks in JupyterLab and a browser (needs chromium)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check 'playwright>=1.50,<2'
	$(BIN)/python -m pytest tests/browser

check: .venv/dev  ## ruff, mypy, and notebooks without outputs
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/nbstripout --verify notebooks/*.ipynb

lab: .venv/user  ## open JupyterLab on the notebooks, and on the executed ones in runs/
	$(BIN)/jupyter lab --ServerApp.root_dir=. --LabApp.default_url=/lab/tree/notebooks

clean:  ## remove the virtual environment (runs stay)
	rm -rf .venv

.venv/user: requirements.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit("Python 3.11 or later is needed, this is " + sys.version.split()[0] if sys.version_info < (3, 11) else 0)'
	@$(BIN)/python -m pip --version >/dev/null 2>&1 || $(PYTHON) -m venv --clear .venv || \
		{ rm -rf .venv; echo "no virtual environment could be made; on Debian: apt install python3-venv"; exit 1; }
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --editable .
	@touch $@

.venv/dev: .venv/user requirements-dev.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-dev.txt
	@touch $@
