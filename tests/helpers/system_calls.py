"""The system calls of a piece of Python code, traced by `strace` in a separate process."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from functools import cache
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

OPEN = re.compile(r"\b(?:open|openat|openat2)\(.*\) = \d+")


@cache
def why_not_traced() -> str | None:
    """Return why system calls cannot be traced here, or `None` if they can."""
    program = shutil.which("strace")
    if program is None:
        return "needs strace"
    run = subprocess.run([program, "-f", "-o", "/dev/null", "true"], check=False, capture_output=True)
    return None if run.returncode == 0 else "needs a system that lets strace trace its children"


def opens_for_reading(codes: Mapping[Path, str]) -> dict[Path, list[str]]:
    """Run Python code for files in one directory, and return the calls that opened each file for reading.

    The code runs in one process, where `path` is the file as a `str`. Opens with `O_PATH` are not included.
    Another file in the directory is read first, so that anyread knows the file system and tries inline reads.
    Skips the test where system calls cannot be traced.
    """
    missing = why_not_traced()
    if missing:
        pytest.skip(missing)
    directory = next(iter(codes)).parent
    trace, other = directory / "trace", directory / "other"
    other.write_text("text\n")
    program = f"import asyncio, anyread\nanyread.read_sync({str(other)!r})\n"
    program += "".join(f"path = {str(path)!r}\n{code}\n" for path, code in codes.items())
    python = [sys.executable, "-c", program]
    strace = ["strace", "-f", "-qq", "--seccomp-bpf", "-e", "trace=open,openat,openat2", "-o", str(trace)]
    subprocess.run([*strace, *python], check=True, timeout=100)
    calls = [
        line
        for line in trace.read_text("utf-8", "replace").splitlines()
        if OPEN.search(line) and "O_PATH" not in line
    ]
    return {path: [call for call in calls if f'{path.name}"' in call] for path in codes}
