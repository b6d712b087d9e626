"""Shared fixtures: a pool of decoders and a small image."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from anyread.decoding.host.pool import Pool
from helpers.media import drawing, encoded


@pytest.fixture
def pool() -> Iterator[Pool]:
    pool = Pool(2)
    yield pool
    pool.close()


@pytest.fixture
def png(tmp_path: Path) -> Path:
    path = tmp_path / "a.png"
    path.write_bytes(encoded(drawing(20, 20), "PNG"))
    return path
