"""What the tests of all tools share."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest


@pytest.fixture
def settled() -> Callable[[str | Path], str]:
    """Make a file look as if nobody had written to it of late, so that its state is trusted."""

    def settle(path: str | Path) -> str:
        os.utime(path, (1_700_000_000, 1_700_000_000))
        # The time of this change cannot be set, only waited for: the clock's tick is 20 ms at most.
        changed = Path(path).stat().st_ctime
        while time.time() < changed + 0.03:
            time.sleep(0.005)
        return str(path)

    return settle
