#!/bin/sh
# Make the environment .venv if it is missing, or fail with one sentence if a tool is missing: toolchain.sh [lint]
venv=${VENV:-.venv}

refuse() {
	echo "anyread: $1" >&2
	exit 1
}

if [ ! -x "$venv/bin/python" ]; then
	# Each candidate is run, because a version manager's shim may exist without an interpreter.
	for python in python3 python3.14 python3.13 python3.12 python3.11 ''; do
		$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && break
	done
	[ -n "$python" ] ||
		refuse "Python 3.11 or newer is missing: install \`python3\` (3.11 or newer) with your system's package manager."
	$python -c 'import ensurepip, venv' 2>/dev/null ||
		refuse "Python's venv module is missing: install \`python3-venv\` with your system's package manager."
fi
required=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)
command -v cargo >/dev/null ||
	refuse "the Rust toolchain (\`cargo\`) is missing: install Rust $required or newer with rustup and open a new shell."
cargo --version >/dev/null 2>&1 ||
	refuse "\`cargo\` is there but has no Rust toolchain to run: choose one with \`rustup default stable\`."
{ echo "$required" && rustc --version | cut -d' ' -f2; } | sort -t. -k1,1n -k2,2n -c 2>/dev/null ||
	refuse "this Rust is too old (\`rustc --version\`): update it to $required or newer with \`rustup update stable\`."
command -v cc >/dev/null || command -v gcc >/dev/null || command -v clang >/dev/null ||
	refuse "a C compiler (\`cc\`) is missing and Rust links with it: install \`gcc\` or \`clang\` with your system's package manager."
[ -z "$1" ] || { cargo fmt --version && cargo clippy --version; } >/dev/null 2>&1 ||
	refuse "rustfmt or clippy is missing: install them with \`rustup component add rustfmt clippy\`."
if [ ! -x "$venv/bin/python" ]; then
	echo "anyread: making $venv with $($python --version)" >&2
	$python -m venv --clear --upgrade-deps "$venv" >&2
fi
# An environment that `uv sync` made has no pip.
if [ ! -x "$venv/bin/pip" ]; then
	"$venv/bin/python" -m ensurepip >&2 && "$venv/bin/python" -m pip install --quiet --upgrade pip >&2
fi
