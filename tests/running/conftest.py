"""Fixtures shared by the tests of hops."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from anyread.running import workers
from helpers.waiting import ours, until


@pytest.fixture
def own_threads(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Give the test its own threads, which end soon after it."""
    monkeypatch.setattr(workers, "_pools", {})
    monkeypatch.setattr(workers, "IDLE_S", 0.05)
    before = ours()
    yield
    until(lambda: not ours() - before)


@pytest.fixture
def poem(tmp_path: Path) -> Path:
    """Return a small local file."""
    path = tmp_path / "poem.txt"
    path.write_text("Tyger Tyger, burning bright,\n")
    return path
