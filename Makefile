# `make` lists what most people need; CONTRIBUTING.md has the rest. Everything installs into .venv beside this file; nothing
# else on the machine is touched. NO_UV=1 installs with pip where uv is there too; PYTHON=/path/to/python3.12 chooses the Python.

PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11 python3.14 python; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
BIN := .venv/bin
export PIP_DISABLE_PIP_VERSION_CHECK = 1
export PYTHONUTF8 = 1
# Each kernel is a Python of its own: what all of them import is compiled once, whatever the environment says.
export PYTHONDONTWRITEBYTECODE =

.DEFAULT_GOAL := help
.PHONY: help lab doctor board room book wheelhouse clean test drills nightly notebooks matrix pictures bench lint sizes \
	learner teacher dev everything python

help:
	@grep -E '^[a-z]+:.*## ' Makefile | sed -E 's/:.*## /\t/' | expand -t 12

# BOARD and NAME count when they are typed: some systems have a variable NAME of their own.
typed = $(if $(filter command,$(origin $(1))),$($(1)))
lab: export LAB_BOARD = $(call typed,BOARD)
lab: export LAB_BOARD_NAME = $(call typed,NAME)
lab: learner  ## open the lab in your browser; BOARD=http://… NAME=… joins a room's board
	@$(BIN)/python tools/lab.py

doctor:  ## look for what could go wrong on this machine, and say what to do
	@"$(or $(PYTHON),python3)" tools/doctor.py

room: teacher  ## a lab for each learner of a workshop, on this machine; OPEN=1 opens it to the network, PORT=… chooses the port
	@$(BIN)/python tools/room.py $(if $(OPEN),--open) $(if $(PORT),--port "$(PORT)")

board: learner  ## show what a room guesses, on the leader's screen; OPEN=1 for learners on their own laptops
	@$(BIN)/python -m room.board $(if $(OPEN),--open) $(if $(PORT),--port "$(PORT)")

book: python  ## build the reading edition, pages for a browser, from the committed outputs; with npm the page to try too
	@"$(PYTHON)" tools/install.py --into .venv/book requirements/book.txt
	@.venv/book/bin/python book/build.py

wheelhouse: python  ## gather all packages in wheelhouse/; make lab then installs without internet, make room if FOR=room
	@"$(PYTHON)" tools/install.py --gather requirements$(if $(FOR),/$(FOR)).txt

# Each part runs though one before it failed. Chapters come first, since some tests read what they reached. Two at once are two
# learners on one machine; tests wait for half of their time, so three share two CPUs. Nothing runs beside a test that measures.
junit = $(if $(JUNIT),--junitxml="$(JUNIT)/$(1).xml")
by_file = --dist loadfile --no-loadscope-reorder
pytest = $(BIN)/python -m pytest -q --timeout=600
# Without nbval, which takes each pytest two seconds to import.
of_roundtrips = $(BIN)/python -m pytest -q -c roundtrips/pyproject.toml -p no:nbval
test: lint  ## run every notebook and every test; JUNIT=folder keeps reports
	@failed=0; LAB_REACHED=$$(mktemp -d); export LAB_REACHED; \
	$(BIN)/python -m pytest -q -n 2 $(by_file) $(call junit,chapters) notebooks || failed=1; \
	$(pytest) -n 3 $(by_file) -m "not alone" $(call junit,test) tests || failed=1; \
	$(pytest) -m alone $(call junit,test_alone) tests || failed=1; \
	$(of_roundtrips) -n 3 --dist worksteal $(call junit,roundtrips) roundtrips/tests || failed=1; \
	rm -r "$$LAB_REACHED"; exit $$failed

# In full, everything is tried in turn. Cases that need a package of their own run here, since only here it is installed.
# tests/drills/conftest.py says which drills are slow and rarely find anything: those are for the night.
drill = $(pytest) -o addopts="-p no:cacheprovider -p no:asyncio"
all_drills = tests/drills roundtrips/tests/drills
side_by_side = $(if $(filter full,$(DRILLS)),,-n 2 $(by_file))
drills: everything  ## the slow and rough checks, of the lab and of roundtrips; DRILLS=full tries ten times as often
	@failed=0; \
	$(drill) -m "alone and not nightly" $(call junit,drills_alone) $(all_drills) || failed=1; \
	$(drill) $(side_by_side) -m "not alone and not nightly" $(call junit,drills) $(all_drills) || failed=1; \
	$(pytest) -n 2 $(by_file) -m package $(call junit,cases) notebooks/cases || failed=1; \
	exit $$failed

nightly: everything  # the drills that are too slow to wait for; DRILLS=full as above
	@failed=0; \
	$(drill) -m "alone and nightly" $(call junit,nightly_alone) $(all_drills) || failed=1; \
	$(drill) $(side_by_side) -m "not alone and nightly" $(call junit,nightly) $(all_drills) || failed=1; \
	exit $$failed

notebooks: dev  # run the notebooks again and rewrite outputs whose facts changed
	$(BIN)/python tools/notebooks.py
	$(BIN)/python tools/constants.py

matrix: dev  # try all claims on other servers and with redis-py's own parser, for chapter 14
	$(BIN)/python tools/matrix.py

pictures: everything  # draw the README's pictures again: the race and a budget
	$(BIN)/python tools/pictures.py

bench: dev  # measure the lab itself beside a peer: link, timing, trace
	$(BIN)/python -m bench

lint: dev  # code, notebooks and solutions by ruff, types of lab_utils and roundtrips, and the spelling
	$(BIN)/python -m ruff check .
	$(BIN)/python -m ruff format --check --quiet .
	$(BIN)/python -m codespell_lib
	$(BIN)/python -m mypy
	cd roundtrips && ../$(BIN)/python -m mypy

sizes:  # statements of Python by room, beside the budget that a test holds
	@python3 tools/sizes.py

clean:  ## remove .venv and the built pages; your own copies of the chapters in work/ stay
	rm -rf .venv book/_build

learner: python
	@"$(PYTHON)" tools/install.py requirements.txt

teacher: python
	@"$(PYTHON)" tools/install.py requirements/room.txt

dev: python
	@"$(PYTHON)" tools/install.py requirements/dev.txt

everything: python
	@"$(PYTHON)" tools/install.py requirements/drills.txt

python:
	@"$(or $(PYTHON),false)" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
		echo "The lab needs Python 3.11 or newer. Install one, or say where it is: make PYTHON=/path/to/python3.12 lab"; exit 1; }
