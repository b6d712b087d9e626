"""The dialect of Strands Agents: numbered lines without a limit, and relative names."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any, ClassVar, Final

from anyread._native import Layout
from anyread.errors import DirectoryError, NotFoundError, ReadError
from anyread.results import TextBlock
from anyread.tools.coercion import lax_integers
from anyread.tools.directories import visible_entries
from anyread.tools.files import open_file
from anyread.tools.profile import Output, worded

from .editor import HEADING, LISTING, TextEditor, command_fault, count_lines, joined, read_lines

if TYPE_CHECKING:
    from collections.abc import Mapping

    from anyread.results import Block
    from anyread.tools.files import File
    from anyread.tools.profile import Steps

MAX_BYTES: Final = 1024 * 1024
"""The most bytes of a file."""
_LINES: Final = Layout(line_ends="lf", final_newline="starts")
_NUMBERED: Final = Layout(line_ends="lf", final_newline="starts", separator="  ", width=6)
_LEVELS: Final = 3


class StrandsEditor(TextEditor):
    """`view` of the `file_editor` of Strands Agents."""

    name: ClassVar[str] = "file_editor"

    def validate(self, arguments: Mapping[str, Any], *, name: str) -> Output | None:  # noqa: ARG002 - it has one name
        """Check the types; numbers may be strings, and unknown arguments are ignored."""
        fault = command_fault(arguments)
        if fault is None and lax_integers(arguments.get("view_range")) is None:
            fault = "`view_range` must be a list of integers."
        return None if fault is None else _failed(f"Validation failed for input parameters: {fault}")

    def steps(self, arguments: Mapping[str, Any], *, name: str) -> Steps[Output]:  # noqa: ARG002 - it has one name
        """Show a file or a directory."""
        path = re.sub(r"[/\\]+$", "", arguments["path"])
        view_range = lax_integers(arguments.get("view_range")) or []
        fault = self._path_fault(path)
        if fault is not None:
            return _failed(fault)
        try:
            try:
                file = yield from open_file(self.context.reader, path)
            except DirectoryError:
                return (yield from self._directory(path, view_range))
            return (yield from self._text(file, path, view_range))
        except NotFoundError as error:
            if error.dangling_link == path:
                return _failed(f"FileNotFoundError - [Errno 2] No such file or directory: '{path}'")
            return _failed(f"The path {path} does not exist. Please provide a valid path.")
        except ReadError as error:
            return _failed(worded(error))

    def _path_fault(self, path: str) -> str | None:
        if not path.startswith("/"):
            suggested = os.path.normpath(joined(self.context.cwd, path))
            reason = "is not an absolute path, it should start with `/`"
            return f"The path {path} {reason}. Maybe you meant {suggested}?"
        if ".." in re.split(r"[/\\]", path):
            return "Invalid path: path traversal is not allowed"
        return None

    def blocks(self, output: Output) -> list[Block]:
        """Return the text."""
        return [TextBlock(part["text"]) for part in output["content"]]

    def failed(self, output: Output) -> bool:
        """Check the status."""
        return bool(output["status"] == "error")

    def _text(self, file: File, path: str, view_range: list[int]) -> Steps[Output]:
        fault = yield from file.decoding_fault()
        if fault is not None:
            return _failed(fault)
        if file.size_bytes > MAX_BYTES:
            sizes = f"File size ({file.size_bytes} bytes) exceeds maximum allowed size ({MAX_BYTES} bytes)"
            return _failed(sizes)
        first, last = 1, None
        if view_range:
            if len(view_range) < 2:
                return _failed("IndexError - list index out of range")
            first, end = view_range[:2]
            total = yield from count_lines(file, _LINES)
            fault = _range_fault(first, end, total)
            if fault is not None:
                return _failed(f"Invalid `view_range`: [{first}, {end}]. {fault}")
            last = None if end == -1 else end
        lines = yield from read_lines(file, _NUMBERED, first, last)
        self.context.note(file, kind="text", media_type="text/plain", key=("text", first, last))
        text = yield from file.work(lambda: _with_spaces(lines.text), len(lines.text))
        return _answered(f"{HEADING.format(path=path)}{text}\n")

    def _directory(self, path: str, view_range: list[int]) -> Steps[Output]:
        if view_range:
            return _failed("The `view_range` parameter is not allowed when `path` points to a directory.")
        entries = yield from visible_entries(self.context.reader, path, levels=_LEVELS)
        listed = "\n".join(sorted(name for name, _ in entries))
        return _answered(f"Here's {LISTING.format(path=path)}\n{listed}\n")


def _with_spaces(text: str) -> str:
    return text.replace("\t", "        ") if "\t" in text else text


def _range_fault(first: int, last: int, total: int) -> str | None:
    if not 1 <= first <= total:
        return f"Its first element `{first}` should be within the range of lines of the file: [1, {total}]"
    if last != -1 and last > total:
        return (
            f"Its second element `{last}` should be smaller than the number of lines in the file: `{total}`"
        )
    if last != -1 and last < first:
        return f"Its second element `{last}` should be larger or equal than its first `{first}`"
    return None


def _answered(text: str) -> dict[str, Any]:
    return {"status": "success", "content": [{"text": text}]}


def _failed(message: str) -> dict[str, Any]:
    return {"status": "error", "content": [{"text": f"Error: {message}"}]}
