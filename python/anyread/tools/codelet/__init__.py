"""The profile `codelet`: `read` whose answer is JSON text, tagged as text, image or pdf.

Source: the research document of 2025-12-29,
https://github.com/sengac/fspec/blob/d57a4f3411e63aa067d7eb821e1d7241f4b7026c/spec/attachments/TOOLS-001/multimodal-read-tool-research.md
and where that is silent the tool's code (read 2026-11-21),
https://github.com/sengac/fspec/tree/5cd28d944063f13dde63a59e61c3d91440c79e04/rust/tools/src

docs/tools.md lists the deviations from them, with reasons.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Final

from anyread._native import count_tokens
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
from anyread.gutter import Gutter
from anyread.tools.files import HEAD_BYTES, open_file
from anyread.tools.lines import LineReader
from anyread.tools.media_types import is_textual
from anyread.tools.profile import Context, Definition, Output, Profile

from . import media
from .blocks import blocks_of
from .detection import NOTEBOOK, PDF, SVG, media_type_of
from .media import RefusalError
from .text import (
    MAX_LINE_BYTES,
    MAX_LINES,
    SEPARATOR,
    formatted,
    over_length,
    with_remainder,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from anyread.results import Block
    from anyread.tools.files import File
    from anyread.tools.profile import FileState, Steps

__all__ = ["Codelet", "CodeletSettings"]

TOKENIZER: Final = "cl100k_base"
LIMIT_VARIABLE: Final = "CODELET_MAX_FILE_TOKENS"
_LONGEST_TOKEN_BYTES: Final = 128
# As serde writes it: no spaces, and every character that JSON lets stand.
_ENCODER: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


@dataclass(frozen=True, slots=True)
class CodeletSettings:
    """What a host may set."""

    max_file_tokens: int | None = None
    """Tokens of `cl100k_base` a text may have; `None`: what CODELET_MAX_FILE_TOKENS says, else 25,000."""

    def within(self, environ: Mapping[str, str]) -> int:
        """Give the limit that holds in an environment; what is no number there counts as not set."""
        if self.max_file_tokens is not None:
            return self.max_file_tokens
        told = environ.get(LIMIT_VARIABLE, "")
        return int(told) if told.isascii() and told.isdigit() else 25_000


class Codelet(Profile[CodeletSettings]):
    """The contract of codelet's `read`.

    Example:
        >>> read = anyread.tool("codelet")
        >>> read.call_sync({"file_path": "/repo/notes.txt", "limit": 1})
        '{"type":"text","content":"1: Notes"}'
    """

    name: ClassVar[str] = "read"
    aliases: ClassVar[tuple[str, ...]] = ("Read",)
    Settings: ClassVar[type[Any]] = CodeletSettings

    def __init__(self, context: Context[CodeletSettings]) -> None:
        super().__init__(context)
        self._lines = LineReader(
            context.reader,
            gutter=Gutter.COLON,
            max_line_chars=MAX_LINE_BYTES,
            # A character has four bytes at most, and a number with its separator fewer than 32.
            max_bytes=MAX_LINES * (4 * MAX_LINE_BYTES + 32),
            keeps_returns=False,
        )

    def definitions(self) -> list[Definition]:
        """Give the one tool."""
        maximum = self.context.settings.within(self.context.environ)
        return [Definition(self.name, _DESCRIPTION.format(maximum=maximum), _SCHEMA)]

    def validate(self, arguments: Mapping[str, Any], *, name: str) -> Output | None:  # noqa: ARG002 - it has one name
        """Refuse a path that is none; numbers are taken leniently, and unknown arguments ignored."""
        if "file_path" not in arguments:
            return {"error": "Failed to read file: missing field `file_path`"}
        path = arguments["file_path"]
        if not isinstance(path, str):
            return {"error": "Failed to read file: field `file_path` must be a string"}
        is_absolute = os.path.isabs(path)  # noqa: PTH117 - a `Path` would take as long as the opening
        return None if is_absolute else {"error": "Error: file_path must be absolute"}

    def steps(self, arguments: Mapping[str, Any], *, name: str) -> Steps[Output]:  # noqa: ARG002 - it has one name
        """Read a picture, a PDF, or else text."""
        path = arguments["file_path"]
        media_type = None
        try:
            file = yield from open_file(self.context.reader, path, repair=True)
            media_type = media_type_of(path, file.head(HEAD_BYTES))
            if media_type == SVG and self.context.validate_media:
                media_type = None
            if media_type == PDF:
                answer, form = (yield from media.pdf(self.context, file)), "visual"
            elif media_type in {None, NOTEBOOK}:
                is_notebook = media_type is not None
                answer, form = (
                    (yield from self._text(file, path, arguments, is_notebook=is_notebook)),
                    "text",
                )
            else:
                answer, form = (yield from media.image(self.context, file, path, media_type)), "visual"
        except RefusalError as error:
            return {"error": str(error)}
        except ReadError as error:
            return {"error": worded(error, path, media_type)}
        self.context.note(file, kind=answer["type"], form=form, media_type=answer.get("media_type"))
        return (yield from file.work(lambda: compact(answer), file.size_bytes))

    def blocks(self, output: Output) -> list[Block]:
        """Give its text, its picture, or text and picture of each page."""
        return blocks_of(output)

    def failed(self, output: Output) -> bool:
        """Look for `error`; an answer without it is JSON in a string."""
        return isinstance(output, dict) and "error" in output

    def freshness(self, state: FileState, path: str) -> str | None:  # noqa: ARG002 - it asks no questions
        """Let every write pass: this contract does not remember what was read."""
        return None

    def _text(
        self, file: File, path: str, arguments: Mapping[str, Any], *, is_notebook: bool
    ) -> Steps[media.Json]:
        offset, limit = lenient(arguments.get("offset")), lenient(arguments.get("limit"))
        is_whole = offset is None and limit is None
        is_counted_first = is_whole and not is_notebook and is_textual(file.media_type)
        if is_counted_first:
            # A text of gigabytes is refused without being read.
            yield from self._refuse_long_file(file, path)
        yield from _refuse_other_than_utf8(file)
        if is_whole and not is_notebook and not is_counted_first:
            yield from self._refuse_long_file(file, path)
        start, count = max(offset or 1, 1) - 1, MAX_LINES if limit is None else min(limit, MAX_LINES)
        window = yield from self._lines.window(file, file.resolved_path, start, count)
        body = window.numbered
        if body is not None and not body.isascii() and any(map(over_length, body.split("\n"))):
            # Lines that are within the length in characters may be over it in bytes.
            window, body = window.unnumbered(SEPARATOR), None
        shown = len(window.lines) if body is None else body.count("\n") + 1
        if body is None:
            body = formatted(window.lines, start, window.longer)
        content = with_remainder(body, window.total - start - shown)
        if not is_whole and not is_notebook:
            yield from self._refuse_long_text(file, content, path)
        return {"type": "text", "content": content}

    def _refuse_long_file(self, file: File, path: str) -> Steps[None]:
        """Refuse a text that has too many tokens as it is written, without numbers and cuts."""
        maximum = self.context.settings.within(self.context.environ)
        if file.size_bytes > maximum * _LONGEST_TOKEN_BYTES:
            # It is over whatever it holds, and the message needs no more than about how far.
            sample = file.head(HEAD_BYTES)
            tokens = (
                count_tokens(sample.decode("utf-8", "ignore"), TOKENIZER) * file.size_bytes // len(sample)
            )
            raise RefusalError(too_long(path, max(tokens, maximum + 1), maximum))
        data = yield from file.read(maximum * _LONGEST_TOKEN_BYTES)
        text = yield from file.work(lambda: data.decode("utf-8", "replace"), len(data))
        yield from self._refuse_long_text(file, text, path)

    def _refuse_long_text(self, file: File, text: str, path: str) -> Steps[None]:
        maximum = self.context.settings.within(self.context.environ)
        tokens = yield from file.tokens_over(text, TOKENIZER, maximum)
        if tokens is not None:
            raise RefusalError(too_long(path, tokens, maximum))


def _refuse_other_than_utf8(file: File) -> Steps[None]:
    fault = yield from file.utf8_fault()
    if fault is None:
        return
    if is_textual(file.media_type):
        raise RefusalError(f"Failed to read file: {fault}")
    raise RefusalError(f"Unsupported file type: {file.media_type}")


def lenient(value: object) -> int | None:
    """Take a number as the tool does: also from a string; what is none counts as not given."""
    if isinstance(value, str):
        digits = value.removeprefix("+")
        value = int(digits) if digits.isascii() and digits.isdigit() and len(digits) <= 20 else None
    if type(value) is not int or not 0 <= value < 2**64:
        return None
    return value


def too_long(path: str, tokens: int, maximum: int) -> str:
    """Word the refusal of a text that has too many tokens."""
    return f"Token limit exceeded: {path} has ~{tokens} tokens (limit: {maximum})"


def worded(error: ReadError, path: str, media_type: str | None) -> str:
    """Word what went wrong with a file in the six sentences of the contract."""
    doing = {None: "read file", NOTEBOOK: "read file", PDF: "process PDF"}.get(media_type, "encode image")
    if isinstance(error, NotFoundError | AmbiguousPathError):
        return f"File not found: {path}"
    if isinstance(error, TooLargeError) and error.unit == "bytes":
        return f"File too large: {error.size} bytes (max: {error.maximum})"
    if isinstance(error, UnsupportedFormatError) and media_type != PDF:
        return f"Unsupported file type: {error.media_type}"
    reason = error.message
    if isinstance(error, PasswordRequiredError):
        reason = f"Cannot read password-protected PDF: {path}"
    elif isinstance(error, DirectoryError | AccessError | FileSystemError):
        # As the standard library of the tool's language words them.
        doing, reason = "read file", f"{error.strerror} (os error {error.errno})"
    return f"Failed to {doing}: {reason}"


def compact(answer: media.Json) -> str:
    """Write an answer as the JSON that a call gives."""
    return _ENCODER.encode(answer)


_DESCRIPTION = (
    "Read a file by its absolute path. Text comes back as numbered lines, 2000 at most, each cut to 2000 "
    "bytes; a text over {maximum} tokens is refused, so pass offset and limit to read a part of it. Pictures "
    "(png, jpg, jpeg, gif, webp; up to 5 MB in base64, PNG and JPEG up to 5999 pixels an edge) come back as "
    "themselves, PDFs page by page as text and picture, notebooks and SVG as their source."
)
_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "file_path": {"type": "string", "description": "Absolute path of the file."},
        "offset": {"type": "integer", "minimum": 0, "description": "First line to show, counted from 1."},
        "limit": {"type": "integer", "minimum": 0, "description": "Lines to show, 2000 at most."},
    },
    "required": ["file_path"],
}
