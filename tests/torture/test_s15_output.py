"""S15: every answer can be serialized, whatever the file, its name or the arguments contain."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import anyread
from anyread.adapters import anthropic, bedrock, gemini, mcp, openai_chat, openai_responses, rig
from anyread.adapters.content import Readables
from anyread.results.blocks import DocumentBlock, ImageBlock
from anyread.tools import CONTRACTS
from helpers.media import drawing, encoded, text_pdf
from torture.output_samples import Sample, Tally, arguments_of, write_samples

PDF = text_pdf(1)
PNG = encoded(drawing(8, 8), "PNG")

CONVERSIONS: dict[str, Callable[[Readables], object]] = {
    "anthropic.content": anthropic.content,
    "anthropic.tool_result": lambda source: anthropic.tool_result(source, tool_use_id="a"),
    "bedrock.content": lambda source: bedrock.content(source, base64=True, citations=True),
    "bedrock.tool_result": lambda source: bedrock.tool_result(source, tool_use_id="a", base64=True),
    "gemini.content": gemini.content,
    "gemini.function_response": lambda source: gemini.function_response(source, name="read"),
    "gemini.function_response_and_media": lambda source: gemini.function_response_and_media(
        source, name="read"
    ),
    "mcp.content": lambda source: mcp.content(source, embed_documents=True),
    "mcp.call_tool_result": mcp.call_tool_result,
    "openai_chat.content": openai_chat.content,
    "openai_chat.messages": lambda source: openai_chat.messages(
        [openai_chat.tool_messages(source, tool_call_id="a")]
    ),
    "openai_responses.content": openai_responses.content,
    "openai_responses.output": lambda source: openai_responses.function_call_output(source, call_id="a"),
    "rig.content": rig.content,
    "rig.tool_result_content": rig.tool_result_content,
}


def answers(sample: Sample, reader: anyread.Reader) -> Iterator[Readables]:
    """Yield the result or the error of each read, and results that a host makes itself."""
    calls: list[tuple[Any, dict[str, Any]]] = [
        (sample.file, {"kind": "text"}),
        (sample.file, {}),
        (sample.notebook, {}),
        (sample.notebook, {"kind": "text"}),
        (sample.text, {}),
        (f"{sample.file}{sample.text}", {}),
        *((sample.file, {**arguments, "kind": "text"}) for arguments in sample.arguments),
        (sample.file, {"kind": sample.text}),
    ]
    for path, arguments in calls:
        try:
            page = reader.read_sync(path, **arguments)
            yield page
            # A file that was just written may have no version yet.
            if page.version:
                yield reader.read_sync(path, **{**arguments, "unless_version": page.version})
        except anyread.ReadError as error:
            yield error
            yield anyread.Failed(error.path, error)
    yield [
        anyread.TextBlock(sample.text),
        ImageBlock.from_bytes(PNG),
        DocumentBlock.from_bytes(PDF, name=f"{sample.text}.pdf", page_count=1),
    ]


def to_dict(answer: Any) -> object:
    return None if isinstance(answer, anyread.Failed) else answer.to_dict(include_bytes=True)


def to_json(answer: Any) -> object:
    return None if isinstance(answer, anyread.Failed) else answer.to_json()


def describe(reader: anyread.Reader, sample: Sample) -> object:
    return reader.info_sync(sample.file).to_dict()


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_results_and_adapters_serialize_any_string(
    tmp_path: Path, scale: Callable[..., int], score: Any
) -> None:
    tally = Tally()
    reader = anyread.Reader()
    for sample in write_samples(tmp_path, scale(12, 1_000)):
        for answer in answers(sample, reader):
            if not isinstance(answer, list):
                tally.check("to_dict", sample.text, to_dict, answer)
                tally.check("to_json", sample.text, to_json, answer)
            for name, convert in CONVERSIONS.items():
                tally.check(name, sample.text, convert, answer)
        tally.check("info", sample.text, describe, reader, sample)
    print("\n".join(tally.failures[:40]))
    score("S15", "results and adapters", failures=len(tally.failures), of=tally.checked, unit="answers")


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_contracts_serialize_any_string(tmp_path: Path, scale: Callable[..., int], score: Any) -> None:
    tally = Tally()
    samples = write_samples(tmp_path, scale(12, 1_000))
    for name in CONTRACTS:
        tool = anyread.tool(name, cwd=tmp_path)
        for definition in tool.definitions():
            path, fixed, others = arguments_of(definition)
            for sample in samples:
                file, text = str(sample.file), sample.text
                calls: list[dict[str, Any]] = [
                    {path: file},
                    {path: str(sample.notebook)},
                    {path: text},
                    {path: f"{file}{text}"},
                    {text: text},
                    *({path: file, other: text} for other in others),
                    {path: file, text: [text, {text: text}]},
                    {path: [text]},
                ]
                for arguments in calls:
                    check_tool(tally, tool, definition.name, {**fixed, **arguments}, text)
    print("\n".join(tally.failures[:40]))
    score("S15", "contracts", failures=len(tally.failures), of=tally.checked, unit="answers")


def check_tool(tally: Tally, tool: anyread.Tool, name: str, arguments: dict[str, Any], text: str) -> None:
    """Check an answer, and the texts that a model sees of it."""
    called = f"{tool.name}/{name}"
    outputs: list[Any] = []

    def call() -> object:
        outputs.append(tool.call_sync(arguments, name=name))
        return outputs[0]

    tally.check(called, text, call)
    for output in outputs:
        blocks = tool.blocks(output)
        tally.check(f"{called} blocks", text, lambda: [getattr(block, "text", "") for block in blocks])  # noqa: B023 - called at once
        tally.check(f"{called} for MCP", text, mcp.call_tool_result, blocks)
