"""The blocks of an answer, before an adapter converts them to an API's format.

This module converts results and errors to blocks, checks which of them the model accepts, and replaces
the others with a line of text. The adapters only convert the format.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, TypeAlias

from anyread.errors import ReadError
from anyread.errors.base import quoted
from anyread.models.model import Model
from anyread.results import BasePage, Block, Failed, NotShown, Page, TextBlock, Unchanged
from anyread.results.blocks import DocumentBlock, ImageBlock, inspected
from anyread.results.pdf import PdfPage, PdfPages

Readable: TypeAlias = Page | Unchanged | NotShown | Failed | ReadError | Block
Readables: TypeAlias = Readable | Iterable[Readable]

_RESULTS = (BasePage, Unchanged, NotShown, Failed, ReadError)
_BLOCKS = (TextBlock, ImageBlock, DocumentBlock)
_NOTHING = TextBlock("[nothing to show]")


class ModelAnswer(NamedTuple):
    """An answer as blocks that the model accepts."""

    blocks: list[Block]
    """At least one block; texts are never blank."""
    is_error: bool
    """Whether the answer is an error, or consists only of errors."""


def answer(
    source: Readables,
    model: Model,
    *,
    is_error: bool | None = None,
    flags_errors: bool = True,
    still_gif: bool = False,
) -> ModelAnswer:
    """Convert a result, an error, blocks, or several of these to blocks that a model accepts.

    With several results, a line above each names its file. Anything that the model does not accept is
    replaced with a line of text that says why; a PDF that it does not accept becomes its text.

    Args:
        source: What to show to the model.
        model: What the model accepts.
        is_error: Whether this is an error, which blocks cannot express; `None`: determined from `source`.
        flags_errors: Whether the API has an error flag; otherwise, and among several results, the text of
            errors starts with "error: ".
        still_gif: Whether a GIF with one frame is accepted even if `model.image_types` has no GIF.

    Raises:
        TypeError: The source, or one of its items, is anything else.
    """
    items = items_of(source)
    if len(items) == 1 and flags_errors and isinstance(items[0], (Failed, ReadError)):
        return ModelAnswer([TextBlock(sendable(_error_text(items[0])))], is_error=is_error is not False)
    shown = _Shown(model, still_gif=still_gif)
    has_headers = sum(isinstance(item, _RESULTS) for item in items) > 1
    for item in items:
        shown.add(item, has_header=has_headers)
    if is_error is None:
        is_error = bool(items) and all(isinstance(item, (Failed, ReadError)) for item in items)
    blocks = shown.blocks or [_NOTHING]
    if is_error and not flags_errors:
        _mark_error(blocks)
    return ModelAnswer(blocks, is_error)


def _mark_error(blocks: list[Block]) -> None:
    """Start the first text with "error: ", unless it already does."""
    first = blocks[0]
    if not isinstance(first, TextBlock):
        blocks.insert(0, TextBlock("error: the call failed"))
    elif not first.text.casefold().startswith("error: "):
        blocks[0] = TextBlock(f"error: {first.text}")


def separated(
    blocks: list[Block], placeholder: str = "[{label}]"
) -> tuple[str, list[tuple[ImageBlock | DocumentBlock, str]]]:
    """Separate images and documents from the text, for APIs whose results of calls have only text.

    Returns:
        The text, with a line in place of each image and document, and these with their labels.
    """
    texts: list[str] = []
    media: list[tuple[ImageBlock | DocumentBlock, str]] = []
    for block in blocks:
        if isinstance(block, TextBlock):
            texts.append(block.text)
            continue
        known = [label for _, label in media]
        if isinstance(block, ImageBlock):
            label = f"image-{len(media) + 1}.{block.media_type.removeprefix('image/')}"
        else:
            label = document_name(block)
            label = label if label not in known else f"{len(media) + 1}-{label}"
        texts.append(placeholder.format(label=label))
        media.append((block, label))
    return "\n".join(texts), media


def document_name(block: DocumentBlock) -> str:
    """Return a document's name on one line, without characters that cannot be sent."""
    return " ".join(sendable(block.name).split()) or "document"


def data_url(block: ImageBlock | DocumentBlock) -> str:
    """Return an image or a document as a data URL."""
    return f"data:{block.media_type};base64,{block.base64}"


