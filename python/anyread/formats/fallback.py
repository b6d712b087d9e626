"""Checks and errors that the readers of formats share."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from anyread.errors import DamagedFileError, FileChangedError, TooLargeError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from anyread._native import Opened
    from anyread.results import Notice

    from .parts import Source


PACKAGES = {"application/zip", "application/x-ole-storage"}
"""The media types of files that may be documents of Office, though damaged or encrypted."""


class NoNotebookError(Exception):
    """The file is not a notebook after all; it must be read as text, with this notice."""

    def __init__(self, notice: Notice) -> None:
        self.notice = notice
        super().__init__(notice.message)


def require_size(opened: Opened, max_bytes: int) -> None:
    """Raise `TooLargeError` if the file has more than `max_bytes`."""
    if opened.size_bytes > max_bytes:
        raise TooLargeError(opened.path, size=opened.size_bytes, maximum=max_bytes, unit="bytes")


@contextmanager
def unchanged(opened: Source) -> Iterator[None]:
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
