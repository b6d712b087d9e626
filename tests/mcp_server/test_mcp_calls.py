"""What a client receives from the server, over each transport in each era of the protocol."""

from __future__ import annotations

import base64
import json
import random
import re
from contextlib import ExitStack
from http.client import HTTPConnection
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import anyio
import pytest
from mcp.shared.exceptions import MCPError

from anyread import Model
from anyread._native import count_tokens
from anyread.mcp_server.calls import RESULT_KEY
from anyread.mcp_server.tools import MAX_TOKENS
from helpers import media
from helpers.waiting import until
from mcp_server.serving import (
    LEGACY,
    MODERN,
    NEWEST_PROTOCOL,
    Served,
    endless,
    http,
    images,
    in_process,
    stdio,
    texts,
)

if TYPE_CHECKING:
    from mcp_types import CallToolResult

pytestmark = pytest.mark.slow


def tokens(result: CallToolResult) -> int:
    seen = sum(Model.any().tokens_of_image(image.width, image.height) for image in images(result))
    return seen + sum(count_tokens(text, None) for text in texts(result))


def facts(result: CallToolResult) -> dict[str, Any]:
    assert result.meta is not None
    found: dict[str, Any] = result.meta[RESULT_KEY]
    return found


TRANSPORTS = pytest.mark.parametrize(
    ("connect", "era"),
    [(stdio, MODERN), (http, LEGACY), pytest.param(in_process, LEGACY, id="in-process")],
)
"""Each transport and each era; what the transport does not matter for is tested in this process."""


@TRANSPORTS
async def test_client_gets_text_images_pages_and_errors(connect: Any, served: Served, era: str) -> None:
    (served.directory / "poem.txt").write_bytes(b"Tyger Tyger,\r\nburning bright\r\n")
    (served.directory / "hill.bmp").write_bytes(media.encoded(media.drawing(60, 40), "BMP"))
    (served.directory / "sea.pdf").write_bytes(media.text_pdf(2))
    async with connect(served, mode=era) as client:
        assert client.protocol_version == ("2025-11-25" if era == LEGACY else NEWEST_PROTOCOL)
        (listed,) = (await client.list_tools()).tools
        assert (listed.name, listed.output_schema) == ("read", None)
        assert listed.annotations is not None
        assert listed.annotations.read_only_hint
        assert str(served.directory) in (client.instructions or "")

        poem = await client.call_tool("read", {"path": "poem.txt"})
        assert texts(poem) == ["1\tTyger Tyger,\n2\tburning bright"]
        assert not poem.is_error
        assert facts(poem)["line_ending"] == "crlf"
        assert facts(poem)["resolved_path"] == str(served.directory / "poem.txt")

        hill = await client.call_tool("read", {"path": "hill.bmp"})
        (seen,) = images(hill)
        assert media.difference(seen, media.drawing(60, 40)) < 8

        sea = await client.call_tool("read", {"path": "sea.pdf"})
        assert len(images(sea)) == 2
        assert "line 1 of page 2 tells of the sea" in "".join(texts(sea))
        assert facts(sea)["count"] == 2

        several = await client.call_tool("read", {"places": ["poem.txt:2-2", "sea.pdf:2", "hill.bmp"]})
        assert "==> poem.txt · line 2 of 2 <==\n2\tburning bright\n" in texts(several)[0]
        # The text of the page has all that its image shows.
        assert len(images(several)) == 1
        assert [each["kind"] for each in facts(several)["results"]] == ["text", "pdf", "image"]

        gone = await client.call_tool("read", {"path": "pome.txt"})
        assert gone.is_error
        assert "`pome.txt` does not exist" in texts(gone)[0]
        assert facts(gone)["code"] == "not_found"
        for result in (poem, hill, sea, several, gone):
            assert result.structured_content is None


