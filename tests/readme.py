"""What README.md shows: its examples, and APIs that answer them as a model would.

Every ```` ```python ```` and ```` ```console ```` block is run, in a folder that has the files which the
block below "The files of the examples" makes. A ```` ```text ```` block right below a Python block is what
that prints; without one it prints nothing. In a console block the lines below a `$` command are what a
terminal would show. `...` stands for whatever differs from one machine to the next.
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

_FILES = "\n### The files of the examples\n"
_PYTHON = re.compile(
    r"^```python\n(?P<code>.*?)^```\n(?:\s*^```text\n(?P<output>.*?)^```\n)?", re.MULTILINE | re.DOTALL
)
_CONSOLE = re.compile(r"^```console\n(?P<session>.*?)^```\n", re.MULTILINE | re.DOTALL)
_COMMAND = re.compile(r"^\$ (?P<command>.*)\n(?P<output>(?:(?!\$ ).*\n)*)", re.MULTILINE)
_HOST = re.compile(r"^claude mcp add \S+ -- (?P<command>.*)$", re.MULTILINE)

ANSWER = "A dark blue line that goes up and down on white."


@dataclass(frozen=True)
class Example:
    """Something to run, and what it prints."""

    line: int
    code: str
    output: str

    def __str__(self) -> str:
        return f"line-{self.line}"


def python_examples() -> list[Example]:
    """Give the Python blocks, that which makes the files left out."""
    return [example for example in _python_blocks() if example.code != files_example().code]


def files_example() -> Example:
    """Give the block that makes the files."""
    place = README.index(_FILES)
    return next(each for each in _python_blocks() if each.line > README.count("\n", 0, place))


def commands() -> list[Example]:
    """Give the commands of the console blocks, one by one."""
    return [
        Example(_line_of(session.start("session") + found.start()), found["command"], found["output"])
        for session in _CONSOLE.finditer(README)
        for found in _COMMAND.finditer(session["session"])
    ]


def command_of_host() -> str:
    """Give the command that the editor's line adds."""
    (found,) = _HOST.finditer(README)
    return found["command"]


def unseen_blocks() -> int:
    """Count the blocks that look like examples and are none."""
    fences = re.findall(r"^```(?:python|console)", README, re.MULTILINE)
    return len(fences) - len(_python_blocks()) - len(_CONSOLE.findall(README))


def matches(shown: str, expected: str) -> bool:
    """Tell whether a text is what is expected, where `...` in a line is any text."""
    pattern = "".join(".*" if part == "..." else re.escape(part) for part in re.split(r"(\.\.\.)", expected))
    return re.fullmatch(pattern, shown) is not None


def check(shown: str, expected: str) -> None:
    """Fail unless a text is what is expected, and show the difference."""
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
    """Serve the APIs of two providers on this machine; give the environment that leads their SDKs here."""
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
    """A model that asks for the chart, and says what it sees once it has it."""

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
        """Keep quiet."""


def _message(request: dict[str, Any]) -> dict[str, Any]:
    call = {"type": "tool_use", "id": "toolu_1", "name": request["tools"][0]["name"]}
    content: list[dict[str, Any]] = [{**call, "input": {"path": "chart.png"}}]
    if len(request["messages"]) > 1:
        _, asked, answered = request["messages"]
        assert asked["content"][0]["id"] == answered["content"][0]["tool_use_id"] == "toolu_1"
        assert "is_error" not in answered["content"][0]
        text, picture = answered["content"][0]["content"]
        assert text["text"].startswith("[image: PNG 4,000×3,000")
        _look(picture["source"]["data"])
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
    # Where nothing is said the API makes every argument of the schema required.
    assert request["tools"][0]["strict"] is False
    name, arguments = request["tools"][0]["name"], json.dumps({"path": "chart.png"})
    call = {"type": "function_call", "id": "fc_1", "call_id": "call_1", "status": "completed"}
    output: list[dict[str, Any]] = [{**call, "name": name, "arguments": arguments}]
    if len(request["input"]) > 1:
        _, asked, answered = request["input"]
        assert asked["call_id"] == answered["call_id"] == "call_1"
        _look(answered["output"][1]["image_url"].partition(",")[2])
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


def _look(data: str) -> None:
    picture = Image.open(BytesIO(base64.b64decode(data)))
    picture.load()
    assert (picture.format, max(picture.size)) == ("PNG", 1568) or max(picture.size) <= 2_576
