"""Images in a terminal: a description of each, and files of those that a model sees."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from anyread.results.blocks import DocumentBlock, ImageBlock
from anyread.results.image import ImageView
from anyread.results.notebook import NotebookPage
from anyread.results.pdf import PdfPages

from .terminal import size

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from anyread.results import Block, Page

_SUFFIXES = {
    "image/png": ".png",
    "image/jpeg": ".jpg",
    "image/gif": ".gif",
    "image/webp": ".webp",
    "application/pdf": ".pdf",
}

_STEM_BYTES = 200


def described(page: Page) -> str:
    """Describe an image and what is shown of it; return the text of all other pages."""
    if not isinstance(page, ImageView):
        return page.text
    frames = f", {page.frames:,} frames" if page.frames > 1 else ""
    if page.count != 1:
        frames += f", {page.shown_parts()}"
    lines = [
        ("kind", "image"),
        ("format", f"{page.format} ({page.media_type}){frames}"),
        ("original", _size(page.width, page.height, page.size_bytes)),
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


def save(blocks: Sequence[Block], name: str, directory: str, names: Mapping[int, str]) -> Iterator[str]:
    """Write the images and documents among blocks to new files in `directory`; yield the path of each.

    No existing file is changed and no symbolic link is followed: if a name is taken, a number is added.

    Args:
        blocks: What a model would see.
        name: The path of the file from which the blocks were made.
        directory: The directory to write to, created if it is missing.
        names: What to add to the file name for a block, by its `id`, as `image_names` returns it.

    Raises:
        OSError: A file cannot be written; no part of it is left.
    """
    media = [block for block in blocks if isinstance(block, ImageBlock | DocumentBlock)]
    target = Path(directory)
    if media:
        target.mkdir(parents=True, exist_ok=True)
    # Leave room for the suffix and the number in the 255 bytes of a file name.
    stem = os.fsencode(Path(name).stem or "file")[:_STEM_BYTES].decode("utf-8", "ignore")
    for block in media:
        own = names.get(id(block))
        full_stem = stem if own is None else f"{stem}-{own}"
        yield str(_written(target, full_stem, _SUFFIXES[block.media_type], block.data))


def image_names(page: Page) -> dict[int, str]:
    """Return the name of the PDF page or notebook cell of each image, by the `id` of its block."""
    if isinstance(page, PdfPages):
        return {id(shown.image): f"page-{shown.number}" for shown in page.pages if shown.image is not None}
    if not isinstance(page, NotebookPage):
        return {}
    names = {}
    for cell in page.cells:
        images = [*cell.pictures, *(image for _, image in cell.attachments)]
        for output in cell.outputs:
            images += [output.image, *output.pictures]
        for image in images:
            if image is not None and image.block is not None:
                names[id(image.block)] = f"cell-{cell.number}"
    return names


def _written(directory: Path, stem: str, suffix: str, data: bytes) -> Path:
    """Write a new file, numbered if its name is taken."""
    path, number = directory / f"{stem}{suffix}", 1
    while True:
        try:
            # Mode "x" refuses anything that already has the name, including a dangling symbolic link.
            file = path.open("xb")
        except FileExistsError:
            number += 1
            path = directory / f"{stem}-{number}{suffix}"
            continue
        try:
            with file:
                file.write(data)
        except OSError:
            path.unlink()
            raise
        return path
