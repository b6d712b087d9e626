"""Checks and errors that format readers share."""

from __future__ import annotations

import re
from contextlib import contextmanager
from typing import TYPE_CHECKING

from anyread.errors import (
    DamagedFileError,
    FileChangedError,
    TooLargeError,
    UnsupportedFormatError,
    WrongKindError,
)
from anyread.kinds import PACKAGES, kind_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from anyread._native import Opened
    from anyread.arguments.request import Request
    from anyread.results import Notice

    from .parts import AnyOpened


class NoNotebookError(Exception):
    """The file is not a notebook after all; it must be read as text, with this notice."""

    def __init__(self, notice: Notice) -> None:
        self.notice = notice
        super().__init__(notice.message)


class IsTextError(Exception):
    """The parts that a name means are lines of a text, to be read with this request and notices."""

    def __init__(self, request: Request, notices: list[Notice]) -> None:
        self.request, self.notices = request, notices
        super().__init__()


def chart_number(at: str | None) -> int | None:
    """Return the number of a chart in its address, "chart 2"; `None` if it is another address."""
    found = re.fullmatch(r"(?i)chart\s?(\d{1,6})", at or "")
    return int(found[1]) if found else None


def at_lines(request: Request, ranges: Sequence[int | tuple[int, int]], *, at: str | None = None) -> Request:
    """Return the request for the parts that a name means."""
    window: Request = {"ranges": tuple(ranges), "around": None, "offset": 1, "limit": None}
    return {**request, "at": at, **window}


def require_size(opened: Opened, max_bytes: int) -> None:
    """Raise `TooLargeError` if the file has more than `max_bytes`."""
    if opened.size_bytes > max_bytes:
        raise TooLargeError(opened.path, size=opened.size_bytes, maximum=max_bytes, unit="bytes")


def require_kind(opened: Opened, wanted: str) -> None:
    """Raise an error unless a file is of a kind, or is a package that may turn out to be.

    Raises:
        WrongKindError: It is of another kind.
        UnsupportedFormatError: It is in a format that is not read.
    """
    kind = kind_of(opened.media_type, is_text=opened.is_text)
    if kind not in {wanted, "binary"}:
        raise WrongKindError(opened.path, argument="kind", kind=kind)
    if kind == "binary" and opened.media_type not in PACKAGES:
        raise UnsupportedFormatError(opened.path, media_type=opened.media_type, size_bytes=opened.size_bytes)


@contextmanager
def unchanged(opened: AnyOpened) -> Iterator[None]:
    """Raise `FileChangedError` if the file has changed by the end of the block."""
    try:
        yield
    except DamagedFileError as error:
        # A file that is being written may look damaged.
        if not opened.recheck():
            raise FileChangedError(opened.path, change="rewritten") from error
        raise
    if not opened.recheck():
        raise FileChangedError(opened.path, change="rewritten")
