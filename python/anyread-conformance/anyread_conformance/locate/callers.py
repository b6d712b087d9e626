"""The ways to call a reader: an MCP server, a command, a function, and a contract of anyread."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from anyread_conformance.readers import CommandReader, FunctionReader, McpReader
from anyread_conformance.readers.mcp_stdio import usual_names
from anyread_conformance.reply import Reply

if TYPE_CHECKING:
    from .reader import Caller

ANSWER_S = 20.0
"""Seconds after which a call is late: it is ended, and counts as refused."""
_MEMORY_BYTES = 4 * 2**30
_CONTRACT = ("contract", "settings", "task", "name", "arguments", "path")


class McpCaller:
    """The tool of an MCP server."""

    def __init__(self, command: str, tool: str | None = None) -> None:
        self._reader = McpReader(command, tool, answer_s=ANSWER_S)
        self.name, self.parameters, self.task = command, self._reader.parameters, ""
        chosen = self._reader.tools[self._reader.tool]
        self.properties: dict[str, Any] = chosen.get("inputSchema", {}).get("properties", {})
        self._names = usual_names(self.properties)
        # A host sends every tool; those that read are the reader's.
        tools = [
            each for name, each in self._reader.tools.items() if "read" in name or name == self._reader.tool
        ]
        self.definition = definition_of(tools)

    def read(self, arguments: dict[str, Any], timeout_s: float, *, memory_bytes: int) -> Reply:
        """Call the tool with the usual names of arguments."""
        return self._reader.read(arguments, timeout_s, memory_bytes=memory_bytes)

    def call(self, tool: str, arguments: dict[str, Any]) -> Reply:
        """Call the tool, or another one of the server, with its own names of arguments."""
        name = tool or self._reader.tool
        return self._reader.call(name, arguments, ANSWER_S, memory_bytes=_MEMORY_BYTES)

    def renamed(self, name: str) -> str:
        """Return the tool's own name of an argument."""
        return self._names.get(name, name)

    def close(self) -> None:
        """End the server."""
        self._reader.close()


class PlainCaller:
    """A command or a function, which has the usual names of arguments."""

    def __init__(self, reader: CommandReader | FunctionReader) -> None:
        self._reader = reader
        self.name, self.parameters, self.task = reader.name, reader.parameters, ""
        self.properties: dict[str, Any] = {name: {} for name in sorted(reader.parameters)}
        schema = {"type": "object", "properties": self.properties}
        self.definition = definition_of([{"name": "read", "description": reader.name, "inputSchema": schema}])

    def read(self, arguments: dict[str, Any], timeout_s: float, *, memory_bytes: int) -> Reply:
        """Call the reader."""
        return self._reader.read(arguments, timeout_s, memory_bytes=memory_bytes)

    def call(self, tool: str, arguments: dict[str, Any]) -> Reply:  # noqa: ARG002 - there is one tool
        """Call the reader."""
        return self._reader.read(arguments, ANSWER_S, memory_bytes=_MEMORY_BYTES)

    def renamed(self, name: str) -> str:
        """Return the name: it is the usual one."""
        return name

    def close(self) -> None:
        """End the reader's process."""
        self._reader.close()


class ContractCaller:
    """A contract of anyread, in the process of an interpreter that has anyread."""

    def __init__(
        self,
        contract: str,
        settings: dict[str, str],
        constants: dict[str, Any],
        python: str | None = None,
    ) -> None:
        names = {name: name for name in _CONTRACT}
        self._reader = FunctionReader("anyread_conformance.locate.contracts:call", names, python)
        self._fixed = {"contract": contract, "settings": settings}
        self._constants = constants
        self.name, self.task = contract, ""
        self._tool = ""
        tools = json.loads(self.call("", {}).text)
        self._tool = tools[0]["name"]
        self.properties: dict[str, Any] = tools[0]["inputSchema"].get("properties", {})
        self._names = usual_names(self.properties)
        self.parameters = frozenset(self._names)
        self.definition = definition_of(tools)

    def read(self, arguments: dict[str, Any], timeout_s: float, *, memory_bytes: int) -> Reply:
        """Call the tool with the usual names of arguments."""
        named = {self._names[name]: value for name, value in arguments.items()}
        return self._called("", named, timeout_s, memory_bytes)

    def call(self, tool: str, arguments: dict[str, Any]) -> Reply:
        """Call the tool, or another one of the contract, with its own names of arguments."""
        return self._called(tool, arguments, ANSWER_S, _MEMORY_BYTES)

    def _called(self, tool: str, arguments: dict[str, Any], timeout_s: float, memory_bytes: int) -> Reply:
        wanted = {
            "task": self.task,
            "name": tool or self._tool,
            "arguments": {**self._constants, **arguments},
        }
        return self._reader.read({**self._fixed, **wanted}, timeout_s, memory_bytes=memory_bytes)

    def renamed(self, name: str) -> str:
        """Return the tool's own name of an argument."""
        return self._names.get(name, name)

    def close(self) -> None:
        """End the process."""
        self._reader.close()


def definition_of(tools: list[dict[str, Any]]) -> str:
    """Return what a model reads about tools."""
    kept = ("name", "description", "inputSchema")
    return json.dumps([{key: tool[key] for key in kept if key in tool} for tool in tools], ensure_ascii=False)


def _protocol(caller: McpCaller | PlainCaller | ContractCaller) -> Caller:
    """Let type checkers compare the callers with their protocol."""
    return caller
