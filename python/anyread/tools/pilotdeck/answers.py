"""What `read_file` answers: results, errors, and the cap on the bytes of a result."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

NAME: Final = "read_file"
MAX_RESULT_BYTES: Final = 200_000
_CUT: Final = "\n[Tool output truncated.]"

Json = dict[str, Any]


class Refusal(Exception):  # noqa: N818 - it is an answer of the contract, and no error of ours
    """End a call with an error of the contract."""

    def __init__(self, code: str, message: str, **details: Any) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.details = details

    def answer(self) -> Json:
        """Word it as the tool's output."""
        return error(self.code, self.message, self.details)


def error(code: str, message: str, details: Mapping[str, Any]) -> Json:
    """Give an error, whose message is what the model sees."""
    return {
        "type": "error",
        "toolName": NAME,
        "content": [text_item(message)],
        "error": {"code": code, "message": message, "details": dict(details)},
    }


def success(
    content: Sequence[Json],
    data: Mapping[str, Any],
    *,
    metadata: Mapping[str, Any] | None = None,
    attached: Sequence[Json] | None = None,
) -> Json:
    """Give a result; of `data` what is `None` is left out, as the contract has no null.

    Args:
        content: What stands in the tool's result.
        data: The facts, for programs.
        metadata: What else is known of the result.
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
    """Cut text to the most that a result may have, and tell of it; media are counted and left whole."""
    if any("data" in item for item in content):
        return content, {"originalBytes": sum(len(item.get("data", "")) for item in content)}
    text = "\n".join(item["text"] for item in content)
    # A character takes four bytes at most: short texts need no encoding to be known as short.
    if len(text) * 4 <= MAX_RESULT_BYTES:
        return content, {}
    encoded = text.encode()
    if len(encoded) <= MAX_RESULT_BYTES:
        return content, {}
    # The contract drops one replacement character at the cut, also where the file has it there.
    kept = encoded[: MAX_RESULT_BYTES - len(_CUT)].decode("utf-8", "replace").removesuffix("\ufffd")
    returned = len(kept.encode()) + len(_CUT)
    about = {"truncated": True, "originalBytes": len(encoded), "returnedBytes": returned}
    return [text_item(kept + _CUT)], about


def text_item(text: str) -> Json:
    """Give text as content."""
    return {"type": "text", "text": text}


def image_item(media_type: str, base64: str, size_bytes: int, detail: str | None) -> Json:
    """Give a picture as content."""
    item: Json = {"type": "image", "mimeType": media_type, "data": base64, "bytes": size_bytes}
    return item if detail is None else {**item, "detail": detail}


def pdf_item(base64: str, size_bytes: int, pages: int | None) -> Json:
    """Give a PDF as content; `pages` is `None` where the count is not known."""
    item: Json = {"type": "pdf", "mimeType": "application/pdf", "data": base64, "bytes": size_bytes}
    return item if pages is None else {**item, "pages": pages}
