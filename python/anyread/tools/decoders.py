"""Steps of a profile that decoders answer: pictures fitted to a model, PDFs counted and read."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from .exchange import File, Step, engine_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from anyread.decoding.host.fitting import Fitted
    from anyread.decoding.protocol import Exchange
    from anyread.limits import Limits
    from anyread.model import Model
    from anyread.reader import Reader
    from anyread.results.pdf import PdfPages

V = TypeVar("V")


@dataclass(frozen=True, slots=True)
class Decode(Step[V]):
    """Have decoders work: an exchange with them, made when the step is driven."""

    exchange: Callable[[Limits], Exchange[V]]
    """Makes the exchange by the reader's limits."""

    def now(self, reader: Reader) -> V:
        """Wait for them here."""
        from anyread.decoding.host.driving import run_sync as drive

        return drive(self.exchange(reader.limits))

    async def later(self, reader: Reader) -> V:
        """Wait for them without blocking the event loop."""
        await _loaded(reader)
        from anyread.decoding.host.driving import run as drive

        return await drive(self.exchange(reader.limits))


def fit(
    source: File | bytes,
    model: Model,
    *,
    path: str = "",
    media_type: str = "",
    original: Literal["plain", "sound", "never"] = "plain",
    **limits: Any,
) -> Decode[Fitted]:
    """Have a picture decoded in full and fitted to a model; `.image` is the block that may be sent.

    Args:
        source: A file, or an encoded picture.
        model: What it must become: `image_types`, `max_image_bytes`, `max_long_edge`, …
        path: What errors call a picture in memory.
        media_type: What errors call the type of a picture in memory.
        original: When the file itself will do, as `decoding.host.fitting.wanted` has it.
        limits: What differs from the reader's limits.
    """

    def exchange(reader_limits: Limits) -> Exchange[Fitted]:
        from anyread.decoding.host.fitting import fitting, wanted
        from anyread.decoding.host.lease import Subject
        from anyread.decoding.host.pool import shared_pool

        chosen = replace(reader_limits, **limits)
        job = wanted(model, chosen, original=original)
        if isinstance(source, bytes):
            subject = Subject.of_bytes(source, media_type, path, chosen)
            return fitting(shared_pool(), subject, job, data=source)
        subject = Subject(
            source.path, media_type=source.media_type, size_bytes=source.size_bytes, limits=chosen
        )
        return fitting(shared_pool(), subject, job, descriptor=source.opened.fileno())

    return Decode(exchange)


def count_pages(file: File, *, passwords: tuple[str, ...] = ()) -> Decode[tuple[int, bool]]:
    """Have a PDF opened: how many pages it has, and whether it is encrypted."""

    def exchange(limits: Limits) -> Exchange[tuple[int, bool]]:
        from anyread.decoding.host.document import OpenDocument
        from anyread.decoding.host.lease import Subject
        from anyread.decoding.host.pool import shared_pool

        subject = Subject(file.path, media_type=file.media_type, size_bytes=file.size_bytes, limits=limits)
        document = yield from OpenDocument.open(shared_pool(), subject, file.opened.fileno(), passwords)
        try:
            yield from document.rest()
            return document.page_count, document.is_encrypted
        finally:
            document.close()

    return Decode(exchange)


class Pdf(Step["PdfPages"]):
    """Read pages of a PDF: text, and pictures where the model takes them.

    Args:
        file: What was opened; it may also be a file that only its name calls a PDF.
        pages: "3", "1-5" or "2-"; `None`: from the first on.
        model: What pages become: text only, or pictures of `image_types`, `max_image_bytes`, …; the
            document itself with "pdf" among `inputs`.
        limits: What differs from the reader's limits: `max_pdf_pages`, `dpi`, `max_tokens`, …
    """

    __slots__ = ("file", "limits", "model", "pages")

    def __init__(self, file: File, *, pages: str | None, model: Model, **limits: Any) -> None:
        self.file, self.pages, self.model, self.limits = file, pages, model, limits

    def now(self, reader: Reader) -> PdfPages:
        """Read them, and wait for it."""
        from anyread.formats import pdf

        limits = replace(reader.limits, **self.limits)
        request, passwords = _PdfRequest(self.pages), reader.pdf_passwords
        return pdf.read_sync(self.file.opened, request, limits=limits, model=self.model, passwords=passwords)

    async def later(self, reader: Reader) -> PdfPages:
        """Read them without blocking the event loop."""
        await _loaded(reader)
        from anyread.formats import pdf

        limits = replace(reader.limits, **self.limits)
        request, passwords = _PdfRequest(self.pages), reader.pdf_passwords
        return await pdf.read(self.file.opened, request, limits=limits, model=self.model, passwords=passwords)


@dataclass(frozen=True, slots=True)
class _PdfRequest:
    """A request of pages, as the PDF reader takes it."""

    pages: str | None
    region: tuple[int, int, int, int] | None = None
    kind: str | None = "pdf"
    column: int = 1


async def _loaded(reader: Reader) -> None:
    from anyread.formats import loaded

    # No file is touched: any path that leads into no mount will do.
    await loaded(lambda work: engine_of(reader).run(work, b"/"))
