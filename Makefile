# make run | studio | kernels | check | test | fuzz | bench | papers | wheel | lint | format | clean | distclean
# The first call of a target makes .venv and installs what it needs; later calls start at once.
# Other interpreter: make test PYTHON=python3.12     Some tests only: make test ARGS="tests/unit -k pose"

PYTHON ?= python3
VENV := .venv
PY := $(VENV)/bin/python
PIP_INSTALL := $(PY) -m pip install --quiet --disable-pip-version-check
ARGS ?=

.PHONY: run studio stories kernels check test fuzz bench papers wheel lint format clean distclean
.DEFAULT_GOAL := run

# A linkage of four legs and 12 loops walks on its feet: its receipt, and in build/ the recording, curves, a picture, and a page that replays the motion.
# With a quarter of the step of its file energy is balanced to 1e-3.
# Another one: make run ARGS="four-bar --duration 5"; .venv/bin/linkwork list names them. The first run compiles the kernels that it needs.
ARGS_RUN := $(or $(ARGS),walking-linkage --duration 4 --step 0.000125 $(foreach leg,front-1 front-2 rear-1 rear-2,--trail $(leg)-toe))
LEAVES := --out build/run.arrow --plot build/run.png --picture build/picture.png --animate build/motion.html
run: $(VENV)/.run-stamp
	@mkdir -p build
	$(PY) -m linkwork run $(ARGS_RUN) $(LEAVES)

# A page in the browser: build, run and pull at mechanisms. Another file: make studio ARGS="walking-linkage"
studio: $(VENV)/.run-stamp
	$(PY) -m linkwork studio $(or $(ARGS),four-bar)

# The three stories told on the page, with pictures of it in docs/pictures; wants chromium.
stories: $(VENV)/.dev-stamp
	$(PY) examples/tell_stories.py --pictures docs/pictures $(ARGS)

# All kernels, compiled into one file: minutes at first, then what has changed. For another system: make kernels TARGET=linux-aarch64
TARGET ?=
kernels: $(VENV)/.run-stamp
	@test "$$LINKWORK_JIT" = 0 || $(PY) -m linkwork kernels build $(if $(TARGET),--target $(TARGET))

# Tests find all kernels compiled. With LINKWORK_JIT=0 everything runs as plain Python. Workers that have nothing left to do take tests from the others.
PYTEST := $(PY) -m pytest --numprocesses auto --maxprocesses 4 --dist worksteal
test: $(VENV)/.dev-stamp kernels
	$(PYTEST) $(ARGS)

# Before each commit: lint, types, and the tests that are fast and want no other program; those of the list at the end should be marked slow.
check: lint kernels
	$(PYTEST) -m "not slow and not peer and not browser" --durations 10 --durations-min 2 $(ARGS)

# Random mechanisms, files and edits, every way to an answer compared with the others: tests/fuzz. Others: make fuzz MINUTES=60 FIRST=100000
MINUTES ?= 10
FIRST ?= 0
fuzz: $(VENV)/.dev-stamp kernels
	$(PY) -m tests.fuzz.campaign --minutes $(MINUTES) --first $(FIRST) $(ARGS)

bench: $(VENV)/.bench-stamp
	$(PY) benchmarks/start.py
	$(PY) benchmarks/run.py
	$(PY) benchmarks/loops.py
	$(PY) benchmarks/motion.py --long
	$(PY) benchmarks/contact.py
	$(PY) benchmarks/studio.py

# Tables of the literature beside ours, in docs/papers: some minutes. One of them only: make papers PAPERS=schroeder_car
PAPERS ?= featherstone_document wendlandt_integrators wendlandt_box schroeder_tensegrity schroeder_linkages schroeder_car tasora_chains iftomm_benchmarks
papers: $(VENV)/.run-stamp
	@for paper in $(PAPERS); do $(PY) papers/$$paper.py --write || exit 1; done

# Wheels in dist/: one with the compiled kernels of both usual levels of Intel and AMD processors, one for any system, without. The first is tried.
wheel: $(VENV)/.run-stamp
	$(PY) -m linkwork kernels build --target linux-x86-64-v3
	$(PY) -m linkwork kernels build --target linux-x86-64-v4
	LINKWORK_WHEEL=pure $(PY) -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir dist .
	LINKWORK_WHEEL=linux-x86-64 $(PY) -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir dist .
	$(PY) tests/wheel.py dist

lint: $(VENV)/.dev-stamp
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m mypy

format: $(VENV)/.dev-stamp
	$(PY) -m ruff check --fix-only .
	$(PY) -m ruff format .

# The environment. pip is what `venv` installs last: where it is missing, the environment is missing or half made.
define make_venv
@$(PYTHON) -c 'import sys; sys.exit("Linkwork needs Python 3.11 or later, found " + sys.version.split()[0] + "; name another: make PYTHON=python3.12" if sys.version_info < (3, 11) else 0)'
@test -x $(VENV)/bin/pip || { echo "making $(VENV)"; $(PYTHON) -m venv $(VENV); }
endef

$(VENV)/.run-stamp: pyproject.toml
	$(make_venv)
	@echo "installing linkwork into $(VENV)"
	@$(PIP_INSTALL) --editable .
	@touch $@

# Tools and peers contain all that `run` needs, hence both stamps.
$(VENV)/.dev-stamp: pyproject.toml
	$(make_venv)
	@echo "installing linkwork, its tools and its peers into $(VENV) (a minute or two)"
	@$(PIP_INSTALL) --editable '.[dev]'
	@touch $@ $(VENV)/.run-stamp

$(VENV)/.bench-stamp: $(VENV)/.dev-stamp
	@$(PIP_INSTALL) --editable '.[bench]'
	@touch $@

# Caches and compiled kernels; the environment stays.
clean:
	rm -rf build dist .pytest_cache .hypothesis .mypy_cache .ruff_cache .coverage htmlcov benchmarks/scratch
	rm -rf src/linkwork/kernels/library src/linkwork/kernels/__compiled__
	find . -path ./$(VENV) -prune -o -path ./.git -prune -o -type d -name __pycache__ -prune -exec rm -rf {} +

distclean: clean
	rm -rf $(VENV)
