"""`anyread.integrations.langchain` in the loops of `create_agent` and of a graph, with a fake chat model."""

from __future__ import annotations

import re
from typing import Any

import pytest
from langchain import agents
from langchain.agents import create_agent
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.utils.function_calling import convert_to_openai_tool
from langgraph.graph import MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition

import anyread
from anyread.integrations import langchain
from anyread.tools import CONTRACTS
from cancelling import cancel_during_read
from cells import DOCUMENT, RecordCell
from langchain_fakes import FakeModel
from samples import (
    CODE,
    ENDLESS_OFFSET,
    LINES,
    PDF_WORDS,
    Samples,
    content_bytes,
)


@pytest.fixture(params=["sync", "async"])
def mode(request: pytest.FixtureRequest) -> str:
    return str(request.param)


async def answers(mode: str, tool: langchain.LangchainTool, *arguments: dict[str, Any]) -> list[ToolMessage]:
    """Run an agent whose model makes these calls, and return what the model was shown."""
    model = FakeModel(tool.name, *arguments)
    agent = create_agent(model, tools=[tool])
    given: Any = {"messages": [HumanMessage("go")]}
    state = agent.invoke(given) if mode == "sync" else await agent.ainvoke(given)
    assert state["messages"][-1].text == "done"
    assert len(model.shown) == len(arguments)
    return model.shown


def reading(files: Samples, model: anyread.Model | None = None) -> anyread.Tool:
    return anyread.tool("anyread", roots=[files.directory], model=model or anyread.Model.anthropic())


async def test_text_is_a_text_block(mode: str, files: Samples, cell: RecordCell) -> None:
    [message] = await answers(mode, langchain.tool(reading(files)), {"path": str(files.text)})
    [block] = message.content_blocks
    assert block["type"] == "text"
    assert block["text"] == "\n".join(f"{number}\t{line}" for number, line in enumerate(LINES, 1))
    assert message.status == "success"
    assert message.artifact["total_lines"] == 3
    cell("text", "native")


async def test_images_are_image_blocks(mode: str, files: Samples, cell: RecordCell) -> None:
    paths = files.media
    calls = [{"path": str(path)} for path in paths.values()]
    messages = await answers(mode, langchain.tool(reading(files)), *calls)
    for (kind, path), message in zip(paths.items(), messages, strict=True):
        [image] = [block for block in message.content_blocks if block["type"] == "image"]
        assert content_bytes(image["base64"]) == path.read_bytes()
        assert image["mime_type"] == f"image/{kind.lower()}"
        assert image["base64"] not in message.text
    cell("PNG", "native")
    cell("JPEG", "native")
    cell("GIF", "native")


async def test_places_need_no_path(mode: str, files: Samples) -> None:
    [message] = await answers(mode, langchain.tool(reading(files)), files.places)
    assert f"2\t{LINES[1]}\n" in message.text
    [image] = [block for block in message.content_blocks if block["type"] == "image"]
    assert content_bytes(image["base64"]) == files.png.read_bytes()
    assert message.status == "success"


async def test_pdf_is_a_file_block(mode: str, files: Samples, cell: RecordCell) -> None:
    [message] = await answers(mode, langchain.tool(reading(files)), {"path": str(files.pdf)})
    [file] = [block for block in message.content_blocks if block["type"] == "file"]
    assert content_bytes(file["base64"]) == files.pdf.read_bytes()
    assert file["mime_type"] == "application/pdf"
    assert file["extras"] == {"filename": "report.pdf"}
    cell("PDF", "native")


async def test_pdf_is_text_and_images_for_a_model_without_pdfs(mode: str, files: Samples) -> None:
    tool = langchain.tool(reading(files, anyread.Model.any()))
    [message] = await answers(mode, tool, {"path": str(files.pdf), "pages": "1"})
    assert PDF_WORDS in message.text
    assert [block["type"] for block in message.content_blocks if block["type"] != "text"] == ["image"]


async def test_model_of_the_tool_replaces_images_with_text(mode: str, files: Samples) -> None:
    text_only = anyread.Model(inputs=frozenset({"text"}))
    tool = langchain.tool(reading(files), model=text_only)
    [message] = await answers(mode, tool, {"path": str(files.png)})
    assert {block["type"] for block in message.content_blocks} == {"text"}
    assert "this model accepts no images" in message.text


async def test_notebook_is_text_and_images(mode: str, files: Samples, cell: RecordCell) -> None:
    [message] = await answers(mode, langchain.tool(reading(files)), {"path": str(files.notebook)})
    assert CODE in message.text
    [image] = [block for block in message.content_blocks if block["type"] == "image"]
    assert content_bytes(image["base64"]) == files.png.read_bytes()
    cell("notebook", "native")


