"""The host's view of a PDF, which is opened in one decoder and rendered by one or two."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any, NamedTuple

from anyread.arguments.settings import LEAST_BYTES
from anyread.decoding.protocol import MAX_SIZE, MalformedError, field, read_at, text_field
from anyread.errors import DamagedFileError
from anyread.errors.base import one_line

from .decoder import Decoder, NotBegunError, failed
from .fitting import block, max_encoded_bytes

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Self

    from anyread.arguments.limits import Limits
    from anyread.decoding.protocol import Frame
    from anyread.results.blocks import ImageBlock

    from .decoder import Subject
    from .pool import Pool

HIDING = ("invisible", "white", "tiny", "outside")
"""The ways in which a text may be hidden."""
_AHEAD = 2
"""Pages requested from a decoder in advance, so that it never waits for the host."""


class DecodedPage(NamedTuple):
    """One page from a decoder."""

    number: int
    text: str
    characters: int
    """The number of characters of its text, before `text` was cut."""
    image: ImageBlock | None
    missing_fonts: tuple[str, ...]
    is_blank: bool
    """Whether nothing is drawn on it."""
    is_damaged: bool
    has_text_layer: bool
    """Whether it has text besides comments and the names of attached files."""
    hidden: tuple[str, ...]
    """In which ways some of its text is hidden: "invisible", "outside", "tiny", "white"."""
    is_unreadable: bool
    """Whether much of the text is control or private-use characters."""
    has_figures: bool
    """Whether its image may show something besides text, small pictures and straight lines."""
    label: str
    """What it is called if that is not its number, such as "iii"; otherwise empty."""
    width_points: int
    """Its width in 1/72 inch."""
    height_points: int


class OpenPdf:
    """A PDF that is open in a decoder; `close` releases it."""

    def __init__(self, subject: Subject, decoder: Decoder, job: dict[str, Any], descriptor: int) -> None:
        self._decoders = [decoder]
        self._subject, self._job, self._descriptor = subject, job, descriptor
        self.page_count = 0
        self.is_encrypted = False
        self.is_placeholder = False
        """Whether its pages say only that the form in it cannot be shown."""
        self.attached: tuple[str, ...] = ()
        """The names of the files that are attached to it, at most 20."""

    @classmethod
    def open(cls, pool: Pool, subject: Subject, descriptor: int, passwords: Iterable[str]) -> Self:
        """Open a file in a decoder.

        Raises:
            ReadError: As `Decoder.begin`.
        """
        subject.settings = subject.settings._replace(passwords=tuple(passwords))
        budget = subject.budget(subject.limits.max_pdf_file_bytes)
        job = {"job": "pdf", **budget, "passwords": list(subject.settings.passwords)}
        decoder, frame = Decoder.begin(pool, subject, job, descriptors=(descriptor,), max_payload_bytes=0)
        opened = cls(subject, decoder, job, descriptor)
        try:
            opened.page_count = field(frame.header, "pages", int, maximum=MAX_SIZE)
            opened.is_encrypted = field(frame.header, "encrypted", bool)
            opened.is_placeholder = field(frame.header, "placeholder", bool)
            attached = field(frame.header, "attached", list)
            opened.attached = tuple(one_line(str(name), 200) for name in attached[:20])
        except MalformedError as error:
            with decoder:
                decoder.distrust(error)
        return opened

    @property
    def may_start_page(self) -> bool:
        """Whether half of the time for the file is left; a partial result is better than an error."""
        return self._decoders[0].time_left > 0.5

    def page_of(self, label: str) -> int | None:
        """Return the number of the page with a label; `None` if there is none.

        Raises:
            ReadError: As `Decoder.answer`.
        """
        decoder = self._decoders[0]
        decoder.ask({"job": "label", "label": label})
        frame = decoder.answer(max_payload_bytes=0)
        try:
            return field(frame.header, "number", int, maximum=self.page_count) or None
        except MalformedError as error:
            decoder.distrust(error)

    def original(self, *, max_bytes: int) -> bytes:
        """Return the file, which is not taken from the decoder.

        Raises:
            FileSystemError: The system reported an error.
            DamagedFileError: It has changed, and begins otherwise than a PDF.
        """
        data = bytearray()
        try:
            while part := read_at(self._descriptor, max_bytes - len(data), len(data)):
                data += part
        except OSError as error:
            raise failed(self._subject, error) from error
        if b"%PDF-" not in data[:1024]:
            path, media_type = self._subject.path, self._subject.media_type
            raise DamagedFileError(path, media_type=media_type, reason="it does not begin with `%PDF-`")
        return bytes(data)

    def widen(self) -> None:
        """Use a second decoder for every other page if one is free."""
        if len(self._decoders) > 1:
            return
        second = self._decoders[0].second()
        if second is None:
            return
        self._decoders.append(second)
        try:
            second.ask(self._job, descriptors=(self._descriptor,))
            second.answer(max_payload_bytes=0)
        except NotBegunError:
            self._decoders.remove(second)
            second.close()

    def pages(
        self,
        numbers: Sequence[int],
        *,
        image: dict[str, Any] | None,
        limits: Limits,
        is_blank_drawn: bool = False,
        first_character: int = 1,
        region: tuple[int, int, int, int] | None = None,
    ) -> PageStream:
        """Return a stream of decoded pages, in order.

        Args:
            numbers: The page numbers, counted from 1.
            image: The requirements for images, from `fitting.wanted`; `None` for text only.
            limits: The limits of the reader.
            is_blank_drawn: Whether blank pages have images too.
            first_character: The character at which the text of the first page starts, counted from 1. If it
                is not the first one, that page has no image: it was sent with the first one.
            region: The part of each page: x, y, width and height in points; `None` for all of it.
        """
        max_text_bytes = max(limits.max_bytes, LEAST_BYTES)
        job: dict[str, Any] = {"job": "page", "dpi": limits.dpi, "max_text_bytes": max_text_bytes}
        job |= {"image": False} if image is None else {"image": True, **image}
        job |= {"blank": is_blank_drawn, "region": None if region is None else list(region)}
        return PageStream(self._decoders, numbers, job, first_character)

    def rest(self) -> None:
        """Tell the decoders to close the file, after the last response was received."""
        for decoder in self._decoders:
            if not decoder.has_open_request:
                decoder.tell({"job": "rest"})

    def close(self) -> None:
        """Return the decoders to the pool; those with open requests are killed."""
        for decoder in self._decoders:
            decoder.close()


class PageStream:
    """Pages in order, requested in advance; `OpenPdf.close` kills decoders with unused requests."""

    def __init__(
        self, decoders: list[Decoder], numbers: Sequence[int], job: dict[str, Any], first_character: int
    ) -> None:
        self._decoders, self._job, self._first_character = decoders, job, first_character
        self._unrequested = deque(numbers)
        self._requested: deque[tuple[int, Decoder, dict[str, Any]]] = deque()

    def __bool__(self) -> bool:
        return bool(self._unrequested or self._requested)

    def take(self) -> DecodedPage:
        """Return the next page.

        Raises:
            ReadError: As `Decoder.answer`.
        """
        while self._unrequested and len(self._requested) < _AHEAD * len(self._decoders):
            number = self._unrequested.popleft()
            decoder = self._decoders[number % len(self._decoders)]
            job = self._job | {"number": number, "first_character": self._first_character}
            job["image"] = job["image"] and self._first_character == 1
            self._first_character = 1
            decoder.ask(job)
            self._requested.append((number, decoder, job))
        number, decoder, job = self._requested.popleft()
        image_bytes = max_encoded_bytes(job) if job["image"] else 0
        frame = decoder.answer(max_payload_bytes=int(job["max_text_bytes"]) + image_bytes)
        try:
            return _page(frame, number, job)
        except MalformedError as error:
            decoder.distrust(error)

    def end(self) -> None:
        """Receive the pages that were requested, and request no more, so that other pages can be."""
        self._unrequested.clear()
        while self._requested:
            self.take()


def _page(frame: Frame, number: int, job: dict[str, Any]) -> DecodedPage:
    header = frame.header
    if field(header, "number", int) != number:
        raise MalformedError(f"the answer is for another page than {number}")
    try:
        text = frame.text.decode()
    except UnicodeDecodeError as error:
        raise MalformedError("the text is not valid UTF-8") from error
    image = None
    if frame.payload:
        media_type = field(header, "media_type", str)
        if not job["image"]:
            raise MalformedError("the answer has an image that was not requested")
        size = field(header, "width", int), field(header, "height", int)
        image = block(frame.payload, media_type, *size, job)
    return DecodedPage(
        number,
        text,
        field(header, "characters", int),
        image,
        tuple(one_line(str(name), 100) for name in field(header, "missing_fonts", list)[:20]),
        field(header, "blank", bool),
        field(header, "damaged", bool),
        field(header, "has_text_layer", bool),
        tuple(way for way in HIDING if way in field(header, "hidden", list)),
        field(header, "unreadable", bool),
        field(header, "figures", bool),
        text_field(header, "label", 20),
        field(header, "width_points", int, maximum=MAX_SIZE),
        field(header, "height_points", int, maximum=MAX_SIZE),
    )
