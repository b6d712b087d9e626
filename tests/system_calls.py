"""Which system calls a piece of Python makes: counted by `strace`, in a process of its own."""

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
    """Say why system calls cannot be counted here; `None`: they can."""
    program = shutil.which("strace")
    if program is None:
        return "needs strace"
    run = subprocess.run([program, "-f", "-o", "/dev/null", "true"], check=False, capture_output=True)
    return None if run.returncode == 0 else "needs a system that lets strace trace its children"


def opens_for_reading(code: str, path: Path) -> list[str]:
    """Run Python code, to which `path` is a `str`, and list the calls that opened that file for reading.

    A look at a file that opens nothing (`O_PATH`) is not counted. A file beside it has been read before, so
    that its file system is known and anyread tries to answer without waiting.
    Skips the test where nothing can be traced.
    """
    missing = why_not_traced()
    if missing:
        pytest.skip(missing)
    trace, beside = path.with_name("trace"), path.with_name("beside")
    beside.write_text("text\n")
    prelude = f"import asyncio, anyread\nanyread.read_sync({str(beside)!r})\npath = {str(path)!r}\n"
    python = [sys.executable, "-c", prelude + code]
    strace = ["strace", "-f", "-qq", "--seccomp-bpf", "-e", "trace=open,openat,openat2", "-o", str(trace)]
    subprocess.run([*strace, *python], check=True, timeout=100)
    name = f'{path.name}"'
    calls = [line for line in trace.read_text("utf-8", "replace").splitlines() if name in line]
    return [call for call in calls if OPEN.search(call) and "O_PATH" not in call]
