"""Messages for OpenAI's Responses API, validated by the types of its SDK."""

from __future__ import annotations

import json
from typing import Any

from adapters.answers import PNG, Answer, check, of_data_url, validate
from anyread.adapters import openai_responses
from anyread.models.model import Model
from anyread.results.blocks import ImageBlock, inspected

OUTPUT = "openai.types.responses.response_input_item_param", "FunctionCallOutput"
MESSAGE = "openai.types.responses.response_input_param", "Message"


def texts(parts: list[dict[str, Any]]) -> list[str]:
    return [part["text"] for part in parts if part["type"] == "input_text"]


def media(parts: list[dict[str, Any]]) -> list[bytes | str]:
    found: list[bytes | str] = []
    for part in parts:
        if part["type"] == "input_image":
            data = of_data_url(part["image_url"], part["image_url"][5:].partition(";")[0])
            found.append(data)
        elif part["type"] == "input_file":
            found.append(of_data_url(part["file_data"], "application/pdf"))
    return found


def test_answer_is_a_function_call_output(answer: Answer) -> None:
    shape = openai_responses.function_call_output(answer.source, call_id="call_1")
    validate(OUTPUT, shape)
    assert shape["call_id"] == "call_1"
    check(answer, texts(shape["output"]), media(shape["output"]))
    assert answer.is_error == texts(shape["output"])[0].startswith("error: ")


def test_answer_is_the_content_of_a_message(answer: Answer) -> None:
    parts = openai_responses.content(answer.source)
    validate(MESSAGE, {"role": "user", "content": parts})
    check(answer, texts(parts), media(parts))


def test_history_without_media_is_valid(answer: Answer) -> None:
    output = openai_responses.function_call_output(answer.source, call_id="call_1")
    message = {"role": "user", "content": openai_responses.content(answer.source)}
    before = json.dumps([output, message])
    stripped: list[Any] = openai_responses.without_media([output, message])
    validate(OUTPUT, stripped[0])
    validate(MESSAGE, stripped[1])
    assert json.dumps([output, message]) == before
    assert media(stripped[0]["output"]) == media(stripped[1]["content"]) == []
    shown = texts(stripped[0]["output"])
    assert sum("removed from this history" in text for text in shown) == len(answer.media)


def test_data_url_has_the_type_of_the_bytes(every_answer: dict[str, Answer]) -> None:
    for name in ("png", "jpeg", "gif"):
        answer = every_answer[name]
        part = openai_responses.content(answer.source)[-1]
        assert part["image_url"].startswith(f"data:{inspected(answer.media[0])[0]};base64,")


def test_image_detail_comes_from_the_model() -> None:
    block = ImageBlock.from_bytes(PNG)
    assert openai_responses.content(block)[0]["detail"] == "high"
    models = [Model(image_detail="low"), Model(image_detail="original"), Model()]
    for model, sent in zip(models, ("low", "original", "auto"), strict=True):
        shape = openai_responses.function_call_output(block, call_id="a", model=model)
        validate(OUTPUT, shape)
        assert shape["output"][0]["detail"] == sent


def test_history_describes_removed_media() -> None:
    history = [
        {"type": "input_image", "file_id": "file-1", "detail": "auto"},
        {"type": "input_file", "file_url": "https://example.org/a.pdf"},
        {"type": "input_file", "filename": "b.pdf", "file_data": "data:application/pdf;base64,JVBERi0="},
    ]
    end = "; removed from this history; read it again to see it]"
    assert [part["text"] for part in openai_responses.without_media(history)] == [
        f"[image: `file-1`, image/*{end}",
        f"[document: `https://example.org/a.pdf`, application/pdf{end}",
        f"[document: `b.pdf`, application/pdf, 5 bytes{end}",
    ]
