# The only door to this project: `make help` lists the verbs, and they install what they need into .venv and target.
# Set-up talks on stderr, so that `make run FILE=x | head` shows the file alone.

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help run test check coverage bench bench-rivals torture dist licenses clean
.PHONY: toolchain lint-tools lint-and-types lint types suite suite-portable suite-rust

FILE ?= README.md
export FILE

BENCH ?= targets comparison

BIN := .venv/bin
export VIRTUAL_ENV := $(CURDIR)/.venv
# maturin refuses to choose between two environments; the suites choose the portable path themselves.
unexport CONDA_PREFIX ANYREAD_PORTABLE PYTHONHOME PYTHONPATH
# Tests start hundreds of interpreters; without compiled modules each would compile the package again.
unexport PYTHONDONTWRITEBYTECODE

# ---------------------------------------------------------------------------------------------------------------------
# Tools that must be there before anything else

# Each candidate is run, since a version manager's shim may exist and still lead nowhere.
find_python = for python in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && break; python=; done

# rustup's shims look for their toolchains under RUSTUP_HOME or HOME.
# Where neither leads to one (an empty environment, another user's home), the toolchains that lie beside the shims serve.
ifeq ($(shell cargo --version 2>/dev/null),)
beside_cargo := $(shell bin=$$(command -v cargo 2>/dev/null) && cd "$${bin%/*}/../.." && \
	for home in "$$PWD/.rustup" "$$PWD/rustup"; do RUSTUP_HOME=$$home cargo --version >/dev/null 2>&1 && echo "$$home" && break; done)
ifneq ($(beside_cargo),)
export RUSTUP_HOME := $(beside_cargo)
endif
endif

rust_version = $(shell sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)
refuse = { echo "anyread: $(1)" >&2; exit 1; }

