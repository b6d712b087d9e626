"""Notebooks as mycode's `Read` shows them: Markdown, each cell with its source and outputs.

The cells are read as the code of proposal 0027 (`anyread.tools.mycode`) reads them, under nbformat's names
or, where those are absent, under the names in that code. Notebooks of nbformat 2 and 3, whose cells are in
worksheets, are read too.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from anyread.tools.json_pieces import JsonText, joined, written
from anyread.tools.utf8 import encodable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_JS_SPACE = (
    "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)
"""What JavaScript's `trim` removes; Python's `strip` removes a little more and a little less."""
_BOM = "\ufeff"
_JOINED_PARTS = 1_000
"""Parts that one call joins, so that other threads get the interpreter in between."""
_OLD_OUTPUT_TYPES = {"pyout": "execute_result", "pyerr": "error"}


class Markdown(NamedTuple):
    """A notebook as Markdown."""

    content: str
    line_count: int
    cell_count: int


class NotebookError(Exception):
    """A file that is not a notebook; the text says why, as a clause."""


def markdown(data: bytes) -> Markdown:
    """Write a notebook as Markdown: a heading, then all cells; other threads run in between.

    Raises:
        NotebookError: It is not JSON, or has no list of cells, or the proposal's code fails on a cell.
    """
    try:
        text = JsonText(data.decode("utf-8", "replace").removeprefix(_BOM))
        found = _Notebook(text)
        text.end()
    except json.JSONDecodeError as error:
        raise NotebookError(f"line {error.lineno:,}: {error.msg}") from error
    except RecursionError as error:
        raise NotebookError("it is nested too deep") from error
    except ValueError as error:
        raise NotebookError(str(error)) from error
    cells = found.worksheets if found.cells is None else found.cells
    if cells is None:
        raise NotebookError("it has no cells")
    if cells.fault is not None:
        raise NotebookError(cells.fault)
    heading = f"# Jupyter Notebook ({found.language or cells.language or 'unknown'})\n# {cells.count} cells\n"
    chunks = [encodable(chunk) for chunk in cells.chunks(heading)]
    line_count = 1 + sum(chunk.count("\n") for chunk in chunks) + len(chunks) - 1
    return Markdown("\n".join(chunks), line_count, cells.count)


class _Notebook:
    """The members of a notebook that are shown; of several with the same name the last one counts."""

    def __init__(self, text: JsonText) -> None:
        self.language = ""
        self.cells: _Cells | None = None
        self.worksheets: _Cells | None = None
        if text.next_char() != "{":
            text.value()
            return
        for name in text.members():
            if name == "cells":
                self.cells = _Cells()
                self.cells.read(text)
            elif name == "worksheets":
                self.worksheets = _Cells()
                self.worksheets.read_worksheets(text)
            elif name == "metadata":
                self.language = _language(text.value())
            else:
                text.value()


class _Cells:
    """Cells as parts of the Markdown."""

    def __init__(self) -> None:
        self.count = 0
        self.language = ""
        """The language of the first cell, which nbformat 2 and 3 store there."""
        self.fault: str | None = None
        """Why the notebook cannot be shown, as a clause; `None`: it can."""
        self._parts: list[str] = []
        self._chunks: list[str] = []

    def read(self, text: JsonText) -> None:
        """Read the cells of nbformat 4."""
        if text.next_char() != "[":
            text.value()
            self.fault = "its cells are not a list"
            return
        self._add(text.items())

    def read_worksheets(self, text: JsonText) -> None:
        """Read the cells of nbformat 2 and 3 under today's names."""
        sheets = text.value()
        if not isinstance(sheets, list):
            self.fault = "its worksheets are not a list"
            return
        for sheet in sheets:
            cells = sheet.get("cells") if isinstance(sheet, dict) else None
            for cell in cells if isinstance(cells, list) else []:
                if isinstance(cell, dict):
                    self.language = self.language or written(cell.get("language"))
                self._add([_renamed_cell(cell)])

    def chunks(self, heading: str) -> list[str]:
        """Return the heading and all parts in chunks, which are to be joined by line feeds."""
        self._join()
        return [heading, *self._chunks]

    def _add(self, cells: Iterable[Any]) -> None:
        for cell in cells:
            self.count += 1
            fault = _fault(cell, self.count)
            if fault is not None:
                self.fault = self.fault or fault
                continue
            self._parts += _cell(cell if isinstance(cell, dict) else {}, self.count)
            if len(self._parts) > _JOINED_PARTS:
                self._join()

    def _join(self) -> None:
        if self._parts:
            self._chunks.append("\n".join(self._parts))
            self._parts = []