async def test_errors_are_marked_and_the_run_goes_on(mode: str, files: Samples, cell: RecordCell) -> None:
    calls: list[dict[str, Any]] = [
        {"path": str(files.missing)},
        {"path": ["poem.txt"]},
        {"path": str(files.text), "limit": "many"},
        {"path": str(files.text), "self": 1, "config": 2, "run_manager": 3},
        {},
    ]
    messages = await answers(mode, langchain.tool(reading(files)), *calls)
    assert [message.status for message in messages] == ["error"] * 5
    texts = [message.text for message in messages]
    assert "does not exist" in texts[0]
    assert "must be a string" in texts[1]
    assert "`limit`" in texts[2]
    assert "unknown argument 'self'" in texts[3]
    assert "is missing" in texts[4]
    assert all("hint: " in text for text in texts)
    cell("error", "native")


async def test_many_parallel_calls_are_answered_in_order(mode: str, files: Samples) -> None:
    calls = [{"path": str(files.text), "offset": number % 3 + 1, "limit": 1} for number in range(100)]
    messages = await answers(mode, langchain.tool(reading(files)), *calls)
    for number, message in enumerate(messages):
        assert message.text.startswith(f"{number % 3 + 1}\t{LINES[number % 3]}")


async def test_cancelled_run_ends_the_read(files: Samples) -> None:
    call = {"path": str(files.endless), "offset": ENDLESS_OFFSET}
    await cancel_during_read(answers("async", langchain.tool(reading(files)), call), files.endless)


@pytest.mark.parametrize("contract", CONTRACTS)
async def test_every_contract_shows_text_and_errors(contract: str, mode: str, files: Samples) -> None:
    read = anyread.tool(contract, cwd=files.directory, model=anyread.Model.anthropic())
    shown, failed = await answers(
        mode, langchain.tool(read), read.arguments_for(files.text), read.arguments_for(files.missing)
    )
    assert LINES[0] in shown.text
    assert (shown.status, failed.status) == ("success", "error")
    assert failed.text


def test_second_tool_of_a_contract_has_its_own_name_and_schema(files: Samples) -> None:
    read = anyread.tool("forge", cwd=files.directory, model=anyread.Model.anthropic())
    image = langchain.tool(read, name="read_image")
    schema: Any = image.args_schema
    assert (image.name, schema["required"]) == ("read_image", ["path"])
    call = {"name": image.name, "args": {"path": str(files.png)}, "id": "1", "type": "tool_call"}
    [block] = [each for each in image.invoke(call).content_blocks if each["type"] == "image"]
    assert content_bytes(block["base64"]) == files.png.read_bytes()
    with pytest.raises(ValueError, match="unknown tool name 'write'; the names are 'read', 'read_image'"):
        langchain.tool(read, name="write")


async def test_tool_without_arguments_reads_every_path(mode: str, files: Samples) -> None:
    [message] = await answers(mode, langchain.tool(), {"path": str(files.text)})
    assert message.text.startswith(f"1\t{LINES[0]}")


async def test_graph_with_a_tool_node_shows_images_and_errors(mode: str, files: Samples) -> None:
    tool = langchain.tool(reading(files))
    model = FakeModel(tool.name, {"path": str(files.png)}, {"path": str(files.missing)})

    def ask(state: MessagesState) -> dict[str, list[AIMessage]]:
        return {"messages": [model.invoke(state["messages"])]}

    graph = StateGraph(MessagesState)
    graph.add_node("model", ask)
    graph.add_node("tools", ToolNode([tool]))
    graph.set_entry_point("model")
    graph.add_conditional_edges("model", tools_condition)
    graph.add_edge("tools", "model")
    agent = graph.compile()
    given: Any = {"messages": [HumanMessage("go")]}
    state = agent.invoke(given) if mode == "sync" else await agent.ainvoke(given)
    assert state["messages"][-1].text == "done"
    shown, failed = model.shown
    [image] = [block for block in shown.content_blocks if block["type"] == "image"]
    assert content_bytes(image["base64"]) == files.png.read_bytes()
    assert (shown.status, failed.status) == ("success", "error")


def test_model_is_offered_the_schema_of_the_contract(files: Samples) -> None:
    read = reading(files)
    model = FakeModel(read.name, {"path": str(files.text)})
    given: Any = {"messages": [HumanMessage("go")]}
    create_agent(model, tools=[langchain.tool(read)]).invoke(given)
    [offered] = [convert_to_openai_tool(each)["function"] for each in model.tools]
    assert (offered["name"], offered["description"]) == (read.name, read.description)
    assert offered["parameters"] == read.input_schema


def test_program_of_the_readme_shows_the_model_the_image(
    files: Samples, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    readme = (DOCUMENT.parents[1] / "README.md").read_text("utf-8")
    (program,) = re.findall(r"^```python langchain\n(.*?)^```", readme, re.MULTILINE | re.DOTALL)
    model = FakeModel("read", {"path": "chart.png"})

    def agent(name: str, **options: Any) -> Any:
        assert name == "anthropic:claude-sonnet-5"
        return create_agent(model, **options)

    monkeypatch.chdir(files.directory)
    monkeypatch.setattr(agents, "create_agent", agent)
    exec(compile(program, "README.md", "exec"), {})
    assert capsys.readouterr().out == "done\n"
    assert [block["type"] for block in model.shown[0].content_blocks] == ["text", "image"]
