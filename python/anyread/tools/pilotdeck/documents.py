"""PDFs as `read_file` returns them: the file itself, images of its pages, or a sentence."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from anyread._native import b64encode
from anyread.errors import DamagedFileError, PasswordRequiredError, ReadError, UnsupportedFormatError
from anyread.model import Model
from anyread.tools.decoders import count_pages, open_document, rendered_pages

from .answers import Json, RefusedCall, media_item, success, text_item
from .arguments import MAX_PAGES, page_range
from .images import SentImage, accepting, compressed

if TYPE_CHECKING:
    from anyread.decoding.host.document import DecodedPage
    from anyread.open_file import OpenFile
    from anyread.tools.contract import Context

_WHOLE_PAGES: Final = 10
"""The most pages of a PDF without `pages`."""
_WHOLE_BYTES: Final = 3 * 1024 * 1024
"""The most bytes of a PDF that is sent unchanged."""
_DPI: Final = 100
_QUALITY: Final = 80
_UNREADABLE: Final = (DamagedFileError, PasswordRequiredError, UnsupportedFormatError)
"""The errors of files that cannot be opened as a PDF."""
_NO_PDF_INPUT: Final = "model does not support PDF input"
_OVER_THRESHOLD: Final = "file exceeds 3MB threshold"


@dataclass(frozen=True, slots=True)
class PdfCall:
    """One call for a PDF.

    Args:
        file: The file.
        relative: Its path in the workspace.
        pages: The argument `pages`.
        context: What the host has set.
    """

    file: OpenFile
    relative: str
    pages: str | None
    context: Context[Any]

    def answer(self) -> Json:
        """Answer the call; only an answer with media counts as a read.

        Raises:
            RefusedCall: The PDF does not have the pages, has too many, or is damaged.
        """
        is_encrypted = False
        try:
            found, is_encrypted = count_pages(self.file, self.context.reader.pdf_passwords)
            count = found or None
        except _UNREADABLE as error:
            count, is_encrypted = None, not isinstance(error, DamagedFileError)
        requested = None if self.pages is None else page_range(self.pages)
        if requested is not None:
            return self._range(requested, count)
        if count is not None and count > _WHOLE_PAGES:
            message = (
                f"This PDF has {count} pages, which is too many to read at once. "
                'Use the pages parameter to read specific page ranges (e.g., pages: "1-5"). '
                f"Maximum {MAX_PAGES} pages per request."
            )
            raise RefusedCall("invalid_tool_input", message)
        reason = self._why_not_whole(count, is_encrypted=is_encrypted)
        if reason is None:
            return self._whole(count)
        return self._instead(reason, count)

    def _range(self, pages: tuple[int, int], count: int | None) -> Json:
        """Answer with the requested pages."""
        first, last = pages
        if count is not None and last > count:
            message = f"PDF page range {self.pages} exceeds the detected page count ({count})."
            raise RefusedCall("invalid_tool_input", message)
        if not self.context.sees("image"):
            reason = "Current model does not support image input; cannot render requested pages."
            return self._sentence(self._about(count, reason), count, modelSupportsImage=False)
        images = self._rendered(first, last)
        if isinstance(images, str):
            text = f"[PDF file: {self.relative}. PDF page rendering failed: {images}]"
            return self._sentence(text, count, renderError=images)
        number = last - first + 1
        text = (
            f"PDF pages extracted: {number} page(s) from {self.relative} (pages {first}-{last}{_of(count)})."
        )
        return self._images(images, text, pages, count, truncated=False, requestedPages=self.pages)

    def _why_not_whole(self, count: int | None, *, is_encrypted: bool) -> str | None:
        """Return why the file itself is not sent; `None`: it is.

        The first two reasons are the contract's; for the others, a model's API would refuse the file.
        """
        size, model = self.file.size_bytes, self.context.model
        if model is None or "pdf" not in model.inputs:
            return _NO_PDF_INPUT
        if size > _WHOLE_BYTES:
            return _OVER_THRESHOLD
        if not self.context.validate_media:
            return None
        if model.max_pdf_bytes is not None and size > model.max_pdf_bytes:
            return f"file exceeds the model's {model.max_pdf_bytes} bytes"
        if model.max_pdf_pages is not None and (count or 0) > model.max_pdf_pages:
            return f"file exceeds the model's {model.max_pdf_pages} pages"
        return "file is encrypted" if is_encrypted else None

    def _whole(self, count: int | None) -> Json:
        """Answer with the file itself."""
        is_validated = self.context.validate_media
        if is_validated and (count is None or self._has_damage(count)):
            size = self.file.size_bytes
            message = f"PDF file appears truncated or corrupted ({size} bytes). Cannot decode."
            raise RefusedCall("invalid_tool_input", message)
        data = self.file.read(_WHOLE_BYTES)
        # The checks are valid only for the bytes that the decoder read.
        if is_validated and not self.file.is_unchanged():
            raise RefusedCall("tool_execution_failed", f"{self.relative} was changed while it was read.")
        text = f"PDF file read: {self.relative} ({len(data)} bytes{_pages(count)})"
        item = media_item("pdf", "application/pdf", b64encode(data), len(data), pages=count)
        return success([text_item(text)], self._facts(count, bytes=len(data)), attached=[item])

    def _has_damage(self, count: int) -> bool:
        """Return whether a page is damaged; a model's API checks all pages too."""
        limits = self.context.reader.limits
        document = open_document(self.file, limits, self.context.reader.pdf_passwords)
        try:
            stream = document.pages(range(1, count + 1), image=None, limits=limits)
            while stream:
                if stream.take().is_damaged:
                    return True
            document.rest()
            return False
        finally:
            document.close()

    def _instead(self, reason: str, count: int | None) -> Json:
        """Answer with images of the pages, because the file itself cannot be sent."""
        sees_pdf = bool(self.context.sees("pdf"))
        if not self.context.sees("image"):
            why = f"The {reason}, and the current model does not support image input."
            if reason in {_NO_PDF_INPUT, _OVER_THRESHOLD}:
                # The contract says this even if the model accepts PDFs and the file is too large.
                why, sees_pdf = "Current model does not support PDF input or image input.", False
            facts = {"modelSupportsPdf": sees_pdf, "modelSupportsImage": False}
            return self._sentence(self._about(count, why), count, **facts)
        last = min(count or MAX_PAGES, MAX_PAGES)
        images = self._rendered(1, last)
        if isinstance(images, str):
            text = self._about(count, f"PDF page rendering failed: {images}")
            return self._sentence(text, count, modelSupportsPdf=sees_pdf, renderError=images)
        is_truncated = count is not None and count > last
        text = f"[PDF pages rendered from {self.relative}: 1-{last}{_of(count)} ({reason}).]"
        if is_truncated:
            text += f"\n[PDF truncated to {MAX_PAGES} pages; use the pages parameter to read another range.]"
        about = {"modelSupportsPdf": sees_pdf, "degradeReason": reason}
        return self._images(images, text, (1, last), count, truncated=is_truncated, **about)

    # -- answers

    def _facts(self, count: int | None, **about: Any) -> Json:
        return {"filePath": self.relative, "kind": "pdf", "pageCount": count, **about}

    def _about(self, count: int | None, reason: str) -> str:
        return f"[PDF file: {self.relative}, {self.file.size_bytes} bytes{_pages(count)}. {reason}]"

    def _sentence(self, text: str, count: int | None, **about: Any) -> Json:
        return success([text_item(text)], self._facts(count, **about))

    def _images(
        self,
        images: list[Json],
        text: str,
        pages: tuple[int, int],
        count: int | None,
        *,
        truncated: bool,
        **about: Any,
    ) -> Json:
        rendered = {"firstPage": pages[0], "lastPage": pages[1]}
        facts = self._facts(
            count, pdfPagesRendered=True, renderedPages=rendered, truncated=truncated, **about
        )
        return success([text_item(text)], facts, metadata={"truncated": truncated}, attached=images)

    # -- rendering

    def _rendered(self, first: int, last: int) -> list[Json] | str:
        """Render pages, or return why that failed, which is not an error in this contract.

        A page with fonts that are neither in the file nor on this machine becomes text.
        """
        model = self.context.model or Model.text_only()
        limits = replace(self.context.reader.limits, dpi=_DPI, jpeg_quality=_QUALITY)
        items: list[Json] = []
        try:
            while first + len(items) <= last:
                numbers = range(first + len(items), last + 1)
                _, pages = rendered_pages(self.file, numbers, accepting(model, "image/jpeg"), limits)
                for page in pages:
                    item = self._item(page, model)
                    items.append(item)
        except RefusedCall as refused:
            return refused.message
        except DamagedFileError as error:
            return error.reason
        except ReadError as error:
            return error.message
        return items

    def _item(self, page: DecodedPage, model: Model) -> Json:
        if page.image is None:
            fonts = ", ".join(page.missing_fonts) or "unknown"
            return text_item(f"[Page {page.number} as text, because fonts are missing: {fonts}]\n{page.text}")
        image = SentImage(page.image.data, page.image.media_type)
        return compressed(self.file, image, model).item(model.image_detail)


def _pages(count: int | None) -> str:
    return "" if count is None else f", {count} pages"


def _of(count: int | None) -> str:
    return "" if count is None else f" of {count}"
