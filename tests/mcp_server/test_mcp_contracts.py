"""Every contract, served over MCP in this process, and what a client receives of its outputs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from mcp import Client
from mcp_types import Implementation

from anyread.mcp_server import Tools, make_server
from anyread.mcp_server.calls import RESULT_KEY
from anyread.results import TextBlock
from anyread.tools import CONTRACTS, Definition
from helpers import media
from mcp_server.serving import images, texts

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("name", CONTRACTS)
async def test_text_images_and_failures_of_each_contract_arrive(tmp_path: Path, name: str) -> None:
    # The text begins like a failure of some contracts.
    (tmp_path / "a.txt").write_text('{"error": 1}\n')
    (tmp_path / "hill.png").write_bytes(media.encoded(media.drawing(60, 40), "PNG"))
    tool = Tools(name, roots=[tmp_path], model="anthropic").for_one_model()
    called, images_by = tool.name, "read_media_file" if name == "mcp-filesystem" else tool.name
    async with Client(make_server(tool)) as client:
        text = await client.call_tool(called, tool.arguments_for(tmp_path / "a.txt"))
        assert '"error' in "".join(texts(text)).replace("\\", "")
        answers = [text]
        if name != "kimi-code":
            # Its tool reads only text.
            image = await client.call_tool(images_by, tool.arguments_for(tmp_path / "hill.png"))
            assert [seen.size for seen in images(image)] == [(60, 40)]
            answers.append(image)
        for answer in answers:
            assert not answer.is_error
            assert answer.structured_content is None
            assert answer.meta is not None
            assert answer.meta[RESULT_KEY]["path"].startswith(str(tmp_path))
        gone = await client.call_tool(called, tool.arguments_for(tmp_path / "none.txt"))
        assert gone.is_error
        assert texts(gone)[0]


async def test_server_for_many_models_never_says_unchanged(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one\n")
    tools = Tools("pilotdeck", roots=[tmp_path])
    for tool, again in ((tools.for_one_model(), "unchanged"), (tools.for_many_models(), "one")):
        async with Client(make_server(tool)) as client:
            answers = [await client.call_tool("read_file", {"file_path": "a.txt"}) for _ in range(2)]
        assert "one" in texts(answers[0])[0]
        assert again in texts(answers[1])[0]


@pytest.mark.parametrize(("client", "host"), [("google-adk", None), ("mcp", "smolagents"), ("mcp", None)])
@pytest.mark.parametrize("era", ["legacy", "auto"])
async def test_hosts_that_show_no_images_are_sent_text(
    tmp_path: Path, client: str, host: str | None, era: str
) -> None:
    """ADK showed an image as base64 text, and smolagents showed only the first item of a reply."""
    (tmp_path / "hill.png").write_bytes(media.encoded(media.drawing(60, 40), "PNG"))
    (tmp_path / "sea.pdf").write_bytes(media.text_pdf(2))
    tools = Tools(roots=[tmp_path], host=host)
    server = make_server(tools.for_one_model(), text_tool=tools.without_images(), host=tools.host)
    info = Implementation(name=client, version="1")
    async with Client(server, client_info=info, mode=era) as connection:
        hill = await connection.call_tool("read", {"path": "hill.png"})
        sea = await connection.call_tool("read", {"path": "sea.pdf"})
    seen = "".join(texts(sea))
    assert "line 1 of page 1 tells of the sea" in seen
    assert "line 1 of page 2 tells of the sea" in seen
    if client == "mcp" and host is None:
        assert (len(images(hill)), len(images(sea))) == (1, 2)
        return
    assert images(hill) == images(sea) == []
    assert texts(hill)[0].startswith("[image: PNG 60×40")
    if host == "smolagents":
        assert len(hill.content) == len(sea.content) == 1


class OddTool:
    """A tool that returns text that is not UTF-8 and fails with an unexpected exception."""

    def definitions(self) -> list[Definition]:
        return [Definition("odd", "Be odd.", {"type": "object", "properties": {}})]

    async def call(self, arguments: Any, *, name: str | None = None) -> dict[str, Any]:  # noqa: ARG002
        if arguments.get("fail"):
            raise ZeroDivisionError("nobody expected \udcff")
        return {"content": [], "path": "a\udcffb"}

    def blocks(self, output: Any) -> list[Any]:  # noqa: ARG002
        return [TextBlock("text \ud800 of it")]

    def failed(self, output: Any) -> bool:
        return "path" not in output


async def test_lone_surrogates_are_replaced(caplog: pytest.LogCaptureFixture) -> None:
    async with Client(make_server(OddTool(), instructions="at \udcff"), mode="legacy") as client:
        assert client.instructions == "at \ufffd"
        answer = await client.call_tool("odd", {})
        assert texts(answer) == ["text \N{REPLACEMENT CHARACTER} of it"]
        assert answer.meta is not None
        assert answer.meta[RESULT_KEY] == {"path": "a\ufffdb"}
        failed = await client.call_tool("odd", {"fail": 1})
        assert failed.is_error
        assert texts(failed) == ["the call failed unexpectedly: ZeroDivisionError: nobody expected \ufffd"]
    assert "a call of `odd` failed" in caplog.text
