"""The contract of Strands Agents' editor: numbered lines without a limit, and relative names."""

from __future__ import annotations

import errno
import os
import re
from typing import TYPE_CHECKING, Any, ClassVar, Final

from anyread._native import Layout
from anyread.arguments.request import LARGEST
from anyread.errors import AccessError
from anyread.tools.parts.contract import Block, OpenFile, Output, Refusal
from anyread.tools.parts.directories import visible_entries
from anyread.tools.parts.media import blocks_of
from anyread.tools.parts.paths import is_absolute
from anyread.tools.parts.system_errors import listing_errno

from .editor import HEADING, LISTING, NO_RANGE, Editor, count_lines, range_fault

if TYPE_CHECKING:
    from anyread.tools.parts.system_errors import FailedCall

REFERENCE: Final = {"strands-agents": "1.62.0"}
"""The package that this contract follows, and its version."""
MAX_BYTES: Final = 1024 * 1024
"""The most bytes of a file."""
_LINES: Final = Layout(line_ends="lf", final_newline="starts")
_NUMBERED: Final = Layout(line_ends="lf", final_newline="starts", separator="  ", width=6)
_LEVELS: Final = 3


class StrandsEditor(Editor):
    """`view` of the `file_editor` of Strands Agents."""

    name: ClassVar[str] = "file_editor"

    def invalid(self, fault: str) -> Output:
        """Return the answer to invalid arguments."""
        return self.failure(f"Validation failed for input parameters: {fault}")

    def failure(self, message: str) -> Output:
        """Return an error."""
        return {"status": "error", "content": [{"text": f"Error: {message}"}]}

    def shown_path(self, path: str) -> str:
        """Remove slashes at the end."""
        return path.rstrip("/\\")

    def located(self, shown: str) -> str:
        """Refuse a path that is not absolute, has `..`, or ends in `.`, which no directory lists."""
        if not is_absolute(shown):
            reason = "is not an absolute path, it should start with `/`"
            raise self.refusal(f"The path {shown} {reason}. Maybe you meant {self.context.resolve(shown)}?")
        if ".." in re.split(r"[/\\]", shown):
            raise self.refusal("Invalid path: path traversal is not allowed")
        if shown.endswith("/."):
            raise self.missing(shown)
        return shown

    def unreadable(self, shown: str, failed: FailedCall) -> Refusal:
        """Word that a system call failed; the tool first looks for the file in its directory."""
        if not failed.code:
            return self.refusal(failed.error.message)
        parent = os.path.dirname(shown)  # noqa: PTH120 - text
        unlisted = listing_errno(self.context.reader, parent)
        if unlisted and unlisted not in {errno.ENOENT, errno.ENOTDIR}:
            return self._raised(OSError(unlisted, os.strerror(unlisted), parent))
        is_missing = failed.code in {errno.ENOENT, errno.ENAMETOOLONG} and failed.lookup != ("stat", shown)
        return self.missing(shown) if unlisted or is_missing else self._raised(failed.python())

    def _raised(self, error: Exception) -> Refusal:
        return self.refusal(f"{type(error).__name__} - {error}")

    def blocks(self, output: Output) -> list[Block]:
        """Return the text."""
        return blocks_of(output, "content")

    def failed(self, output: Output) -> bool:
        """Check the status."""
        return bool(output["status"] == "error")

    def file(self, file: OpenFile, shown: str, view_range: list[int]) -> Output:
        """Show lines, after a heading."""
        fault = file.decoding_fault()
        if fault is not None:
            raise self.refusal(fault)
        if file.size_bytes > MAX_BYTES:
            sizes = f"File size ({file.size_bytes} bytes) exceeds maximum allowed size ({MAX_BYTES} bytes)"
            raise self.refusal(sizes)
        first, limit = 1, LARGEST
        if view_range:
            if len(view_range) < 2:
                raise self.refusal("IndexError - list index out of range")
            first, end = view_range[:2]
            total = count_lines(file, _LINES)
            violated = range_fault(first, end, total)
            if violated is not None:
                raise self.refusal(f"Invalid `view_range`: [{first}, {end}]. {violated[1]}")
            limit = LARGEST if end == -1 else end - first + 1
        text = file.window(first, limit, _NUMBERED, encoding="utf-8").text
        self.context.note(file, kind="text", media_type="text/plain", key=("text", first, limit))
        # `replace` counts first, which takes longer than to search.
        if "\t" in text:
            text = text.replace("\t", "        ")
        return _answered(f"{HEADING.format(path=shown)}{text}\n")

    def directory(self, path: str, shown: str, view_range: list[int]) -> Output:
        """List the names in a directory, on several levels."""
        if view_range:
            raise self.refusal(NO_RANGE)
        try:
            found = visible_entries(self.context.reader, path, levels=_LEVELS)
            listed = "\n".join(sorted(name for name, _ in found))
        except AccessError:
            listed = ""
        return _answered(f"Here's {LISTING.format(path=shown)}\n{listed}\n")


def _answered(text: str) -> dict[str, Any]:
    return {"status": "success", "content": [{"text": text}]}
