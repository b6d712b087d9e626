"""`anyread.integrations.anthropic` in the SDK's tool runner, with a local transport in place of the API."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import httpx2
import pytest
from anthropic import Anthropic, AsyncAnthropic

import anyread
from anyread.integrations import anthropic
from anyread.tools import CONTRACTS
from cancelling import cancel_during_read
from cells import RecordCell
from clients.programs.fake_messages_api import FakeModel, message
from samples import (
    CODE,
    ENDLESS_OFFSET,
    LINES,
    PDF_WORDS,
    Samples,
    content_bytes,
)

START: Any = {"model": "claude-sonnet-5", "max_tokens": 100, "messages": [{"role": "user", "content": "go"}]}


@pytest.fixture(params=["sync", "async"])
def mode(request: pytest.FixtureRequest) -> str:
    return str(request.param)


async def run(
    mode: str, fake: FakeModel, read: anyread.Tool | None, *, model: anyread.Model | None = None
) -> None:
    """Run the tool runner to its end; the model must say "done"."""

    def answer(request: httpx2.Request) -> httpx2.Response:
        body = json.loads(request.content)
        return httpx2.Response(200, json=message(body, fake.answer(body)))

    transport = httpx2.MockTransport(answer)
    if mode == "sync":
        with Anthropic(api_key="none", http_client=httpx2.Client(transport=transport)) as client:
            runner = client.beta.messages.tool_runner(tools=[anthropic.tool(read, model=model)], **START)
            last = runner.until_done()
    else:
        http = httpx2.AsyncClient(transport=transport)
        async with AsyncAnthropic(api_key="none", http_client=http) as client_:
            tools = [anthropic.async_tool(read, model=model)]
            last = await client_.beta.messages.tool_runner(tools=tools, **START).until_done()
    assert [block.text for block in last.content if block.type == "text"] == ["done"]


async def results(
    mode: str,
    read: anyread.Tool | None,
    *arguments: Mapping[str, Any],
    model: anyread.Model | None = None,
) -> list[dict[str, Any]]:
    """Return the `tool_result` blocks that the model received for calls in one turn."""
    turn = {f"toolu_{number}": given for number, given in enumerate(arguments)}
    fake = FakeModel("read" if read is None else read.name, [turn])
    await run(mode, fake, read, model=model)
    return [fake.results[call] for call in turn]


def reading(files: Samples) -> anyread.Tool:
    return anyread.tool("anyread", roots=[files.directory], model=anyread.Model.anthropic())


def text_of(result: dict[str, Any]) -> str:
    return "\n".join(block["text"] for block in result["content"] if block["type"] == "text")


def only(result: dict[str, Any], kind: str) -> dict[str, Any]:
    [block] = [block for block in result["content"] if block["type"] == kind]
    found: dict[str, Any] = block
    return found


async def test_text_is_a_text_block(mode: str, files: Samples, cell: RecordCell) -> None:
    [result] = await results(mode, reading(files), {"path": str(files.text)})
    text = "\n".join(f"{number}\t{line}" for number, line in enumerate(LINES, 1))
    assert result["content"] == [{"type": "text", "text": text}]
    assert "is_error" not in result
    cell("text", "native")


async def test_images_are_image_blocks(mode: str, files: Samples, cell: RecordCell) -> None:
    paths = files.media
    found = await results(mode, reading(files), *({"path": str(path)} for path in paths.values()))
    for (kind, path), result in zip(paths.items(), found, strict=True):
        source = only(result, "image")["source"]
        assert content_bytes(source["data"]) == path.read_bytes()
        assert (source["type"], source["media_type"]) == ("base64", f"image/{kind.lower()}")
    cell("PNG", "native")
    cell("JPEG", "native")
    cell("GIF", "native")


async def test_places_need_no_path(mode: str, files: Samples) -> None:
    [result] = await results(mode, reading(files), files.places)
    assert f"2\t{LINES[1]}\n" in text_of(result)
    assert content_bytes(only(result, "image")["source"]["data"]) == files.png.read_bytes()
    assert "is_error" not in result


async def test_pdf_is_a_document_block(mode: str, files: Samples, cell: RecordCell) -> None:
    [result] = await results(mode, reading(files), {"path": str(files.pdf)})
    document = only(result, "document")
    assert content_bytes(document["source"]["data"]) == files.pdf.read_bytes()
    assert document["source"]["media_type"] == "application/pdf"
    assert document["title"] == "report.pdf"
    cell("PDF", "native")


async def test_notebook_is_text_and_images(mode: str, files: Samples, cell: RecordCell) -> None:
    [result] = await results(mode, reading(files), {"path": str(files.notebook)})
    assert CODE in text_of(result)
    assert content_bytes(only(result, "image")["source"]["data"]) == files.png.read_bytes()
    cell("notebook", "native")


async def test_errors_are_marked_and_the_run_goes_on(mode: str, files: Samples, cell: RecordCell) -> None:
    found = await results(
        mode,
        reading(files),
        {"path": str(files.missing)},
        {"path": ["poem.txt"]},
        {"path": str(files.text), "limit": "many"},
        {"path": str(files.text), "self": 1, "arguments": 2},
        {},
    )
    assert [result["is_error"] for result in found] == [True] * 5
    texts = [text_of(result) for result in found]
    expected = ("does not exist", "must be a string", "`limit`", "unknown argument", "is missing")
    for text, words in zip(texts, expected, strict=True):
        assert words in text
        assert "hint: " in text
    cell("error", "native")


async def test_model_of_the_tool_replaces_media_with_text(mode: str, files: Samples) -> None:
    calls = [{"path": str(files.png)}, {"path": str(files.pdf)}]
    found = await results(mode, None, *calls, model=anyread.Model.text_only())
    assert {block["type"] for result in found for block in result["content"]} == {"text"}
    assert PDF_WORDS in text_of(found[1])


async def test_many_parallel_calls_are_answered_in_order(mode: str, files: Samples) -> None:
    calls = [{"path": str(files.text), "offset": number % 3 + 1, "limit": 1} for number in range(100)]
    found = await results(mode, reading(files), *calls)
    for number, result in enumerate(found):
        assert text_of(result).startswith(f"{number % 3 + 1}\t{LINES[number % 3]}")


async def test_cancelled_run_ends_the_read(files: Samples) -> None:
    call = {"path": str(files.endless), "offset": ENDLESS_OFFSET}
    await cancel_during_read(results("async", reading(files), call), files.endless)


@pytest.mark.parametrize("contract", CONTRACTS)
async def test_every_contract_shows_text_and_errors(contract: str, mode: str, files: Samples) -> None:
    read = anyread.tool(contract, cwd=files.directory, model=anyread.Model.anthropic())
    shown, failed = await results(
        mode, read, read.arguments_for(files.text), read.arguments_for(files.missing)
    )
    assert LINES[0] in text_of(shown)
    assert "is_error" not in shown
    assert failed["is_error"]
    assert text_of(failed)


async def test_model_is_offered_the_schema_of_the_contract(mode: str, files: Samples) -> None:
    read = reading(files)
    fake = FakeModel(read.name, [{"toolu_1": {"path": str(files.text)}}])
    await run(mode, fake, read)
    expected = {
        "name": read.name,
        "description": read.description,
        "input_schema": json.loads(json.dumps(dict(read.input_schema))),
    }
    assert fake.tools == {read.name: expected}


def test_second_tool_of_a_contract_has_its_own_name_and_schema(files: Samples) -> None:
    read = anyread.tool("forge", cwd=files.directory, model=anyread.Model.anthropic())
    image = anthropic.tool(read, name="read_image")
    assert (image.name, image.input_schema["required"]) == ("read_image", ["path"])
    [block] = [dict(each) for each in image.call({"path": str(files.png)}) if isinstance(each, dict)]
    assert block["type"] == "image"
    with pytest.raises(ValueError, match="unknown tool name 'write'; the names are 'read', 'read_image'"):
        anthropic.async_tool(read, name="write")
