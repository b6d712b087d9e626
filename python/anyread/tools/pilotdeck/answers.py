"""The answers of `read_file`: results of limited size, errors, and their blocks."""

from __future__ import annotations

from base64 import b64decode
from typing import TYPE_CHECKING, Any, Final

from anyread.results import TextBlock
from anyread.results.blocks import DocumentBlock, ImageBlock
from anyread.tools.contract import Refusal

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from anyread.results import Block

NAME: Final = "read_file"
MAX_RESULT_BYTES: Final = 200_000
_CUT: Final = "\n[Tool output truncated.]"

Json = dict[str, Any]


class RefusedCall(Refusal):
    """Raised to end a call with an error of the contract."""

    def __init__(self, code: str, message: str, **details: Any) -> None:
        super().__init__(error(code, message, **details))
        self.message = message


def error(code: str, message: str, **details: Any) -> Json:
    """Return an error; the model sees its message."""
    about = {"code": code, "message": message, "details": details}
    return {"type": "error", "toolName": NAME, "content": [text_item(message)], "error": about}


def success(
    content: Sequence[Json],
    data: Mapping[str, Any],
    *,
    metadata: Mapping[str, Any] | None = None,
    attached: Sequence[Json] | None = None,
) -> Json:
    """Return a result.

    Args:
        content: The content of the tool's result.
        data: The facts, for programs; those that are `None` are left out.
        metadata: Further facts about the result.
        attached: The content of the user message that follows the result, for media.
    """
    content, about = limited(content)
    answer: Json = {"type": "success", "toolName": NAME, "content": list(content)}
    if attached is not None:
        answer["supplementalMessages"] = [{"role": "user", "content": list(attached), "isMeta": True}]
    answer["data"] = {name: value for name, value in data.items() if value is not None}
    if metadata is not None or about:
        answer["metadata"] = {**(metadata or {}), **about}
    return answer


def limited(content: Sequence[Json]) -> tuple[Sequence[Json], Json]:
    """Cut text to the maximum bytes of a result, and report the cut; media are counted but not cut."""
    texts = [item["text"] for item in content if "text" in item]
    if len(texts) < len(content):
        return content, {"originalBytes": sum(len(item.get("data", "")) for item in content)}
    text = "\n".join(texts)
    if len(text) * 4 <= MAX_RESULT_BYTES:
        return content, {}
    encoded = text.encode("utf-8", "surrogatepass")
    if len(encoded) <= MAX_RESULT_BYTES:
        return content, {}
    # The contract drops one replacement character at the cut, even if the file has one there.
    kept = encoded[: MAX_RESULT_BYTES - len(_CUT)].decode("utf-8", "replace").removesuffix("\ufffd")
    returned = len(kept.encode()) + len(_CUT)
    about = {"truncated": True, "originalBytes": len(encoded), "returnedBytes": returned}
    return [text_item(kept + _CUT)], about


def text_item(text: str) -> Json:
    """Return a text as an item of content."""
    return {"type": "text", "text": text}


def media_item(kind: str, media_type: str, base64: str, size_bytes: int, **about: Any) -> Json:
    """Return an image or a PDF as an item of content; facts that are `None` are left out."""
    item = {"type": kind, "mimeType": media_type, "data": base64, "bytes": size_bytes}
    return item | {name: value for name, value in about.items() if value is not None}


def blocks_of(output: Any) -> list[Block]:
    """Convert an output to blocks: its content, then the media of the message that follows it.

    Empty texts are left out, and a sentence replaces media that cannot be shown.
    """
    name = str((output.get("data") or {}).get("filePath", "")).rpartition("/")[2] or "document.pdf"
    items = [*output["content"]]
    for message in output.get("supplementalMessages", ()):
        items += message["content"]
    return [_block(item, name) for item in items if item["type"] != "text" or item["text"]]


def _block(item: Json, name: str) -> Block:
    if item["type"] == "text":
        return TextBlock(item["text"])
    try:
        data = b64decode(item["data"], validate=True)
        if item["type"] == "image":
            return ImageBlock.from_bytes(data)
        return DocumentBlock.from_bytes(data, name=name, page_count=item.get("pages") or 1)
    except ValueError as fault:
        return TextBlock(f"[{item['mimeType']}, {item['bytes']} bytes, cannot be shown: {fault}]")
