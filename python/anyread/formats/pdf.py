"""PDFs: from an opened file to the pages that the model sees.

The model gets the best form that it accepts and that fits: the document itself, the text and images of
pages, or text only. A page with neither text nor image is replaced by a sentence.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from anyread._native import count_tokens
from anyread.arguments import repeated
from anyread.decoding.host.document import OpenDocument
from anyread.decoding.host.fitting import wanted
from anyread.decoding.host.lease import Subject, no_such_page
from anyread.decoding.host.pool import shared_pool
from anyread.errors import BadArgumentError, DamagedFileError
from anyread.formats.fallback import require_size, unchanged
from anyread.page_range import PageRange
from anyread.results import Continuation
from anyread.results.blocks import DocumentBlock
from anyread.results.notices import Notice, degradation, make_notice
from anyread.results.pdf import Mode, PdfPage, PdfPages

if TYPE_CHECKING:
    from collections.abc import Iterable

    from anyread._native import Opened
    from anyread.arguments import ReadArguments, Request
    from anyread.decoding.host.document import DecodedPage, PageStream
    from anyread.decoding.host.pool import Pool
    from anyread.limits import Limits
    from anyread.model import Model

_FOOTER_TOKENS = 60
_REGION_TOKENS = 48
"""The maximum cost of the sentence about the region of a page whose image was scaled down."""
_DOCUMENT_DPI = 100
"""The assumed resolution at which providers render the pages of a document."""
_LEGIBLE = 1.0
"""Pixels per point below which small print is illegible, so that the page suggests a region."""


def read(
    opened: Opened,
    request: Request,
    *,
    limits: Limits,
    model: Model,
    passwords: Iterable[str] = (),
    pool: Pool | None = None,
) -> PdfPages:
    """Read pages of a PDF.

    Args:
        opened: The file.
        request: The request; `pages`, `column` and `region` are used.
        limits: The limits of the reader.
        model: What the model accepts.
        passwords: Passwords to try if the file is encrypted, in order.
        pool: The decoders; `None` for those of this process.

    Raises:
        TooLargeError: It is over `max_pdf_file_bytes`.
        DamagedFileError: It cannot be opened, or none of the pages can be read.
        PasswordRequiredError: It is encrypted, and no password opens it.
        UnsupportedFormatError: Its encryption is not supported.
        BadArgumentError: It does not have the pages, the characters or the region requested.
        FileChangedError: It changed while it was read.
        DecoderTimeoutError: Its first page took over `decode_timeout_s`.
        DecoderMemoryError: It took over `decode_memory_bytes`.
        DecoderCrashedError: The decoder died.
        DecoderUnavailableError: No decoder can be started.
    """
    require_size(opened, limits.max_pdf_file_bytes)
    with unchanged(opened):
        document = _open(opened, limits, passwords, pool)
        try:
            result = _PdfReading(opened, request, limits, model, document).result()
            document.rest()
        finally:
            document.close()
    return result


class _Whole(NamedTuple):
    """A document that may be sent unchanged."""

    data: bytes
    pages: list[PdfPage]
    tokens: int


class Degradation(NamedTuple):
    """Why a model gets less of a document than it accepts."""

    reason: str
    """The code, as in the notice `degraded`."""
    facts: dict[str, int]
    """The values for the clause about it."""

    def clause(self) -> str:
        """Return it as a clause."""
        return degradation(self.reason, **self.facts)


def describe(
    opened: Opened, *, limits: Limits, passwords: Iterable[str] = (), pool: Pool | None = None
) -> dict[str, Any]:
    """Return the number of pages, and whether the file is encrypted.

    Raises:
        ReadError: As `read`, except for what only reading a page would find.
    """
    document = _open(opened, limits, passwords, pool)
    try:
        document.rest()
        return {"pages": document.page_count, "is_encrypted": document.is_encrypted}
    finally:
        document.close()


def _open(opened: Opened, limits: Limits, passwords: Iterable[str], pool: Pool | None) -> OpenDocument:
    subject = Subject(
        opened.path,
        media_type=opened.media_type,
        size_bytes=opened.size_bytes,
        limits=limits,
        rules=opened.rules,
    )
    return OpenDocument.open(pool or shared_pool(), subject, opened.fileno(), passwords)


class _PdfReading:
    """One read of one opened document."""

    def __init__(
        self, opened: Opened, request: Request, limits: Limits, model: Model, document: OpenDocument
    ) -> None:
        self.opened, self.request, self.limits, self.model = opened, request, limits, model
        self.document = document
        self.pages: list[PdfPage] = []
        self.notes: dict[str, list[int]] = {}
        self.fonts: set[str] = set()
        self.tokens = 0
        self.images = 0
        self.degraded: Degradation | None = None
        self.following: int | None = None
        """The character of the last page shown at which the next call starts; `None` if all are shown."""
        self.characters = 0
        """The number of characters of that page."""
        self.max_images = min(limits.max_images, model.max_images or limits.max_images)

    def result(self) -> PdfPages:
        first, last = self.requested_range()
        if self.request["region"] is not None:
            # A region belongs to a single page.
            last = first
        is_whole = (
            not self.request["pages"] and self.request["region"] is None and self.request["column"] == 1
        )
        if "pdf" in self.model.inputs and is_whole:
            self.degraded = self.why_not_whole()
            if self.degraded is None:
                whole = self.whole()
                if whole is not None:
                    return self.as_document(whole)
        self.read_pages(first, last)
        if "image" not in self.model.inputs and self.degraded is None:
            self.degraded = Degradation("no_images", {})
        return self.as_pages(first, last)

    def requested_range(self) -> tuple[int, int]:
        """Return the first and the last page requested."""
        count = self.document.page_count
        if count < 1:
            raise DamagedFileError(
                self.opened.path, media_type=self.opened.media_type, reason="it has no pages"
            )
        requested = PageRange.requested(self.request)
        if requested is None:
            return 1, count
        first, last = requested.first, requested.last or count
        if first > count:
            raise no_such_page(self.opened.path, str(requested), count)
        if last > count:
            self.note("pages_clamped", last)
        return first, min(last, count)

    # -- the document itself

    def why_not_whole(self) -> Degradation | None:
        """Return why the model cannot get the file itself, or `None`; `whole` checks the pages."""
        count, size = self.document.page_count, self.opened.size_bytes
        max_pages = min(self.limits.max_pdf_pages, self.model.max_pdf_pages or self.limits.max_pdf_pages)
        if self.document.is_encrypted:
            return Degradation("encrypted", {})
        if count > max_pages:
            return Degradation("too_many_pages", {"page_count": count, "maximum": max_pages})
        max_bytes = self.model.max_pdf_bytes
        if max_bytes is not None and size > max_bytes:
            return Degradation("too_many_bytes", {"size_bytes": size, "maximum": max_bytes})
        return None

    def whole(self) -> _Whole | None:
        """Check each page and return the file; if it is `None`, `degraded` says why."""
        pages, tokens = [], 0
        stream = self.document.pages(range(1, self.document.page_count + 1), image=None, limits=self.limits)
        while stream:
            page = stream.take()
            if page.is_damaged:
                self.degraded = Degradation("damaged_page", {"page": page.number})
            # Providers pass each page to the model as text and an image.
            tokens += count_tokens(page.text, None) + self.model.tokens_of_image(*self.pixels(page))
            pages.append(PdfPage(page.number, page.text, None, (), ""))
        if tokens > self.limits.max_tokens:
            facts = {"tokens": tokens, "maximum": self.limits.max_tokens}
            self.degraded = Degradation("too_many_tokens", facts)
        if self.degraded is not None:
            return None
        data = self.document.original(max_bytes=self.limits.max_pdf_file_bytes)
        return _Whole(data, pages, tokens)

    def pixels(self, page: DecodedPage) -> tuple[int, int]:
        """Return the size of a page's image at the resolution of the limits."""
        dots = (self.limits.dpi or _DOCUMENT_DPI) / 72
        return max(1, round(page.width_points * dots)), max(1, round(page.height_points * dots))

    def as_document(self, whole: _Whole) -> PdfPages:
        count = self.document.page_count
        name = self.opened.resolved_path.rpartition("/")[2] or "document.pdf"
        block = DocumentBlock.from_bytes(whole.data, name=name, page_count=count)
        text = f"[{block.summary()}]"
        return self.to_result(
            text,
            first=1,
            last=count,
            mode="document",
            pages=whole.pages,
            tokens=whole.tokens + count_tokens(text, None),
            document=block,
        )

    # -- its pages

    def read_pages(self, first: int, last: int) -> None:
        """Add pages until the range or a budget is exhausted."""
        region, column = self.request["region"], self.request["column"]
        numbers = range(first, min(last, first + self.limits.max_pdf_pages - 1) + 1)
        sees = "image" in self.model.inputs
        image = wanted(self.model, self.limits) if sees else None
        if sees and len(numbers) > 1:
            self.document.widen()
        stream = self.document.pages(
            numbers, image=image, limits=self.limits, first_character=column, region=region
        )
        while stream and (not self.pages or self.document.may_start_page):
            page = stream.take()
            if not self.pages:
                if column > max(1, page.characters):
                    self.refuse_column(page)
                page = self.with_fitting_image(page, image, stream)
            if not self.add(page) or self.following is not None:
                break
        if all(page.number in self.notes.get("damaged", ()) for page in self.pages):
            reason = "none of the requested pages can be read"
            raise DamagedFileError(self.opened.path, media_type=self.opened.media_type, reason=reason)

    def with_fitting_image(
        self, page: DecodedPage, image: dict[str, Any] | None, stream: PageStream
    ) -> DecodedPage:
        """Return the first page with its image scaled down to what its text leaves of the budget.

        The text takes precedence, because it costs less. Later pages are not added if they do not fit.
        """
        if page.image is None or image is None:
            return page
        width, height = page.image.width, page.image.height
        text = page.text if self.shows_text(page) else ""
        room = self.limits.max_tokens - _FOOTER_TOKENS - count_tokens(self.head(page) + text, None)
        tokens = self.model.tokens_of_image(width, height)
        if tokens <= room:
            return page
        edge = self.model.edge_within(width, height, room - _REGION_TOKENS)
        if edge is not None:
            stream.end()
            again = self.document.pages(
                range(page.number, page.number + 1),
                image=image | {"max_edge": edge},
                limits=self.limits,
                first_character=self.begin(page),
                region=self.request["region"],
            )
            return again.take()
        self.note("image_over_budget", page.number)
        facts = {"page": page.number, "tokens": tokens, "maximum": max(0, room)}
        self.degraded = Degradation("image_over_budget", facts)
        return page._replace(image=None)

    def refuse_column(self, page: DecodedPage) -> None:
        """Raise the error for a start after the last character of a page."""
        within = "1: there is no text on"
        if page.characters:
            within = f"from 1 to {page.characters:,}, the characters of"
        reason = f"{within} page {page.number:,}"
        value = str(self.request["column"])
        raise BadArgumentError(self.opened.path, argument="column", value=value, reason=reason)

    def add(self, page: DecodedPage) -> bool:
        """Add a page if it fits the budgets; the first page is always added, shortened if necessary."""
        image, cost = page.image, 0
        if image is not None:
            if self.images >= self.max_images:
                return False
            cost = self.model.tokens_of_image(image.width, image.height)
        text = page.text if self.shows_text(page) else ""
        shown = self.head(page) + text
        room = self.limits.max_tokens - _FOOTER_TOKENS - self.tokens
        text_tokens = count_tokens(shown, None)
        text_bytes = sum(len(other.shown_text.encode()) for other in self.pages) + len(shown.encode())
        is_partial = self.begin(page) + len(page.text) <= page.characters
        is_over = text_tokens + cost > room or text_bytes > self.limits.max_bytes or (text and is_partial)
        if is_over and self.pages:
            return False
        if is_over:
            text = self.cut(page, text, room - cost)
            shown = self.head(page) + text
            text_tokens = count_tokens(shown, None)
        self.note_state(page)
        self.tokens += text_tokens + cost
        self.images += image is not None
        layer = page.text if self.following is None else text
        self.pages.append(PdfPage(page.number, layer, image, page.missing_fonts, shown))
        return True

    def begin(self, page: DecodedPage) -> int:
        """Return the number of the first character shown of a page."""
        is_first = not self.pages or self.pages[0].number == page.number
        return self.request["column"] if is_first else 1

    def head(self, page: DecodedPage) -> str:
        """Return the line that precedes the text of a page, or replaces it."""
        marker = f"[page {page.number:,} of {self.document.page_count:,}"
        if self.request["region"] is not None:
            marker += " · region=({}, {}, {}, {}) in points".format(*self.request["region"])
        elif self.begin(page) > 1:
            marker += f" from character {self.begin(page):,}"
        elif page.image is not None and page.image.width < _LEGIBLE * page.width_points:
            size = f"{page.width_points:,}×{page.height_points:,} points"
            shown = f"shown at {page.image.width:,}×{page.image.height:,}"
            marker += f" · {size}, {shown}; region=(x, y, width, height) in points shows a part larger"
        if not self.shows_text(page):
            return f"{marker}: {self.why_no_text(page)}]"
        return (
            f"{marker} · its image is over the budget]\n" if self.is_image_left_out(page) else f"{marker}]\n"
        )

    def shows_text(self, page: DecodedPage) -> bool:
        """Return whether the text of a page is shown; unreadable text is omitted if there is an image."""
        return bool(page.text) and not (page.is_unreadable and page.image is not None)

    def is_image_left_out(self, page: DecodedPage) -> bool:
        """Return whether the image of a page does not fit the budget."""
        return page.number in self.notes.get("image_over_budget", ())

    def why_no_text(self, page: DecodedPage) -> str:
        """Return why no text of a page is shown."""
        only_image = "" if page.image is not None else "; it can only be shown as an image"
        reasons = [
            (page.is_damaged, "it is damaged and cannot be shown"),
            (bool(page.text), "its text layer is unreadable; see the image"),
            (self.request["region"] is not None, "no text"),
            (page.is_blank, "blank"),
            (bool(page.missing_fonts), "its text cannot be shown, because its fonts are missing"),
            (self.is_image_left_out(page), "no text layer; its image is over the budget"),
        ]
        return next((reason for applies, reason in reasons if applies), f"no text layer{only_image}")

    def cut(self, page: DecodedPage, text: str, room: int) -> str:
        """Clip the text of a page to the budgets, at the end of a line if one is near."""
        head = self.head(page)
        max_bytes = max(1, self.limits.max_bytes - len(head.encode()))
        shown = text.encode()[:max_bytes].decode("utf-8", "ignore") or text[:1]
        tokens = count_tokens(head + shown, None)
        while tokens > max(room, 1) and len(shown) > 1:
            shown = shown[: max(1, min(len(shown) - 1, int(len(shown) * max(room, 1) / tokens)))]
            tokens = count_tokens(head + shown, None)
        if len(shown) < len(text):
            line_end = shown.rfind("\n") + 1
            shown = shown[:line_end] if line_end > len(shown) // 2 else shown
        if text and self.begin(page) + len(shown) <= page.characters:
            self.following, self.characters = self.begin(page) + len(shown), page.characters
        return shown

    def note_state(self, page: DecodedPage) -> None:
        if page.is_damaged:
            self.note("damaged", page.number)
        elif page.missing_fonts:
            self.note("missing_font", page.number)
            self.fonts.update(page.missing_fonts)
        elif page.is_unreadable:
            self.note("unreadable_text", page.number)
        elif not page.text and not page.is_blank:
            self.note("no_text_layer", page.number)

    def note(self, what: str, number: int) -> None:
        self.notes.setdefault(what, []).append(number)

    def as_pages(self, first: int, last: int) -> PdfPages:
        shown_last = self.pages[-1].number
        next_pages = None
        if shown_last < last or self.following is not None:
            begin = shown_last if self.following is not None else shown_last + 1
            is_open = last == self.document.page_count
            is_one = begin == last and (first == last or not is_open)
            next_pages = str(last) if is_one else f"{begin}-{'' if is_open else last}"
        footer = ""
        is_part = last < self.document.page_count or first > 1
        # The marker of a single page already contains its number and the page count.
        if next_pages is not None or (is_part and len(self.pages) > 1):
            footer = self.footer(first, shown_last, next_pages)
        text = "\n\n".join([page.shown_text for page in self.pages] + ([footer] if footer else []))
        has_text = any(page.text for page in self.pages)
        has_images = any(page.image for page in self.pages)
        mode: Mode = "both" if has_text and has_images else "images" if has_images else "text"
        return self.to_result(
            text,
            first=first,
            last=shown_last,
            mode=mode,
            pages=self.pages,
            tokens=self.tokens + (count_tokens(footer, None) if footer else 0),
            next_pages=next_pages,
            footer=footer,
        )

    def footer(self, first: int, last: int, next_pages: str | None) -> str:
        pages = f"page {first:,}" if first == last else f"pages {first:,}-{last:,}"
        more = "" if next_pages is None else f' · next: pages="{next_pages}"'
        of = f" of {self.document.page_count:,}"
        if self.following is not None:
            of += f", characters {self.request['column']:,}-{self.following - 1:,} of {self.characters:,}"
            more += f", column={self.following}"
        return f"[{pages}{of}{more}]"

    def to_result(
        self,
        text: str,
        *,
        first: int,
        last: int,
        mode: Mode,
        pages: list[PdfPage],
        tokens: int,
        document: DocumentBlock | None = None,
        next_pages: str | None = None,
        footer: str = "",
    ) -> PdfPages:
        opened = self.opened
        return PdfPages(
            path=opened.path,
            resolved_path=opened.resolved_path,
            media_type=opened.media_type,
            size_bytes=opened.size_bytes,
            modified_ns=opened.modified_ns,
            version=opened.version,
            truncated=next_pages is not None,
            next=None if next_pages is None else self.continuation(next_pages),
            notices=(*opened.notices, *self.notices()),
            text=text,
            page_count=self.document.page_count,
            first_page=first,
            last_page=last,
            mode=mode,
            pages=tuple(pages),
            degraded=self.degraded.clause() if self.degraded is not None and document is None else None,
            token_estimate=tokens,
            document=document,
            footer=footer,
        )

    def continuation(self, next_pages: str) -> Continuation:
        arguments: ReadArguments = {"pages": next_pages}
        if self.following is not None:
            arguments["column"] = self.following
            if self.request["region"] is not None:
                arguments["region"] = self.request["region"]
        arguments |= repeated(self.request, "pdf")
        arguments["since_version"] = self.opened.state
        return Continuation(arguments, self.opened.version)

    def notices(self) -> list[Notice]:
        notices = []
        for code in ("missing_font", "no_text_layer", "unreadable_text", "damaged"):
            if code in self.notes:
                fonts = {"fonts": sorted(self.fonts)} if code == "missing_font" else {}
                notices.append(make_notice(code, pages=self.notes[code], **fonts))
        if self.following is not None:
            notices.append(make_notice("clipped", pages=[self.pages[-1].number]))
        if "pages_clamped" in self.notes:
            notices.append(make_notice("pages_clamped", page_count=self.document.page_count))
        if self.degraded is not None:
            notices.append(make_notice("degraded", reason=self.degraded.reason, **self.degraded.facts))
        return notices
