"""forge's `read` and `read_image`: lines in an element, images and PDFs as data URLs.

Source: the plan of 2026-01-06 to read many formats through one tool,
https://github.com/antinomyhq/forge/blob/3de6bcc1b5fe982c4aaf07ba93dbbdbbcd7dd09d/plans/2026-01-06-unify-fs-read-multiformat-v1.md
and for text, which the plan leaves unchanged, the tool as of 2026-04-12,
https://github.com/antinomyhq/forge/tree/54cecac14984728f9a019974aa23c7617b103268
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from anyread._native import Layout
from anyread.errors import DamagedFileError, FileChangedError, ReadError, TooLargeError
from anyread.models.model import Model
from anyread.reading.open_file import HEAD_BYTES
from anyread.results.blocks import DocumentBlock
from anyread.tools.parts.contract import (
    Block,
    Context,
    Contract,
    Definition,
    Mapping,
    OpenFile,
    Output,
    Refusal,
    TextBlock,
)
from anyread.tools.parts.media import count_pages, encoded, encoded_block, intact_image, pdf_excess
from anyread.tools.parts.paths import joined

from .kinds import (
    IMAGE_DESCRIPTION,
    IMAGE_SCHEMA,
    IMAGE_TYPES,
    PDF,
    ForgeLimits,
    ForgeType,
    RequestedType,
    chain,
    described,
    detected,
    extension_of,
    extension_refusal,
    has_image_extension,
    is_visual,
    lacks_modality,
    other_content,
    read_failure,
    refusal,
    requested_type,
    schema,
    too_large,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

_LARGEST = 2**31 - 1
"""The reference stores line numbers in 32 bits."""
_BOOLEANS = {"true": True, "false": False}
_DEFAULT_IMAGE_BYTES = 262_144
_DEFAULT_FILE_BYTES = 104_857_600


class ForgeArguments(NamedTuple):
    """The checked arguments of a call."""

    path: str
    start_line: int | None = None
    end_line: int | None = None
    show_line_numbers: bool = True
    file_type: RequestedType | None = None

    def lines(self, maximum: int) -> tuple[int, int]:
        """Return the first and the last line; a reversed range is swapped, and a long one shortened."""
        first = max(1, self.start_line or 1)
        last = first + maximum - 1 if self.end_line is None else self.end_line
        first, last = sorted((first, last))
        first = max(1, first)
        return first, max(first, min(last, first + maximum - 1))


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgeSettings:
    """The settings of the `forge` contract."""

    max_read_lines: int = 2_000
    """The most lines per call."""
    max_line_bytes: int = 2_000
    """The most bytes of a line; the rest is cut and marked."""
    max_image_bytes: int | None = None
    """The most bytes of an image; `None`: `FORGE_MAX_IMAGE_SIZE` of the environment, or else 262,144."""
    max_pdf_bytes: int | None = None
    """The most bytes of a PDF; `None`: `FORGE_MAX_PDF_SIZE` of the environment, or else as for images."""
    max_file_bytes: int | None = None
    """The most bytes of a text; `None`: `FORGE_MAX_FILE_SIZE` of the environment, or else 104,857,600."""


class ForgeCall(NamedTuple):
    """A call of one of the tools."""

    tool: str
    given: ForgeArguments
    path: str
    """The absolute path."""


class Forge(Contract[ForgeSettings, ForgeCall]):
    """The `read` of forge, and its deprecated `read_image`.

    Raises:
        ValueError: One of the environment variables is not a number of bytes.
    """

    name = "read"
    aliases = ("Read",)
    Settings = ForgeSettings
    stale_wordings: ClassVar[Mapping[str, str]] = {
        "unread": "You must read the file with the read tool before attempting to write to it."
    }

    def __init__(self, context: Context[ForgeSettings]) -> None:
        super().__init__(context)
        self._limits = _limits(context.settings, context.environ)
        maximum = context.settings.max_line_bytes
        marker = f"... [truncated, line exceeds {maximum} chars]"
        clip = partial(
            Layout,
            clip_unit="bytes",
            clip_length=maximum,
            clip_round="up",
            clip_marker=marker,
            total="always",
        )
        self._plain, self._numbered = clip(), clip(separator=":", width="last", splits_again=True)

    def definitions(self) -> list[Definition]:
        """Return `read`, and `read_image` for histories that contain calls of it."""
        settings = self.context.settings
        description = described(self._limits, settings.max_read_lines, settings.max_line_bytes)
        return [
            Definition(self.name, description, schema(settings.max_read_lines)),
            Definition("read_image", IMAGE_DESCRIPTION, IMAGE_SCHEMA),
        ]

    def checked(self, arguments: Mapping[str, Any], name: str) -> ForgeCall:
        """Check the arguments, and whether the model accepts files with the extension of the path."""
        is_image = name == "read_image"
        given = ForgeArguments(checked_path(arguments)) if is_image else checked(arguments)
        if is_image or has_image_extension(given.path):
            self._require_modality(name, "image")
        return ForgeCall(name, given, joined(self.context.cwd, given.path))

    def reply(self, call: ForgeCall) -> Output:
        """Read a file by its extension or content; `read_image`: by its extension."""
        path, is_image = call.path, call.tool == "read_image"
        refused = extension_refusal(path) if is_image else None
        try:
            file = self.open(path)
            if is_image:
                found = ForgeType(IMAGE_TYPES.get(extension_of(path) or "", "image/png"), refused)
            else:
                head, requested = file.head(HEAD_BYTES), call.given.file_type
                found = detected(file.media_type, head, path, requested, is_text=file.is_text)
            return self._read(call, file, found)
        except ReadError as error:
            failed = self.failed_call(path, error)
            if refused is not None and failed.is_found:
                raise refusal(refused) from error
            raise refusal(read_failure(failed, is_image=is_image)) from error

    def blocks(self, output: Output) -> list[Block]:
        """Return the text, the image, or the PDF in the data URL."""
        if isinstance(output, str):
            return [TextBlock(output)]
        if output.get("is_error"):
            return [TextBlock(output["text"])]
        return [self._block(value) for value in output["values"]]

    # -- the kinds of files

    def _read(self, call: ForgeCall, file: OpenFile, found: ForgeType) -> Output:
        maximum = self._limits.of(found.media_type)
        # Files in `/proc` report a size of 0, so the bytes that can be read are counted.
        size = file.size_bytes or len(file.read(maximum + 1))
        if size > maximum:
            raise refusal(too_large(size, self._limits, found.media_type))
        if found.refusal is not None:
            raise refusal(found.refusal)
        if is_visual(found.media_type):
            return self._visual(call, file, size, found.media_type)
        return self._text(call, file, found.media_type)

    def _text(self, call: ForgeCall, file: OpenFile, media_type: str) -> Output:
        given = call.given
        first, last = given.lines(self.context.settings.max_read_lines)
        fault = file.utf8_fault()
        if fault is not None:
            inputs = (self.context.model or Model()).inputs
            causes = [fault, *other_content(file.media_type, inputs, is_text=file.is_text)]
            raise refusal(chain(f"Failed to read file as UTF-8 from {call.path}", *causes))
        layout = self._numbered if given.show_line_numbers else self._plain
        window = file.window(first, last - first + 1, layout, encoding="utf-8")
        total = window.total_lines or 0
        if first > total > 0:
            # The reference shows the last line under the requested number.
            window = file.window(total, 1, layout, first_number=first, encoding="utf-8")
        self.context.note(
            file,
            kind="text",
            offset=first,
            limit=last - first + 1,
            media_type=media_type,
            content_hash=file.sha256(),
        )
        # As in the reference, neither the path nor the lines are escaped.
        element = (
            f'<file\n  path="{given.path}"\n  display_lines="{first}-{last}"\n'
            f'  total_lines="{total}"\n><![CDATA[{window.text}]]>\n</file>'
        )
        return _answer(file, {"text": element}, media_type, (first, last, total))

    def _visual(self, call: ForgeCall, file: OpenFile, size: int, media_type: str) -> Output:
        # Hash first: the core keeps up to 1 MiB of hashed bytes, which `read` then returns.
        content_hash = file.sha256()
        data, block = file.read(size), None
        if self.context.validate_media:
            self._require_modality(call.tool, "pdf" if media_type == PDF else "image")
            if media_type == PDF:
                block = self._checked_pdf(file, data)
            else:
                accepted = IMAGE_TYPES.values()
                data, media_type, _ = intact_image(file, self.context.model, data, media_type, accepted)
        url = file.work(partial(encoded, data, media_type, block=block, as_url=True), len(data))
        kind = "pdf" if media_type == PDF else "image"
        self.context.note(file, kind=kind, form="visual", media_type=media_type, content_hash=content_hash)
        return _answer(file, {"image": {"url": url, "mime_type": media_type}}, media_type, (0, 0, 0))

    def _checked_pdf(self, file: OpenFile, data: bytes) -> Block:
        """Check that a PDF can be opened, and that the host's model accepts it; return its block."""
        count, _ = count_pages(file)
        if count < 1:
            raise DamagedFileError(file.path, media_type=PDF, reason="it has no pages")
        if not file.is_unchanged():
            raise FileChangedError(file.path, change="rewritten")
        excess = pdf_excess(self.context.model, count, file.size_bytes)
        if excess is not None:
            size, maximum, unit = excess
            raise TooLargeError(file.path, size=size, maximum=maximum, unit=unit)
        return DocumentBlock.from_bytes(data, name="document.pdf", page_count=count)

    def _require_modality(self, tool: str, modality: str) -> None:
        model = self.context.model
        if model is not None and modality not in model.inputs:
            raise refusal(lacks_modality(tool, modality, model.inputs))

    @staticmethod
    def _block(value: dict[str, Any]) -> Block:
        if "text" in value:
            return TextBlock(value["text"])
        return encoded_block("", value["image"]["url"], "document.pdf")


