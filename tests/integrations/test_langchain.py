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
from cells import DOCUMENT
from framework_tests import Answer, Call, FrameworkTests, Run
from langchain_fakes import FakeModel
from samples import PDF_WORDS, Samples, content_bytes

MODES = ("sync", "async")


async def shown(mode: str, tool: langchain.LangchainTool, *calls: Call) -> list[ToolMessage]:
    """Run an agent whose model makes these calls, and return what the model was shown."""
    model = FakeModel(tool.name, *map(dict, calls))
    agent = create_agent(model, tools=[tool])
    given: Any = {"messages": [HumanMessage("go")]}
    state = agent.invoke(given) if mode == "sync" else await agent.ainvoke(given)
    assert state["messages"][-1].text == "done"
    assert len(model.shown) == len(calls)
    return model.shown


def reading(files: Samples, model: anyread.Model | None = None) -> anyread.Tool:
    return anyread.tool("anyread", roots=[files.directory], model=model or anyread.Model.anthropic())


class TestReading(FrameworkTests):
    model = anyread.Model.anthropic()

    async def answers(self, run: Run) -> list[Answer]:
        found = []
        for message in await shown(
            run.mode, langchain.tool(run.read, name=run.name, model=run.model), *run.calls
        ):
            blocks: list[Any] = message.content_blocks
            images = [block for block in blocks if block["type"] == "image"]
            found.append(
                Answer(
                    message.text,
                    tuple((image["mime_type"], content_bytes(image["base64"])) for image in images),
                    tuple(content_bytes(block["base64"]) for block in blocks if block["type"] == "file"),
                    message.status == "error",
                )
            )
        return found


async def test_artifact_is_the_result(mode: str, files: Samples) -> None:
    [message] = await shown(mode, langchain.tool(reading(files)), {"path": str(files.text)})
    assert message.artifact["total_lines"] == 3


async def test_pdf_has_the_name_of_its_file(mode: str, files: Samples) -> None:
    [message] = await shown(mode, langchain.tool(reading(files)), {"path": str(files.pdf)})
    [file] = [block for block in message.content_blocks if block["type"] == "file"]
    assert file["mime_type"] == "application/pdf"
    assert file["extras"] == {"filename": "report.pdf"}


async def test_pdf_is_text_and_images_for_a_model_without_pdfs(mode: str, files: Samples) -> None:
    tool = langchain.tool(reading(files, anyread.Model.any()))
    [message] = await shown(mode, tool, {"path": str(files.pdf), "pages": "1"})
    assert PDF_WORDS in message.text
    assert [block["type"] for block in message.content_blocks if block["type"] != "text"] == ["image"]


def test_second_tool_of_a_contract_has_its_own_schema() -> None:
    image = langchain.tool(anyread.tool("forge"), name="read_image")
    schema: Any = image.args_schema
    assert (image.name, schema["required"]) == ("read_image", ["path"])


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
    good, failed = model.shown
    [image] = [block for block in good.content_blocks if block["type"] == "image"]
    assert content_bytes(image["base64"]) == files.png.read_bytes()
    assert (good.status, failed.status) == ("success", "error")


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
