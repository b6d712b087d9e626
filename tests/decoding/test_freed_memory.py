"""Freed memory of a decoder: kept for the next image, and returned to the system after a pause."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from anyread.arguments.limits import Limits
from anyread.decoding.host.fitting import ImageJob, fit_all
from anyread.decoding.host.pool import Pool
from anyread.models.model import Model
from anyread.running.threads import run as run_sync
from helpers.media import encoded, noise

pytestmark = pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc has these settings")

PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
EDGE = 1_400
PIXEL_BYTES = EDGE * EDGE * 4
"""What Pillow allocates for the image."""
FIT = Model(max_long_edge=500)


@pytest.fixture
def pool() -> Iterator[Pool]:
    pool = Pool(1)
    yield pool
    pool.close()


@pytest.fixture(scope="module")
def photograph() -> bytes:
    return encoded(noise(EDGE, EDGE), "PNG")


def fit(data: bytes, pool: Pool) -> int:
    """Fit an image, and return the process ID of the decoder that did it."""
    images, limits = [ImageJob(lambda: data, "image/png", len(data))], Limits(decode_timeout_s=100)
    run_sync(lambda: fit_all(images, path="a.png", rules=0, limits=limits, model=FIT, pool=pool))
    [child] = pool._idle
    return child.pid


def page_faults(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[7])


def resident_bytes(pid: int) -> int:
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * PAGE_BYTES


def test_memory_is_kept_for_the_next_image(photograph: bytes, pool: Pool) -> None:
    """Each image of a series took a page fault for every page of its pixels."""
    fit(photograph, pool)
    pid = fit(photograph, pool)
    before = page_faults(pid)
    assert fit(photograph, pool) == pid
    assert page_faults(pid) - before < PIXEL_BYTES // PAGE_BYTES // 4


def test_memory_is_returned_after_a_pause(photograph: bytes, pool: Pool) -> None:
    pid = fit(photograph, pool)
    before = resident_bytes(pid)
    deadline = time.monotonic() + 30
    while resident_bytes(pid) > before - PIXEL_BYTES // 2:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    assert fit(photograph, pool) == pid
