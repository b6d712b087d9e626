"""The dialect of SWE-agent: what its script prints, and the code with which it exits."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, ClassVar, Final

from anyread._native import Layout
from anyread.arguments import LARGEST
from anyread.errors import DirectoryError, NotFoundError, ReadError
from anyread.results import TextBlock
from anyread.tools.directories import visible_entries
from anyread.tools.files import open_file
from anyread.tools.profile import Output, worded

from .editor import HEADING, LISTING, TextEditor, command_fault, joined, numbered

if TYPE_CHECKING:
    from collections.abc import Mapping

    from anyread.results import Block
    from anyread.tools.files import File
    from anyread.tools.profile import Steps

MAX_CHARS: Final = 16_000
"""The most characters of a text, before tabs are expanded."""
_LINES: Final = Layout(
    line_ends="lf+crlf+cr",
    final_newline="starts",
    clip_length=MAX_CHARS + 1,
    budget=MAX_CHARS + 1,
    budget_unit="chars",
    budget_of="text",
    over_budget="after",
)
_NUMBERED: Final = Layout(line_ends="lf", final_newline="starts", separator="\t", width=6)
_DIRECT: Final = Layout(line_ends="lf+crlf+cr", final_newline="starts", separator="\t", width=6)
_CLIPPED: Final = (
    "<response clipped><NOTE>To save on context only part of this file has been shown to you. You"
    " should retry"
    " this tool after you have searched inside the file with `grep -n` in order to find the line numbers of"
    " what you are looking for.</NOTE>"
)
_USAGE: Final = 2


class SweAgentEditor(TextEditor):
    """`view` of the `str_replace_editor` of SWE-agent."""

    name: ClassVar[str] = "str_replace_editor"

    def validate(self, arguments: Mapping[str, Any], *, name: str) -> Output | None:  # noqa: ARG002 - it has one name
        """Check the arguments as the parser of the script's command line does."""
        fault = command_fault(arguments)
        given = arguments.get("view_range")
        if fault is None and given is not None and _integers(given) is None:
            fault = "argument --view_range: expected 2 integers"
        return None if fault is None else {"stdout": "", "exit_code": _USAGE, "stderr_last": fault}

    def steps(self, arguments: Mapping[str, Any], *, name: str) -> Steps[Output]:  # noqa: ARG002 - it has one name
        """Show a file or a directory."""
        path = _shown_path(arguments["path"])
        view_range = _integers(arguments.get("view_range"))
        if not path.startswith("/"):
            suggested = self.context.cwd if path == "." else joined(self.context.cwd, path)
            return _printed(
                f"The path {path} is not an absolute path, it should start with `/`. Maybe you meant"
                f" {suggested}?",
                6,
            )
        try:
            try:
                file = yield from open_file(self.context.reader, path)
            except DirectoryError:
                return (yield from self._directory(path, view_range))
            return (yield from self._text(file, path, view_range))
        except NotFoundError:
            return _printed(f"The path {path} does not exist. Please provide a valid path.", 7)
        except ReadError as error:
            return _printed(f"Ran into {worded(error)} while trying to read {path}", 19)

    def blocks(self, output: Output) -> list[Block]:
        """Return what was printed."""
        return [TextBlock(output["stdout"] or output.get("stderr_last") or "[no output]")]

    def failed(self, output: Output) -> bool:
        """Check the exit code."""
        return bool(output["exit_code"])

    def _text(self, file: File, path: str, view_range: list[int] | None) -> Steps[Output]:
        encoding = "utf-8" if (yield from file.utf8_fault()) is None else "latin-1"
        first, limit = 1, LARGEST
        if view_range is not None:
            total = (yield from file.window(1, 0, _LINES, encoding=encoding)).total_lines or 0
            first, last = view_range
            fault, exit_code = _range_fault(first, last, total)
            if fault:
                return _printed(f"Invalid `view_range`: {view_range}. {fault}", exit_code)
            limit = LARGEST if last == -1 else last - first + 1
        self.context.note(file, kind="text", media_type="text/plain", key=("text", first, limit))
        if file.size_bytes <= MAX_CHARS and b"\t" not in file.head(MAX_CHARS) and file.is_whole:
            # Nothing is cut or expanded, so the lines can be numbered where they are read.
            window = yield from file.window(first, limit, _DIRECT, encoding=encoding)
            return _printed(f"{HEADING.format(path=path)}{window.text}\n")
        window = yield from file.window(first, limit, _LINES, encoding=encoding)
        text = window.text
        if len(text) > MAX_CHARS:
            text = text[:MAX_CHARS] + _CLIPPED
        return _printed(HEADING.format(path=path) + numbered(text.expandtabs(), first, _NUMBERED) + "\n")

    def _directory(self, path: str, view_range: list[int] | None) -> Steps[Output]:
        if view_range is not None:
            return _printed(
                "The `view_range` parameter is not allowed when `path` points to a directory.", 10
            )
        if re.search(r"\s", path):
            # The script passes the path to a shell without quotes, and prints nothing if `find` complains.
            return {"stdout": "", "exit_code": 0}
        found: list[str] = []
        if "/." not in path:
            entries = yield from visible_entries(self.context.reader, path, levels=2, follow_links=False)
            found = [path, *(joined(path, name) for name, _ in entries)]
        listed = "".join(f"{each}\n" for each in found)
        return _printed(f"Here's {LISTING.format(path=path)}\n{listed}\n")


def _range_fault(first: int, last: int, total: int) -> tuple[str, int]:
    """Return what is wrong with a range, and the code with which the script exits; empty: nothing."""
    if not 1 <= first <= total:
        within = f"within the range of lines of the file: [1, {total}]"
        return f"Its first element `{first}` should be {within}", 12
    if last > total:
        most = f"smaller than the number of lines in the file: `{total}`"
        return f"Its second element `{last}` should be {most}", 13
    if last != -1 and last < first:
        return f"Its second element `{last}` should be larger or equal than its first `{first}`", 14
    return "", 0


def _shown_path(path: str) -> str:
    """Return a path as Python's `Path` writes it, which keeps `..`."""
    parts = [part for part in path.split("/") if part not in {"", "."}]
    root = "//" if re.match("//[^/]", path) else "/" if path.startswith("/") else ""
    return root + "/".join(parts) or "."


def _integers(value: object) -> list[int] | None:
    """Return two integers, also from strings of them; `None`: something else."""
    if not isinstance(value, list | tuple) or len(value) != 2:
        return None
    found = [str(each).strip() for each in value if not isinstance(each, bool | float)]
    is_valid = len(found) == 2 and all(re.fullmatch(r"[+-]?\d+", each, re.ASCII) for each in found)
    return [int(each) for each in found] if is_valid else None


def _printed(text: str, exit_code: int = 0) -> dict[str, Any]:
    return {"stdout": f"{text}\n", "exit_code": exit_code}
