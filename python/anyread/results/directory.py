"""The result of listing a directory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from anyread.values import Value

from .blocks import Block  # noqa: F401 - the names of inherited fields
from .notices import Notice  # noqa: F401 - the names of inherited fields
from .page import Continuation  # noqa: F401 - the name of an inherited field
from .parts import PartsPage


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Entry(Value):
    """One entry of a directory."""

    name: str
    """Its name; bytes that are not UTF-8 are written as `\\xff`."""
    type: Literal["directory", "file", "link", "other", "unreadable"]
    """What it is, with a link followed.

    "link": its target does not exist or may not be read; "other": a FIFO, a socket or a device;
    "unreadable": this process may not find out what it is.
    """
    is_link: bool = False
    """Whether it is a symbolic link; `type` and `size_bytes` are those of its target."""
    size_bytes: int = 0
    """The size of a file in bytes."""
    target: str | None = None
    """The path in a link whose target may be read."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class DirectoryPage(PartsPage):
    """Entries of a directory."""

    kind: ClassVar[Literal["directory"]] = "directory"
    unit: ClassVar[tuple[str, str]] = ("entry", "entries")

    entries: tuple[Entry, ...] = ()
    """The entries shown."""
    ignored: int = 0
    """How many entries are left out because the project ignores them, `.git` included."""
    denied: int = 0
    """How many entries are left out because of deny rules."""
