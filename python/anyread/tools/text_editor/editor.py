"""What the contracts of the text editors share."""

from __future__ import annotations

import errno
from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Final, NamedTuple

from anyread._native import Layout
from anyread.arguments.request import LARGEST
from anyread.errors import DirectoryError, ReadError
from anyread.tools.parts import schemas
from anyread.tools.parts.coercion import lax_integers
from anyread.tools.parts.contract import Contract, Mapping, OpenFile, Output, Refusal

if TYPE_CHECKING:
    from anyread.tools.parts.system_errors import FailedCall

HEADING: Final = "Here's the result of running `cat -n` on {path}:\n"
LISTING: Final = "the files and directories up to 2 levels deep in {path}, excluding hidden items:"
NO_RANGE: Final = "The `view_range` parameter is not allowed when `path` points to a directory."
MISSING: Final = frozenset({errno.ENOENT, errno.ENOTDIR, errno.ELOOP})
"""Errnos for which Python's `Path.exists` returns `False`."""
_EDITING: Final = ("create", "str_replace", "insert", "undo_edit", "delete", "rename")


@dataclass(frozen=True, slots=True, kw_only=True)
class EditorSettings:
    """The settings of each editor."""

    compat_numbers: bool = False
    """Whether `openhands` numbers lines after a cut in the middle as the tool does, which is wrong."""


class ViewCall(NamedTuple):
    """The arguments of a call."""

    path: str
    """The path, as answers show it."""
    view_range: list[int]
    """The first and the last line as the model passed them; empty: all lines."""


class Editor(Contract[EditorSettings, ViewCall]):
    r"""The `view` command of a text editor; the host's own editor has the other commands.

    Example:
        >>> view = anyread.tool("strands")
        >>> view.call_sync({"command": "view", "path": "/repo/notes.txt", "view_range": [1, 1]})["content"]
        [{'text': "Here's the result of running `cat -n` on /repo/notes.txt:\n     1  Notes\n"}]
    """

    name: ClassVar[str] = "str_replace_based_edit_tool"
    description: ClassVar[str] = (
        "View a text file with line numbers, or list the files of a directory up to two levels deep. Pass"
        " view_range to see some lines of a file."
    )
    schema: ClassVar[schemas.Schema] = schemas.arguments(
        "path",
        "command",
        path=("string", "Absolute path of the file or directory."),
        command=schemas.argument("string", "The command: view.", enum=["view"]),
        view_range=schemas.items("integer", "First and last line to show, counted from 1; -1: to the end."),
    )
    Settings: ClassVar[type[Any]] = EditorSettings

    def checked(self, arguments: Mapping[str, Any], _name: str) -> ViewCall:
        """Check the command and the types."""
        fault = self.fault(arguments)
        view_range = self.integers(arguments.get("view_range"))
        if fault is not None or view_range is None:
            raise Refusal(self.invalid(fault or self.invalid_range))
        return ViewCall(self.shown_path(arguments["path"]), view_range)

    def reply(self, call: ViewCall) -> Output:
        """Show a file or a directory."""
        shown, view_range = call
        path = self.located(shown)
        try:
            try:
                file = self.open(path)
            except DirectoryError:
                return self.directory(path, shown, view_range)
            return self.file(file, shown, view_range)
        except ReadError as error:
            raise self.unreadable(shown, self.failed_call(path, error)) from error

    # -- what differs between the editors

    invalid_range: ClassVar[str] = "`view_range` must be a list of integers."
    """What is wrong with a `view_range` for which `integers` returns `None`."""

    def fault(self, arguments: Mapping[str, Any]) -> str | None:
        """Return what is wrong with the arguments except `view_range`; `None`: nothing."""
        command = arguments.get("command")
        if command in _EDITING:
            return f"This tool only views files: call the editor of this host for `{command}`."
        if command != "view":
            return "`command` must be `view`."
        path = arguments.get("path")
        if not isinstance(path, str):
            return "`path` must be a string."
        return "`path` must not contain a NUL." if "\0" in path else None

    def integers(self, view_range: object) -> list[int] | None:
        """Convert a `view_range`, which is empty for `None`; `None`: it is invalid."""
        return lax_integers(view_range)

    def invalid(self, fault: str) -> Output:
        """Return the answer to invalid arguments."""
        return self.failure(fault)

    def shown_path(self, path: str) -> str:
        """Return a path as answers show it."""
        return path

    def located(self, shown: str) -> str:
        """Return the path to open, or raise `Refusal`."""
        return shown

    @abstractmethod
    def file(self, file: OpenFile, shown: str, view_range: list[int], /) -> Output:
        """Show a file."""

    @abstractmethod
    def directory(self, path: str, shown: str, view_range: list[int], /) -> Output:
        """Show a directory."""

    def missing(self, shown: str, /) -> Refusal:
        """Word that there is no such file."""
        return self.refusal(f"The path {shown} does not exist. Please provide a valid path.")

    @abstractmethod
    def unreadable(self, shown: str, failed: FailedCall, /) -> Refusal:
        """Word that a system call failed, or an error of this library, such as a deny rule that matches."""


def range_fault(first: int, last: int, total: int) -> tuple[int, str] | None:
    """Return which rule for ranges of lines is violated, from 0, and how; `None`: none is."""
    if not 1 <= first <= total:
        within = f"within the range of lines of the file: [1, {total}]"
        return 0, f"Its first element `{first}` should be {within}"
    if last > total:
        most = f"smaller than the number of lines in the file: `{total}`"
        return 1, f"Its second element `{last}` should be {most}"
    if last != -1 and last < first:
        return 2, f"Its second element `{last}` should be larger or equal than its first `{first}`"
    return None


def count_lines(file: OpenFile, layout: Layout, encoding: str | None = "utf-8") -> int:
    """Count the lines of a file."""
    return file.window(1, 0, layout, encoding=encoding).total_lines or 0


def numbered(text: str, first: int, layout: Layout) -> str:
    """Number the lines of a text, each of which is divided from the next one by LF."""
    return layout.window(text.encode(), 1, LARGEST, first_number=first).text
