"""A host of MCP, the OpenAI Agents SDK, in which only the command of the filesystem server is replaced.

A scripted model makes the same calls with both servers, and what it is shown must be equal.
`make integrations` installs the reference server if there is npm.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from agents import Agent, RunConfig, Runner
from agents.mcp import MCPServerStdio, MCPServerStdioParams
from agents.testing import ScriptedModel, assistant_message, function_call

from samples import Samples, content_bytes

Call: TypeAlias = tuple[str, dict[str, Any]]
"""The name of a tool, and its arguments."""

ROOT = Path(__file__).parents[3]
PROGRAM = ROOT / ".venv" / "bin" / "anyread"
PACKAGES = ROOT / "target" / "conformance" / "server-filesystem" / "node_modules"
REFERENCE = PACKAGES / "@modelcontextprotocol" / "server-filesystem" / "dist" / "index.js"
QUIET = RunConfig(tracing_disabled=True)
TEXTS = {
    "empty.txt": b"",
    "crlf.txt": b"one\r\ntwo\r\n\r\nfour",
    "broken.txt": b"before\n\xff\xfe\nafter\n",
    "long.txt": b"".join(b"line %d\n" % number for number in range(1, 3_001)),
    "unicode.txt": "Grüße, 世界 😀\n".encode(),
}


def calls_in(directory: Path) -> list[Call]:
    """Return the calls of the model: text, its beginning and end, media, several files, and errors."""
    texts = [("read_text_file", {"path": str(directory / name)}) for name in (*TEXTS, "poem.txt")]
    long = str(directory / "long.txt")
    media = [("read_media_file", {"path": str(directory / name)}) for name in ("chart.png", "photo.jpg")]
    names = ("poem.txt", "missing.txt", "unicode.txt")
    return [
        *texts,
        ("read_text_file", {"path": long, "head": 3}),
        ("read_text_file", {"path": long, "tail": 3}),
        ("read_text_file", {"path": str(directory / "crlf.txt"), "tail": 3}),
        ("read_text_file", {"path": long, "head": 1, "tail": 1}),
        *media,
        ("read_multiple_files", {"paths": [str(directory / name) for name in names]}),
        ("read_text_file", {"path": str(directory / "no" / "such.txt")}),
        ("read_text_file", {"path": "/etc/hostname"}),
    ]


@pytest.fixture
def directory(files: Samples) -> Path:
    for name, data in TEXTS.items():
        (files.directory / name).write_bytes(data)
    return files.directory.resolve()


async def shown(command: str, arguments: list[str], calls: list[Call]) -> list[Any]:
    """Run an agent with a server for the files, and return what its model is shown."""
    turn = [function_call(name, given, call_id=f"{n}") for n, (name, given) in enumerate(calls)]
    model = ScriptedModel([turn, [assistant_message("done")]])
    params = MCPServerStdioParams(command=command, args=arguments, env=dict(os.environ))
    async with MCPServerStdio(params=params, client_session_timeout_seconds=60) as server:
        agent = Agent(name="reader", model=model, mcp_servers=[server])
        result = await Runner.run(agent, "go", run_config=QUIET)
    assert result.final_output == "done"
    items = [item for item in model.calls[-1].input if item.get("type") == "function_call_output"]
    assert [item["call_id"] for item in items] == [f"{number}" for number in range(len(calls))]
    return [item["output"] for item in items]


async def shown_by_anyread(directory: Path, calls: list[Call]) -> list[Any]:
    arguments = ["mcp", "--root", str(directory), "--tool", "mcp-filesystem"]
    return await shown(str(PROGRAM), arguments, calls)


@pytest.mark.skipif(not REFERENCE.exists(), reason="the reference server needs npm")
async def test_only_the_command_of_the_server_is_replaced(directory: Path) -> None:
    calls = calls_in(directory)
    theirs = await shown("node", [str(REFERENCE), str(directory)], calls)
    ours = await shown_by_anyread(directory, calls)
    for call, expected, answer in zip(calls, theirs, ours, strict=True):
        # The APIs of models refuse an empty text.
        is_empty = call[1].get("path", "").endswith("empty.txt")
        assert answer == (text("[empty file]") if is_empty else expected), call


def text(words: str) -> list[dict[str, str]]:
    return [{"type": "input_text", "text": words}]


async def test_answers_are_those_of_the_contract(directory: Path) -> None:
    long = str(directory / "long.txt")
    calls: list[Call] = [
        ("read_text_file", {"path": long, "head": 2}),
        ("read_text_file", {"path": long, "tail": 2}),
        ("read_media_file", {"path": str(directory / "chart.png")}),
        ("read_text_file", {"path": "/etc/hostname"}),
    ]
    head, tail, image, outside = await shown_by_anyread(directory, calls)
    assert head == text("line 1\nline 2")
    assert tail == text("line 3000\n")
    assert content_bytes(image[0]["image_url"]) == (directory / "chart.png").read_bytes()
    refusal = "Access denied - path outside allowed directories: /etc/hostname not in"
    assert outside[0]["text"].startswith(refusal)
