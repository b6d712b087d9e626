"""The answers of `read_file`: results of limited size, and errors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from anyread.tools.parts.contract import Mapping, Refusal

if TYPE_CHECKING:
    from collections.abc import Sequence

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
    item: Json,
    data: Mapping[str, Any],
    *,
    metadata: Mapping[str, Any] | None = None,
    attached: Sequence[Json] | None = None,
) -> Json:
    """Return a result.

    Args:
        item: The content of the tool's result.
        data: The facts, for programs; those that are `None` are left out.
        metadata: Further facts about the result.
        attached: The content of the user message that follows the result, for media.
    """
    item, about = limited(item)
    answer: Json = {"type": "success", "toolName": NAME, "content": [item]}
    if attached is not None:
        answer["supplementalMessages"] = [{"role": "user", "content": list(attached), "isMeta": True}]
    answer["data"] = {name: value for name, value in data.items() if value is not None}
    if metadata is not None or about:
        answer["metadata"] = {**(metadata or {}), **about}
    return answer


def limited(item: Json) -> tuple[Json, Json]:
    """Cut text to the maximum bytes of a result, and report the cut; media are counted but not cut."""
    if "text" not in item:
        return item, {"originalBytes": len(item["data"])}
    text = item["text"]
    if len(text) * 4 <= MAX_RESULT_BYTES:
        return item, {}
    encoded = text.encode("utf-8", "surrogatepass")
    if len(encoded) <= MAX_RESULT_BYTES:
        return item, {}
    # The contract drops one replacement character at the cut, even if the file has one there.
    kept = encoded[: MAX_RESULT_BYTES - len(_CUT)].decode("utf-8", "replace").removesuffix("\ufffd")
    returned = len(kept.encode()) + len(_CUT)
    return text_item(kept + _CUT), {
        "truncated": True,
        "originalBytes": len(encoded),
        "returnedBytes": returned,
    }


def text_item(text: str) -> Json:
    """Return a text as an item of content."""
    return {"type": "text", "text": text}
