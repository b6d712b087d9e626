"""The three ways to call a reader, with anyread itself and with programs that misbehave."""

from __future__ import annotations

import shlex
import sys
import textwrap
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from anyread_conformance import (
    Allowed,
    CommandReader,
    ForeignReader,
    FunctionReader,
    McpReader,
    ReaderStartError,
    UnusableReaderError,
    all_rules,
    check,
)

FEW = [
    "crlf",
    "separators",
    "window",
    "offset-past-end",
    "appended",
    "utf-16-le",
    "names",
    "fifo",
    "png",
    "many-lines",
]
ANYREAD = [sys.executable, "-m", "anyread"]
FUNCTIONS = """
import asyncio, dataclasses, os, sys, time, anyread
tool = anyread.tool("anyread")

async def good(path, offset=1, limit=None):
    return await tool.call({"path": path, "offset": offset, "limit": limit})

def lines(path):
    with open(path, newline="") as file:
        return file.read().split("\\n")

def from_zero(path, start=0, stop=None):
    return "\\n".join(lines(path)[start:stop])

@dataclasses.dataclass
class Page:
    content: bytes

def dataclass(path):
    print("noise on standard output")
    return Page(open(path, "rb").read())

def exits(path):
    return os._exit(3) if "sample" not in path or os.path.getsize(path) < 500 else open(path).read()

def hangs(path):
    while os.path.getsize(path) < 500: time.sleep(60)
    return open(path).read()

def grows(path):
    kept = []
    while os.path.getsize(path) < 500: kept.append(bytearray(b"x" * 10_000_000))
    return open(path).read()

def raises(path):
    raise ValueError("it reads nothing")

def no_path(name):
    return open(name).read()
"""
SERVER = """
import json, sys
for line in sys.stdin:
    request = json.loads(line)
    answer = {"jsonrpc": "2.0", "id": request.get("id")}
    if "id" not in request or "method" not in request:
        continue
    print("a log line")
    print(json.dumps({"jsonrpc": "2.0", "id": 99, "method": "roots/list"}))
    if request["method"] == "tools/list":
        schema = {"properties": {"file_path": {}, "mode": {}}}
        answer["result"] = {"tools": [{"name": "view", "inputSchema": schema}, {"name": "other"}]}
    elif request["method"] == "tools/call":
        arguments = request["params"]["arguments"]
        with open(arguments["file_path"]) as file:
            text = file.read()
        if len(text) < 500: sys.exit(1)
        if arguments["mode"] == "error": answer["error"] = {"code": 1, "message": "refused"}
        else: answer["result"] = {"content": [{"type": "text", "text": text}]}
    else:
        answer["result"] = {"protocolVersion": "2025-06-18", "capabilities": {}, "serverInfo": {}}
    print(json.dumps(answer), flush=True)
"""


