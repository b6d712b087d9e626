"""The contract of SWE-agent's editor: what its script prints, and the code with which it exits."""

from __future__ import annotations

import os
import re
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, ClassVar, Final

from anyread._native import Layout
from anyread.arguments.request import LARGEST
from anyread.errors import AccessError
from anyread.running.calls import work
from anyread.tools.parts.contract import Block, OpenFile, Output, Refusal, TextBlock
from anyread.tools.parts.directories import visible_entries
from anyread.tools.parts.files import target_of
from anyread.tools.parts.paths import is_absolute, joined
from anyread.tools.parts.windows import cut_after

from .editor import HEADING, LISTING, MISSING, NO_RANGE, Editor, count_lines, numbered, range_fault

if TYPE_CHECKING:
    from anyread.tools.parts.system_errors import FailedCall

REFERENCE: Final = {"SWE-agent": "3ea751c087f32b16e039a2233dd6eefecef325d5"}
"""The repository that this contract follows, and its commit."""
MAX_CHARS: Final = 16_000
"""The most characters of a text, before tabs are expanded."""
_LINES: Final = cut_after(
    MAX_CHARS + 1, "chars", MAX_CHARS + 1, line_ends="lf+crlf+cr", final_newline="starts"
)
_NUMBERED: Final = Layout(line_ends="lf", final_newline="starts", separator="\t", width=6)
_DIRECT: Final = Layout(line_ends="lf+crlf+cr", final_newline="starts", separator="\t", width=6)
_CLIPPED: Final = (
    "<response clipped><NOTE>To save on context only part of this file has been shown to you. You should"
    " retry this tool after you have searched inside the file with `grep -n` in order to find the line"
    " numbers of what you are looking for.</NOTE>"
)
_USAGE: Final = 2
_UNLISTED: Final = {"stdout": "", "exit_code": 0}


class SweAgentEditor(Editor):
    """`view` of the `str_replace_editor` of SWE-agent."""

    name: ClassVar[str] = "str_replace_editor"

    invalid_range: ClassVar[str] = "argument --view_range: expected 2 integers"

    def integers(self, view_range: object) -> list[int] | None:
        """Convert two integers, also from strings of them."""
        if view_range is None:
            return []
        if not isinstance(view_range, list | tuple) or len(view_range) != 2:
            return None
        found = [str(each).strip() for each in view_range if not isinstance(each, bool | float)]
        is_valid = len(found) == 2 and all(re.fullmatch(r"[+-]?\d{1,4300}", each, re.ASCII) for each in found)
        return [int(each) for each in found] if is_valid else None

    def invalid(self, fault: str) -> Output:
        """Return what the parser of the script's command line prints."""
        return {"stdout": "", "exit_code": _USAGE, "stderr_last": fault}

    def shown_path(self, path: str) -> str:
        """Return a path as Python's `Path` writes it, which keeps `..`."""
        return str(PurePath(path))

    def located(self, shown: str) -> str:
        """Refuse a path that is not absolute."""
        if is_absolute(shown):
            return shown
        suggested = self.context.cwd if shown == "." else joined(self.context.cwd, shown)
        reason = "is not an absolute path, it should start with `/`"
        raise _exit(6, f"The path {shown} {reason}. Maybe you meant {suggested}?")

    def missing(self, shown: str) -> Refusal:
        """Word that there is no such file."""
        return _exit(7, f"The path {shown} does not exist. Please provide a valid path.")

    def unreadable(self, shown: str, failed: FailedCall) -> Refusal:
        """Word that a system call failed, which ends the script with an exception."""
        error = failed.python()
        if not failed.code:
            return _exit(19, f"Ran into {error} while trying to read {shown}")
        if failed.code in MISSING:
            return self.missing(shown)
        last = f"{type(error).__name__}: {error}"
        return Refusal({"stdout": "", "exit_code": 1, "stderr_last": last})

    def blocks(self, output: Output) -> list[Block]:
        """Return what was printed."""
        return [TextBlock(output["stdout"] or output.get("stderr_last") or "[no output]")]

    def failed(self, output: Output) -> bool:
        """Check the exit code."""
        return bool(output["exit_code"])

    def file(self, file: OpenFile, shown: str, view_range: list[int]) -> Output:
        """Show lines, after a heading."""
        encoding = "utf-8" if file.utf8_fault() is None else "latin-1"
        first, limit = 1, LARGEST
        if view_range:
            total = count_lines(file, _LINES, encoding)
            first, last = view_range
            violated = range_fault(first, last, total)
            if violated is not None:
                rule, fault = violated
                raise _exit(12 + rule, f"Invalid `view_range`: {view_range}. {fault}")
            limit = LARGEST if last == -1 else last - first + 1
        self.context.note(file, kind="text", media_type="text/plain", key=("text", first, limit))
        if file.size_bytes <= MAX_CHARS and b"\t" not in file.head(MAX_CHARS) and file.is_whole:
            # Nothing is cut or expanded, so the lines can be numbered where they are read.
            window = file.window(first, limit, _DIRECT, encoding=encoding)
            return _printed(f"{HEADING.format(path=shown)}{window.text}\n")
        window = file.window(first, limit, _LINES, encoding=encoding)
        text = window.text
        if len(text) > MAX_CHARS:
            text = text[:MAX_CHARS] + _CLIPPED
        return _printed(HEADING.format(path=shown) + numbered(text.expandtabs(), first, _NUMBERED) + "\n")

    def directory(self, path: str, shown: str, view_range: list[int]) -> Output:
        """List the paths in a directory, as `find` prints them."""
        if view_range:
            raise _exit(10, NO_RANGE)
        if re.search(r"\s", path):
            # The script passes the path to a shell without quotes, and prints nothing if `find` complains.
            return _UNLISTED
        listed, reader = "", self.context.reader
        try:
            if "/." not in path:
                # `find` does not follow a link.
                is_link = work(lambda _: os.path.islink(path), target_of(reader, path))  # noqa: PTH114 - text
                entries = () if is_link else visible_entries(reader, path, levels=2, follow_links=False)
                listed = "".join(f"{each}\n" for each in (path, *(joined(path, name) for name, _ in entries)))
        except AccessError:
            return _UNLISTED
        return _printed(f"Here's {LISTING.format(path=shown)}\n{listed}\n")


def _printed(text: str, exit_code: int = 0) -> dict[str, Any]:
    return {"stdout": f"{text}\n", "exit_code": exit_code}


def _exit(code: int, text: str) -> Refusal:
    return Refusal(_printed(text, code))
