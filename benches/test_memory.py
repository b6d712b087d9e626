"""P9: the memory that a window of a huge file takes, measured from outside a new process."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import pytest
from benches import judges
from benches.resident import Memory, measured_read

if TYPE_CHECKING:
    from collections.abc import Callable

    from benches.inputs import EndlessLine, Log

pytestmark = [
    pytest.mark.benchmark,
    pytest.mark.skipif(sys.platform != "linux", reason="memory is read from /proc"),
]

MIB = 2**20
FAR_COLUMN = 2_000_000_001


@pytest.mark.parametrize("key", ["memory-first", "memory-tail", "memory-deep"])
def test_memory_of_window(report: Callable[..., None], log_10_gb: Log, key: str) -> None:
    deep = log_10_gb.lines * 9 // 10
    arguments: dict[str, Any] = {
        "memory-first": {},
        "memory-tail": {"offset": -100},
        "memory-deep": {"offset": deep, "limit": 100},
    }[key]
    memory = measured_read(log_10_gb.path, **arguments)
    if key == "memory-tail":
        expected = judges.tail(log_10_gb.path, 100)
    elif key == "memory-deep":
        expected = judges.sed_window(log_10_gb.path, deep, deep + 99)
    else:
        expected = judges.head(log_10_gb.path, memory.text.count("\n"))
    assert memory.text == expected
    _report_peaks(report, key, memory)


def test_memory_of_count(report: Callable[..., None], log_10_gb: Log) -> None:
    memory = measured_read(log_10_gb.path, exact_total=True, limit=100)
    assert memory.total_lines == log_10_gb.lines
    _report_peaks(report, "memory-count", memory)


def test_memory_of_column(report: Callable[..., None], endless_line: EndlessLine) -> None:
    memory = measured_read(endless_line.path, column=FAR_COLUMN, limit=1)
    assert memory.text.startswith(endless_line.characters_at(FAR_COLUMN, 2000))
    _report_peaks(report, "memory-column", memory)


def test_index_size(report: Callable[..., None], log_10_gb: Log) -> None:
    memory = measured_read(log_10_gb.path, exact_total=True, limit=1)
    assert memory.total_lines == log_10_gb.lines
    used, held = (
        100 * size / log_10_gb.size_bytes for size in (memory.used_anonymous, memory.held_anonymous)
    )
    report("index-size", used, "%", "with freed memory that the allocator keeps", held)


def _report_peaks(report: Callable[..., None], key: str, memory: Memory) -> None:
    report(key, memory.peak_anonymous / MIB, "MiB", "peak of mapped file pages", memory.peak_mapped / MIB)
