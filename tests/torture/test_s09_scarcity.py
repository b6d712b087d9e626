"""S9: processes without descriptors, processes, `/proc`, a temporary directory or standard streams."""

from __future__ import annotations

import json
import platform
import shutil
import subprocess
import sys
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from torture.fault_plan import CODES, code_of

PROGRAM = Path(__file__).with_name("scarce_process.py")
QUICK = ("text", "text on a loop", "several files", "directory", "near names", "follow", "session")
DECODERS = ("image", "image on a loop", "pdf")
ALL = (*QUICK, *DECODERS, "scan on a loop", "tail", "info", "notebook", "contract with hash", "changed since")

Outcomes = dict[str, dict[str, Any]]


def outcomes(
    files: Path, result: Path, missing: str, operations: tuple[str, ...], before: str = "", **more: Any
) -> Outcomes:
    """Run operations in a process, after shell commands that take something away from it."""
    command = [sys.executable, "-W", "ignore", str(PROGRAM), missing, str(files), str(result), *operations]
    shell = ["sh", "-c", f'{before}\nexec "$@"', "sh", *command]
    subprocess.run(shell if before else command, check=True, timeout=100, **more)
    found: Outcomes = json.loads(result.read_text())
    return found


@pytest.fixture(scope="module")
def right(files: Path, tmp_path_factory: pytest.TempPathFactory) -> Outcomes:
    """Return the outcomes in a process that lacks nothing."""
    return outcomes(files, tmp_path_factory.mktemp("right") / "result", "nothing", ALL)


def mistakes(found: Outcomes, right: Outcomes, *, lasts: bool = False) -> list[str]:
    """Return what is wrong; `lasts`: the second call lacks the same as the first."""
    wrong = []
    for name, each in found.items():
        wanted = right[name]["outcome"]
        for part, may_fail in (("outcome", True), ("next", lasts)):
            if each[part] != wanted and not (may_fail and is_typed(each[part], wanted)):
                wrong.append(f"{name}, {part}: {each[part]}")
        if each["leaked"]:
            wrong.append(f"{name}: {each['leaked']} descriptors were left")
        if each["streams"]:
            wrong.append(f"{name}: output to the closed streams {each['streams']} goes elsewhere")
    return wrong


def is_typed(outcome: str, wanted: str) -> bool:
    parts = outcome.split("\n")
    same = {code_of(part) for part in wanted.split("\n")} - {None}
    return all(part in wanted.split("\n") or code_of(part) in CODES | same for part in parts)


def record(score: Any, part: str, wrong: list[str], of: int) -> None:
    score("S9", part, failures=len(wrong), of=of, unit="calls", detail="; ".join(wrong[:5]))


@pytest.mark.slow
@pytest.mark.timeout(400)
def test_each_number_of_free_descriptors_is_typed(
    files: Path, right: Outcomes, tmp_path: Path, scale: Any, score: Any
) -> None:
    worked: dict[str, int] = {}
    wrong, of = [], 0
    for free in range(0, 24, scale(short=8, full=1)):
        found = outcomes(files, tmp_path / "result", f"descriptors={free}", scale(QUICK, ALL))
        wrong += [f"{free} free: {each}" for each in mistakes(found, right)]
        of += len(found)
        worked |= {name: free for name, each in found.items() if each["outcome"] != right[name]["outcome"]}
    # More than this many free descriptors are enough.
    assert max(worked.values()) < 20, worked
    record(score, "free descriptors, 0 to 23", wrong, of)


@pytest.mark.slow
@pytest.mark.timeout(200)
@pytest.mark.skipif(platform.machine() != "x86_64", reason="knows the system calls of x86-64 Linux only")
def test_read_without_new_threads_and_processes_is_typed(
    files: Path, right: Outcomes, tmp_path: Path, scale: Any, score: Any
) -> None:
    found = outcomes(files, tmp_path / "result", "processes", scale(QUICK, ALL))
    assert found["several files"]["outcome"] != right["several files"]["outcome"]
    record(score, "no threads or processes", mistakes(found, right, lasts=True), len(found))


@pytest.mark.slow
@pytest.mark.timeout(200)
@pytest.mark.parametrize(
    ("part", "hide"),
    [
        ("no `/proc`", "mount -t tmpfs none /proc"),
        (
            "no temporary directory",
            "mount --bind /tmp /tmp && mount -o remount,bind,ro /tmp && ! touch /tmp/a 2>/dev/null",
        ),
    ],
)
def test_read_is_right_without(
    part: str, hide: str, files: Path, right: Outcomes, scale: Any, score: Any
) -> None:
    unshare = shutil.which("unshare")
    if unshare is None or subprocess.run([unshare, "--mount", "true"], check=False).returncode != 0:
        pytest.skip("needs the permission to mount")
    before = f'exec unshare --mount sh -c \'{hide} && exec "$@"\' sh "$@"'
    environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "TMPDIR": "/nonexistent"}
    result = Path("/dev/shm") / files.parent.name.replace("/", "-")
    try:
        found = outcomes(files, result, "nothing", scale(QUICK, ALL), before, env=environment)
    finally:
        result.unlink(missing_ok=True)
    wrong = mistakes(found, right)
    wrong += [
        f"{name}: {each['outcome']}"
        for name, each in found.items()
        if each["outcome"] != right[name]["outcome"]
    ]
    record(score, part, wrong, len(found))


@pytest.mark.slow
@pytest.mark.timeout(400)
def test_closed_standard_streams_are_not_reused_for_decoders(
    files: Path, right: Outcomes, tmp_path: Path, scale: Any, score: Any
) -> None:
    """Output to a closed stream went to a decoder, whose socket had got the number of the stream."""
    every = [streams for count in (1, 2, 3) for streams in combinations((0, 1, 2), count)]
    wrong, of = [], 0
    for streams in scale([(0, 1, 2)], every):
        close = "exec " + " ".join(f"{stream}>&-" for stream in streams)
        found = outcomes(files, tmp_path / "result", "nothing", ("image", *scale((), ALL)), close)
        wrong += [f"{streams} closed: {each}" for each in mistakes(found, right, lasts=True)]
        of += len(found)
    record(score, "closed standard streams", wrong, of)
