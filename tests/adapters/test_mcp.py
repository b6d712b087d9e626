"""MCP results, validated by the types of the SDK, and received by a real client from a real server."""

from __future__ import annotations

import json
from typing import Any

import pytest
from mcp import Client, types
from mcp.server.mcpserver import MCPServer

from adapters.answers import PDF, PNG, Answer, check, check_texts, media, texts
from anyread.adapters import mcp
from anyread.models.model import Model
from anyread.results.blocks import DocumentBlock


def validated(shape: dict[str, Any]) -> Any:
    """Validate a result; the types drop fields that they do not know."""
    result = types.CallToolResult.model_validate(shape)
    again = result.model_dump(mode="json", by_alias=True, exclude_unset=True)
    assert again == json.loads(json.dumps(shape, ensure_ascii=False))
    return result


def test_answer_is_a_result_of_text_and_images(answer: Answer) -> None:
    shape = mcp.call_tool_result(answer.source)
    validated(shape)
    assert {block["type"] for block in shape["content"]} <= {"text", "image"}
    check_texts(answer, texts(shape["content"]))
    assert "structuredContent" not in shape


def test_model_with_pdf_input_does_not_embed_documents() -> None:
    block = DocumentBlock.from_bytes(PDF, name="a b.pdf", page_count=3)
    (described,) = mcp.content(block, model=Model.anthropic())
    assert described["text"].startswith("[document: `a b.pdf`, 3 pages, ")
    (embedded,) = mcp.content(block, embed_documents=True)
    assert embedded["resource"]["uri"] == "anyread:///a%20b.pdf"


def test_meta_describes_what_was_read(every_answer: dict[str, Answer]) -> None:
    shape = mcp.call_tool_result(iter(every_answer["several"].source))  # type: ignore[arg-type]
    text, failed, png = shape["_meta"][mcp.META_KEY]
    assert text["next"]["offset"] == 2
    assert (text["kind"], png["kind"], png["media_type"]) == ("text", "image", "image/png")
    assert failed["error"]["code"] == "not_found"
    assert media(shape["content"])
    unchanged = mcp.call_tool_result(every_answer["unchanged"].source)
    assert unchanged["_meta"][mcp.META_KEY] == [{"path": "poem.txt", "version": "v1", "unchanged": True}]
    assert "_meta" not in mcp.call_tool_result(every_answer["blocks"].source)


@pytest.mark.anyio
async def test_client_gets_the_bytes_of_the_file(every_answer: dict[str, Answer]) -> None:
    server = MCPServer("read")

    @server.tool(structured_output=False)
    async def read(name: str) -> types.CallToolResult:
        result: types.CallToolResult = validated(mcp.call_tool_result(every_answer[name].source))
        return result

    for mode in ("auto", "legacy"):
        async with Client(server, mode=mode) as client:
            result = await client.call_tool("read", {"name": "png"})
            blocks = [block.model_dump(by_alias=True) for block in result.content]
            check(Answer(None, (PNG,)), texts(blocks), media(blocks))  # type: ignore[arg-type]
            assert result.structured_content is None
            assert (result.meta or {})[mcp.META_KEY][0]["kind"] == "image"
            failed = await client.call_tool("read", {"name": "error"})
            assert failed.is_error
