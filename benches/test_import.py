"""P10: the time that loading anyread and its reader adds to a program that already imports asyncio."""

from __future__ import annotations

import statistics
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from benches.conftest import Measure

pytestmark = pytest.mark.benchmark

_PROGRAM = """
import time
started = time.perf_counter()
import asyncio, dataclasses
{more}
print(time.perf_counter() - started)
"""
ROUNDS = 15


def seconds_of(more: str) -> float:
    """Run the imports in a new interpreter and return the time that they took in it."""
    command = [sys.executable, "-I", "-c", _PROGRAM.format(more=more)]
    return float(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)


def test_import(measure: Measure) -> None:
    base: list[float] = []
    full: list[float] = []
    measure.benchmark.pedantic(
        lambda: full.append(seconds_of("import anyread; anyread.read")),
        setup=lambda: base.append(seconds_of("")),
        rounds=ROUNDS,
        warmup_rounds=1,
    )
    base_ms, full_ms = (statistics.median(seconds[1:]) * 1e3 for seconds in (base, full))
    measure.report("import", full_ms - base_ms, "ms", "asyncio and dataclasses alone", base_ms)
