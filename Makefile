# `make` lists the targets. Everything installs into .venv beside this file; nothing else on the machine is touched.

PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11 python3.14 python; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
BIN := .venv/bin
export PIP_DISABLE_PIP_VERSION_CHECK = 1

.DEFAULT_GOAL := help
.PHONY: help lab test drills notebooks bench lint clean

help:  ## list the targets
	@grep -E '^[a-z]+:.*## ' Makefile | sed -E 's/:.*## /\t/' | expand -t 12

lab: .venv/ready  ## open the lab in your browser
	@$(BIN)/python tools/lab.py

test: .venv/ready  ## run every test and every notebook
	$(BIN)/python -m ruff check .
	$(BIN)/python -m pytest -q

drills: .venv/ready  ## the slow and rough checks; DRILLS=full tries ten times as often
	$(BIN)/python -m pytest -o addopts="-p no:cacheprovider" tests/drills

notebooks: .venv/ready  ## run the notebooks again and rewrite outputs whose facts changed
	$(BIN)/python tools/notebooks.py

bench: .venv/ready  ## measure the lab itself: link, timing, model, start, staircase
	$(BIN)/python tools/bench.py

lint: .venv/ready
	$(BIN)/python -m ruff check .

clean:  ## remove .venv; your own copies of the chapters in work/ stay
	rm -rf .venv

.venv/ready: requirements.txt pyproject.toml
	@"$(or $(PYTHON),false)" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
		echo "The lab needs Python 3.11 or newer. Install one, or say where it is: make PYTHON=/path/to/python3.12 lab"; exit 1; }
	@if command -v uv >/dev/null 2>&1; then \
		uv venv --quiet --allow-existing --python "$(PYTHON)" .venv && uv pip install --quiet --python $(BIN)/python -r requirements.txt; \
	else \
		"$(PYTHON)" -m venv .venv && $(BIN)/python -m pip install --quiet -r requirements.txt; \
	fi
	@touch $@
