#!/bin/sh
# Check, test or package for other platforms: platforms.sh check|core|wheel [TARGET…]
# A target whose standard library or whose tools are not installed is named, and left out.
set -eu
action=$1
shift
static='x86_64-unknown-linux-musl aarch64-unknown-linux-musl'
others="$static aarch64-unknown-linux-gnu aarch64-apple-darwin x86_64-apple-darwin"
case "$action $#" in
"check 0") set -- $others x86_64-pc-windows-msvc ;;
"core 0") set -- $static s390x-unknown-linux-gnu ;;
"wheel 0") set -- x86_64-unknown-linux-gnu $others x86_64-pc-windows-gnu ;;
esac

left_out() { echo "anyread: $action leaves out $target: $1" >&2; }

check() {
	# An extension cannot be linked into a static program, which is what musl's targets make without the option.
	case $target in *-musl) export RUSTFLAGS='-C target-feature=-crt-static' ;; *) unset RUSTFLAGS ;; esac
	cargo clippy --package anyread-core --package anyread-python --target "$target" --locked --quiet -- -D warnings
}

# Static programs need no library of their system, so they run here, in qemu if the processor is another: s390x is
# big-endian, and has only glibc, which its own compiler links.
core() {
	cpu=${target%%-*}
	runner=env
	linker=rust-lld
	skipped=
	unset RUSTFLAGS
	case $target in
	*-gnu)
		linker=$cpu-linux-gnu-gcc
		# In qemu, a mapped file that is cut ends the program.
		skipped='--skip guard --skip mapp'
		export RUSTFLAGS='-C target-feature=+crt-static'
		command -v "$linker" >/dev/null ||
			{ left_out "its linker is missing (packages \`gcc-$cpu-linux-gnu\` and \`libc6-dev-$cpu-cross\` of Debian)"; return; }
		;;
	esac
	[ "$cpu" = "$(uname -m)" ] || runner=$(command -v "qemu-$cpu" || command -v "qemu-$cpu-static") ||
		{ left_out "\`qemu-$cpu\` is missing (package \`qemu-user\` of Debian)"; return; }
	variable=CARGO_TARGET_$(echo "$target" | tr a-z- A-Z_)
	env "${variable}_LINKER=$linker" "${variable}_RUNNER=$runner" \
		cargo test --package anyread-core --profile suite --locked --no-fail-fast --target "$target" -- $skipped
}

# Without its system's files, only zig can link a wheel for another system. For Windows, maturin asks zig to export
# `PyInit_anyread._native` from the extension, a name that does not exist, so the linker of MinGW-w64 takes its place.
wheel() {
	zig=--zig
	case $target in
	*windows*)
		zig=
		tag=pypi
		command -v x86_64-w64-mingw32-gcc >/dev/null ||
			{ left_out "its linker is missing (package \`gcc-mingw-w64-x86-64\` of Debian)"; return; }
		;;
	*linux-musl) tag=musllinux_1_2 ;;
	*linux*) tag=manylinux2014 ;;
	*) tag=pypi ;;
	esac
	PATH="$PWD/.venv-dist/bin:$PATH" maturin build --profile dist --target "$target" $zig \
		--compatibility $tag --out dist >&2
}

for target; do
	if [ -d "$(rustc --print target-libdir --target "$target" 2>/dev/null)" ]; then
		$action
	else
		left_out "install it with \`rustup target add $target\`"
	fi
done
