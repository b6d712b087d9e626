"""A server with the APIs of five providers, whose models follow a script.

In each conversation the model reads the end of a log, misspells the name of an image, reads the image, and
answers with what it was sent. A request that the script does not expect is answered with an error.
"""

from __future__ import annotations

import base64
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO
from typing import Any

from PIL import Image

CALLS: tuple[dict[str, Any], ...] = (
    {"path": "server.log", "offset": -2},
    {"path": "chart.gif"},
    {"path": "chart.png"},
)
"""The arguments of the model's calls."""


@dataclass(frozen=True)
class Answer:
    """What a model was sent for one of its calls."""

    text: str
    images: tuple[str, ...]
    """Images in base64."""
    failed: bool


@contextmanager
def scripted_models() -> Iterator[dict[str, str]]:
    """Serve the APIs; yield environment variables that direct the SDKs to them."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Api)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    url = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        yield {
            "ANTHROPIC_API_KEY": "none",
            "ANTHROPIC_BASE_URL": url,
            "AWS_ACCESS_KEY_ID": "none",
            "AWS_SECRET_ACCESS_KEY": "none",
            "AWS_DEFAULT_REGION": "us-east-1",
            "AWS_ENDPOINT_URL": url,
            "GEMINI_API_KEY": "none",
            "GOOGLE_GEMINI_BASE_URL": url,
            "OPENAI_API_KEY": "none",
            "OPENAI_BASE_URL": f"{url}/v1",
        }
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def conclusion(answers: list[Answer]) -> str:
    """Check what a model was sent, and return its last words.

    Raises:
        AssertionError: An answer is not what the script expects.
    """
    log, missing, image = answers
    assert not log.failed
    lines = log.text.splitlines()
    assert lines[0].split("\t")[1].startswith("INFO request 999 "), log
    assert missing.failed
    assert missing.text.endswith("`chart.gif` does not exist\nhint: read `chart.png`"), missing
    assert not image.failed
    assert "[image: PNG 4,000×3,000" in image.text, image
    (data,) = image.images
    decoded = Image.open(BytesIO(base64.b64decode(data)))
    decoded.load()
    return f"{lines[1].split(chr(9))[1]}; the chart has {decoded.width}×{decoded.height} pixels"


class _Api(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        api = next(api for part, api in APIS.items() if part in self.path)
        try:
            status, reply = 200, api(json.loads(body))
        except Exception as error:  # noqa: BLE001 - shown by the SDK as the server's error
            status, reply = 400, {"message": repr(error), "error": {"message": repr(error)}}
        data = json.dumps(reply).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *arguments: object) -> None:
        """Log nothing."""


def _anthropic(request: dict[str, Any]) -> dict[str, Any]:
    (tool,) = request["tools"]
    answers: list[Answer] = []
    for message in request["messages"][2::2]:
        (result,) = message["content"]
        assert result["type"] == "tool_result"
        assert result["tool_use_id"] == f"toolu_{len(answers)}"
        texts = [part["text"] for part in result["content"] if part["type"] == "text"]
        images = [part["source"]["data"] for part in result["content"] if part["type"] == "image"]
        answers.append(Answer("\n".join(texts), tuple(images), result.get("is_error", False)))
    turn = len(answers)
    if turn < len(CALLS):
        call = {"type": "tool_use", "id": f"toolu_{turn}", "name": tool["name"], "input": CALLS[turn]}
        content, stopped = [call], "tool_use"
    else:
        content, stopped = [{"type": "text", "text": conclusion(answers)}], "end_turn"
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": request["model"],
        "content": content,
        "stop_reason": stopped,
        "stop_sequence": None,
        "usage": {"input_tokens": 1, "output_tokens": 1},
    }


def _responses(request: dict[str, Any]) -> dict[str, Any]:
    (tool,) = request["tools"]
    answers: list[Answer] = []
    for item in request["input"]:
        if item.get("type") == "function_call_output":
            assert item["call_id"] == f"call_{len(answers)}"
            parts = item["output"]
            if isinstance(parts, str):
                parts = [{"type": "input_text", "text": parts}]
            texts = [part["text"] for part in parts if part["type"] == "input_text"]
            images = [_data(part["image_url"]) for part in parts if part["type"] == "input_image"]
            text = "\n".join(texts)
            answers.append(Answer(text.removeprefix("error: "), tuple(images), text.startswith("error: ")))
    turn = len(answers)
    output: dict[str, Any]
    if turn < len(CALLS):
        output = {
            "type": "function_call",
            "id": f"fc_{turn}",
            "call_id": f"call_{turn}",
            "status": "completed",
            "name": tool["name"],
            "arguments": json.dumps(CALLS[turn]),
        }
    else:
        said = {"type": "output_text", "text": conclusion(answers), "annotations": []}
        output = {
            "type": "message",
            "id": "msg_1",
            "role": "assistant",
            "status": "completed",
            "content": [said],
        }
    return {
        "id": "resp_1",
        "object": "response",
        "created_at": 0,
        "model": request["model"],
        "status": "completed",
        "output": [output],
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
    }


def _chat(request: dict[str, Any]) -> dict[str, Any]:
    (tool,) = request["tools"]
    answers: list[Answer] = []
    for message in request["messages"][1:]:
        if message["role"] == "tool":
            assert message["tool_call_id"] == f"call_{len(answers)}"
            text = message["content"]
            answers.append(Answer(text.removeprefix("error: "), (), text.startswith("error: ")))
        elif message["role"] == "user":
            images = [part["image_url"]["url"] for part in message["content"] if part["type"] == "image_url"]
            last = answers[-1]
            answers[-1] = Answer(last.text, tuple(map(_data, images)), last.failed)
    turn = len(answers)
    said: dict[str, Any] = {"role": "assistant", "content": None}
    if turn < len(CALLS):
        function = {"name": tool["function"]["name"], "arguments": json.dumps(CALLS[turn])}
        said["tool_calls"] = [{"id": f"call_{turn}", "type": "function", "function": function}]
    else:
        said["content"] = conclusion(answers)
    return {
        "id": "chatcmpl_1",
        "object": "chat.completion",
        "created": 0,
        "model": request["model"],
        "choices": [{"index": 0, "finish_reason": "stop", "message": said}],
    }


def _gemini(request: dict[str, Any]) -> dict[str, Any]:
    (tool,) = request["tools"]
    (function,) = tool["functionDeclarations"]
    answers: list[Answer] = []
    for content in request["contents"][2::2]:
        (part,) = content["parts"]
        result = part["functionResponse"]
        assert result["id"] == f"call_{len(answers)}"
        failed = "error" in result["response"]
        # The API accepts both spellings, and the SDK sends the second.
        media = [part.get("inlineData") or part["inline_data"] for part in result.get("parts", ())]
        images = [each["data"] for each in media]
        text = result["response"]["error" if failed else "output"]
        answers.append(Answer(text, tuple(map(_standard, images)), failed))
        signed = request["contents"][2 * len(answers) - 1]["parts"][0]
        assert signed["thoughtSignature"], "the model's own parts are sent back unchanged"
    turn = len(answers)
    said: dict[str, Any]
    if turn < len(CALLS):
        call = {"id": f"call_{turn}", "name": function["name"], "args": CALLS[turn]}
        said = {"functionCall": call, "thoughtSignature": base64.b64encode(b"thought").decode()}
    else:
        said = {"text": conclusion(answers)}
    return {"candidates": [{"content": {"role": "model", "parts": [said]}, "finishReason": "STOP"}]}


def _bedrock(request: dict[str, Any]) -> dict[str, Any]:
    (tool,) = request["toolConfig"]["tools"]
    answers: list[Answer] = []
    for message in request["messages"][2::2]:
        (part,) = message["content"]
        result = part["toolResult"]
        assert result["toolUseId"] == f"tooluse_{len(answers)}"
        texts = [each["text"] for each in result["content"] if "text" in each]
        images = [each["image"]["source"]["bytes"] for each in result["content"] if "image" in each]
        answers.append(Answer("\n".join(texts), tuple(images), result.get("status") == "error"))
    turn = len(answers)
    said: dict[str, Any]
    if turn < len(CALLS):
        name = tool["toolSpec"]["name"]
        said = {"toolUse": {"toolUseId": f"tooluse_{turn}", "name": name, "input": CALLS[turn]}}
    else:
        said = {"text": conclusion(answers)}
    return {
        "output": {"message": {"role": "assistant", "content": [said]}},
        "stopReason": "tool_use" if "toolUse" in said else "end_turn",
        "usage": {"inputTokens": 1, "outputTokens": 1, "totalTokens": 2},
        "metrics": {"latencyMs": 1},
    }


def _data(url: str) -> str:
    head, _, data = url.partition(",")
    assert head.startswith("data:image/")
    return data


def _standard(data: str) -> str:
    """Return base64 with the standard alphabet; Google's SDK uses the one for addresses."""
    return data.replace("-", "+").replace("_", "/")


APIS: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "/v1/messages": _anthropic,
    "/v1/responses": _responses,
    "/v1/chat/completions": _chat,
    ":generateContent": _gemini,
    "/converse": _bedrock,
}
"""The API at each path."""
