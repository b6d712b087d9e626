"""The read tools of an MCP server over its standard input and output: `mcp_server COMMAND…`.

The name of the tool is the argument `tool` of a call; by default, it is `read_text_file`.

The time of a call is that of the request and its response, for the reference and for `anyread mcp`.
A cold call has a server that was started for it, and has read a small file.
"""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

from benches.reference_tools.drivers.answers import serve


class Server:
    """A running server."""

    def __init__(self, command: list[str]) -> None:
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        self.number = 0
        client = {"name": "benchmark", "version": "1"}
        begun = self.ask("initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo=client)
        self.version = json.loads(begun)["result"]["serverInfo"]["version"]
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def send(self, message: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def ask(self, method: str, **params: Any) -> bytes:
        assert self.process.stdout is not None
        self.number += 1
        self.send({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params})
        while line := self.process.stdout.readline():
            # A message with a method is a notification or a request of the server.
            if b'"method"' not in line[:200]:
                return line
        raise EOFError("the server ended")

    def end(self) -> None:
        self.process.kill()
        self.process.wait()


class Connection:
    """The server of the next call."""

    def __init__(self, command: list[str]) -> None:
        self.command = command
        self.server = Server(command)

    def restart(self) -> None:
        self.server.end()
        self.server = Server(self.command)
        self.call({"path": "source.py"})

    def call(self, arguments: dict[str, Any]) -> Any:
        given = dict(arguments)
        name = given.pop("tool", "read_text_file")
        return self.server.ask("tools/call", name=name, arguments=given)


def parsed(answer: bytes) -> Any:
    message = json.loads(answer)
    result = message.get("result", message)
    if isinstance(result, dict):
        result.pop("structuredContent", None)
        result.pop("_meta", None)
    return result


if __name__ == "__main__":
    connection = Connection(sys.argv[1:])
    serve(connection.server.version, connection.call, connection.restart, parsed)
