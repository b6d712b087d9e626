"""Messages for Anthropic's API, validated by the types of its SDK."""

from __future__ import annotations

import anyread
from adapters.answers import GIF, PDF, PNG, Answer, media, validate
from anyread.adapters import anthropic
from anyread.models.model import Model
from anyread.results.blocks import DocumentBlock

TOOL_RESULT = "anthropic.types", "ToolResultBlockParam"
MESSAGE = "anthropic.types", "MessageParam"


def test_documents_can_be_cited(every_answer: dict[str, Answer]) -> None:
    source = every_answer["pdf_document"].source
    shape = anthropic.tool_result(source, tool_use_id="toolu_1", citations=True)
    validate(TOOL_RESULT, shape)
    assert shape["content"][1]["citations"] == {"enabled": True}
    assert shape["content"][1]["title"] == "report_v1.pdf"
    assert "citations" not in anthropic.content(source)[1]


def test_long_title_is_cut() -> None:
    block = DocumentBlock.from_bytes(PDF, name="a" * 600, page_count=3)
    assert len(anthropic.content(block)[0]["title"]) == 500


def test_history_describes_removed_media() -> None:
    inner = anthropic.content(anyread.ImageBlock.from_bytes(GIF))
    history = [
        *anthropic.content(anyread.ImageBlock.from_bytes(PNG)),
        {"type": "document", "title": "a.pdf", "source": {"type": "content", "content": inner}},
        {"type": "image", "source": {"type": "url", "url": "https://example.org/a.png"}},
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "!"}},
    ]
    end = "; removed from this history; read it again to see it]"
    stripped = anthropic.without_media(history)
    assert stripped[0]["text"] == f"[image: PNG 40×30, {len(PNG):,} bytes{end}"
    assert stripped[1]["source"]["content"][0]["text"] == f"[image: GIF 20×20, {len(GIF):,} bytes{end}"
    assert stripped[2]["text"] == f"[image: `https://example.org/a.png`, image/*{end}"
    assert stripped[3]["text"] == f"[image: image/png{end}"


def test_text_only_model_gets_text(every_answer: dict[str, Answer]) -> None:
    for name in ("png", "pdf_document", "blocks"):
        shape = anthropic.tool_result(
            every_answer[name].source, tool_use_id="toolu_1", model=Model.text_only()
        )
        validate(TOOL_RESULT, shape)
        assert media(shape["content"]) == []