def checked(arguments: Mapping[str, Any]) -> ForgeArguments:
    """Check the arguments of `read`; numbers and booleans may be strings, unknown arguments are ignored.

    Raises:
        Refusal: One is missing, has the wrong type, or is negative.
    """
    return ForgeArguments(
        checked_path(arguments),
        _line_number(arguments, "start_line"),
        _line_number(arguments, "end_line"),
        _boolean(arguments, "show_line_numbers", default=True),
        _file_type(arguments),
    )


def checked_path(arguments: Mapping[str, Any]) -> str:
    """Check `path`, which may also be named `file_path`.

    Raises:
        Refusal: It is missing, or not a string.
    """
    for name in ("path", "file_path"):
        value = arguments.get(name)
        if isinstance(value, str):
            return value
        if value is not None:
            raise _wrong_type(value, "a string", name)
    raise refusal("missing field `path`")


def _line_number(arguments: Mapping[str, Any], name: str) -> int | None:
    value = arguments.get(name)
    if value is None:
        return None
    is_integer = isinstance(value, float) and value.is_integer()
    if is_integer or (isinstance(value, str) and re.fullmatch(r"\s*[+-]?[0-9]{1,20}\s*", value)):
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool):
        raise _wrong_type(value, "i32", name)
    if value > _LARGEST:
        raise refusal(f"invalid value: {_shown(value)}, expected i32 for `{name}`")
    if value < 0:
        raise refusal(f"invalid value: {_shown(value)}, `{name}` counts from 1")
    return value


