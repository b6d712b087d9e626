"""The contract of pi's `read`: exact text without numbers, and images fitted to a model.

Source: the npm package of `REFERENCE`, https://github.com/earendil-works/pi (read 2026-11-26).
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Final
from urllib.parse import unquote

from anyread._native import Layout
from anyread.arguments.request import LARGEST
from anyread.errors import DamagedFileError, NotFoundError, ReadError
from anyread.models.model import Model

from .parts import schemas
from .parts.coercion import as_number, as_string
from .parts.contract import Block, Contract, LinesCall, Mapping, OpenFile, Output
from .parts.javascript import json_text, sliced, spelled, type_name
from .parts.media import blocks_of, encoded, fit
from .parts.media_types import image_type
from .parts.paths import expanded_home, from_shell, resolved
from .parts.system_errors import stat_errno

if TYPE_CHECKING:
    from anyread.decoding.host.fitting import FittedImage


REFERENCE: Final = {"@earendil-works/pi-coding-agent": "1.6.0"}
"""The package that this contract follows, and its version."""
MAX_LINES: Final = 2000
"""The most lines of an answer."""
MAX_BYTES: Final = 50 * 1024
"""The most bytes of text of an answer."""
_LINES: Final = Layout(
    line_ends="lf", final_newline="starts", budget=MAX_BYTES, budget_unit="bytes", budget_of="text"
)
_POSITIONS: Final = Layout(line_ends="lf", final_newline="starts", clip_length=0)
_IMAGES: Final = Model(
    image_types=("image/png", "image/jpeg", "image/gif", "image/webp"),
    max_long_edge=2000,
    # It must be under 4.5 MiB in base64.
    max_image_bytes=(9 * 1024 * 1024 // 2 - 1) // 4 * 3,
)
_SPACES: Final = re.compile("[\u00a0\u2000-\u200a\u202f\u205f\u3000]")
_UNSUPPORTED: Final = "[Image omitted: could not be converted to a supported inline image format.]"
_NOT_SHOWN: Final = "[Image omitted: could not be resized below the inline image size limit.]"


@dataclass(frozen=True, slots=True, kw_only=True)
class PiSettings:
    """The settings of the `pi` contract."""

    model_id: str = "the model"
    """The host's name of its model, which `details` repeats if the model does not accept an image."""


