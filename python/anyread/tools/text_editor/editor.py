"""What the dialects of the text editor share."""

from __future__ import annotations

import os
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal, NamedTuple, Self

from anyread._native import Layout
from anyread.arguments import LARGEST
from anyread.settings import require_choice
from anyread.tools import schemas
from anyread.tools.profile import Context, Profile

if TYPE_CHECKING:
    from collections.abc import Mapping

    from anyread.tools.files import File
    from anyread.tools.profile import Steps

Dialect = Literal["openhands", "swe-agent", "strands", "anthropic-memory"]

DIALECTS: Final[dict[str, str]] = {
    "openhands": "openhands:OpenHandsEditor",
    "swe-agent": "swe_agent:SweAgentEditor",
    "strands": "strands:StrandsEditor",
    "anthropic-memory": "anthropic_memory:MemoryEditor",
}
"""The module and class of each dialect."""
HEADING: Final = "Here's the result of running `cat -n` on {path}:\n"
LISTING: Final = "the files and directories up to 2 levels deep in {path}, excluding hidden items:"
_EDITING: Final = ("create", "str_replace", "insert", "undo_edit", "delete", "rename")


@dataclass(frozen=True, slots=True, kw_only=True)
class TextEditorSettings:
    """The settings of the `text-editor` profile."""

    dialect: Dialect = "openhands"
    """Whose texts the answers have: "openhands", "swe-agent", "strands" or "anthropic-memory"."""
    compat_numbers: bool = False
    """Whether lines after a cut in the middle are numbered as OpenHands does, which is wrong."""

    def __post_init__(self) -> None:
        require_choice("settings.dialect", self.dialect, tuple(DIALECTS))


class TextLines(NamedTuple):
    """Lines of a file as text."""

    text: str
    """The lines, joined by LF."""
    total: int
    """The number of lines of the file."""
    ends_with_newline: bool
    """Whether the last line of the file has a line ending."""


class TextEditor(Profile[TextEditorSettings]):
    r"""The `view` command of a text editor; the host's own editor has the other commands.

    Example:
        >>> view = anyread.tool("text-editor", settings={"dialect": "strands"})
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
        path=schemas.argument("string", "Absolute path of the file or directory."),
        command=schemas.argument("string", "The command: view.", enum=["view"]),
        view_range=schemas.items("integer", "First and last line to show, counted from 1; -1: to the end."),
    )
    Settings: ClassVar[type[Any]] = TextEditorSettings

    def __new__(cls, context: Context[TextEditorSettings]) -> Self:
        """Create the editor of the dialect that the settings name."""
        if cls is not TextEditor:
            return super().__new__(cls)
        module, _, name = DIALECTS[context.settings.dialect].partition(":")
        dialect: type[Self] = getattr(import_module(f"{__package__}.{module}"), name)
        return super().__new__(dialect)


def command_fault(arguments: Mapping[str, Any]) -> str | None:
    """Return what is wrong with `command` and `path`; `None`: nothing."""
    command = arguments.get("command")
    if command in _EDITING:
        return f"This tool only views files: call the editor of this host for `{command}`."
    if command != "view":
        return "`command` must be `view`."
    path = arguments.get("path")
    if not isinstance(path, str):
        return "`path` must be a string."
    return "`path` must not contain a NUL." if "\0" in path else None


def read_lines(
    file: File, layout: Layout, first: int = 1, last: int | None = None, *, encoding: str | None = "utf-8"
) -> Steps[TextLines]:
    """Read the lines from `first` to `last`; `None`: to the end."""
    limit = LARGEST if last is None else max(0, last - first + 1)
    window = yield from file.window(first, limit, layout, encoding=encoding)
    return TextLines(window.text, window.total_lines or 0, window.final_newline)


def count_lines(file: File, layout: Layout, *, encoding: str | None = "utf-8") -> Steps[int]:
    """Count the lines of a file."""
    return (yield from file.window(1, 0, layout, encoding=encoding)).total_lines or 0


def numbered(text: str, first: int, layout: Layout) -> str:
    """Number the lines of a text, each of which is divided from the next one by LF."""
    return layout.window(text.encode(), 1, LARGEST, first_number=first).text


def joined(directory: str, name: str) -> str:
    """Return the path of an entry of a directory."""
    return os.path.join(directory, name)  # noqa: PTH118 - text
