"""`anyread.integrations.claude_agent_sdk` in the SDK with its Claude Code, and a local server as the API."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from claude_agent_sdk import ClaudeAgentOptions, ResultMessage, query
from mcp import Client
from mcp.server.lowlevel import Server

import anyread
from anyread.integrations import claude_agent_sdk
from anyread.tools import CONTRACTS
from cancelling import PROMPTLY_S, is_open, until
from cells import RecordCell
from clients.programs.fake_messages_api import FakeModel, serving
from samples import (
    CODE,
    ENDLESS_OFFSET,
    LINES,
    PDF_WORDS,
    Samples,
    content_bytes,
)


def reading(files: Samples) -> anyread.Tool:
    return anyread.tool("anyread", roots=[files.directory], model=anyread.Model.mcp())


async def results(
    home: Path, read: anyread.Tool | None, *arguments: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """Run Claude Code with a model that makes these calls in one turn; return the results it received."""
    turn = {f"toolu_{number}": given for number, given in enumerate(arguments)}
    name = "mcp__files__" + ("read" if read is None else read.name)
    fake = FakeModel(name, [turn])
    with serving(fake) as url:
        options = ClaudeAgentOptions(
            mcp_servers={"files": claude_agent_sdk.server(read)},
            allowed_tools=[name],
            cwd=home,
            setting_sources=[],
            env={
                "HOME": str(home),
                "ANTHROPIC_BASE_URL": url,
                "ANTHROPIC_API_KEY": "none",
                "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
                "DISABLE_AUTOUPDATER": "1",
                # Otherwise it may offer the tools of servers only through a search.
                "ENABLE_TOOL_SEARCH": "false",
            },
        )
        messages = [each async for each in query(prompt="read the files", options=options)]
    last = messages[-1]
    assert isinstance(last, ResultMessage)
    assert (last.is_error, last.result) == (False, "done")
    return [fake.results[call] for call in turn]


def blocks_of(result: dict[str, Any], kind: str) -> list[dict[str, Any]]:
    content = result["content"]
    if isinstance(content, str):
        content = [{"type": "text", "text": content}]
    return [block for block in content if block["type"] == kind]


def text_of(result: dict[str, Any]) -> str:
    return "\n".join(block["text"] for block in blocks_of(result, "text"))


@pytest.fixture
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("home")


async def test_text_images_documents_and_notebooks(home: Path, files: Samples, cell: RecordCell) -> None:
    paths = [files.text, *files.media.values(), files.notebook]
    text, *images, notebook = await results(home, reading(files), *({"path": str(path)} for path in paths))
    assert text_of(text) == "\n".join(f"{number}\t{line}" for number, line in enumerate(LINES, 1))
    cell("text", "native")
    for (kind, path), result in zip(files.media.items(), images, strict=True):
        [image] = blocks_of(result, "image")
        assert content_bytes(image["source"]["data"]) == path.read_bytes()
        assert image["source"]["media_type"] == f"image/{kind.lower()}"
    cell("PNG", "native")
    cell("JPEG", "native")
    cell("GIF", "native")
    assert CODE in text_of(notebook)
    [image] = blocks_of(notebook, "image")
    assert content_bytes(image["source"]["data"]) == files.png.read_bytes()
    cell("notebook", "native")


async def test_pdf_is_text_and_an_image_of_each_page(home: Path, files: Samples, cell: RecordCell) -> None:
    [result] = await results(home, reading(files), {"path": str(files.pdf)})
    assert PDF_WORDS in text_of(result)
    assert len(blocks_of(result, "image")) == 3
    cell("PDF", "text")


async def test_places_need_no_path(home: Path, files: Samples) -> None:
    [result] = await results(home, reading(files), files.places)
    assert f"2\t{LINES[1]}\n" in text_of(result)
    assert len(blocks_of(result, "image")) == 1


async def test_pdf_as_a_document_is_saved_and_its_path_shown(home: Path, files: Samples) -> None:
    read = anyread.tool("anyread", roots=[files.directory], model=anyread.Model.anthropic())
    [result] = await results(home, read, {"path": str(files.pdf)})
    saved = text_of(result).partition("saved to ")[2].split()[0]
    assert Path(saved).read_bytes() == files.pdf.read_bytes()


async def test_errors_are_marked_and_the_run_goes_on(home: Path, files: Samples, cell: RecordCell) -> None:
    # Claude Code checks the types of arguments itself, and refuses such a call before it reaches the server.
    gone, wrong = await results(home, reading(files), {"path": str(files.missing)}, {"path": ["poem.txt"]})
    assert gone["is_error"]
    assert "does not exist" in text_of(gone)
    assert wrong["is_error"]
    assert text_of(wrong)
    cell("error", "native")


async def test_many_parallel_calls_are_answered_in_order(home: Path, files: Samples) -> None:
    calls = [{"path": str(files.text), "offset": number % 3 + 1, "limit": 1} for number in range(100)]
    found = await results(home, reading(files), *calls)
    for number, result in enumerate(found):
        assert text_of(result).startswith(f"{number % 3 + 1}\t{LINES[number % 3]}")


async def test_long_text_is_complete_without_arguments(home: Path, files: Samples) -> None:
    long = files.directory / "long.log"
    long.write_text("the pump of block seven reports a steady flow while the crew checks the valve\n" * 700)
    [result] = await results(home, None, {"path": str(long)})
    assert len(text_of(result)) > 50_000
    assert "\n700\tthe pump" in text_of(result)


async def test_cancelled_run_ends_the_read(home: Path, files: Samples) -> None:
    call = {"path": str(files.endless), "offset": ENDLESS_OFFSET}
    task = asyncio.ensure_future(results(home, reading(files), call))
    await until(lambda: task.done() or is_open(files.endless), timeout_s=60)
    assert not task.done(), "the run ended before it opened the file"
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(task, 2 * PROMPTLY_S)
    await until(lambda: not is_open(files.endless), timeout_s=PROMPTLY_S)


@pytest.mark.parametrize("contract", CONTRACTS)
async def test_every_contract_answers_in_the_server(contract: str, files: Samples) -> None:
    read = anyread.tool(contract, cwd=files.directory, model=anyread.Model.mcp())
    server = claude_agent_sdk.server(read)
    instance = server["instance"]
    assert isinstance(instance, Server)
    async with Client(instance) as client:
        [tool, *_] = (await client.list_tools()).tools
        assert (tool.name, tool.input_schema) == (read.name, read.input_schema)
        shown = await client.call_tool(read.name, read.arguments_for(files.text))
        failed = await client.call_tool(read.name, read.arguments_for(files.missing))
    assert not shown.is_error
    [block] = shown.content
    assert block.type == "text"
    assert LINES[0] in block.text
    assert failed.is_error
