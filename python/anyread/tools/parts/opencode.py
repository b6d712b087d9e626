"""What both versions of opencode do: divide, cut and number lines, tell kinds of files, name near files."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any, ClassVar, Final, NamedTuple, TypeVar

from anyread._native import Layout
from anyread.arguments.request import LARGEST

from . import schemas
from .contract import Block, Contract, Mapping, OpenFile, Output
from .directories import names_in
from .media import PDF, blocks_of
from .media_types import IMAGE_TYPES, OPAQUE_EXTENSIONS, extension_of, signed_type
from .paths import joined, name_of
from .utf8 import incomplete_end

if TYPE_CHECKING:
    from anyread.reader import Reader

S = TypeVar("S")
C = TypeVar("C")

DEFAULT_LIMIT: Final = 2000
"""Lines, and entries of a directory, per call without `limit`."""
_SAMPLE_BYTES: Final = 4096
_NAMED: Final = {**IMAGE_TYPES, ".jpe": "image/jpeg", ".pdf": PDF}
_SIGNATURES: Final = {
    b"\x89PNG\r\n\x1a\n": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
    b"GIF8": "image/gif",
    b"BM": "image/bmp",
    b"%PDF-": PDF,
}
_CONTROLS: Final = bytes([*range(9), *range(14, 32)])
_FAULTS: Final[dict[schemas.Rule, str]] = {
    "required": "Missing key",
    "string": "Expected string, got {value}",
    "number": "Expected number | undefined, got {value}",
    "integer": "Expected an integer, got {value}",
    "minimum": "Expected a value greater than or equal to 0, got {value}",
}

_CUT: Final[dict[str, Any]] = {
    "line_ends": "lf+crlf+cr",
    "clip_unit": "utf16",
    "clip_length": 2000,
    "clip_marker": "... (line truncated to 2000 chars)",
    "budget": 50 * 1024,
    "budget_of": "text",
    "bom": "drop",
    "total": "known",
}
_LINES: Final = Layout(**_CUT)
_NUMBERED_LINES: Final = Layout(**_CUT, separator=": ")
_NUMBERED: Final = Layout(line_ends="lf", separator=": ")
_COUNTED: Final = Layout(line_ends="lf+crlf+cr", bom="drop", total="always")


class OpencodeLines(NamedTuple):
    """Lines of a file."""

    text: str
    """The lines, joined by LF."""
    numbered: str
    """The same, with their numbers."""
    last: int
    """The number of the last line; if there are no lines, that of the line before the requested ones."""
    total: int
    """The number of lines of the file; after a cut, only one line more is counted."""
    is_over_budget: bool
    """Whether the budget of bytes ended the lines."""


def read_lines(file: OpenFile, offset: int, limit: int) -> OpencodeLines:
    """Read lines from `offset` on, counted from 1."""
    window = file.window(offset, limit, _NUMBERED_LINES, encoding="utf-8")
    plain, numbered = file.plain_text(window), window.text
    if plain is None:
        window = file.window(offset, limit, _LINES, encoding="utf-8")
    text, last = window.text if plain is None else plain, window.last_line
    if window.is_over_budget:
        total = last + 1
    else:
        total = window.total_lines or file.window(1, 0, _COUNTED, encoding="utf-8").total_lines or 0
        if plain is None or window.next is not None or last < offset:
            # The tool drops an incomplete character at the end of a file.
            end = file.read_range(max(0, file.size_bytes - 5), 5)
            incomplete = incomplete_end(end)
            if incomplete:
                text = text.removesuffix("\ufffd") if last == total else text
                if end[:-incomplete].endswith((b"\n", b"\r")) or len(end) == incomplete:
                    text = text.removesuffix("\n") if last == total else text
                    total -= 1
                    last = min(last, total)
    last = max(last, offset - 1)
    if last < offset:
        numbered = ""
    elif plain is None:
        numbered = _NUMBERED.window(f"{text}\n".encode(), 1, LARGEST, first_number=offset).text
    return OpencodeLines(text, numbered, last, total, window.is_over_budget)


class OpencodeContract(Contract[S, C]):
    """The contract of `read` of a version of opencode."""

    name: ClassVar[str] = "read"
    description: ClassVar[str] = (
        "Read a file or list a directory. Text is returned with line numbers (`1: line`), at most 2000"
        " lines and 50 KB per call; lines of more than 2000 characters are cut. Pass offset and limit to"
        " read on; for a directory they count its entries, where `/` follows the names of directories."
        " Images and PDFs are attached. Other binary files are refused."
    )

    def lines(self, arguments: Mapping[str, Any]) -> tuple[int, int]:
        """Return `offset` and `limit`, or refuse arguments that violate the schema; others are ignored."""
        for argument, rule in schemas.violations(self.schema, arguments):
            value = json.dumps(
                arguments.get(argument), ensure_ascii=False, separators=(",", ":"), default=str
            )
            fault = f'{_FAULTS[rule].format(value=value)}\n  at ["{argument}"]'
            raise self.refusal(
                f"The read tool was called with invalid arguments: SchemaError({fault}).\nPlease rewrite the"
                " input so it satisfies the expected schema."
            )
        return int(arguments.get("offset") or 1), int(arguments.get("limit", DEFAULT_LIMIT))

    def blocks(self, output: Output) -> list[Block]:
        """Return the text, followed by its image or document."""
        name = name_of(output.get("title", "")) or "document.pdf"
        return [*blocks_of(output, "output"), *blocks_of(output.get("attachments", ()), name=name)]


def media_type_of(file: OpenFile, path: str) -> str | None:
    """Return the media type of a file that is attached; `None`: it is not."""
    found = signed_type(file.head(_SAMPLE_BYTES), _SIGNATURES) or _NAMED.get(extension_of(path))
    return None if found == "image/bmp" else found


def is_binary(file: OpenFile, path: str) -> bool:
    """Return whether a file that is not attached is refused."""
    sample = file.head(_SAMPLE_BYTES)
    if extension_of(path) in OPAQUE_EXTENSIONS or b"\0" in sample:
        return True
    controls = len(sample) - len(sample.translate(None, _CONTROLS))
    return controls > 0.3 * len(sample)


def not_found(reader: Reader, path: str, shown: str | None = None) -> str:
    """Word the error for a file that could not be found, with up to three names that are near."""
    directory, name = os.path.split(path)
    low = name.lower()
    near = [each for each in names_in(reader, directory) if low in each.lower() or each.lower() in low][:3]
    message = f"File not found: {shown or path}"
    if not near:
        return message
    paths = "\n".join(joined(directory, each) for each in near)
    return f"{message}\n\nDid you mean one of these?\n{paths}"
