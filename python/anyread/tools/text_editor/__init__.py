"""The `view` command of the text editors that descend from Anthropic's: one contract for each.

Source: the packages of `REFERENCE` in each module, and the script of SWE-agent,
https://github.com/SWE-agent/SWE-agent (read 2026-11-22).
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from anyread.arguments.settings import require_choice
from anyread.registry import TEXT_EDITORS

from .editor import Editor, EditorSettings

if TYPE_CHECKING:
    from anyread.tools.parts.contract import Context


@dataclass(frozen=True, slots=True, kw_only=True)
class TextEditorSettings(EditorSettings):
    """The settings of the `text-editor` contract."""

    dialect: Literal["openhands", "swe-agent", "strands", "anthropic-memory"] = "openhands"
    """Which contract the tool has: "openhands", "swe-agent", "strands" or "anthropic-memory"."""

    def __post_init__(self) -> None:
        require_choice("settings.dialect", self.dialect, tuple(TEXT_EDITORS))


class TextEditor(Editor):
    """The contract of one of the editors, which the setting `dialect` names.

    Example:
        >>> view = anyread.tool("text-editor", settings={"dialect": "strands"})
    """

    Settings: ClassVar[type[Any]] = TextEditorSettings

    def __new__(cls, context: Context[TextEditorSettings]) -> Any:
        """Create the contract of that editor."""
        module, _, name = TEXT_EDITORS[context.settings.dialect].partition(":")
        return getattr(import_module(module), name)(context)
