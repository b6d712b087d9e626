"""The ways to call a reader: an MCP server, a command, a function, and a contract of anyread."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from dataclasses import replace
from typing import Any

from anyread_conformance.readers import CommandReader, FunctionReader, McpReader
from anyread_conformance.readers.mcp_stdio import usual_names
from anyread_conformance.reply import Reply, reply_of

ANSWER_S = 20.0
"""Seconds after which a call is late: it is ended, and counts as refused."""
_MEMORY_BYTES = 4 * 2**30
_CONTRACT = ("contract", "settings", "task", "name", "arguments", "path")


class Caller(ABC):
    """How a reader is called with its own arguments.

    Args:
        name: What reports call it.
        reader: The reader, as conformance calls it.
        tools: The definitions of its tools, of which the first is the usual one.
    """

    task = ""
    """The conversation that calls belong to."""

    def __init__(self, name: str, reader: Any, tools: list[dict[str, Any]]) -> None:
        self.name, self._reader = name, reader
        self.properties: dict[str, Any] = tools[0].get("inputSchema", {}).get("properties", {})
        """The schema of each argument."""
        self._names = usual_names(self.properties)
        self.parameters = frozenset(self._names)
        """Which of the usual arguments it takes."""
        kept = ("name", "description", "inputSchema")
        chosen = [{key: tool[key] for key in kept if key in tool} for tool in tools]
        self.definition = json.dumps(chosen, ensure_ascii=False)
        """What a model reads about the tools."""

    def renamed(self, name: str) -> str:
        """Return the reader's own name of an argument."""
        return self._names.get(name, name)

    def read(self, arguments: dict[str, Any], timeout_s: float, *, memory_bytes: int) -> Reply:
        """Call the reader with the usual names of arguments, as conformance does."""
        named = {self._names[name]: value for name, value in arguments.items()}
        return self._call("", named, timeout_s, memory_bytes)

    def call(self, tool: str, arguments: dict[str, Any]) -> Reply:
        """Call the reader with its own names of arguments; the empty tool is the usual one."""
        return self._call(tool, arguments, ANSWER_S, _MEMORY_BYTES)

    def close(self) -> None:
        """End the reader's processes."""
        self._reader.close()

    @abstractmethod
    def _call(self, tool: str, arguments: dict[str, Any], timeout_s: float, memory_bytes: int) -> Reply: ...


class McpCaller(Caller):
    """The tool of an MCP server; a host sends every tool, and those that read are the reader's."""

    def __init__(self, command: str, tool: str | None = None) -> None:
        reader = McpReader(command, tool, answer_s=ANSWER_S)
        others = [each for name, each in reader.tools.items() if "read" in name and name != reader.tool]
        super().__init__(command, reader, [reader.tools[reader.tool], *others])

    def _call(self, tool: str, arguments: dict[str, Any], timeout_s: float, memory_bytes: int) -> Reply:
        reader: McpReader = self._reader
        return reader.call(tool or reader.tool, arguments, timeout_s, memory_bytes=memory_bytes)


class PlainCaller(Caller):
    """A command or a function, which has the usual names of arguments."""

    def __init__(self, reader: CommandReader | FunctionReader) -> None:
        schema = {"type": "object", "properties": {name: {} for name in sorted(reader.parameters)}}
        tool = {"name": "read", "description": reader.name, "inputSchema": schema}
        super().__init__(reader.name, reader, [tool])
        self.parameters = reader.parameters
        self._names = {name: name for name in reader.parameters}

    def _call(self, tool: str, arguments: dict[str, Any], timeout_s: float, memory_bytes: int) -> Reply:  # noqa: ARG002 - there is one tool
        reader: CommandReader | FunctionReader = self._reader
        return reader.read(arguments, timeout_s, memory_bytes=memory_bytes)


class ContractCaller(Caller):
    """A contract of anyread, in the process of an interpreter that has anyread."""

    def __init__(self, row: dict[str, Any], python: str | None = None) -> None:
        names = {name: name for name in _CONTRACT}
        self._reader: FunctionReader = FunctionReader(
            "anyread_conformance.locate.contracts:call", names, python
        )
        self._fixed = {"contract": row["contract"], "settings": row.get("settings", {})}
        self._constants, self._list, self._tool = row.get("constants", {}), row.get("list", ""), ""
        tools = json.loads(self.call("", {}).text)
        self._tool = tools[0]["name"]
        super().__init__(row["contract"], self._reader, tools)
        if self._list:
            self.properties = self.properties[self._list]["items"]["properties"]
            self._names = usual_names(self.properties)
            self.parameters = frozenset(self._names)

    def _call(self, tool: str, arguments: dict[str, Any], timeout_s: float, memory_bytes: int) -> Reply:
        if self._list and arguments and self._list not in arguments:
            arguments = {self._list: [arguments]}
        named = {"name": tool or self._tool, "arguments": {**self._constants, **arguments}}
        wanted = {**self._fixed, "task": self.task, **named}
        reply = self._reader.read(wanted, timeout_s, memory_bytes=memory_bytes)
        if not self._list or not arguments:
            return reply
        return replace(reply, text=reply_of(reply.text).text, json=reply.text)
