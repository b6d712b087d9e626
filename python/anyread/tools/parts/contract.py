"""The contract of one read tool: its arguments, its answers, and its words.

To add one, write a module with a class derived from `Contract`, and add a line to `registry.CONTRACTS`.
A contract opens files with `open`, and reads images and PDFs with `tools.parts.media`. A call is tried on
the event loop first; if it would have to wait there, it starts again in a thread
(`anyread.running.calls`). So `reply` changes nothing but the session, by `Context.note`, and other work that
may take long is passed to `work`.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar, Generic, NamedTuple, TypeAlias, TypeVar

from anyread.errors import ReadError
from anyread.models.model import Model
from anyread.reader import Reader
from anyread.reading.open_file import OpenFile
from anyread.results import Block, TextBlock
from anyread.running.calls import at_end
from anyread.session import FileState, Record, Session

from .files import like
from .paths import joined, resolved
from .system_errors import FailedCall

__all__ = [
    "Block",
    "Callable",
    "Context",
    "Contract",
    "Definition",
    "FileState",
    "LinesCall",
    "Mapping",
    "NoSettings",
    "OpenFile",
    "Output",
    "Refusal",
    "TextBlock",
    "thrown",
]

S = TypeVar("S")
C = TypeVar("C")
N = TypeVar("N")

Output: TypeAlias = Any
"""The answer of a contract: an object that `json.dumps` accepts, or a string."""


@dataclass(frozen=True, slots=True)
class Definition:
    """The definition of a tool for a model's API."""

    name: str
    """The name that the model uses."""
    description: str
    """The description for the model."""
    input_schema: Mapping[str, Any]
    """The JSON schema of the arguments."""
    title: str = "Read a file"
    """The title that people are shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Context(Generic[S]):
    """What the host has set for a tool."""

    reader: Reader
    """The reader that opens files; its roots and deny rules apply in every contract."""
    cwd: str
    """The directory that relative paths start from, absolute."""
    model: Model | None
    """What the model accepts; `None`: the host has not set it, and the limits of the contract apply."""
    session: Session
    """The session that records reads."""
    validate_media: bool
    """Whether images and PDFs must decode; otherwise they are sent as the reference tool sends them."""
    settings: S
    """The contract's own settings."""
    environ: Mapping[str, str]
    """The environment, for contracts that read limits from it."""

    def resolve(self, path: str) -> str:
        """Make a path absolute, below `cwd`, and remove `.` and `..` without following links."""
        return resolved(self.cwd, path)

    def within(self, *roots: str) -> Context[S]:
        """Return this context with a reader of these roots, unless the host has set its own."""
        return self if self.reader.roots else replace(self, reader=like(self.reader, roots=roots))

    def sees(self, kind: str) -> bool | None:
        """Return whether the model accepts "image" or "pdf"; `None`: the host has not set a model."""
        return None if self.model is None else kind in self.model.inputs

    def note(
        self,
        file: OpenFile,
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
    ) -> None:
        """Record a successful read in the session.

        Args:
            file: The file.
            kind: The kind that it was read as.
            form: "text" or "visual".
            offset: The requested offset.
            limit: The requested limit.
            pages: The requested pages.
            key: What distinguishes this view from others; `None`: kind, offset, limit and pages.
            content_hash: SHA-256 of its bytes; `None`: what `OpenFile.sha256` returned, if it was called.
            media_type: Its media type in the contract; `None`: the detected one.
            facts: Anything else that the contract records, for its stubs and snapshots.
        """
        version = file.version
        # By position, because passing the names takes longer than to record the read.
        record = Record(
            file.resolved_path,
            kind,
            media_type or file.media_type,
            "visual" if form == "visual" else "text",
            None if version else file.stamp,
            version,
            bool(version),
            content_hash or file.content_hash,
            offset,
            limit,
            pages,
            time.time(),
            (kind, offset, limit, pages) if key is None else key,
            facts,
        )
        at_end(partial(self.session.note, record))


def thrown(message: str) -> dict[str, Any]:
    """Return the answer to a call that the tool of a contract ends with an exception."""
    return {"is_error": True, "error": message}


@dataclass(frozen=True, slots=True)
class NoSettings:
    """The settings of a contract that has none."""


class LinesCall(NamedTuple, Generic[N]):
    """The arguments of a call that reads lines, counted as the contract does."""

    path: str
    offset: N
    limit: N


class Refusal(Exception):  # noqa: N818 - an answer of a contract, not an error of this library
    """Raised to end a call.

    Args:
        answer: The answer to the call, in the contract's own words.
    """

    def __init__(self, answer: Output) -> None:
        super().__init__(answer)
        self.answer = answer


