"""A reader on trial: a directory for test files, how it counts lines, and calls of it."""

from __future__ import annotations

import json
import os
import re
import shutil
from typing import TYPE_CHECKING, Any

from .lines import difference, shown_lines, text_of
from .stopping import NotApplicableError, RuleBrokenError

if TYPE_CHECKING:
    from pathlib import Path

    from .readers.calling import ForeignReader
    from .reply import Reply
    from .settings import Allowed

_PLAIN_LINES = 60
_NO_ANSWER = {
    "hung": "no answer within {seconds:.0f} s",
    "crashed": "the reader crashed: {text}",
    "out_of_memory": "the reader was ended because it used too much memory",
    "flooded": "the answer was ended because it did not stop",
}


class UnusableReaderError(Exception):
    """The reader does not show a plain text file, so no rule can be checked."""


class Trial:
    """A reader with everything that rules need to check it.

    The constructor reads a plain file, to find out whether the reader shows line numbers, from which number
    it counts lines, and whether its last line is included.
    """

    def __init__(self, reader: ForeignReader, directory: Path, allowed: Allowed) -> None:
        self.reader = reader
        self.allowed = allowed
        self.directory = directory
        self.offset_shift = 0
        self.end_shift = 0
        self._files = 0
        self._learn()

    @property
    def has_windows(self) -> bool:
        """Whether the reader can be given any range of lines."""
        names = self.reader.parameters
        return "range" in names or ("offset" in names and bool(names & {"limit", "end"}))

    def require_windows(self) -> None:
        """Stop a rule that needs windows if the reader has none."""
        if not self.has_windows:
            raise NotApplicableError("the reader has no windows")

    def require_numbers(self) -> None:
        """Stop a rule that needs line numbers if the reader shows none."""
        if not self.has_numbers:
            raise NotApplicableError("the reader shows no line numbers")

    def path(self, name: str) -> Path:
        """Return a path in a new directory."""
        self._files += 1
        directory = self.directory / f"{self._files}"
        directory.mkdir()
        return directory / name

    def file(self, content: str | bytes, name: str = "sample.txt") -> Path:
        """Write a file and return its path."""
        path = self.path(name)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    def forget(self) -> None:
        """Remove the files of the previous rule, including those without permissions."""
        for member in self.directory.iterdir():
            shutil.rmtree(member, ignore_errors=True)

    def call(
        self,
        path: Path | str,
        first: int | None = None,
        count: int | None = None,
        *,
        timeout_s: float | None = None,
    ) -> Reply:
        """Read lines, and return whatever the reader answered.

        Args:
            path: The file.
            first: The first line, counted from 1; `None` leaves the range out.
            count: The number of lines; `None` means that `first` is `None` too.
            timeout_s: Seconds to wait; `None` means the usual limit.
        """
        arguments: dict[str, Any] = {"path": os.fspath(path)}
        if first is not None and count is not None:
            last = first + count - 1
            values = {
                "offset": first + self.offset_shift,
                "limit": count,
                "end": last + self.end_shift,
                "range": [first + self.offset_shift, last + self.end_shift],
            }
            arguments |= {name: values[name] for name in self.reader.parameters if name in values}
        return self.reader.read(
            arguments, timeout_s or self.allowed.read_s, memory_bytes=self.allowed.process_bytes
        )

    def read(
        self,
        path: Path | str,
        first: int | None = None,
        count: int | None = None,
        *,
        timeout_s: float | None = None,
    ) -> Reply:
        """Read lines as `call` does; no answer at all breaks every rule."""
        reply = self.call(path, first, count, timeout_s=timeout_s)
        if not reply.answered:
            text = " ".join(reply.text.split())[:120] or "without a message"
            raise RuleBrokenError(_NO_ANSWER[reply.outcome].format(seconds=reply.seconds, text=text))
        if not reply.is_utf8:
            raise RuleBrokenError("the answer is not valid UTF-8, which no model API accepts")
        return reply

    def whole(self, path: Path | str, lines: int) -> Reply:
        """Read a short file completely, with a window if the reader has windows."""
        return self.read(path, 1, lines) if self.has_windows else self.read(path)

    def expect(self, reply: Reply, first: int, last: int) -> None:
        """Stop the rule unless an answer shows exactly these lines, with their numbers if it has numbers."""
        if reply.outcome == "refused":
            raise RuleBrokenError(f"the reader refused: {quoted(reply.text)}")
        wrong = difference(reply.text, range(first, last + 1))
        if wrong is not None:
            raise RuleBrokenError(wrong)

    def expect_little_memory(self, reply: Reply, about: str) -> None:
        """Stop the rule if an answer took more memory than is allowed beyond that of a plain file."""
        used = reply.memory_bytes - self.plain_bytes
        if used > self.allowed.memory_bytes:
            raise RuleBrokenError(f"{used / 1e6:.0f} MB of memory for {about}")

    def blank_line_numbers(self, reply: Reply) -> list[int]:
        """Return the numbers that the reader shows without any text next to them."""
        pattern = r"(?m)^" + self._gutter_pattern + r"[ \t\r]*$"
        return [int(found[1]) for found in re.finditer(pattern, reply.text)]

    def _learn(self) -> None:
        path = self.file(text_of(1, _PLAIN_LINES))
        reply = self.call(path)
        wrong = difference(reply.text, range(1, _PLAIN_LINES + 1))
        if not reply.answered or reply.outcome == "refused" or wrong is not None:
            found = wrong if reply.outcome == "shown" else f"{reply.outcome}: {quoted(reply.text)}"
            raise UnusableReaderError(f"the reader does not show a plain text file of 60 lines ({found})")
        # The second read has no first-time costs.
        again = self.call(path)
        self.plain_s = again.seconds
        self.plain_bytes = max(reply.memory_bytes, again.memory_bytes)
        shown = shown_lines(reply.text)
        self.has_numbers = all(line.shown_number is not None for line in shown)
        self._gutter_pattern = _pattern_of(shown[-1].gutter, shown[-1].shown_number)
        if self.has_windows:
            self._learn_window(path)

    def _learn_window(self, path: Path) -> None:
        """Find out which values select the lines 11 to 15."""
        numbers = [line.line_number for line in shown_lines(self.call(path, 11, 5).text)]
        if not numbers:
            return
        # Some readers count lines from 0, and some name the line after the last one.
        self.offset_shift = 11 - numbers[0] if numbers[0] in {11, 12} else 0
        self.end_shift = 15 - numbers[-1] if numbers[-1] in {14, 15, 16} else 0


def _pattern_of(gutter: str, number: int | None) -> str:
    """Return a pattern that matches the gutter of any line, with a group for its number."""
    before, found, after = gutter.partition(str(number)) if number is not None else (gutter, "", "")
    if not found:
        return r"(?!)(\d+)"
    # Numbers may be padded, and some readers leave out the blanks at the end of an empty line.
    return rf"\s*{re.escape(before.strip())}\s*(\d+){re.escape(after.rstrip())}"


def quoted(text: str, characters: int = 80) -> str:
    """Return the beginning of a text on one line."""
    short = "".join(each if each.isprintable() else "·" for each in " ".join(text.split()))
    return json.dumps(short[:characters] + ("…" if len(short) > characters else ""), ensure_ascii=False)
