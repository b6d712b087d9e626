"""Messages for OpenAI's Responses API, validated by the types of its SDK."""

from __future__ import annotations

from adapters.answers import PNG, validate
from anyread.adapters import openai_responses
from anyread.models.model import Model
from anyread.results.blocks import ImageBlock

OUTPUT = "openai.types.responses.response_input_item_param", "FunctionCallOutput"
MESSAGE = "openai.types.responses.response_input_param", "Message"


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
