"""Notebooks as `read_file` shows them: cells and their outputs as plain text.

The contract does not distinguish versions of nbformat: an output shows its `text` whatever its type is, and a
cell may have no type. Therefore `anyread.formats.notebook` is not used here.
"""

from __future__ import annotations

from typing import Any

from anyread.tools.json_pieces import JsonText, TooManyValuesError, joined, notebook_json, written
from anyread.tools.utf8 import encodable

from .answers import RefusedCall

_PIECE_CHARS = 64 * 1024


def notebook_text(data: bytes, absolute: str) -> tuple[bytes, int]:
    """Render a notebook in short steps, so that other threads run in between.

    Args:
        data: The file.
        absolute: Its path, for errors.

    Returns:
        The text of all cells, and how many there are.

    Raises:
        RefusedCall: The file is not JSON, or not an object with a list of cells, or has too many values.
    """
    try:
        text = notebook_json(data)
        cells = _cells(text)
        text.end()
    except TooManyValuesError as error:
        raise _unshown(absolute, str(error)) from error
    except (ValueError, RecursionError) as error:
        cause = "it is nested too deep" if isinstance(error, RecursionError) else str(error)
        message = f"Notebook {absolute} is not valid JSON."
        raise RefusedCall("invalid_tool_input", message, cause=cause) from error
    if cells.fault is not None:
        raise _unshown(absolute, cells.fault)
    return cells.text(), cells.count


def _unshown(absolute: str, fault: str) -> RefusedCall:
    return RefusedCall("tool_execution_failed", f"Notebook {absolute} cannot be shown: {fault}.")


class _NotebookCells:
    """The cells of a notebook as UTF-8, encoded in pieces, because an object per cell would take memory."""

    def __init__(self, fault: str | None = None) -> None:
        self.count = 0
        self.fault = fault
        """Why the notebook cannot be shown, as a clause; `None`: it can."""
        self._pieces: list[bytes] = []
        self._cells: list[str] = []
        self._chars = 0

    def add(self, cell: Any) -> None:
        """Add the text of another cell."""
        fields = cell if isinstance(cell, dict) else {}
        outputs = fields.get("outputs")
        if not isinstance(outputs, list | None) or None in (outputs or []):
            self.fault = self.fault or f"the outputs of cell {self.count} are not a list of objects"
            outputs = None
        text = "\n".join(_parts(self.count, fields, outputs or []))
        self.count += 1
        self._cells.append(text)
        self._chars += len(text)
        if self._chars > _PIECE_CHARS:
            self._encode()

    def text(self) -> bytes:
        """Return the text of all cells, with a blank line between them."""
        if self._cells:
            self._encode()
        return b"\n\n".join(self._pieces)

    def _encode(self) -> None:
        self._pieces.append(encodable("\n\n".join(self._cells)).encode())
        self._cells, self._chars = [], 0


def _cells(text: JsonText) -> _NotebookCells:
    no_list = "its cells are not a list"
    cells = _NotebookCells()
    if text.next_char() != "{":
        return _NotebookCells(no_list if text.value() is None else None)
    for name in text.members():
        if name != "cells":
            text.value()
            continue
        # If several members have the same name, the last one counts.
        cells = _NotebookCells()
        if text.next_char() == "[":
            for cell in text.items():
                cells.add(cell)
        elif text.value() is not None:
            cells.fault = no_list
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
