"""S4: bombs end in time with a result or a typed error, and leave a host that reads on."""

from __future__ import annotations

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from helpers.media import text_pdf
from torture.input_bombs import write_bombs
from torture.read_hosts import Report, read_all

HOSTS = 2
MAX_GROWTH_BYTES = 50_000_000


@dataclass(frozen=True)
class Bomb:
    """How the host of one bomb fared."""

    name: str
    report: Report
    growth_bytes: int
    """How much more memory the host keeps when all work has ended."""
    failures: list[str]


def ways_of(windows: list[dict[str, Any]]) -> list[str]:
    """Return the ways to read a bomb: as what it is and, if it is a text, each of its windows.

    Notebooks are read once: after a second read of one with 8 to 32 MB, glibc keeps up to 100 MB of freed
    memory for its threads, which does not grow with further reads.
    """
    return ["kind:", *(["info"] if windows else []), *(f"window:{json.dumps(window)}" for window in windows)]


def read_bomb(path: Path, ways: list[str], timeout_s: float, others: list[str]) -> Bomb:
    """Read other files, a bomb, and the other files again, in a new host."""
    sound = [(other, ["sound", "settle"]) for other in others]
    report = read_all([*sound, (str(path), ways), *sound], timeout_s)
    path.unlink()
    failures = [f"{path.name}: {failure}" for failure in report.failures]
    failures += [
        f"{path.name}: the read of {read.path} ended with {read.outcome}"
        for read in report.reads
        if read.path in others and read.outcome != "result"
    ]
    # The first reads have loaded what all reads need.
    settled = [read.resident_bytes for read in report.reads if read.way == "settle"]
    growth = settled[-1] - settled[len(others) - 1]
    if growth >= MAX_GROWTH_BYTES:
        failures.append(f"{path.name}: the host grew by {growth:,} bytes")
    return Bomb(path.name, report, growth, failures)


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_bombs_end_in_time_and_the_next_read_works(
    tmp_path: Path, scale: Callable[..., int], score: Any
) -> None:
    text, document = tmp_path / "next.txt", tmp_path / "next.pdf"
    text.write_text("next\n")
    document.write_bytes(text_pdf(1))
    most = scale(1, 1_000)
    is_short = most == 1
    # The deadline of each read, and of each decoder.
    timeout_s = 1.5 if is_short else 3.0
    groups = ("PDFs", "notebooks", "texts") if is_short else ()
    with ThreadPoolExecutor(HOSTS) as hosts:
        pending = [
            # A short run reads the beginning of a text, and counts its lines.
            hosts.submit(
                read_bomb,
                path,
                ways_of(windows)[: 2 if is_short else None],
                timeout_s,
                [str(text), str(document)],
            )
            for path, windows in write_bombs(tmp_path, most, groups)
        ]
        bombs = [each.result() for each in pending]
    for bomb in bombs:
        print(f"{bomb.name}: {bomb.growth_bytes / 1e6:.0f} MB")
        for read in bomb.report.reads:
            if not Path(read.path).name.startswith("next."):
                print(f"    {read.way}: {read.outcome}, {read.seconds:.1f} s")
    failures = [failure for bomb in bombs for failure in bomb.failures]
    print("\n".join(failures))
    assert len(bombs) >= (3 if is_short else 20)
    largest = max(bombs, key=lambda bomb: bomb.growth_bytes)
    shown = f"{largest.growth_bytes / 1e6:.0f} MB (`{largest.name}`)"
    detail = f"deadline {timeout_s:g} s; the host grew by at most {shown}"
    score("S4", "bombs", failures=len(failures), of=len(bombs), unit="bombs", detail=detail)
