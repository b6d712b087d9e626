# The entry points of the project: `make help` lists the targets, which install what they need into .venv and target.
# Setup prints to stderr, so that `make run FILE=x | head` shows only the file.

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help run test check check-platforms coverage docs docs-serve dependencies integrations clients batch conformance bench bench-rivals bench-tools torture torture-paths torture-platforms fuzz dist dist-source vocabularies licenses manual clean
.PHONY: toolchain lint-tools lint-and-types lint types suite suite-portable suite-rust

FILE ?= README.md
export FILE

BENCH ?= targets comparison
# Each takes half a minute when nothing is built, so `make check` has one for each other system.
FOREIGN := aarch64-apple-darwin x86_64-pc-windows-msvc
DIST ?= x86_64-unknown-linux-gnu aarch64-unknown-linux-gnu x86_64-unknown-linux-musl aarch64-unknown-linux-musl \
	aarch64-apple-darwin x86_64-apple-darwin x86_64-pc-windows-gnu
PLATFORMS ?= aarch64-apple-darwin x86_64-apple-darwin x86_64-pc-windows-msvc aarch64-unknown-linux-gnu \
	x86_64-unknown-linux-musl aarch64-unknown-linux-musl
# Programs for these need no library of their system, so they run here, in qemu if the processor is another.
STATIC ?= x86_64-unknown-linux-musl aarch64-unknown-linux-musl
MINUTES ?= 10

BIN := .venv/bin
export VIRTUAL_ENV := $(CURDIR)/.venv
# maturin refuses to choose between two environments; the suites set ANYREAD_PORTABLE themselves.
unexport CONDA_PREFIX ANYREAD_PORTABLE ANYREAD_TEST_MCP ANYREAD_TORTURE ANYREAD_TORTURE_LINES PYTHONHOME PYTHONPATH
# Tests start hundreds of interpreters; without cached bytecode, each would compile the package again.
unexport PYTHONDONTWRITEBYTECODE

# ---------------------------------------------------------------------------------------------------------------------
# Required tools

# Each candidate is run, because a version manager's shim may exist without an interpreter.
find_python = for python in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && break; python=; done

# rustup's shims look for their toolchains under RUSTUP_HOME or HOME.
# If neither has one (an empty environment, another user's home), the toolchains next to the shims are used.
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
# What is built, each with a stamp file in .venv

RUST := Cargo.toml Cargo.lock $(shell find rust/*/src rust/*/Cargo.toml)

$(BIN)/python: | toolchain
	@$(find_python); echo "anyread: making .venv with $$($$python --version)" >&2; \
		$$python -m venv --clear --upgrade-deps .venv >&2

# Only what building and running need; the tools of checks and tests are in the group `dev`.
.venv/.stamp-maturin: pyproject.toml | $(BIN)/python
	@$(BIN)/pip install --quiet --group build >&2
	@touch $@

.venv/.stamp-dev: pyproject.toml python/anyread-conformance/pyproject.toml | .venv/.stamp-maturin
	@echo "anyread: installing the tools of tests and checks" >&2
	@$(BIN)/pip install --quiet --group dev --editable python/anyread-conformance >&2
	@touch $@

.venv/.stamp-bench: pyproject.toml | .venv/.stamp-dev
	@$(BIN)/pip install --quiet --group bench >&2
	@touch $@

.venv-docs/.stamp: pyproject.toml | .venv/.stamp-maturin
	@echo "anyread: installing the generator of the site" >&2
	@$(BIN)/python -m venv --clear --without-pip .venv-docs >&2
	@$(BIN)/pip --python .venv-docs/bin/python install --quiet --group docs >&2
	@touch $@

