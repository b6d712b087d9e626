"""Fixtures shared by the tests of opened files: an engine, and functions that open files."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from anyread import Gutter, Limits, _native
from helpers.numbered_lines import WHOLE

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.fixture
def core(monkeypatch: pytest.MonkeyPatch) -> _native.Engine:
    """Return an engine that maps every file it scans, if the system permits it."""
    monkeypatch.setenv("ANYREAD_MMAP", "always")
    return _native.Engine(
        roots=[],
        deny=[],
        limits=Limits(),
        gutter=Gutter.TAB,
        mmap=True,
        blocks=True,
        decompress=False,
        formats=[],
        extensions=(),
        as_text=(),
        token_factor=1.0,
    )


@pytest.fixture
def opened(core: _native.Engine) -> Callable[[Path], _native.Opened]:
    """Return a function that opens a file as a contract does."""

    def open_file(path: Path) -> _native.Opened:
        return core.open(os.fsencode(path), repair=False, whole=WHOLE, may_wait=True)

    return open_file


@pytest.fixture
def settled(opened: Callable[[Path], _native.Opened]) -> Callable[[Path], _native.Opened]:
    """Return a function that opens a file once no `write` can be copying, so that its facts are final."""

    def open_settled(path: Path) -> _native.Opened:
        status = path.stat()
        rests_ns = max(status.st_mtime_ns, status.st_ctime_ns) + 20_000_000 + 20 * status.st_size
        give_up = time.monotonic() + 10
        while True:
            is_at_rest = time.time_ns() >= rests_ns
            file = opened(path)
            if is_at_rest and file.version:
                return file
            assert time.monotonic() < give_up, f"{path} has no version"
            time.sleep(0.002)

    return open_settled
