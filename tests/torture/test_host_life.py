"""Hosts that fork, exit, are killed or interrupted, or are set up in an unusual way, while they read."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from helpers.media import tiled_pdf
from torture import processes
from torture.programs.reads import written_files
from torture.scoreboard import Scale, Score, short

pytestmark = pytest.mark.slow
ROW = "host life"
KILLED = (
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
"""Seconds in which all decoders of a killed host must have ended."""
SUBINTERPRETER = """
import sys
try:
    import _xxsubinterpreters as interpreters
except ImportError:
    import _interpreters as interpreters
code = '''
try:
    import anyread
except ImportError as error:
    print(error)
'''
legacy = ("legacy",) if sys.version_info >= (3, 13) else ()
interpreter = interpreters.create(*legacy)
interpreters.run_string(interpreter, code)
interpreters.destroy(interpreter)
import anyread
print(anyread.read_sync(sys.argv[1]).content, end="")
"""


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("files")
    written_files(directory)
    (directory / "endless.pdf").write_bytes(tiled_pdf())
    return directory


def live(score: Score, part: str, unit: str, program: str, *arguments: object) -> None:
    """Run a host to its end, and record what went wrong."""
    report = processes.reported(f"programs.{program}", *arguments, timeout_s=110)
    failures = [*report.counts.get("failures", ()), *filter(None, [report.death])]
    of, detail = report.counts.get("of", 1), "; ".join(failures[:5])
    score(ROW, part, failures=len(failures), of=of, unit=unit, detail=detail)


def left_by_killed_host(files: Path, state: str, *, portable: bool) -> list[int]:
    """Kill a host; return the processes that are left after the time that they have."""
    with processes.start("programs.killed", files, state, ANYREAD_PORTABLE=str(int(portable))) as host:
        assert host.stdout is not None
        started = [int(pid) for pid in host.stdout.readline().split()]
        host.kill()
    assert started
    deadline = time.monotonic() + ENDS_S
    while (left := [pid for pid in started if processes.is_running(pid)]) and time.monotonic() < deadline:
        time.sleep(0.01)
    for pid in left:
        os.kill(pid, 9)
    return left


@pytest.mark.parametrize(
    ("part", "state"),
    short(
        *(("host killed", state) for state in KILLED),
        *(("host without a zygote killed", state) for state in KILLED if "zygote" not in state),
    ),
)
def test_decoders_end_with_a_killed_host(
    part: str, state: str, files: Path, scale: Scale, score: Score
) -> None:
    """A decoder at work whose zygote had been killed outlived its host until its own time limit.

    Without a zygote, one that was stopped outlived it, too: it handled no signal but SIGKILL.
    """
    rounds = scale(1, 4)
    left = [left_by_killed_host(files, state, portable="without" in part) for _ in range(rounds)]
    score(ROW, f"{part}, {state}", failures=sum(map(bool, left)), of=rounds, unit="hosts")


@pytest.mark.parametrize("loop", short("asyncio", "sync", "uvloop", "trio"))
def test_ctrl_c_at_random_moments_loses_nothing(loop: str, files: Path, scale: Scale, score: Score) -> None:
    live(score, "Ctrl-C", "interruptions", "interrupted", files, loop, scale(40, 400))


@pytest.mark.parametrize(
    "what",
    [
        "forks",
        "all descriptors closed after a fork",
        *short("smallest stacks", "SIGCHLD ignored", "another user"),
    ],
)
def test_every_read_works_in_an_unusual_host(what: str, files: Path, score: Score) -> None:
    """The tokenizer needed more stack than the smallest thread has, which ended the process.

    After a fork, the number of a root's descriptor was used again: reads were relative to another directory.
    """
    if what == "another user":
        if os.geteuid() != 0:
            pytest.skip("needs root")
        for directory in (files, *files.parents):
            if not directory.stat().st_mode & 0o001 and directory.owner() == "root":
                directory.chmod(directory.stat().st_mode | 0o011)
    live(score, what, "reads", "unusual", files, what)


def test_subinterpreter_is_refused(files: Path, score: Score) -> None:
    """Once a subinterpreter that had imported the package ended, every read in the main one failed."""
    command = [sys.executable, "-c", SUBINTERPRETER, str(files / "poem.txt")]
    run = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    expected = "anyread cannot be imported in a subinterpreter: import it in the main interpreter"
    is_right = run.stdout.startswith(expected) and run.stdout.endswith("\none\ntwo\nthree\n")
    score(ROW, "subinterpreters", failures=int(not is_right), of=1, unit="interpreters", detail=run.stderr)


@pytest.mark.parametrize("how", short("errors", "tokenizers", "handlers"))
def test_interpreter_exits_while_reads_are_pending(how: str, files: Path, scale: Scale, score: Score) -> None:
    """Before Python 3.14, a thread that ends at the exit is unwound, which must not happen inside Rust.

    In "errors" and "tokenizers", the core calls Python code; there, such an exit once aborted the process.
    """
    rounds, wrong = scale(3, 12), []
    for number in range(rounds):
        with processes.start(
            "programs.ending", files, how, 0.4 + number * 0.0037, stderr=subprocess.PIPE
        ) as host:
            output, errors = host.communicate(timeout=30)
        if (host.returncode, errors, output.count("read")) != (3, "", 2 * (how == "handlers")):
            wrong.append(f"{host.returncode} {errors[-500:]}")
    score(ROW, f"exit with {how}", failures=len(wrong), of=rounds, unit="exits", detail="; ".join(wrong))
