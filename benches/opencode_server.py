"""A running opencode whose model is a program here, which asks for `read` and nothing else.

opencode has no command that calls a tool in a running process. Its server runs the tool when the model asks
for it, and stores when it began and ended, in milliseconds.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import tempfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.request import ProxyHandler, Request, build_opener

_CLOSED = "http://127.0.0.1:9"
_LOCAL = "127.0.0.1,localhost"
_OPENER = build_opener(ProxyHandler({}))


class OpencodeServer:
    """A server of opencode, without a network.

    Args:
        program: The program.
        directory: The directory of its project.
    """

    def __init__(self, program: str, directory: str) -> None:
        self.ns = 0
        """What the last call took by opencode's own clock, in nanoseconds."""
        self._model = _Model()
        self._home = tempfile.TemporaryDirectory()
        settings = Path(self._home.name) / ".config" / "opencode"
        settings.mkdir(parents=True)
        (settings / "opencode.json").write_text(json.dumps(self._model.settings()), "utf-8")
        self._process = subprocess.Popen(
            [program, "serve", "--pure", "--port", "0"],
            cwd=directory,
            env=_environment(self._home.name),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self._address = self._listening()

    def call(self, arguments: dict[str, Any]) -> Any:
        """Call the tool, and return its result or its error."""
        self._model.arguments = arguments
        session = self._request("/session", {})["id"]
        model = {"providerID": "local", "modelID": "local"}
        self._request(
            f"/session/{session}/message", {"parts": [{"type": "text", "text": "read"}], "model": model}
        )
        messages = self._request(f"/session/{session}/message")
        [state] = [
            part["state"] for message in messages for part in message["parts"] if part["type"] == "tool"
        ]
        self.ns = (state["time"]["end"] - state["time"]["start"]) * 1_000_000
        if state["status"] != "completed":
            return {"is_error": True, "error": state["error"]}
        answer = {name: state[name] for name in ("title", "output", "metadata")}
        if state.get("attachments"):
            answer["attachments"] = [
                {name: each[name] for name in ("type", "mime", "url")} for each in state["attachments"]
            ]
        return answer

    def close(self) -> None:
        """End the server."""
        self._process.kill()
        self._process.wait()
        self._model.server.shutdown()
        self._home.cleanup()

    def _listening(self) -> str:
        assert self._process.stdout is not None
        lines = []
        for line in self._process.stdout:
            lines.append(line)
            address = line.partition("listening on ")[2].strip()
            if address:
                return address
        raise RuntimeError(f"opencode did not start: {''.join(lines)}")

    def _request(self, path: str, body: dict[str, Any] | None = None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        request = Request(self._address + path, data, {"Content-Type": "application/json"})
        with _OPENER.open(request) as response:
            return json.load(response)


class _Model:
    """A model with the interface of OpenAI: it calls `read` when a user writes, and then ends the turn."""

    def __init__(self) -> None:
        self.arguments: dict[str, Any] = {}
        model = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                data = model.reply(request).encode()
                self.send_response(200)
                self.send_header("Content-Type", "text/event-stream")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                with contextlib.suppress(BrokenPipeError):
                    self.wfile.write(data)

            def log_message(self, *_arguments: object) -> None:
                """Print nothing."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def settings(self) -> dict[str, Any]:
        """Return the settings of opencode for this model, which may do anything without asking."""
        options = {"baseURL": f"http://127.0.0.1:{self.server.server_port}/v1", "apiKey": "none"}
        sees = {"input": ["text", "image", "pdf"], "output": ["text"]}
        provider = {
            "npm": "@ai-sdk/openai-compatible",
            "options": options,
            "models": {"local": {"name": "local", "tool_call": True, "attachment": True, "modalities": sees}},
        }
        names = {"model": "local/local", "small_model": "local/local"}
        permission = dict.fromkeys(("read", "external_directory", "doom_loop"), "allow")
        return {**names, "provider": {"local": provider}, "permission": permission, "autoupdate": False}

    def reply(self, request: dict[str, Any]) -> str:
        """Return the events of a reply."""
        delta: dict[str, Any] = {"role": "assistant", "content": "read"}
        # A title is requested without tools. The result of a call may be followed by an image from a user.
        is_answered = any(message["role"] == "tool" for message in request["messages"])
        if request.get("tools") and not is_answered:
            function = {"name": "read", "arguments": json.dumps(self.arguments)}
            call = {"index": 0, "id": "call", "type": "function", "function": function}
            delta = {"role": "assistant", "tool_calls": [call]}
        reason = "tool_calls" if "tool_calls" in delta else "stop"
        choices = [
            {"index": 0, "delta": delta, "finish_reason": None},
            {"index": 0, "delta": {}, "finish_reason": reason},
        ]
        chunk = {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "local"}
        events = [json.dumps({**chunk, "choices": [choice]}) for choice in choices]
        return "".join(f"data: {event}\n\n" for event in (*events, "[DONE]"))


def _environment(home: str) -> dict[str, str]:
    return {
        "PATH": os.environ["PATH"],
        "HOME": home,
        **{
            f"OPENCODE_DISABLE_{name}": "1"
            for name in ("MODELS_FETCH", "AUTOUPDATE", "LSP_DOWNLOAD", "DEFAULT_PLUGINS")
        },
        **dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"), _CLOSED),
        **dict.fromkeys(("NO_PROXY", "no_proxy"), _LOCAL),
    }
