"""What a profile is: the contract of one read tool, as data and a few functions.

A new one is a file beside this one with a class derived from `Profile`, and a line in `tools.PROFILES`.
It does no input or output itself: `steps` yields effects for that (`anyread.running.effects`), mostly through
`tools.files` and `tools.decoders`, so it is written once for event loops and for threads.
"""

from __future__ import annotations

import os
import time
from abc import ABC, abstractmethod
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeAlias, TypeVar

from anyread.errors import ReadError
from anyread.errors.base import Argument
from anyread.model import Model
from anyread.reader import Reader
from anyread.results import Block
from anyread.running.effects import Steps
from anyread.session import FileState, Record, Session

from .files import File

__all__ = ["Context", "Definition", "FileState", "Output", "Profile", "Steps", "worded"]

S = TypeVar("S")

Output: TypeAlias = Any
"""What a contract answers: an object that `json.dumps` takes, or a text; the contract says which."""


@dataclass(frozen=True, slots=True)
class Definition:
    """A tool as it is registered with a model's API."""

    name: str
    """What the model calls it."""
    description: str
    """What the model is told of it."""
    input_schema: Mapping[str, Any]
    """The JSON schema of its arguments."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Context(Generic[S]):
    """What the host has said of a tool."""

    reader: Reader
    """What opens files: its roots and deny rules hold for every contract."""
    cwd: str
    """The directory that relative paths start from, absolute."""
    model: Model | None
    """What the model takes; `None`: the host has not said, and the contract's own numbers hold."""
    session: Session
    """What has been read."""
    validate_media: bool
    """Whether images and PDFs must decode; without, the reference's behavior is reproduced."""
    settings: S
    """What the host has set of the profile's own settings."""
    environ: Mapping[str, str]
    """The environment, for limits that a contract takes from there."""

    def resolve(self, path: str) -> str:
        """Make a path absolute and plain: below `cwd`, without `.` and `..`; links are not followed."""
        return os.path.normpath(os.path.join(self.cwd, path))  # noqa: PTH118 - drops `..`, keeps links

    def sees(self, kind: str) -> bool | None:
        """Return whether the model takes "image" or "pdf"; `None` if the host has not said."""
        return None if self.model is None else kind in self.model.inputs

    def note(
        self,
        file: File,
        *,
        kind: str,
        form: str = "text",
        offset: int | None = None,
        limit: int | None = None,
        pages: str | None = None,
        key: Hashable = None,
        content_hash: str | None = None,
        media_type: str | None = None,
        **facts: Any,
    ) -> Record:
        """Remember a successful read in the session.

        Args:
            file: What was opened.
            kind: What it was read as.
            form: "text" or "visual".
            offset: As it was requested.
            limit: As it was requested.
            pages: As it was requested.
            key: What tells this view from another; `None`: kind, offset, limit and pages.
            content_hash: SHA-256 of its bytes; `None`: the one that `File.sha256` found, if it was requested.
            media_type: As the contract has it; `None`: what the bytes say.
            facts: What the contract keeps besides, for its stubs and its snapshots.
        """
        record = Record(
            path=file.resolved_path,
            kind=kind,
            media_type=media_type or file.media_type,
            form="visual" if form == "visual" else "text",
            stamp=file.stamp,
            version=file.version,
            is_settled=bool(file.version),
            content_hash=content_hash or file.content_hash,
            offset=offset,
            limit=limit,
            pages=pages,
            read_at=time.time(),
            key=(kind, offset, limit, pages) if key is None else key,
            facts=facts,
        )
        self.session.note(record)
        return record


def worded(error: ReadError) -> str:
    """Word an error by its message, and by its hint unless that names arguments of `Reader.read`.

    Another contract does not have those arguments, or means something else by them.
    """
    named: list[str] = []

    def spelled(argument: Argument) -> str:
        named.append(argument.name)
        return str(argument)

    hint = error.hint_as(spelled)
    return error.message if named else f"{error.message}\nhint: {hint}"


class Profile(ABC, Generic[S]):
    """The contract of one read tool.

    Args:
        context: What the host has said.
    """

    name: ClassVar[str]
    """What the model calls it."""
    aliases: ClassVar[tuple[str, ...]] = ()
    """Other names that calls of it may come under; those of `definitions` need not stand here."""
    kind: ClassVar[str] = "read"
    """What it does to files."""
    read_only: ClassVar[bool] = True
    """Whether it leaves everything as it is."""
    concurrency_safe: ClassVar[bool] = True
    """Whether several calls may run at a time."""
    may_create: ClassVar[bool] = True
    """Whether a file that does not exist may be written to although it was not read."""
    max_result_bytes: ClassVar[int | None] = None
    """Bytes of the text of a result; `None`: the contract has no such limit."""
    Settings: ClassVar[type[Any]]
    """The class of its settings: a frozen dataclass, each field with a default."""

    def __init__(self, context: Context[S]) -> None:
        self.context = context

    @abstractmethod
    def definitions(self) -> list[Definition]:
        """Return the tools to register; the first is the tool itself."""

    @abstractmethod
    def validate(self, arguments: Mapping[str, Any], *, name: str) -> Output | None:
        """Check arguments without a look at any file: the contract's own error, or `None`."""

    @abstractmethod
    def steps(self, arguments: Mapping[str, Any], *, name: str) -> Steps[Output]:
        """Make one call of the tool, or of the second one that is called `name`.

        What goes wrong with a file is thrown into it as a leaf of `ReadError`, at the step that asked;
        it is to be answered in the contract's own words.
        """

    @abstractmethod
    def blocks(self, output: Output) -> list[Block]:
        """Read an output of this contract back into the blocks of a message."""

    @abstractmethod
    def failed(self, output: Output) -> bool:
        """Return whether an output of this contract is a failure."""

    @abstractmethod
    def freshness(self, state: FileState, path: str) -> str | None:
        """Word the refusal to write to a file in this state; `None`: it may be written to."""
