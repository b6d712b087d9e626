"""Images, PDFs, audio and video that contracts pass on as they are, or checked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from anyread.errors import TooLargeError
from anyread.model import Model
from anyread.results import TextBlock
from anyread.results.blocks import DocumentBlock, ImageBlock

from .decoders import count_pages, fit

if TYPE_CHECKING:
    from anyread.results import Block

    from .files import File
    from .profile import Context, Steps

PDF: Final = "application/pdf"
SVG: Final = "image/svg+xml"


def attachment(
    context: Context[Any], file: File, media_type: str, *, is_media: bool = True
) -> Steps[tuple[str, bytes]]:
    """Return the media type and the bytes of a file that is sent as an attachment.

    An image is decoded, and fitted to the host's model if it has set one; a PDF is opened. Audio, video and
    SVG are sent unchanged, and so is everything if the host does not validate media.

    Args:
        context: What the host has set.
        file: The file.
        media_type: What the contract takes the file for.
        is_media: Whether it is sent as media; otherwise its bytes are not checked.

    Raises:
        TooLargeError: The file exceeds the reader's limit for its kind.
        ReadError: It cannot be decoded, or the model does not accept it.
    """
    limits = context.reader.limits
    is_image = media_type.startswith("image/")
    maximum = limits.max_image_file_bytes if is_image else limits.max_pdf_file_bytes
    if file.size_bytes > maximum:
        raise TooLargeError(file.path, size=file.size_bytes, maximum=maximum, unit="bytes")
    if context.validate_media and is_media:
        if is_image and media_type != SVG:
            image = (yield from fit(file, context.model or Model(), original="sound")).image
            return image.media_type, image.data
        if media_type == PDF:
            yield from count_pages(file, context.reader.pdf_passwords)
    return media_type, (yield from file.read(maximum))


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
