"""Notebooks as `read_file` shows them: cells and their outputs as plain text.

The contract reads the JSON as it is written and knows no version of nbformat: an output shows its `text`
whatever its type is, and a cell may have none. So this does not go by the reader's own notebooks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from anyread.tools.json_pieces import JsonText, joined, written

from .answers import Refusal
from .text import LineWindow

if TYPE_CHECKING:
    from .text import Window
    from .workspace import Place


class Rendering(NamedTuple):
    """The lines of a notebook that a call shows."""

    window: Window
    cell_count: int


def rendered(data: bytes, place: Place, offset: int, limit: int | None) -> Rendering:
    """Render a window of all cells; other threads run in between.

    Args:
        data: The file.
        place: Its path, for the errors.
        offset: First line, counted from 1.
        limit: Lines; `None`: all.

    Raises:
        Refusal: It is not JSON, not an object with a list of cells, or certainly over the token budget.
    """
    try:
        text = JsonText(data.decode("utf-8", "replace"))
        cells = _cells(text, offset, limit)
        text.end()
    except (ValueError, RecursionError) as error:
        cause = "it is nested too deep" if isinstance(error, RecursionError) else str(error)
        message = f"Notebook {place.absolute} is not valid JSON."
        raise Refusal("invalid_tool_input", message, cause=cause) from error
    if cells.fault is not None:
        message = f"Notebook {place.absolute} cannot be shown: {cells.fault}."
        raise Refusal("tool_execution_failed", message)
    return Rendering(cells.lines.window(place.relative), cells.count)


class _Cells:
    """The cells of a notebook as lines."""

    def __init__(self, offset: int, limit: int | None) -> None:
        self.lines = LineWindow(offset, limit)
        self.count = 0
        self.fault: str | None = None
        """Why the notebook cannot be shown, as a clause; `None`: it can."""

    def add(self, cell: Any) -> None:
        """Render one more cell."""
        fields = cell if isinstance(cell, dict) else {}
        outputs = fields.get("outputs")
        if not isinstance(outputs, list | None) or None in (outputs or []):
            self.fault = self.fault or f"the outputs of cell {self.count} are not a list of objects"
            outputs = None
        parts = _parts(self.count, fields, outputs or [])
        self.lines.add(["", *parts] if self.count else parts)
        self.count += 1


def _cells(text: JsonText, offset: int, limit: int | None) -> _Cells:
    cells = _Cells(offset, limit)
    if text.next_char() != "{":
        if text.value() is None:
            cells.fault = "its cells are not a list"
        return cells
    for name in text.members():
        if name != "cells":
            text.value()
            continue
        # Of several members with the same name, the last one counts.
        cells = _Cells(offset, limit)
        if text.next_char() == "[":
            for cell in text.items():
                cells.add(cell)
        elif text.value() is not None:
            cells.fault = "its cells are not a list"
    return cells


def _parts(number: int, cell: dict[str, Any], outputs: list[Any]) -> list[str]:
    kind = cell.get("cell_type")
    parts = [f"# Cell {number} ({'unknown' if kind is None else written(kind)})"]
    if cell.get("execution_count") is not None:
        parts.append(f"execution_count: {written(cell['execution_count'])}")
    source = joined(cell.get("source"))
    if source:
        parts.append(source)
    shown = [output for output in map(_output, outputs) if output]
    if shown:
        parts += ["## Outputs", *shown]
    return parts


def _output(output: Any) -> str:
    """Give the first of text, traceback, error and plain data that an output has."""
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
