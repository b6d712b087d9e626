"""S7: reads beside a writer raise no signal, and return only lines that were written, in order.

The writer of `live_writer.py` appends to a file, truncates it as logrotate does, replaces it by a rename, or
writes it again; the readers of `live_reader.py` run in a process of their own and check each line.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from helpers.live_writer import BATCH, CHANGES, writing
from helpers.mapped_hosts import storm
from torture.file_systems import mounted_with_whole_seconds
from torture.processes import start

if TYPE_CHECKING:
    from torture.scoreboard import Score

SMALL, LARGE = 300, 16_000
"""Rows of 36 KB, which are read inline, and of 1.9 MB, which need an index."""
OF_SMALL, OF_LARGE = ("whole", "nowait", "follow"), ("indexed", "scanned")
READS = {"whole": 8_000, "nowait": 8_000, "follow": 1_500, "indexed": 3_000, "scanned": 800}
"""Reads in a full run for each change of the file."""
EVENTS = {"nowait": "inline", "indexed": "indexed"}
"""What the engine must have counted if the strategy was used."""
ENOUGH = 60
"""After so many reads, the engine must have counted such an event."""


def read_live(
    path: Path, changes: tuple[str, ...], reads: dict[str, int], **environment: str
) -> dict[str, int]:
    """Read a live file in some ways; return the answered reads and the number of failures.

    A signal that ends the readers' process counts as one failure.
    """
    rows = SMALL if set(reads) <= set(OF_SMALL) else LARGE
    # A file that only grows must not become large, so it grows slowly.
    pause_s, batch = (0.003, 2) if changes == ("append",) else (0.001, BATCH)
    counts = [f"{name}={count}" for name, count in reads.items()]
    with writing(path, *changes, rows=rows, batch=batch, pause_s=pause_s):
        program = start("live_reader", path, rows, ",".join(changes), *counts, **environment)  # type: ignore[arg-type]
        output, _ = program.communicate(timeout=110)
    if program.returncode < 0:
        return {"reads": 1, "failures": 1}
    assert program.returncode == 0
    found = json.loads(output)
    wrong = [fault for strategy in found.values() for fault in strategy["wrong"]]
    if wrong:
        print("\n".join(wrong))
    for name, strategy in found.items():
        seen = strategy["seen"]
        assert seen["reads"] >= reads[name], (name, seen)
        event = EVENTS.get(name)
        if event is not None and not environment and reads[name] >= ENOUGH:
            assert seen[event] > 0, (name, seen)
        if changes in {("append",), ("copytruncate",), ("rewrite",)}:
            assert "not_found" not in seen, "the path never stopped existing"
        if changes == ("append",):
            assert not {"changed_during_read", "offset_past_end"} & set(seen), (
                "a file that only grows is consistent"
            )
    return {
        "reads": sum(strategy["seen"]["reads"] for strategy in found.values()),
        "failures": sum(strategy["seen"].get("wrong", 0) for strategy in found.values()),
    }


@pytest.mark.slow
@pytest.mark.parametrize("changes", [("append",), CHANGES[1:]], ids=["append", "changes"])
@pytest.mark.parametrize("strategies", [OF_SMALL, OF_LARGE], ids=["small", "large"])
def test_lines_of_a_live_file_were_written_in_order(
    tmp_path: Path, score: Score, changes: tuple[str, ...], strategies: tuple[str, ...]
) -> None:
    reads = {name: max(4, READS[name] // 150) for name in strategies}
    seen = read_live(tmp_path / "live.log", changes, reads)
    score("S7", "all changes in turn", failures=seen["failures"], of=seen["reads"], unit="reads")


@pytest.mark.torture
@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("strategy", READS)
def test_lines_were_written_in_order(tmp_path: Path, score: Score, strategy: str, change: str) -> None:
    seen = read_live(tmp_path / "live.log", (change,), {strategy: READS[strategy]})
    score("S7", strategy, failures=seen["failures"], of=seen["reads"], unit="reads", detail=change)


@pytest.mark.torture
@pytest.mark.parametrize("change", CHANGES)
def test_lines_were_written_in_order_without_openat2(tmp_path: Path, score: Score, change: str) -> None:
    reads = {"indexed": READS["scanned"]}
    seen = read_live(tmp_path / "live.log", (change,), reads, ANYREAD_PORTABLE="1")
    score("S7", "portable", failures=seen["failures"], of=seen["reads"], unit="reads", detail=change)


@pytest.mark.torture
@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("strategy", ["whole", "indexed"])
def test_lines_were_written_in_order_where_times_are_whole_seconds(
    tmp_path: Path, score: Score, strategy: str, change: str
) -> None:
    """A read mixed two states of the file if both had the same size and times."""
    with mounted_with_whole_seconds(tmp_path) as place:
        seen = read_live(place / "live.log", (change,), {strategy: READS["scanned"]})
    score("S7", "whole seconds", failures=seen["failures"], of=seen["reads"], unit="reads", detail=change)


@pytest.mark.torture
@pytest.mark.parametrize("enabled", ["never", "before", "after"])
@pytest.mark.parametrize("mode", ["truncate", "rotate", "replace", "grow"])
def test_mapped_scans_during_writes_are_correct_or_refused(
    tmp_path: Path, score: Score, mode: str, enabled: str
) -> None:
    """Whether or not faulthandler is enabled, truncated mappings are hit, and no signal reaches the host."""
    seen = storm(tmp_path, mode, enabled, seconds=3, threads=2)
    score("S7", "mapped, 24 MiB", failures=len(seen["wrong"]), of=seen["scans"], unit="reads", detail=mode)
