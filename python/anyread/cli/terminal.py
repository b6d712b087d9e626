"""Standard output and standard error: escaping and colors on terminals, bytes in pipes, progress."""

from __future__ import annotations

import errno
import os
import re
import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from anyread.errors.base import escaped_path

from .colors import BOLD, ERROR, FOOTER, NOTICE, is_colored, repainted
from .hints import hint

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from typing import BinaryIO, TextIO

    from anyread.errors import ReadError

# C0 without TAB and LF, DEL and C1; characters that reorder or separate text (Trojan Source,
# CVE-2021-42574): marks, embeddings, isolates, line and paragraph separators; and invisible ones: the
# byte order mark inside text, and tag characters.
_UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\U000e0000-\U000e007f]"
)
_SIZES = ((10**12, "TB"), (10**9, "GB"), (10**6, "MB"), (10**3, "kB"))
_BAR_COLUMNS = 24
_DEFAULT_COLUMNS = 80


class Terminal:
    """Standard output and standard error.

    On a terminal, characters that could control it are escaped; otherwise bytes are exact. The encoding
    is UTF-8, whatever the locale.

    Args:
        color: When colors are used: "auto", "always" or "never".
        is_quiet: Whether footers, notices and progress are left out.
    """

    def __init__(self, *, color: str = "auto", is_quiet: bool = False) -> None:
        self.is_terminal = _is_terminal(sys.stdout)
        """Whether standard output is a terminal."""
        self.is_colored = is_colored(color, sys.stdout)
        """Whether text on standard output is colored."""
        self.is_quiet = is_quiet
        """Whether footers, notices and progress are left out."""
        self.shows_progress = _is_terminal(sys.stderr) and not is_quiet
        """Whether a progress bar can be shown."""
        self._colors_errors = is_colored(color, sys.stderr)
        self._escapes_errors = self._colors_errors or _is_terminal(sys.stderr)
        self._started = 0.0
        self._has_bar = False

    def out(self, text: str) -> None:
        """Write to standard output without adding a line feed."""
        self._write(escaped(text) if self.is_terminal else text)

    def out_colored(self, text: str, styles: Iterable[tuple[re.Pattern[str], str]]) -> None:
        """Write like `out`, and put the matches of each pattern in a color if colors are used.

        With colors, control characters are escaped in a pipe too: what reads it interprets them.
        """
        if not self.is_colored:
            self.out(text)
            return
        shown = escaped(text)
        for pattern, style in styles:
            shown = repainted(shown, pattern, style)
        self._write(shown)

    def out_heading(self, path: str, *, is_first: bool) -> None:
        """Write the heading of one of several files, as `head` and `tail` write it."""
        if not is_first:
            self.out("\n")
        self.out_colored(f"==> {escaped_path(path)} <==\n", [(_ANY_LINE, BOLD)])

    def out_json(self, value: Any, *, indent: int | None = None) -> None:
        """Write JSON, on one line unless indented; on a terminal, escape characters that could control it."""
        import json

        text = json.dumps(value, ensure_ascii=False, indent=indent)
        self.out((_UNSAFE.sub(_json_escape, text) if self.is_terminal else text) + "\n")

    def out_sequence(self, sequence: bytes) -> None:
        """Write an escape sequence of our own, such as an image, to standard output; nothing is escaped."""
        self._stdout().write(sequence)

    def footer(self, text: str) -> None:
        """Write what follows the text: below it on a terminal, otherwise to standard error."""
        if self.is_quiet:
            return
        if self.is_terminal:
            self.out_colored(f"{text}\n", [(_ANY_LINE, FOOTER)])
        else:
            self.err(text, [(_ANY_LINE, FOOTER)])

    def notice(self, code: str, message: str) -> None:
        """Write a notice to standard error."""
        if not self.is_quiet:
            self.err(f"anyread: {code}: {message}", [(PREFIX, NOTICE)])

    @contextmanager
    def showing_warnings(self) -> Iterator[None]:
        """Write warnings of the library, such as one about the name of a model, to standard error."""
        import logging

        class Shown(logging.Handler):
            def emit(_, record: logging.LogRecord) -> None:  # noqa: N805 - `self` is the terminal
                self.err(f"anyread: {record.getMessage()}")

        logger, handler = logging.getLogger("anyread"), Shown()
        logger.addHandler(handler)
        try:
            yield
        finally:
            logger.removeHandler(handler)

    def flush(self) -> None:
        """Flush standard output."""
        self._stdout().flush()
        # The parser writes help to the layer above.
        sys.stdout.flush()

    def err(self, text: str, styles: Iterable[tuple[re.Pattern[str], str]] = ()) -> None:
        """Write one line to standard error; a failure cannot be reported and is ignored."""
        line = text.replace("\n", "\\n")
        if self._escapes_errors:
            line = escaped(line)
        if self._colors_errors:
            for pattern, style in styles:
                line = repainted(line, pattern, style)
        try:
            sys.stderr.buffer.write((line + "\n").encode("utf-8", "backslashreplace"))
            sys.stderr.buffer.flush()
        except (OSError, AttributeError):
            # Standard error is closed, or was never open.
            return

    def report(self, error: ReadError, given: Mapping[str, Any] | None = None) -> None:
        """Report in one line why a read with these arguments failed and what to do."""
        text = f"anyread: {error.code}: {error.message} (hint: {hint(error, given)})"
        self.err(text, [(PREFIX, ERROR)])

    def progress(self, total_bytes: int | None) -> Callable[[int], None]:
        """Start a progress bar for `total_bytes`, and return a function that takes the bytes done so far."""
        self._started = time.monotonic()

        def draw(done_bytes: int) -> None:
            rate = f"{size(int(done_bytes / max(time.monotonic() - self._started, 1e-6)))}/s"
            if total_bytes:
                part = min(1.0, done_bytes / total_bytes)
                full = int(part * _BAR_COLUMNS)
                bar = f"[{'#' * full}{'-' * (_BAR_COLUMNS - full)}] {part:4.0%}"
                self._draw(f"{bar}  {size(done_bytes)} of {size(total_bytes)}  {rate}")
            else:
                self._draw(f"{size(done_bytes)}  {rate}")

        return draw

    def end_progress(self) -> None:
        """Remove the progress bar, if one was drawn."""
        if self._has_bar:
            self._draw("")
        self._has_bar = False

    def _write(self, text: str) -> None:
        self._stdout().write(text.encode("utf-8", "backslashreplace"))

    def _stdout(self) -> BinaryIO:
        # A process started with `>&-` has no standard output.
        stdout: TextIO | None = sys.stdout
        if stdout is None:
            raise OSError(errno.EBADF, os.strerror(errno.EBADF))
        return stdout.buffer

    def _draw(self, line: str) -> None:
        self._has_bar = True
        # A bar that wraps could not be removed; the width is determined again because it may change.
        sys.stderr.write(f"\r{line[: _columns(sys.stderr) - 1]}\x1b[K")
        sys.stderr.flush()


