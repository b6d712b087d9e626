"""What rules know about a reader, however it is called."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from anyread_conformance.reply import Reply

PARAMETERS = ("path", "offset", "limit", "end", "range")
"""What a reader may take: a path, the first line, a number of lines, the last line, or both as a list."""


class ReaderStartError(Exception):
    """A reader cannot be started; the message says why."""


class ForeignReader(Protocol):
    """A reader that can be called."""

    name: str
    """What reports call it."""
    parameters: frozenset[str]
    """Which of `PARAMETERS` it takes."""

    def read(self, arguments: dict[str, Any], timeout_s: float, *, memory_bytes: int) -> Reply:
        """Call the reader once.

        Args:
            arguments: Values for some of its parameters, always with `path`.
            timeout_s: Seconds after which the reader is ended.
            memory_bytes: Anonymous memory at which the reader is ended.

        Returns:
            The answer. It never raises because of what the reader does.
        """

    def close(self) -> None:
        """End the reader's processes."""
