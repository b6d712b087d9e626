"""Answers of the MCP filesystem server, for `record.py`; pass `dist/index.js` of the npm package."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any


class Server:
    """A server for one directory, asked over its standard input and output."""

    def __init__(self, program: str, directory: str) -> None:
        self.process = subprocess.Popen(
            ["node", program, directory],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            encoding="utf-8",
        )
        self.number = 0
        self.ask(
            "initialize",
            protocolVersion="2025-06-18",
            capabilities={},
            clientInfo={"name": "recorder", "version": "1"},
        )
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def send(self, message: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        print(json.dumps(message), file=self.process.stdin, flush=True)

    def ask(self, method: str, **params: Any) -> Any:
        assert self.process.stdout is not None
        self.number += 1
        self.send({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params})
        for line in self.process.stdout:
            message = json.loads(line)
            if message.get("id") == self.number:
                return message.get("result") or message
        raise SystemExit("the server ended")

    def call(self, name: str, arguments: dict[str, Any]) -> Any:
        result = self.ask("tools/call", name=name, arguments=arguments)
        text = str(result.get("content"))
        # The words of the SDK's schema check are not part of the contract.
        return {"$refused": True} if "Input validation error" in text else result


package = json.loads(Path(sys.argv[1]).parents[1].joinpath("package.json").read_text("utf-8"))
print(json.dumps({package["name"]: package["version"]}), flush=True)
for line in sys.stdin:
    request = json.loads(line)
    server = Server(sys.argv[1], request["directory"])
    pairs = zip(request["names"], request["calls"], strict=True)
    answers = [server.call(name or "read_text_file", arguments) for name, arguments in pairs]
    if not (request["settings"] or {}).get("structured_content"):
        # The rows without this setting do not have it.
        for answer in answers:
            answer.pop("structuredContent", None)
    print(json.dumps(answers), flush=True)
    server.process.terminate()
    server.process.wait()
