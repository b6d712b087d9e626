"""A page of a text file.

The core fills the slots of `TextPage` itself, without `__init__`; a test checks their order.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from anyread._native import count_tokens
from anyread.errors.base import quoted
from anyread.values import DERIVED, on_first_use

from .blocks import TextBlock
from .notices import Notice  # noqa: F401 - the names of inherited fields
from .page import BasePage, Continuation


def _decoded(page: TextPage, undecoded: Any) -> str:
    """Decode what the core stored; for a page that was constructed without content, return its text."""
    content: str = page.text if undecoded is None else undecoded.decode()
    return content


@on_first_use("token_estimate", int, lambda page, _: count_tokens(page.text, None))
@on_first_use("content", str, _decoded)
@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class TextPage(BasePage):
    r"""Lines of a text file.

    `text` is for a model: the lines with gutter and clip markers, joined by line feeds, and a footer
    if something is left out. `content` is for a program: the file's own text.

    Example:
        >>> page = anyread.read_sync("poem.txt", limit=1)
        >>> page.text
        '1\tTyger Tyger, burning bright,\n[line 1 of 2 · next: offset=2]'
        >>> page.content
        'Tyger Tyger, burning bright,\n'
    """

    kind: ClassVar[Literal["text"]] = "text"
    facts_of_kind: ClassVar[tuple[str, ...]] = (
        "start_line",
        "end_line",
        "total_lines",
        "total_lines_estimate",
        "encoding",
        "line_ending",
        "final_newline",
        "lossy",
        "compression",
        "text_bytes",
        "verified",
    )

    footer: str = ""
    """The last line of `text`, which says what is left out; empty if nothing is."""
    start_line: int = 1
    """The first line shown, counted from 1; negative (from the end) while the total is unknown."""
    end_line: int = DERIVED
    """The last line shown; one less than `start_line` if none is."""
    ranges: tuple[tuple[int, int], ...] = ()
    """The lines shown, as pairs of the first and the last, if `ranges` or `find` were requested."""
    hits: tuple[int, ...] = ()
    """The lines shown that match `find`."""
    total_lines: int | None = None
    """The exact number of lines in the file; `None` if they were not counted."""
    total_lines_estimate: int | None = None
    """An estimate of the number of lines in the file, if they were not counted."""
    clipped: tuple[Continuation, ...] = ()
    """For each line that was clipped at `Limits.max_line_chars`, the call that reads the rest of it."""
    encoding: str = "utf-8"
    """The encoding, as the name of an equivalent Python codec."""
    encoding_confidence: float = 1.0
    """The confidence of its detection, from 0 to 1."""
    bom: bool = False
    """Whether the file starts with a byte order mark."""
    line_ending: str = "lf"
    """"lf", "crlf", "cr" or "mixed"; "lf" if there is none."""
    final_newline: bool = True
    """Whether the file's last line has a line ending."""
    lossy: bool = False
    """Whether the text differs from the bytes because something could not be decoded or was replaced."""
    compression: Literal["gzip"] | None = None
    """How the file is compressed, if its text was decompressed."""
    text_bytes: int | None = None
    """The size of that text in bytes, as far as it could be decompressed."""
    verified: bool | None = None
    """Whether all of it was decompressed, and has the checksums and sizes that the file declares."""
    token_estimate: int = DERIVED
    """Tokens of `text`: exact with `Limits.tokenizer`, otherwise an estimate, computed on first use."""
    content: str = DERIVED
    """The window's own text: exact line endings, no gutter, marker or footer; decoded on first use.

    The contents of all pages and the clipped tails, joined and encoded, are the file's bytes without its
    byte order mark.
    """

    def __post_init__(self) -> None:
        BasePage.__post_init__(self)
        self._derive(end_line=self.start_line + len(self.content.splitlines()) - 1)

    @property
    def blocks(self) -> tuple[TextBlock, ...]:
        """The blocks of a message: a single block, whose text is never blank."""
        if self.text and not self.text.isspace():
            return (TextBlock(self.text),)
        return (TextBlock(f"[blank: {self._lines()}]"),)

    def summary(self) -> str:
        """Return one line that says what was read, to replace the page in a history."""
        return f"text {quoted(self.path)}: {self._lines()}"

    def _lines(self) -> str:
        if self.total_lines is not None:
            of = f" of {self.total_lines:,}"
        elif self.total_lines_estimate is not None:
            of = f" of about {self.total_lines_estimate:,}"
        else:
            of = ""
        if len(self.ranges) > 1:
            named = [f"{first:,}" if first == last else f"{first:,}-{last:,}" for first, last in self.ranges]
            more = f" and {len(named) - 4:,} more ranges" if len(named) > 4 else ""
            return f"lines {', '.join(named[:4])}{more}{of}"
        if self.end_line < self.start_line:
            return f"no line{of}"
        if self.end_line == self.start_line:
            return f"line {self.start_line:,}{of}"
        dash = "-" if self.start_line > 0 else " to "
        return f"lines {self.start_line:,}{dash}{self.end_line:,}{of}"
