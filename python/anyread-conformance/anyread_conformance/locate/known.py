"""The readers that are known by name: how each is started, and what its schema does not say.

A row may have:

- `contract`, with `settings` and `constants`: a contract of anyread, which stands for the original in calls
  and tokens, but not in time and memory; or `mcp`: the command of a server, with `tool`.
- `list`: the argument that is a list of places, each with its own arguments; its answers are JSON.
- `forms`: arguments for kinds of places, besides those that are learned.
- `heading`: what is in front of the lines of each file of an answer; `gutter`: what is in front of each line.
- `is_virtual`: whether the reader takes the root for `/`.
"""

from __future__ import annotations

from typing import Any

_PLACES = {
    "line": [{"places": ["{path}:{line}"]}],
    "lines": [{"places": ["{path}:{first}-{last}"]}],
    "from": [{"places": ["{path}:{first}-"]}],
    "whole": [{"places": ["{path}"]}],
    "list": [{"places": ["{path}"]}],
    "column": [{"places": ["{path}:{line}:{column}"]}],
    "page": [{"places": ["{path}:{page}"]}],
    "slide": [{"places": ["{path}:{page}"]}],
    "cell": [{"places": ["{path}:{cell}"]}],
    "run": [{"places": ["{path}:In[{run}]"]}],
    "function": [{"places": ["{path}:{name}"]}],
    "heading": [{"places": ["{path}#{heading}"]}],
    "record": [{"path": "{path}", "at": "{record}{pointer}"}],
    "pointer": [{"path": "{path}", "at": "{pointer}"}],
    "rows": [{"path": "{path}", "at": "{sheet}!{first}:{last}"}],
    "formula": [{"path": "{path}", "at": "{sheet}!{first}:{last}", "values": "formulas"}],
    "sheet": [{"path": "{path}", "at": "{sheet}"}],
    "find": [{"path": "{path}", "find": "{pattern}"}],
}
_HEADING = r"==> (.+?)(?: · .*)? <==|\[notice: no file has exactly that name; `(.*)` was read\]"
_ANYREAD = {"contract": "anyread", "forms": _PLACES, "heading": _HEADING}
_VIEW = {"command": "view"}

KNOWN: dict[str, dict[str, Any]] = {
    "anyread": _ANYREAD,
    "anyread, brief": {**_ANYREAD, "settings": {"shows": "brief"}},
    "anyread, tens": {**_ANYREAD, "settings": {"gutter": "TENS"}, "gutter": r"(\d+)?\t(.*)"},
    "claude-code": {"contract": "claude-code"},
    "cline": {
        "contract": "cline",
        "list": "files",
        "forms": {
            "lines": [{"files": [{"path": "{path}", "start_line": "{first}", "end_line": "{last}"}]}],
            "from": [{"files": [{"path": "{path}", "start_line": "{first}"}]}],
            "whole": [{"files": [{"path": "{path}"}]}],
        },
        "heading": r"(/.*?)(?::\d+-\w*)?",
    },
    "copilot-cli": {"contract": "copilot-cli"},
    "deepagents": {"contract": "deepagents", "is_virtual": True},
    "forge": {"contract": "forge"},
    "gemini-cli": {"contract": "gemini-cli"},
    "kimi-code": {"contract": "kimi-code"},
    "mcp-filesystem": {
        "contract": "mcp-filesystem",
        "forms": {"whole": [{"$tool": "read_multiple_files", "paths": ["{path}"]}]},
        "heading": r"^(/.*):$",
    },
    "opencode": {"contract": "opencode"},
    "openhands": {"contract": "openhands", "constants": _VIEW},
    "pi": {"contract": "pi"},
    "pilotdeck": {"contract": "pilotdeck"},
    "qwen-code": {"contract": "qwen-code"},
    "strands": {"contract": "strands", "constants": _VIEW},
    "server-filesystem": {
        "mcp": "npx -y @modelcontextprotocol/server-filesystem@2026.8.31 {root}",
        "tool": "read_text_file",
        "forms": {"whole": [{"$tool": "read_multiple_files", "paths": ["{path}"]}]},
        "heading": r"^(/.*):$",
    },
}
"""The rows by name."""
