"""Pictures and PDFs of llm-gateway: sent whole, up to 5 MB, by their extension."""

from __future__ import annotations

import os
from base64 import b64decode
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from anyread._native import b64encode
from anyread.model import Model
from anyread.results import TextBlock
from anyread.results.blocks import DocumentBlock, ImageBlock
from anyread.tools.decoders import count_pages, fit

if TYPE_CHECKING:
    from anyread.results import Block
    from anyread.tools.files import File
    from anyread.tools.profile import Context, Output, Steps

MAX_BYTES = 5 * 1024 * 1024
"""Bytes of a picture or PDF file, the last included."""


class Kind(NamedTuple):
    """What an extension says of a file."""

    media_type: str
    noun: str
    """What messages call it."""

    @property
    def is_image(self) -> bool:
        """Whether it is a picture, else it is a PDF."""
        return self.media_type.startswith("image/")


_KINDS = {
    ".png": Kind("image/png", "image"),
    ".jpg": Kind("image/jpeg", "image"),
    ".jpeg": Kind("image/jpeg", "image"),
    ".gif": Kind("image/gif", "image"),
    ".webp": Kind("image/webp", "image"),
    ".pdf": Kind("application/pdf", "PDF"),
}


def kind_of(path: str) -> Kind | None:
    """Tell by its extension what a file is sent as; `None`: as text."""
    return _KINDS.get(os.path.splitext(path)[1].lower())  # noqa: PTH122 - a `Path` takes its time


def read(context: Context[Any], file: File, path: str, kind: Kind) -> Steps[Output]:
    """Answer with the file itself.

    Raises:
        ReadError: Validation is on, and it does not decode.
    """
    if file.size_bytes > MAX_BYTES:
        return {"context": f"{'Image' if kind.is_image else 'PDF'} file exceeds 5MB limit: {path}"}
    name = "image" if kind.is_image else "pdf"
    if context.sees(name) is False:
        return {"context": f"Cannot read {kind.noun}: {path}: the model takes no {kind.noun} input"}
    data, media_type = (yield from file.read(MAX_BYTES)), kind.media_type
    if context.validate_media and kind.is_image:
        image = (yield from fit(file, context.model or Model(), original="sound")).image
        data, media_type = image.data, image.media_type
    elif context.validate_media:
        refusal = yield from _pdf_fault(context, file)
        if refusal is not None:
            return {"context": f"Cannot read PDF: {path}: {refusal}"}
    encoded = yield from file.work(lambda: b64encode(data), len(data))
    context.note(file, kind=name, form="visual", media_type=kind.media_type, key=name)
    part = {"type": "image" if kind.is_image else "document", "mediaType": media_type, "data": encoded}
    return {"context": f"Read {kind.noun}: {path}", "result": [part]}


def _pdf_fault(context: Context[Any], file: File) -> Steps[str | None]:
    """Have it opened; say why a model would not take it."""
    pages, is_encrypted = yield from count_pages(file)
    model = context.model
    if is_encrypted:
        return "it is encrypted"
    if model is not None and model.max_pdf_pages is not None and pages > model.max_pdf_pages:
        return f"it has {pages:,} pages, and the model takes {model.max_pdf_pages:,}"
    if model is not None and model.max_pdf_bytes is not None and file.size_bytes > model.max_pdf_bytes:
        return f"it has {file.size_bytes:,} bytes, and the model takes {model.max_pdf_bytes:,}"
    return None


def blocks(output: Output) -> list[Block]:
    """Read an answer back: its text, then its pictures and documents."""
    answer: dict[str, Any] = output if isinstance(output, dict) else {"context": output}
    found: list[Block] = [TextBlock(answer["context"])]
    name = Path(answer["context"]).name
    for part in answer.get("result", ()):
        data = b64decode(part["data"])
        try:
            found.append(_block(part["type"], data, name))
        except ValueError as error:
            # Without validation it may be anything, and no model takes it.
            found.append(TextBlock(f"[{part['mediaType']} of {len(data):,} bytes: {error}]"))
    return found


def _block(kind: str, data: bytes, name: str) -> Block:
    if kind == "image":
        return ImageBlock.from_bytes(data)
    # The answer does not say how many pages there are, and a document has one at least.
    return DocumentBlock.from_bytes(data, name=name, page_count=1)
