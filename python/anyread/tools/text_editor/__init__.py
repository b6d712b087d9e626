"""The `view` command of the text editors that descend from Anthropic's, in four dialects.

Source: the package `openhands-tools` 1.58.0; the script of SWE-agent,
https://github.com/SWE-agent/SWE-agent/blob/3ea751c087f32b16e039a2233dd6eefecef325d5/tools/edit_anthropic/bin/str_replace_editor
; the package `strands-agents` 1.62.0; the memory tool of the package `anthropic` 2.12.0; all read 2026-11-22.
"""

from __future__ import annotations

from .editor import TextEditor, TextEditorSettings

__all__ = ["TextEditor", "TextEditorSettings"]
