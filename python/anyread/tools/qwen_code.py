"""The contract of `read_file` of Qwen Code: text without numbers, notebooks, and what the model accepts.

Source: the program in the npm package of `REFERENCE`, as it answers the calls of a scripted model (measured
2026-11-29).
"""

from __future__ import annotations

import errno
import json
import re
from typing import Any, ClassVar, Final, NamedTuple

from anyread.arguments.page_range import PageRange
from anyread.arguments.request import LARGEST
from anyread.errors import DirectoryError, ReadError

from .parts import schemas
from .parts.coercion import as_string
from .parts.content import ContentContract
from .parts.contract import Context, Mapping, NoSettings, OpenFile, Output
from .parts.ignore_files import IgnoreRules
from .parts.javascript import javascript_number, spelled
from .parts.media import rendered_pages
from .parts.media_types import AUDIO_TYPES, IMAGE_TYPES, OPAQUE_EXTENSIONS, dimensions, extension_of
from .parts.notebook_json import NotebookError, fields_of, joined, objects_of, read_notebook, written
from .parts.paths import is_absolute, name_of, relative_path
from .parts.utf8 import encodable
from .parts.windows import cut_after

REFERENCE: Final = {"@qwen-code/qwen-code": "0.24.4"}
"""The package that this contract follows, and its version."""
DEFAULT_LIMIT: Final = 1000
"""Lines without `limit`."""
MAX_CHARS: Final = 25_000
"""The most UTF-16 units of text."""
MAX_PDF_PAGES: Final = 20
"""The most pages of a PDF per call."""
_LAYOUT: Final = cut_after(MAX_CHARS, "utf16", MAX_CHARS + 1, final_newline="starts", bom="drop")
_KINDS: Final = {
    **dict.fromkeys((*IMAGE_TYPES, ".bmp", ".avif", ".heic", ".heif", ".tif", ".tiff", ".jxl"), "image"),
    **dict.fromkeys((*AUDIO_TYPES, ".m4a", ".aac", ".opus"), "audio"),
    **dict.fromkeys((".mp4", ".mov", ".mkv", ".webm", ".avi", ".m4v", ".mpeg", ".mpg", ".3gp"), "video"),
}
_BINARY: Final = OPAQUE_EXTENSIONS - {".dat"} | {".dylib", ".bz2", ".rar", ".pak", ".rpa"}
_TEXTS: Final = {
    *(".txt", ".md", ".csv", ".log", ".html", ".xml", ".json", ".css", ".js", ".jsx", ".ts", ".tsx", ".vue"),
    *(".yaml", ".yml", ".toml", ".ini", ".conf", ".cfg", ".properties", ".sh", ".ps1", ".py", ".rs", ".go"),
    *(".java", ".kt", ".gradle", ".swift", ".c", ".h", ".cpp", ".rb", ".php", ".sql", ".r", ".lua"),
    *("Makefile", ".gitignore"),
}
"""Extensions and names of files that are shown as text whatever their content is."""


class QwenCall(NamedTuple):
    """The arguments of a call."""

    path: str
    offset: float | None
    """The number of lines before the first one."""
    limit: float | None
    pages: str