def _boolean(arguments: Mapping[str, Any], name: str, *, default: bool) -> bool:
    value = arguments.get(name)
    if isinstance(value, str):
        value = _BOOLEANS.get(value.strip().lower(), value)
    if value is None:
        return default
    if not isinstance(value, bool):
        raise _wrong_type(value, "a boolean", name)
    return value


def _file_type(arguments: Mapping[str, Any]) -> RequestedType | None:
    value = arguments.get("file_type")
    if value is None or value == "":
        return None
    if not isinstance(value, str):
        raise _wrong_type(value, "a string", "file_type")
    found = requested_type(value.strip().lower())
    if isinstance(found, str):
        raise refusal(found)
    return found


def _wrong_type(value: object, expected: str, name: str) -> Refusal:
    return refusal(f"invalid type: {_shown(value)}, expected {expected} for `{name}`")


def _shown(value: object) -> str:
    """Write a refused value with its type, as the reference's parser does."""
    if isinstance(value, bool):
        return f"boolean `{str(value).lower()}`"
    if isinstance(value, int):
        shown = str(value) if value.bit_length() <= 128 else f"of {value.bit_length():,} bits"
        return f"integer `{shown}`"
    if isinstance(value, float):
        return f"floating point `{value}`"
    if isinstance(value, str):
        return f'string "{value[:80]}"'
    return "sequence" if isinstance(value, list | tuple) else "map"


def _answer(file: OpenFile, value: Output, media_type: str, lines: tuple[int, int, int]) -> Output:
    return {
        "values": [value],
        "mime_type": media_type,
        "content_hash": file.content_hash,
        **dict(zip(("start_line", "end_line", "total_lines"), lines, strict=True)),
    }


def _limits(settings: ForgeSettings, environ: Mapping[str, str]) -> ForgeLimits:
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
    return ForgeLimits(
        image=image,
        pdf=chosen(settings.max_pdf_bytes, "FORGE_MAX_PDF_SIZE", image),
        file=chosen(settings.max_file_bytes, "FORGE_MAX_FILE_SIZE", _DEFAULT_FILE_BYTES),
        pdf_variable="FORGE_MAX_PDF_SIZE" if has_own else "FORGE_MAX_IMAGE_SIZE",
    )
