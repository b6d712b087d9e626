"""The pictures and PDFs of forge's `read`: into data URLs, and from them into blocks."""

from __future__ import annotations

import tempfile
from base64 import b64decode
from typing import TYPE_CHECKING, Any

from anyread.errors import ReadError
from anyread.model import Model
from anyread.results import TextBlock
from anyread.results.blocks import DocumentBlock
from anyread.running import threads

from .detection import PDF

if TYPE_CHECKING:
    from anyread.limits import Limits
    from anyread.results import Block
    from anyread.running.effects import Steps
    from anyread.tools.profile import Output


def blocks_of(output: Output, *, limits: Limits, model: Model | None) -> list[Block]:
    """Read an output back: a text, a picture, or a PDF whose pages are counted anew."""
    if isinstance(output, str):
        return [TextBlock(output)]
    if output.get("is_error"):
        return [TextBlock(output["text"])]
    return [_block(value, limits, model or Model()) for value in output["values"]]


def _block(value: dict[str, Any], limits: Limits, model: Model) -> Block:
    if "text" in value:
        return TextBlock(value["text"])
    media_type = value["image"]["mime_type"]
    data = b64decode(value["image"]["url"].partition(";base64,")[2])
    try:
        if media_type == PDF:
            return DocumentBlock.from_bytes(data, name="document.pdf", page_count=_page_count(data, limits))
        from anyread.decoding.host.fitting import fit_bytes

        fitting = fit_bytes(data, media_type, path="picture", limits=limits, model=model)
        return threads.run(fitting).image
    except (ReadError, ValueError):
        return TextBlock(f"[{media_type}, {len(data):,} bytes: it cannot be decoded]")


def _page_count(data: bytes, limits: Limits) -> int:
    """Have a PDF in memory opened by a decoder, which takes a file."""
    from anyread.decoding.host.document import OpenDocument
    from anyread.decoding.host.lease import Subject
    from anyread.decoding.host.pool import shared_pool

    subject = Subject("document", media_type=PDF, size_bytes=len(data), limits=limits)
    with tempfile.TemporaryFile() as file:
        file.write(data)
        file.flush()

        def counted() -> Steps[int]:
            document = yield from OpenDocument.open(shared_pool(), subject, file.fileno(), ())
            try:
                yield from document.rest()
                return document.page_count
            finally:
                document.close()

        return threads.run(counted())
