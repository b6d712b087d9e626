"""A pool of decoders and a small image, for the tests of decoding."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from anyread.decoding.host.pool import Pool
from media import encoded, picture


@pytest.fixture
def pool() -> Iterator[Pool]:
    made = Pool(2)
    yield made
    made.close()


@pytest.fixture
def png(tmp_path: Path) -> Path:
    path = tmp_path / "a.png"
    path.write_bytes(encoded(picture(20, 20), "PNG"))
    return path
