# The entry points of the project: `make help` lists the targets, which install what they need into .venv and target.
# Setup prints to stderr, so that `make run FILE=x | head` shows only the file.

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help run test check check-platforms coverage docs docs-serve dependencies integrations clients batch conformance proof bench bench-rivals bench-tools torture torture-paths torture-platforms test-windows test-macos fuzz dist vocabularies licenses manual record record-check clean
.PHONY: toolchain lint-and-types lint types tools-and-suite-rust suite suite-portable suite-rust

FILE ?= README.md
export FILE
BENCH ?= targets comparison
# A variable, because a comma in `$(if …)` ends an argument.
BENCH_TARGETS = $(BIN)/python -m pytest benches -o timeout=0 --benchmark-columns=min,median,iqr,rounds --benchmark-sort=name
MINUTES ?= 10
# `make check` checks one other system of each kind, because each takes half a minute when nothing is built.
FOREIGN := aarch64-apple-darwin x86_64-pc-windows-msvc

BIN := .venv/bin
export VIRTUAL_ENV := $(CURDIR)/.venv
# maturin refuses to choose between two environments; the suites set ANYREAD_PORTABLE themselves; without cached
# bytecode, each of the hundreds of interpreters that tests start would compile the package again.
unexport CONDA_PREFIX ANYREAD_PORTABLE ANYREAD_TEST_MCP ANYREAD_TORTURE ANYREAD_TORTURE_LINES PYTHONHOME PYTHONPATH PYTHONDONTWRITEBYTECODE

# rustup's shims look for their toolchains under RUSTUP_HOME or HOME.
# If neither has one (an empty environment, another user's home), the toolchains next to the shims are used.
ifeq ($(shell cargo --version 2>/dev/null),)
beside_cargo := $(shell bin=$$(command -v cargo 2>/dev/null) && cd "$${bin%/*}/../.." && \
	for home in "$$PWD/.rustup" "$$PWD/rustup"; do RUSTUP_HOME=$$home cargo --version >/dev/null 2>&1 && echo "$$home" && break; done)
ifneq ($(beside_cargo),)
export RUSTUP_HOME := $(beside_cargo)
endif
endif

# ---------------------------------------------------------------------------------------------------------------------
# What is installed and built, each with a stamp file

RUST := Cargo.toml Cargo.lock $(shell find rust/*/src rust/*/Cargo.toml)
# A package of its own, which the tests need too.
CONFORMANCE := $(wildcard python/anyread-conformance)
READY_TO_TEST := .venv/.stamp-test .venv/.stamp-release
READY := .venv/.stamp-dev .venv/.stamp-release

toolchain:
	@rust/toolchain.sh

# Only what building and running need; the tools of tests are in the group `test`, those of checks in `check`.
.venv/.stamp-maturin: pyproject.toml | toolchain
	@$(BIN)/pip install --quiet --group build >&2
	@touch $@

.venv/.stamp-test: pyproject.toml python/anyread-conformance/pyproject.toml | .venv/.stamp-maturin
	@echo "anyread: installing the tools of tests" >&2
	@$(BIN)/pip install --quiet --group test $(CONFORMANCE:%=--editable %) >&2
	@touch $@

.venv/.stamp-dev: .venv/.stamp-test
	@echo "anyread: installing the tools of checks" >&2
	@$(BIN)/pip install --quiet --group check >&2
	@touch $@

.venv/.stamp-bench .venv/.stamp-clients: .venv/.stamp-%: pyproject.toml | .venv/.stamp-dev
	@$(BIN)/pip install --quiet --group $* >&2
	@touch $@

.venv-docs/.stamp .venv-dist/.stamp: .venv-%/.stamp: pyproject.toml | .venv/.stamp-maturin
	@echo "anyread: installing the tools of \`make $*\`" >&2
	@$(BIN)/python -m venv --clear --without-pip .venv-$* >&2
	@$(BIN)/pip --python .venv-$*/bin/python install --quiet --group $* >&2
	@touch $@

# python/anyread has one extension at a time, so building one profile removes the other's stamp.
# The group is named because maturin would otherwise install `dev`.
.venv/.stamp-release .venv/.stamp-dist: .venv/.stamp-%: $(RUST) .venv/.stamp-maturin
	@PIP_QUIET=1 $(BIN)/maturin develop --profile $* --group build >&2
	@rm -f .venv/.stamp-release .venv/.stamp-dist && touch $@

target/tools/bin/cargo-tarpaulin: | toolchain
	@cargo install cargo-tarpaulin --locked --quiet --root target/tools --target-dir target/tools/build >&2

