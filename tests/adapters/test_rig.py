"""Content for rig, in the shape that its serde types read and write (see the docstring of the adapter)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from adapters.answers import PDF, PNG, texts
from anyread.adapters import rig
from anyread.models.model import Model
from anyread.results.blocks import DocumentBlock, ImageBlock

IMAGES = {"png", "jpeg", "gif", "webp"}


def check_shape(parts: list[dict[str, Any]], kinds: set[str]) -> None:
    """Check every field; rig ignores those that it does not know, and refuses a part without the others."""
    assert parts
    for part in parts:
        assert part["type"] in kinds
        if part["type"] == "text":
            assert set(part) == {"type", "text"}
        else:
            assert set(part) <= {"type", "data", "media_type", "detail"}
            assert set(part["data"]) == {"type", "value"}
            assert part["data"]["type"] == "base64"
            assert part["media_type"] in (IMAGES if part["type"] == "image" else {"pdf"})
    json.dumps(parts, ensure_ascii=False).encode()


@pytest.mark.parametrize(("detail", "sent"), [(None, None), ("low", "low"), ("original", None)])
def test_detail_is_one_that_rig_has(detail: Any, sent: Any) -> None:
    (image,) = rig.content(ImageBlock.from_bytes(PNG), model=Model(image_detail=detail))
    assert image.get("detail") == sent


def test_history_without_media_has_their_descriptions() -> None:
    document = DocumentBlock.from_bytes(PDF, name="a.pdf", page_count=3)
    message = rig.content([ImageBlock.from_bytes(PNG), document], model=Model.anthropic())
    seen = rig.tool_result_content(ImageBlock.from_bytes(PNG))
    answered = {"type": "toolresult", "call": "1", "name": "read", "content": seen}
    linked = {"type": "image", "data": {"type": "url", "value": "https://example.com/a.png"}}
    history: list[dict[str, Any]] = [{"role": "user", "content": [*message, answered, linked]}]
    before = json.dumps(history)
    (stripped,) = rig.without_media(history)
    assert json.dumps(history) == before
    *parts, result, last = stripped["content"]
    shown = texts([*parts, *result["content"], last])
    assert [text.partition(";")[0] for text in shown] == [
        f"[image: PNG 40×30, {len(PNG):,} bytes",
        f"[document: application/pdf, {len(PDF):,} bytes",
        f"[image: PNG 40×30, {len(PNG):,} bytes",
        "[image: `https://example.com/a.png`, image/*",
    ]
