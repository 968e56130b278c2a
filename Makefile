# Needs Python 3.11 to 3.13 and make; everything else goes into .venv. Also for GNU make 3.81, which macOS ships.

SOURCE  ?= synthetic
PROFILE ?= smoke
SEED    ?= 0
OUT     ?= data/releases
# Empty: the first version that is not taken.
VERSION ?=

VENV  := .venv
BIN   := $(VENV)/bin
READY := $(VENV)/.ready
CODE  := schemas noise_ops robustgym assets pipelines benchmarks tests
COG   := $(shell grep -ls '\[\[\[cog' README.md CONTRIBUTING.md docs/*.md docs/templates/*.md 2>/dev/null)

.PHONY: help setup release test sweep lint check dev bench docs format lock

help:
	@echo "make release   make a release of the synthetic hospital (SOURCE, PROFILE, SEED, VERSION, OUT to change that)"
	@echo "make test      run the tests"
	@echo "make check     run everything that a change must pass: lint, types, import contracts, docs, tests"
	@echo "make dev       open Dagster"
	@echo "make bench     measure, and print the figures beside their bars"
	@echo "make docs      write the generated parts of the documentation again"
	@echo "make format    format the code"
	@echo "make lock      resolve the dependencies again"
	@echo "make setup     install everything into .venv (the others do it when needed)"

setup: $(READY)

$(READY): requirements.lock pyproject.toml
	@set -e; \
	suits='import sys; sys.exit(not (3, 11) <= sys.version_info[:2] < (3, 14))'; \
	if ! $(BIN)/python -c "$$suits" 2>/dev/null; then \
	  python=""; \
	  for candidate in $(PYTHON) python3.13 python3.12 python3.11 python3 python; do \
	    if "$$candidate" -c "$$suits" 2>/dev/null; then python="$$candidate"; break; fi; \
	  done; \
	  if [ -z "$$python" ]; then \
	    echo "No Python 3.11, 3.12 or 3.13 found. Install one, or name it: make $(or $(MAKECMDGOALS),setup) PYTHON=/path/to/python3.12" >&2; \
	    exit 2; \
	  fi; \
	  echo "Making $(VENV) with $$("$$python" --version)"; \
	  if ! "$$python" -m venv --clear $(VENV); then \
	    echo "This Python cannot make virtual environments. On Debian or Ubuntu: apt install python3-venv" >&2; \
	    exit 2; \
	  fi; \
	fi
	$(BIN)/python -m pip install --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --disable-pip-version-check --quiet --no-deps --no-build-isolation --editable .
	@touch $(READY)

release: $(READY)
	$(BIN)/robustgym build --source "$(SOURCE)" --profile "$(PROFILE)" --seed "$(SEED)" --out "$(OUT)" $(if $(VERSION),--version "$(VERSION)")

# Each file of tests goes to one of two processes, with what it has built.
test: $(READY)
	$(BIN)/python -m pytest -n 2 --dist loadfile

sweep: $(READY)
	SWEEP=whole $(BIN)/python -m pytest tests/test_components.py tests/test_questions.py tests/test_questions_demo.py \
	  tests/test_recompute.py tests/test_wording.py

lint: $(READY)
	$(BIN)/ruff check $(CODE)
	$(BIN)/ruff format --check $(CODE)
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(if $(COG),$(BIN)/cog --check --diff -r $(COG))

check: lint test

dev: $(READY)
	$(BIN)/dagster dev

bench: $(READY)
	$(BIN)/python -m benchmarks

docs: $(READY)
	$(if $(COG),$(BIN)/cog -r $(COG))

format: $(READY)
	$(BIN)/ruff check --fix $(CODE)
	$(BIN)/ruff format $(CODE)

# uv resolves for every platform and every Python at once; pip alone cannot. It is needed here and nowhere else.
lock: $(READY)
	$(BIN)/python -m pip install --disable-pip-version-check --quiet uv
	$(BIN)/uv pip compile --universal --generate-hashes --no-annotate --no-header --no-strip-extras --all-extras \
	  --group build --python-version 3.11 --output-file requirements.lock pyproject.toml
