"""What a read gives back: pages, what is in them, and what comes next.

The core fills the slots of `TextPage` itself, without `__init__`; a test holds their order.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, TypeAlias

from ._native import Content
from .blocks import DocumentBlock, ImageBlock
from .errors import ReadError
from .values import Value


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Continuation(Value):
    """Name the call that reads on: `await reader.read(path, **continuation.arguments)`.

    Example:
        >>> page = anyread.read_sync("server.log", limit=50)
        >>> page.next.arguments["offset"]
        51
    """

    arguments: dict[str, Any]
    """Exactly the keyword arguments of the next call, `since_version` among them."""
    version: str
    """The version of the file that they were made for; empty while it could not be told."""


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Notice(Value):
    """Tell something about a file that its text does not show."""

    code: str
    """A stable word for programs: "lossy", "clipped", "empty_file", "changed_since" …"""
    message: str
    """One sentence."""
    data: dict[str, Any] = field(default_factory=dict)
    """The facts of the sentence by name."""


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class TextBlock(Value):
    """Hold text for a model."""

    text: str
    """The text; never empty, since model APIs refuse empty blocks."""


Block: TypeAlias = TextBlock | ImageBlock | DocumentBlock
"""One part of a message to a model."""


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Unchanged(Value):
    """Answer a read with `unless_version` of a file that still has that version."""

    path: str
    """The path as given, bytes that are not UTF-8 spelt `\\xff`."""
    version: str
    """The version that it has and was asked for."""

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


@dataclass(frozen=True, slots=True, init=False, repr=False, eq=False)
class Page(Value):
    """What every page has, whatever the file is.

    Pages are equal if all their fields are.
    """

    kind: ClassVar[str] = "page"
    """What the file was read as: "text"."""

    path: str
    """The path as given, bytes that are not UTF-8 spelt `\\xff`."""
    resolved_path: str
    """The absolute path of the file that was opened, links followed."""
    media_type: str
    """The media type that the bytes say."""
    size_bytes: int
    """The file's size in bytes."""
    modified_ns: int
    """The time of the last modification, nanoseconds since 1970 in UTC."""
    version: str
    """The state of the file, for `unless_version`; empty while a rewrite could go unseen."""
    truncated: bool
    """Whether something of the file after the page's start is not shown."""
    next: Continuation | None
    """The call that reads on; `None` at the end of the file."""
    notices: tuple[Notice, ...]
    """What else is to be known."""
    text: str
    """What a model should see."""

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


@dataclass(frozen=True, slots=True, init=False, repr=False, eq=False)
class TextPage(Page):
    r"""Lines of a text file.

    `text` is for a model: the lines with gutter and clip markers, joined by line feeds, and one
    footer if something is left out. `content` is for a program: the file's own text.

    Example:
        >>> page = anyread.read_sync("poem.txt", limit=1)
        >>> page.text
        '1\tTyger Tyger, burning bright,\n[line 1 of 2 · next: offset=2]'
        >>> page.content
        'Tyger Tyger, burning bright,\n'
    """

    kind: ClassVar[str] = "text"

    footer: str
    """The last line of `text`, which tells what is left out; empty if nothing is."""
    start_line: int
    """The first line shown, counted from 1; negative, from the end, while the total is unknown."""
    end_line: int
    """The last line shown; one less than `start_line` if none is."""
    total_lines: int | None
    """Lines in the file, exact; `None` if they were not counted."""
    total_lines_estimate: int | None
    """About how many lines the file has, if they were not counted."""
    clipped: tuple[Continuation, ...]
    """For each line that was cut at `Limits.max_line_chars`, the call that reads its rest."""
    encoding: str
    """The encoding as the name of a Python codec that decodes the same."""
    encoding_confidence: float
    """How sure that is, 0 to 1."""
    bom: bool
    """Whether the file starts with a byte order mark."""
    line_ending: str
    """"lf", "crlf", "cr" or "mixed"; "lf" if there is none."""
    final_newline: bool
    """Whether the file's last line has a line ending."""
    lossy: bool
    """Whether the text differs from the bytes: something could not be decoded, or was replaced."""
    _tokens: int | None
    _content: Content | str

    @property
    def token_estimate(self) -> int:
        """Tokens of `text`: exact with `Limits.tokenizer`, else an estimate, made on first use."""
        tokens = self._tokens
        if tokens is None:
            from ._native import count_tokens

            tokens = count_tokens(self.text, None)
            object.__setattr__(self, "_tokens", tokens)
        return tokens

    @property
    def content(self) -> str:
        """The window's own text: exact line endings, no gutter, marker or footer.

        It is made on first use. Joined over all pages, with the clipped tails, and encoded, it is
        the file's bytes, without its byte order mark.
        """
        content = self._content
        if not isinstance(content, str):
            content = content.decode()
            # Frozen to callers; whoever decodes second stores the same text.
            object.__setattr__(self, "_content", content)
        return content

    @property
    def blocks(self) -> tuple[TextBlock, ...]:
        """The page as the blocks of a message: one, whose text is never blank."""
        if self.text and not self.text.isspace():
            return (TextBlock(self.text),)
        for notice in self.notices:
            if notice.code == "empty_file":
                return (TextBlock(notice.message),)
        return (TextBlock(f"[blank: {self._lines()}]"),)

    def summary(self) -> str:
        """Say in one line what was read, for a history in place of the page."""
        return f"text `{self.path}`: {self._lines()}"

    def _lines(self) -> str:
        if self.total_lines is not None:
            of = f" of {self.total_lines:,}"
        elif self.total_lines_estimate is not None:
            of = f" of about {self.total_lines_estimate:,}"
        else:
            of = ""
        if self.end_line < self.start_line:
            return f"no line{of}"
        if self.end_line == self.start_line:
            return f"line {self.start_line:,}{of}"
        dash = "-" if self.start_line > 0 else " to "
        return f"lines {self.start_line:,}{dash}{self.end_line:,}{of}"

    def _values(self) -> tuple[Any, ...]:
        # What can be made on first use is compared and pickled as what it makes.
        return (*[getattr(self, name) for name in self._names()[:-2]], self.token_estimate, self.content)