class Pi(Contract[PiSettings, LinesCall[float | None]]):
    r"""The contract of pi's `read`.

    Example:
        >>> read = anyread.tool("pi", cwd="/repo")
        >>> read.call_sync({"path": "notes.txt", "limit": 1})["content"][0]["text"]
        'Notes\n\n[12 more lines in file. Use offset=2 to continue.]'
    """

    name: ClassVar[str] = "read"
    description: ClassVar[str] = (
        "Read a text file or an image (jpg, png, gif, webp, bmp). Text is returned as it is, at most 2000"
        " lines or 50 KB; pass offset and limit to read on. Images are returned as images."
    )
    schema: ClassVar[schemas.Schema] = schemas.arguments(
        "path",
        path=("string", "Path of the file, absolute or relative."),
        offset=("number", "First line to show, counted from 1."),
        limit=("number", "The most lines to show."),
    )
    Settings: ClassVar[type[Any]] = PiSettings

    def checked(self, arguments: Mapping[str, Any], _name: str) -> LinesCall[float | None]:
        """Convert the arguments as the host of the tool does; `null` counts as an omitted number."""
        path = as_string(arguments["path"]) if "path" in arguments else None
        numbers = {name: arguments.get(name) for name in ("offset", "limit")}
        converted = {name: as_number(value) for name, value in numbers.items()}
        faults = {}
        if "path" not in arguments:
            faults["path"] = "missing"
        elif path is None:
            faults["path"] = f"expected string, got {type_name(arguments['path'])}"
        for name, value in numbers.items():
            if value is not None and converted[name] is None:
                faults[name] = f"expected number, got {type_name(value)}"
        if path is not None and not faults:
            return LinesCall(path, **converted)
        listed = "".join(f"  - {name}: {fault}\n" for name, fault in faults.items())
        received = json_text(arguments)
        raise self.refusal(f'Validation failed for tool "read":\n{listed}\nReceived arguments:\n{received}')

    def reply(self, call: LinesCall[float | None]) -> Output:
        """Show an image, recognized by its content, and any other file as text."""
        path = resolved(self.context.cwd, _expanded(call.path))
        try:
            file, path = self._open(path)
            media_type = image_type(file.head(4100))
            if media_type is not None:
                return self._image(file, media_type)
            return self._text(file, call)
        except ReadError as error:
            raise self.refusal(self.failed_call(path, error).node("access")) from error

    def blocks(self, output: Output) -> list[Block]:
        """Return the text, and the image if there is one."""
        return blocks_of(output, "content")

    def _open(self, path: str) -> tuple[OpenFile, str]:
        """Open a file, or the one that macOS may have given another spelling of its name."""
        try:
            return self.open(path), path
        except NotFoundError:
            decomposed = unicodedata.normalize("NFD", path)
            variants = (
                re.sub(r" (AM|PM)\.", "\u202f\\1.", path, flags=re.IGNORECASE),
                decomposed,
                path.replace("'", "\u2019"),
                decomposed.replace("'", "\u2019"),
            )
            for variant in dict.fromkeys(variants):
                if variant != path and not stat_errno(self.context.reader, variant):
                    return self.open(variant), variant
            raise

    # -- text

    def _text(self, file: OpenFile, call: LinesCall[float | None]) -> Output:
        path, offset, limit = call
        is_all = not offset and limit is None
        # The lines that a call selects depend on their total, unless it selects all of them.
        window = file.window(1, MAX_LINES + 1 if is_all else 0, _LINES, encoding="utf-8")
        total = window.total_lines or 0
        first = max(0, offset - 1) if offset else 0
        # The tool passes numbers to JavaScript's `slice`, which cuts off fractions.
        start, length = sliced(first, total if limit is None else min(first + limit, total), total)
        if first >= total:
            raise self.refusal(f"Offset {spelled(offset or 0)} is beyond end of file ({total} lines total)")
        if not is_all:
            window = file.window(start + 1, min(length, MAX_LINES + 1), _LINES, encoding="utf-8")
        text, count = window.text, max(0, window.last_line - start)
        self.context.note(file, kind="text", media_type="text/plain", key=("text", offset, limit))
        ends_empty = count > 0 and (not text or text.endswith("\n"))
        if count == length and not window.is_over_budget and count - ends_empty <= MAX_LINES:
            if limit is not None:
                stop = first + (min(first + limit, total) - first)
                if stop < total:
                    left, following = spelled(total - stop), spelled(stop + 1)
                    text += f"\n\n[{left} more lines in file. Use offset={following} to continue.]"
            return _answered([{"type": "text", "text": text}])
        lines = text.split("\n") if count else []
        facts = self._truncation(file, start, start + length, total, lines[:MAX_LINES])
        shown, end = spelled(first + 1), spelled(first + facts["outputLines"])
        if not lines:
            size = _text_bytes(file, start, start + 1, total)
            text = (
                f"[Line {shown} is {_size(size)}, exceeds 50.0KB limit. Use bash: sed -n '{shown}p' {path} |"
                f" head -c {MAX_BYTES}]"
            )
        else:
            why = " (50.0KB limit)" if facts["truncatedBy"] == "bytes" else ""
            following = spelled(first + facts["outputLines"] + 1)
            text = (
                f"{facts['content']}\n\n[Showing lines {shown}-{end} of {total}{why}. Use offset={following}"
                " to continue.]"
            )
        return _answered([{"type": "text", "text": text}], details={"truncation": facts})

    def _truncation(
        self, file: OpenFile, start: int, stop: int, total: int, lines: list[str]
    ) -> dict[str, Any]:
        """Return the facts about a cut selection of lines from `start`, of which `lines` fit."""
        last = file.window(stop, 1, _POSITIONS, encoding="utf-8")
        total_lines = stop - start - (not last.clipped)
        is_by_lines = len(lines) >= min(MAX_LINES, total_lines)
        content = "\n".join(lines)
        return {
            "content": content,
            "truncated": True,
            "truncatedBy": "lines" if lines and is_by_lines else "bytes",
            "totalLines": total_lines,
            "totalBytes": _text_bytes(file, start, stop, total),
            "outputLines": len(lines),
            "outputBytes": len(content.encode()),
            "lastLinePartial": False,
            "firstLineExceedsLimit": not lines,
            "maxLines": MAX_LINES,
            "maxBytes": MAX_BYTES,
        }

    # -- images

    def _image(self, file: OpenFile, media_type: str) -> Output:
        model = self.context.model or _IMAGES
        limits = replace(
            model,
            image_types=model.image_types or _IMAGES.image_types,
            max_long_edge=min(model.max_long_edge or 2000, 2000),
            max_image_bytes=min(model.max_image_bytes or LARGEST, _IMAGES.max_image_bytes or LARGEST),
        )
        notes: list[str] = []
        parts: list[dict[str, Any]] = []
        details: dict[str, Any] = {}
        shown_type = media_type
        try:
            shown, is_resized = _fitted(file, limits, is_converted=media_type == "image/bmp")
        except ReadError:
            notes.append(_UNSUPPORTED if media_type == "image/bmp" else _NOT_SHOWN)
        else:
            image, shown_type = shown.image, shown.image.media_type
            if media_type == "image/bmp":
                notes.append(f"[Image converted from {media_type} to {shown_type}.]")
            if is_resized:
                notes.append(
                    f"[Image: original {shown.width}x{shown.height}, displayed at"
                    f" {image.width}x{image.height}."
                    f" Multiply coordinates by {shown.width / image.width:.2f} to map to original image.]"
                )
            data = file.work(partial(encoded, image.data, shown_type, block=image), len(image.data))
            parts.append({"type": "image", "data": data, "mimeType": shown_type})
            if self.context.sees("image") is False:
                details["details"] = {"imageUnsupportedByModel": self.context.settings.model_id}
        self.context.note(file, kind="image", form="visual", media_type=shown_type)
        text = "\n".join([f"Read image file [{shown_type}]", *notes])
        return _answered([{"type": "text", "text": text}, *parts], **details)


