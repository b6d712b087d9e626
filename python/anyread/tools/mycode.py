"""The contract of mycode's `Read`: one JSON object, with images as data URLs and notebooks as Markdown.

Source: the code in proposal 0027 of 2025-01-15, not its samples of a user interface,
https://github.com/yanmxa/gencode/blob/12ac736e97545a8705bea29e02a8750f9b11af1f/docs/proposals/0027-enhanced-read-tool.md
"""

from __future__ import annotations

from codecs import BOM_UTF8
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from anyread._native import Layout
from anyread.arguments.request import LARGEST
from anyread.errors import DamagedFileError, ReadError

from .parts import schemas
from .parts.contract import (
    Block,
    Context,
    Contract,
    Definition,
    LinesCall,
    Mapping,
    OpenFile,
    Output,
    TextBlock,
)
from .parts.media import SVG, encoded, encoded_block, intact_image
from .parts.media_types import (
    BINARY_EXTENSIONS,
    IMAGE_TYPES,
    UNKNOWN,
    dimensions,
    extension_of,
    svg_dimensions,
)
from .parts.notebook_json import NotebookError, joined, notebook_json, written
from .parts.paths import absolute, name_of
from .parts.utf8 import encodable
from .parts.zod import ZodType, issues

if TYPE_CHECKING:
    from collections.abc import Iterator

