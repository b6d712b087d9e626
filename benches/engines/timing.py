"""Time ways to read the same files in turn, and print the seconds of each round as a line of JSON.

Runs in the environment of a data engine, which has neither pytest nor the rest of `benches`.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from pathlib import Path


def files_and_rounds() -> tuple[list[str], int]:
    """Return the paths of the files below the directory on the command line, and the number of rounds."""
    parser = argparse.ArgumentParser()
    parser.add_argument("directory", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    return sorted(str(path) for path in options.directory.rglob("*.log")), options.rounds


def race(
    ways: dict[str, Callable[[], int]], rows: dict[str, int], rounds: int, *, once: tuple[str, ...] = ()
) -> None:
    """Time each way in each round, except those in `once`; each must return as many rows as expected."""
    for number in range(rounds):
        seconds = {}
        for name, way in ways.items():
            if number > 0 and name in once:
                continue
            started = time.perf_counter()
            found = way()
            seconds[name] = time.perf_counter() - started
            assert found == rows[name], f"{name} returned {found:,} rows instead of {rows[name]:,}"
        print(json.dumps(seconds), flush=True)
