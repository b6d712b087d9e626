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


def opens_for_reading(code: str, path: Path) -> list[str]:
    """Run Python code, in which `path` is a `str`, and return the calls that opened that file for reading.

    Opens with `O_PATH` are not included. The code first reads another file in the same directory, so that
    anyread knows the file system and tries an inline read.
    Skips the test where system calls cannot be traced.
    """
    missing = why_not_traced()
    if missing:
        pytest.skip(missing)
    trace, other = path.with_name("trace"), path.with_name("other")
    other.write_text("text\n")
    prelude = f"import asyncio, anyread\nanyread.read_sync({str(other)!r})\npath = {str(path)!r}\n"
    python = [sys.executable, "-c", prelude + code]
    strace = ["strace", "-f", "-qq", "--seccomp-bpf", "-e", "trace=open,openat,openat2", "-o", str(trace)]
    subprocess.run([*strace, *python], check=True, timeout=100)
    name = f'{path.name}"'
    calls = [line for line in trace.read_text("utf-8", "replace").splitlines() if name in line]
    return [call for call in calls if OPEN.search(call) and "O_PATH" not in call]
