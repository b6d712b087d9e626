"""mycode's `Read`: one JSON object, with pictures as data URLs and notebooks as Markdown.

Source: proposal 0027 of 2025-01-15, its code and not the samples of its user interface,
https://github.com/yanmxa/gencode/blob/12ac736e97545a8705bea29e02a8750f9b11af1f/docs/proposals/0027-enhanced-read-tool.md

docs/tools.md lists the deviations from it, with reasons.
"""

from __future__ import annotations

import errno
from base64 import b64decode
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from anyread import _native
from anyread.arguments import LARGEST
from anyread.errors import (
    AccessError,
    BadPathError,
    DamagedFileError,
    DirectoryError,
    FileSystemError,
    NotFoundError,
    ReadError,
)
from anyread.gutter import Gutter
from anyread.model import Model
from anyread.results import TextBlock
from anyread.results.blocks import ImageBlock
from anyread.running import threads
from anyread.tools.byte_lines import estimated_lines
from anyread.tools.decoders import fit
from anyread.tools.files import HEAD_BYTES, File, like, open_file
from anyread.tools.lines import LineReader, gutter_of
from anyread.tools.media_types import UNKNOWN, is_textual
from anyread.tools.profile import Context, Definition, Output, Profile, Steps, worded

from .arguments import SAFE_INTEGER, issues
from .notebook import NotebookError, markdown
from .rendering import SEPARATOR, dimensions, numbered, numbered_window

if TYPE_CHECKING:
    from collections.abc import Mapping

    from anyread.results import Block
    from anyread.tools.lines import Window
    from anyread.tools.profile import FileState

_IMAGE_TYPES = {
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".gif": "image/gif",
    ".webp": "image/webp",
    ".svg": "image/svg+xml",
    ".bmp": "image/bmp",
}
_BINARY_EXTENSIONS = {
    *(".exe", ".dll", ".so", ".dylib", ".class", ".jar", ".bin", ".dat"),
    *(".zip", ".gz", ".tar", ".7z", ".rar"),
    *(".mp3", ".mp4", ".mov", ".avi", ".wav", ".ogg"),
    *(".woff", ".woff2", ".ttf", ".otf"),
}
"""The proposal asks for a list and names none: this is the one of the `pilotdeck` contract."""
_EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001 - written with a Z of its own
_BINARY = "Binary files cannot be read as text"
_ABSENT = "File does not exist"


@dataclass(frozen=True, slots=True, kw_only=True)
class MycodeSettings:
    """Set the limits of the `mycode` profile."""

    max_lines: int = 2_000
    """Lines that a call without `limit` shows."""
    max_line_units: int = 2_000
    """UTF-16 units of a line; what is over is cut and marked."""
    max_file_bytes: int = 50 * 1024 * 1024
    """Bytes of a file; a larger one is refused."""
    allow_outside_cwd: bool = False
    """Whether files outside `cwd` are read too; a reader with roots of its own decides instead."""


