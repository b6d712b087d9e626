"""The input of a format's reader: an opened file with its detected type, and the request."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from anyread.results import Notice


class NoNotebookError(Exception):
    """The file is no notebook after all: it is to be read as text, with this notice."""

    def __init__(self, notice: Notice) -> None:
        self.notice = notice
        super().__init__(notice.message)


class Opened(Protocol):
    """A file that the core has opened; its opener closes it."""

    @property
    def path(self) -> str:
        """The path as given, bytes that are not UTF-8 escaped."""

    @property
    def resolved_path(self) -> str:
        """The absolute path of the file, links followed."""

    @property
    def kind(self) -> str:
        """What it is read as: "image", "pdf" or "notebook"."""

    @property
    def media_type(self) -> str:
        """The media type that its bytes say."""

    @property
    def size_bytes(self) -> int:
        """Its size."""

    @property
    def modified_ns(self) -> int:
        """When it was last modified, nanoseconds since 1970 in UTC."""

    @property
    def version(self) -> str:
        """Its state; empty while a rewrite could go unseen."""

    @property
    def notices(self) -> tuple[Notice, ...]:
        """Notices about how it was found."""

    def fileno(self) -> int:
        """Return the descriptor, open for reading."""

    def recheck(self) -> bool:
        """Return whether it is still the version that was opened."""
