"""Google's Gemini API: parts of a content, and `functionResponse`.

| anyread | Gemini |
| --- | --- |
| text | `text`; in a function response `response.output` |
| image | `inlineData`; in a function response among its `parts` |
| PDF | the same |
| GIF | a line of text: a function response accepts PNG, JPEG and WebP |
| error | `response.error` |

In a function response the media are separate from the text, which has `[image-1.png]` in their place;
`displayName` is the same name. Bytes are base64 in the standard alphabet, which both the SDK's types
and HTTP accept.

Source: ai.google.dev/gemini-api/docs, "Function calling" and "Image understanding", 2026-09-23; the
types of the SDK `google-genai` 3.4.0.
"""

from __future__ import annotations

from typing import Any

from anyread.models.model import Model
from anyread.results import Block, TextBlock
from anyread.results.blocks import DocumentBlock, ImageBlock

from .content import Readables, answer, separated
from .history import Content, replaced, summary

_MODEL = Model.gemini()
_BELOW = frozenset({"contents", "parts"})


def content(source: Readables, *, model: Model | None = None) -> list[dict[str, Any]]:
    r"""Return the parts of a user content.

    Args:
        source: A result, an error, blocks, or several of these.
        model: What the model accepts; `None`: `Model.gemini()`. Anything else becomes text.

    Returns:
        Parts; at least one, and no text is blank.

    Raises:
        TypeError: The source is anything else.

    Example:
        >>> gemini.content(page)
        [{'text': '1\tTyger Tyger, burning bright,\n[line 1 of 2 · next: offset=2]'}]
    """
    return [_converted(block) for block in answer(source, model or _MODEL, flags_errors=False).blocks]


def function_response(
    source: Readables,
    *,
    name: str,
    id: str | None = None,  # noqa: A002 (Google's own word)
    is_error: bool | None = None,
    model: Model | None = None,
) -> dict[str, Any]:
    """Answer a `functionCall`, for Gemini 3 and later.

    Args:
        source: A result, an error, blocks, or several of these.
        name: The `name` of the call.
        id: The `id` of the call; `None`: it has none.
        is_error: Whether this is an error, as returned by `Tool.failed`; `None`: determined from the source.
        model: What the model accepts; `None`: `Model.gemini()`. Anything else becomes text.

    Returns:
        The part, for the next content of the role `user`, with the media inside it.

    Raises:
        TypeError: The source is anything else.

    Example:
        >>> gemini.function_response(error, name="read")["functionResponse"]["response"]
        {'error': '`gone.txt` does not exist...'}
    """
    response, media = _response(source, name, id, model or _MODEL, is_error=is_error)
    if media:
        response["parts"] = [_inline(block, label) for block, label in media]
    return {"functionResponse": response}


def function_response_and_media(
    source: Readables,
    *,
    name: str,
    id: str | None = None,  # noqa: A002 (Google's own word)
    is_error: bool | None = None,
    model: Model | None = None,
) -> list[dict[str, Any]]:
    """Answer a `functionCall` for models before Gemini 3, which accept no media inside a response.

    Args:
        source: A result, an error, blocks, or several of these.
        name: The `name` of the call.
        id: The `id` of the call; `None`: it has none.
        is_error: Whether this is an error, as returned by `Tool.failed`; `None`: determined from the source.
        model: What the model accepts; `None`: `Model.gemini()`. Anything else becomes text.

    Returns:
        The parts, for the next content of the role `user`: the response, then all media, each after
        a text with its name. With several calls, put all responses before all media.

    Raises:
        TypeError: The source is anything else.

    Example:
        >>> [*map(list, gemini.function_response_and_media(view, name="read"))]
        [['functionResponse'], ['text'], ['inlineData']]
    """
    response, media = _response(source, name, id, model or _MODEL, is_error=is_error)
    parts: list[dict[str, Any]] = [{"functionResponse": response}]
    for block, label in media:
        parts += [{"text": f"[{label}]"}, _converted(block)]
    return parts


def without_media(content: Content) -> Content:
    """Replace every image and document of a history with a line of text.

    Args:
        content: Contents, parts, or one of them; it is not changed.

    Example:
        >>> gemini.without_media(gemini.content(view))[1]["text"]
        '[image: PNG 40×30, ... bytes; removed from this history; read it again to see it]'
    """
    return replaced(content, _instead, _BELOW)


def _response(
    source: Readables, name: str, call_id: str | None, model: Model, *, is_error: bool | None
) -> tuple[dict[str, Any], list[tuple[ImageBlock | DocumentBlock, str]]]:
    blocks, is_error = answer(source, model, is_error=is_error)
    text, media = separated(blocks)
    response: dict[str, Any] = {} if call_id is None else {"id": call_id}
    response |= {"name": name, "response": {"error" if is_error else "output": text}}
    return response, media


def _converted(block: Block) -> dict[str, Any]:
    return {"text": block.text} if isinstance(block, TextBlock) else _inline(block)


def _inline(block: ImageBlock | DocumentBlock, label: str = "") -> dict[str, Any]:
    blob = {"mimeType": block.media_type, "data": block.base64}
    return {"inlineData": blob | ({"displayName": label} if label else {})}


def _instead(part: dict[str, Any]) -> dict[str, Any] | None:
    response = _either(part, "functionResponse", "function_response")
    if response is not None and response.get("parts"):
        return _response_without_parts(part, response)
    text = _removed_line(part)
    return None if text is None else {"text": text}


def _response_without_parts(part: dict[str, Any], response: dict[str, Any]) -> dict[str, Any]:
    """Move the lines that describe the media into the text, because `parts` accepts only media."""
    kept = dict(response)
    lines = [line for held in kept.pop("parts") if (line := _removed_line(held)) is not None]
    response = dict(kept.get("response") or {})
    response["output"] = "\n".join([*([str(response["output"])] if "output" in response else []), *lines])
    kept["response"] = response
    key = "functionResponse" if "functionResponse" in part else "function_response"
    return part | {key: kept}


def _removed_line(part: Any) -> str | None:
    blob = _either(part, "inlineData", "inline_data") or _either(part, "fileData", "file_data")
    if blob is None:
        return None
    media_type = blob.get("mimeType") or blob.get("mime_type") or "application/octet-stream"
    name = blob.get("displayName") or blob.get("display_name")
    name = name or blob.get("fileUri") or blob.get("file_uri")
    return summary(media_type, blob.get("data"), name)


def _either(part: Any, wire: str, python: str) -> dict[str, Any] | None:
    # The SDK's types accept both spellings, so a history may contain either.
    held = (part.get(wire) or part.get(python)) if isinstance(part, dict) else None
    return held if isinstance(held, dict) else None
