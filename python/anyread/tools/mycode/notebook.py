"""Notebooks as mycode's `Read` shows them: Markdown, with the source and outputs of each cell.

Cells are read as in the code of proposal 0027 (`anyread.tools.mycode`), by nbformat's names or, if those
are absent, by the names in that code. Notebooks of nbformat 2 and 3, with cells in worksheets, are read too.
"""

from __future__ import annotations

from codecs import BOM_UTF8
from typing import TYPE_CHECKING, Any, NamedTuple

from anyread.tools.parts.notebook_json import NotebookError, joined, notebook_json, written
from anyread.tools.parts.utf8 import encodable

if TYPE_CHECKING:
    from collections.abc import Iterator

_JS_SPACE = (
    "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)
"""The characters that JavaScript's `trim` removes; Python's `strip` removes slightly different ones."""
_OLD_OUTPUT_TYPES = {"pyout": "execute_result", "pyerr": "error"}


class Markdown(NamedTuple):
    """A notebook as Markdown."""

    content: str
    line_count: int
    cell_count: int
    is_truncated: bool


def markdown(data: bytes, max_chars: int) -> Markdown:
    """Write a notebook as Markdown: a heading, then its cells.

    Args:
        data: The file.
        max_chars: The maximum number of characters; what follows is left out.

    Raises:
        NotebookError: As `notebook_json`, or it has no list of cells, or the proposal's code fails on a cell.
    """
    notebook = notebook_json(data.removeprefix(BOM_UTF8))
    fields = notebook if isinstance(notebook, dict) else {}
    language, cells = _language(fields.get("metadata")), fields.get("cells")
    if "cells" in fields and not isinstance(cells, list):
        raise NotebookError("its cells are not a list")
    if not isinstance(cells, list):
        if not isinstance(fields.get("worksheets"), list):
            raise NotebookError("it has no cells")
        cells = [_renamed_cell(cell) for sheet in fields["worksheets"] for cell in _listed(sheet, "cells")]
        # nbformat 2 and 3 store the language in each cell.
        languages = (written(cell.get("language")) for cell in cells if isinstance(cell, dict))
        language = language or next(filter(None, languages), "")
    parts, chars = [f"# Jupyter Notebook ({language or 'unknown'})\n# {len(cells)} cells\n"], 0
    for number, cell in enumerate(cells, 1):
        if chars > max_chars:
            break
        for part in _cell(cell, number):
            parts.append(part)
            chars += len(part) + 1
    content = encodable("\n".join(parts))
    is_truncated = len(content) > max_chars
    if is_truncated:
        content = content[:max_chars] + "... (truncated)"
    return Markdown(content, content.count("\n") + 1, len(cells), is_truncated)


def _listed(value: Any, name: str) -> list[Any]:
    """Return a field if it is a list, and otherwise an empty list."""
    found = value.get(name) if isinstance(value, dict) else None
    return found if isinstance(found, list) else []


def _language(metadata: Any) -> str:
    kernel = metadata.get("kernelspec") if isinstance(metadata, dict) else None
    return written(kernel.get("language")) if isinstance(kernel, dict) else ""


def _cell(value: Any, number: int) -> Iterator[str]:
    outputs = _listed(value, "outputs")
    # The proposal's code throws an exception in these cases.
    if value is None:
        raise NotebookError(f"cell {number:,} is null")
    if None in outputs:
        raise NotebookError(f"an output of cell {number:,} is null")
    cell = value if isinstance(value, dict) else {}
    kind = _field(cell, "cell_type", "cellType")
    yield f"## Cell {number} [{_template(kind)}]"
    count = _field(cell, "execution_count", "executionCount")
    if count not in (..., None):
        yield f"In [{_template(count)}]:"
    source = _text(cell.get("source")).strip(_JS_SPACE)
    yield from ("```", source, "```") if kind == "code" else (source,)
    if outputs:
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
    # JavaScript converts these values to false.
    has_image = data.get("image/png") not in (None, "", 0, False)
    return _text(data.get("text/plain")) or ("[Image output]" if has_image else "[Output data]")


def _field(cell: dict[str, Any], name: str, other: str) -> Any:
    """Return a field by nbformat's name or else the proposal's; `...`: it is absent."""
    return cell[name] if name in cell else cell.get(other, ...)


def _template(value: Any) -> str:
    """Write a value as a JavaScript template does."""
    if value is ...:
        return "undefined"
    return "null" if value is None else written(value)


def _text(value: Any) -> str:
    return joined(value) if isinstance(value, list) else written(value)


def _renamed_cell(cell: Any) -> Any:
    """Convert the names in a cell of nbformat 2 or 3 to those of nbformat 4."""
    if not isinstance(cell, dict):
        return cell
    renamed = {"source": cell.get("input"), "execution_count": cell.get("prompt_number"), **cell}
    return {**renamed, "outputs": [_renamed_output(output) for output in _listed(cell, "outputs")]}


def _renamed_output(output: Any) -> Any:
    if not isinstance(output, dict):
        return output
    kind = output.get("output_type")
    data = {"text/plain": output.get("text"), "image/png": output.get("png")}
    renamed = _OLD_OUTPUT_TYPES.get(kind, kind) if isinstance(kind, str) else kind
    return {"data": data, **output, "output_type": renamed}
