"""Images and PDFs as `read_file` sends them: repaired, compressed to the model's limit, or as a sentence."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from anyread.errors import DamagedFileError, PasswordRequiredError, ReadError, UnsupportedFormatError
from anyread.models.model import Model
from anyread.results.blocks import DocumentBlock
from anyread.tools.parts.media import PDF, count_pages, encoded, fit, pdf_excess, rendered_pages

from .answers import Json, RefusedCall, success, text_item
from .arguments import MAX_PAGES, page_range

if TYPE_CHECKING:
    from anyread.reading.open_file import OpenFile
    from anyread.tools.parts.contract import Context

_MAX_IMAGE_BYTES: Final = 20 * 1024 * 1024
"""The most bytes of an image, whatever the model accepts."""
_SUSPECT_BYTES: Final = 1_000
"""An image with at most this many bytes is re-encoded."""
_SENT_TYPES: Final = ("image/png", "image/jpeg", "image/gif", "image/webp")
_DETECTED_TYPES: Final = {*_SENT_TYPES, "image/tiff", "image/avif"}
"""The types that the reference's library detects by their headers."""
_WHOLE_PAGES: Final = 10
"""The most pages of a PDF without `pages`."""
_WHOLE_BYTES: Final = 3 * 1024 * 1024
"""The most bytes of a PDF that is sent unchanged."""
_DPI: Final = 100
_NO_PDF_INPUT: Final = "model does not support PDF input"
_OVER_THRESHOLD: Final = "file exceeds 3MB threshold"


class SentImage(NamedTuple):
    """An encoded image that may be sent."""

    data: bytes
    media_type: str

    def item(self, file: OpenFile, detail: str | None) -> Json:
        """Return it as an item of content; `detail` is the host's setting."""
        item = _media_item(file, "image", self.data, self.media_type)
        return item if detail is None else {**item, "detail": detail}


def _media_item(
    file: OpenFile, kind: str, data: bytes, media_type: str, block: DocumentBlock | None = None
) -> Json:
    base64 = file.work(partial(encoded, data, media_type, block=block), len(data))
    return {"type": kind, "mimeType": media_type, "data": base64, "bytes": len(data)}


def sent_image(
    file: OpenFile, data: bytes, media_type: str, model: Model, *, is_validated: bool
) -> SentImage:
    """Return the file itself if it is intact and small enough, and otherwise a repaired, compressed image.

    A very small file, a JPEG without its end, and a file without a known header are re-encoded as JPEG.

    Args:
        file: The file.
        data: Its bytes.
        media_type: The media type of its extension.
        model: What the model accepts.
        is_validated: Whether it must decode completely, and must fit the host's limits; otherwise only its
            header and its end are checked.

    Raises:
        RefusedCall: It cannot be decoded, or is still too large after three passes.
    """
    is_cut = media_type == "image/jpeg" and not data.endswith(b"\xff\xd9")
    is_unknown = media_type != "image/jpeg" and file.media_type not in _DETECTED_TYPES
    image = SentImage(data, media_type)
    try:
        if len(data) <= _SUSPECT_BYTES or is_cut or is_unknown:
            image = _fit(file, data, model, "image/jpeg", quality=90)
        elif is_validated:
            image = _fit(file, data, model, *_SENT_TYPES, quality=90, original="sound")
    except DamagedFileError as error:
        message = f"Image file appears truncated or corrupted ({len(data)} bytes). Cannot decode."
        raise RefusedCall("invalid_tool_input", message) from error
    return _compressed(file, image, model)


