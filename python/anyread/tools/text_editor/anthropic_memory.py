"""The contract of Anthropic's memory tool: files below /memories, and directories with sizes."""

from __future__ import annotations

import errno
import os
from dataclasses import replace
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, ClassVar, Final

from anyread._native import Layout
from anyread.arguments.request import LARGEST
from anyread.errors import AccessError, NotFoundError, OutsideRootError
from anyread.tools.parts.coercion import lax_integer
from anyread.tools.parts.contract import Block, Context, OpenFile, Output, Refusal
from anyread.tools.parts.directories import visible_entries
from anyread.tools.parts.files import like
from anyread.tools.parts.media import blocks_of
from anyread.tools.parts.paths import joined

from .editor import LISTING, Editor, EditorSettings, count_lines

if TYPE_CHECKING:
    from anyread.tools.parts.system_errors import FailedCall

REFERENCE: Final = {"anthropic": "2.14.0"}
"""The package that this contract follows, and its version."""
MAX_LINES: Final = 999_999
"""The most lines of a file."""
_ROOT: Final = "/memories"
_LINES: Final = Layout(line_ends="lf", final_newline="starts")
_NUMBERED: Final = Layout(line_ends="lf", final_newline="starts", separator="\t", width=6)


class MemoryEditor(Editor):
    """`view` of the memory tool; the directory `memories` in `cwd` is `/memories`."""

    name: ClassVar[str] = "memory"

    def __init__(self, context: Context[EditorSettings]) -> None:
        self._root = joined(context.cwd, "memories")
        os.makedirs(self._root, mode=0o700, exist_ok=True)  # noqa: PTH103 - text
        super().__init__(replace(context, reader=like(context.reader, roots=[self._root])))

    def integers(self, view_range: object) -> list[Any]:
        """Return the first and the last line; the tool ignores what does not have two items.

        It converts what pydantic does and checks nothing, so `file` refuses what is left.
        """
        if not isinstance(view_range, list | tuple):
            is_ignored = not view_range or (isinstance(view_range, str | dict) and len(view_range) != 2)
            return [] if is_ignored else [None, None]
        if len(view_range) != 2:
            return []
        first, last = view_range
        is_before_start = isinstance(first, float) and first < 1
        # A slice without an end goes to the last line.
        return [1 if is_before_start else lax_integer(first), -1 if last is None else lax_integer(last)]

    def located(self, shown: str) -> str:
        """Return the path in the directory of memories."""
        if not shown.startswith(_ROOT):
            raise self.refusal(f"Path must start with {_ROOT}, got: {shown}")
        return str(PurePosixPath(self._root, shown.removeprefix(_ROOT).strip("/")))

    def unreadable(self, shown: str, failed: FailedCall) -> Refusal:
        """Word that a system call failed, which the tool ends with an exception."""
        if isinstance(failed.error, OutsideRootError):
            return self.refusal(f"Path {shown} would escape {_ROOT} directory")
        if failed.code in {errno.ENOENT, errno.ENOTDIR}:
            return self.missing(shown)
        return self.refusal(str(failed.python_resolved()))

    def blocks(self, output: Output) -> list[Block]:
        """Return the text."""
        return blocks_of(output)

    def failed(self, output: Output) -> bool:
        """Check for an error; a success is a text."""
        return not isinstance(output, str)

    def file(self, file: OpenFile, shown: str, view_range: list[int]) -> Output:
        """Show lines, after a heading."""
        fault = file.decoding_fault()
        if fault is not None:
            raise self.refusal(fault)
        total = count_lines(file, _LINES)
        if total > MAX_LINES:
            raise self.refusal(f"File {shown} exceeds maximum line limit of 999,999 lines.")
        first, last = 1, total
        if view_range:
            if None in view_range:
                raise self.refusal(self.invalid_range)
            first, end = min(max(1, view_range[0]), LARGEST), view_range[1]
            last = total if end == -1 else total + end if end < 0 else min(end, total)
        heading = f"Here's the content of {shown} with line numbers:\n"
        self.context.note(file, kind="text", media_type="text/plain", key=("text", first, last))
        if first > last:
            return heading
        return heading + file.window(first, last - first + 1, _NUMBERED, encoding="utf-8").text

    def directory(self, path: str, shown: str, _view_range: list[int]) -> Output:
        """List a directory with the sizes of its entries."""
        listed = ""
        try:
            found = visible_entries(self.context.reader, path, levels=2, is_sorted=True)
            listed = "\n".join(
                f"{_size(entry.size_bytes)}\t{shown}/{name}" + "/" * entry.is_directory
                for name, entry in found
                if entry.kind in {"directory", "file"}
            )
        except AccessError:
            pass
        try:
            size = os.stat(path).st_size  # noqa: PTH116 - text
        except OSError as error:
            raise NotFoundError(path) from error
        heading = f"Here're {LISTING.format(path=shown)}\n{_size(size)}\t{shown}"
        return f"{heading}\n{listed}" if listed else heading


def _size(size: int) -> str:
    unit = min((size.bit_length() - 1) // 10, 3) if size else 0
    scaled = size / 1024**unit
    return f"{int(scaled) if scaled == int(scaled) else format(scaled, '.1f')}{'BKMG'[unit]}"
