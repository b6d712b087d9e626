"""The contract of `read_files` of Cline: numbered lines of several files in one call.

Source: the core of Cline in the npm package of `REFERENCE`, called in a process (measured 2026-11-29).
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, ClassVar, Final, NamedTuple
from unicodedata import normalize

from anyread._native import Layout
from anyread.arguments.request import LARGEST
from anyread.errors import BadPathError, DirectoryError, NotFoundError, NotRegularFileError, ReadError

from .parts.contract import Block, Contract, Mapping, NoSettings, OpenFile, Output, TextBlock
from .parts.media import attachment, blocks_of
from .parts.media_types import IMAGE_TYPES, extension_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .parts.schemas import Schema


REFERENCE: Final = {"@cline/core": "0.0.86"}
"""The package that this contract follows, and its version."""
MAX_LINES: Final = 2000
"""The most lines of a file per call."""
MAX_CHARS: Final = 48_000
"""The most UTF-16 units of a file per call, with its numbers."""
_SEPARATED_BYTES: Final = 8 * 1024 * 1024
"""The most bytes of a file in which U+2028 and U+2029 end lines."""
_SEPARATORS: Final = re.compile("[\u2028\u2029]")
_LAYOUT: Final = Layout(
    line_ends="lf+crlf+cr",
    separator=" | ",
    width="last",
    clip_unit="utf16",
    clip_length=2000,
    clip_marker=" [line truncated]",
    budget=MAX_CHARS,
    budget_unit="utf16",
    budget_of="answer",
)
_LINE: Final = {"type": ["integer", "null"], "exclusiveMinimum": 0, "maximum": LARGEST}
_ITEM: Final = {
    "type": "object",
    "properties": {
        "path": {"type": "string", "description": "Path of the file, absolute or relative."},
        "start_line": {**_LINE, "description": "First line, counted from 1."},
        "end_line": {**_LINE, "description": "Last line; null: to the end."},
    },
    "required": ["path"],
    "additionalProperties": False,
}


class Place(NamedTuple):
    """A file to read, and the lines of it."""

    path: str
    first: int | None
    last: int | None

    @property
    def query(self) -> str:
        """The place as the answer names it."""
        if self.first is None and self.last is None:
            return self.path
        return f"{self.path}:{self.first or 1}-{self.last or 'EOF'}"


class Cline(Contract[NoSettings, "Sequence[Place]"]):
    """The contract of Cline's `read_files`."""

    name: ClassVar[str] = "read_files"
    description: ClassVar[str] = (
        "Read one or more files. Each line is preceded by its number; of each file, at most 2000 lines and"
        " 48000 characters are shown, and lines of more than 2000 characters are cut. Pass start_line and"
        " end_line for a part of a file. Images are attached."
    )
    schema: ClassVar[Schema] = {
        "type": "object",
        "properties": {"files": {"type": "array", "items": _ITEM, "description": "The files to read."}},
        "required": ["files"],
        "additionalProperties": False,
    }

    def checked(self, arguments: Mapping[str, Any], _name: str) -> Sequence[Place]:
        """Accept also what the schema does not have: texts, single objects and other names."""
        found = next((arguments[name] for name in ("files", "file_paths", "paths") if name in arguments), ...)
        found = arguments if found is ... else found
        items: list[Mapping[str, Any]] = []
        for each in found if isinstance(found, list | tuple) else [found]:
            item = {"path": each} if isinstance(each, str) else each if isinstance(each, dict) else {}
            if items and item and not {"path", "file_path"} & set(item):
                # A range may come in an object of its own.
                items[-1] = {**items[-1], **item}
            else:
                items.append(item)
        return list(map(self._place, items))

    def reply(self, call: Sequence[Place]) -> Output:
        """Answer with one item for each file."""
        return {"content": [self._item(place) for place in call]}

    def failure(self, message: str) -> Output:
        """Return the exception of the tool."""
        return {"content": message, "is_error": True}

    def failed(self, output: Output) -> bool:
        """Check for an exception, and whether no file was read."""
        items = output["content"]
        return "is_error" in output or (bool(items) and not any(each["success"] for each in items))

    def blocks(self, output: Output) -> list[Block]:
        """Return the items as JSON, followed by the images."""
        if "is_error" in output:
            return blocks_of(output, "content")
        items = [{**each} for each in output["content"]]
        images = [each.pop("image") for each in items if "image" in each]
        return [TextBlock(json.dumps(items, ensure_ascii=False, separators=(",", ":"))), *blocks_of(images)]

    def path_argument(self, path: str) -> list[dict[str, str]]:
        """Return the list of one file."""
        return [{"path": path}]

    def _place(self, item: Mapping[str, Any]) -> Place:
        path = item.get("path", item.get("file_path"))
        first, last = (_line(item.get(name)) for name in ("start_line", "end_line"))
        if not isinstance(path, str) or 0 in (first, last):
            raise self.refusal("✖ Invalid input")
        return Place(path, first, last)

    def _item(self, place: Place) -> dict[str, Any]:
        item = {"query": place.query, "result": ""}
        if place.first and place.last and place.first > place.last:
            received = f"(received start_line: {place.first}, end_line: {place.last})"
            fault = f"Invalid file range: start_line must be less than or equal to end_line {received}"
            return {**item, "error": fault, "success": False}
        path, error = self.context.resolve(place.path), "Current model does not support image input"
        try:
            file, media_type = self._opened(path), IMAGE_TYPES.get(extension_of(path))
            if media_type is None:
                return {**item, "result": self._text(place, file), "success": True}
            if self.context.sees("image") is not False:
                media_type, data = attachment(self.context, file, media_type, kind="image")
                image = {"mimeType": media_type, "data": data}
                return {**item, "result": "Image attached.", "success": True, "image": image}
        except ReadError as raised:
            error = self._reason(path, raised)
        return {**item, "error": f"Error reading file: {error}", "success": False}

    def _opened(self, path: str) -> OpenFile:
        composed = normalize("NFC", path)
        try:
            return self.open(path)
        except NotFoundError:
            if composed == path:
                raise
            return self.open(composed)

    def _reason(self, path: str, error: ReadError) -> str:
        if isinstance(error, DirectoryError | NotRegularFileError):
            return f"Path is not a file: {path}"
        if isinstance(error, BadPathError) and "\0" in path:
            shown = path.replace("\0", "\\x00")
            must = "must be a string, Uint8Array, or URL without null bytes."
            return f"The argument 'path' {must} Received '{shown}'"
        failed = self.failed_call(path, error)
        return failed.node("open" if failed.is_found else "stat")

    def _text(self, place: Place, file: OpenFile) -> str:
        first, last = place.first or 1, place.last or LARGEST
        limit = min(last - first + 1, MAX_LINES)
        window = file.window(first, limit, _LAYOUT, encoding="utf-8")
        if file.size_bytes <= _SEPARATED_BYTES:
            data = file.read(_SEPARATED_BYTES)
            if b"\xe2\x80\xa8" in data or b"\xe2\x80\xa9" in data:
                text = _SEPARATORS.sub("\n", data.decode("utf-8", "replace"))
                window = _LAYOUT.window(text.encode(), first, limit)
        self.context.note(file, kind="text", media_type="text/plain", offset=place.first, limit=limit)
        total = min(window.total_lines or 0, last)
        if window.last_line >= total or window.last_line < first:
            return window.text
        shown = f"[Showing lines {first}-{window.last_line} of {total}."
        return f"{window.text}\n\n{shown} Use start_line/end_line to read other sections.]"


def _line(value: object) -> int | None:
    """Return the number of a line, also from a text or a boolean; `None` for null; 0 for anything else."""
    if isinstance(value, str):
        value = int(value) if re.fullmatch("[0-9]{1,16}", value) else 0
    if value is None:
        return None
    if isinstance(value, int | float) and value % 1 == 0 and 0 < value <= LARGEST:
        return int(value)
    return 0
