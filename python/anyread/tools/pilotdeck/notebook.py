"""Notebooks as `read_file` shows them: cells and their outputs as plain text.

The contract reads the JSON as it is written and knows no version of nbformat: an output shows its `text`
whatever its type is, and a cell may have none. So this does not go by the reader's own notebooks.
"""

from __future__ import annotations

import json
from typing import Any, NamedTuple, NoReturn

from .answers import Refusal


class Rendering(NamedTuple):
    """A notebook as text."""

    text: str
    cell_count: int


def rendered(data: bytes, absolute: str) -> Rendering:
    """Render all cells.

    Args:
        data: The file.
        absolute: Its path, for the errors.

    Raises:
        Refusal: It is no JSON, or no object with a list of cells.
    """
    try:
        notebook = json.loads(data.decode("utf-8", "replace"), parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        cause = str(error) or "it is nested too deep"
        message = f"Notebook {absolute} is not valid JSON."
        raise Refusal("invalid_tool_input", message, cause=cause) from error
    cells = notebook.get("cells") if isinstance(notebook, dict) else []
    if notebook is None or not isinstance(cells, list | None):
        raise _misshapen(absolute, "its cells are no list")
    parts: list[str] = []
    for number, cell in enumerate(cells or []):
        if number:
            parts.append("")
        parts += _cell(number, cell if isinstance(cell, dict) else {}, absolute)
    return Rendering("\n".join(parts), len(cells or []))


def _refuse_constant(name: str) -> NoReturn:
    # Python's reader takes NaN and Infinity, which JSON does not have.
    raise ValueError(f"{name} is no JSON")


def _cell(number: int, cell: dict[str, Any], absolute: str) -> list[str]:
    kind = cell.get("cell_type")
    parts = [f"# Cell {number} ({'unknown' if kind is None else _text(kind)})"]
    if cell.get("execution_count") is not None:
        parts.append(f"execution_count: {_text(cell['execution_count'])}")
    source = _joined(cell.get("source"))
    if source:
        parts.append(source)
    outputs = cell.get("outputs")
    if not isinstance(outputs, list | None) or None in (outputs or []):
        raise _misshapen(absolute, f"the outputs of cell {number} are no list of objects")
    shown = [output for output in map(_output, outputs or []) if output]
    if shown:
        parts += ["## Outputs", "\n".join(shown)]
    return parts


def _output(output: Any) -> str:
    """Give the first of text, traceback, error and plain data that an output has."""
    if not isinstance(output, dict):
        return ""
    text = _joined(output.get("text"))
    if text:
        return text
    traceback = output.get("traceback")
    if isinstance(traceback, list) and traceback:
        return "\n".join(map(_text, traceback))
    name, value = output.get("ename"), output.get("evalue")
    if name or value:
        return f"{'Error' if name is None else _text(name)}: {_text(value)}".strip()
    data = output.get("data")
    return _joined(data.get("text/plain")) if isinstance(data, dict) else ""


def _joined(value: Any) -> str:
    if isinstance(value, list):
        return "".join(map(_text, value))
    return value if isinstance(value, str) else ""


def _text(value: Any) -> str:
    """Write a value as a JavaScript template does, as far as notebooks have such values."""
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e21:
        return str(int(value))
    return json.dumps(value, ensure_ascii=False)


def _misshapen(absolute: str, reason: str) -> Refusal:
    return Refusal("tool_execution_failed", f"Notebook {absolute} cannot be shown: {reason}.")
