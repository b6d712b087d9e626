"""A format is one module and one line of a list: everything else works without knowing it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

DIRECTORY = Path(__file__).parent / "new_format"
PLUGINS = ["-p", "no:cacheprovider", "-p", "plugged_formats"]


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_formats_that_are_added_work_everywhere() -> None:
    """Run the cases in a process in which the list of formats has four more lines."""
    path = os.pathsep.join(filter(None, [str(DIRECTORY), os.environ.get("PYTHONPATH")]))
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", *PLUGINS, DIRECTORY / "cases.py"],
        env={**environment, "PYTHONPATH": path},
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-8_000:] + done.stderr[-2_000:]
