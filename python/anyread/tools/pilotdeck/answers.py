"""The answers of `read_file`: results of limited size, errors, and the text of notebooks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from anyread.tools.parts.contract import Mapping, Refusal
from anyread.tools.parts.notebook_json import NotebookError, joined, notebook_json, written
from anyread.tools.parts.utf8 import encodable

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


def notebook_text(data: bytes) -> tuple[bytes, int]:
    """Render a notebook as UTF-8; return the text of all cells, and how many there are.

    The contract does not distinguish versions of nbformat: an output shows its `text` whatever its type is,
    and a cell may have no type.

    Raises:
        NotebookError: As `notebook_json`, or its cells or their outputs are not lists of objects.
    """
    notebook = notebook_json(data)
    if notebook is None:
        raise NotebookError("it is null")
    cells = notebook.get("cells") if isinstance(notebook, dict) else None
    if not isinstance(cells, list | None):
        raise NotebookError("its cells are not a list")
    texts = [encodable(_text(number, cell)).encode() for number, cell in enumerate(cells or [])]
    return b"\n\n".join(texts), len(texts)


def _text(number: int, cell: Any) -> str:
    fields = cell if isinstance(cell, dict) else {}
    outputs = fields.get("outputs")
    if not isinstance(outputs, list | None) or None in (outputs or []):
        raise NotebookError(f"the outputs of cell {number} are not a list of objects")
    kind = fields.get("cell_type")
    parts = [f"# Cell {number} ({'unknown' if kind is None else written(kind)})"]
    if fields.get("execution_count") is not None:
        parts.append(f"execution_count: {written(fields['execution_count'])}")
    source = joined(fields.get("source"))
    if source:
        parts.append(source)
    shown = [output for output in map(_output, outputs or []) if output]
    if shown:
        parts += ["## Outputs", *shown]
    return "\n".join(parts)


def _output(output: Any) -> str:
    """Return the first of text, traceback, error and plain data that an output has."""
    if not isinstance(output, dict):
        return ""
    text = joined(output.get("text"))
    if text:
        return text
    traceback = output.get("traceback")
    if isinstance(traceback, list) and traceback:
        return "\n".join(map(written, traceback))
    name, value = output.get("ename"), output.get("evalue")
    if name or value:
        return f"{'Error' if name is None else written(name)}: {written(value)}".strip()
    data = output.get("data")
    return joined(data.get("text/plain")) if isinstance(data, dict) else ""
