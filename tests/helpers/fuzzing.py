"""Fuzz the Rust core: `make fuzz MINUTES=10` runs all targets of tests/suite/fuzz with libFuzzer.

Stable rustc passes LLVM's coverage instrumentation through (`-C passes`, `-C llvm-args`), so neither nightly
nor cargo-bolero is needed. libFuzzer is compiled from the sources in `bolero-libfuzzer`, with a C++ compiler.

New inputs stay in target/fuzz/corpus. An input that fails is added to `__fuzz__/<target>/crashes`, from where
`cargo test` replays it: commit it together with the fix.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ROOT / "rust/anyread-core/tests/suite/fuzz"
INPUTS = SOURCES / "__fuzz__"
BUILD = ROOT / "target/fuzz"

COVERAGE = (
    "--cfg=fuzzing",
    "--cfg=fuzzing_libfuzzer",
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cllvm-args=-sanitizer-coverage-trace-compares",
)

LONGEST_SECONDS = 20
"""An input that takes longer than this is a failure; the usual ones take less than 10 ms."""

MOST_MEMORY_MB = 2048

SEEDS = 24
SEED_BYTES = 4096
LONGEST_SEED = 256
"""The number of seeds of a target, their size together, and the size of one; `--keep-seeds` replaces them."""


class Target(NamedTuple):
    """A test that libFuzzer can drive."""

    test: str
    name: str


class Outcome(NamedTuple):
    """What a run of a target reported."""

    target: Target
    executions: int
    seconds: int
    coverage: str
    failed: bool


def targets() -> list[Target]:
    """Return all targets, found by the names that the tests give to `run`."""
    pattern = re.compile(r'fn (test_\w+)\(\) \{\s*run\("(\w+)"')
    return [
        Target(f"fuzz::{path.stem}::{test}", name)
        for path in sorted(SOURCES.glob("*.rs"))
        for test, name in pattern.findall(path.read_text("utf-8"))
    ]


def build() -> Path:
    """Compile the tests with coverage instrumentation, and return the program."""
    host = subprocess.run(["rustc", "-vV"], check=True, capture_output=True, text=True).stdout
    triple = next(line.removeprefix("host: ") for line in host.splitlines() if line.startswith("host: "))
    # With --target, the flags do not apply to build scripts and macros.
    command = [
        *(
            "cargo",
            "test",
            "--package=anyread-core",
            "--test=suite",
            "--profile=fuzz",
            "--locked",
            "--no-run",
        ),
        *(f"--target={triple}", f"--target-dir={BUILD}", "--message-format=json-render-diagnostics"),
    ]
    # Flags are separated by a control character, because a path may contain spaces.
    environment = os.environ | {"CARGO_ENCODED_RUSTFLAGS": "\x1f".join(COVERAGE)}
    built = subprocess.run(command, cwd=ROOT, env=environment, check=True, stdout=subprocess.PIPE, text=True)
    messages = [json.loads(line) for line in built.stdout.splitlines()]
    programs = [message["executable"] for message in messages if message.get("executable")]
    return Path(programs[-1])


def libfuzzer(program: Path, target: Target, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run libFuzzer on a target; its arguments are separated by spaces, so paths in them are relative."""
    directory = BUILD / "corpus" / target.name
    directory.mkdir(parents=True, exist_ok=True)
    environment = os.environ | {"BOLERO_LIBFUZZER_ARGS": " ".join(arguments), "RUST_BACKTRACE": "0"}
    command = [str(program), target.test, "--exact", "--nocapture", "--test-threads=1"]
    return subprocess.run(
        command,
        cwd=directory,
        env=environment,
        check=False,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    )


def fuzz(program: Path, target: Target, seconds: int) -> Outcome:
    """Search for inputs that fail, starting with the seeds and with what earlier runs have found."""
    here = BUILD / "corpus" / target.name
    for part in ("corpus", "crashes"):
        (INPUTS / target.name / part).mkdir(parents=True, exist_ok=True)
    inputs = os.path.relpath(INPUTS / target.name, here)
    result = libfuzzer(
        program,
        target,
        *(".", f"{inputs}/corpus", f"{inputs}/crashes", f"-artifact_prefix={inputs}/crashes/"),
        *(f"-max_total_time={seconds}", f"-timeout={LONGEST_SECONDS}", f"-rss_limit_mb={MOST_MEMORY_MB}"),
        *("-print_final_stats=1", "-reload=0", f"-report_slow_units={LONGEST_SECONDS}"),
    )
    (BUILD / f"{target.name}.log").write_text(result.stdout, "utf-8")
    executed = re.findall(r"stat::number_of_executed_units:\s*(\d+)", result.stdout)
    counted = re.findall(r"^#(\d+)\s.*?cov: (\d+) ft: (\d+) corp: (\d+)", result.stdout, re.MULTILINE)
    coverage = "{1} edges, {2} features, {3} inputs".format(*counted[-1]) if counted else ""
    executions = int(executed[-1] if executed else counted[-1][0] if counted else 0)
    return Outcome(target, executions, seconds, coverage, result.returncode != 0)


def keep_seeds(target: Target) -> None:
    """Replace the seeds of a target by some of the inputs that reached new code in earlier runs."""
    found = [
        path for path in (BUILD / "corpus" / target.name).iterdir() if path.stat().st_size <= LONGEST_SEED
    ]
    found.sort(key=lambda path: (path.stat().st_size, path.name))
    seeds = INPUTS / target.name / "corpus"
    shutil.rmtree(seeds, ignore_errors=True)
    seeds.mkdir(parents=True)
    left = SEED_BYTES
    for path in found[:: -(-len(found) // SEEDS)]:
        left -= path.stat().st_size
        if left < 0:
            break
        shutil.copyfile(path, seeds / path.name[:12])


def main(arguments: list[str]) -> int:
    """Run all targets side by side for some minutes in total, and print how many inputs each has executed."""
    minutes, *rest = arguments
    found = targets()
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if rest == ["--keep-seeds"]:
        for target in found:
            keep_seeds(target)
        return 0
    if shutil.which("c++") is None:
        print("anyread: a C++ compiler (`c++`) is missing, with which libFuzzer is built", file=sys.stderr)
        return 1
    program = build()
    rounds = -(-len(found) // cores)
    seconds = max(int(float(minutes) * 60 / rounds), 1)
    with ThreadPoolExecutor(cores) as pool:
        outcomes = list(pool.map(lambda target: fuzz(program, target, seconds), found))
    for outcome in outcomes:
        verdict = "FAILED" if outcome.failed else "ok"
        shown = f"{outcome.executions:>12,} inputs in {outcome.seconds} s, {outcome.coverage}"
        print(f"{outcome.target.name:16} {verdict:6} {shown}")
    for outcome in outcomes:
        if outcome.failed:
            print(f"anyread: see {(BUILD / outcome.target.name).relative_to(ROOT)}.log", file=sys.stderr)
    return int(any(outcome.failed for outcome in outcomes))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
