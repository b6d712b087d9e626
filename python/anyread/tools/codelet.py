"""The contract of codelet's `read`, whose answer is JSON text tagged as text, image or pdf.

Source: the research document of 2025-12-29,
https://github.com/sengac/fspec/blob/d57a4f3411e63aa067d7eb821e1d7241f4b7026c/spec/attachments/TOOLS-001/multimodal-read-tool-research.md
and, for what it does not specify, the tool's code (read 2026-11-21),
https://github.com/sengac/fspec/tree/5cd28d944063f13dde63a59e61c3d91440c79e04/rust/tools/src
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Final

from anyread._native import Layout, b64encode, count_tokens, json_string
from anyread.arguments.request import LARGEST
from anyread.errors import (
    AccessError,
    AmbiguousPathError,
    DirectoryError,
    FileSystemError,
    NotFoundError,
    PasswordRequiredError,
    ReadError,
    TooLargeError,
    UnsupportedFormatError,
)
from anyread.models.model import Model
from anyread.reading.open_file import HEAD_BYTES

from .parts import schemas
from .parts.contract import Block, Contract, Definition, LinesCall, Mapping, OpenFile, Output
from .parts.media import PDF, SVG, attachment, blocks_of, rendered_pages
from .parts.media_types import IMAGE_TYPES, dimensions, extension_of, signed_type
from .parts.paths import is_absolute

if TYPE_CHECKING:
    from anyread.decoding.host.pdf import DecodedPage

    from .parts.system_errors import FailedCall


Json = dict[str, Any]

MAX_LINES: Final = 2000
"""The most lines per call."""
LAYOUT: Final = Layout(
    separator=": ", clip_unit="bytes", clip_length=2000, clip_keep=1997, clip_marker="...", total="always"
)

NOTEBOOK: Final = "application/x-ipynb+json"
_BY_EXTENSION: Final = {**IMAGE_TYPES, ".svg": SVG, ".pdf": PDF, ".ipynb": NOTEBOOK}
_SIGNATURES: Final = {
    b"\x89PNG": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
    b"GIF8": "image/gif",
    b"%PDF": PDF,
}

MAX_IMAGE_BYTES: Final = 5 * 1024 * 1024 // 4 * 3
"""The most bytes of an image file, which takes 5 MB in base64."""
MAX_EDGE_PIXELS: Final = 5999
"""The most pixels of either edge of a PNG or JPEG."""
_DPI: Final = 150
_MAX_PAGE_TEXT_BYTES: Final = 16 * 1024 * 1024
TOKENIZER: Final = "cl100k_base"
_LONGEST_TOKEN_BYTES: Final = 128
# Like serde: no spaces, and only those characters escaped that JSON requires.
_ENCODER: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))

_DESCRIPTION = (
    "Read a file by its absolute path. Text is returned as numbered lines: at most 2000 lines per call, each "
    "cut to 2000 bytes. A text of more than {maximum} tokens is refused; read a part of it with offset and "
    "limit. Images (png, jpg, jpeg, gif, webp; up to 5 MB in base64, PNG and JPEG up to 5999 pixels per "
    "edge) are returned as images, PDFs as the text and an image of every page, notebooks and SVG as their "
    "source."
)
_SCHEMA: Final = schemas.arguments(
    "file_path",
    file_path=("string", "Absolute path of the file."),
    offset=schemas.argument("integer", "First line to show, counted from 1.", minimum=0),
    limit=schemas.argument("integer", "Number of lines to show, at most 2000.", minimum=0),
)


@dataclass(frozen=True, slots=True)
class CodeletSettings:
    """The settings of the `codelet` contract."""

    max_file_tokens: int | None = None
    """The most `cl100k_base` tokens of a text; `None`: CODELET_MAX_FILE_TOKENS, or else 25,000."""


class Codelet(Contract[CodeletSettings, LinesCall[int | None]]):
    """The contract of codelet's `read`.

    Example:
        >>> read = anyread.tool("codelet")
        >>> read.call_sync({"file_path": "/repo/title.txt"})
        '{"type":"text","content":"1: Notes"}'
    """

    name: ClassVar[str] = "read"
    aliases: ClassVar[tuple[str, ...]] = ("Read",)
    Settings: ClassVar[type[Any]] = CodeletSettings

    def definitions(self) -> list[Definition]:
        """Return the one tool."""
        return [Definition(self.name, _DESCRIPTION.format(maximum=self._max_tokens), _SCHEMA)]

    def checked(self, arguments: Mapping[str, Any], _name: str) -> LinesCall[int | None]:
        """Require an absolute path; numbers that cannot be parsed and unknown arguments are ignored."""
        path = arguments.get("file_path")
        if not isinstance(path, str):
            is_missing = "file_path" not in arguments
            fault = "missing field `file_path`" if is_missing else "field `file_path` must be a string"
            raise self.refusal(f"Failed to read file: {fault}")
        if not is_absolute(path):
            raise self.refusal("Error: file_path must be absolute")
        return LinesCall(path, _number(arguments.get("offset")), _number(arguments.get("limit")))

    def reply(self, call: LinesCall[int | None]) -> Output:
        """Read an image or a PDF, and any other file as text."""
        media_type = None
        try:
            file = self.open(call.path, repair=True)
            media_type = media_type_of(call.path, file.head(HEAD_BYTES))
            if media_type == SVG and self.context.validate_media:
                media_type = None
            if media_type == PDF:
                answer = self._pdf(file)
            elif media_type in {None, NOTEBOOK}:
                answer = self._text(file, call, is_notebook=media_type == NOTEBOOK)
            else:
                answer = self._image(file, call.path, media_type)
        except ReadError as error:
            failed = self.failed_call(call.path, error)
            raise self.refusal(worded(error, failed, media_type)) from error
        return file.work(partial(_encoded, answer), file.size_bytes)

    def failure(self, message: str) -> Output:
        """Return an object with the error, in place of JSON in a string."""
        return {"error": message}

    def blocks(self, output: Output) -> list[Block]:
        """Return the text, the image, or the text and image of each page; blank texts are left out."""
        answer = json.loads(output) if isinstance(output, str) else output
        parts = [answer.get("error", answer.get("content", answer))]
        if "pages" in answer:
            parts = [part for page in answer["pages"] for part in (page["text"], page["image"]) if part]
        return blocks_of(part for part in parts if not isinstance(part, str) or part.strip())

    def failed(self, output: Output) -> bool:
        """Check for a dictionary with `error`; a success is JSON in a string."""
        return isinstance(output, dict) and "error" in output

    @property
    def _max_tokens(self) -> int:
        """The most tokens of a text; a variable that is not a number is ignored."""
        maximum: int | None = self.context.settings.max_file_tokens
        if maximum is not None:
            return maximum
        value = self.context.environ.get("CODELET_MAX_FILE_TOKENS", "")
        return int(value) if value.isascii() and value.isdigit() else 25_000

    def _text(self, file: OpenFile, call: LinesCall[int | None], *, is_notebook: bool) -> Json:
        path, offset, limit = call
        maximum = self._max_tokens
        is_counted_whole = offset is None and limit is None and not is_notebook
        is_known_text = file.is_text
        if is_counted_whole and is_known_text and file.size_bytes > maximum * _LONGEST_TOKEN_BYTES:
            # It exceeds the limit whatever its content is; the message needs only an estimate.
            sample = file.head(HEAD_BYTES)
            counted = count_tokens(sample.decode("utf-8", "ignore"), TOKENIZER)
            estimate = counted * file.size_bytes // len(sample)
            self._refuse_tokens(path, max(estimate, maximum + 1), maximum)
        fault = file.utf8_fault()
        if fault is not None:
            unsupported = f"Unsupported file type: {file.media_type}"
            raise self.refusal(f"Failed to read file: {fault}" if is_known_text else unsupported)
        if is_counted_whole:
            # Line numbers and cuts do not count.
            self._refuse_tokens(path, file.all_tokens_over(TOKENIZER, maximum), maximum)
        first = min(max(offset or 1, 1), LARGEST)
        count = MAX_LINES if limit is None else min(limit, MAX_LINES)
        window = file.window(first, count, LAYOUT, encoding="utf-8")
        content, left = window.text, (window.total_lines or 0) - window.last_line
        if left > 0:
            # The reference says this about all lines that are left, although it has no such limit.
            content += f"\n... [{left} lines truncated - output truncated at 30000 chars] ..."
        if not is_counted_whole and not is_notebook:
            self._refuse_tokens(path, file.tokens_over(content, TOKENIZER, maximum), maximum)
        self.context.note(file, kind="text")
        return {"type": "text", "content": content}

    def _refuse_tokens(self, path: str, tokens: int | None, maximum: int) -> None:
        if tokens is not None:
            raise self.refusal(f"Token limit exceeded: {path} has ~{tokens} tokens (limit: {maximum})")

    def _image(self, file: OpenFile, path: str, media_type: str) -> Json:
        """Return an image unchanged if it can be decoded."""
        size = file.size_bytes
        if size > MAX_IMAGE_BYTES:
            base64_mib = -(-size // 3) * 4 / 1024 / 1024
            raise self.refusal(
                f"File too large: {size} bytes (max: {MAX_IMAGE_BYTES})\n"
                f"{path} takes {base64_mib:.1f} MB in base64 (limit: 5.0 MB):"
                " resize the image, for example with `convert` or `sips`, and read the smaller copy."
            )
        width, height = dimensions(file.read(MAX_IMAGE_BYTES)) or (0, 0)
        has_edge_limit = file.head(4).startswith((b"\x89PNG", b"\xff\xd8"))
        if has_edge_limit and max(width, height) > MAX_EDGE_PIXELS:
            raise self.refusal(
                f"Image pixel dimensions exceed limit: {path}\n"
                f"Dimensions: {width}x{height} (limit: {MAX_EDGE_PIXELS}px on any side)\n"
                f"Suggestions:\n  macOS: sips -Z 4000 {path}\n  Linux: convert -resize 4000x4000 {path}"
            )
        unseen = self.refusal(f"Unsupported file type: {media_type} (the model does not accept images)")
        media_type, data = attachment(self.context, file, media_type, kind="image", unseen=unseen)
        return {"type": "image", "data": data, "media_type": media_type}

    def _pdf(self, file: OpenFile) -> Json:
        """Return the text and an image of each page of a PDF."""
        # The contract sends pages as PNG.
        model = replace(self.context.model or Model(), image_types=("image/png",))
        limits = replace(file.reader.limits, dpi=_DPI, max_bytes=_MAX_PAGE_TEXT_BYTES)
        images = 0 if self.context.sees("image") is False else model.max_images
        seen = range(1, LARGEST if images is None else images + 1)
        count, pages = rendered_pages(file, seen, model, limits) if seen else (1, [])
        if len(pages) < count:
            pages += rendered_pages(file, range(seen.stop, LARGEST), None, limits)[1]
        self.context.note(file, kind="pdf", form="visual")
        return {"type": "pdf", "pages": [_page(page) for page in pages]}


def _encoded(answer: Json) -> str:
    if answer["type"] == "text":
        # The encoder of a dictionary is built again for each one.
        return f'{{"type":"text","content":{json_string(answer["content"])}}}'
    return _ENCODER.encode(answer)


def media_type_of(path: str, head: bytes) -> str | None:
    """Return the media type by the extension, or else by the first bytes; `None`: text."""
    named = _BY_EXTENSION.get(extension_of(path))
    if named is not None:
        return named
    signed = signed_type(head, _SIGNATURES)
    if signed is not None:
        return signed
    start = head[:1024]
    return NOTEBOOK if start.lstrip().startswith(b"{") and b'"cells"' in start else None


def _number(value: object) -> int | None:
    """Convert a number, also in a string, as the tool does; `None`: anything else, as if omitted."""
    if isinstance(value, str):
        digits = value.removeprefix("+")
        value = int(digits) if digits.isascii() and digits.isdigit() and len(digits) <= 20 else None
    return value if type(value) is int and 0 <= value < 2**64 else None


def worded(error: ReadError, failed: FailedCall, media_type: str | None) -> str:
    """Word a failure in one of the contract's six sentences."""
    action = {None: "read file", NOTEBOOK: "read file", PDF: "process PDF"}.get(media_type, "encode image")
    if isinstance(error, NotFoundError | AmbiguousPathError):
        return f"File not found: {failed.path}"
    if isinstance(error, TooLargeError) and error.unit == "bytes":
        return f"File too large: {error.size} bytes (max: {error.maximum})"
    if isinstance(error, UnsupportedFormatError) and media_type != PDF:
        return f"Unsupported file type: {error.media_type}"
    reason = error.message
    if isinstance(error, PasswordRequiredError):
        reason = f"Cannot read password-protected PDF: {failed.path}"
    elif isinstance(error, DirectoryError | AccessError | FileSystemError):
        action, reason = "read file", failed.rust()
    return f"Failed to {action}: {reason}"


def _page(page: DecodedPage) -> Json:
    image = page.image and {"data": b64encode(page.image.data), "media_type": page.image.media_type}
    return {"page_number": page.number, "text": page.text, "image": image}
