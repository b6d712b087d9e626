"""S15: the MCP server answers every call, whatever the files and the arguments contain."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp_types import CallToolResult

import anyread
from anyread.tools import CONTRACTS
from mcp_server.serving import COMMAND, LEGACY, MODERN, Served, stdio
from torture.naughty_strings import printable_name
from torture.output_samples import Sample, Tally, arguments_of, strictly_decoded, write_samples

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

HELLO: dict[str, Any] = {
    "jsonrpc": "2.0",
    "id": "hello",
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "t", "version": "1"},
    },
}


@pytest.fixture
def anyio_backend() -> str:
    """The server is a separate process; one event loop is enough for its client."""
    return "asyncio"


def calls_of(sample: Sample, path: str, others: list[str]) -> Iterator[dict[str, Any]]:
    """Yield the arguments of each call about a sample; `others` are the arguments that are not the path."""
    file, text = str(sample.file), sample.text
    yield {path: file}
    yield {path: str(sample.notebook)}
    yield {path: text}
    yield {path: f"{file}{text}", text: text}
    for name in others:
        yield {path: file, name: text}


def is_encodable(value: object) -> bool:
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


async def test_client_of_the_sdk_gets_an_answer_to_every_call(
    tmp_path: Path, scale: Callable[..., int], score: Any
) -> None:
    tally = Tally()
    directory = tmp_path / "root"
    directory.mkdir()
    samples = write_samples(directory, scale(3, 1_000))
    # Starting a server takes a second.
    for era in (MODERN, LEGACY)[: scale(1, 2)]:
        served = Served(directory, tmp_path / era)
        async with stdio(served, mode=era) as client:
            for sample in samples[:: 1 if era == MODERN else 4]:
                await check_client(tally, client, sample)
        assert (served.status, served.errors) == ("0", "")
    print("\n".join(tally.failures[:40]))
    score("S15", "MCP, client of the SDK", failures=len(tally.failures), of=tally.checked, unit="calls")


async def check_client(tally: Tally, client: Client, sample: Sample) -> None:
    """Make every call about a sample that the client can send: it refuses lone surrogates itself."""
    for arguments in filter(is_encodable, calls_of(sample, "path", ["encoding", "pages"])):
        try:
            result = await client.call_tool("read", arguments)
            assert result.content
        except Exception as error:  # noqa: BLE001 - every exception is a failure
            tally.checked += 1
            tally.note(f"{printable_name(sample.text)}: {error!r}")
        else:
            tally.check("answer", sample.text, result.model_dump)


def test_every_contract_answers_every_line(tmp_path: Path, scale: Callable[..., int], score: Any) -> None:
    tally = Tally()
    samples = write_samples(tmp_path, scale(3, 1_000))
    # Starting a server takes a second.
    for name in list(CONTRACTS)[: scale(1, len(CONTRACTS))]:
        definition = anyread.tool(name).definitions()[0]
        path, fixed, others = arguments_of(definition)
        calls = [
            {"name": definition.name, "arguments": {**fixed, **arguments}}
            for number, sample in enumerate(samples)
            for arguments in calls_of(sample, path, [others[number % len(others)]])
        ]
        calls += [{"name": sample.text, "arguments": {}} for sample in samples]
        check_server(tally, tmp_path, name, calls)
    print("\n".join(tally.failures[:40]))
    score("S15", "MCP, every contract", failures=len(tally.failures), of=tally.checked, unit="lines")


def check_server(tally: Tally, directory: Path, name: str, calls: list[dict[str, Any]]) -> None:
    """Send calls to a server, one after another, and check its answers."""
    command = [*COMMAND, "--root", str(directory), "--tool", name]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdin.write(json.dumps(HELLO).encode() + b"\n")
        process.stdin.write(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
        process.stdin.flush()
        process.stdout.readline()
        for number, call in enumerate(calls):
            request = {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": call}
            process.stdin.write(json.dumps(request).encode() + b"\n")
            process.stdin.flush()
            tally.checked += 1
            try:
                answer = strictly_decoded(process.stdout.readline())
                assert answer["id"] == number
                if call["arguments"]:
                    assert CallToolResult.model_validate(answer["result"]).content
                else:
                    assert "unknown tool" in answer["error"]["message"]
            except (AssertionError, KeyError, ValueError) as error:
                tally.note(f"{name} {call!a}: {type(error).__name__}: {error}")
        process.stdin.close()
        errors = process.stderr.read()
    if process.returncode or errors:
        tally.note(f"{name} ended with {process.returncode}: {errors[-300:]!r}")
