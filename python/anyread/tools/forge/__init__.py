"""forge's `read` and `read_image`: lines in an element, pictures and PDFs as data URLs.

Source: the plan of 2026-01-06 to read many formats through one tool,
https://github.com/antinomyhq/forge/blob/3de6bcc1b5fe982c4aaf07ba93dbbdbbcd7dd09d/plans/2026-01-06-unify-fs-read-multiformat-v1.md
and for text, which the plan leaves unchanged, the tool as of 2026-04-12,
https://github.com/antinomyhq/forge/tree/54cecac14984728f9a019974aa23c7617b103268

docs/tools.md lists the deviations from them, with reasons.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from anyread import _native
from anyread.arguments import LARGEST
from anyread.errors import DamagedFileError, FileChangedError, ReadError, TooLargeError
from anyread.gutter import Gutter
from anyread.model import Model
from anyread.tools.byte_lines import estimated_lines
from anyread.tools.decoders import count_pages, fit
from anyread.tools.files import HEAD_BYTES, File, open_file
from anyread.tools.lines import LineReader, gutter_of
from anyread.tools.profile import Context, Definition, Output, Profile, Steps

from .arguments import ArgumentError, ReadArguments, checked, checked_path
from .detection import IMAGE_TYPES, PDF, SUPPORTED, Detected, detected, has_image_extension
from .element import SEPARATOR, LineRange, Shown, element, resolved_range, shown_lines, shown_window
from .media import blocks_of
from .wording import (
    IMAGE_DESCRIPTION,
    IMAGE_SCHEMA,
    Limits,
    chain,
    described,
    error_of_metadata,
    failure,
    lacks_modality,
    other_content,
    read_failure,
    schema,
    too_large,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from anyread.results import Block
    from anyread.tools.profile import FileState

_IMAGE_EXTENSIONS = {
    "jpg": "image/jpeg",
    "jpeg": "image/jpeg",
    "png": "image/png",
    "webp": "image/webp",
    "gif": "image/gif",
}
_DEFAULT_IMAGE_BYTES = 262_144
_DEFAULT_FILE_BYTES = 104_857_600
_MARKUP_BYTES = 256


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgeSettings:
    """Set the limits of the `forge` profile."""

    max_read_lines: int = 2_000
    """Lines that one call shows."""
    max_line_bytes: int = 2_000
    """Bytes of a line; what is over is cut and marked."""
    max_image_bytes: int | None = None
    """Bytes of a picture; `None`: `FORGE_MAX_IMAGE_SIZE` of the environment, else 262,144."""
    max_pdf_bytes: int | None = None
    """Bytes of a PDF; `None`: `FORGE_MAX_PDF_SIZE` of the environment, else as pictures."""
    max_file_bytes: int | None = None
    """Bytes of a text; `None`: `FORGE_MAX_FILE_SIZE` of the environment, else 104,857,600."""


class Forge(Profile[ForgeSettings]):
    """The `read` of forge, and its deprecated `read_image`.

    Raises:
        ValueError: One of the variables of the environment is no number of bytes.
    """

    name = "read"
    aliases = ("Read",)
    Settings = ForgeSettings

    def __init__(self, context: Context[ForgeSettings]) -> None:
        super().__init__(context)
        self._limits = _limits(context.settings, context.environ)
        self._lines = LineReader(
            context.reader,
            gutter=Gutter(0, SEPARATOR),
            max_line_chars=context.settings.max_line_bytes,
            max_bytes=LARGEST,
            keeps_returns=False,
        )

    def definitions(self) -> list[Definition]:
        """Give `read`, and `read_image` for histories that have calls of it."""
        settings = self.context.settings
        description = described(self._limits, settings.max_read_lines, settings.max_line_bytes)
        return [
            Definition(self.name, description, schema(settings.max_read_lines)),
            Definition("read_image", IMAGE_DESCRIPTION, IMAGE_SCHEMA),
        ]

    def validate(self, arguments: Mapping[str, Any], *, name: str) -> Output | None:
        """Check the arguments, and whether the model may look at what the path ends with."""
        try:
            path = checked_path(arguments) if name == "read_image" else checked(arguments).path
        except ArgumentError as error:
            return failure(str(error))
        is_visual = name == "read_image" or has_image_extension(path)
        return self._without_modality(name, "image") if is_visual else None

    def steps(self, arguments: Mapping[str, Any], *, name: str) -> Steps[Output]:
        """Read a file by its extension or content, or a picture by its extension."""
        is_image = name == "read_image"
        asked = ReadArguments(checked_path(arguments)) if is_image else checked(arguments)
        path = os.path.join(self.context.cwd, asked.path)  # noqa: PTH118 - `..` is the system's business
        try:
            file = yield from open_file(self.context.reader, path)
            if is_image:
                return (yield from self._read_image(file, path))
            return (yield from self._read(file, path, asked))
        except ReadError as error:
            refusal = _extension_refusal(path) if is_image and error_of_metadata(error) is None else None
            return failure(refusal or read_failure(error, path, is_image=is_image))

    def blocks(self, output: Output) -> list[Block]:
        """Give the text, the picture, or the PDF that the data URL holds."""
        return blocks_of(output, limits=self.context.reader.limits, model=self.context.model)

    def failed(self, output: Output) -> bool:
        """Look for `is_error`, which only failures have."""
        return "is_error" in output

    def freshness(self, state: FileState, path: str) -> str | None:  # noqa: ARG002 - the wording has no path
        """Refuse to write to what was not read; the reference asks no more."""
        if state == "unread":
            return "You must read the file with the read tool before attempting to write to it."
        return None

    # -- the two tools

    def _read(self, file: File, path: str, asked: ReadArguments) -> Steps[Output]:
        head, extension = file.head(_MARKUP_BYTES), (_extension(path) or "").lower()
        found = detected(file.media_type, head, extension, asked.file_type)
        data: bytes | None = b""
        # An ordinary text is read by windows.
        if found.is_visual or not file.size_bytes or file.size_bytes > self._maximum(found):
            data = yield from self._bytes(file, found)
        if data is None:
            return self._too_large(file, found)
        if found.refusal is not None:
            return failure(found.refusal)
        if found.is_visual:
            return (yield from self._visual(file, data, found.media_type, tool="read"))
        return (yield from self._text(file, path, asked, found.media_type))

    def _read_image(self, file: File, path: str) -> Steps[Output]:
        found = Detected(_IMAGE_EXTENSIONS.get(_extension(path) or "", "image/png"))
        data = yield from self._bytes(file, found)
        if data is None:
            return self._too_large(file, found)
        refusal = _extension_refusal(path)
        if refusal is not None:
            return failure(refusal)
        return (yield from self._visual(file, data, found.media_type, tool="read_image"))

    def _maximum(self, found: Detected) -> int:
        return self._limits.of(found.media_type, is_visual=found.is_visual)

    def _bytes(self, file: File, found: Detected) -> Steps[bytes | None]:
        """Read a file; `None`: it is too large."""
        maximum = self._maximum(found)
        if file.size_bytes > maximum:
            return None
        # A file of /proc has no size, and one that grows has had another: what came in is counted, too.
        data = yield from file.read(maximum + 1)
        return data if len(data) <= maximum else None

    def _too_large(self, file: File, found: Detected) -> Output:
        size = max(file.size_bytes, self._maximum(found) + 1)
        return failure(too_large(size, self._limits, found.media_type, is_visual=found.is_visual))

    def _text(self, file: File, path: str, asked: ReadArguments, media_type: str) -> Steps[Output]:
        settings = self.context.settings
        lines = resolved_range(asked.start_line, asked.end_line, settings.max_read_lines)
        fault = yield from file.utf8_fault()
        if fault is not None:
            inputs = (self.context.model or Model()).inputs
            causes = [fault, *other_content(file.media_type, inputs)]
            return failure(chain(f"Failed to read file as UTF-8 from {path}", *causes))
        shown = yield from self._shown(file, path, lines, has_numbers=asked.show_line_numbers)
        content_hash = yield from file.sha256()
        self.context.note(
            file, kind="text", offset=lines.start, limit=lines.end - lines.start + 1, media_type=media_type
        )
        return {
            "values": [{"text": element(asked.path, lines, shown)}],
            "mime_type": media_type,
            "content_hash": content_hash,
            "start_line": lines.start,
            "end_line": lines.end,
            "total_lines": shown.total_lines,
        }

    def _shown(self, file: File, path: str, lines: LineRange, *, has_numbers: bool) -> Steps[Shown]:
        maximum = self.context.settings.max_line_bytes
        whole = file.whole()
        if not file.size_bytes and whole is not None:
            return shown_lines(whole, lines, has_numbers=has_numbers, max_line_bytes=maximum)
        last = min(lines.end, estimated_lines(file.head(HEAD_BYTES), file.size_bytes))
        room = len(str(max(lines.start, last)))
        gutter = gutter_of(room, SEPARATOR)
        count = lines.end - lines.start + 1
        window = yield from self._lines.window(file, path, lines.start - 1, count, gutter=gutter)
        if lines.start > window.total > 0:
            window = yield from self._lines.window(file, path, window.total - 1, 1, gutter=gutter)
        return shown_window(window, lines, room=room, has_numbers=has_numbers, max_line_bytes=maximum)

    def _visual(self, file: File, data: bytes, media_type: str, *, tool: str) -> Steps[Output]:
        if self.context.validate_media:
            refusal = self._without_modality(tool, "pdf" if media_type == PDF else "image")
            if refusal is not None:
                return refusal
            if media_type == PDF:
                yield from self._check_pdf(file)
            else:
                data, media_type = yield from self._sound(file, data, media_type)
        encoded = yield from file.work(partial(_native.b64encode, data), len(data))
        content_hash = yield from file.sha256()
        kind = "pdf" if media_type == PDF else "image"
        self.context.note(file, kind=kind, form="visual", media_type=media_type)
        url = f"data:{media_type};base64,{encoded}"
        return {
            "values": [{"image": {"url": url, "mime_type": media_type}}],
            "mime_type": media_type,
            "content_hash": content_hash,
            "start_line": 0,
            "end_line": 0,
            "total_lines": 0,
        }

    def _sound(self, file: File, data: bytes, media_type: str) -> Steps[tuple[bytes, str]]:
        """Make sure that a picture can be decoded, and is called what its bytes are.

        It stays as it is unless its format is not the contract's, or the host has said what the model takes.
        """
        model = self.context.model
        fitted = yield from fit(file, model or Model(), data=data, media_type=media_type)
        if fitted.is_repaired:
            raise DamagedFileError(file.path, media_type=media_type, reason="it is truncated")
        found = f"image/{fitted.format.lower()}"
        if model is None and found in IMAGE_TYPES:
            return data, found
        return fitted.image.data, fitted.image.media_type

    def _check_pdf(self, file: File) -> Steps[None]:
        """Make sure that a PDF opens, and is within what the host has said that the model takes."""
        count, _ = yield from count_pages(file)
        if count < 1:
            raise DamagedFileError(file.path, media_type=PDF, reason="it has no pages")
        if not file.opened.recheck():
            raise FileChangedError(file.path, change="rewritten")
        model = self.context.model or Model()
        for size, maximum, unit in (
            (count, model.max_pdf_pages, "pages"),
            (file.size_bytes, model.max_pdf_bytes, "bytes"),
        ):
            if maximum is not None and size > maximum:
                raise TooLargeError(file.path, size=size, maximum=maximum, unit=unit)

    def _without_modality(self, tool: str, modality: str) -> Output | None:
        model = self.context.model
        if model is None or modality in model.inputs:
            return None
        return failure(lacks_modality(tool, modality, model.inputs))


def _extension(path: str) -> str | None:
    """Give what stands behind the last dot, if something stands before it, as Rust's `Path` does."""
    stem, dot, extension = path.rstrip("/").rpartition("/")[2].rpartition(".")
    return extension if dot and stem else None


