"""Answers of every kind as messages for each API, validated by the types of its SDK."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import pytest

from adapters.answers import PDF, Answer, check, media, texts, validate
from adapters.test_bedrock import sent as sent_by_botocore
from adapters.test_gemini import validated as validated_by_google
from adapters.test_mcp import validated as validated_by_mcp
from adapters.test_rig import check_shape
from anyread.adapters import anthropic, bedrock, gemini, mcp, openai_chat, openai_responses, rig
from anyread.models.model import Model


class Api(NamedTuple):
    """How an adapter is called, and what judges its shapes; each judge gets one message or its content."""

    adapter: Any
    tool: Callable[[Any], Any]
    is_error: Callable[[Any], bool]
    judge_tool: Callable[[Any], object]
    judge_content: Callable[[Any], object]
    content: Callable[[Any], Any] | None = None


def of_openai(*name: str) -> Callable[[Any], object]:
    return lambda shape: validate(("openai.types." + name[0], name[1]), shape)


def as_user(judge: Callable[[Any], object], field: str = "content") -> Callable[[Any], object]:
    """Return the judge of a message as one of its content."""
    return lambda content: judge({"role": "user", field: content})


def judge_chat(messages: list[dict[str, Any]]) -> None:
    tool, *users = messages
    of_openai("chat", "ChatCompletionToolMessageParam")(tool)
    for user in users:
        of_openai("chat", "ChatCompletionUserMessageParam")(user)


def starts_with_error(shape: Any) -> bool:
    return next(iter(texts(shape))).startswith("error: ")


APIS = {
    "anthropic": Api(
        anthropic,
        lambda source: anthropic.tool_result(source, tool_use_id="call_1"),
        lambda shape: shape.get("is_error", False) and shape["tool_use_id"] == "call_1",
        lambda shape: validate(("anthropic.types", "ToolResultBlockParam"), shape),
        as_user(lambda message: validate(("anthropic.types", "MessageParam"), message)),
    ),
    "bedrock": Api(
        bedrock,
        lambda source: bedrock.tool_result(source, tool_use_id="call_1"),
        lambda shape: shape["toolResult"].get("status") == "error",
        lambda shape: sent_by_botocore([shape]),
        sent_by_botocore,
    ),
    "gemini": Api(
        gemini,
        lambda source: gemini.function_response(source, name="read", id="call_1"),
        lambda shape: [*shape["functionResponse"]["response"]] == ["error"],
        lambda shape: validated_by_google([shape]),
        validated_by_google,
    ),
    "mcp": Api(
        mcp,
        lambda source: mcp.call_tool_result(source, embed_documents=True),
        lambda shape: shape["isError"],
        validated_by_mcp,
        lambda content: validated_by_mcp({"content": content}),
        lambda source: mcp.content(source, embed_documents=True),
    ),
    "openai_chat": Api(
        openai_chat,
        lambda source: openai_chat.messages([openai_chat.tool_messages(source, tool_call_id="call_1")]),
        starts_with_error,
        judge_chat,
        as_user(of_openai("chat", "ChatCompletionUserMessageParam")),
    ),
    "openai_responses": Api(
        openai_responses,
        lambda source: openai_responses.function_call_output(source, call_id="call_1"),
        starts_with_error,
        of_openai("responses.response_input_item_param", "FunctionCallOutput"),
        as_user(of_openai("responses.response_input_param", "Message")),
    ),
    "rig": Api(
        rig,
        lambda source: rig.tool_result_content(source, model=Model.anthropic()),
        starts_with_error,
        lambda parts: check_shape(parts, {"text", "image"}),
        lambda parts: check_shape(parts, {"text", "image", "document"}),
        lambda source: rig.content(source, model=Model.anthropic()),
    ),
}


def expected(answer: Answer, name: str, api: str, *, of_tool: bool) -> Answer:
    """Return what the API must receive: Gemini accepts no GIF, and a tool of rig sends no documents."""
    if api == "gemini" and name == "gif":
        shown = f"[image: GIF 20×20, {len(answer.media[0]):,} bytes; not shown: this model does not accept"
        return replace(answer, media=(), texts=(*answer.texts, shown))
    if api == "rig" and of_tool:
        return replace(answer, media=tuple(each for each in answer.media if each != PDF))
    return answer


@pytest.fixture(params=APIS)
def api(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_answer_is_that_of_a_tool(answer: Answer, name: str, api: str) -> None:
    shape = APIS[api].tool(answer.source)
    APIS[api].judge_tool(shape)
    check(expected(answer, name, api, of_tool=True), texts(shape), media(shape))
    assert APIS[api].is_error(shape) == answer.is_error


def test_answer_is_the_content_of_a_message(answer: Answer, name: str, api: str) -> None:
    shape = (APIS[api].content or APIS[api].adapter.content)(answer.source)
    APIS[api].judge_content(shape)
    check(expected(answer, name, api, of_tool=False), texts(shape), media(shape))


def test_history_without_media_is_valid(answer: Answer, name: str, api: str) -> None:
    row = APIS[api]
    history = [row.tool(answer.source), (row.content or row.adapter.content)(answer.source)]
    before = copy.deepcopy(history)
    stripped = row.adapter.without_media(history)
    assert history == before
    row.judge_tool(stripped[0])
    row.judge_content(stripped[1])
    for shape, of_tool in zip(stripped, (True, False), strict=True):
        assert media(shape) == []
        removed = "".join(texts(shape)).count("removed from this history")
        assert removed == len(expected(answer, name, api, of_tool=of_tool).media)
    if api != "bedrock":
        json.dumps(stripped, ensure_ascii=False).encode()
