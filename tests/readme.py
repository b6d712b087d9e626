"""The examples of README.md, and fake model APIs for them to call.

Every ```` ```python ```` and ```` ```console ```` block runs in a directory with the files that the block
below "Example files" creates. A ```` ```text ```` block directly after a Python block is the expected output;
without one the block prints nothing. In a console block the lines after a `$` command are its output.
`...` matches any text within a line.
"""

from __future__ import annotations

import base64
import json
import re
import threading
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PIL import Image

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text("utf-8")

_FILES = "\n## Example files\n"
_PYTHON = re.compile(
    r"^```python\n(?P<code>.*?)^```\n(?:\s*^```text\n(?P<output>.*?)^```\n)?", re.MULTILINE | re.DOTALL
)
_CONSOLE = re.compile(r"^```console\n(?P<session>.*?)^```\n", re.MULTILINE | re.DOTALL)
_COMMAND = re.compile(r"^\$ (?P<command>.*)\n(?P<output>(?:(?!\$ ).*\n)*)", re.MULTILINE)
_HOST = re.compile(r"^claude mcp add \S+ -- (?P<command>.*)$", re.MULTILINE)

ANSWER = "A dark blue line that goes up and down on white."


@dataclass(frozen=True)
class Example:
    """Code or a command to run, and its expected output."""

    line: int
    code: str
    output: str

    def __str__(self) -> str:
        return f"line-{self.line}"


def python_examples() -> list[Example]:
    """Return the Python blocks, except the one that creates the files."""
    return [example for example in _python_blocks() if example.code != files_example().code]


def files_example() -> Example:
    """Return the block that creates the files."""
    start = README.index(_FILES)
    return next(each for each in _python_blocks() if each.line > README.count("\n", 0, start))


def commands() -> list[Example]:
    """Return each command of the console blocks."""
    return [
        Example(_line_of(session.start("session") + found.start()), found["command"], found["output"])
        for session in _CONSOLE.finditer(README)
        for found in _COMMAND.finditer(session["session"])
    ]


def command_of_host() -> str:
    """Return the server command that the `claude mcp add` line configures."""
    (found,) = _HOST.finditer(README)
    return found["command"]


def unseen_blocks() -> int:
    """Count the fenced blocks that the patterns above do not match."""
    fences = re.findall(r"^```(?:python|console)", README, re.MULTILINE)
    return len(fences) - len(_python_blocks()) - len(_CONSOLE.findall(README))


def matches(shown: str, expected: str) -> bool:
    """Return whether a text matches, where `...` in `expected` matches any text within a line."""
    pattern = "".join(".*" if part == "..." else re.escape(part) for part in re.split(r"(\.\.\.)", expected))
    return re.fullmatch(pattern, shown) is not None


def check(shown: str, expected: str) -> None:
    """Fail and show the difference unless a text matches."""
    assert matches(shown, expected) or shown == expected


def _python_blocks() -> list[Example]:
    return [
        Example(_line_of(found.start()), found["code"], found["output"] or "")
        for found in _PYTHON.finditer(README)
    ]


def _line_of(position: int) -> int:
    return README.count("\n", 0, position) + 1


# ------------------------------------------------------------------------------------------------------------
# Models


@contextmanager
def fake_apis() -> Iterator[dict[str, str]]:
    """Serve fake APIs of two providers; yield environment variables that direct their SDKs to them."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Api)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    url = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        yield {
            "ANTHROPIC_API_KEY": "none",
            "ANTHROPIC_BASE_URL": url,
            "OPENAI_API_KEY": "none",
            "OPENAI_BASE_URL": f"{url}/v1",
        }
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Api(BaseHTTPRequestHandler):
    """A model that reads the chart, then describes it."""

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        answer = {"/v1/messages": _message, "/v1/responses": _response}[self.path](request)
        body = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments: object) -> None:
        """Log nothing."""


def _message(request: dict[str, Any]) -> dict[str, Any]:
    call = {"type": "tool_use", "id": "toolu_1", "name": request["tools"][0]["name"]}
    content: list[dict[str, Any]] = [{**call, "input": {"path": "chart.png"}}]
    if len(request["messages"]) > 1:
        _, calling, answering = request["messages"]
        assert calling["content"][0]["id"] == answering["content"][0]["tool_use_id"] == "toolu_1"
        assert "is_error" not in answering["content"][0]
        text, image = answering["content"][0]["content"]
        assert text["text"].startswith("[image: PNG 4,000×3,000")
        _check_image(image["source"]["data"])
        content = [{"type": "text", "text": ANSWER}]
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": request["model"],
        "content": content,
        "stop_reason": "tool_use" if content[0]["type"] == "tool_use" else "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 1, "output_tokens": 1},
    }


def _response(request: dict[str, Any]) -> dict[str, Any]:
    # By default the API makes every argument of the schema required.
    assert request["tools"][0]["strict"] is False
    name, arguments = request["tools"][0]["name"], json.dumps({"path": "chart.png"})
    call = {"type": "function_call", "id": "fc_1", "call_id": "call_1", "status": "completed"}
    output: list[dict[str, Any]] = [{**call, "name": name, "arguments": arguments}]
    if len(request["input"]) > 1:
        _, calling, answering = request["input"]
        assert calling["call_id"] == answering["call_id"] == "call_1"
        _check_image(answering["output"][1]["image_url"].partition(",")[2])
        text = {"type": "output_text", "text": ANSWER, "annotations": []}
        message = {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed"}
        output = [{**message, "content": [text]}]
    return {
        "id": "resp_1",
        "object": "response",
        "created_at": 0,
        "model": request["model"],
        "status": "completed",
        "output": output,
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
    }


def _check_image(data: str) -> None:
    image = Image.open(BytesIO(base64.b64decode(data)))
    image.load()
    assert (image.format, max(image.size)) == ("PNG", 1568) or max(image.size) <= 2_576
