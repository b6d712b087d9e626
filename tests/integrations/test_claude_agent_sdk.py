"""`anyread.integrations.claude_agent_sdk` in the SDK with its Claude Code, and a local server as the API."""

from __future__ import annotations

import asyncio
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
from clients.programs.fake_messages_api import FakeModel, serving
from framework_tests import Answer, Call, FrameworkTests, Run, left_out
from samples import ENDLESS_OFFSET, LINES, Samples, content_bytes


async def results(home: Path, read: anyread.Tool | None, *calls: Call) -> list[dict[str, Any]]:
    """Run Claude Code with a model that makes these calls in one turn; return the results it received."""
    turn = {f"toolu_{number}": given for number, given in enumerate(calls)}
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


class TestReading(FrameworkTests):
    pdf = "text"
    # Claude Code refuses arguments of other types itself, before they reach the server.
    refused = (({"path": ["poem.txt"]}, ""),)

    @pytest.fixture(autouse=True)
    def own_home(self, home: Path) -> None:
        self.home = home

    async def answers(self, run: Run) -> list[Answer]:
        found = []
        for result in await results(self.home, run.read, *run.calls):
            images = [block["source"] for block in blocks_of(result, "image")]
            found.append(
                Answer(
                    text_of(result),
                    tuple((image["media_type"], content_bytes(image["data"])) for image in images),
                    is_error=result.get("is_error", False),
                )
            )
        return found

    async def test_cancelled_run_ends_the_read(self, files: Samples) -> None:
        call = {"path": str(files.endless), "offset": ENDLESS_OFFSET}
        task = asyncio.ensure_future(results(self.home, None, call))
        await until(lambda: task.done() or is_open(files.endless), timeout_s=60)
        assert not task.done(), "the run ended before it opened the file"
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asyncio.wait_for(task, 2 * PROMPTLY_S)
        await until(lambda: not is_open(files.endless), timeout_s=PROMPTLY_S)

    @pytest.mark.parametrize("contract", CONTRACTS)
    async def test_every_contract_shows_text_and_errors(
        self,
        contract: str,
        mode: str,  # noqa: ARG002 - a client of the server alone is much faster
        files: Samples,
    ) -> None:
        read = anyread.tool(contract, cwd=files.directory, model=anyread.Model.mcp())
        instance = claude_agent_sdk.server(read)["instance"]
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

    test_model_without_images_gets_text = left_out("the tool has the model")
    test_second_tool_of_a_contract_is_chosen_by_its_name = left_out("the server has all tools")


async def test_pdf_as_a_document_is_saved_and_its_path_shown(home: Path, files: Samples) -> None:
    read = anyread.tool("anyread", roots=[files.directory], model=anyread.Model.anthropic())
    [result] = await results(home, read, {"path": str(files.pdf)})
    saved = text_of(result).partition("saved to ")[2].split()[0]
    assert Path(saved).read_bytes() == files.pdf.read_bytes()


async def test_long_text_is_complete_without_arguments(home: Path, files: Samples) -> None:
    long = files.directory / "long.log"
    long.write_text("the pump of block seven reports a steady flow while the crew checks the valve\n" * 700)
    [result] = await results(home, None, {"path": str(long)})
    assert len(text_of(result)) > 50_000
    assert "\n700\tthe pump" in text_of(result)