@pytest.mark.parametrize("rule", ["**/.env", "secrets"])
async def test_nothing_outside_the_roots_is_read(served: Served, rule: str) -> None:
    (served.directory / ".env").write_text("KEY=1")
    (served.directory / "out").symlink_to("/etc/passwd")
    async with in_process(served, "--deny", rule, mode=MODERN) as client:
        for path, code in (("/etc/passwd", "outside_root"), ("out", "outside_root"), (".env", "denied")):
            refused = await client.call_tool("read", {"path": path})
            assert refused.is_error
            assert facts(refused)["code"] == code
            if code == "denied":
                name = "secrets: .env*" if rule == "secrets" else rule
                assert f"forbidden by the deny rule `{name}`" in texts(refused)[0]


async def test_unknown_tool_is_a_protocol_error_and_bad_arguments_are_answered(
    served: Served, era: str
) -> None:
    async with in_process(served, mode=era) as client:
        with pytest.raises(MCPError, match="unknown tool `write`; the server has `read`"):
            await client.call_tool("write", {"path": "x"})
        for wrong in ({}, {"path": 5}, {"path": "x", "offset": []}, {"path": "x", "lines": 5}):
            answer = await client.call_tool("read", wrong)
            assert answer.is_error
            assert facts(answer)["code"] == "bad_argument"


async def test_client_finds_files_by_reading_directories(served: Served) -> None:
    (served.directory / "src").mkdir()
    for number in range(300):
        (served.directory / f"src/f{number:03}.py").write_text("pass\n")
    async with in_process(served, "--deny", "secrets", mode=MODERN) as client:
        lost = await client.call_tool("read", {"path": "src/main.rs"})
        (named,) = re.findall(r"read the directory `(.*)` to see the names in it", texts(lost)[0])
        seen, following = "", {"limit": 200}
        while following:
            answer = await client.call_tool("read", {"path": named, **following})
            assert not answer.is_error
            assert facts(answer)["kind"] == "directory"
            seen += f"{texts(answer)[0]}\n"
            following = facts(answer)["next"]
        assert [f"f{number:03}.py" for number in range(300)] == re.findall(
            r"^(.*)\t5 bytes$", seen, re.MULTILINE
        )
        assert "src/" in texts(await client.call_tool("read", {"path": "."}))[0].split("\n")


async def test_only_file_that_a_path_can_mean_is_read_below_the_roots(served: Served) -> None:
    (served.directory / "src").mkdir()
    (served.directory / "src/Main.py").write_text("pass\n")
    (served.directory / "src/Key.pem").write_text("secret\n")
    async with in_process(served, "--deny", "secrets", mode=MODERN) as client:
        for path in ("SRC/main.py", "Main.py", "'src/MAIN.py'"):
            text, notice = texts(await client.call_tool("read", {"path": path}))
            assert text == "1\tpass"
            assert "no file has exactly that name" in notice
        for path in ("src/key.pem", "Key.pem"):
            refused = await client.call_tool("read", {"path": path})
            assert facts(refused)["code"] == "denied"


async def test_reply_respects_the_token_limit(served: Served) -> None:
    random.seed(6)
    words = "".join(random.choices("abcdefghij \n", k=400_000))
    (served.directory / "words.txt").write_text(words)
    # The override of the text direction causes one notice, and the link another.
    (served.directory / "turned.txt").write_text("\N{RIGHT-TO-LEFT OVERRIDE}" + words)
    (served.directory / "link.txt").symlink_to("turned.txt")
    (served.directory / "long.pdf").write_bytes(media.text_pdf(60, lines=45))
    source = {"cell_type": "markdown", "metadata": {}, "source": words[:3_000]}
    notebook = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [source] * 100}
    (served.directory / "cells.ipynb").write_text(json.dumps(notebook))
    async with in_process(served, mode=MODERN) as client:
        for name in ("words.txt", "link.txt", "long.pdf", "cells.ipynb"):
            answer = await client.call_tool("read", {"path": name})
            assert facts(answer)["next"]
            assert MAX_TOKENS / 3 < tokens(answer) <= MAX_TOKENS, name
        assert texts(await client.call_tool("read", {"path": "link.txt"}))[-1].count("[notice: ") == 2
    async with in_process(served, "--max-tokens", "500", mode=MODERN) as client:
        for name in ("words.txt", "link.txt"):
            answer = await client.call_tool("read", {"path": name})
            assert 250 < tokens(answer) <= 500


