"""The parts of answers as blocks."""

from __future__ import annotations

from base64 import b64encode
from typing import Any

import pytest

from anyread.results import TextBlock
from anyread.results.blocks import DocumentBlock, ImageBlock
from anyread.tools.parts.attachments import blocks_of
from helpers.media import drawing, encoded, text_pdf

PNG = encoded(drawing(30, 20), "PNG")
BASE64 = b64encode(PNG).decode()


@pytest.mark.parametrize(
    "part",
    [
        {"type": "image", "data": BASE64, "mimeType": "image/png"},
        {"type": "image", "base64": BASE64, "mime_type": "image/png"},
        {"data": BASE64, "mediaType": "image/png"},
        {"inlineData": {"data": BASE64, "mimeType": "image/png"}},
        {"type": "resource", "resource": {"blob": BASE64, "mimeType": "image/png", "uri": "file:///a"}},
        {"type": "image", "source": {"type": "base64", "data": BASE64, "media_type": "image/png"}},
        {"type": "file", "mime": "image/png", "url": f"data:image/png;base64,{BASE64}"},
    ],
)
def test_image_is_found_under_every_name(part: Any) -> None:
    [block] = blocks_of([part])
    assert isinstance(block, ImageBlock)
    assert block.data == PNG


def test_document_has_the_name_of_its_file() -> None:
    part = {"data": b64encode(text_pdf(1)).decode(), "mimeType": "application/pdf"}
    [block] = blocks_of([part], name="a.pdf")
    assert isinstance(block, DocumentBlock)
    assert block.name == "a.pdf"


def test_empty_texts_are_left_out() -> None:
    assert blocks_of(["", {"text": ""}, "a", {"text": "b"}]) == [TextBlock("a"), TextBlock("b")]
    assert blocks_of([""]) == []
    assert blocks_of([""], empty="[empty]") == [TextBlock("[empty]")]