class Mycode(Profile[MycodeSettings]):
    """The `Read` of mycode: lines, data URLs and Markdown in one JSON object."""

    name = "Read"
    Settings = MycodeSettings

    def __init__(self, context: Context[MycodeSettings]) -> None:
        if not (context.reader.roots or context.settings.allow_outside_cwd):
            # The proposal's security section asks for this: no path leads out, links included.
            context = replace(context, reader=like(context.reader, roots=[context.cwd]))
        super().__init__(context)
        self._lines = LineReader(
            context.reader,
            gutter=Gutter.TAB,
            max_line_chars=context.settings.max_line_units,
            max_bytes=LARGEST,
            keeps_returns=True,
        )

    def definitions(self) -> list[Definition]:
        """Give the one tool of this contract."""
        return [Definition(self.name, _described(self.context.settings), _schema(self.context.settings))]

    def validate(self, arguments: Mapping[str, Any], *, name: str) -> Output | None:  # noqa: ARG002 - one tool
        """Check the arguments as the proposal's schema does, in the words of its checker."""
        found = issues(arguments)
        return _failure("; ".join(found)) if found else None

    def steps(self, arguments: Mapping[str, Any], *, name: str) -> Steps[Output]:  # noqa: ARG002 - one tool
        """Read one file by what its extension says it is."""
        given: str = arguments["file_path"]
        # As Node does: only a relative path is made plain, so that `..` behind a link stays the system's.
        path = given if given.startswith("/") else self.context.resolve(given)
        extension = _extension(path)
        try:
            file = yield from open_file(self.context.reader, path)
            return (yield from self._answer(file, path, extension, arguments))
        except ReadError as error:
            return _failure(_worded(error, path, extension))

    def blocks(self, output: Output) -> list[Block]:
        """Give the text, or the picture that the data URL holds; SVG is text, BMP becomes PNG."""
        if isinstance(output, str) or not output["success"]:
            return [TextBlock(output if isinstance(output, str) else output["error"])]
        content: str = output["content"]
        if output["contentType"] != "image":
            return [TextBlock(content)]
        media_type, _, encoded = content.removeprefix("data:").partition(";base64,")
        data = b64decode(encoded)
        if media_type == "image/svg+xml":
            return [TextBlock(data.decode("utf-8", "replace"))]
        return [self._block(data, media_type)]

    def failed(self, output: Output) -> bool:
        """Look at `success`; an answer without it is a text."""
        return isinstance(output, dict) and not output["success"]

    def freshness(self, state: FileState, path: str) -> str | None:  # noqa: ARG002 - whatever the file
        """Refuse nothing: the contract says nothing of writing."""
        return None

    # -- the kinds of files

    def _answer(self, file: File, path: str, extension: str, arguments: Mapping[str, Any]) -> Steps[Output]:
        if extension in _BINARY_EXTENSIONS:
            return _failure(_BINARY)
        is_text = extension not in _IMAGE_TYPES and extension != ".ipynb"
        if is_text and self.context.validate_media and _has_binary_signature(file.media_type):
            return _failure(_BINARY)
        maximum, data = self.context.settings.max_file_bytes, None
        size = file.size_bytes
        # A file of /proc has no size, and one that grows has had another: what comes in is counted, too.
        if size <= maximum and not (is_text and size):
            data = yield from file.read(maximum + 1)
            size = len(data)
        if size > maximum:
            return _failure(f"File is too large: {size:,} bytes (limit: {maximum:,} bytes)")
        if is_text or data is None:
            return (yield from self._text(file, path, data, arguments))
        if extension == ".ipynb":
            return (yield from self._notebook(file, data))
        return (yield from self._image(file, data, _IMAGE_TYPES[extension]))

    def _text(self, file: File, path: str, data: bytes | None, arguments: Mapping[str, Any]) -> Steps[Output]:
        """Show a window of a text, of which `data` is known if it is no ordinary file."""
        settings = self.context.settings
        offset = int(arguments.get("offset", 1))
        limit = int(arguments.get("limit", settings.max_lines))
        if data is None:
            room = len(str(estimated_lines(file.head(HEAD_BYTES), file.size_bytes)))
            window = yield from self._window(file, path, offset, limit, room)
            shown = numbered_window(window, offset, limit, room=room, max_line_units=settings.max_line_units)
        else:
            work = partial(numbered, data, offset, limit, max_line_units=settings.max_line_units)
            shown = yield from file.work(work, len(data))
        self.context.note(file, kind="text", offset=offset, limit=limit)
        return {
            "success": True,
            "content": shown.content,
            "contentType": "text",
            "lineCount": shown.line_count,
            "truncated": shown.is_truncated,
            "metadata": {**_metadata(file), "encoding": "utf-8"},
        }

    def _window(self, file: File, path: str, offset: int, limit: int, room: int) -> Steps[Window]:
        gutter = gutter_of(room, SEPARATOR)
        window = yield from self._lines.window(file, path, offset - 1, limit, gutter=gutter)
        if window.total and offset == window.total + 1:
            # The empty line behind the last line feed, if there is one: only the last line tells.
            last = yield from self._lines.window(file, path, window.total - 1, 1)
            return window._replace(has_final_newline=last.has_final_newline)
        return window

    def _image(self, file: File, data: bytes, media_type: str) -> Steps[Output]:
        picture = _Picture(data, media_type, dimensions(data))
        if self.context.validate_media:
            if self.context.sees("image") is False:
                return _failure("The model does not take pictures")
            picture = yield from self._sound(file, picture)
        encoded = yield from file.work(partial(_native.b64encode, picture.data), len(picture.data))
        self.context.note(file, kind="image", form="visual", media_type=picture.media_type)
        metadata = {**_metadata(file), "mimeType": picture.media_type}
        if picture.size is not None:
            metadata["dimensions"] = {"width": picture.size[0], "height": picture.size[1]}
        return {
            "success": True,
            "content": f"data:{picture.media_type};base64,{encoded}",
            "contentType": "image",
            "lineCount": 0,
            "truncated": False,
            "metadata": metadata,
        }

    def _sound(self, file: File, picture: _Picture) -> Steps[_Picture]:
        """Make sure that a picture can be decoded, and is called what its bytes are.

        It stays as it is unless its format is not the contract's, or the host has said what the model takes.
        """
        data, promised, size = picture
        if promised == "image/svg+xml":
            if file.media_type != promised or b"<svg" not in data.replace(b"\0", b""):
                raise DamagedFileError(file.path, media_type=promised, reason="it has no `<svg>` element")
            return picture
        model = self.context.model
        fitted = yield from fit(file, model or Model(), data=data, media_type=promised)
        if fitted.is_repaired:
            raise DamagedFileError(file.path, media_type=promised, reason="it is truncated")
        size = size or (fitted.width, fitted.height)
        media_type = f"image/{fitted.format.lower()}"
        if media_type == "image/bmp" or (model is None and media_type in _IMAGE_TYPES.values()):
            return _Picture(data, media_type, size)
        return _Picture(fitted.image.data, fitted.image.media_type, size)

    def _notebook(self, file: File, data: bytes) -> Steps[Output]:
        try:
            shown = yield from file.work(partial(markdown, data), len(data))
        except NotebookError as error:
            return _failure(f"The notebook cannot be parsed: {error}")
        self.context.note(file, kind="notebook")
        return {
            "success": True,
            "content": shown.content,
            "contentType": "notebook",
            "lineCount": shown.line_count,
            "truncated": False,
            "metadata": {**_metadata(file), "cellCount": shown.cell_count},
        }

    def _block(self, data: bytes, media_type: str) -> Block:
        """Make a block of a picture; one that nobody has decoded yet is decoded first."""
        try:
            if self.context.validate_media and media_type != "image/bmp":
                return ImageBlock.from_bytes(data, media_type=media_type)
            from anyread.decoding.host.fitting import fit_bytes

            model, limits = self.context.model or Model(), self.context.reader.limits
            fitting = fit_bytes(data, media_type, path="picture", limits=limits, model=model)
            return threads.run(fitting).image
        except (ReadError, ValueError):
            return TextBlock(f"[{media_type}, {len(data):,} bytes: it cannot be decoded]")