@pytest.fixture
def functions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make the module `under_test` importable."""
    (tmp_path / "under_test.py").write_text(textwrap.dedent(FUNCTIONS), "utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def server(tmp_path: Path) -> str:
    """Return the command of an MCP server that logs to standard output and sends requests."""
    path = tmp_path / "server.py"
    path.write_text(SERVER, "utf-8")
    return shlex.join([sys.executable, str(path)])


def as_command() -> ForeignReader:
    return CommandReader(shlex.join(ANYREAD) + " read {path} --offset {offset} --limit {limit} --color never")


def as_server() -> ForeignReader:
    return McpReader(shlex.join([*ANYREAD, "mcp", "--root", "/"]))


def as_function() -> ForeignReader:
    return FunctionReader("under_test:good")


WAYS = pytest.mark.parametrize("way", [as_command, as_server, as_function])


def verdicts(reader: ForeignReader, *rules: str, allowed: Allowed | None = None) -> Iterator[tuple[str, str]]:
    with closing(reader):
        for finding in check(reader, rules, allowed):
            yield finding.verdict, finding.why


@WAYS
@pytest.mark.slow
@pytest.mark.usefixtures("functions")
def test_anyread_keeps_rules_however_it_is_called(way: Callable[[], ForeignReader]) -> None:
    rules = FEW if way is not as_command else FEW[:3]
    assert set(verdicts(way(), *rules)) == {("passed", "")}


@WAYS
@pytest.mark.torture
@pytest.mark.usefixtures("functions")
def test_anyread_keeps_all_rules_however_it_is_called(way: Callable[[], ForeignReader]) -> None:
    found = list(verdicts(way()))
    assert len(found) == len(all_rules())
    assert [why for verdict, why in found if verdict == "failed"] == []


@pytest.mark.usefixtures("functions")
def test_offsets_from_zero_and_exclusive_ends_are_recognized() -> None:
    reader = FunctionReader("under_test:from_zero", {"path": "path", "offset": "start", "end": "stop"})
    assert list(verdicts(reader, "window", "tiles")) == [("passed", "")] * 2


@pytest.mark.usefixtures("functions")
@pytest.mark.parametrize(
    ("name", "why"),
    [("exits", "the reader crashed"), ("hangs", "no answer within 1 s"), ("grows", "too much memory")],
)
def test_function_that_never_answers_fails_and_is_started_again(name: str, why: str) -> None:
    allowed = Allowed(read_s=1, process_bytes=200_000_000)
    found = list(verdicts(FunctionReader(f"under_test:{name}"), "lf", "crlf", "utf-8-bom", allowed=allowed))
    assert [verdict for verdict, _ in found] == ["failed"] * 3
    assert all(why in words for _, words in found)


@pytest.mark.parametrize(
    ("otherwise", "why"),
    [
        ("cat /dev/zero", "did not stop"),
        ("sleep 60", "no answer within 1 s"),
        ("kill -9 $$", "crashed: signal 9"),
        ("exit 3", "the reader refused"),
    ],
)
def test_command_that_misbehaves_fails(otherwise: str, why: str) -> None:
    script = f'cat "$0"; test $(wc -l < "$0") = 60 || {otherwise}'
    allowed = Allowed(read_s=1 if "sleep" in otherwise else 60)
    [(verdict, words)] = verdicts(
        CommandReader(f"sh -c {shlex.quote(script)} {{path}}"), "lf", allowed=allowed
    )
    assert verdict == "failed"
    assert why in words


@pytest.mark.parametrize("command", ["cat", "cat {file}", "cat {path} {range}"])
def test_wrong_placeholders_are_refused(command: str) -> None:
    with pytest.raises(ReaderStartError, match="the command needs"):
        CommandReader(command)


def test_server_may_log_and_send_requests(server: str) -> None:
    reader = McpReader(server, constants={"mode": "text"})
    assert reader.parameters == {"path"}
    assert list(verdicts(reader, "lf", "line-numbers")) == [
        ("failed", "the reader crashed: without a message"),
        ("not applicable", "the reader shows no line numbers"),
    ]


def test_reader_that_refuses_a_plain_file_cannot_be_checked(server: str) -> None:
    with pytest.raises(UnusableReaderError, match="refused"):
        list(verdicts(McpReader(server, constants={"mode": "error"})))


@pytest.mark.usefixtures("functions")
def test_function_that_raises_cannot_be_checked() -> None:
    with pytest.raises(UnusableReaderError, match="ValueError: it reads nothing"):
        list(verdicts(FunctionReader("under_test:raises")))


def test_reader_that_does_not_start_is_reported(server: str, functions: Path) -> None:
    with pytest.raises(ReaderStartError, match=r"choose the tool .*; the server has view, other"):
        McpReader(server, "missing")
    with pytest.raises(ReaderStartError, match="name the arguments"):
        McpReader(server, "other")
    with pytest.raises(ReaderStartError, match="does not start"):
        McpReader(str(functions / "missing"))
    with pytest.raises(ReaderStartError, match="does not answer"):
        McpReader("false")
    with pytest.raises(ReaderStartError, match="does not answer"):
        McpReader("yes {}", answer_s=0.05)  # never silent, and no answer
    with pytest.raises(ReaderStartError, match="No module named 'missing_module'"):
        FunctionReader("missing_module:read")
    with pytest.raises(ReaderStartError, match="has no parameter `path`"):
        FunctionReader("under_test:no_path")
