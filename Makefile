# One line a newcomer needs: `make test`. Everything is installed into .venv and nowhere else.
PYTHON ?= python3
VENV := .venv
# Where the benchmarks of retrieval make their corpus of 297,000 pages; about a gigabyte.
CORPUS_R ?= .bench/corpus-r
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

# How many processes run the tests, and how long `make fuzz` runs.
JOBS ?= 2
MINUTES ?= 5

.PHONY: setup test fuzz lint bench docs clean

setup: $(STAMP)

$(STAMP): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check -e '.[documents,dense,evaluate,build,train,web,studio,mcp,scale,dev]' 'torch==2.13.0'
# The official scorer that ours is compared with; what it asks for is years older than what we run on, and its scorer needs none of it.
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps 'feverous==0.54'
	touch $@

test: setup lint
	$(BIN)/python -m pytest -n $(JOBS) --dist worksteal

# The property tests, round after round, each with a fresh seed, until the time is up: `make fuzz MINUTES=30`. Every test
# that ran is listed; a failure is printed with the smallest example, the line that reproduces it and the round's seed
# (`.venv/bin/python -m tests.fuzz --seed SEED`). Failing examples are kept in .hypothesis and tried first next time.
fuzz: setup
	$(BIN)/python -m tests.fuzz --minutes $(MINUTES)

lint: setup
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

bench: setup
	$(BIN)/python -m benchmarks.corpus
	$(BIN)/pip install --quiet --disable-pip-version-check -e '.[bench]'
	$(BIN)/python -m benchmarks.retrieval $(CORPUS_R)
	$(BIN)/python -m benchmarks.retrieval_speed $(CORPUS_R)

# The documentation as a site, in site/index.html: built here, and it loads nothing from anywhere else.
docs: setup
	$(BIN)/pip install --quiet --disable-pip-version-check -e '.[docs]'
	$(BIN)/python -m mkdocs build --strict --quiet

clean:
	rm -rf site $(VENV) .mypy_cache .pytest_cache .ruff_cache .hypothesis dist
