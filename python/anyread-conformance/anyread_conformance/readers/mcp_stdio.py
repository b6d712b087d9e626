"""Readers that are tools of an MCP server on standard input and output.

The client is small and has no dependencies: it initializes the server, lists its tools and calls one.
Source: the protocol's specification of 2025-06-18, which current servers accept.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import shlex
import subprocess
import time
from dataclasses import replace
from typing import Any

from anyread_conformance.reply import Reply, reply_of

from .calling import ReaderStartError
from .output import Drain, Lines
from .watching import MemoryWatch, end, start

_PROTOCOL = "2025-06-18"
_STARTS = 10
"""How many times the time of an answer a server may take to start, which may download it first."""
_TOOLS = ("read", "Read", "read_file", "read_text_file", "view", "view_file")
_NAMES = {
    "path": ("path", "file_path", "filePath", "filepath", "filename", "absolute_path"),
    "offset": ("offset", "start_line", "line_offset", "startLine"),
    "limit": ("limit", "length", "n_lines", "max_lines", "line_count"),
    "end": ("end_line", "endLine"),
    "range": ("view_range",),
}


class McpReader:
    """A tool of an MCP server.

    Args:
        command: The command that starts the server.
        tool: The name of the tool; by default the one that a usual name identifies.
        names: The tool's names for the parameters; by default the usual ones that are in its schema.
        constants: Further arguments of every call.
        answer_s: Seconds that an answer may take.
    """

    def __init__(
        self,
        command: str,
        tool: str | None = None,
        names: dict[str, str] | None = None,
        constants: dict[str, Any] | None = None,
        answer_s: float = 20,
    ) -> None:
        self.name = command
        self._start_s = answer_s * _STARTS
        self._command = shlex.split(command)
        self._constants = constants or {}
        self._process: subprocess.Popen[bytes] | None = None
        self._lines: Lines | None = None
        self._errors: Drain | None = None
        self._ids = itertools.count(1)
        self._start()
        try:
            self.tools = self._listed()
            self.tool, self._names = _chosen(self.tools, tool, names)
        except ReaderStartError:
            self.close()
            raise
        self.parameters = frozenset(self._names)

    def read(self, arguments: dict[str, Any], timeout_s: float, *, memory_bytes: int) -> Reply:
        """Call the tool once; a server that was ended is started again first."""
        named = {self._names[name]: value for name, value in arguments.items()}
        return self.call(self.tool, {**self._constants, **named}, timeout_s, memory_bytes=memory_bytes)

    def call(self, tool: str, arguments: dict[str, Any], timeout_s: float, *, memory_bytes: int) -> Reply:
        """Call a tool of the server as `read` does, with arguments that have the tool's own names."""
        if self._process is None:
            try:
                self._start()
            except ReaderStartError as failure:
                return Reply(str(failure), outcome="crashed")
        process = self._process
        assert process is not None
        request = {"name": tool, "arguments": arguments}
        started = time.perf_counter()
        with MemoryWatch(process, memory_bytes) as watch:
            reply = self._answer(request, timeout_s)
        seconds = time.perf_counter() - started
        if watch.exceeded:
            reply = replace(reply, outcome="out_of_memory")
        if not reply.answered:
            self.close()
        return replace(reply, seconds=seconds, memory_bytes=watch.peak_bytes)

    def close(self) -> None:
        """End the server."""
        if self._process is not None:
            end(self._process)
            if self._process.stdin is not None:
                with contextlib.suppress(OSError):  # a request may be left in its buffer
                    self._process.stdin.close()
        self._process = None

    def _answer(self, request: dict[str, Any], timeout_s: float) -> Reply:
        assert self._lines is not None
        assert self._errors is not None
        try:
            message = self._request("tools/call", request, timeout_s)
        except TimeoutError:
            return Reply(outcome="hung")
        except (OSError, ValueError):
            text = self._errors.tail().decode("utf-8", "replace")
            return Reply(text, outcome="flooded" if self._lines.flooded.is_set() else "crashed")
        error, result = message.get("error"), message.get("result")
        if isinstance(error, dict):
            return reply_of(str(error.get("message", "")), failed=True)
        blocks = result.get("content", []) if isinstance(result, dict) else None
        if not isinstance(result, dict) or not isinstance(blocks, list):
            return Reply("the answer is no result of a tool", outcome="crashed")
        content = [_content(block) for block in blocks if isinstance(block, dict)]
        if len(content) == 1 and isinstance(content[0], str):
            return reply_of(content[0], failed=bool(result.get("isError")))
        return reply_of(content, failed=bool(result.get("isError")))

    def _listed(self) -> dict[str, dict[str, Any]]:
        try:
            listed = self._request("tools/list", {}, self._start_s)
            return {tool["name"]: tool for tool in listed["result"]["tools"]}
        except (OSError, ValueError, KeyError, TypeError) as failure:
            raise ReaderStartError(f"the server does not list its tools: {failure!r}") from failure

    def _start(self) -> None:
        try:
            process = start(self._command, stdin=subprocess.PIPE)
        except (OSError, IndexError) as failure:
            raise ReaderStartError(f"the server does not start: {failure}") from failure
        assert process.stdout is not None
        assert process.stderr is not None
        self._process, self._lines, self._errors = process, Lines(process.stdout), Drain(process.stderr)
        client = {"name": "anyread-conformance", "version": "1"}
        try:
            self._request(
                "initialize",
                {"protocolVersion": _PROTOCOL, "capabilities": {}, "clientInfo": client},
                self._start_s,
            )
            self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        except (OSError, ValueError) as failure:
            self.close()
            said = self._errors.data().decode("utf-8", "replace").strip().rpartition("\n")[2]
            raise ReaderStartError(f"the server does not answer: {said or failure!r}") from failure

    def _request(self, method: str, parameters: dict[str, Any], timeout_s: float) -> dict[str, Any]:
        """Return the response to a request; a `ValueError` means that the server ended."""
        assert self._lines is not None
        number = next(self._ids)
        self._send({"jsonrpc": "2.0", "id": number, "method": method, "params": parameters})
        deadline = time.perf_counter() + timeout_s
        while True:
            line = self._lines.next(deadline - time.perf_counter())
            if line is None:
                raise ValueError("the server ended")
            try:
                message = json.loads(line)
            except (ValueError, RecursionError):
                continue  # some servers log to standard output
            if not isinstance(message, dict):
                continue
            if "method" in message and "id" in message:
                refusal = {"code": -32601, "message": "not supported"}
                self._send({"jsonrpc": "2.0", "id": message["id"], "error": refusal})
            elif message.get("id") == number:
                return message

    def _send(self, message: dict[str, Any]) -> None:
        assert self._process is not None
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(message).encode() + b"\n")
        self._process.stdin.flush()


def _chosen(
    tools: dict[str, dict[str, Any]], tool: str | None, names: dict[str, str] | None
) -> tuple[str, dict[str, str]]:
    """Return the tool that reads files, and its names for the parameters."""
    chosen = tool or next((name for name in _TOOLS if name in tools), "")
    if chosen not in tools:
        listed = ", ".join(tools)
        raise ReaderStartError(f"choose the tool that reads files with --tool; the server has {listed}")
    properties = tools[chosen].get("inputSchema", {}).get("properties", {})
    found = names or usual_names(properties)
    if "path" not in found:
        listed = ", ".join(properties)
        raise ReaderStartError(f"name the arguments with --argument-names; the tool has {listed}")
    return chosen, found


def usual_names(properties: dict[str, Any]) -> dict[str, str]:
    """Return the names that a tool has for the parameters, by their usual names."""
    found = {}
    for parameter, names in _NAMES.items():
        name = next((name for name in names if name in properties), None)
        if name is not None:
            found[parameter] = name
    return found


def _content(block: dict[str, Any]) -> Any:
    """Return a content block as text, or as it is."""
    if block.get("type") == "text":
        return block.get("text", "")
    if block.get("type") == "resource":
        return block.get("resource", {})
    return block
