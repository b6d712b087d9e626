"""A host that is killed takes its decoders with it, whatever state they are in."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from helpers.media import tiled_pdf
from torture import hosts
from torture.programs.reads import written_files
from torture.scoreboard import Scale, Score, short

STATES = (
    "at work, zygote killed",
    "at work, decoder stopped",
    "starting",
    "idle",
    "at work",
    "at work, zygote stopped",
    "at work, zygote killed, decoder stopped",
    "at work, forked",
)
ENDS_S = 2.0
"""Seconds in which all decoders must have ended."""


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("files")
    written_files(directory)
    (directory / "endless.pdf").write_bytes(tiled_pdf())
    return directory


def left_by_killed_host(files: Path, state: str, *, portable: bool) -> list[int]:
    """Kill a host; return the processes that are left after the time that they have."""
    program = str(hosts.PROGRAMS / "killed.py")
    variables = {"PYTHONPATH": str(Path(__file__).parents[1]), "ANYREAD_PORTABLE": str(int(portable))}
    host = subprocess.Popen(
        [sys.executable, program, str(files), state],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env={**os.environ, **variables},
    )
    assert host.stdout is not None
    started = [int(pid) for pid in host.stdout.readline().split()]
    host.kill()
    host.communicate()
    assert started
    deadline = time.monotonic() + ENDS_S
    while (left := [pid for pid in started if hosts.is_running(pid)]) and time.monotonic() < deadline:
        time.sleep(0.01)
    for pid in left:
        os.kill(pid, 9)
    return left


@pytest.mark.slow
@pytest.mark.parametrize("state", short(*STATES))
def test_decoders_end_with_a_killed_host(state: str, files: Path, scale: Scale, score: Score) -> None:
    """A decoder at work whose zygote had been killed outlived its host until its own time limit."""
    rounds = scale(1, 4)
    left = [left_by_killed_host(files, state, portable=False) for _ in range(rounds)]
    score(hosts.ROW, f"host killed, {state}", failures=sum(map(bool, left)), of=rounds, unit="hosts")


@pytest.mark.slow
@pytest.mark.parametrize("state", short(*(state for state in STATES if "zygote" not in state)))
def test_separately_started_decoders_end_with_a_killed_host(
    state: str, files: Path, scale: Scale, score: Score
) -> None:
    """A decoder that was stopped outlived its host: it handled no signal but SIGKILL."""
    rounds = scale(1, 4)
    left = [left_by_killed_host(files, state, portable=True) for _ in range(rounds)]
    score(
        hosts.ROW,
        f"host without a zygote killed, {state}",
        failures=sum(map(bool, left)),
        of=rounds,
        unit="hosts",
    )
