"""The fields that all pages share, the results that replace a page, and the continuation of a read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, cast

from anyread.arguments.request import Kind, ReadArguments
from anyread.errors import ReadError
from anyread.errors.base import quoted
from anyread.values import DERIVED, Value

from .blocks import Block, TextBlock
from .notices import Notice


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Continuation(Value, Mapping[str, Any]):
    """The arguments of the next call, as a mapping: `await reader.read(path, **page.next)`.

    Example:
        >>> page = anyread.read_sync("server.log", limit=50)
        >>> page.next
        offset=51, limit=50
        >>> page = anyread.read_sync("server.log", **page.next)
    """

    arguments: ReadArguments
    """All keyword arguments of the next call, including `since_version`."""
    version: str
    """The version of the file that they refer to; empty if it could not be determined."""

    def __getitem__(self, name: str) -> Any:
        return cast("dict[str, Any]", self.arguments)[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.arguments)

    def __len__(self) -> int:
        return len(self.arguments)

    def __repr__(self) -> str:
        return ", ".join(f"{name}={value!r}" for name, value in self.items() if name != "since_version")


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Unchanged(Value):
    """The result of a read with `unless_version` if the file still has that version."""

    path: str
    """The path as the caller passed it; bytes that are not UTF-8 are written as `\\xff`."""
    version: str
    """The version that the file still has."""

    def summary(self) -> str:
        """Return one line that says what was read."""
        return f"{quoted(self.path)}: unchanged"


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Failed(Value):
    """The result for one file of `read_many` that could not be read."""

    path: str
    """The path as the caller passed it; bytes that are not UTF-8 are written as `\\xff`."""
    error: ReadError
    """The error."""
    at: str = ""
    """The address inside the file that was to be read; empty: the whole file."""

    def summary(self) -> str:
        """Return one line that says what happened."""
        return self.error.message

    def to_dict(self, *, include_bytes: bool = False) -> dict[str, Any]:
        """Return the error's `to_dict`."""
        return self.error.to_dict(include_bytes=include_bytes)


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class NotShown(Value):
    """The result for one file of `read_many` for which the budget has no room."""

    truncated: ClassVar[Literal[True]] = True
    """As for a page of which something is not shown."""

    path: str
    """The path as the caller passed it; bytes that are not UTF-8 are written as `\\xff`."""
    size_bytes: int
    """The file's size in bytes."""
    next: Continuation
    """The call that reads it; its version is empty, because the file was not read."""
    text: str = ""
    """The line for a model; empty if the line of an earlier file says that this one is not shown either."""

    def summary(self) -> str:
        """Return one line that says what happened."""
        return f"{quoted(self.path)}: not shown"


@dataclass(frozen=True, slots=True, kw_only=True, init=False, repr=False, eq=False)
class BasePage(Value):
    """The fields of every page; pages are equal if all their fields are equal.

    `str(page)` is `text`, with a line that says what is only in `blocks`.
    """

    kind: ClassVar[Kind]
    """The kind as which the file was read."""
    facts_of_kind: ClassVar[tuple[str, ...]] = ()
    """The fields that only pages of this kind have and that the output of a tool repeats."""

    path: str
    """The path as the caller passed it; bytes that are not UTF-8 are written as `\\xff`."""
    resolved_path: str = DERIVED
    """The absolute path of the file that was opened, with symbolic links followed."""
    media_type: str = ""
    """The media type detected from the content."""
    size_bytes: int = 0
    """The file's size in bytes."""
    modified_ns: int = 0
    """The time of the last modification, nanoseconds since 1970 in UTC."""
    version: str = ""
    """The version of the file, for `unless_version`; empty while a rewrite could go undetected."""
    truncated: bool = DERIVED
    """Whether anything in the file after the start of the page is not shown."""
    next: Continuation | None = None
    """The call that continues after this page; `None` at the end of the file."""
    notices: tuple[Notice, ...] = ()
    """Further facts about the page that a caller should know."""
    text: str
    """The text for a model."""

    def __post_init__(self) -> None:
        self._derive(resolved_path=self.path, truncated=self.next is not None)

    def __hash__(self) -> int:
        return hash((type(self), self.path, self.version, self.text))

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.summary()}>"

    def __str__(self) -> str:
        images = sum(not isinstance(block, TextBlock) for block in self.blocks)
        if not images:
            return self.text
        more = "1 image or document is" if images == 1 else f"{images:,} images and documents are"
        return f"{self.text}\n[{more} in `.blocks`]"

    @property
    def blocks(self) -> tuple[Block, ...]:
        """The page as the blocks of a message."""
        return (TextBlock(self.text),)

    def summary(self) -> str:
        """Return one line that says what was read, to replace the page in a history."""
        return f"{self.kind} {quoted(self.path)}"

    def to_dict(self, *, include_bytes: bool = False) -> dict[str, Any]:
        """Return the kind and all fields by name, as JSON values.

        Args:
            include_bytes: Whether to include images and documents as base64; otherwise they are left out.
        """
        # `super()` fails in a class that `dataclass` recreated for its slots.
        return {"kind": self.kind, **Value.to_dict(self, include_bytes=include_bytes)}

    def _repr_markdown_(self) -> str:
        from .markdown import fenced

        return fenced(self.text)
