"""Fixtures shared by the tests of all tools."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest


@pytest.fixture
def settled() -> Callable[[str | Path], str]:
    """Backdate the modification time of a file, so that its stat is trusted."""

    def settle(path: str | Path) -> str:
        os.utime(path, (1_700_000_000, 1_700_000_000))
        # The change time cannot be set, so wait until it is older than one clock tick (at most 20 ms).
        changed = Path(path).stat().st_ctime
        while time.time() < changed + 0.03:
            time.sleep(0.005)
        return str(path)

    return settle