def _extension_refusal(path: str) -> str | None:
    """Say why `read_image` refuses a name; the case of letters counts, as in the reference."""
    extension = _extension(path)
    if extension is None:
        return "File has no extension. Cannot determine image format."
    if extension in _IMAGE_EXTENSIONS:
        return None
    return f"Unsupported image format: {extension}. Supported formats: {SUPPORTED}"


def _limits(settings: ForgeSettings, environ: Mapping[str, str]) -> Limits:
    def chosen(setting: int | None, variable: str, default: int) -> int:
        if setting is not None:
            return setting
        value = environ.get(variable)
        if value is None:
            return default
        if not (value.isascii() and value.isdigit()):
            raise ValueError(f"{variable} must be a number of bytes: {value!r}")
        return int(value)

    image = chosen(settings.max_image_bytes, "FORGE_MAX_IMAGE_SIZE", _DEFAULT_IMAGE_BYTES)
    has_own = settings.max_pdf_bytes is not None or "FORGE_MAX_PDF_SIZE" in environ
    return Limits(
        image=image,
        pdf=chosen(settings.max_pdf_bytes, "FORGE_MAX_PDF_SIZE", image),
        file=chosen(settings.max_file_bytes, "FORGE_MAX_FILE_SIZE", _DEFAULT_FILE_BYTES),
        pdf_variable="FORGE_MAX_PDF_SIZE" if has_own else "FORGE_MAX_IMAGE_SIZE",
    )
