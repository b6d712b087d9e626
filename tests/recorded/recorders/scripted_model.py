"""A model that makes given calls, for agents that speak Chat Completions or the Messages API.

with ScriptedModel("Read", calls) as model:
    subprocess.run(["agent", …], env={"OPENAI_BASE_URL": f"{model.url}/v1"})
model.answers[0]  # the tool result of the first call
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterable, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

CALLS_PER_TURN = 12
_USAGE = {"prompt_tokens": 9, "completion_tokens": 9, "total_tokens": 18}
_STREAM = "text/event-stream"


class ScriptedModel:
    """A server on this machine that requests the calls of one tool in order, and then says "done"."""

    def __init__(self, tool: str, calls: Sequence[Any]) -> None:
        self.tool, self.calls, self.made = tool, calls, 0
        self.answers: dict[int, Any] = {}
        """What the agent returned for each call, by its number from 0."""

    def __enter__(self) -> Self:
        model = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_: object) -> None:
                """Print nothing."""

            def do_GET(self) -> None:
                self.reply("application/json", json.dumps({"object": "list", "data": [{"id": "m"}]}))

            def do_POST(self) -> None:
                request = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))) or b"{}")
                self.reply(*(model.message if "/messages" in self.path else model.completion)(request))

            def reply(self, media_type: str, text: str) -> None:
                body = text.encode()
                self.send_response(200)
                self.send_header("content-type", media_type)
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.server.shutdown()
        self.server.server_close()

    def next_calls(self, tools: Iterable[Any]) -> list[tuple[int, Any]]:
        """Return the next calls with their numbers; a request without the tool gets none."""
        if self.tool not in [tool.get("function", tool).get("name") for tool in tools]:
            return []
        made = list(enumerate(self.calls))[self.made : self.made + CALLS_PER_TURN]
        self.made += len(made)
        return made

    def completion(self, request: Any) -> tuple[str, str]:
        """Answer a request of Chat Completions."""
        for message in request.get("messages") or ():
            name = str(message.get("tool_call_id", ""))
            if message.get("role") == "tool" and name.startswith("call_s"):
                self.answers.setdefault(int(name[6:]), message.get("content"))
        calls = [
            {
                "index": index,
                "id": f"call_s{number}",
                "type": "function",
                "function": {"name": self.tool, "arguments": json.dumps(arguments)},
            }
            for index, (number, arguments) in enumerate(self.next_calls(request.get("tools") or ()))
        ]
        end = "tool_calls" if calls else "stop"
        message = {"role": "assistant", **({"tool_calls": calls} if calls else {"content": "done"})}
        base = {"id": "x", "created": 1, "model": request.get("model", "m")}
        if not request.get("stream"):
            choice = {"index": 0, "message": {"content": None, **message}, "finish_reason": end}
            answer = {**base, "object": "chat.completion", "usage": _USAGE, "choices": [choice]}
            return "application/json", json.dumps(answer)
        base["object"] = "chat.completion.chunk"
        chunks = [
            {**base, "choices": [{"index": 0, "delta": message, "finish_reason": None}]},
            {**base, "usage": _USAGE, "choices": [{"index": 0, "delta": {}, "finish_reason": end}]},
        ]
        return _STREAM, "".join(f"data: {each}\n\n" for each in [*map(json.dumps, chunks), "[DONE]"])

    def message(self, request: Any) -> tuple[str, str]:
        """Answer a request of the Messages API."""
        for message in request.get("messages") or ():
            for block in message["content"] if isinstance(message["content"], list) else ():
                if str(block.get("tool_use_id")).startswith("toolu_s"):
                    number = int(block["tool_use_id"][7:])
                    self.answers.setdefault(
                        number, {"content": block.get("content"), "is_error": block.get("is_error")}
                    )
        blocks: list[dict[str, Any]] = [
            {"type": "tool_use", "id": f"toolu_s{number}", "name": self.tool, "input": arguments}
            for number, arguments in self.next_calls(request.get("tools") or ())
        ]
        end = "tool_use" if blocks else "end_turn"
        blocks = blocks or [{"type": "text", "text": "done"}]
        whole = {"id": "msg_1", "type": "message", "role": "assistant", "model": request.get("model", "m")}
        whole |= {"stop_sequence": None, "usage": {"input_tokens": 9, "output_tokens": 9}}
        if not request.get("stream"):
            return "application/json", json.dumps({**whole, "content": blocks, "stop_reason": end})
        events: list[tuple[str, dict[str, Any]]] = [
            ("message_start", {"message": {**whole, "content": [], "stop_reason": None}})
        ]
        for index, block in enumerate(blocks):
            start, delta = {**block, "text": ""}, {"type": "text_delta", "text": block.get("text")}
            if "input" in block:
                start = {**block, "input": {}}
                delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
            events += [
                ("content_block_start", {"index": index, "content_block": start}),
                ("content_block_delta", {"index": index, "delta": delta}),
                ("content_block_stop", {"index": index}),
            ]
        end_of_message = {"delta": {"stop_reason": end, "stop_sequence": None}, "usage": {"output_tokens": 9}}
        events += [("message_delta", end_of_message), ("message_stop", {})]
        lines = (f"event: {name}\ndata: {json.dumps({'type': name, **data})}\n\n" for name, data in events)
        return _STREAM, "".join(lines)
