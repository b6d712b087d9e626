"""The readers that are checked: anyread, tools of agent frameworks, MCP servers, and `cat -n`.

Each is the words that follow `anyread-conformance`, which is run in the root of the repository.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGES = ROOT / "target" / "conformance"
_OWN = Path(__file__).parent / "requirements"
_SHARED = ROOT / "benches" / "requirements"
_NODE = Path(__file__).parent / "node"
_DESKTOP_COMMANDER_HOME = "target/conformance/home"


@dataclass(frozen=True, slots=True)
class CheckedReader:
    """One reader."""

    name: str
    """Its name in tables, and for `RIVALS=`."""
    words: tuple[str, ...]
    """How the rules call it."""
    package: str = ""
    """The file with its pinned requirements, without its ending; empty if nothing is installed."""
    note: str = ""
    """What is checked, for the page."""

    @property
    def version(self) -> str:
        """The pinned version; empty if nothing is installed."""
        for directory in (_OWN, _SHARED):
            path = directory / f"{self.package}.txt"
            if path.exists():
                return path.read_text("utf-8").split()[0].partition("==")[2]
        path = _NODE / f"{self.package}.json"
        if path.exists():
            dependencies = json.loads(path.read_text("utf-8"))["dependencies"]
            return str(next(iter(dependencies.values())))
        return ""


def _function(name: str, note: str, *, module: str = "") -> CheckedReader:
    python = f".venv-rivals/{name}/bin/python"
    words = ("--python", python, "--callable", f"benches.conformance.functions.{module or name}:read")
    return CheckedReader(name, words, name, note)


def _node_function(name: str, note: str) -> CheckedReader:
    """Return a reader for Node.js that has no server, and is called through a function."""
    module = f"benches.conformance.functions.{name.replace('-', '_')}"
    return CheckedReader(name, ("--callable", f"{module}:read"), name, note)


def _node(name: str, program: str, arguments: str, note: str, *words: str) -> CheckedReader:
    command = f"node target/conformance/{name}/node_modules/{program} {arguments}".rstrip()
    if name == "desktop-commander":
        # It writes its configuration to the home directory.
        command = f"env HOME={_DESKTOP_COMMANDER_HOME} {command}"
    return CheckedReader(name, ("--mcp", command, *words), name, note)


READERS = (
    CheckedReader("anyread", ("--mcp", ".venv/bin/anyread mcp --root /"), note="`read` of `anyread mcp`"),
    _function("adk", "`ReadFile` of google-adk"),
    _function("agno", "`read_file` and `read_file_chunk` of agno's `FileTools`"),
    _function("anthropic", "`read` of the agent toolset in Anthropic's SDK"),
    _function("crewai", "`FileReadTool` of crewai-tools"),
    _function("deepagents", "`read_file` of Deep Agents with its backend for the file system"),
    _function("harness", "`read_file` of pydantic-ai-harness"),
    _function("openhands", "`view` of the file editor in openhands-tools"),
    _function("langchain", "`ReadFileTool` of langchain-community"),
    _function("strands", "`file_read` of strands-agents-tools, modes `view` and `lines`"),
    _function("strands-agents", "`view` of the file editor in strands-agents", module="strands_editor"),
    _node_function("gemini-cli", "`read_file` of `@google/gemini-cli-core`"),
    _node_function("opencode", "`read` of `opencode-linux-x64`, when a model asks its server for it"),
    _node_function("pi", "`read` of `@earendil-works/pi-coding-agent`"),
    _node(
        "server-filesystem",
        "@modelcontextprotocol/server-filesystem/dist/index.js",
        "/",
        "`read_text_file` of `@modelcontextprotocol/server-filesystem`; another tool of it shows images",
        "--tool", "read_text_file", "--argument-names", "path=path,limit=head",
    ),
    _node(
        "desktop-commander",
        "@wonderwhy-er/desktop-commander/dist/index.js",
        "",
        "`read_file` of `@wonderwhy-er/desktop-commander`",
        "--tool", "read_file", "--argument-names", "path=path,offset=offset,limit=length",
    ),
    CheckedReader("cat", ("--command", "cat -n {path}"), note="`cat -n` of GNU coreutils, for comparison"),
)  # fmt: skip


def chosen(names: str) -> list[CheckedReader]:
    """Return the readers with these names, separated by blanks; all if there are none."""
    wanted = set(re.split(r"\s+", names.strip())) - {""}
    unknown = wanted - {reader.name for reader in READERS}
    if unknown:
        raise SystemExit(f"there is no reader {min(unknown)!r}")
    return [reader for reader in READERS if not wanted or reader.name in wanted]