class _Picture(NamedTuple):
    """A picture on its way into a data URL."""

    data: bytes
    media_type: str
    size: tuple[int, int] | None
    """Width and height of the file, as far as its header tells."""


def _extension(path: str) -> str:
    """Give what Node's `extname` gives, in lower case."""
    name = path.rstrip("/").rpartition("/")[2]
    dot = name.rfind(".")
    return name[dot:].lower() if dot > 0 and name != ".." else ""


def _has_binary_signature(media_type: str) -> bool:
    """Tell whether first bytes are those of a binary format; the contract shows a PDF as its text."""
    return not is_textual(media_type) and media_type not in {UNKNOWN, "application/pdf"}


# ------------------------------------------------------------------------------------------------------------
# Words


def _metadata(file: File) -> dict[str, Any]:
    # As JavaScript writes a date in JSON; Node rounds to milliseconds.
    modified = _EPOCH + timedelta(milliseconds=(file.modified_ns + 500_000) // 1_000_000)
    return {"size": file.size_bytes, "modified": modified.isoformat(timespec="milliseconds") + "Z"}


def _failure(error: str) -> dict[str, Any]:
    return {"success": False, "error": error}


def _worded(error: ReadError, path: str, extension: str) -> str:
    """Word an error as the reference does where it has words for it."""
    if _is_absence(error):
        return _ABSENT
    if extension in _BINARY_EXTENSIONS:
        return _BINARY
    if isinstance(error, DirectoryError):
        return "EISDIR: illegal operation on a directory, read"
    if isinstance(error, AccessError):
        return f"EACCES: permission denied, open '{path}'"
    return worded(error)


def _is_absence(error: ReadError) -> bool:
    """Tell whether Node's `existsSync` would say no, as it does to whatever hinders a stat."""
    if isinstance(error, AccessError):
        return error.part != error.path
    if isinstance(error, FileSystemError):
        return error.errno in {errno.ENOTDIR, errno.ELOOP, errno.ENAMETOOLONG}
    return isinstance(error, NotFoundError | BadPathError)


def _described(settings: MycodeSettings) -> str:
    formats = ", ".join(sorted({name.removeprefix("image/").upper() for name in _IMAGE_TYPES.values()}))
    return f"""\
Read one file of this machine.

- file_path: the file; a relative path starts from the working directory.
- offset: the first line to show, counted from 1.
- limit: how many lines to show; {settings.max_lines:,} if left out.

What comes back depends on the extension of the file:
- Text: every line behind its number and a tab. A line over {settings.max_line_units:,} characters is cut \
and marked; `truncated` tells whether a line was cut or lines follow.
- Pictures ({formats}): the picture itself.
- Jupyter notebooks (.ipynb): all cells with their outputs; offset and limit do not count there.

Binary formats are refused, and so are files over {settings.max_file_bytes:,} bytes."""


def _schema(settings: MycodeSettings) -> dict[str, Any]:
    number = {"type": "integer", "exclusiveMinimum": 0, "maximum": SAFE_INTEGER}
    return {
        "type": "object",
        "properties": {
            "file_path": {"type": "string", "description": "Path of the file, absolute if possible"},
            "offset": {**number, "description": "First line to show, counted from 1"},
            "limit": {**number, "default": settings.max_lines, "description": "How many lines to show"},
        },
        "required": ["file_path"],
    }
