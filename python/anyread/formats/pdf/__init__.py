"""PDFs: from an opened file to the pages that the model sees.

The model gets the best form that it accepts and that fits: the document itself, the text and images of
pages, or text only. A page with neither text nor image is replaced by a sentence.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from anyread.arguments import repeated
from anyread.budget import FOOTER, LEAST_BYTES, Budget, Cost, Filling
from anyread.decoding.host.decoder import Subject
from anyread.decoding.host.document import OpenDocument
from anyread.decoding.host.fitting import wanted
from anyread.decoding.host.pool import shared_pool
from anyread.errors import BadArgumentError, DamagedFileError, NoSuchPageError
from anyread.formats.fallback import require_size, unchanged
from anyread.page_range import PageRange
from anyread.results import Continuation
from anyread.results.blocks import DocumentBlock
from anyread.results.notices import Notice, degradation, make_notice
from anyread.results.pdf import Mode, PdfPage, PdfPages
from anyread.selection import Selection

from .wording import PagesText, Part

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from anyread._native import Opened
    from anyread.arguments import ReadArguments, Request
    from anyread.decoding.host.document import DecodedPage, PageStream
    from anyread.decoding.host.pool import Pool
    from anyread.limits import Limits
    from anyread.model import Model

_DOCUMENT_DPI = 100
"""The assumed resolution at which providers render the pages of a document."""


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
        OverBudgetError: It is over a budget and `Limits.over_budget` is "error".
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


class _PdfReading(PagesText):
    """One read of one opened document."""

    def __init__(
        self, opened: Opened, request: Request, limits: Limits, model: Model, document: OpenDocument
    ) -> None:
        super().__init__(request, document.page_count, Budget.of(limits, model.token_factor))
        self.opened, self.limits, self.model, self.document = opened, limits, model, document
        self.filling = Filling[Part](self.budget)
        self.notes: dict[str, list[int]] = {}
        self.fonts: set[str] = set()
        self.degraded: Degradation | None = None

    def result(self) -> PdfPages:
        self.first, self.last = self.requested_range()
        if self.request["region"] is not None:
            # A region belongs to a single page.
            if self.request["pages"] and self.last > self.first:
                self.note("region_of_one_page", self.first)
            self.last = self.first
        is_whole = (
            not self.request["pages"]
            and self.request["ranges"] is None
            and self.request["region"] is None
            and self.request["column"] == 1
        )
        if "pdf" in self.model.inputs and is_whole:
            self.degraded = self.why_not_whole()
            if self.degraded is None:
                whole = self.whole()
                if whole is not None:
                    return self.as_document(whole)
        self.read_pages()
        if "image" not in self.model.inputs and self.degraded is None:
            self.degraded = Degradation("no_images", {})
        return self.as_pages()

    def requested_range(self) -> tuple[int, int]:
        """Return the first and the last page requested."""
        count = self.page_count
        if count < 1:
            raise DamagedFileError(
                self.opened.path, media_type=self.opened.media_type, reason="it has no pages"
            )
        if self.request["ranges"] is not None:
            path = self.opened.path
            self.chosen = Selection.of(self.request["ranges"], count=count, unit="pages", path=path)
            return self.chosen.ranges[0][0], self.chosen.ranges[-1][1]
        requested = PageRange.requested(self.request)
        if requested is None:
            return 1, count
        first, last = requested.first, requested.last or count
        if first > count:
            raise NoSuchPageError(self.opened.path, value=str(requested), page_count=count)
        if last > count:
            self.note("pages_clamped", last)
        return first, min(last, count)

    # -- the document itself

    def why_not_whole(self) -> Degradation | None:
        """Return why the model cannot get the file itself, or `None`; `whole` checks the pages."""
        count, size = self.page_count, self.opened.size_bytes
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
        stream = self.document.pages(range(1, self.page_count + 1), image=None, limits=self.limits)
        while stream:
            page = stream.take()
            if page.is_damaged:
                self.degraded = Degradation("damaged_page", {"page": page.number})
            # Providers pass each page to the model as text and an image.
            tokens += self.budget.count(page.text) + self.model.tokens_of_image(*self.pixels(page))
            pages.append(PdfPage(page.number, page.text, None, (), ""))
        if tokens > self.budget.most.tokens:
            facts = {"tokens": tokens, "maximum": self.budget.most.tokens}
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
        count = self.page_count
        name = self.opened.resolved_path.rpartition("/")[2] or "document.pdf"
        block = DocumentBlock.from_bytes(whole.data, name=name, page_count=count)
        text = f"[{block.summary()}]"
        return self.to_result(
            text,
            first=1,
            last=count,
            mode="document",
            pages=whole.pages,
            tokens=whole.tokens + self.budget.count(text),
            document=block,
        )

    # -- its pages

    def read_pages(self) -> None:
        """Choose the pages to show."""
        column, region = self.request["column"], self.request["region"]
        most = self.limits.max_pdf_pages
        chosen = range(self.first, self.last + 1) if self.chosen is None else self.chosen.numbers
        numbers = chosen[:most]
        sees = "image" in self.model.inputs
        image = wanted(self.model, self.limits) if sees else None
        if sees and len(numbers) > 1:
            self.document.widen()
        stream = self.document.pages(
            numbers, image=image, limits=self.limits, first_character=column, region=region
        )
        beginning = stream.take()
        if column > max(1, beginning.characters):
            self.refuse_column(beginning)
        self.fill(beginning, stream)
        if self.limits.over_budget == "error":
            self.filling.refuse(self.opened.path, of="pages", first=self.first)
        if not self.filling.parts:
            stream.end()
            self.cut(beginning, image)
        if all(part.page.is_damaged for part in self.filling.parts):
            reason = "none of the requested pages can be read"
            raise DamagedFileError(self.opened.path, media_type=self.opened.media_type, reason=reason)
        for part in self.filling.parts:
            self.note_state(part.page)

    def fill(self, page: DecodedPage, stream: PageStream) -> None:
        """Add whole pages until the range or a limit is exhausted."""
        images = min(self.limits.max_images, self.model.max_images or self.limits.max_images)
        while True:
            images -= page.image is not None
            part = self.part(page)
            if images < 0 or not self.filling.add(part, self.cost(part)):
                break
            if not stream or not self.document.may_start_page:
                break
            page = stream.take()
        parts = self.filling.parts
        self.filling.end(self.whole_cost, has_footer=bool(parts and self.footer(parts)))

    def cut(
        self, page: DecodedPage, image: dict[str, Any] | None, *, is_image_left_out: bool = False
    ) -> None:
        """Show only the first page: as much of its text as fits, and its image as large as that allows."""
        begun = self.part(page)._replace(is_image_left_out=is_image_left_out)
        tokens, least = self.image_tokens(page), self.least_image_tokens(page)
        # The marker of a page says that its image was scaled down, or that there is none.
        reserved = Cost(0, least) if least == tokens else FOOTER.plus(Cost(0, least))
        part = self.filling.cut(
            lambda allowed: begun._replace(text=_beginning(begun.text, allowed)),
            lambda part: self.budget.cost(self.shown(part)).plus(reserved),
            least=LEAST_BYTES,
        )
        room = self.budget.most.tokens - self.budget.cost(self.text([part])).tokens
        if page.image is None or image is None or tokens <= room:
            return
        edge = self.model.edge_within(page.image.width, page.image.height, room - FOOTER.tokens)
        if edge is None:
            facts = {"page": page.number, "tokens": tokens, "maximum": max(0, room)}
            self.degraded = Degradation("image_over_budget", facts)
            self.cut(page._replace(image=None), image, is_image_left_out=True)
            return
        again = self.document.pages(
            range(page.number, page.number + 1),
            image=image | {"max_edge": edge},
            limits=self.limits,
            region=self.request["region"],
        )
        self.filling.parts = [part._replace(page=again.take())]

    def least_image_tokens(self, page: DecodedPage) -> int:
        """Return the tokens that the text of a page that is cut leaves for its image."""
        tokens, half = self.image_tokens(page), self.budget.most.tokens // 2
        if page.image is None or tokens <= half:
            return tokens
        return half if self.model.edge_within(page.image.width, page.image.height, half) else 0

    def refuse_column(self, page: DecodedPage) -> None:
        """Raise the error for a start after the last character of a page."""
        within = "1: there is no text on"
        if page.characters:
            within = f"from 1 to {page.characters:,}, the characters of"
        reason = f"{within} page {page.number:,}"
        value = str(self.request["column"])
        raise BadArgumentError(self.opened.path, argument="column", value=value, reason=reason)

    def part(self, page: DecodedPage) -> Part:
        """Return a page with all of its text, if that is shown."""
        gap = ""
        if self.chosen is not None and self.filling.parts:
            gap = self.chosen.gap(self.filling.parts[-1].page.number, page.number)
        part = Part(page, page.text, gap=gap)
        return part if part.shows_text else part._replace(text="")

    def image_tokens(self, page: DecodedPage) -> int:
        image = page.image
        return 0 if image is None else self.model.tokens_of_image(image.width, image.height)

    def cost(self, part: Part) -> Cost:
        """Return the cost of a page; text that its decoder has cut off costs at least a byte a character."""
        following = self.following(part)
        hidden = 0 if following is None else part.page.characters - following + 1
        cost = self.budget.cost(f"{self.shown(part)}\n\n", self.image_tokens(part.page))
        return cost.plus(Cost(hidden, 0))

    def whole_cost(self, parts: Sequence[Part]) -> Cost:
        images = sum(self.image_tokens(part.page) for part in parts)
        return self.budget.cost(self.text(parts), images)

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

    def as_pages(self) -> PdfPages:
        parts = self.filling.parts
        pages = []
        for part in parts:
            page = part.page
            layer = page.text if self.following(part) is None else part.text
            pages.append(PdfPage(page.number, layer, page.image, page.missing_fonts, self.shown(part)))
        has_text = any(page.text for page in pages)
        has_images = any(page.image for page in pages)
        mode: Mode = "both" if has_text and has_images else "images" if has_images else "text"
        return self.to_result(
            self.text(parts),
            first=self.first,
            last=pages[-1].number,
            mode=mode,
            pages=pages,
            tokens=self.whole_cost(parts).tokens,
            following=self.continuation(parts),
            footer=self.footer(parts),
        )

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
        following: Continuation | None = None,
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
            truncated=following is not None,
            next=following,
            notices=(*opened.notices, *self.notices()),
            text=text,
            page_count=self.page_count,
            first_page=first,
            last_page=last,
            mode=mode,
            pages=tuple(pages),
            degraded=self.degraded.clause() if self.degraded is not None and document is None else None,
            token_estimate=tokens,
            document=document,
            footer=footer,
        )

    def continuation(self, parts: Sequence[Part]) -> Continuation | None:
        """Return the call that shows what follows."""
        next_pages, following = self.next_pages(parts), self.following(parts[-1])
        arguments: ReadArguments = {}
        if self.chosen is not None:
            # The rest of a page that is cut is named in the footer and by a notice.
            rest, following = self.chosen.after(parts[-1].page.number), None
            if rest:
                arguments["ranges"] = rest
        elif next_pages is not None:
            arguments["pages"] = next_pages
        if not arguments:
            return None
        if following is not None:
            arguments["column"] = following
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
        cut = [part.page.number for part in self.filling.parts if self.following(part) is not None]
        if cut:
            notices.append(make_notice("clipped", pages=cut))
        if self.filling.is_cut:
            notices += self.budget.notices(self.whole_cost(self.filling.parts))
        if "pages_clamped" in self.notes:
            notices.append(make_notice("pages_clamped", page_count=self.page_count))
        if "region_of_one_page" in self.notes:
            notices.append(make_notice("region_of_one_page", page=self.first))
        if self.degraded is not None:
            notices.append(make_notice("degraded", reason=self.degraded.reason, **self.degraded.facts))
        return notices


def _beginning(text: str, most: int) -> str:
    """Return the beginning of a text, of at most so many bytes, up to the end of a line if one is near."""
    shown = text.encode()[:most].decode("utf-8", "ignore")
    if len(shown) < len(text):
        line_end = shown.rfind("\n") + 1
        shown = shown[:line_end] if line_end > len(shown) // 2 else shown
    return shown
