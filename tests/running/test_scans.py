"""The progress of a scan, as a watcher sees it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import anyread
from anyread.running.scans import Scans, current_scans

if TYPE_CHECKING:
    from pathlib import Path


async def test_scanned_bytes_of_a_task_are_summed_while_watched(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    path.write_bytes(b"a line of some length\n" * 200_000)
    scans = Scans()
    assert scans.scanned_bytes == 0
    token = current_scans.set(scans)
    try:
        await anyread.read(path, offset=150_000)
    finally:
        current_scans.reset(token)
    seen = scans.scanned_bytes
    assert seen >= 150_000 * 22 - (1 << 20)
    anyread.clear_caches()
    await anyread.read(path, offset=150_000)
    assert scans.scanned_bytes == seen