# The rivals' requirements conflict with one another and with the project's.
RIVALS := $(notdir $(basename $(wildcard benches/requirements/*.txt)))

.venv-rivals/%/.stamp: benches/requirements/%.txt | $(BIN)/python
	@echo "anyread: installing $* for \`make bench\`" >&2
	@$(BIN)/python -m venv --clear .venv-rivals/$* >&2
	@.venv-rivals/$*/bin/python -m pip install --quiet --disable-pip-version-check --requirement $< >&2
	@touch $@

# Frameworks pin one another's requirements, so each has its own environment, which sees the built checkout.
INTEGRATIONS := $(notdir $(basename $(wildcard tests/integrations/requirements/*.txt)))
FRAMEWORKS ?= $(INTEGRATIONS)

# A list that starts with "# Complete" names every package of its environment.
without_resolving = $$(head -n 1 $(1) | grep -q '^\# Complete' && echo --no-deps)

.PRECIOUS: .venv-integrations/%/.stamp
.venv-integrations/%/.stamp: tests/integrations/requirements/%.txt | .venv/.stamp-maturin
	@echo "anyread: installing $* for \`make integrations\`" >&2
	@$(BIN)/python -m venv --clear .venv-integrations/$* >&2
	@$(BIN)/python tests/integrations/dependencies.py | .venv-integrations/$*/bin/python -m pip install --quiet \
		--disable-pip-version-check $(call without_resolving,$<) --requirement $< --requirement /dev/stdin >&2
	@echo $(CURDIR)/python > $$(echo .venv-integrations/$*/lib/python3*/site-packages)/anyread.pth
	@touch $@

# Loops of other projects in which one tool is exchanged for ours; two of them use environments of frameworks.
DROP_INS ?= deepagents mcp_host openhands
DROP_IN_REQUIREMENTS := tests/integrations/drop_ins/requirements/openhands.txt

# OpenHands needs a newer Python than anyread; one that a version manager has may not be in PATH.
find_newer_python = for python in python3.14 python3.13 python3.12 \
	$$(ls "$$($(BIN)/python -c 'import sys; print(sys.base_prefix)')"/../*/bin/python3.1[2-9] 2>/dev/null); do \
	$$python -c 'import sys; sys.exit(sys.version_info < (3, 12))' 2>/dev/null && break; python=; done
no_newer_python = $(call refuse,Python 3.12 or newer is missing: OpenHands requires it.)

.venv-integrations/openhands/.stamp: $(DROP_IN_REQUIREMENTS) | .venv/.stamp-maturin
	@echo "anyread: installing openhands for \`make integrations\`" >&2
	@$(find_newer_python); test -n "$$python" || $(no_newer_python); $$python -m venv --clear $(@D) >&2
	@$(BIN)/python tests/integrations/dependencies.py | $(@D)/bin/python -m pip install --quiet \
		--disable-pip-version-check --no-deps --requirement $< --requirement /dev/stdin >&2
	@echo $(CURDIR)/python > $$(echo $(@D)/lib/python3*/site-packages)/anyread.pth
	@touch $@

# Clients of the MCP server, each with its own packages for Python or for Node.js.
PYTHON_CLIENTS := $(notdir $(basename $(wildcard tests/clients/requirements/*.txt)))
NODE_CLIENTS := $(notdir $(basename $(wildcard tests/clients/node/*.json)))
CLIENTS ?= $(PYTHON_CLIENTS) $(NODE_CLIENTS)
CLIENT_PACKAGES = $(patsubst %,.venv-clients/%/.stamp,$(filter $(PYTHON_CLIENTS),$(CLIENTS))) \
	$(patsubst %,target/clients/%/.stamp,$(filter $(NODE_CLIENTS),$(CLIENTS)))

.venv/.stamp-clients: pyproject.toml | .venv/.stamp-dev
	@$(BIN)/pip install --quiet --group clients >&2
	@touch $@

.venv-clients/%/.stamp: tests/clients/requirements/%.txt | $(BIN)/python
	@echo "anyread: installing $* for \`make clients\`" >&2
	@$(BIN)/python -m venv --clear .venv-clients/$* >&2
	@.venv-clients/$*/bin/python -m pip install --quiet --disable-pip-version-check --requirement $< >&2
	@touch $@

target/clients/%/.stamp: tests/clients/node/%.json | .venv/.stamp-clients
	@echo "anyread: installing $* for \`make clients\`" >&2
	@PYTHONPATH=tests $(BIN)/python -m clients.node_packages $*
	@touch $@

# The readers of `make conformance`; some are rivals of `make bench` too.
READERS := $(notdir $(basename $(wildcard benches/conformance/requirements/*.txt))) adk deepagents harness strands
NODE_READERS := $(notdir $(basename $(wildcard benches/conformance/node/*.json)))
RIVAL ?=
READER_PACKAGES = $(patsubst %,.venv-rivals/%/.stamp,$(if $(RIVAL),$(filter $(READERS),$(RIVAL)),$(READERS))) \
	$(patsubst %,target/conformance/%/.stamp,$(if $(RIVAL),$(filter $(NODE_READERS),$(RIVAL)),$(NODE_READERS)))

.venv-rivals/%/.stamp: benches/conformance/requirements/%.txt | $(BIN)/python
	@echo "anyread: installing $* for \`make conformance\`" >&2
	@$(BIN)/python -m venv --clear .venv-rivals/$* >&2
	@.venv-rivals/$*/bin/python -m pip install --quiet --disable-pip-version-check --requirement $< >&2
	@touch $@

.venv-rivals/openhands/.stamp: benches/conformance/requirements/openhands.txt | $(BIN)/python
	@echo "anyread: installing openhands for \`make conformance\`" >&2
	@$(find_newer_python); test -n "$$python" || $(no_newer_python); $$python -m venv --clear $(@D) >&2
	@$(@D)/bin/python -m pip install --quiet --disable-pip-version-check --requirement $< >&2
	@touch $@

target/conformance/%/.stamp: benches/conformance/node/%.json | toolchain
	@command -v npm >/dev/null || $(call refuse,\`npm\` is missing and installs readers written in JavaScript: install Node.js 20 or newer.)
	@mkdir -p $(@D) && cp $< $(@D)/package.json
	@cd $(@D) && npm install --ignore-scripts --no-audit --no-fund --loglevel=error >&2
	@touch $@

# The tools whose contracts anyread has. The editor of SWE-agent is one file, which is no package.
REFERENCE_TOOLS ?=
REFERENCE_PACKAGES := $(addprefix .venv-rivals/,$(addsuffix /.stamp,anthropic deepagents openhands strands-agents)) \
	$(addprefix target/conformance/,$(addsuffix /.stamp,gemini-cli opencode pi server-filesystem)) \
	target/reference-tools/str_replace_editor
SWE_AGENT := https://raw.githubusercontent.com/SWE-agent/SWE-agent/3ea751c087f32b16e039a2233dd6eefecef325d5
SWE_AGENT_SHA256 := bb36c0d244c820b31d92ed46ced6ba2588a52b482058a71321175dfaba1b0ff3

target/reference-tools/str_replace_editor:
	@mkdir -p $(@D) && curl --fail --silent --show-error --location --output $@ \
		$(SWE_AGENT)/tools/edit_anthropic/bin/str_replace_editor || \
		$(call refuse,$@ is missing: put SWE-agent\'s file there.)
	@echo "$(SWE_AGENT_SHA256)  $@" | sha256sum --check --status

# Other versions of our own dependencies, which take the place of those in .venv.
TESTS_OF_DEPENDENCIES := tests/decoding/test_versions.py tests/decoding/test_sandbox.py \
	$(wildcard tests/formats/test_image*.py tests/formats/test_pdf*.py)

target/dependencies/%/.stamp: tests/dependencies/%.txt | .venv/.stamp-maturin
	@echo "anyread: installing $* for \`make dependencies\`" >&2
	@rm -rf $(@D) && $(BIN)/pip install --quiet --no-deps --target $(@D) --requirement $< >&2
	@touch $@

# Versions of the MCP SDK for the server; the clients in its tests use the one in .venv.
SDKS := $(notdir $(basename $(wildcard tests/dependencies/mcp-*.txt)))
TESTS_OF_SDKS := $(addprefix tests/mcp_server/test_mcp_,calls.py wire.py endurance.py)

target/dependencies/mcp-%/.stamp: tests/dependencies/mcp-%.txt | .venv/.stamp-maturin
	@echo "anyread: installing mcp-$* for \`make dependencies\`" >&2
	@rm -rf $(@D) && $(BIN)/pip install --quiet --target $(@D) --requirement $< >&2
	@touch $@

# The data engines of `make batch`, each in its own environment too.
ENGINES := $(notdir $(basename $(wildcard tests/engines/requirements/*.txt)))
FILES ?= 100000

.venv-engines/%/.stamp: tests/engines/requirements/%.txt | .venv/.stamp-maturin
	@echo "anyread: installing $* for \`make batch\`" >&2
	@$(BIN)/python -m venv --clear .venv-engines/$* >&2
	@$(BIN)/python tests/integrations/dependencies.py | .venv-engines/$*/bin/python -m pip install --quiet \
		--disable-pip-version-check --requirement $< --requirement /dev/stdin >&2
	@echo $(CURDIR)/python > $$(echo .venv-engines/$*/lib/python3*/site-packages)/anyread.pth
	@touch $@

# python/anyread has one extension at a time, so building one profile removes the other's stamp.
# The group is named because maturin would otherwise install `dev`.
.venv/.stamp-release: $(RUST) .venv/.stamp-maturin
	@PIP_QUIET=1 $(BIN)/maturin develop --release --group build >&2
	@rm -f .venv/.stamp-dist
	@touch $@

.venv/.stamp-dist: $(RUST) .venv/.stamp-maturin
	@PIP_QUIET=1 $(BIN)/maturin develop --profile dist --group build >&2
	@rm -f .venv/.stamp-release
	@touch $@

# ---------------------------------------------------------------------------------------------------------------------
# Targets

help:  ## List the targets
	@sed -n 's/^\([a-z-]*\):.*  ## /\1|/p' Makefile | while IFS='|' read -r verb does; do \
		printf 'make %-14s %s\n' "$$verb" "$$does"; done

run: .venv/.stamp-release  ## Build, and read FILE (by default README.md): make run FILE=path
	@$(BIN)/anyread read "$$FILE"

test: suite-rust suite suite-portable  ## Run the tests: Rust, Python, and again those that depend on the portable path

check: lint-and-types $(FOREIGN:%=platform-%) suite  ## Check formatting, lints, types, other systems, and coverage of the Python tests

check-platforms: $(PLATFORMS:%=platform-%)  ## Compile for every platform, without linking: PLATFORMS="aarch64-apple-darwin"

coverage: suite target/tools/bin/cargo-tarpaulin  ## Measure line coverage of Python and Rust (at least 90 % each)
	@PATH="$(CURDIR)/target/tools/bin:$$PATH" cargo tarpaulin --package anyread-core --release --locked --engine llvm \
		--include-files 'rust/anyread-core/src/*' --target-dir target/tarpaulin --skip-clean --timeout 900 \
		--out stdout --fail-under 90

docs: .venv-docs/.stamp .venv/.stamp-release  ## Build the documentation site into target/site, and check it
	@$(BIN)/python -m website.tables
	@$(BIN)/python -m website.stage
	@.venv-docs/bin/zensical build --clean --strict --config-file target/mkdocs.yml
	@$(BIN)/python -m website.check

docs-serve: docs  ## Build the site, and serve it at http://localhost:8000
	@.venv-docs/bin/zensical serve --config-file target/mkdocs.yml

integrations: $(FRAMEWORKS:%=integration-%) $(DROP_INS:%=drop-in-%)  ## Check and test the integrations: FRAMEWORKS="langchain strands" DROP_INS= for some
	@$(BIN)/python tests/integrations/cells.py

clients: .venv/.stamp-clients .venv/.stamp-release $(CLIENT_PACKAGES)  ## Run MCP clients with the server: CLIENTS="mcp inspector" for some
	@PYTHONPATH=tests $(BIN)/python -m clients.run $(CLIENTS)
	@PYTHONPATH=tests $(BIN)/python -m clients.launchers

dependencies: dependencies-lowest dependencies-newest $(SDKS:%=sdk-%) target/dependencies/outdated/.stamp  ## Test with the lowest and the newest versions of Pillow, pypdfium2 and the MCP SDK
	PYTHONPATH=target/dependencies/outdated $(BIN)/python tests/outdated.py

batch: $(ENGINES:%=batch-%)  ## Test `anyread.batch` in Ray Data, Daft and a pool of processes: FILES=100000
	@$(BIN)/python -m pytest -m 'torture or not torture' -k 'processes or examples' -o timeout=0 tests/batch

conformance: .venv/.stamp-dev .venv/.stamp-release $(READER_PACKAGES)  ## Check other readers with the rules: RIVAL="adk cat" for some
	@$(BIN)/python -m benches.conformance.run $(RIVAL)

bench: .venv/.stamp-bench .venv/.stamp-dist  ## Measure speed: BENCH=targets, comparison or both; ANYREAD_BENCH_GB=10
	@set -e; for part in $(BENCH); do case $$part in \
		targets) $(BIN)/python -m pytest benches -o timeout=0 --benchmark-columns=min,median,iqr,rounds --benchmark-sort=name;; \
		comparison) $(BIN)/python -m benches.compare;; \
		*) echo "anyread: BENCH is \`targets\`, \`comparison\` or both, not \`$$part\`" >&2; exit 1;; esac; done
	@$(BIN)/python -m benches.publish

bench-rivals: $(RIVALS:%=.venv-rivals/%/.stamp)  ## Install the rivals of `make bench`, each into its own environment

bench-tools: .venv/.stamp-bench .venv/.stamp-dist $(REFERENCE_PACKAGES)  ## Compare the tools whose contracts anyread has: REFERENCE_TOOLS="pi opencode" for some
	@$(BIN)/python -m benches.reference_tools.run $(REFERENCE_TOOLS)
	@$(BIN)/python -m benches.publish

torture: .venv/.stamp-dev .venv/.stamp-release  ## Run the long tests, and write the scoreboard of docs/security.md
	@rm -rf target/torture
	@status=0; export ANYREAD_TORTURE=1; \
		$(PYTEST) --dist=loadfile --no-loadscope-reorder --durations=20 -m torture -o timeout=0 $(ALONE:%=--ignore=%) || status=$$?; \
		$(BIN)/python -m pytest -m torture -o timeout=0 $(ALONE) || status=$$?; \
		PYTHONPATH=tests $(BIN)/python -m torture.publish || status=$$?; exit $$status

torture-paths: .venv/.stamp-dev .venv/.stamp-release  ## Run the other tests on the portable path, and those that scan without mapping
	@ANYREAD_PORTABLE=1 $(PYTEST) $(PORTABLE:%=--ignore=%)
	@ANYREAD_MMAP=0 $(PYTEST) tests/text tests/running tests/test_async.py tests/test_read_many.py

torture-platforms: core-unix $(STATIC:%=core-%)  ## Test the core with the implementation for macOS, with musl, and on aarch64 in qemu

fuzz: $(BIN)/python | toolchain  ## Search for inputs that break the Rust core: make fuzz MINUTES=10
	@command -v c++ >/dev/null || \
		$(call refuse,a C++ compiler (\`c++\`) is missing and libFuzzer is built with it: install \`g++\` or \`clang\`.)
	@$(BIN)/python tests/fuzzing.py $(MINUTES)

dist: $(DIST:%=dist-%) dist-source  ## Build the source package and all wheels into dist/, and check them: DIST="x86_64-unknown-linux-gnu"
	@.venv-dist/bin/python tests/built.py dist

dist-source: .venv-dist/.stamp
	@.venv-dist/bin/maturin sdist --out dist >&2

# Without its system's files, only zig can link a wheel for another system. For Windows, maturin asks zig to export
# `PyInit_anyread._native` from the extension, a name that does not exist, so the linker of MinGW-w64 takes its place.
MINGW := x86_64-w64-mingw32-gcc
dist-%: .venv-dist/.stamp
	@if [ ! -d "$$(rustc --print target-libdir --target $* 2>/dev/null)" ]; then \
		echo "anyread: no wheel for $*: install the target with \`rustup target add $*\`" >&2; \
	elif [ $* = x86_64-pc-windows-gnu ] && ! command -v $(MINGW) >/dev/null; then \
		echo "anyread: no wheel for $*: its linker \`$(MINGW)\` is missing (package \`gcc-mingw-w64-x86-64\` of Debian)" >&2; \
	else PATH="$(CURDIR)/.venv-dist/bin:$$PATH" .venv-dist/bin/maturin build --profile dist --target $* \
		$(if $(findstring windows,$*),,--zig) \
		--compatibility $(if $(findstring musl,$*),musllinux_1_2,$(if $(findstring linux,$*),manylinux2014,pypi)) --out dist >&2; fi

.venv-dist/.stamp: pyproject.toml | $(BIN)/python
	@echo "anyread: installing the tools of \`make dist\`" >&2
	@$(BIN)/python -m venv --clear --upgrade-deps .venv-dist >&2
	@.venv-dist/bin/pip install --quiet --disable-pip-version-check --group dist >&2
	@touch $@

vocabularies: $(BIN)/python  ## Pack the vocabularies of the exact tokenizers again: FROM=DIRECTORY
	@$(BIN)/python rust/vocabularies.py "$(FROM)"

licenses: $(BIN)/python | toolchain  ## Regenerate THIRD_PARTY_LICENSES.md, after Cargo.lock has changed
	@$(BIN)/python rust/licenses.py

manual: .venv/.stamp-dev .venv/.stamp-release  ## Regenerate the manual page and the completion scripts of the wheel, after the command line or the version has changed
	@$(BIN)/python -m website.manual

clean:  ## Remove everything that the targets created
	@rm -rf .venv .venv-rivals .venv-integrations .venv-clients .venv-engines .venv-docs .venv-dist target dist coverage .coverage .coverage.* .pytest_cache .mypy_cache .ruff_cache .hypothesis
	@rm -f python/anyread/*.so
	@find python tests benches examples website -name __pycache__ -type d -prune -exec rm -rf {} +

# ---------------------------------------------------------------------------------------------------------------------
# Parts of the targets

# Each part uses little more than one core, so they run in parallel, after what both install and build.
lint-and-types: .venv/.stamp-dev .venv/.stamp-release
	@$(MAKE) --no-print-directory --jobs=2 --output-sync=target lint types

lint: .venv/.stamp-dev | lint-tools
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --locked --quiet -- -D warnings
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/lint-imports --no-logo --no-timing

types: .venv/.stamp-dev .venv/.stamp-release
	$(BIN)/mypy
	$(BIN)/mypy tests python/anyread-conformance/tests benches examples website --cache-dir .mypy_cache/tests
	$(BIN)/python -m mypy.stubtest anyread._native --mypy-config-file pyproject.toml
	$(BIN)/python -m pytest -m types tests/test_docs_types.py

# These measure times or memory, so nothing may run beside them.
ALONE := tests/torture/test_s12_load.py tests/torture/test_s13_soak.py

# One worker more than there are cores, because workers spend some time waiting; eight are enough on any machine.
WORKERS = $(shell echo $$(($$(nproc 2>/dev/null || getconf _NPROCESSORS_ONLN) + 1)))
PYTEST = $(BIN)/python -m pytest --numprocesses=$(WORKERS) --maxprocesses=8 --dist=worksteal --benchmark-disable

# `make check test` runs the suite once for both targets, with coverage; `make test` alone measures no coverage.
COVERAGE := $(if $(filter check coverage,$(MAKECMDGOALS)),--cov --cov-report=term-missing:skip-covered)

suite: .venv/.stamp-dev .venv/.stamp-release
	$(PYTEST) $(COVERAGE)

# The tests that depend on how a file is opened, scanned or decoded; `make torture-paths` runs the others on the portable path.
PORTABLE := tests/text tests/running tests/decoding \
	$(addprefix tests/test_,$(addsuffix .py,async deadlines forks golden read_many reader_roots short_of_memory short_of_threads))
# These choose the path themselves, so a second run would repeat the first.
BOTH_PATHS := tests/text/test_guard.py tests/running/test_fairness.py tests/running/test_inline.py \
	tests/running/test_same_results.py

suite-portable: .venv/.stamp-dev .venv/.stamp-release
	ANYREAD_PORTABLE=1 $(PYTEST) $(PORTABLE) $(BOTH_PATHS:%=--ignore=%)

integration-%: .venv-integrations/%/.stamp .venv/.stamp-release
	.venv-integrations/$*/bin/python -m mypy --config-file tests/integrations/mypy.ini \
		--cache-dir .mypy_cache/integrations/$* python/anyread/integrations/$*.py tests/integrations/test_$*.py
	.venv-integrations/$*/bin/python -m pytest -q tests/integrations/test_$*.py tests/integrations/test_section.py \
		--framework=$*

DROP_IN_TEST = -m pytest -q --config-file tests/integrations/pytest.toml tests/integrations/drop_ins
DROP_IN_TYPES = -m mypy --config-file tests/integrations/mypy.ini \
	--cache-dir .mypy_cache/integrations/drop_ins tests/integrations/drop_ins

drop-in-deepagents: .venv-integrations/deepagents/.stamp .venv/.stamp-release
	.venv-integrations/deepagents/bin/python $(DROP_IN_TYPES)/test_deepagents.py
	.venv-integrations/deepagents/bin/python $(DROP_IN_TEST)/test_deepagents.py

# Without npm, the answers are not compared with those of the reference server.
drop-in-mcp_host: .venv-integrations/openai_agents/.stamp .venv/.stamp-dev .venv/.stamp-release \
		$(if $(shell command -v npm),target/conformance/server-filesystem/.stamp)
	.venv-integrations/openai_agents/bin/python $(DROP_IN_TYPES)/test_mcp_host.py
	.venv-integrations/openai_agents/bin/python $(DROP_IN_TEST)/test_mcp_host.py

drop-in-openhands: .venv/.stamp-release
	@$(find_newer_python); test -n "$$python" && $(MAKE) --no-print-directory drop-in-openhands-here || \
		{ test -z "$$python" && echo "anyread: OpenHands is not tested: it requires Python 3.12 or newer" >&2; }

drop-in-openhands-here: .venv-integrations/openhands/.stamp
	OPENHANDS_SUPPRESS_BANNER=1 LITELLM_LOCAL_MODEL_COST_MAP=True \
		.venv-integrations/openhands/bin/python $(DROP_IN_TEST)/test_openhands.py

batch-%: .venv-engines/%/.stamp .venv/.stamp-release
	.venv-engines/$*/bin/python -m mypy --config-file tests/engines/mypy.ini \
		--cache-dir .mypy_cache/engines/$* tests/engines/test_$*.py benches/engines/time_$*.py
	.venv-engines/$*/bin/python -m pytest -q tests/engines/test_$*.py --files $(FILES)

# A target whose standard library is not installed is named, and left to the workflow of `.github`.
platform-%: | toolchain
	@if [ ! -d "$$(rustc --print target-libdir --target $* 2>/dev/null)" ]; then \
		echo "anyread: $* is not checked: install it with \`rustup target add $*\`"; \
	else $(MAKE) --no-print-directory target/platforms/$*; fi

# An extension cannot be linked into a static program, which is what these targets make without the option.
target/platforms/%-musl: export RUSTFLAGS := -C target-feature=-crt-static
target/platforms/%: $(RUST) | lint-tools
	cargo clippy --package anyread-core --package anyread-python --target $* --locked --quiet -- -D warnings
	@mkdir -p $(@D) && touch $@

# It works on Linux too; the tests of what only Linux has are left out.
core-unix: | toolchain
	RUSTFLAGS='--cfg anyread_system="unix"' cargo test --package anyread-core --release --locked \
		--target-dir target/unix -- --skip guard --skip sandbox --skip mapping

# `env` runs a program as it is.
emulator = $(if $(findstring $(shell uname -m),$*),env,$(notdir $(firstword $(shell which qemu-$(cpu) qemu-$(cpu)-static 2>/dev/null))))
cpu = $(firstword $(subst -, ,$*))
cargo_variable = CARGO_TARGET_$(shell echo $* | tr a-z- A-Z_)
core-%: | toolchain
	@if [ ! -d "$$(rustc --print target-libdir --target $* 2>/dev/null)" ]; then \
		echo "anyread: the core is not tested on $*: install it with \`rustup target add $*\`"; \
	elif [ -z "$(emulator)" ]; then \
		echo "anyread: the core is not tested on $*: \`qemu-$(cpu)\` is missing (package \`qemu-user\` of Debian)"; \
	else set -x; $(cargo_variable)_LINKER=rust-lld $(cargo_variable)_RUNNER=$(emulator) \
		cargo test --package anyread-core --release --locked --target $*; fi

dependencies-%: target/dependencies/%/.stamp .venv/.stamp-dev .venv/.stamp-release
	PYTHONPATH=target/dependencies/$* $(PYTEST) -q $(TESTS_OF_DEPENDENCIES)

sdk-mcp-%: target/dependencies/mcp-%/.stamp .venv/.stamp-dev .venv/.stamp-release
	ANYREAD_TEST_MCP=$(CURDIR)/target/dependencies/mcp-$* $(PYTEST) -q $(TESTS_OF_SDKS)

suite-rust: | toolchain
	cargo test --package anyread-core --release --locked

target/tools/bin/cargo-tarpaulin: | toolchain
	@cargo install cargo-tarpaulin --locked --quiet --root target/tools --target-dir target/tools/build >&2
