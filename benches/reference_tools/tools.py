"""The reference tools, and how each and its contract of anyread is called."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benches.reference_tools.files import DIRECTORY

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).parents[2]
PYTHONS = ROOT / ".venv-rivals"
PACKAGES = ROOT / "target" / "conformance"
SWE_AGENT = ROOT / "target" / "reference-tools" / "str_replace_editor"
_DRIVERS = Path(__file__).parent / "drivers"


@dataclass(frozen=True, slots=True)
class Call:
    """What a model wants to read, before it is written in the arguments of a contract."""

    file: str
    """The name of the file in `DIRECTORY`."""
    first: int | None = None
    """The first line, counted from 1; `None`: the call has no range."""
    last: int | None = None
    """The last line."""


@dataclass(frozen=True, slots=True)
class ReferenceTool:
    """One tool whose contract anyread has."""

    name: str
    """Its name in tables: that of the contract, or of the dialect."""
    contract: str
    """The contract, for `anyread.tool`."""
    dialect: str
    """The dialect of the contract; empty if it has none."""
    installed_at: Path
    """A file that exists if the tool is installed."""
    command: tuple[str, ...]
    """The command of its driver."""
    own_command: tuple[str, ...]
    """The command of the driver of anyread in its place."""
    times_itself: bool = False
    """Whether the time of a call is the tool's own, and only a part of what the call takes."""
    measures_children: bool = False
    """Whether its memory is that of processes that its driver starts."""
    note: str = ""
    """What was called, for the tables."""

    @property
    def version(self) -> str:
        """The version of its package for Node.js; empty for other tools, whose drivers know it."""
        if self.installed_at.name != "package.json":
            return ""
        return str(json.loads(self.installed_at.read_text("utf-8"))["version"])

    @property
    def settings(self) -> dict[str, Any]:
        """The settings of the contract."""
        return {"dialect": self.dialect} if self.dialect else {}

    def arguments(self, call: Call) -> dict[str, Any]:
        """Return a call in the arguments of the contract."""
        arguments = _whole(self, call.file)
        if call.first is not None and call.last is not None:
            arguments |= _WINDOWS.get(self.contract, _view_range)(call.first, call.last)
        return arguments


def _whole(tool: ReferenceTool, file: str) -> dict[str, Any]:
    path = str(DIRECTORY / file)
    if tool.contract == "text-editor":
        return {
            "command": "view",
            "path": f"/memories/{file}" if tool.dialect == "anthropic-memory" else path,
        }
    if tool.contract == "mcp-filesystem" and file.endswith(".png"):
        # It has another tool for media; the driver knows the argument `tool`.
        return {"path": path, "tool": "read_media_file"}
    name = {"opencode": "filePath", "pi": "path", "mcp-filesystem": "path"}.get(tool.contract, "file_path")
    # The root of Deep Agents is the directory, and the toolset's paths start there.
    return {name: {"deepagents": f"/{file}", "anthropic-toolset": file}.get(tool.contract, path)}


def _offset_and_limit(first: int, last: int) -> dict[str, Any]:
    return {"offset": first, "limit": last - first + 1}


def _view_range(first: int, last: int) -> dict[str, Any]:
    return {"view_range": [first, last]}


_WINDOWS: dict[str, Callable[[int, int], dict[str, Any]]] = {
    "opencode": _offset_and_limit,
    "pi": _offset_and_limit,
    "deepagents": lambda first, last: _offset_and_limit(first, last) | {"offset": first - 1},
    "gemini-cli": lambda first, last: {"start_line": first, "end_line": last},
    # It shows the beginning or the end of a file, and no other part.
    "mcp-filesystem": lambda first, last: {"tail": last - first + 1},
}


def _python(name: str, environment: str, driver: str, *, contract: str, note: str) -> ReferenceTool:
    python = PYTHONS / environment / "bin" / "python"
    dialect = "" if contract == name else name
    directory = str(DIRECTORY.parent if name == "anthropic-memory" else DIRECTORY)
    module = f"benches.reference_tools.drivers.{driver}"
    command = (str(python), "-m", module, directory)
    own = _own(contract, dialect, directory)
    return ReferenceTool(name, contract, dialect, python, command, own, note=note)


def _own(contract: str, dialect: str, directory: str) -> tuple[str, ...]:
    settings = json.dumps({"dialect": dialect} if dialect else {})
    module = "benches.reference_tools.drivers.anyread_tool"
    return (sys.executable, "-m", module, contract, settings, directory)


def _node(name: str, package: str, note: str) -> ReferenceTool:
    root = PACKAGES / name / "node_modules" / package
    command = ("node", str(_DRIVERS / f"{name.replace('-', '_')}.mjs"), str(root), str(DIRECTORY))
    installed = root / "package.json"
    return ReferenceTool(name, name, "", installed, command, _own(name, "", str(DIRECTORY)), note=note)


_OPENCODE = PACKAGES / "opencode" / "node_modules" / "opencode-linux-x64"
_SERVER = PACKAGES / "server-filesystem" / "node_modules" / "@modelcontextprotocol" / "server-filesystem"
_SERVED = (sys.executable, "-m", "benches.reference_tools.drivers.mcp_server")

TOOLS = (
    ReferenceTool(
        "opencode", "opencode", "", _OPENCODE / "package.json",
        (
            sys.executable, "-m", "benches.reference_tools.drivers.opencode",
            str(_OPENCODE / "bin" / "opencode"), str(DIRECTORY),
        ),
        _own("opencode", "", str(DIRECTORY)),
        times_itself=True,
        measures_children=True,
        note="`read`, when a model asks its server for it",
    ),
    _python("deepagents", "deepagents", "deepagents_tool", contract="deepagents", note="`read_file`"),
    _python("openhands", "openhands", "openhands_editor", contract="text-editor", note="`view`"),
    ReferenceTool(
        "swe-agent", "text-editor", "swe-agent", SWE_AGENT,
        (sys.executable, "-m", "benches.reference_tools.drivers.swe_agent_editor", str(SWE_AGENT)),
        _own("text-editor", "swe-agent", str(DIRECTORY)),
        note="`view` of the script, without starting it",
    ),
    _python("strands", "strands-agents", "strands_editor", contract="text-editor", note="`view`"),
    _python("anthropic-memory", "anthropic", "anthropic_memory", contract="text-editor", note="`view`"),
    _node("gemini-cli", "@google/gemini-cli-core", "`read_file`"),
    _node("pi", "@earendil-works/pi-coding-agent", "`read`"),
    ReferenceTool(
        "mcp-filesystem", "mcp-filesystem", "", _SERVER / "package.json",
        (*_SERVED, "node", str(_SERVER / "dist" / "index.js"), str(DIRECTORY)),
        (
            *_SERVED, str(ROOT / ".venv" / "bin" / "anyread"), "mcp", "--root", str(DIRECTORY),
            "--tool", "mcp-filesystem", "--max-tokens", "1000000000",
        ),
        measures_children=True,
        note="`read_text_file`; both are servers over standard input and output",
    ),
    _python(
        "anthropic-toolset", "anthropic", "anthropic_toolset", contract="anthropic-toolset", note="`read`"
    ),
)  # fmt: skip
