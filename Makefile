# The two commands are `make demo` and `make test`; `make help` lists the others.
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
export PATH := $(CURDIR)/.venv/bin:$(PATH)
# Tests start hundreds of processes, which import the same packages. Where a container forbids Python to keep what it
# compiled, each of them compiles all of it again.
unexport PYTHONDONTWRITEBYTECODE
# With ccache copies of the sources, such as that of `make howtos`, share what was compiled.
ifneq ($(shell command -v ccache 2>/dev/null),)
export CMAKE_CXX_COMPILER_LAUNCHER ?= ccache
export CMAKE_C_COMPILER_LAUNCHER ?= ccache
export CCACHE_BASEDIR ?= $(CURDIR)
export CCACHE_NOHASHDIR ?= 1
export CCACHE_SLOPPINESS ?= pch_defines,time_macros,include_file_mtime,include_file_ctime
endif

# Tests start thousands of processes of MPI on few cores. While one waits, it gives way.
export MPIR_CVAR_ENABLE_HEAVY_YIELD ?= 1

RESULTS ?= demo-results
CPP := git ls-files -co --exclude-standard '*.cpp' '*.hpp'

.PHONY: help
help:  ## Lists the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile | expand -t 14

.PHONY: demo
demo:  ## Installs into ./.venv, runs the main job, says where pictures and report are
	@tools/setup.sh report mpi
	@tradewind demo -o $(RESULTS)

.PHONY: setup
setup:  ## Installs Tradewind and all development tools into ./.venv
	@tools/setup.sh dev

# The other targets use the tools as they are; `make setup` brings a changed Tradewind into .venv.
.venv/bin/pre-commit:
	@tools/setup.sh dev
lint format tidy test-cpp test-python examples docs howtos sanitize fuzz faults wheel checks: | .venv/bin/pre-commit

.PHONY: test
test: setup  ## Runs every check and every test
	@$(MAKE) --no-print-directory checks

# Two at a time, as compiling fills the cores where the others wait for one process; each prints when it has ended.
.PHONY: checks
checks:  ## Runs every check and every test with the Tradewind that is installed
	@$(MAKE) --no-print-directory -j2 --output-sync=target test-cpp lint examples docs test-python fuzz

.PHONY: lint
lint:  ## Formats and checks the sources (the hooks of .pre-commit-config.yaml)
	PRE_COMMIT_HOME=$(CURDIR)/build/pre-commit pre-commit run --all-files --show-diff-on-failure

.PHONY: format
format:  ## Formats all sources in place
	$(CPP) | xargs -r clang-format -i
	ruff check --fix --exit-zero --quiet
	ruff format

.PHONY: tidy
tidy:  ## Runs clang-tidy over the C++ library; every warning is an error
	cmake --preset tidy >/dev/null
	find src -name '*.cpp' -print0 | xargs -0 -P $$(nproc) -n 8 clang-tidy --quiet -p build/tidy

.PHONY: test-cpp
test-cpp:  ## Builds and runs the C++ tests
	cmake -S . -B build/core -DTRADEWIND_TESTS=ON >/dev/null
	cmake --build build/core --target tradewind_tests
	ctest --test-dir build/core --output-on-failure --no-tests=error -j $$(nproc)

# The tests of one file run in one process, in their order: they share fixtures, and few of them use MPI at once.
PYTEST_WORKERS ?= 2
.PHONY: test-python
test-python:  ## Runs the Python tests (PYTEST_WORKERS)
	python -m pytest -n $(PYTEST_WORKERS) --dist loadfile --no-loadscope-reorder

.PHONY: examples
examples:  ## Runs the examples and compares with their expected output
	python tools/check_examples.py

.PHONY: docs
docs:  ## Builds the documentation and runs its code blocks
	sphinx-build -W --keep-going -q -b html docs build/docs
	python tools/check_docs.py docs README.md

.PHONY: howtos
howtos:  ## Applies the howtos that change Tradewind to a copy, builds it and runs what they say
	python tools/check_howtos.py

FUZZ_SECONDS ?= 60
FUZZ_SEED ?= 1
.PHONY: fuzz
fuzz:  ## Damages input files of all kinds and checks that every command copes (FUZZ_SECONDS, FUZZ_SEED)
	python tools/fuzz.py --seconds $(FUZZ_SECONDS) --seed $(FUZZ_SEED)

FAULT_SECONDS ?= 60
FAULT_SEED ?= 1
.PHONY: faults
faults:  ## Kills, interrupts and starves commands and checks how they end (FAULT_SECONDS, FAULT_SEED)
	python tools/faults.py --seconds $(FAULT_SECONDS) --seed $(FAULT_SEED)

.PHONY: sanitize
sanitize:  ## Runs the C++ tests under the address and undefined behaviour sanitizers
	cmake --preset sanitize >/dev/null
	cmake --build --preset sanitize --target tradewind_tests
	ctest --preset sanitize --no-tests=error -j $$(nproc)

.PHONY: wheel
wheel:  ## Builds a wheel to pass on, and tries it in an empty environment without a compiler
	python tools/check_wheel.py

.PHONY: clean
clean:  ## Removes everything that was built or computed here
	rm -rf build .venv $(RESULTS)
