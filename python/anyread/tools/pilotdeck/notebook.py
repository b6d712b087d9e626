"""Notebooks as `read_file` shows them: cells and their outputs as plain text.

The contract does not distinguish versions of nbformat: an output shows its `text` whatever its type is, and a
cell may have no type. Therefore `anyread.formats.notebook` is not used here.
"""

from __future__ import annotations

from typing import Any

from anyread.tools.parts.notebook_json import NotebookError, joined, notebook_json, written
from anyread.tools.parts.utf8 import encodable


def notebook_text(data: bytes) -> tuple[bytes, int]:
    """Render a notebook as UTF-8; return the text of all cells, and how many there are.

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
