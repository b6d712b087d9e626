"""What every page has; what stands in place of a page; how a read goes on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

from anyread._native import count_tokens
from anyread.arguments import Kind, ReadArguments
from anyread.errors import ReadError

from .blocks import Block, TextBlock
from .markdown import fenced
from .notices import Notice
from .values import DERIVED, Value, replaced


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Continuation(Value):
    """Name the call that reads on: `await reader.read(path, **continuation.arguments)`.

    Example:
        >>> page = anyread.read_sync("server.log", limit=50)
        >>> page.next.arguments["offset"]
        51
    """

    arguments: ReadArguments
    """Exactly the keyword arguments of the next call, `since_version` among them."""
    version: str
    """The version of the file that they were made for; empty while it could not be told."""


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Unchanged(Value):
    """Answer a read with `unless_version` of a file that still has that version."""

    path: str
    """The path as given, bytes that are not UTF-8 spelt `\\xff`."""
    version: str
    """The version that the file still has."""

    def summary(self) -> str:
        """Say in one line what was read."""
        return f"`{self.path}`: unchanged"


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Failed(Value):
    """Stand for one file of `read_many` that could not be read."""

    path: str
    """The path as given, bytes that are not UTF-8 spelt `\\xff`."""
    error: ReadError
    """Why."""

    def summary(self) -> str:
        """Say in one line what happened."""
        return self.error.message

    def to_dict(self, *, include_bytes: bool = False) -> dict[str, Any]:
        """Return what the error's `to_dict` gives."""
        return self.error.to_dict(include_bytes=include_bytes)


@dataclass(frozen=True, slots=True, kw_only=True, init=False, repr=False, eq=False)
class BasePage(Value):
    """What every page has, whatever the file is.

    Pages are equal if all their fields are.
    """

    kind: ClassVar[Kind]
    """What the file was read as."""

    path: str
    """The path as given, bytes that are not UTF-8 spelt `\\xff`."""
    resolved_path: str = DERIVED
    """The absolute path of the file that was opened, links followed."""
    media_type: str = ""
    """The media type that the bytes say."""
    size_bytes: int = 0
    """The file's size in bytes."""
    modified_ns: int = 0
    """The time of the last modification, nanoseconds since 1970 in UTC."""
    version: str = ""
    """The state of the file, for `unless_version`; empty while a rewrite could go unseen."""
    truncated: bool = DERIVED
    """Whether something of the file after the page's start is not shown."""
    next: Continuation | None = None
    """The call that reads on; `None` at the end of the file."""
    notices: tuple[Notice, ...] = ()
    """What else is to be known."""
    text: str
    """What a model should see."""

    def __post_init__(self) -> None:
        self._derive(resolved_path=self.path, truncated=self.next is not None)

    def __hash__(self) -> int:
        return hash((type(self), self.path, self.version, self.text))

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.summary()}>"

    @property
    def blocks(self) -> tuple[Block, ...]:
        """The page as the blocks of a message."""
        return (TextBlock(self.text),)

    def summary(self) -> str:
        """Say in one line what was read, for a history in place of the page."""
        return f"{self.kind} `{self.path}`"

    def left_out(self, footer: str, following: Continuation) -> Self:
        """Make the page that stands for this one where there is no room; `footer` is all of its text."""
        empty = self._empty(footer)
        tokens = count_tokens(footer, None)
        return replaced(
            self, truncated=True, next=following, notices=(), text=footer, token_estimate=tokens, **empty
        )

    def _empty(self, footer: str) -> dict[str, Any]:
        """Return the fields of a page of this kind of which only `footer` is shown."""
        raise NotImplementedError

    def to_dict(self, *, include_bytes: bool = False) -> dict[str, Any]:
        """Return the kind and all fields by name, as JSON has them.

        Args:
            include_bytes: Whether images and documents are there as base64; else they are left out.
        """
        # `super()` does not find a class that was made again for its slots.
        return {"kind": self.kind, **Value.to_dict(self, include_bytes=include_bytes)}

    def _repr_markdown_(self) -> str:
        return fenced(self.text)
