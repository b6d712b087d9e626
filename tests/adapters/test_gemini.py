"""Messages for Gemini's API, validated by the types of Google's SDK."""

from __future__ import annotations

import json
from dataclasses import replace as with_fields
from typing import Any

from adapters.answers import PNG, Answer, check, check_texts
from anyread.adapters import gemini
from anyread.models.model import Model
from anyread.results.blocks import ImageBlock


def validated(parts: list[dict[str, Any]]) -> Any:
    """Validate parts as Python objects and as JSON, and return the SDK's objects."""
    # The SDK would take each worker a second while tests are collected.
    from google.genai import types

    shape = {"role": "user", "parts": parts}
    content = types.Content.model_validate(shape)
    assert types.Content.model_validate_json(json.dumps(shape)) == content
    json.dumps(shape, ensure_ascii=False).encode()
    return content.parts


def inline(part: Any) -> tuple[str, bytes]:
    assert part.inline_data is not None
    return part.inline_data.mime_type, part.inline_data.data


def expected(answer: Answer, name: str) -> Answer:
    """Return what Gemini must receive; it does not accept GIF."""
    if name != "gif":
        return answer
    texts = (
        *answer.texts,
        f"[image: GIF 20×20, {len(answer.media[0]):,} bytes; not shown: this model does not accept",
    )
    return with_fields(answer, media=(), texts=texts)


def test_answer_is_a_function_response(answer: Answer, name: str) -> None:
    (part,) = validated([gemini.function_response(answer.source, name="read", id="call-1")])
    response = part.function_response
    assert (response.id, response.name) == ("call-1", "read")
    assert list(response.response) == ["error" if answer.is_error else "output"]
    media = [inline(item) for item in response.parts or []]
    text = response.response["error" if answer.is_error else "output"]
    check(expected(answer, name), [text], [data for _, data in media])
    assert {media_type for media_type, _ in media} <= {
        "image/png",
        "image/jpeg",
        "image/webp",
        "application/pdf",
    }
    labels = [item.inline_data.display_name for item in response.parts or []]
    assert len(labels) == len(set(labels))
    assert all(text.count(f"[{label}]") == 1 for label in labels)


def test_answer_is_a_function_response_followed_by_media(answer: Answer, name: str) -> None:
    first, *rest = validated(gemini.function_response_and_media(answer.source, name="read"))
    assert first.function_response.parts is None
    assert first.function_response.id is None
    output = first.function_response.response["error" if answer.is_error else "output"]
    check_texts(expected(answer, name), [output])
    introduced = [part.text for part in rest[::2]]
    assert all(text in output for text in introduced)
    assert tuple(inline(part)[1] for part in rest[1::2]) == expected(answer, name).media


def test_history_may_have_the_field_names_of_python() -> None:
    part = validated(gemini.content(ImageBlock.from_bytes(PNG)))[0]
    dumped = part.model_dump(exclude_none=True)
    assert "inline_data" in dumped
    end = "; removed from this history; read it again to see it]"
    assert gemini.without_media([dumped]) == [{"text": f"[image: PNG 40×30, {len(PNG):,} bytes{end}"}]
    in_json = part.model_dump(mode="json", exclude_none=True)
    assert gemini.without_media([in_json]) == gemini.without_media([dumped])
    linked: list[Any] = [{"file_data": {"file_uri": "gs://a/b.pdf", "mime_type": "application/pdf"}}]
    assert gemini.without_media(linked) == [{"text": f"[document: `gs://a/b.pdf`, application/pdf{end}"}]
    dumped = {"function_response": {"name": "read", "parts": [dumped]}}
    stripped = gemini.without_media(dumped)
    validated([stripped])
    assert stripped["function_response"]["response"]["output"].startswith("[image: PNG 40×30")


def test_model_decides_which_types_are_sent() -> None:
    block = ImageBlock.from_bytes(PNG)
    only_jpeg = with_fields(Model.gemini(), image_types=("image/jpeg",))
    (part,) = gemini.content(block, model=only_jpeg)
    assert "this model does not accept image/png" in part["text"]
