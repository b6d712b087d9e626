"""What a format gets to read: a file that is open and known to be of its kind."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from anyread.results import Notice


class Opened(Protocol):
    """A regular file, opened safely, with what is known of it."""

    @property
    def path(self) -> str:
        """The path as given."""

    @property
    def resolved_path(self) -> str:
        """The absolute path of the file, links followed."""

    @property
    def kind(self) -> str:
        """What its bytes say: "image", "pdf" or "notebook"."""

    @property
    def media_type(self) -> str:
        """The media type that its bytes say."""

    @property
    def size_bytes(self) -> int:
        """Its size in bytes when it was opened."""

    @property
    def modified_ns(self) -> int:
        """The time of its last modification, nanoseconds since 1970 in UTC."""

    @property
    def version(self) -> str:
        """Its state; empty while a rewrite could go unseen."""

    @property
    def notices(self) -> tuple[Notice, ...]:
        """What opening it found."""

    def fileno(self) -> int:
        """Give the descriptor, which stays open as long as this object."""

    def recheck(self) -> bool:
        """Tell whether the file still is as it was when it was opened."""
