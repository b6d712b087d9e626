"""PDFs as `read_file` answers them: the file itself, pictures of its pages, or a sentence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

from anyread._native import b64encode
from anyread.errors import DamagedFileError, ReadError

from . import pages as decoders
from .answers import Json, Refusal, pdf_item, success, text_item
from .arguments import MAX_PAGES, PageRange, page_range

if TYPE_CHECKING:
    from anyread.model import Model
    from anyread.running.effects import Steps
    from anyread.tools.files import File

    from .pictures import Caps

INLINE_PAGES: Final = 10
"""Pages of a PDF that is read without `pages`."""
INLINE_BYTES: Final = 3 * 1024 * 1024
"""Bytes of a PDF that is sent as it is."""
_NO_PDF_INPUT: Final = "model does not support PDF input"
_OVER_THRESHOLD: Final = "file exceeds 3MB threshold"


class Answer(NamedTuple):
    """What a call answers, and whether it counts as a read."""

    output: Json
    is_read: bool


@dataclass(frozen=True, slots=True)
class Document:
    """One PDF of one call.

    Args:
        file: What was opened.
        relative: Its path in the workspace.
        pages: The argument, which is a range of pages.
        model: What the host has said of the model; `None`: it takes text only.
        caps: What pictures must keep to.
        passwords: What to try if it is encrypted.
        is_validated: Whether a document that is sent must be sound.
    """

    file: File
    relative: str
    pages: str | None
    model: Model | None
    caps: Caps
    passwords: tuple[str, ...]
    is_validated: bool

    def answer(self) -> Steps[Answer]:
        """Answer the call.

        Raises:
            Refusal: It does not have the pages, has too many, or is not sound.
        """
        count = yield from decoders.counted(self.file, self.passwords)
        asked = page_range(self.pages) if self.pages is not None else None
        if asked is not None:
            return (yield from self._range(asked, count.pages))
        if count.pages is not None and count.pages > INLINE_PAGES:
            message = (
                f"This PDF has {count.pages} pages, which is too many to read at once. "
                'Use the pages parameter to read specific page ranges (e.g., pages: "1-5"). '
                f"Maximum {MAX_PAGES} pages per request."
            )
            raise Refusal("invalid_tool_input", message)
        reason = self._why_not_whole(count)
        if reason is None:
            return (yield from self._whole(count.pages))
        return (yield from self._degraded(reason, count.pages))

    def _sees(self, kind: str) -> bool:
        return self.model is not None and kind in self.model.inputs

    # -- the pages that were asked for

    def _range(self, asked: PageRange, count: int | None) -> Steps[Answer]:
        if count is not None and asked.last > count:
            message = f"PDF page range {self.pages} exceeds the detected page count ({count})."
            raise Refusal("invalid_tool_input", message)
        facts: Json = {"filePath": self.relative, "kind": "pdf"}
        if not self._sees("image"):
            text = self._notice(
                count, "Current model does not support image input; cannot render requested pages."
            )
            data = {**facts, "modelSupportsImage": False, "pageCount": count}
            return Answer(success([text_item(text)], data), is_read=False)
        drawn = yield from self._drawn(asked)
        if isinstance(drawn, str):
            text = f"[PDF file: {self.relative}. PDF page rendering failed: {drawn}]"
            data = {**facts, "pageCount": count, "renderError": drawn}
            return Answer(success([text_item(text)], data), is_read=False)
        text = (
            f"PDF pages extracted: {asked.last - asked.first + 1} page(s) from {self.relative}"
            f" (pages {asked.first}-{asked.last}{_of(count)})."
        )
        data = {
            **facts,
            "pdfPagesRendered": True,
            "pageCount": count,
            "requestedPages": self.pages,
            "renderedPages": {"firstPage": asked.first, "lastPage": asked.last},
            "truncated": False,
        }
        output = success([text_item(text)], data, metadata={"truncated": False}, attached=drawn)
        return Answer(output, is_read=True)

    # -- the file itself

    def _why_not_whole(self, count: decoders.Count) -> str | None:
        """Say why the file itself is not sent; `None`: it is.

        The first two reasons are the contract's; the others are what would be refused by the model's API.
        """
        size, model = self.file.size_bytes, self.model
        if model is None or "pdf" not in model.inputs:
            return _NO_PDF_INPUT
        if size > INLINE_BYTES:
            return _OVER_THRESHOLD
        if not self.is_validated:
            return None
        if model.max_pdf_bytes is not None and size > model.max_pdf_bytes:
            return f"file exceeds the model's {model.max_pdf_bytes} bytes"
        if model.max_pdf_pages is not None and (count.pages or 0) > model.max_pdf_pages:
            return f"file exceeds the model's {model.max_pdf_pages} pages"
        return "file is encrypted" if count.is_encrypted else None

    def _whole(self, count: int | None) -> Steps[Answer]:
        if self.is_validated:
            yield from self._require_sound(count)
        data = yield from self.file.read(INLINE_BYTES)
        # What was looked at is the file as the decoder read it.
        if self.is_validated and not self.file.opened.recheck():
            raise Refusal("tool_execution_failed", f"{self.relative} was changed while it was read.")
        text = f"PDF file read: {self.relative} ({len(data)} bytes{_pages(count)})"
        facts = {"filePath": self.relative, "kind": "pdf", "bytes": len(data), "pageCount": count}
        attached = [pdf_item(b64encode(data), len(data), count)]
        return Answer(success([text_item(text)], facts, attached=attached), is_read=True)

    def _require_sound(self, count: int | None) -> Steps[None]:
        damaged = None
        if count is not None:
            damaged = yield from decoders.first_damaged(self.file, count, self.passwords)
        if count is None or damaged is not None:
            message = (
                f"PDF file appears truncated or corrupted ({self.file.size_bytes} bytes). Cannot decode."
            )
            raise Refusal("invalid_tool_input", message)

    # -- pictures in its place

    def _degraded(self, reason: str, count: int | None) -> Steps[Answer]:
        facts: Json = {"filePath": self.relative, "kind": "pdf", "modelSupportsPdf": self._sees("pdf")}
        if not self._sees("image"):
            why = f"The {reason}, and the current model does not support image input."
            if reason in {_NO_PDF_INPUT, _OVER_THRESHOLD}:
                # The contract says so of the model also where only the file is too large.
                why = "Current model does not support PDF input or image input."
                facts["modelSupportsPdf"] = False
            text = self._notice(count, why)
            data = {**facts, "modelSupportsImage": False, "pageCount": count}
            return Answer(success([text_item(text)], data), is_read=False)
        last = min(count or MAX_PAGES, MAX_PAGES)
        drawn = yield from self._drawn(PageRange(1, last))
        if isinstance(drawn, str):
            text = self._notice(count, f"PDF page rendering failed: {drawn}")
            data = {**facts, "pageCount": count, "renderError": drawn}
            return Answer(success([text_item(text)], data), is_read=False)
        is_truncated = count is not None and count > last
        text = f"[PDF pages rendered from {self.relative}: 1-{last}{_of(count)} ({reason}).]"
        if is_truncated:
            text += f"\n[PDF truncated to {MAX_PAGES} pages; use the pages parameter to read another range.]"
        data = {
            **facts,
            "pdfPagesRendered": True,
            "degradeReason": reason,
            "pageCount": count,
            "renderedPages": {"firstPage": 1, "lastPage": last},
            "truncated": is_truncated,
        }
        output = success([text_item(text)], data, metadata={"truncated": is_truncated}, attached=drawn)
        return Answer(output, is_read=True)

    def _drawn(self, asked: PageRange) -> Steps[list[Json] | str]:
        """Draw pages, or say why that failed, which is no error in this contract."""
        detail = None if self.model is None else self.model.image_detail
        try:
            return (
                yield from decoders.drawn(
                    self.file, asked, self.caps, detail=detail, passwords=self.passwords
                )
            )
        except Refusal as error:
            return error.message
        except DamagedFileError as error:
            return error.reason
        except ReadError as error:
            return error.message

    def _notice(self, count: int | None, reason: str) -> str:
        return f"[PDF file: {self.relative}, {self.file.size_bytes} bytes{_pages(count)}. {reason}]"


def _pages(count: int | None) -> str:
    return "" if count is None else f", {count} pages"


def _of(count: int | None) -> str:
    return "" if count is None else f" of {count}"