# ---------------------------------------------------------------------------------------------------------------------
# Targets

help:  ## List the targets
	@sed -n 's/^\([a-z-]*\):.*  ## /\1|/p' Makefile | while IFS='|' read -r verb does; do \
		printf 'make %-17s %s\n' "$$verb" "$$does"; done
run: .venv/.stamp-release  ## Build, and read FILE (by default README.md): make run FILE=path
	@$(BIN)/anyread read "$$FILE"
test: tools-and-suite-rust suite suite-portable  ## Run the tests: Rust, Python, and again those of what only the portable path has
check: lint-and-types suite  ## Check formatting, lints, types, other systems, and coverage of the Python tests
	@rust/platforms.sh check $(FOREIGN)
check-platforms: toolchain  ## Compile for every platform, without linking: PLATFORMS="aarch64-apple-darwin"
	@rust/platforms.sh check $(PLATFORMS)
coverage: suite target/tools/bin/cargo-tarpaulin  ## Measure line coverage of Python and Rust (at least 90 % each)
	@PATH="$(CURDIR)/target/tools/bin:$$PATH" cargo tarpaulin --package anyread-core --profile suite --locked --engine llvm \
		--include-files 'rust/anyread-core/src/*' --target-dir target/tarpaulin --skip-clean --timeout 900 --out stdout --fail-under 90
docs: .venv-docs/.stamp .venv/.stamp-release  ## Build the documentation site into target/site, check it, and print the age of its figures
	@$(BIN)/python -m website.tables && $(BIN)/python -m website.stage
	@.venv-docs/bin/zensical build --clean --strict --config-file target/mkdocs.yml
	@$(BIN)/python -m website.llms
	@$(BIN)/python -m website.check
	@$(BIN)/python -m benches.publish --ages
docs-serve: docs  ## Build the site, and serve it at http://localhost:8000
	@.venv-docs/bin/zensical serve --config-file target/mkdocs.yml
integrations: $(READY)  ## Test the integrations with their frameworks: FRAMEWORKS="langchain strands" DROP_INS= for some
clients: .venv/.stamp-clients .venv/.stamp-release  ## Run MCP clients with the server: CLIENTS="mcp inspector" for some
dependencies: $(READY)  ## Test with the lowest and the newest versions of Pillow, pypdfium2 and the MCP SDK
batch: $(READY)  ## Test `anyread.batch` in Ray Data, Daft and a pool of processes: FILES=100000
proof: $(READY)  ## Measure what readers cost an agent, and write docs/proof.md: needs jq, rg, poppler, node
	@$(BIN)/python -m benches.locate.publish run
conformance: $(READY)  ## Check other readers with the rules: RIVAL="adk cat" for some
bench-rivals: .venv/.stamp-maturin  ## Install the rivals of `make bench`, each into its own environment
bench-tools: .venv/.stamp-bench .venv/.stamp-dist  ## Compare the tools whose contracts anyread has: REFERENCE_TOOLS="pi opencode" for some
torture: $(READY)  ## Run the long tests, and write the scoreboard of docs/security.md
integrations clients dependencies batch conformance bench-rivals bench-tools torture:
	@$(BIN)/python tests/helpers/on_demand.py $@
bench: .venv/.stamp-bench .venv/.stamp-dist  ## Measure speed: BENCH=targets, comparison or both; ANYREAD_BENCH_GB=10
	$(if $(filter targets,$(BENCH)),$(BENCH_TARGETS))
	$(if $(filter comparison,$(BENCH)),$(BIN)/python -m benches.compare)
	@$(BIN)/python -m benches.publish
torture-paths: $(READY)  ## Run the suite on the portable path, and its scans without mapping
	@ANYREAD_PORTABLE=1 $(PYTEST) $(BOTH_PATHS:%=--ignore=%)
	@ANYREAD_MMAP=0 $(PYTEST) tests/text tests/running tests/reader/test_async.py tests/reader/test_read_many.py
torture-platforms: .venv-dist/.stamp  ## Test the core with the implementation for macOS, with musl, and on aarch64 and s390x in qemu; build the wheel for aarch64
	RUSTFLAGS='--cfg anyread_system="unix"' cargo test --package anyread-core --profile suite --locked \
		--target-dir target/unix -- --skip guard --skip sandbox --skip mapping
	@rust/platforms.sh core $(STATIC)
	@rust/platforms.sh wheel aarch64-unknown-linux-gnu
test-windows: .venv/.stamp-test  ## Test under Wine, as root: the core, and Python; TESTS="tests/text" for some. It is set up in target/wine, once
	@$(BIN)/python tests/helpers/wine.py $(TESTS)
