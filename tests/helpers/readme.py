"""The examples of README.md and the files that they read, and a fake model API for them to call.

Every ```` ```python ```` block runs in a directory with the files of `anyread demo`. A ```` ```text ````
block directly after it is the expected output; without one the block prints nothing. `...` matches any text
within a line. `make integrations` runs the blocks with the name of a framework, `test_wheel.py` all commands.
"""

from __future__ import annotations

import base64
import json
import re
import shlex
import subprocess
import sys
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

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text("utf-8")

_PYTHON = re.compile(
    r"^```python\n(?P<code>.*?)^```\n(?:\s*^```text\n(?P<output>.*?)^```\n)?", re.MULTILINE | re.DOTALL
)
_SHELL = re.compile(r"^```sh\n(.*?)^```\n", re.MULTILINE | re.DOTALL)

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
    """Return the Python blocks that need no framework but Anthropic's SDK."""
    return [
        Example(README.count("\n", 0, found.start()) + 1, found["code"], found["output"] or "")
        for found in _PYTHON.finditer(README)
    ]


def commands() -> list[list[str]]:
    """Return the words of each line of the shell."""
    lines = [line for block in _SHELL.findall(README) for line in block.splitlines()]
    return [shlex.split(line, comments=True) for line in lines]


def create_files(directory: Path, *command: str | Path) -> None:
    """Write the example files into a directory, by default with this checkout."""
    demo = [*(command or (sys.executable, "-m", "anyread")), "demo", "."]
    subprocess.run(demo, cwd=directory, check=True, stdout=subprocess.DEVNULL)


def matches(shown: str, expected: str) -> bool:
    """Return whether a text matches, where `...` in `expected` matches any text within a line."""
    pattern = "".join(".*" if part == "..." else re.escape(part) for part in re.split(r"(\.\.\.)", expected))
    return re.fullmatch(pattern, shown) is not None


def check(shown: str, expected: str) -> None:
    """Fail and show the difference unless a text matches."""
    assert matches(shown, expected) or shown == expected


# ------------------------------------------------------------------------------------------------------------
# The model


@contextmanager
def fake_apis() -> Iterator[dict[str, str]]:
    """Serve Anthropic's API; yield environment variables that direct the SDK to it."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Api)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    url = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        yield {
            "ANTHROPIC_API_KEY": "none",
            "ANTHROPIC_BASE_URL": url,
        }
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Api(BaseHTTPRequestHandler):
    """Anthropic's API, with a model that reads the chart and then describes it."""

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        assert self.path.partition("?")[0] == "/v1/messages"
        body = json.dumps(_message(request)).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments: object) -> None:
        """Log nothing."""


def _message(request: dict[str, Any]) -> dict[str, Any]:
    # The tool runner sends a turn that continues a conversation without the turns and tools before it.
    turn = request["messages"][-1]["content"]
    if isinstance(turn, str):
        name = request["tools"][0]["name"]
        content = {"type": "tool_use", "id": "toolu_1", "name": name, "input": {"path": "chart.png"}}
    else:
        (result,) = turn
        assert result["tool_use_id"] == "toolu_1"
        assert not result.get("is_error")
        text, image = result["content"]
        assert text["text"].startswith("[image: PNG 4,000×3,000")
        _check_image(image["source"]["data"])
        content = {"type": "text", "text": ANSWER}
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": request["model"],
        "content": [content],
        "stop_reason": "tool_use" if content["type"] == "tool_use" else "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 1, "output_tokens": 1},
    }


def _check_image(data: str) -> None:
    image = Image.open(BytesIO(base64.b64decode(data)))
    image.load()
    assert (image.format, image.size) == ("PNG", (2_000, 1_500))