def _compressed(file: OpenFile, image: SentImage, model: Model) -> SentImage:
    """Compress an image to the limit of bytes in up to three passes, each from the previous result."""
    maximum, shown = _MAX_IMAGE_BYTES, image
    if model.max_image_bytes:
        maximum = min(maximum, model.max_image_bytes)
    if model.max_image_base64_bytes is not None:
        maximum = min(maximum, model.max_image_base64_bytes // 4 * 3)
    first = ("image/png", 1_200) if image.media_type == "image/gif" else (image.media_type, 1_600)
    for media_type, edge, quality in ((*first, 80), ("image/jpeg", 1_200, 55), ("image/jpeg", 800, 40)):
        if len(shown.data) <= maximum:
            return shown
        try:
            shown = _fit(file, shown.data, model, media_type, quality=quality, edge=edge)
        except DamagedFileError:
            # The image was not validated.
            break
    if len(shown.data) <= maximum:
        return shown
    message = (
        f"Image content exceeds the read_file byte budget after compression attempts ({image.media_type})."
    )
    about = {"mimeType": shown.media_type, "bytes": len(shown.data), "maxBytes": maximum}
    raise RefusedCall("result_too_large", message, **about)


def _fit(
    file: OpenFile,
    data: bytes,
    model: Model,
    *media_types: str,
    quality: int,
    edge: int | None = None,
    original: Literal["sound", "never"] = "never",
) -> SentImage:
    model = _accepting(model, *media_types, edge=edge)
    fitted = fit(file, model, data=data, media_type="image/*", original=original, jpeg_quality=quality)
    return SentImage(fitted.image.data, fitted.image.media_type)


def _accepting(model: Model, *media_types: str, edge: int | None = None) -> Model:
    """Return a model that accepts only these of the types of `model`, and edges of up to `edge` pixels.

    Bytes are not limited, because `_compressed` limits them.
    """
    accepted = model.image_types or _SENT_TYPES
    edges = [limit for limit in (edge, model.max_long_edge) if limit is not None]
    return Model(
        image_types=tuple(name for name in media_types if name in accepted) or accepted,
        max_long_edge=min(edges, default=None),
        max_image_pixels=model.max_image_pixels,
    )


class Pdf:
    """A PDF that `read_file` answers with.

    Args:
        file: The file.
        relative: Its path in the workspace.
        context: What the host has set.
    """

    def __init__(self, file: OpenFile, relative: str, context: Context[Any]) -> None:
        self._file, self._relative, self._context = file, relative, context
        self._is_encrypted = False
        self._count: int | None = None
        try:
            count, self._is_encrypted = count_pages(file, context.reader.pdf_passwords)
            self._count = count or None
        except DamagedFileError:
            pass
        except (PasswordRequiredError, UnsupportedFormatError):
            self._is_encrypted = True

    def answer(self, pages: str | None) -> Json:
        """Answer a call; only an answer with media counts as a read.

        Raises:
            RefusedCall: The PDF does not have the pages, has too many, or is damaged.
        """
        count = self._count
        if pages is not None:
            first, last = page_range(pages) or (1, 1)
            if count is not None and last > count:
                message = f"PDF page range {pages} exceeds the detected page count ({count})."
                raise RefusedCall("invalid_tool_input", message)
            return self._as_images(first, last, pages, "")
        if count is not None and count > _WHOLE_PAGES:
            message = (
                f"This PDF has {count} pages, which is too many to read at once. "
                'Use the pages parameter to read specific page ranges (e.g., pages: "1-5"). '
                f"Maximum {MAX_PAGES} pages per request."
            )
            raise RefusedCall("invalid_tool_input", message)
        reason = self._why_not_whole()
        return self._whole() if reason is None else self._as_images(1, count or MAX_PAGES, None, reason)

    def _why_not_whole(self) -> str | None:
        """Return why the file itself is not sent; `None`: it is.

        The first two reasons are the contract's; for the others, a model's API would refuse the file.
        """
        size, model = self._file.size_bytes, self._context.model
        if model is None or "pdf" not in model.inputs:
            return _NO_PDF_INPUT
        if size > _WHOLE_BYTES:
            return _OVER_THRESHOLD
        if not self._context.validate_media:
            return None
        excess = pdf_excess(model, self._count or 0, size)
        if excess is not None:
            return f"file exceeds the model's {excess[1]} {excess[2]}"
        return "file is encrypted" if self._is_encrypted else None

    def _whole(self) -> Json:
        """Answer with the file itself."""
        file, block = self._file, None
        data = file.read(_WHOLE_BYTES)
        if self._context.validate_media:
            try:
                # A model's API checks all pages too.
                count, _ = rendered_pages(file, range(1, _WHOLE_PAGES + 1), None, self._context.reader.limits)
            except DamagedFileError as error:
                message = f"PDF file appears truncated or corrupted ({file.size_bytes} bytes). Cannot decode."
                raise RefusedCall("invalid_tool_input", message) from error
            # The checks are valid only for the bytes that the decoder read.
            if not file.is_unchanged():
                raise RefusedCall("tool_execution_failed", f"{self._relative} was changed while it was read.")
            block = DocumentBlock.from_bytes(data, name="document.pdf", page_count=count)
        item = _media_item(file, "pdf", data, PDF, block)
        if self._count is not None:
            item["pages"] = self._count
        text = f"PDF file read: {self._relative} ({len(data)} bytes{self._pages})"
        return success(text_item(text), self._facts(bytes=len(data)), attached=[item])

    def _as_images(self, first: int, last: int, requested: str | None, reason: str) -> Json:
        """Answer with images of pages: of those that were requested, or else of all, for a reason."""
        facts: Json = {} if requested else {"modelSupportsPdf": bool(self._context.sees("pdf"))}
        if not self._context.sees("image"):
            why = f"The {reason}, and the current model does not support image input."
            if requested:
                why = "Current model does not support image input; cannot render requested pages."
            elif reason in {_NO_PDF_INPUT, _OVER_THRESHOLD}:
                # The contract says this even if the model accepts PDFs and the file is too large.
                why = "Current model does not support PDF input or image input."
                facts = {"modelSupportsPdf": False}
            return self._sentence(self._about(why), modelSupportsImage=False, **facts)
        images = self._rendered(first, last)
        if isinstance(images, str):
            text = f"PDF page rendering failed: {images}"
            text = f"[PDF file: {self._relative}. {text}]" if requested else self._about(text)
            return self._sentence(text, renderError=images, **facts)
        if requested:
            number, facts["requestedPages"] = last - first + 1, requested
            of = f"(pages {first}-{last} of {self._count})"
            text = f"PDF pages extracted: {number} page(s) from {self._relative} {of}."
        else:
            facts["degradeReason"] = reason
            text = f"[PDF pages rendered from {self._relative}: 1-{last} of {self._count} ({reason}).]"
        pages = {"firstPage": first, "lastPage": last}
        facts = self._facts(pdfPagesRendered=True, renderedPages=pages, truncated=False, **facts)
        return success(text_item(text), facts, metadata={"truncated": False}, attached=images)

    def _rendered(self, first: int, last: int) -> list[Json] | str:
        """Render pages, or return why that failed, which is not an error in this contract.

        A page with fonts that are neither in the file nor on this machine becomes text.
        """
        file, items = self._file, list[Json]()
        model = self._context.model or Model.text_only()
        limits = replace(self._context.reader.limits, dpi=_DPI, jpeg_quality=80)
        try:
            _, pages = rendered_pages(file, range(first, last + 1), _accepting(model, "image/jpeg"), limits)
            for page in pages:
                if page.image is not None:
                    image = SentImage(page.image.data, page.image.media_type)
                    items.append(_compressed(file, image, model).item(file, model.image_detail))
                else:
                    fonts = ", ".join(page.missing_fonts) or "unknown"
                    why = f"[Page {page.number} as text, because fonts are missing: {fonts}]"
                    items.append(text_item(f"{why}\n{page.text}"))
        except RefusedCall as refused:
            return refused.message
        except ReadError as error:
            return error.reason if isinstance(error, DamagedFileError) else error.message
        return items

    # -- answers

    @property
    def _pages(self) -> str:
        return "" if self._count is None else f", {self._count} pages"

    def _facts(self, **about: Any) -> Json:
        return {"filePath": self._relative, "kind": "pdf", "pageCount": self._count, **about}

    def _about(self, reason: str) -> str:
        return f"[PDF file: {self._relative}, {self._file.size_bytes} bytes{self._pages}. {reason}]"

    def _sentence(self, text: str, **about: Any) -> Json:
        return success(text_item(text), self._facts(**about))