class _Shown:
    """Collects the blocks of an answer."""

    def __init__(self, model: Model, *, still_gif: bool) -> None:
        self.blocks: list[Block] = []
        self._model = model
        self._still_gif = still_gif
        self._images = 0

    def add(self, item: Readable, *, has_header: bool) -> None:
        if isinstance(item, BasePage):
            if has_header:
                self._add_text(f"[{_one_line(item.summary())}]")
            for block in self._blocks_of(item):
                self._add(block)
        elif isinstance(item, Unchanged):
            self._add_text(f"[{_one_line(item.summary())}]")
        elif isinstance(item, NotShown):
            if item.text:
                self._add_text(f"[{_one_line(item.summary())}]\n{item.text}" if has_header else item.text)
        elif isinstance(item, (Failed, ReadError)):
            self._add_text(f"error: {_error_text(item)}")
        else:
            self._add(item)

    def _blocks_of(self, page: Page) -> Iterable[Block]:
        if not isinstance(page, PdfPages) or page.document is None:
            return page.blocks
        reason = why_not_document(page.document, self._model)
        if reason is None:
            return page.blocks
        texts = [TextBlock(_page_text(part, page.document.page_count)) for part in page.pages]
        return [TextBlock(f"[{page.document.summary()}; shown as text: {reason}]"), *texts]

    def _add(self, block: Block) -> None:
        if isinstance(block, TextBlock):
            self._add_text(block.text)
            return
        if isinstance(block, DocumentBlock):
            reason = why_not_document(block, self._model)
            pages = "1 page" if block.page_count == 1 else f"{block.page_count:,} pages"
            about = f"document: {quoted(block.name)}, {pages}"
        else:
            reason = self._why_not_image(block)
            kind = block.media_type.removeprefix("image/").upper()
            about = f"image: {kind} {block.width:,}×{block.height:,}"
        if reason is None:
            self._images += isinstance(block, ImageBlock)
            self.blocks.append(block)
        else:
            self._add_text(f"[{about}, {len(block.data):,} bytes; not shown: {reason}]")

    def _add_text(self, text: str) -> None:
        # Model APIs reject blocks without visible text.
        if text and not text.isspace():
            self.blocks.append(TextBlock(sendable(text)))

    def _why_not_image(self, block: ImageBlock) -> str | None:
        most = self._model.max_images
        if most is not None and self._images >= most:
            return f"this model accepts at most {most:,} images"
        is_accepted = self._still_gif and block.media_type == "image/gif" and not is_animated(block.data)
        return why_not_image(block, self._model, is_type_accepted=is_accepted)


def why_not_image(block: ImageBlock, model: Model, *, is_type_accepted: bool = False) -> str | None:
    """Return why a model does not accept an image, as a clause; `None`: it does."""
    if "image" not in model.inputs:
        return "this model accepts no images"
    types = model.image_types
    if types is not None and block.media_type not in types and not is_type_accepted:
        return f"this model does not accept {block.media_type}"
    try:
        found = inspected(block.data)
    except ValueError as error:
        return str(error)
    if found != (block.media_type, block.width, block.height):
        return f"its content is {found[0]} {found[1]:,}×{found[2]:,}"
    return _over(len(block.data), model.max_image_bytes, "bytes") or (
        _over((len(block.data) + 2) // 3 * 4, model.max_image_base64_bytes, "bytes in base64")
        or _over(block.width * block.height, model.max_image_pixels, "pixels")
    )


def why_not_document(block: DocumentBlock, model: Model) -> str | None:
    """Return why a model does not accept a PDF, as a clause; `None`: it does."""
    if "pdf" not in model.inputs:
        return "this model accepts no PDFs"
    return _over(len(block.data), model.max_pdf_bytes, "bytes") or (
        _over(block.page_count, model.max_pdf_pages, "pages")
    )


def _over(count: int, most: int | None, unit: str) -> str | None:
    return None if most is None or count <= most else f"{count:,} {unit} exceed the limit of {most:,}"


def is_animated(gif: bytes) -> bool:
    """Return whether a GIF has more than one image, from its structure."""
    images, place = 0, 13 + _colors(gif, 10)
    while place < len(gif):
        if gif[place] == 0x2C:
            images += 1
            place += 11 + _colors(gif, place + 9)
        elif gif[place] == 0x21:
            place += 2
        else:
            break
        while place < len(gif) and gif[place]:
            place += gif[place] + 1
        place += 1
    return images > 1


def _colors(gif: bytes, place: int) -> int:
    """Return the size in bytes of the color table that the flags at a place announce."""
    flags = gif[place] if place < len(gif) else 0
    return 3 << (flags & 7) + 1 if flags & 0x80 else 0


def items_of(source: Readables) -> list[Readable]:
    """Return the results, errors and blocks of a source, which may be an iterator.

    Raises:
        TypeError: The source, or one of its items, is anything else.
    """
    if isinstance(source, (*_RESULTS, *_BLOCKS)):
        return [source]
    # A string is iterable too, and forgetting to await a coroutine is the most likely mistake.
    if isinstance(source, (str, bytes, dict)) or not isinstance(source, Iterable):
        raise TypeError(f"must be a result, an error, a block, or a list of them: {type(source).__name__}")
    items = list(source)
    for item in items:
        if not isinstance(item, (*_RESULTS, *_BLOCKS)):
            raise TypeError(f"must be a result, an error or a block: {type(item).__name__}")
    return items


def _page_text(page: PdfPage, page_count: int) -> str:
    marker = f"[page {page.number:,} of {page_count:,}"
    return f"{marker}]\n{page.text}" if page.text else f"{marker}: no text layer]"


def _error_text(item: Failed | ReadError) -> str:
    return str(item.error if isinstance(item, Failed) else item)


def _one_line(text: str) -> str:
    # A line feed in a file name must not start a new line.
    return text.replace("\r", "\\r").replace("\n", "\\n")


def sendable(text: str) -> str:
    """Replace lone surrogates, because a conversation with them can never be sent again."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text