test-macos: $(READY_TO_TEST)  ## Test on macOS: the core, and what needs nothing of Linux
	cargo test --package anyread-core --profile suite --locked -- --skip guard --skip sandbox --skip mapping
	@$(PYTEST) @tests/platforms/everywhere.txt
fuzz: toolchain  ## Search for inputs that break the Rust core: make fuzz MINUTES=10
	@$(BIN)/python tests/helpers/fuzzing.py $(MINUTES)
dist: .venv-dist/.stamp  ## Build the source package and all wheels into dist/, and check them: DIST="x86_64-unknown-linux-gnu"
	@rust/platforms.sh wheel $(DIST)
	@.venv-dist/bin/maturin sdist --out dist >&2
	@.venv-dist/bin/python tests/helpers/built.py dist
vocabularies: toolchain  ## Pack the vocabularies of the exact tokenizers again: FROM=DIRECTORY
	@$(BIN)/python rust/vocabularies.py "$(FROM)"
licenses: toolchain  ## Regenerate THIRD_PARTY_LICENSES.md, after Cargo.lock has changed
	@$(BIN)/python rust/licenses.py

manual: $(READY)  ## Regenerate the manual page and the completion scripts of the wheel, after the command line or the version has changed
	@$(BIN)/python -m website.manual
record: $(READY_TO_TEST)  ## Make the recorded calls of a contract again, with its original: CONTRACT=kimi-code
	@$(BIN)/python tests/recorded/recorders/originals.py record $(CONTRACT) $(if $(CHECK),--check)
record-check: $(READY_TO_TEST)  ## Say which originals of contracts have newer versions
	@$(BIN)/python tests/recorded/recorders/originals.py check

clean:  ## Remove everything that the targets created
	@rm -rf .venv .venv-* target dist coverage .coverage .coverage.* .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	@rm -f python/anyread/*.so
	@find python tests benches examples website -name __pycache__ -type d -prune -exec rm -rf {} +

# ---------------------------------------------------------------------------------------------------------------------
# Parts of the targets

# Each uses little more than one core, so they run in parallel, after what both install and build.
lint-and-types: $(READY)
	@$(MAKE) --no-print-directory --jobs=2 --output-sync=target lint types

lint: .venv/.stamp-dev
	@rust/toolchain.sh lint
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --locked --quiet -- -D warnings
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/lint-imports --no-logo

types: $(READY)
	$(BIN)/mypy
	$(BIN)/mypy tests $(wildcard python/anyread-conformance/tests) benches examples website --cache-dir .mypy_cache/tests
	$(BIN)/python -m mypy.stubtest anyread._native --mypy-config-file pyproject.toml
	$(BIN)/python -m pytest -m types tests/docs/test_docs_types.py

# One worker more than there are cores, because workers spend some time waiting; eight are enough on any machine.
WORKERS = $(shell echo $$(($$(nproc 2>/dev/null || getconf _NPROCESSORS_ONLN) + 1)))
PYTEST = $(BIN)/python -m pytest --numprocesses=$(WORKERS) --maxprocesses=8 --dist=worksteal --benchmark-disable

# Packages are installed while Rust compiles, which uses only one core part of the time.
tools-and-suite-rust: toolchain
	@$(MAKE) --no-print-directory --jobs=2 .venv/.stamp-test suite-rust

# Without MAKEFLAGS, which would pass on a limit of jobs that Cargo cannot use.
suite-rust: toolchain
	@env -u MAKEFLAGS cargo test --package anyread-core --profile suite --locked

# `make test check` runs the suite once for both targets, with coverage, before the tools of checks are installed;
# `make test` alone measures no coverage.
suite: $(READY_TO_TEST)
	$(PYTEST) $(if $(filter check coverage,$(MAKECMDGOALS)),--cov --cov-report=term-missing:skip-covered)

# The tests that reach code of the portable path that no other test does: decoders that are started one by one, and
# roots without `openat2`. `make torture-paths` runs all tests on it.
PORTABLE := $(addprefix tests/decoding/test_,$(addsuffix .py,pool scarcity shared_pool host_survives)) \
	tests/reader/test_reader_roots.py tests/reader/test_golden.py
# These choose the path themselves, so a second run would repeat the first.
BOTH_PATHS := tests/text/test_guard.py $(addprefix tests/running/test_,$(addsuffix .py,fairness inline same_results))
suite-portable: $(READY_TO_TEST)
	ANYREAD_PORTABLE=1 $(PYTEST) $(PORTABLE)
