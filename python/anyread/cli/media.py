"""Pictures, PDFs and notebooks on a terminal: what they are in words, and what a model sees as files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from anyread.blocks import DocumentBlock, ImageBlock
from anyread.image_view import ImageView

from .terminal import size

if TYPE_CHECKING:
    from collections.abc import Sequence

    from anyread.results import Block, Page

_SUFFIXES = {
    "image/png": ".png",
    "image/jpeg": ".jpg",
    "image/gif": ".gif",
    "image/webp": ".webp",
    "application/pdf": ".pdf",
}


def described(page: Page) -> str:
    """Tell what a picture is and what is shown of it; of all else, give the text."""
    if not isinstance(page, ImageView):
        return page.text
    frames = f", {page.frames:,} frames" if page.frames > 1 else ""
    lines = [
        ("kind", "image"),
        ("format", f"{page.format} ({page.media_type}){frames}"),
        ("original", _size(page.original.width, page.original.height, page.original.bytes)),
    ]
    if page.region is not None:
        lines.append(("region", "x={}, y={}, {}×{}".format(*page.region)))
    if page.shown is not None and page.image is not None:
        shown = _size(page.shown.width, page.shown.height, page.shown.bytes)
        lines += [("shown", f"{shown}, {page.image.media_type}"), ("scale", f"{page.scale:.3g}")]
    lines.append(("tokens", f"about {page.token_estimate:,}"))
    return "\n".join(f"{name + ':':<13}{text}" for name, text in lines)


def _size(width: int, height: int, bytes_: int) -> str:
    return f"{width:,}×{height:,} pixels, {size(bytes_)}"


def save(blocks: Sequence[Block], name: str, folder: str) -> list[str]:
    """Write the pictures and documents among blocks into `folder`, named like a file; give their paths.

    Raises:
        OSError: One cannot be written.
    """
    media = [block for block in blocks if isinstance(block, ImageBlock | DocumentBlock)]
    target = Path(folder)
    if media:
        target.mkdir(parents=True, exist_ok=True)
    stem = Path(name).stem or "file"
    saved = []
    for number, block in enumerate(media, 1):
        end = f"-{number}" if len(media) > 1 else ""
        path = target / f"{stem}{end}{_SUFFIXES[block.media_type]}"
        path.write_bytes(block.data)
        saved.append(str(path))
    return saved