class Contract(ABC, Generic[S, C]):
    """The contract of one read tool; `checked` converts the arguments of a call to a value of the type `C`.

    Args:
        context: What the host has set.
    """

    name: ClassVar[str]
    """The name that the model uses."""
    description: ClassVar[str] = ""
    """The description for the model, unless `definitions` has another one."""
    schema: ClassVar[Mapping[str, Any]] = {}
    """The JSON schema of the arguments, unless `definitions` has another one."""
    aliases: ClassVar[tuple[str, ...]] = ()
    """Other names that a model may use; those in `definitions` need not be repeated."""
    decompresses: ClassVar[bool] = False
    """Whether it reads the text in gzip files if its reader does; originals refuse them."""
    kind: ClassVar[str] = "read"
    """The contract's word for tools of this kind."""
    read_only: ClassVar[bool] = True
    """Whether the tool never changes files."""
    concurrency_safe: ClassVar[bool] = True
    """Whether several calls may run at the same time."""
    may_create: ClassVar[bool] = True
    """Whether a file that does not exist may be created although it was never read."""
    max_result_bytes: ClassVar[int | None] = None
    """The maximum bytes of text in a result; `None`: the contract has no such limit."""
    stale_wordings: ClassVar[Mapping[str, str]] = {}
    """Refusals of writes by the state of the file, with `{path}`; in other states, writes are allowed."""
    Settings: ClassVar[type[Any]] = NoSettings
    """The class of its settings: a frozen dataclass, each field with a default."""

    def __init__(self, context: Context[S]) -> None:
        self.context = context

    def definitions(self) -> list[Definition]:
        """Return the tools to register; the first is the tool itself, and by default the only one."""
        return [Definition(self.name, self.description, self.schema)]

    @abstractmethod
    def checked(self, arguments: Mapping[str, Any], name: str, /) -> C:
        """Convert the arguments of the tool `name`, which is one of `definitions`, without opening any file.

        Raises:
            Refusal: They are invalid.
            ReadError: They are invalid, in the words of `error_answer`.
        """

    @abstractmethod
    def reply(self, call: C, /) -> Output:
        """Answer a call.

        Texts that the core returns can be encoded as UTF-8. Names from a directory and strings from JSON
        may have lone surrogates, which `utf8.encodable` replaces. Those of the arguments and `cwd` are
        replaced by `Tool`.

        Raises:
            Refusal: The file is refused.
            ReadError: A step failed for a reason for which the contract has no words of its own.
        """

    def answer(self, arguments: Mapping[str, Any], *, name: str) -> Output:
        """Check the arguments of a call and answer it; every failure is an answer."""
        return self._answered(lambda: self.reply(self.checked(arguments, name)))

    def validate(self, arguments: Mapping[str, Any], *, name: str) -> Output | None:
        """Check arguments without opening any file; return the contract's own error, or `None`."""

        def check() -> None:
            self.checked(arguments, name)

        return self._answered(check)

    def _answered(self, function: Callable[[], Output]) -> Output:
        try:
            return function()
        except Refusal as refusal:
            return refusal.answer
        except ReadError as error:
            return self.error_answer(error)

    def failure(self, message: str) -> Output:
        """Return the answer to a call that fails with a message."""
        return thrown(message)

    def error_answer(self, error: ReadError) -> Output:
        """Return the answer to a call that fails with an error of this library."""
        return self.failure(error.message)

    def refusal(self, message: str) -> Refusal:
        """Return the exception that ends a call with a message."""
        return Refusal(self.failure(message))

    def open(self, path: str, *, repair: bool = False) -> OpenFile:
        """Open a file of any kind, by the rules of the host's reader; part of `reply`.

        Args:
            path: The path; see `Context.resolve`.
            repair: Whether similar spellings are tried if the path is not found.

        Raises:
            ReadError: The file does not exist, is denied, is not a regular file, …
        """
        return self.context.reader.open_sync(path and joined(self.context.cwd, path), repair=repair)

    def failed_call(self, path: str, error: ReadError) -> FailedCall:
        """Return the system call that failed when `open` raised an error, to word it; part of `reply`."""
        return FailedCall(self.context.reader, path, error)

    @abstractmethod
    def blocks(self, output: Output) -> list[Block]:
        """Convert an output of this contract to the blocks of a message."""

    def summary(self, output: Output) -> str:
        """Show an output to a person; by default its texts, and a line for each image and document."""
        return "\n".join(
            block.text if isinstance(block, TextBlock) else f"[{block.media_type}: {len(block.data):,} bytes]"
            for block in self.blocks(output)
        )

    def path_argument(self, path: str) -> Any:
        """Return how the contract names the file at an absolute path; by default, by this path."""
        return path

    def failed(self, output: Output) -> bool:
        """Return whether an output is a failure; by default, whether it has `is_error`."""
        return "is_error" in output

    def freshness(self, state: FileState, path: str) -> str | None:
        """Word the refusal to write to a file in this state; `None`: the write is allowed."""
        wording = self.stale_wordings.get(state)
        return None if wording is None else wording.format(path=path)
