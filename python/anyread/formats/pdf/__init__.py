"""PDFs: from an opened file to its pages as parts.

The model gets the best form that it accepts and that fits: the file itself, the text and images of
pages, or text only. A page with neither text nor image is replaced by a sentence.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from anyread.arguments.page_range import PageRange
from anyread.arguments.settings import LARGEST
from anyread.decoding.host.decoder import Subject
from anyread.decoding.host.fitting import wanted
from anyread.decoding.host.pdf import HIDING, OpenPdf
from anyread.decoding.host.pool import shared_pool
from anyread.errors import DamagedFileError
from anyread.formats.budget import Budget
from anyread.formats.fallback import require_size
from anyread.formats.parts import Parts
from anyread.results.blocks import DocumentBlock
from anyread.results.notices import Notice, degradation, make_notice
from anyread.results.pdf import Mode, PdfPage, PdfPages

from .wording import PageImage, PagePart

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from anyread._native import Opened
    from anyread.arguments.request import Request
    from anyread.decoding.host.pdf import DecodedPage, PageStream
    from anyread.formats.parts import How
    from anyread.formats.selection import Selection

_DOCUMENT_DPI = 100
"""The assumed resolution at which providers render the pages of a PDF."""


class Degradation(NamedTuple):
    """Why a model gets less of a PDF than it accepts."""

    reason: str
    """The code, as in the notice `degraded`."""
    facts: dict[str, int]
    """The values for the clause about it."""

    def clause(self) -> str:
        """Return it as a clause."""
        return degradation(self.reason, **self.facts)


def parts_of(opened: Opened, request: Request | None, how: How) -> PdfParts:
    """Open a PDF in a decoder; without a request, only for its facts.

    Raises:
        TooLargeError: It is over `max_pdf_file_bytes`.
        DamagedFileError: It cannot be opened, or has no pages.
        PasswordRequiredError: It is encrypted, and no password opens it.
        UnsupportedFormatError: Its encryption is not supported.
        DecoderUnavailableError: No decoder can be started.
    """
    if request is not None:
        require_size(opened, how.limits.max_pdf_file_bytes)
    subject = Subject(
        opened.path,
        media_type=opened.media_type,
        size_bytes=opened.size_bytes,
        limits=how.limits,
        rules=opened.rules,
    )
    pdf = OpenPdf.open(how.pool or shared_pool(), subject, opened.fileno(), how.passwords)
    try:
        return PdfParts(opened, request, how, pdf)
    except BaseException:
        pdf.close()
        raise


class PdfParts(Parts[PagePart]):
    """The pages of a PDF that is open in a decoder."""

    joint = "\n\n"

    count: int

    def __init__(self, opened: Opened, request: Request | None, how: How, pdf: OpenPdf) -> None:
        self.opened, self.pdf = opened, pdf
        self.limits, self.model = how.limits, how.model
        self.count = pdf.page_count
        self._region = None if request is None else request["region"]
        self.most = how.limits.max_pdf_pages
        self.budget = how.budget or Budget.of(how.limits, how.model.token_factor)
        self.degraded: Degradation | None = None
        self._image = wanted(self.model, self.limits) if "image" in self.model.inputs else None
        self._prefers_text = how.prefers_text
        self._pages: list[PdfPage] = []
        """The pages of a PDF that is sent whole."""
        self._data = b""
        self._stream: PageStream | None = None
        self._tokens = 0
        if request is not None:
            self._decide(request)

    def _decide(self, request: Request) -> None:
        """Decide whether the model gets the file itself."""
        if self.count < 1:
            reason = "it has no pages"
            raise DamagedFileError(self.opened.path, media_type=self.opened.media_type, reason=reason)
        is_all = not request["pages"] and PageRange.requested(request, self.count) is None
        is_all = is_all and request["ranges"] is None and request["region"] is None
        if "pdf" in self.model.inputs and is_all and request["column"] == 1:
            self.degraded = self._why_not_whole() or self._check_whole()
            self.is_whole = self.degraded is None
        if "image" not in self.model.inputs and self.degraded is None and not self.is_whole:
            self.degraded = Degradation("no_images", {})

    def shows(self, number: int) -> bool:
        return True

    def facts(self) -> Mapping[str, object]:
        attached = [*self.pdf.attached]
        found = {"pages": self.count, "is_encrypted": self.pdf.is_encrypted}
        return found | ({"attached": attached} if attached else {})

    # -- the file itself

    def _why_not_whole(self) -> Degradation | None:
        """Return why the model cannot get the file itself, as far as its size says."""
        count, size = self.count, self.opened.size_bytes
        max_pages = min(self.limits.max_pdf_pages, self.model.max_pdf_pages or self.limits.max_pdf_pages)
        if self.pdf.is_encrypted:
            return Degradation("encrypted", {})
        if count > max_pages:
            return Degradation("too_many_pages", {"page_count": count, "maximum": max_pages})
        max_bytes = self.model.max_pdf_bytes
        if max_bytes is not None and size > max_bytes:
            return Degradation("too_many_bytes", {"size_bytes": size, "maximum": max_bytes})
        return None

    def _check_whole(self) -> Degradation | None:
        """Take the file, or return why the model cannot get it, as far as its pages say."""
        most = self.budget.most.tokens
        # Texts longer than the budget of tokens allows need not be counted to the end.
        limits = replace(self.limits, max_bytes=min(LARGEST, max(self.limits.max_bytes, 16 * most)))
        found = None
        stream = self.pdf.pages(range(1, self.count + 1), image=None, limits=limits)
        while stream:
            page = stream.take()
            if page.is_damaged:
                found = Degradation("damaged_page", {"page": page.number})
            # Providers pass each page to the model as text and an image.
            self._tokens += self.budget.count(page.text) + self.model.tokens_of_image(*self._pixels(page))
            self._pages.append(PdfPage(page.number, page.text, None, (), ""))
        if self._tokens > most:
            found = Degradation("too_many_tokens", {"tokens": self._tokens, "maximum": most})
        if found is None:
            self._data = self.pdf.original(max_bytes=self.limits.max_pdf_file_bytes)
        return found

    def _pixels(self, page: DecodedPage) -> tuple[int, int]:
        """Return the size of a page's image at the resolution of the limits."""
        dots = (self.limits.dpi or _DOCUMENT_DPI) / 72
        return max(1, round(page.width_points * dots)), max(1, round(page.height_points * dots))

    # -- its pages

    def page_of(self, label: str) -> int | None:
        return self.pdf.page_of(label)

    def show(self, numbers: Iterable[int], *, column: int) -> Iterator[PagePart]:
        chosen = [*numbers]
        if self._image is not None and len(chosen) > 1:
            self.pdf.widen()
        stream = self.pdf.pages(
            chosen, image=self._image, limits=self.limits, first_character=column, region=self._region
        )
        self._stream = stream
        while True:
            yield self._part(stream.take(), column)
            column = 1
            if not stream or not self.pdf.may_start_page:
                return

    def _part(self, page: DecodedPage, column: int) -> PagePart:
        image = None if self._prefers_text and _is_sound(page) else page.image
        tokens = 0 if image is None else self.model.tokens_of_image(image.width, image.height)
        picture = None if image is None else PageImage(image, tokens)
        shows_text = bool(page.text) and not (page.is_unreadable and image is not None)
        # Its image is shown with the beginning of its text.
        pieces = [piece for piece in (picture, page.text if shows_text else None) if piece is not None]
        characters = page.characters if shows_text or not page.text else 0
        return PagePart(
            page.number,
            pieces,
            column,
            characters,
            page=page,
            picture=picture,
            count=self.count,
            region=self._region,
        )

    def shrink(self, part: PagePart, tokens: int) -> None:
        page, picture = part.page, part.picture
        if picture is None:
            return
        image = picture.block
        # The line before the page says that its image was scaled down.
        edge = self.model.edge_within(image.width, image.height, tokens - self.budget.footer.tokens)
        if edge is None:
            facts = {"page": page.number, "tokens": picture.tokens, "maximum": max(0, tokens)}
            self.degraded = Degradation("image_over_budget", facts)
            picture.refuse("its image is over the budget", has_no_room=True)
            return
        if self._stream is not None:
            # What was requested ahead is received, so that another page can be requested.
            self._stream.end()
        job = (self._image or {}) | {"max_edge": edge}
        numbers = range(page.number, page.number + 1)
        again = self.pdf.pages(numbers, image=job, limits=self.limits, region=self._region).take()
        part.picture = smaller = self._part(again, 1).picture
        texts = (piece for piece in part.pieces if isinstance(piece, str))
        part.show([*([] if smaller is None else [smaller]), *texts], part.characters)

    def end(self, parts: Sequence[PagePart]) -> None:
        pages = [part.page for part in parts]
        if pages and all(page.is_damaged for page in pages):
            reason = "none of the requested pages can be read"
            raise DamagedFileError(self.opened.path, media_type=self.opened.media_type, reason=reason)
        self.pdf.rest()

    def close(self) -> None:
        self.pdf.close()

    # -- the page of the result

    def notices(self, parts: Sequence[PagePart], chosen: Selection) -> list[Notice]:
        notes: dict[str, list[int]] = {}
        fonts: set[str] = set()
        for part in parts:
            page = part.page
            state = _state(page)
            if state:
                notes.setdefault(state, []).append(page.number)
            fonts.update(page.missing_fonts if state == "missing_font" else ())
        notices = [make_notice("xfa_form")] if self.pdf.is_placeholder else []
        for code in ("missing_font", "no_text_layer", "unreadable_text", "damaged"):
            if code in notes:
                named = {"fonts": sorted(fonts)} if code == "missing_font" else {}
                notices.append(make_notice(code, pages=notes[code], **named))
        hidden = [part.page for part in parts if part.page.hidden]
        if hidden:
            ways = [way for way in HIDING if any(way in page.hidden for page in hidden)]
            notices.append(make_notice("hidden_text", pages=[page.number for page in hidden], ways=ways))
        cut = [part.number for part in parts if part.following is not None]
        if cut:
            notices.append(make_notice("clipped", pages=cut))
        text_only = [part.number for part in parts if part.picture is None and part.page.image is not None]
        if text_only:
            notices.append(make_notice("text_only", pages=text_only))
        if chosen.is_clamped:
            notices.append(make_notice("pages_clamped", page_count=self.count))
        if chosen.is_narrowed:
            notices.append(make_notice("region_of_one_page", page=chosen.first))
        if self.degraded is not None:
            notices.append(make_notice("degraded", reason=self.degraded.reason, **self.degraded.facts))
        return notices

    def page(self, parts: Sequence[PagePart], common: dict[str, Any]) -> PdfPages:
        if self.is_whole:
            return self._as_document(common)
        pages = []
        for part in parts:
            page = part.page
            texts = "".join(piece for piece in part.pieces if isinstance(piece, str))
            layer = page.text if part.following is None and not texts else texts
            image = part.picture.block if part.picture and part.picture.is_shown else None
            # A page that is cut may end with a line break, which its text has not.
            is_whole = texts and part.following is None
            shown = part.text() if is_whole else part.text().removesuffix("\n")
            pages.append(PdfPage(page.number, layer, image, page.missing_fonts, shown))
        has_text = any(page.text for page in pages)
        has_images = any(page.image for page in pages)
        mode: Mode = "both" if has_text and has_images else "images" if has_images else "text"
        degraded = self.degraded.clause() if self.degraded is not None else None
        return PdfPages(**common, mode=mode, pages=tuple(pages), degraded=degraded)

    def _as_document(self, common: dict[str, Any]) -> PdfPages:
        name = self.opened.resolved_path.rpartition("/")[2] or "document.pdf"
        block = DocumentBlock.from_bytes(self._data, name=name, page_count=self.count)
        text = f"[{block.summary()}]"
        own = {"last": self.count, "text": text, "token_estimate": self._tokens + self.budget.count(text)}
        return PdfPages(**common | own, mode="document", pages=tuple(self._pages), document=block)


def _is_sound(page: DecodedPage) -> bool:
    """Return whether the text of a page has all that its image shows."""
    is_readable = page.has_text_layer and not page.is_unreadable and "\ufffd" not in page.text
    return is_readable and not (page.missing_fonts or page.hidden or page.has_figures)


def _state(page: DecodedPage) -> str:
    """Return the code of the notice about a page; empty if there is none."""
    if page.is_damaged:
        return "damaged"
    if page.missing_fonts:
        return "missing_font"
    if page.is_unreadable:
        return "unreadable_text"
    return "no_text_layer" if not page.has_text_layer and not page.is_blank else ""
