"""Images and PDFs in forge's tools: data URLs, what the model accepts, `read_image`."""

from __future__ import annotations

import base64
from typing import Any

import pytest

import anyread
from media import decoded, drawing, encoded, text_pdf

PNG = encoded(drawing(40, 30), "PNG")


@pytest.fixture
def tool(tmp_path: Any) -> Any:
    return anyread.tool("forge", cwd=tmp_path)


def read(tool: Any, directory: Any, name: Any, data: Any, tool_name: Any = None) -> Any:
    (directory / name).write_bytes(data)
    return tool.call_sync({"path": name}, name=tool_name)


def media_of(answer: Any) -> Any:
    [value] = answer["values"]
    media_type, _, data = value["image"]["url"].removeprefix("data:").partition(";base64,")
    assert media_type == value["image"]["mime_type"] == answer["mime_type"]
    return media_type, base64.b64decode(data, validate=True)


def test_model_without_pdf_input_is_refused_a_pdf(tmp_path: Any) -> None:
    without_pdf = anyread.tool("forge", cwd=tmp_path, model=anyread.Model.any())
    assert read(without_pdf, tmp_path, "a.pdf", text_pdf(1)) == {
        "is_error": True,
        "text": "Tool 'read' requires pdf modality, but model only supports: text, image",
    }


def test_only_model_limits_set_by_the_host_apply(tool: Any, tmp_path: Any) -> None:
    facts = anyread.Model(inputs=frozenset({"text", "image", "pdf"}), max_long_edge=20, max_pdf_pages=1)
    small = anyread.tool("forge", cwd=tmp_path, model=facts)
    assert decoded(media_of(read(small, tmp_path, "a.png", PNG))[1]).size == (20, 15)
    assert media_of(read(small, tmp_path, "a.pdf", text_pdf(1)))[1] == text_pdf(1)
    assert read(small, tmp_path, "b.pdf", text_pdf(2))["is_error"] is True
    assert media_of(read(tool, tmp_path, "b.pdf", text_pdf(2)))[1] == text_pdf(2)
