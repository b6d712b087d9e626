"""The contract of `view` of GitHub Copilot CLI: exact text within 20 KB, directories and images.

Source: the program in the npm package of `REFERENCE`, as it answers the calls of a scripted model (measured
2026-11-29).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Final, NamedTuple

from anyread.arguments.request import LARGEST
from anyread.errors import DirectoryError, ReadError

from .parts import schemas
from .parts.content import ContentContract
from .parts.contract import Mapping, OpenFile, Output
from .parts.directories import list_directory
from .parts.javascript import type_name
from .parts.media import SVG
from .parts.media_types import IMAGE_TYPES, extension_of
from .parts.utf8 import encodable, incomplete_end
from .parts.windows import cut_after

if TYPE_CHECKING:
    from collections.abc import Iterator


REFERENCE: Final = {"@github/copilot": "1.0.102"}
"""The package that this contract follows, and its version."""
MAX_BYTES: Final = 20_480
"""The most bytes of an answer."""
MAX_FORCED_BYTES: Final = 64 * 1024 * 1024
"""The same with `forceReadLargeFiles`."""
_IMAGES: Final = {*IMAGE_TYPES, ".bmp", ".ico", ".tif", ".tiff", ".heic", ".avif"}


class CopilotCall(NamedTuple):
    """The arguments of a call."""

    path: str
    lines: tuple[int, int] | None
    """The first and the last line; the last may be -1, the end."""
    max_bytes: int


class CopilotCli(ContentContract[CopilotCall]):
    """The contract of GitHub Copilot CLI's `view`.

    Example:
        >>> read = anyread.tool("copilot-cli", cwd="/repo")
        >>> read.call_sync({"path": "notes.txt", "view_range": [1, 1]})
        {'content': 'Notes'}
    """

    name: ClassVar[str] = "view"
    description: ClassVar[str] = (
        "View a file, an image or a directory. Text is returned as it is, without line numbers, up to 20 KB;"
        " pass view_range for some lines of a larger file. The names in a directory are listed, one a line."
    )
    schema: ClassVar[schemas.Schema] = schemas.arguments(
        "path",
        path=("string", "Absolute path of the file or directory."),
        view_range=schemas.items(
            "integer", "First and last line, counted from 1; a last line of -1: to the end."
        ),
        forceReadLargeFiles=("boolean", "Whether to read more than 20 KB at once."),
    )

    def checked(self, arguments: Mapping[str, Any], _name: str) -> CopilotCall:
        """Check the types of the arguments; unknown ones are ignored."""
        faults = list(_faults(arguments))
        if faults:
            listed = "".join(f"\n- {each}" for each in faults)
            fault = faults[0] if len(faults) == 1 else f"Multiple validation errors:{listed}"
            raise self.refusal(f"Invalid input: {fault}")
        given = arguments["path"]
        path = self.context.resolve(given) if given else given
        path += "/" if given.endswith("/") and path != "/" else ""
        numbers = [int(each) for each in arguments.get("view_range", ())]
        lines = (numbers[0], numbers[1]) if len(numbers) > 1 else None
        is_forced = arguments.get("forceReadLargeFiles", False)
        return CopilotCall(path, lines, MAX_FORCED_BYTES if is_forced else MAX_BYTES)

    def reply(self, call: CopilotCall) -> Output:
        """List a directory, send an image, and show any other file as text."""
        try:
            file = self.open(call.path)
        except DirectoryError:
            names = [entry.name for entry in list_directory(self.context.reader, call.path)]
            in_order = sorted(names, key=lambda name: name.encode("utf-16-be", "surrogatepass"))
            return {"content": encodable("\n".join(in_order))}
        except ReadError as error:
            failed = self.failed_call(call.path, error)
            missing = f"Path {call.path} does not exist. Please provide a valid path."
            raise self.refusal(failed.node("open") if failed.is_found else missing) from error
        if extension_of(call.path) in _IMAGES:
            media_type, fault = file.media_type, "Failed to view image file."
            if media_type in IMAGE_TYPES.values():
                return self.with_image("Viewed image file successfully.", fault, file, media_type)
            if media_type.startswith("image/") and media_type != SVG:
                fault = f"Cannot view this image: {media_type} is not a format the model reads. Convert the"
                fault += " file to PNG, JPEG, WebP or GIF and view that instead."
            raise self.refusal(fault)
        text = self._whole(call, file) if call.lines is None else self._range(call, file, *call.lines)
        offset, last = call.lines or (None, None)
        limit = None if offset is None or last is None or last < 0 else last - offset + 1
        self.context.note(file, kind="text", media_type="text/plain", offset=offset, limit=limit)
        return {"content": text}

    def _whole(self, call: CopilotCall, file: OpenFile) -> str:
        if file.size_bytes > call.max_bytes:
            raise self.refusal(
                f"File too large to read at once ({file.size_bytes / 1024:.1f} KB). Consider using the grep"
                " tool to search within the file, or view with view_range to read specific sections."
            )
        return file.read(call.max_bytes).decode("utf-8", "replace").removesuffix("\r")

    def _range(self, call: CopilotCall, file: OpenFile, first: int, last: int) -> str:
        fault = None
        if first < 1:
            fault = f"start line ({first}) must be greater than or equal to 1."
        elif last < -1 or last == 0:
            to_end = "or -1 to read to the end of the file."
            fault = f"end line ({last}) must be greater than or equal to 1, {to_end}"
        elif -1 < last < first:
            fault = f"end line ({last}) must be greater than or equal to start line ({first})."
        most = call.max_bytes
        layout = cut_after(most + 1, "bytes", most + 4, line_ends="lf", final_newline="starts")
        limit = LARGEST if last == -1 else max(last - first + 1, 0)
        window = file.window(max(first, 1), limit, layout, encoding="utf-8")
        total = window.total_lines if file.size_bytes else 0
        if fault is None and first > (total or 0):
            fault = f"start line ({first}) is beyond the end of the file. The file has {total} lines."
        if fault is not None:
            raise self.refusal(f"Invalid view_range: {fault}")
        data = window.text.encode()
        if len(data) <= most:
            return window.text.removesuffix("\r")
        shown = data[: most - incomplete_end(data[:most])].decode()
        cut = first + shown.count("\n")
        if total == 1:
            use = "Use other tools to examine the file's contents. File may be a single long line."
        else:
            # The tool always goes on after the line that is cut, and so leaves out the rest of it.
            is_whole = data[len(shown.encode()) :].startswith(b"\n")
            following = cut + 1 if is_whole or cut == first else cut
            use = (
                f"Use view_range=[{following}, ...] to continue reading. In your next response, you may batch"
            )
            use += f" this with other view calls. File has at least {total} lines."
            use += (
                f" Line {cut} goes on: forceReadLargeFiles shows it."
                if cut == first and not is_whole and most == MAX_BYTES
                else ""
            )
        return f"{shown}\n\n[Output truncated. {use}]"


def _faults(arguments: Mapping[str, Any]) -> Iterator[str]:
    expected = {"path": "string", "view_range": "array", "forceReadLargeFiles": "boolean"}
    if "path" not in arguments:
        yield '"path": Required'
    for name, kind in expected.items():
        value = arguments.get(name, ...)
        if value is not ... and type_name(value) != kind:
            yield f'"{name}": Expected {kind}, received {type_name(value)}'
        elif kind == "array" and value is not ...:
            for at, item in enumerate(value):
                if type_name(item) != "number":
                    yield f'"{name}.{at}": Expected number, received {type_name(item)}'
                elif item % 1 != 0:
                    yield f'"{name}.{at}": Expected integer, received float'