def _fitted(file: OpenFile, limits: Model, *, is_converted: bool) -> tuple[FittedImage, bool]:
    """Return an image as it is sent, and whether it had to become smaller, in pixels or in bytes."""
    types = limits.image_types or ()
    first = tuple(name for name in types if name == "image/png" or not is_converted) or types
    found = fit(file, replace(limits, image_types=first), original="sound")
    if found.is_repaired:
        # The tool's decoder refuses such a file.
        raise DamagedFileError(file.path, media_type=file.media_type, reason="it is truncated")
    is_large = not is_converted and file.size_bytes > (limits.max_image_bytes or LARGEST)
    # A file that is sent as it is may have to be turned by a quarter to be upright.
    if not is_large and {found.image.width, found.image.height} == {found.width, found.height}:
        return found, False
    # The tool prefers the smaller one of the largest size that fits.
    made = [
        fit(file, replace(limits, image_types=(name,)), original="never")
        for name in types
        if name in {"image/png", "image/jpeg"}
    ]
    return min(made, key=lambda each: (-each.image.width, len(each.image.data)), default=found), True


def _text_bytes(file: OpenFile, start: int, stop: int, total: int) -> int:
    """Count the bytes of lines, with U+FFFD for each part that is not UTF-8."""
    first, last = file.span(start + 1, stop, total)
    if file.utf8_fault() is None:
        return max(0, last - first)

    def count() -> int:
        return sum(len(piece.encode()) for piece in file.decoded(first, last, "replace"))

    return file.work(count, last - first)


def _size(size: int) -> str:
    if size < 1024:
        return f"{size}B"
    return f"{size / 1024:.1f}KB" if size < 1024**2 else f"{size / 1024**2:.1f}MB"


def _expanded(path: str) -> str:
    path = expanded_home(_SPACES.sub(" ", path).removeprefix("@"))
    return from_shell(unquote(path.removeprefix("file://")) if path.startswith("file://") else path)


def _answered(content: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    text = content[0]["text"]
    structured = {**content[1], "note": text} if len(content) > 1 else text
    return {"content": content, **more, "structuredContent": structured}
