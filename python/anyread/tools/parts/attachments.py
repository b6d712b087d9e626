"""Images, PDFs, audio and video that contracts pass on as they are, or checked."""

from __future__ import annotations

from base64 import b64decode
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from anyread._native import b64encode
from anyread.errors import TooLargeError
from anyread.models.model import Model
from anyread.results import TextBlock
from anyread.results.blocks import DocumentBlock, ImageBlock
from anyread.values import replaced

from .decoders import count_pages, fit

if TYPE_CHECKING:
    from anyread.reading.open_file import OpenFile
    from anyread.results import Block

    from .contract import Context, Refusal

PDF: Final = "application/pdf"
SVG: Final = "image/svg+xml"


class Encoded(str):
    """The base64 or data URL of an attachment, with its block, so that nothing is decoded twice."""

    __slots__ = ("block",)
    block: Block


def encoded(data: bytes, media_type: str, *, block: Block | None = None, as_url: bool = False) -> Encoded:
    """Encode an attachment; this may take long.

    Args:
        data: Its bytes.
        media_type: Its media type.
        block: Its block, if that does not follow from its bytes.
        as_url: Whether to return a data URL.
    """
    text = b64encode(data)
    result = Encoded(f"data:{media_type};base64,{text}" if as_url else text)
    result.block = block or attachment_block(media_type, data, "document.pdf")
    return result


def prepared(block: ImageBlock | DocumentBlock) -> Encoded:
    """Return the base64 of a block."""
    result = Encoded(block.base64)
    result.block = block
    return result


class Attachment(NamedTuple):
    """A file as it is sent."""

    media_type: str
    """Its media type; an image may have been converted."""
    base64: Encoded
    """Its bytes, as base64 or as a data URL."""


def attachment(
    context: Context[Any],
    file: OpenFile,
    media_type: str,
    *,
    kind: str,
    unseen: Refusal | None = None,
    as_url: bool = False,
) -> Attachment:
    """Return a file as an attachment, and record the read.

    An image is decoded, and fitted to the host's model if it has set one; a PDF is opened. Audio, video and
    SVG are sent unchanged, and so is everything if the host does not validate media.

    Args:
        context: What the host has set.
        file: The file.
        media_type: What the contract takes the file for.
        kind: The kind of the record in the session, as in `Context.note`.
        unseen: What is raised if the model does not accept images, or PDFs; `None`: they are sent.
        as_url: Whether to return a data URL.

    Raises:
        Refusal: `unseen`.
        TooLargeError: The file exceeds the reader's limit for its kind.
        ReadError: It cannot be decoded, or the model does not accept it.
    """
    if unseen is not None and kind in {"image", "pdf"} and context.sees(kind) is False:
        raise unseen
    limits = context.reader.limits
    is_image = media_type.startswith("image/")
    maximum = limits.max_image_file_bytes if is_image else limits.max_pdf_file_bytes
    if file.size_bytes > maximum:
        raise TooLargeError(file.path, size=file.size_bytes, maximum=maximum, unit="bytes")
    if context.validate_media and is_image and media_type != SVG:
        image = fit(file, context.model or Model(), original="sound").image
        media_type, data = image.media_type, image.data
    else:
        if context.validate_media and media_type == PDF:
            count_pages(file, context.reader.pdf_passwords)
        data = file.read(maximum)
    found = file.work(partial(encoded, data, media_type, as_url=as_url), len(data))
    context.note(file, kind=kind, form="visual", media_type=media_type)
    return Attachment(media_type, found)


_NESTED: Final = ("inlineData", "resource", "source")
_TYPE_NAMES: Final = ("mimeType", "media_type", "mediaType", "mime_type")
_DATA_NAMES: Final = ("data", "base64", "blob")


def blocks_of(
    output: Any, key: str = "", *, name: str = "document.pdf", empty: str | None = None
) -> list[Block]:
    """Convert an answer to blocks; empty texts are left out.

    Args:
        output: What `contract.thrown` returned, an object with parts under a key, or the parts themselves:
            texts, and objects with a text, a data URL, or a media type and base64, under any of the names
            that contracts have for these. A single part need not be in a list.
        key: The key.
        name: The name of a document.
        empty: What is shown if nothing else is; `None`: nothing.
    """
    if isinstance(output, dict):
        output = output["error"] if isinstance(output.get("error"), str) else output[key]
    parts = [output] if isinstance(output, str | dict) else output
    objects = [{"text": part} if isinstance(part, str) else part for part in parts]
    found = [_block_of(part, name) for part in objects if part.get("text") != ""]
    return found or ([] if empty is None else [TextBlock(empty)])


def _block_of(part: Any, name: str) -> Block:
    if "text" in part:
        return TextBlock(part["text"])
    if "url" in part:
        return encoded_block("", part["url"], name)
    source = next((part[each] for each in _NESTED if each in part), part)
    media_type = next(source[each] for each in _TYPE_NAMES if each in source)
    return encoded_block(media_type, next(source[each] for each in _DATA_NAMES if each in source), name)


def encoded_block(media_type: str, text: str, name: str) -> Block:
    """Return the block of an attachment in base64, or in a data URL if `media_type` is empty.

    It is known if the answer is the object that `Tool.call` returned; otherwise, the text is decoded.
    """
    if isinstance(text, Encoded):
        block = text.block
        return replaced(block, name=name) if isinstance(block, DocumentBlock) else block
    if not media_type:
        media_type, _, text = text.removeprefix("data:").partition(";base64,")
    return attachment_block(media_type, b64decode(text), name)


def attachment_block(media_type: str, data: bytes, name: str) -> Block:
    """Convert an attachment to a block of a message: a text, if there is no block for its type."""
    try:
        if media_type == PDF:
            # The number of pages is not part of an answer, and a document has at least one.
            return DocumentBlock.from_bytes(data, name=name, page_count=1)
        if media_type == SVG:
            return TextBlock(data.decode("utf-8", "replace").strip() or "[empty SVG]")
        if media_type.startswith("image/"):
            return ImageBlock.from_bytes(data)
        reason = "this type of file is not shown"
    except ValueError as error:
        # Without validation, the data may be anything.
        reason = str(error)
    return TextBlock(f"[{media_type} of {len(data):,} bytes: {reason}]")
