"""The host's view of a PDF: opened in one decoder, and rendered by one or two."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any, NamedTuple

from anyread.decoding.protocol import MalformedError, field

from .fitting import block, max_picture_bytes
from .lease import Lease, NotBegunError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Self

    from anyread.decoding.protocol import Frame
    from anyread.limits import Limits
    from anyread.results.blocks import ImageBlock
    from anyread.running.effects import Steps

    from .lease import Subject
    from .pool import Pool

_AHEAD = 2
"""Pages requested from a decoder in advance, so that it never waits for the host."""


class DecodedPage(NamedTuple):
    """One page, as a decoder returns it."""

    number: int
    text: str
    characters: int
    """How many characters its text has; more than `text` if that was cut."""
    image: ImageBlock | None
    missing_fonts: tuple[str, ...]
    is_blank: bool
    """Whether nothing is drawn on it."""
    is_damaged: bool
    is_unreadable: bool
    """Whether much of the text is control or private-use characters."""
    width_points: int
    """Its width in 1/72 inch."""
    height_points: int


class OpenDocument:
    """A PDF that is open in a decoder; `close` releases it."""

    def __init__(self, lease: Lease, question: dict[str, Any], descriptor: int) -> None:
        self._leases = [lease]
        self._question, self._descriptor = question, descriptor
        self.page_count = 0
        self.is_encrypted = False

    @classmethod
    def open(cls, pool: Pool, subject: Subject, descriptor: int, passwords: Iterable[str]) -> Steps[Self]:
        """Have a file opened.

        Raises:
            ReadError: As `Lease.begin`.
        """
        question = {
            "job": "pdf",
            **subject.budget(),
            "passwords": list(passwords),
            "max_file_bytes": subject.limits.max_pdf_file_bytes,
        }
        lease, frame = yield from Lease.begin(
            pool, subject, question, descriptors=(descriptor,), max_payload_bytes=0
        )
        opened = cls(lease, question, descriptor)
        try:
            opened.page_count = field(frame.header, "pages", int, maximum=2**31)
            opened.is_encrypted = field(frame.header, "encrypted", bool)
        except MalformedError as error:
            try:
                lease.distrust(error)
            finally:
                opened.close()
        return opened

    @property
    def time_left(self) -> float:
        """The fraction of the time for the whole document that is left, from 1 to 0."""
        return self._leases[0].time_left

    def original(self, *, max_bytes: int) -> Steps[bytes]:
        """Get the file as it was opened."""
        lease = self._leases[0]
        yield from lease.ask({"job": "original"})
        frame = yield from lease.answer(max_payload_bytes=max_bytes)
        return bytes(frame.payload)

    def widen(self) -> Steps[None]:
        """Let a second decoder draw every other page, if one is free."""
        if len(self._leases) > 1:
            return
        second = yield from self._leases[0].second()
        if second is None:
            return
        self._leases.append(second)
        try:
            yield from second.ask(self._question, descriptors=(self._descriptor,))
            yield from second.answer(max_payload_bytes=0)
        except NotBegunError:
            self._leases.remove(second)
            second.close()

    def pages(
        self,
        numbers: range,
        *,
        picture: dict[str, Any] | None,
        limits: Limits,
        is_blank_drawn: bool = False,
        first_character: int = 1,
        region: tuple[int, int, int, int] | None = None,
    ) -> PageStream:
        """Have pages decoded, in order.

        Args:
            numbers: Their numbers, from 1.
            picture: What images must become, as `fitting.wanted` gives it; `None`: text only.
            limits: The reader's.
            is_blank_drawn: Whether pages with nothing on them have images too.
            first_character: From which character of its text on the first of them is wanted, from 1.
            region: The part of each page: x, y, width and height in points; `None`: all of it.
        """
        # At least one character, or a page could not be continued.
        max_text_bytes = max(limits.max_bytes, 4)
        question: dict[str, Any] = {"job": "page", "dpi": limits.dpi, "max_text_bytes": max_text_bytes}
        question |= {"picture": False} if picture is None else {"picture": True, **picture}
        question |= {"blank": is_blank_drawn, "region": None if region is None else list(region)}
        return PageStream(self._leases, numbers, question, first_character)

    def rest(self) -> Steps[None]:
        """Tell the decoders to close the file, after the last response was received."""
        for lease in self._leases:
            if not lease.has_open_question:
                yield from lease.tell({"job": "rest"})

    def close(self) -> None:
        """Return the decoders to the pool; those with open requests are killed."""
        for lease in self._leases:
            lease.close()


class PageStream:
    """Pages in order, rendered ahead of need; a page that is then not needed costs a decoder, not a wait."""

    def __init__(
        self, leases: list[Lease], numbers: range, question: dict[str, Any], first_character: int
    ) -> None:
        self._leases, self._question, self._first_character = leases, question, first_character
        self._wanted = deque(numbers)
        self._asked: deque[tuple[int, Lease]] = deque()

    def __bool__(self) -> bool:
        return bool(self._wanted or self._asked)

    def take(self) -> Steps[DecodedPage]:
        """Get the next page.

        Raises:
            ReadError: As `Lease.answer`.
        """
        while self._wanted and len(self._asked) < _AHEAD * len(self._leases):
            # Alternate, so that the responses alternate in the same order.
            number = self._wanted.popleft()
            lease = self._leases[number % len(self._leases)]
            question = self._question | {"number": number, "first_character": self._first_character}
            self._first_character = 1
            yield from lease.ask(question)
            self._asked.append((number, lease))
        number, lease = self._asked.popleft()
        frame = yield from lease.answer(max_payload_bytes=self._max_payload_bytes())
        try:
            return _page(frame, number, self._question)
        except MalformedError as error:
            lease.distrust(error)

    def _max_payload_bytes(self) -> int:
        picture = max_picture_bytes(self._question) if self._question["picture"] else 0
        return int(self._question["max_text_bytes"]) + picture


def _page(frame: Frame, number: int, question: dict[str, Any]) -> DecodedPage:
    header, payload = frame.header, frame.payload
    text_bytes = field(header, "text_bytes", int, maximum=len(payload))
    if field(header, "number", int) != number:
        raise MalformedError(f"another page than {number}")
    try:
        text = payload[:text_bytes].decode()
    except UnicodeDecodeError as error:
        raise MalformedError("a text that is not UTF-8") from error
    image = None
    if len(payload) > text_bytes:
        media_type = field(header, "media_type", str)
        if not question["picture"] or media_type not in question["media_types"]:
            raise MalformedError("an image that was not requested")
        size = field(header, "width", int), field(header, "height", int)
        image = block(bytes(memoryview(payload)[text_bytes:]), media_type, *size)
    return DecodedPage(
        number,
        text,
        field(header, "characters", int),
        image,
        tuple(str(name)[:100] for name in field(header, "missing_fonts", list)[:20]),
        field(header, "blank", bool),
        field(header, "damaged", bool),
        field(header, "unreadable", bool),
        field(header, "width_points", int),
        field(header, "height_points", int),
    )
