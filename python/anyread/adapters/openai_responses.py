"""OpenAI's Responses API: input content and `function_call_output`.

| anyread | Responses |
| --- | --- |
| text | `input_text` |
| image | `input_image` with a data URL and the model's `detail` |
| PDF | `input_file` with a data URL |
| error | `input_text` that starts with "error: ", because there is no flag |

Source: developers.openai.com/api/docs, guides "Function calling", "Images and vision" and "File
inputs", 2026-09-08; the types of the SDK `openai` 3.54.0.
"""

from __future__ import annotations

from typing import Any

from anyread.models.model import Model
from anyread.results import Block
from anyread.results.blocks import DocumentBlock, ImageBlock

from .content import Readables, answer, data_url, document_name
from .history import Content, replaced, url_summary

_MODEL = Model.openai()
_BELOW = frozenset({"content", "output", "input"})


def content(source: Readables, *, model: Model | None = None) -> list[dict[str, Any]]:
    r"""Return input content for a user message or a `function_call_output`.

    Args:
        source: A result, an error, blocks, or several of these.
        model: What the model accepts; `None`: `Model.openai()`. Anything else becomes text.

    Returns:
        Content parts; at least one, and no text is blank.

    Raises:
        TypeError: The source is anything else.

    Example:
        >>> openai_responses.content(page)
        [{'type': 'input_text', 'text': '1\tTyger Tyger, burning bright,\n[line 1 of 2 · next: offset=2]'}]
    """
    return _parts(source, model, is_error=None)


def function_call_output(
    source: Readables, *, call_id: str, is_error: bool | None = None, model: Model | None = None
) -> dict[str, Any]:
    """Answer a `function_call` item.

    Args:
        source: A result, an error, blocks, or several of these.
        call_id: The `call_id` of the item.
        is_error: Whether this is an error, as returned by `Tool.failed`; `None`: determined from the source.
        model: What the model accepts; `None`: `Model.openai()`. Anything else becomes text.

    Returns:
        The item, for the next `input`.

    Raises:
        TypeError: The source is anything else.

    Example:
        >>> openai_responses.function_call_output(error, call_id="call_1")["output"][0]["text"]
        'error: `gone.txt` does not exist...'
    """
    return {
        "type": "function_call_output",
        "call_id": call_id,
        "output": _parts(source, model, is_error=is_error),
    }


def without_media(content: Content) -> Content:
    """Replace every image and file of a history with a line of text.

    Args:
        content: Items, content parts, or one of them; it is not changed.

    Example:
        >>> openai_responses.without_media(openai_responses.content(view))[1]["text"]
        '[image: PNG 40×30, ... bytes; removed from this history; read it again to see it]'
    """
    return replaced(content, _instead, _BELOW)


def _parts(source: Readables, model: Model | None, *, is_error: bool | None) -> list[dict[str, Any]]:
    accepted = model or _MODEL
    # A still GIF is accepted; `Model.openai` lists no GIF, so that readers convert all of them to PNG.
    blocks = answer(source, accepted, is_error=is_error, flags_errors=False, still_gif=True).blocks
    return [_converted(block, accepted) for block in blocks]


def _converted(block: Block, model: Model) -> dict[str, Any]:
    if isinstance(block, ImageBlock):
        return {"type": "input_image", "image_url": data_url(block), "detail": model.image_detail or "auto"}
    if isinstance(block, DocumentBlock):
        return {"type": "input_file", "filename": document_name(block), "file_data": data_url(block)}
    return {"type": "input_text", "text": block.text}


def _instead(part: dict[str, Any]) -> dict[str, Any] | None:
    if part.get("type") == "input_image":
        text = url_summary(part.get("image_url") or part.get("file_id") or "", "image/*")
    elif part.get("type") == "input_file":
        url = part.get("file_data") or part.get("file_url") or part.get("file_id") or ""
        text = url_summary(url, "application/pdf", part.get("filename"))
    else:
        return None
    return {"type": "input_text", "text": text}