class QwenCode(ContentContract[QwenCall]):
    """The contract of Qwen Code's `read_file`."""

    name: ClassVar[str] = "read_file"
    description: ClassVar[str] = (
        "Read a file. Text is returned without line numbers, at most 1000 lines and 25000 characters per"
        " call; pass offset and limit to read on. Images are attached; notebooks are shown as text with all"
        " outputs, and so are pages of a PDF, at most 20 per call."
    )
    schema: ClassVar[schemas.Schema] = schemas.arguments(
        "file_path",
        file_path=("string", "Absolute path of the file."),
        offset={"type": ["integer", "null"], "description": "Lines before the first one to read, from 0."},
        limit={"type": ["integer", "null"], "description": "The most lines (default 1000)."},
        pages={"type": ["string", "null"], "description": "Pages of a PDF, such as '5' or '1-10'."},
    )

    def __init__(self, context: Context[NoSettings]) -> None:
        super().__init__(context)
        self._ignored = IgnoreRules(context.reader, context.cwd, ".qwenignore", only_own=True)

    def checked(self, arguments: Mapping[str, Any], _name: str) -> QwenCall:
        """Convert the arguments as the program does; unknown ones are ignored."""
        if "file_path" not in arguments:
            raise self.refusal("params must have required property 'file_path'")
        given, pages = arguments["file_path"], arguments.get("pages")
        path = None if given is None else as_string(given)
        offset, limit = (_integer(arguments.get(name)) for name in ("offset", "limit"))
        name, must = (path or "").strip(), "You must provide an absolute path."
        faults = {
            "params/file_path must be string": path is None,
            "params/offset must be integer,null": offset is ...,
            "params/limit must be integer,null": limit is ...,
            "Offset must be a non-negative integer": isinstance(offset, int | float) and offset < 0,
            "Limit must be a positive integer": isinstance(limit, int | float) and limit <= 0,
            "The 'file_path' parameter must be non-empty.": not name,
            f"File path must be absolute, but was relative: {name}. {must}": not is_absolute(name),
        }
        for fault, is_so in faults.items():
            if is_so:
                raise self.refusal(fault)
        text = None if pages is None else as_string(pages)
        return QwenCall(name, offset, limit, (text or "").strip())

    def reply(self, call: QwenCall) -> Output:
        """Read a file by its extension and its content."""
        path = call.path
        if self._ignored.ignores(self.context.resolve(path)):
            raise self.refusal(f"File path '{path}' is ignored by .qwenignore pattern(s).")
        relative = relative_path(self.context.cwd, self.context.resolve(path))
        try:
            file = self.open(path)
        except DirectoryError as error:
            raise self.refusal(f"Path is a directory, not a file: {path}") from error
        except ReadError as error:
            failed = self.failed_call(path, error)
            reason = f"Error reading file {relative}: {failed.node('open' if failed.is_found else 'stat')}"
            missing = f"File not found: {path}"
            raise self.refusal(missing if failed.code == errno.ENOENT else reason) from error
        extension, name = extension_of(path), name_of(path)
        kind = _KINDS.get(extension)
        if kind is not None and not (extension in IMAGE_TYPES and file.is_text and file.size_bytes):
            return self._media(call, file, kind)
        if extension in {".ipynb", ".pdf"}:
            return self._pdf(call, file) if extension == ".pdf" else self._notebook(call, file)
        is_binary = not file.is_text and file.size_bytes and not {extension, name} & _TEXTS
        if extension in _BINARY or is_binary:
            raise self.refusal(f"Cannot display content of binary file: {relative}")
        return {"content": self._lines(call, file, relative)}

    def _lines(self, call: QwenCall, file: OpenFile, relative: str) -> str:
        is_plain = call.offset is None and call.limit is None
        if extension_of(call.path) == ".svg":
            call = call._replace(offset=None, limit=None)
        earlier = self.context.session.view(file.resolved_path, "whole", is_real=True)
        if is_plain and file.version and earlier is not None and earlier.version == file.version:
            return (
                f"[File {relative} unchanged since last read in this session — the full content was provided"
                " earlier in this conversation. If you cannot retrieve that prior content (e.g. after context"
                " compaction) or you suspect the file was modified outside the read/edit tools (shell"
                " command, MCP tool, another process), re-read with explicit offset/limit to fetch current"
                " content.]"
            )
        first = min(int(call.offset or 0) + 1, LARGEST)
        limit = min(int(call.limit or DEFAULT_LIMIT), LARGEST)
        encoding = None if file.is_text else "utf-8" if file.utf8_fault() is None else "windows-1252"
        window = file.window(first, limit, _LAYOUT, encoding=encoding)
        text, total, last = window.text, window.total_lines or 0, window.last_line
        text = text.removesuffix("\r") if window.next is None else text
        data = text.encode("utf-16-le")
        is_cut = len(data) > 2 * MAX_CHARS
        if is_cut:
            text = data[: 2 * MAX_CHARS].decode("utf-16-le", "ignore")
            # The tool names the cut line as shown, so that its rest is never read.
            last = max(first + text.count("\n") - 1, first)
            text += "... [truncated]"
        is_whole = first == 1 and last == total and not is_cut
        key = "whole" if is_whole and is_plain else "part"
        self.context.note(file, kind="text", media_type="text/plain", key=key)
        if is_whole:
            return text if text.strip() else "(read_file completed with no output)"
        start, end = spelled((call.offset or 0) + 1), str(last)
        end = end if last >= first else start
        return f"Showing lines {start}-{end} of {total} total lines.\n\n---\n\n{text}"

    def _media(self, call: QwenCall, file: OpenFile, kind: str) -> Output:
        name = name_of(call.path)
        if kind != "image" or self.context.sees("image") is False:
            raise self.refusal(
                f'[Unsupported {kind} file: "{name}". This model does not support {kind} input. The read_file'
                " tool cannot process this type of file either. To handle this file, try using skills if"
                " applicable, or any tools installed at system wide, or let the user know you cannot process"
                " this type of file.]"
            )
        media_type = IMAGE_TYPES.get(extension_of(call.path), "image/bmp")
        said, size = "[media attached in following user message]", dimensions(file.head(8 * 1024))
        if media_type != "image/gif" and size is not None:
            source = f"{size[0]}x{size[1]}"
            said = f"Image overview: {source}; oriented source: {source}."
        fault = f"Image {name} could not be decoded (corrupt or unsupported encoding), so its data was"
        fault += " omitted from the model request. Ask the user for a readable PNG, JPEG, or WebP version if"
        return self.with_image(said, f"{fault} the image content matters.", file, media_type)

    def _pdf(self, call: QwenCall, file: OpenFile) -> Output:
        found = PageRange.parse(call.pages) if call.pages else PageRange(1, None)
        if found is None or not found.is_rising:
            raise self.refusal(f"Invalid pages parameter: '{call.pages}'. Use formats like '5' or '1-10'.")
        if call.pages and found.last is None:
            end = f"specify an explicit end page within the {MAX_PDF_PAGES}-page limit (e.g. '3-22')."
            raise self.refusal(f"Open-ended page ranges (e.g. '3-') are not supported; {end}")
        if found.last is not None and found.last - found.first >= MAX_PDF_PAGES:
            raise self.refusal(f"Pages range exceeds maximum of {MAX_PDF_PAGES} pages per request.")
        last = found.last or MAX_PDF_PAGES
        count, pages = rendered_pages(file, range(found.first, last + 1), None, self.context.reader.limits)
        text = "\f".join(page.text for page in pages).strip()
        if not text:
            raise self.refusal("pdftotext produced no text output. The PDF may contain only images.")
        self.context.note(file, kind="pdf", pages=call.pages or None)
        rest = f"\n\n[Pages 1-{last} of {count}: pass pages for the others.]"
        return {"content": text + (rest if not call.pages and count > last else "")}

    def _notebook(self, call: QwenCall, file: OpenFile) -> Output:
        path = call.path
        if call.offset is not None or call.limit is not None or call.pages:
            retry = {"file_path": path, "offset": None, "limit": None, "pages": None}
            retried = json.dumps(retry, ensure_ascii=False, separators=(",", ":"))
            omit = "omit 'offset', 'limit', and 'pages' or set them to null."
            raise self.refusal(f"For Jupyter notebooks (.ipynb), {omit} Retry with: {retried}")
        try:
            notebook = read_notebook(file)
        except NotebookError as error:
            raise self.refusal(f"Error parsing notebook {path}: {error}") from error
        if not isinstance(notebook.get("cells"), list):
            raise self.refusal(f"Error parsing notebook {path}: Invalid notebook: missing cells array")
        kernel = fields_of(fields_of(notebook.get("metadata")).get("kernelspec"))
        language, cells = written(kernel.get("language")) or "python", objects_of(notebook.get("cells"))
        parts = [f"Jupyter Notebook ({language}, {len(cells)} cells)"]
        parts += [_cell(f"cell-{at}", cell, language) for at, cell in enumerate(cells)]
        self.context.note(file, kind="notebook")
        return {"content": encodable("\n\n".join(parts)) if cells else "(empty notebook)"}


