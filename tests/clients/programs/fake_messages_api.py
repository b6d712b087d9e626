"""A local server in place of Anthropic's Messages API, whose model makes calls of a tool turn by turn.

Programs run in their client's environment, so this uses the standard library only.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any


class FakeModel:
    """A model that has decided on its calls.

    Args:
        tool: The name of the tool to call; requests without this tool are answered with a short text.
        turns: The calls of each turn: arguments by the id of the call. After the last turn, it says "done".
    """

    def __init__(self, tool: str, turns: list[Mapping[str, Any]]) -> None:
        self._tool = tool
        self._turns = turns
        self.tools: dict[str, dict[str, Any]] = {}
        """The definitions of the tools in the newest request, by name."""
        self.results: dict[str, dict[str, Any]] = {}
        """The blocks of type `tool_result` that the model has received, by the id of the call."""

    def answer(self, request: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Return the content blocks of the reply to a request."""
        tools = {each["name"]: each for each in request.get("tools") or [] if "name" in each}
        # A thread is continued with the new messages only.
        if (request.get("thread") or {}).get("type") != "continue":
            if self._tool not in tools:
                return [{"type": "text", "text": "done"}]
            self.tools = tools
        messages = [each for each in request["messages"] if isinstance(each["content"], list)]
        blocks = [block for message in messages for block in message["content"]]
        self.results |= {each["tool_use_id"]: each for each in blocks if each["type"] == "tool_result"}
        for turn in self._turns:
            if not self.results.keys() >= turn.keys():
                return [
                    {"type": "tool_use", "id": call, "name": self._tool, "input": arguments}
                    for call, arguments in turn.items()
                ]
        return [{"type": "text", "text": "done"}]


def message(request: Mapping[str, Any], content: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the body of a reply that is not streamed."""
    stop = "tool_use" if content[0]["type"] == "tool_use" else "end_turn"
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": request.get("model"),
        "content": content,
        "stop_reason": stop,
        "stop_sequence": None,
        "usage": {"input_tokens": 1, "output_tokens": 1},
    }


@contextmanager
def serving(model: FakeModel) -> Iterator[str]:
    """Serve a model on a free port of this machine; yield the base URL."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: object) -> None:
            pass

        def do_GET(self) -> None:
            self._send(b"{}", "application/json")

        do_HEAD = do_GET  # noqa: N815 - http.server's name

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length") or 0))
            path = self.path.partition("?")[0]
            if path != "/v1/messages":
                self._send(b'{"input_tokens": 1}', "application/json")
                return
            request = json.loads(body)
            reply = message(request, model.answer(request))
            if request.get("stream"):
                self._send(_streamed(reply), "text/event-stream")
            else:
                self._send(json.dumps(reply).encode(), "application/json")

        def _send(self, body: bytes, media_type: str) -> None:
            self.send_response(200)
            self.send_header("content-type", media_type)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(body)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _streamed(reply: dict[str, Any]) -> bytes:
    """Return a reply as server-sent events."""
    events: list[dict[str, Any]] = [
        {"type": "message_start", "message": {**reply, "content": [], "stop_reason": None}}
    ]
    for index, block in enumerate(reply["content"]):
        if block["type"] == "tool_use":
            start = {**block, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        else:
            start = {**block, "text": ""}
            delta = {"type": "text_delta", "text": block["text"]}
        events += [
            {"type": "content_block_start", "index": index, "content_block": start},
            {"type": "content_block_delta", "index": index, "delta": delta},
            {"type": "content_block_stop", "index": index},
        ]
    stop = {"stop_reason": reply["stop_reason"], "stop_sequence": None}
    events += [
        {"type": "message_delta", "delta": stop, "usage": reply["usage"]},
        {"type": "message_stop"},
    ]
    return "".join(f"event: {each['type']}\ndata: {json.dumps(each)}\n\n" for each in events).encode()
