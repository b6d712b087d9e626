"""Images in notebooks: fitted in parallel, on event loops and in threads."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import pytest

import anyread
from anyread.decoding.host.pool import shared_pool
from helpers.notebooks import code, display, markdown, png, write


def images(tmp_path: Path, count: int, *, broken: int = -1, height: int = 10) -> Path:
    """Write a notebook with images of different widths."""
    cells = []
    for number in range(count):
        data = base64.b64encode(b"no image").decode() if number == broken else png(20 + number, height)
        cells += [markdown(f"image {number}"), code("show()", display(image_png=data))]
    return write(tmp_path, *cells)


def widths(page: Any) -> list[int | None]:
    """Return the width of each image, or `None` if it is not shown."""
    images = [output.image for cell in page.cells for output in cell.outputs]
    return [None if image.block is None else image.block.width for image in images]


async def test_images_keep_their_order_on_every_loop(tmp_path: Path) -> None:
    path = images(tmp_path, 12, broken=5)
    expected = [None if number == 5 else 20 + number for number in range(12)]
    page = await anyread.read(path)
    assert widths(page) == expected
    assert widths(anyread.read_sync(path)) == expected


def test_images_are_fitted_in_parallel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Images were fitted one after another, which took seconds for a notebook of plots."""
    pool = shared_pool()
    at_work: list[int] = []
    acquire = type(pool).try_acquire

    def counting(self: Any, *arguments: Any, **named: Any) -> Any:
        child = acquire(self, *arguments, **named)
        at_work.append(self._busy)
        return child

    monkeypatch.setattr(type(pool), "try_acquire", counting)
    # On a busy machine, a small image would be fitted before this thread comes to the second one.
    anyread.read_sync(images(tmp_path, 8, height=40_000))
    assert max(at_work) == min(8, pool.size)
