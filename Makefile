# `make` lists the targets. Everything installs into .venv beside this file; nothing else on the machine is touched.
# UV= or NO_UV=1 installs with pip where uv is there too; PYTHON=/path/to/python3.12 chooses the Python.

PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11 python3.14 python; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
BIN := .venv/bin
export PIP_DISABLE_PIP_VERSION_CHECK = 1
export PYTHONUTF8 = 1

.DEFAULT_GOAL := help
.PHONY: sizes help lab doctor board room endroom test drills soak notebooks matrix pictures book bench lint wheelhouse clean python learner teacher dev sheet kit

help:  ## list the targets
	@grep -E '^[a-z]+:.*## ' Makefile | sed -E 's/:.*## /\t/' | expand -t 12

# BOARD and NAME count when they are typed: some systems have a variable NAME of their own.
typed = $(if $(filter command,$(origin $(1))),$($(1)))
lab: export LAB_BOARD = $(call typed,BOARD)
lab: export LAB_BOARD_NAME = $(call typed,NAME)
lab: learner  ## open the lab in your browser; BOARD=http://… NAME=… joins a room's board
	@$(BIN)/python tools/lab.py

doctor:  ## look for what could go wrong on this machine, and say what to do
	@"$(or $(PYTHON),python3)" tools/doctor.py

room: teacher  ## a lab for each learner of a workshop, on this machine; OPEN=1 or ADDRESS=… opens it to the network, WARM=1 loads first what labs need
	@$(if $(ANONYMOUS),ROOM_BOARD_ANONYMOUS=1) $(BIN)/python tools/room.py $(if $(OPEN),--open) $(if $(ADDRESS),--address "$(ADDRESS)") $(if $(PORT),--port "$(PORT)") \
		$(if $(LEARNERS),--learners "$(LEARNERS)") $(if $(WARM),--warm)

endroom: teacher  ## delete what the room kept: learners' files and passwords; asks first, unless SURE=1
	@$(BIN)/python tools/room.py --end $(if $(SURE),--sure)

board: learner  ## show what a room guesses, on the leader's screen; OPEN=1 for learners on their own laptops
	@$(BIN)/python -m room.board $(if $(OPEN),--open) $(if $(ANONYMOUS),--anonymous) $(if $(PORT),--port "$(PORT)")

# Each part runs though one before it fails.
junit = $(if $(JUNIT),--junitxml="$(JUNIT)/$(1).xml")
by_file = --dist loadfile --no-loadscope-reorder
# Two chapters at once are two learners on one machine; tests wait for half of their time, so three share two CPUs.
test: lint  ## run every notebook and every test; JUNIT=folder keeps a report
	@failed=0; LAB_REACHED=$$(mktemp -d); export LAB_REACHED; \
	$(BIN)/python -m pytest -q -n 2 $(by_file) $(call junit,chapters) notebooks || failed=1; \
	$(BIN)/python -m pytest -q -n 3 $(by_file) $(call junit,test) tests || failed=1; \
	$(BIN)/python -m pytest -q -n 3 --dist worksteal -c roundtrips/pyproject.toml $(call junit,roundtrips) roundtrips/tests \
		|| failed=1; \
	rm -r "$$LAB_REACHED"; exit $$failed

# What measures is tried first, with nothing beside it; then files side by side, as tests of one file may need their order;
# in full, everything is tried in turn.
drilled = $(BIN)/python -m pytest -o addopts="-p no:cacheprovider" tests/drills roundtrips/tests/drills
drills: dev  ## the slow and rough checks, of the lab and of roundtrips; DRILLS=full tries ten times as often
	@failed=0; \
	$(drilled) -m alone $(call junit,drills_alone) || failed=1; \
	$(drilled) -m "not alone" $(if $(filter full,$(DRILLS)),,-n 2 $(by_file)) $(call junit,drills) || failed=1; \
	exit $$failed

soak: dev  ## all chapters N=5 times quiet and BUSY=3 times busy, on every server, then all drills in full
	$(BIN)/python tests/drills/soak.py $(or $(N),5) $(or $(BUSY),3)

notebooks: dev  ## run the notebooks again and rewrite outputs whose facts changed
	$(BIN)/python tools/notebooks.py
	$(BIN)/python tools/constants.py

matrix: dev  ## try all claims on other servers and with redis-py's own parser, for chapter 14
	$(BIN)/python tools/matrix.py

pictures: dev  ## draw the README's pictures again: the race and a budget
	$(BIN)/python tools/pictures.py

sheet: dev  ## print the cheat sheet onto its page, docs/cheat_sheet.pdf, with chromium
	$(BIN)/python tools/cheat_sheet.py

kit: dev  ## write the workshop's plans anew, with the minutes that chapters take; RUN=1 times them first
	$(BIN)/python tools/workshop.py $(if $(RUN),--run)

book: python  ## build the reading edition, pages for a browser, from the committed outputs
	@"$(PYTHON)" tools/install.py --into .venv/book requirements/book.txt
	@.venv/book/bin/python book/build.py

bench: dev  ## measure the lab itself: link, timing, model, start
	$(BIN)/python -m bench

lint: dev  ## code, notebooks and solutions by ruff, types of lab_utils and roundtrips, and the spelling
	$(BIN)/python -m ruff check .
	$(BIN)/python -m codespell_lib
	$(BIN)/python -m mypy & lab=$$!; (cd roundtrips && ../$(BIN)/python -m mypy && ../$(BIN)/python -m basedpyright); \
		failed=$$?; wait $$lab && exit $$failed

sizes:  ## lines of Python by room, beside the bar that a test holds and the budget; ACCEPT=1 lowers the bars
	@python3 tools/sizes.py $(if $(ACCEPT),--accept)

wheelhouse: python  ## gather all packages in wheelhouse/; make lab then installs without internet, make room if FOR=room
	@"$(PYTHON)" tools/install.py --gather requirements$(if $(FOR),/$(FOR)).txt

clean:  ## remove .venv and the built pages; your own copies of the chapters in work/ stay
	rm -rf .venv book/_build

learner: python
	@"$(PYTHON)" tools/install.py requirements.txt

teacher: python
	@"$(PYTHON)" tools/install.py requirements/room.txt

dev: python
	@"$(PYTHON)" tools/install.py requirements/dev.txt

python:
	@"$(or $(PYTHON),false)" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
		echo "The lab needs Python 3.11 or newer. Install one, or say where it is: make PYTHON=/path/to/python3.12 lab"; exit 1; }