toolchain:
	@test -x $(BIN)/python || { $(find_python); test -n "$$python"; } || \
		$(call refuse,Python 3.11 or newer is missing: install \`python3\` (3.11 or newer) with your system's package manager.)
	@test -x $(BIN)/python || { $(find_python); $$python -c 'import ensurepip, venv' 2>/dev/null; } || \
		$(call refuse,Python's venv module is missing: install \`python3-venv\` with your system's package manager.)
	@command -v cargo >/dev/null || \
		$(call refuse,the Rust toolchain (\`cargo\`) is missing: install Rust $(rust_version) or newer with rustup and open a new shell.)
	@cargo --version >/dev/null 2>&1 || \
		$(call refuse,\`cargo\` is there but has no Rust toolchain to run: choose one with \`rustup default stable\`.)
	@{ echo $(rust_version); rustc --version | cut -d' ' -f2; } | sort -t. -k1,1n -k2,2n -c 2>/dev/null || \
		$(call refuse,this Rust is too old (`rustc --version`): update it to $(rust_version) or newer with \`rustup update stable\`.)
	@command -v cc >/dev/null || command -v gcc >/dev/null || command -v clang >/dev/null || \
		$(call refuse,a C compiler (\`cc\`) is missing and Rust links with it: install \`gcc\` or \`clang\` with your system's package manager.)

lint-tools: | toolchain
	@cargo fmt --version >/dev/null 2>&1 && cargo clippy --version >/dev/null 2>&1 || \
		$(call refuse,rustfmt or clippy is missing: install them with \`rustup component add rustfmt clippy\`.)

# ---------------------------------------------------------------------------------------------------------------------
# What is built, each with a stamp in .venv; a new .venv has none

RUST := Cargo.toml Cargo.lock $(shell find rust/*/src rust/*/Cargo.toml)

$(BIN)/python: | toolchain
	@$(find_python); echo "anyread: making .venv with $$($$python --version)" >&2; \
		$$python -m venv --clear --upgrade-deps .venv >&2

# Only what building and running need; the checks' and tests' tools are the group `dev`.
.venv/.stamp-maturin: pyproject.toml | $(BIN)/python
	@$(BIN)/pip install --quiet --group build >&2
	@touch $@

.venv/.stamp-dev: pyproject.toml | .venv/.stamp-maturin
	@echo "anyread: installing the tools of tests and checks" >&2
	@$(BIN)/pip install --quiet --group dev >&2
	@touch $@

.venv/.stamp-bench: pyproject.toml | .venv/.stamp-dev
	@$(BIN)/pip install --quiet --group bench >&2
	@touch $@

# The rivals' needs conflict with each other and with ours.
RIVALS := $(notdir $(basename $(wildcard benches/requirements/*.txt)))

.venv-rivals/%/.stamp: benches/requirements/%.txt | $(BIN)/python
	@echo "anyread: installing $* for \`make bench\`" >&2
	@$(BIN)/python -m venv --clear .venv-rivals/$* >&2
	@.venv-rivals/$*/bin/python -m pip install --quiet --disable-pip-version-check --requirement $< >&2
	@touch $@

# One extension lies in python/anyread at a time, so that each profile's stamp ends the other's.
# The group is named because maturin would install `dev` by itself.
.venv/.stamp-release: $(RUST) .venv/.stamp-maturin
	@PIP_QUIET=1 $(BIN)/maturin develop --release --group build >&2
	@rm -f .venv/.stamp-dist
	@touch $@

.venv/.stamp-dist: $(RUST) .venv/.stamp-maturin
	@PIP_QUIET=1 $(BIN)/maturin develop --profile dist --group build >&2
	@rm -f .venv/.stamp-release
	@touch $@

# ---------------------------------------------------------------------------------------------------------------------
# The verbs

help:  ## List the verbs
	@sed -n 's/^\([a-z-]*\):.*  ## /\1|/p' Makefile | while IFS='|' read -r verb does; do \
		printf 'make %-12s %s\n' "$$verb" "$$does"; done

run: .venv/.stamp-release  ## Build and read FILE (the README without one): make run FILE=path
	@$(BIN)/anyread read "$$FILE"

test: suite-rust suite suite-portable  ## Test everything: Rust, Python, and what depends on the portable path

check: lint-and-types suite  ## Check formats, lints, types, the native stub, and coverage of the Python tests

coverage: suite target/tools/bin/cargo-tarpaulin  ## Measure line coverage of Python and Rust (at least 90 % each)
	@PATH="$(CURDIR)/target/tools/bin:$$PATH" cargo tarpaulin --package anyread-core --release --locked --engine llvm \
		--include-files 'rust/anyread-core/src/*' --target-dir target/tarpaulin --skip-clean --timeout 900 \
		--out stdout --fail-under 90

bench: .venv/.stamp-bench .venv/.stamp-dist  ## Measure speed: BENCH=targets, comparison or both; ANYREAD_BENCH_GB=10
	@set -e; for part in $(BENCH); do case $$part in \
		targets) $(BIN)/python -m pytest benches -o timeout=0 --benchmark-columns=min,median,iqr,rounds --benchmark-sort=name;; \
		comparison) $(BIN)/python -m benches.compare;; \
		*) echo "anyread: BENCH is \`targets\`, \`comparison\` or both, not \`$$part\`" >&2; exit 1;; esac; done
	@$(BIN)/python -m benches.publish

bench-rivals: $(RIVALS:%=.venv-rivals/%/.stamp)  ## Install the rivals of `make bench`, each into its own environment

torture: .venv/.stamp-dev .venv/.stamp-release  ## Run the long tests: racing writers, hostile files, leaks, other paths, the package
	@$(BIN)/python -m pytest -m torture -o timeout=0
	@ANYREAD_PORTABLE=1 $(PYTEST) $(PORTABLE:%=--ignore=%)
	@ANYREAD_MMAP=0 $(PYTEST) tests/text tests/running tests/test_async.py tests/test_read_many.py

dist: .venv/.stamp-maturin  ## Build the wheel and the source package into dist/
	@$(BIN)/maturin build --profile dist --sdist --out dist >&2
	@ls dist/*

licenses: $(BIN)/python | toolchain  ## Write THIRD_PARTY_LICENSES.md anew, after Cargo.lock has changed
	@$(BIN)/python rust/licenses.py

clean:  ## Remove everything the verbs made
	@rm -rf .venv .venv-rivals target dist coverage .coverage .coverage.* .pytest_cache .mypy_cache .ruff_cache .hypothesis
	@rm -f python/anyread/*.so
	@find python tests benches -name __pycache__ -type d -prune -exec rm -rf {} +

# ---------------------------------------------------------------------------------------------------------------------
# The verbs' parts

# Most of each runs on one core; what both install and build is made before, one after another.
lint-and-types: .venv/.stamp-dev .venv/.stamp-release
	@$(MAKE) --no-print-directory --jobs=2 --output-sync=target lint types

lint: .venv/.stamp-dev | lint-tools
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --locked --quiet -- -D warnings
	$(BIN)/ruff check
	$(BIN)/ruff format --check

types: .venv/.stamp-dev .venv/.stamp-release
	$(BIN)/mypy
	$(BIN)/mypy tests benches --cache-dir .mypy_cache/tests
	$(BIN)/python -m mypy.stubtest anyread._native --mypy-config-file pyproject.toml

# One worker more than cores, because every worker spends some of its time waiting; eight are enough on any machine.
WORKERS = $(shell echo $$(($$(nproc 2>/dev/null || getconf _NPROCESSORS_ONLN) + 1)))
PYTEST = $(BIN)/python -m pytest --numprocesses=$(WORKERS) --maxprocesses=8 --dist=worksteal --benchmark-disable

# `make check test` runs the suite once for both verbs, with coverage; `make test` alone needs none.
COVERAGE := $(if $(filter check coverage,$(MAKECMDGOALS)),--cov --cov-report=term-missing:skip-covered)

suite: .venv/.stamp-dev .venv/.stamp-release
	$(PYTEST) $(COVERAGE)

# The tests that depend on how a file is opened, scanned or decoded; `make torture` runs the others on the portable path.
PORTABLE := tests/text tests/running tests/decoding \
	$(addprefix tests/test_,$(addsuffix .py,async deadlines forks golden read_many reader_roots short_of_memory short_of_threads))
# These choose the path themselves, so a second run would repeat the first.
BOTH_PATHS := tests/text/test_guard.py tests/running/test_fairness.py tests/running/test_inline.py \
	tests/running/test_same_results.py

suite-portable: .venv/.stamp-dev .venv/.stamp-release
	ANYREAD_PORTABLE=1 $(PYTEST) $(PORTABLE) $(BOTH_PATHS:%=--ignore=%)

suite-rust: | toolchain
	cargo test --package anyread-core --release --locked

target/tools/bin/cargo-tarpaulin: | toolchain
	@cargo install cargo-tarpaulin --locked --quiet --root target/tools --target-dir target/tools/build >&2