async def test_document_is_sent_only_if_requested(served: Served) -> None:
    data = media.text_pdf(2)
    (served.directory / "the sea.pdf").write_bytes(data)
    async with in_process(served, "--pdf", "document", mode=MODERN) as client:
        answer = await client.call_tool("read", {"path": "the sea.pdf"})
        (resource,) = [block.resource for block in answer.content if block.type == "resource"]
        assert base64.b64decode(resource.blob) == data
        assert resource.uri == (served.directory / "the sea.pdf").as_uri()

        # Every document had the address of the last file.
        places = ["a/the sea.pdf", "the sea.pdf", "note.txt"]
        (served.directory / "a").mkdir()
        (served.directory / "a" / "the sea.pdf").write_bytes(media.text_pdf(1))
        (served.directory / "note.txt").write_text("note\n")
        answer = await client.call_tool("read", {"places": places})
        resources = [block.resource for block in answer.content if block.type == "resource"]
        assert [resource.uri for resource in resources] == [
            (served.directory / name).as_uri() for name in places[:2]
        ]
    async with in_process(served, "--model", "anthropic", mode=MODERN) as client:
        assert len(images(await client.call_tool("read", {"path": "the sea.pdf"}))) == 2
    async with in_process(served, "--model", "text-only", mode=MODERN) as client:
        answer = await client.call_tool("read", {"path": "the sea.pdf"})
        assert images(answer) == []
        assert "tells of the sea" in texts(answer)[0]


@pytest.mark.parametrize(("connect", "era"), [(stdio, LEGACY), (http, MODERN)])
async def test_long_scan_reports_its_progress_and_is_cancelled(
    connect: Any, era: str, served: Served
) -> None:
    endless(served.directory / "endless.log")
    reported: list[tuple[float, str | None]] = []
    async with connect(served, mode=era) as client:
        with anyio.CancelScope() as scope:

            async def note(progress: float, total: float | None, message: str | None) -> None:
                reported.append((progress, message))
                if len(reported) == 3:
                    scope.cancel()

            await client.call_tool("read", {"path": "endless.log", "offset": 10**9}, progress_callback=note)
        assert scope.cancelled_caught
        assert [progress for progress, _ in reported] == sorted({progress for progress, _ in reported})
        assert "scanned" in (reported[0][1] or "")
        # The scan ends with the call: the server becomes idle, and it answers other calls.
        with anyio.fail_after(60):
            while True:
                before = served.cpu_s
                await anyio.sleep(0.3)
                if served.cpu_s - before <= 0.05:
                    break
        answer = await client.call_tool("read", {"path": "endless.log", "limit": 1})
        assert texts(answer)[0].startswith("1\tbegun\n")


def test_calls_of_a_session_end_with_it(http_server: tuple[Served, str]) -> None:
    """With version 1.24 of the SDK, a call ran on if its client ended the session without cancelling it."""
    served, url = http_server
    endless(served.directory / "endless.log")
    log = str(served.directory / "endless.log")
    with ExitStack() as connections:
        address = urlsplit(url)
        headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}

        def sent(method: str, message: dict[str, Any] | None = None) -> HTTPConnection:
            assert address.hostname is not None
            connection = HTTPConnection(address.hostname, address.port, timeout=60)
            connections.callback(connection.close)
            body = None if message is None else json.dumps({"jsonrpc": "2.0", **message})
            connection.request(method, address.path, body, headers)
            return connection

        client = {"name": "t", "version": "1"}
        hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client}
        with sent("POST", {"id": 0, "method": "initialize", "params": hello}).getresponse() as reply:
            headers["Mcp-Session-Id"] = reply.headers["Mcp-Session-Id"]
        with sent("POST", {"method": "notifications/initialized"}).getresponse() as reply:
            assert reply.status == 202
        params = {"name": "read", "arguments": {"path": "endless.log", "offset": 10**9}}
        sent("POST", {"id": 1, "method": "tools/call", "params": params})
        until(lambda: log in served.open_files)
        with sent("DELETE").getresponse() as reply:
            assert reply.status == 200
        until(lambda: log not in served.open_files)
