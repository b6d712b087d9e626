"""S10: each operation with 32 amounts of memory, from a page beyond what the process uses upward."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from torture.fault_plan import CODES, code_of
from torture.operations import OPERATIONS
from torture.processes import start
from torture.scoreboard import IS_FULL

# The short run tests a few operations, the full run all of them.
TEXTS = OPERATIONS if IS_FULL else (("text", "large directory", "long line", "exact tokens"),)
DECODERS = ("image", "pdf") if IS_FULL else ("image",)

INTERPRETER = {
    "RuntimeError: can't allocate lock": "CPython reports a lock without memory as a `RuntimeError`",
    "RuntimeError: can't allocate read lock": "the same, in the modules `io` and `queue`",
    "SyntaxError: ": "CPython's parser reports some failed allocations of an import as a `SyntaxError`",
    "RuntimeError: can't start new thread": "CPython reports a thread without memory as a `RuntimeError`",
    "cannot allocate memory for thread-local data": "glibc ends the process when a thread has no memory",
    "failed to register TLS destructor": "glibc ends the process when a thread has no memory",
}
"""What CPython and the C library do without memory, and no library can prevent."""


SMALL_BYTES = 64 << 10
SMALL_SPARE = 132 << 10
"""Allocations up to the first size, with less to spare than the second, may abort the process: only larger
ones, and those whose size a file or a caller decides, are made so that a refusal is an error."""


def attempts(files: Path, state: str, steps: int, operations: tuple[str, ...]) -> list[dict[str, str]]:
    with start("memory_process", files, state, steps, *operations) as process:
        output, _ = process.communicate()
    assert process.returncode == 0
    return [json.loads(line) for line in output.splitlines()]


def judged(attempt: dict[str, Any]) -> str:
    """Return "right", "typed", "memory", "interpreter", "small abort", or what is wrong with an attempt."""
    right = attempt["right"].split("\n")
    parts = attempt["outcome"].split("\n")
    name = f"{attempt['operation']} with {int(attempt['spare']) >> 10:,} KiB"
    if attempt["outcome"].startswith(("abort", "wrong")):
        if any(sign in attempt["outcome"] for sign in INTERPRETER):
            return "interpreter"
        return "small abort" if is_small_abort(attempt) else f"{name}: {attempt['outcome']}"
    if attempt["next"] != attempt["right"]:
        return f"{name}, the next call: {attempt['next']}"
    if parts == right:
        return "right"
    if parts == ["memory"]:
        return "memory"
    errors = [part for part in parts if part not in right]
    wanted = {code_of(part) for part in right if part.startswith("error: ")}
    is_typed = all(part.startswith("error: ") and code_of(part) in CODES | wanted for part in errors)
    return "typed" if is_typed else f"{name}: {attempt['outcome']}"


def is_small_abort(attempt: dict[str, Any]) -> bool:
    """Return whether the process was aborted for a small allocation with almost no memory to spare."""
    sizes = [int(size) for size in re.findall(r"memory allocation of (\d+) bytes failed", attempt["outcome"])]
    return bool(sizes) and max(sizes) <= SMALL_BYTES and int(attempt["spare"]) <= SMALL_SPARE


def record(score: Any, part: str, found: list[dict[str, str]]) -> None:
    counts = Counter(map(judged, found))
    detail = [f"{counts.pop(kind)} {kind}" for kind in ("right", "typed", "memory") if kind in counts]
    known = counts.pop("interpreter", 0)
    if known:
        signs = {sign for sign in INTERPRETER for attempt in found if sign in attempt["outcome"]}
        detail.append(f"{known} by CPython or glibc ({', '.join(sorted(signs))})")
    if small := counts.pop("small abort", 0):
        detail.append(
            f"{small} aborted for at most {SMALL_BYTES:,} bytes with under {SMALL_SPARE >> 10} KiB left"
        )
    mistakes = list(counts)
    score(
        "S10",
        part,
        failures=sum(counts.values()),
        of=len(found),
        unit="attempts",
        detail="; ".join([", ".join(detail), *mistakes[:5]]),
    )


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize("operations", TEXTS, ids=lambda names: f"{names[0]} and others")
def test_read_without_memory_is_typed(
    operations: tuple[str, ...], files: Path, scale: Any, score: Any
) -> None:
    """The process was aborted whenever a small allocation or a buffer failed."""
    for state in ("cold", "warm"):
        record(score, f"{state} reads", attempts(files, state, scale(short=4, full=32), operations))


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize("operation", DECODERS)
def test_read_with_decoder_without_memory_is_typed(
    operation: str, files: Path, scale: Any, score: Any
) -> None:
    record(score, "reads with a decoder", attempts(files, "cold", scale(short=1, full=32), (operation,)))
