"""The loop of `create_deep_agent` with anyread in place of its backend or its read tool, and no other change.

A scripted model makes the same calls in both loops, and what it is shown must be equal.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from deepagents import create_deep_agent
from deepagents.backends import FilesystemBackend
from langchain_core.messages import HumanMessage, ToolMessage

import anyread
from anyread.integrations.deepagents import AnyreadBackend
from anyread.integrations.deepagents import tool as langchain_tool
from langchain_fakes import FakeModel
from samples import Samples

TEXTS = {
    "empty.txt": b"",
    "blank.txt": b" \n\t\n",
    "crlf.txt": b"one\r\ntwo\r\n\r\nfour",
    "separators.txt": "page\fbreak\vline\u2028next\x85last\n".encode(),
    "marked.txt": b"\xef\xbb\xbfwith a mark\n",
    "long.txt": b"".join(b"line %d\n" % number for number in range(1, 3_001)),
    "wide.txt": b"".join(b"%d %s\n" % (number, b"x" * 1_000) for number in range(200)),
    "one-line.txt": b"y" * 90_000,
    "sub/unicode.txt": "Grüße, 世界 😀\n".encode(),
}
CALLS: list[dict[str, Any]] = [
    *({"file_path": f"/{name}"} for name in (*TEXTS, "poem.txt", "chart.png", "photo.jpg", "report.pdf")),
    {"file_path": "/long.txt", "offset": 1_500, "limit": 3},
    {"file_path": "/long.txt", "offset": 2_999, "limit": 10},
    {"file_path": "/long.txt", "offset": 3_000},
    {"file_path": "/long.txt", "offset": -5, "limit": 2},
    {"file_path": "/long.txt", "limit": 0},
    {"file_path": "/separators.txt", "offset": 2, "limit": 2},
    {"file_path": "sub/unicode.txt"},
    {"file_path": "/long.txt", "offset": "7", "limit": "1"},
]
EMPTY = {"/empty.txt", "/blank.txt"}


@pytest.fixture
def directory(files: Samples) -> Path:
    (files.directory / "sub").mkdir()
    for name, data in TEXTS.items():
        (files.directory / name).write_bytes(data)
    return files.directory


def shown(backend: FilesystemBackend, *tools: Any) -> list[ToolMessage]:
    """Run a deep agent whose model makes the calls, and return what the model is shown."""
    model = FakeModel("read_file", *CALLS)
    agent = create_deep_agent(model=model, backend=backend, tools=list(tools))
    state = agent.invoke({"messages": [HumanMessage("go")]})
    assert state["messages"][-1].text == "done"
    return model.shown


def check(ours: ToolMessage, theirs: ToolMessage, call: dict[str, Any], header: str = "") -> None:
    """Check that a message has all that the framework's own has; a string counts as one block."""
    assert (ours.name, ours.status, len(ours.content_blocks)) == (theirs.name, theirs.status, 1), call
    [block], [expected] = ours.content_blocks, theirs.content_blocks
    if expected["type"] == "text":
        assert ours.text == theirs.text.removeprefix(header), call
    else:
        assert dict(expected).items() <= dict(block).items(), call


def test_backend_in_place_of_the_frameworks_own(directory: Path) -> None:
    ours = shown(AnyreadBackend(directory, virtual_mode=True))
    theirs = shown(FilesystemBackend(directory, virtual_mode=True))
    for answer, expected, call in zip(ours, theirs, CALLS, strict=True):
        # The framework's backend numbers the reminder about an empty file as if it were a line of it.
        check(answer, expected, call, "@@ lines 1-1 @@\n" if call["file_path"] in EMPTY else "")


def test_tool_in_place_of_the_frameworks_own(directory: Path) -> None:
    backend = FilesystemBackend(directory, virtual_mode=True)
    ours = shown(backend, langchain_tool(anyread.tool("deepagents", cwd=directory)))
    for answer, expected, call in zip(ours, shown(backend), CALLS, strict=True):
        check(answer, expected, call)
