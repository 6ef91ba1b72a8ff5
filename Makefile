# Needs python3 (3.11 or newer) and make, nothing else.
#
#   make suite              test MLX on this machine and time it; ends with the report
#   make test               run the plugin's own tests
#   make lint               check the code as .ci/run does
#   make clean              remove .venv and everything that was made
#
# ARGS are further words for pytest:     make suite ARGS='--applegpu-tier standard'
# SUITES are those to run:               make suite SUITES=suites/conformance
# PYTHON makes .venv:                    make suite PYTHON=python3.12
# EXTRA is the MLX backend on Linux, cuda13 or cpu, never both; the one that fits is picked.

PYTHON ?= python3
ARGS ?=
SUITES ?= suites

ifndef EXTRA
EXTRA := $(shell if [ "`uname -s`" = Darwin ]; then echo none; \
	elif nvidia-smi -L 2>/dev/null | grep '^GPU ' >/dev/null; then echo cuda13; \
	else echo cpu; fi)
endif

ENVIRONMENT := PYTHON='$(PYTHON)' sh .ci/environment $(EXTRA)
RUN := .venv/bin/python -m

.PHONY: help suite test lint clean
.NOTPARALLEL:

help:
	@sed -n 's/^#   make/make/p' Makefile

suite:
	@$(ENVIRONMENT)
	$(RUN) pytest $(SUITES) $(ARGS)

test:
	@$(ENVIRONMENT) test
	$(RUN) pytest -n auto --dist loadfile $(ARGS)

lint:
	@$(ENVIRONMENT) test lint
	$(RUN) ruff check .
	$(RUN) ruff format --check .
	$(RUN) mypy
	.venv/bin/lint-imports

clean:
	rm -rf .venv build dist .benchmarks .hypothesis .mypy_cache .ruff_cache .pytest_cache \
		.import_linter_cache *.egg-info
	find pytest_applegpu suites tests benchmarks baselines -name __pycache__ -prune \
		-exec rm -rf {} +