def _language(metadata: Any) -> str:
    kernel = metadata.get("kernelspec") if isinstance(metadata, dict) else None
    return written(kernel.get("language")) if isinstance(kernel, dict) else ""


def _fault(cell: Any, number: int) -> str | None:
    """Name what the proposal's code throws an exception for; `None`: nothing."""
    if cell is None:
        return f"cell {number:,} is null"
    outputs = cell.get("outputs") if isinstance(cell, dict) else None
    if isinstance(outputs, list) and any(output is None for output in outputs):
        return f"an output of cell {number:,} is null"
    return None


def _cell(cell: dict[str, Any], number: int) -> Iterator[str]:
    kind = _field(cell, "cell_type", "cellType")
    yield f"## Cell {number} [{_template(kind)}]"
    count = _field(cell, "execution_count", "executionCount")
    if count not in (..., None):
        yield f"In [{_template(count)}]:"
    source = _text(cell.get("source")).strip(_JS_SPACE)
    if kind == "code":
        yield from ("```", source, "```")
    else:
        yield source
    outputs = cell.get("outputs")
    if isinstance(outputs, list) and outputs:
        yield "\n**Output:**"
        yield from map(_output, outputs)
    yield ""


def _output(output: Any) -> str:
    fields = output if isinstance(output, dict) else {}
    kind = fields.get("output_type")
    if kind == "stream":
        return _text(fields.get("text"))
    if kind == "error":
        return f"Error: {_template(fields.get('ename', ...))}: {_template(fields.get('evalue', ...))}"
    if kind not in ("execute_result", "display_data"):
        return "[Unknown output type]"
    data = fields.get("data")
    if not isinstance(data, dict):
        return "[Output data]"
    # JavaScript takes these for false.
    has_image = data.get("image/png") not in (None, "", 0, False)
    return _text(data.get("text/plain")) or ("[Image output]" if has_image else "[Output data]")


def _field(cell: dict[str, Any], name: str, other: str) -> Any:
    """Return a field by nbformat's name, else by the proposal's; `...`: it is absent."""
    return cell[name] if name in cell else cell.get(other, ...)


def _template(value: Any) -> str:
    """Write a value as a JavaScript template does."""
    if value is ...:
        return "undefined"
    return "null" if value is None else written(value)


def _text(value: Any) -> str:
    return joined(value) if isinstance(value, list) else written(value)


def _renamed_cell(cell: Any) -> Any:
    """Give a cell of nbformat 2 or 3 the names of nbformat 4."""
    if not isinstance(cell, dict):
        return cell
    renamed = {"source": cell.get("input"), "execution_count": cell.get("prompt_number"), **cell}
    outputs = cell.get("outputs")
    if isinstance(outputs, list):
        renamed["outputs"] = [_renamed_output(output) for output in outputs]
    return renamed


def _renamed_output(output: Any) -> Any:
    if not isinstance(output, dict):
        return output
    kind = output.get("output_type")
    data = {"text/plain": output.get("text"), "image/png": output.get("png")}
    renamed = _OLD_OUTPUT_TYPES.get(kind, kind) if isinstance(kind, str) else kind
    return {"data": data, **output, "output_type": renamed}