_ANY_LINE = re.compile(r"[^\n]+")
PREFIX = re.compile(r"^anyread: \w+:")
"""The start of a message: its code."""


def escaped(text: str) -> str:
    r"""Escape characters that control a terminal: `^[` for ESC, `\x{9b}` beyond ASCII; keep TAB and LF."""
    return _UNSAFE.sub(_spelled, text)


def _json_escape(found: re.Match[str]) -> str:
    import json

    return json.dumps(found[0])[1:-1]


def _spelled(found: re.Match[str]) -> str:
    code = ord(found[0])
    # Caret notation: ^[ for ESC, ^? for DEL.
    return f"^{chr(code ^ 64)}" if code < 128 else f"\\x{{{code:x}}}"


def size(number_bytes: int) -> str:
    """Format a size in decimal units with one digit, such as "10.0 GB", or in bytes below 1,000."""
    for factor, unit in _SIZES:
        if number_bytes >= factor:
            return f"{number_bytes / factor:,.1f} {unit}"
    return f"{number_bytes} B"


def _columns(stream: TextIO) -> int:
    try:
        # A terminal without a known size has 0 columns.
        return os.get_terminal_size(stream.fileno()).columns or _DEFAULT_COLUMNS
    except OSError:
        return _DEFAULT_COLUMNS


def _is_terminal(stream: Any) -> bool:
    return stream is not None and bool(stream.isatty())