def _cell(default_id: str, cell: dict[str, Any], language: str) -> str:
    kind, count = written(cell.get("cell_type")), cell.get("execution_count")
    name = f"{kind.capitalize()} Cell {written(cell.get('id')) or default_id}"
    name += f" [{written(count)}]" if count is not None else ""
    source = joined(cell.get("source"))
    parts = [f"--- {name} ---", f"```{language}\n{source}\n```" if kind == "code" else source]
    shown = list(filter(None, map(_output, objects_of(cell.get("outputs")))))
    return "\n".join([*parts, "Output:", *shown] if shown else parts)


def _output(output: dict[str, Any]) -> str:
    if output.get("output_type") == "error":
        traceback = output.get("traceback")
        lines = "\n".join(map(written, traceback)) if isinstance(traceback, list) else ""
        text = f"{written(output.get('ename'))}: {written(output.get('evalue'))}: {lines}"
        return re.sub(r"\x1b\[[0-9;]*m", "", text)
    return joined(output.get("text")) or joined(fields_of(output.get("data")).get("text/plain"))


def _integer(value: object) -> Any:
    """Return an integer, also from its text; `None` for null; `...` for anything else."""
    if isinstance(value, str) and re.fullmatch(r"\s*-?[0-9]{1,18}(\.0{1,18})?\s*", value):
        return int(float(value)) if "." in value else int(value)
    number = None
    if isinstance(value, int | float) and not isinstance(value, bool):
        number = javascript_number(value)
    return number if value is None or (number is not None and number % 1 == 0) else ...