_JS_SPACE = (
    "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)
"""The characters that JavaScript's `trim` removes; Python's `strip` removes slightly different ones."""
_OLD_OUTPUT_TYPES = {"pyout": "execute_result", "pyerr": "error"}
_WIDTH: Final = 51
"""The least number of characters in the image box."""
_NUMBER_WIDTH: Final = 6
_KINDS: Final[dict[str, ZodType]] = {
    "file_path": "string",
    "offset": "positive integer",
    "limit": "positive integer",
}
_IMAGE_TYPES = {**IMAGE_TYPES, ".svg": SVG, ".bmp": "image/bmp"}
_EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001 - the "Z" is appended when a time is written
_BINARY = "Binary files cannot be read as text"


class ReadOutput(dict[str, Any]):
    """A successful answer, with what is shown to a person but not to the model."""

    name: str = ""
    """The name of the file; empty: unknown."""
    total_lines: int | None = None
    """The number of lines of a text; `None`: unknown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MycodeSettings:
    """The settings of the `mycode` contract."""

    max_lines: int = 2_000
    """Lines per call without `limit`."""
    max_line_units: int = 2_000
    """UTF-16 units of a line; a longer line is cut and marked."""
    max_file_bytes: int = 50 * 1024 * 1024
    """Bytes of a file; a larger file is refused."""
    allow_outside_cwd: bool = False
    """Whether files outside `cwd` are read too; ignored for a reader with roots of its own."""


class Mycode(Contract[MycodeSettings, LinesCall[int]]):
    r"""The contract of mycode's `Read`.

    Example:
        >>> anyread.tool("mycode", cwd="/repo").call_sync({"file_path": "notes.txt", "limit": 1})["content"]
        ' 1\tNotes'
    """

    name = "Read"
    Settings = MycodeSettings

    def __init__(self, context: Context[MycodeSettings]) -> None:
        # The proposal's security section requires that no path or link leads out of `cwd`.
        is_confined = not context.settings.allow_outside_cwd
        super().__init__(context.within(context.cwd) if is_confined else context)
        self._layout = Layout(
            line_ends="lf",
            final_newline="starts",
            separator="\t",
            width="total",
            clip_unit="utf16",
            clip_length=context.settings.max_line_units,
            clip_marker="... (truncated)",
        )

    def definitions(self) -> list[Definition]:
        """Return the one tool."""
        return [Definition(self.name, _described(self.context.settings), _schema(self.context.settings))]

    def checked(self, arguments: Mapping[str, Any], _name: str) -> LinesCall[int]:
        """Check the arguments as the proposal's schema does."""
        found = issues(arguments, _KINDS)
        if found:
            raise self.refusal("; ".join(found))
        # As in Node, only relative paths are normalized: in others, the system resolves `..` after a link.
        path = absolute(self.context.cwd, arguments["file_path"])
        limit = int(arguments.get("limit", self.context.settings.max_lines))
        return LinesCall(path, int(arguments.get("offset", 1)), limit)

    def reply(self, call: LinesCall[int]) -> Output:
        """Read a file according to its extension."""
        extension = extension_of(call.path.rstrip("/"))
        try:
            file = self.open(call.path)
            return self._answer(file, extension, call)
        except ReadError as error:
            failed = self.failed_call(call.path, error)
            # Node's `existsSync` returns false after every failure of a stat.
            found = _BINARY if extension in BINARY_EXTENSIONS else failed.node("open")
            raise self.refusal(found if failed.is_found else "File does not exist") from error

    def failure(self, message: str) -> Output:
        """Return an object without success."""
        return {"success": False, "error": message}

    def blocks(self, output: Output) -> list[Block]:
        """Return the text, or the image of the data URL; SVG becomes text, BMP becomes PNG."""
        if isinstance(output, str) or not output["success"]:
            return [TextBlock(output if isinstance(output, str) else output["error"])]
        content: str = output["content"]
        if output["contentType"] != "image":
            return [TextBlock(content)]
        return [encoded_block("", content, "")]

    def summary(self, output: Output) -> str:
        """Return the text with the header and footer of the proposal's samples, or the image as a box."""
        return output["error"] if self.failed(output) else summary(output)

    def failed(self, output: Output) -> bool:
        """Return whether `success` is false; an answer without it is a string."""
        return isinstance(output, dict) and not output["success"]

    def _answer(self, file: OpenFile, extension: str, call: LinesCall[int]) -> Output:
        if extension in BINARY_EXTENSIONS:
            raise self.refusal(_BINARY)
        is_text = extension not in _IMAGE_TYPES and extension != ".ipynb"
        if is_text and self.context.validate_media and _has_binary_signature(file):
            raise self.refusal(_BINARY)
        maximum, data, size = self.context.settings.max_file_bytes, b"", file.size_bytes
        # Files in /proc report a size of 0, and files may grow, so the bytes that were read count too.
        if size <= maximum and not (is_text and size):
            data = file.read(maximum + 1)
            size = len(data)
        if size > maximum:
            raise self.refusal(f"File is too large: {size:,} bytes (limit: {maximum:,} bytes)")
        if is_text:
            return self._text(file, call)
        if extension == ".ipynb":
            return self._notebook(file, data)
        return self._image(file, data, _IMAGE_TYPES[extension])

    def _text(self, file: OpenFile, call: LinesCall[int]) -> Output:
        _, offset, limit = call
        window = file.window(offset, limit, self._layout, encoding="utf-8")
        self.context.note(file, kind="text", offset=offset, limit=limit)
        count = window.last_line - window.first_line + 1
        # Lines before the window do not make it truncated.
        is_truncated = bool(window.clipped) or window.last_line < (window.total_lines or 0)
        output = _success(file, "text", window.text, count, is_truncated=is_truncated, encoding="utf-8")
        output.total_lines = window.total_lines
        return output

    def _notebook(self, file: OpenFile, data: bytes) -> Output:
        # As many as the lines of a text may have.
        max_chars = self.context.settings.max_lines * self.context.settings.max_line_units
        try:
            shown = file.work(partial(markdown, data, max_chars), len(data))
        except NotebookError as error:
            raise self.refusal(f"The notebook cannot be parsed: {error}") from error
        self.context.note(file, kind="notebook")
        content, line_count, cell_count, is_truncated = shown
        return _success(
            file, "notebook", content, line_count, is_truncated=is_truncated, cellCount=cell_count
        )

    def _image(self, file: OpenFile, data: bytes, media_type: str) -> Output:
        size, block = (svg_dimensions if media_type == SVG else dimensions)(data), None
        if self.context.validate_media:
            if self.context.sees("image") is False:
                raise self.refusal("The model does not accept images")
            if media_type == SVG:
                _require_svg_element(file, data)
            else:
                accepted = _IMAGE_TYPES.values()
                fitted_data, media_type, fitted = intact_image(
                    file, self.context.model, data, media_type, accepted
                )
                size = size or (fitted.width, fitted.height)
                if fitted.format == "BMP":
                    # No API of a model accepts it, so the block has another format.
                    media_type, block = "image/bmp", fitted.image
                else:
                    data = fitted_data
        url = file.work(partial(encoded, data, media_type, block=block, as_url=True), len(data))
        self.context.note(file, kind="image", form="visual", media_type=media_type)
        facts: dict[str, Any] = {"mimeType": media_type}
        if size is not None:
            facts["dimensions"] = {"width": size[0], "height": size[1]}
        return _success(file, "image", url, 0, **facts)


def markdown(data: bytes, max_chars: int) -> tuple[str, int, int, bool]:
    """Write a notebook as Markdown: a heading, then its cells.

    Cells are read by nbformat's names or, if those are absent, by the names in the proposal's code. Notebooks
    of nbformat 2 and 3, with cells in worksheets, are read too.

    Args:
        data: The file.
        max_chars: The maximum number of characters; what follows is left out.

    Returns:
        The text, how many lines and how many cells it has, and whether it was cut.

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
    return content, content.count("\n") + 1, len(cells), is_truncated


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


def summary(output: dict[str, Any]) -> str:
    """Return a text between a header and a footer if lines are missing, an image as a box, and a notebook.

    An answer that was copied as JSON has no name and no total.
    """
    found = output if isinstance(output, ReadOutput) else ReadOutput(output)
    if found["contentType"] == "image":
        return _box(found)
    return _summary_of_text(found) if found["contentType"] == "text" else str(found["content"])


def _summary_of_text(output: ReadOutput) -> str:
    count, total = output["lineCount"], output.total_lines
    lines = [line.partition("\t")[::2] for line in output["content"].split("\n")] if count else []
    shown = "\n".join(f"{number.strip():>{_NUMBER_WIDTH}}\t{text}" for number, text in lines)
    first = int(lines[0][0]) if lines else 0
    if count == total or (total is None and first == 1 and not output["truncated"]):
        return shown
    of = f" of {output.name}" if output.name else ""
    header = f"Reading lines {first}-{first + count - 1}{of}:\n\n{shown}\n\n" if lines else ""
    return f"{header}(Showing {count:,}{'' if total is None else f' of {total:,} total'} lines)"


def _box(output: ReadOutput) -> str:
    facts = output["metadata"]
    rows = ["[Displayed as image in conversation]", "", f"Size: {_size(facts['size'])}"]
    if "dimensions" in facts:
        rows.append("Dimensions: {width} x {height}".format_map(facts["dimensions"]))
    rows.append(f"Type: {facts['mimeType'].removeprefix('image/').partition('+')[0].upper()}")
    title = f"─ Image: {output.name} " if output.name else "─ Image "
    width = max(_WIDTH, len(title) + 1)
    middle = "".join(f"│ {row:{width - 1}}│\n" for row in rows)
    return f"┌{title:─<{width}}┐\n{middle}└{'─' * width}┘"


def _size(size: int) -> str:
    if size < 1024:
        return f"{size} bytes"
    return f"{size / 1024:,.0f} KB" if size < 1024**2 else f"{size / 1024**2:,.1f} MB"


def _has_binary_signature(file: OpenFile) -> bool:
    """Return whether the detected type is binary; the contract shows a PDF as text."""
    return not file.is_text and file.media_type not in {UNKNOWN, "application/pdf"}


def _require_svg_element(file: OpenFile, data: bytes) -> None:
    if file.media_type != SVG or b"<svg" not in data.replace(b"\0", b""):
        raise DamagedFileError(file.path, media_type=SVG, reason="it has no `<svg>` element")


def _success(
    file: OpenFile, kind: str, content: str, line_count: int, *, is_truncated: bool = False, **facts: Any
) -> ReadOutput:
    # The format of JavaScript's dates in JSON; Node rounds to milliseconds.
    modified = _EPOCH + timedelta(milliseconds=(file.modified_ns + 500_000) // 1_000_000)
    output = ReadOutput(
        success=True,
        content=content,
        contentType=kind,
        lineCount=line_count,
        truncated=is_truncated,
        metadata={
            "size": file.size_bytes,
            "modified": modified.isoformat(timespec="milliseconds") + "Z",
            **facts,
        },
    )
    output.name = "".join(each if each.isprintable() else "\ufffd" for each in name_of(file.path))
    return output


def _described(settings: MycodeSettings) -> str:
    formats = ", ".join(sorted({name.removeprefix("image/").upper() for name in _IMAGE_TYPES.values()}))
    return f"""\
Read a file.

- file_path: the file; a relative path starts from the working directory.
- offset: the first line to show, counted from 1.
- limit: the number of lines to show; {settings.max_lines:,} by default.

The result depends on the extension of the file:
- Text: lines after their numbers and a tab. A line of more than {settings.max_line_units:,} characters is \
cut and marked; `truncated` tells whether a line was cut or more lines follow.
- Images ({formats}): the image itself.
- Jupyter notebooks (.ipynb): all cells with their outputs, whatever offset and limit are.

Binary files are refused, and so are files of more than {settings.max_file_bytes:,} bytes."""


def _schema(settings: MycodeSettings) -> schemas.Schema:
    number: dict[str, Any] = {"exclusiveMinimum": 0, "maximum": LARGEST}
    return schemas.arguments(
        "file_path",
        file_path=("string", "Path of the file, absolute if possible"),
        offset=schemas.argument("integer", "First line to show, counted from 1", **number),
        limit=schemas.argument("integer", "Number of lines to show", **number, default=settings.max_lines),
    )
