"""The dialect of Anthropic's memory tool: files below /memories, and directories with sizes."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Final

from anyread._native import Layout
from anyread.arguments import LARGEST
from anyread.errors import DirectoryError, NotFoundError, OutsideRootError, ReadError
from anyread.results import TextBlock
from anyread.running.effects import Work
from anyread.tools.directories import in_order, visible_entries
from anyread.tools.files import like, open_file, target_of
from anyread.tools.profile import Context, Output, thrown, worded

from .editor import LISTING, TextEditor, TextEditorSettings, command_fault, joined

if TYPE_CHECKING:
    from collections.abc import Mapping

    from anyread.results import Block
    from anyread.tools.files import File
    from anyread.tools.profile import Steps

MAX_LINES: Final = 999_999
"""The most lines of a file."""
_ROOT: Final = "/memories"
_LINES: Final = Layout(line_ends="lf", final_newline="starts")
_NUMBERED: Final = Layout(line_ends="lf", final_newline="starts", separator="\t", width=6)


class MemoryEditor(TextEditor):
    """`view` of the memory tool; the directory `memories` in `cwd` is `/memories`."""

    name: ClassVar[str] = "memory"

    def __init__(self, context: Context[TextEditorSettings]) -> None:
        self._root = joined(context.cwd, "memories")
        os.makedirs(self._root, mode=0o700, exist_ok=True)  # noqa: PTH103 - text
        super().__init__(replace(context, reader=like(context.reader, roots=[self._root])))

    def validate(self, arguments: Mapping[str, Any], *, name: str) -> Output | None:  # noqa: ARG002 - it has one name
        """Check the types; unknown arguments are ignored."""
        fault = command_fault(arguments)
        given = arguments.get("view_range")
        if fault is None and given is not None:
            is_list = isinstance(given, list | tuple) and all(type(each) is int for each in given)
            fault = None if is_list else "`view_range` must be a list of integers."
        return None if fault is None else thrown(fault)

    def steps(self, arguments: Mapping[str, Any], *, name: str) -> Steps[Output]:  # noqa: ARG002 - it has one name
        """Show a file or a directory."""
        given: str = arguments["path"]
        if not given.startswith(_ROOT):
            return thrown(f"Path must start with {_ROOT}, got: {given}")
        relative = given.removeprefix(_ROOT).lstrip("/")
        path = joined(self._root, relative) if relative else self._root
        try:
            try:
                file = yield from open_file(self.context.reader, path)
            except DirectoryError:
                return (yield from self._directory(path, given))
            return (yield from self._text(file, given, arguments.get("view_range") or ()))
        except OutsideRootError:
            return thrown(f"Path {given} would escape {_ROOT} directory")
        except NotFoundError:
            return thrown(f"The path {given} does not exist. Please provide a valid path.")
        except ReadError as error:
            return thrown(worded(error))

    def blocks(self, output: Output) -> list[Block]:
        """Return the text."""
        return [TextBlock(output if isinstance(output, str) else output["error"])]

    def failed(self, output: Output) -> bool:
        """Check for an error; a success is a text."""
        return not isinstance(output, str)

    def _text(self, file: File, shown: str, view_range: list[int] | tuple[int, ...]) -> Steps[Output]:
        fault = yield from file.decoding_fault()
        if fault is not None:
            return thrown(fault)
        total = (yield from file.window(1, 0, _LINES)).total_lines or 0
        if total > MAX_LINES:
            return thrown(f"File {shown} exceeds maximum line limit of 999,999 lines.")
        first, last = 1, total
        if len(view_range) == 2:
            first, end = min(max(1, view_range[0]), LARGEST), view_range[1]
            last = total if end == -1 else total + end if end < 0 else min(end, total)
        heading = f"Here's the content of {shown} with line numbers:\n"
        self.context.note(file, kind="text", media_type="text/plain", key=("text", first, last))
        if first > last:
            return heading
        return heading + (yield from file.window(first, last - first + 1, _NUMBERED)).text

    def _directory(self, path: str, shown: str) -> Steps[Output]:
        reader = self.context.reader
        found = yield from visible_entries(reader, path, levels=2)
        size = yield from Work(lambda _: os.stat(path).st_size, target_of(reader, path))  # noqa: PTH116 - text
        lines = [f"{_size(size)}\t{shown}"]
        for name, entry in in_order(found):
            if entry.kind in {"directory", "file"}:
                lines.append(f"{_size(entry.size_bytes)}\t{shown}/{name}" + "/" * entry.is_directory)
        return f"Here're {LISTING.format(path=shown)}\n" + "\n".join(lines)


def _size(size: int) -> str:
    unit = min((size.bit_length() - 1) // 10, 3) if size else 0
    scaled = size / 1024**unit
    return f"{int(scaled) if scaled == int(scaled) else format(scaled, '.1f')}{'BKMG'[unit]}"
