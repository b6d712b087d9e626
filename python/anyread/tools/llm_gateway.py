"""The contract of llm-gateway's `read`: offsets from 0, a `<file>` element, and FileTime.

Source: the documentation page of the tool, a design document supplied with the project (read 2026-11-21),
and, for what it does not specify, the tool's code,
https://github.com/hvent90/llm-gateway/blob/ec0d81d60c5f401a7c603da881a176914671265d/packages/ai/tools/read.ts
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Final

from anyread._native import Layout
from anyread.arguments.request import LARGEST
from anyread.errors import NotFoundError, ReadError
from anyread.models.model import Model
from anyread.reading.open_file import HEAD_BYTES

from .parts import schemas
from .parts.contract import Block, Contract, LinesCall, Mapping, NoSettings, OpenFile, Output, TextBlock
from .parts.javascript import sliced, spelled
from .parts.media import PDF, blocks_of, count_pages, encoded, fit, pdf_excess
from .parts.media_types import IMAGE_TYPES, extension_of
from .parts.paths import is_absolute, name_of
from .parts.zod import issues

if TYPE_CHECKING:
    from .parts.zod import ZodType


DEFAULT_LIMIT: Final = 2000
"""Lines per call without `limit`."""
MAX_MEDIA_BYTES: Final = 5 * 1024 * 1024
"""The most bytes of an image or PDF file."""
_MEDIA_TYPES: Final = {**IMAGE_TYPES, ".pdf": PDF}
_KINDS: Final[dict[str, ZodType]] = {"filePath": "string", "offset": "number", "limit": "number"}
_BUDGET_NOTICE: Final = "\n[Output truncated at 50KB. Use offset/limit to read more.]"


def _layout(fraction: str = "") -> Layout:
    """Create the layout of lines; `fraction` follows the number of each line."""
    return Layout(
        line_ends="lf",
        separator=f"{fraction} | ",
        width=max(0, 4 - len(fraction)),
        clip_unit="utf16",
        clip_length=2000,
        clip_marker=" [truncated]",
        # The 50 KB of the contract, which counts UTF-16 units.
        budget=50 * 1024,
        budget_unit="utf16",
        budget_of="lines",
    )


_LAYOUT: Final = _layout()


class LlmGateway(Contract[NoSettings, LinesCall[float]]):
    """The contract of llm-gateway's `read`.

    Example:
        >>> read = anyread.tool("llm-gateway")
        >>> print(read.call_sync({"filePath": "/repo/notes.txt", "limit": 1})["context"])
        <file path="/repo/notes.txt" lines="1-1" total="12">
           1 | Notes
        </file>
    """

    name: ClassVar[str] = "read"
    description: ClassVar[str] = (
        "Read a file. Text is returned as a <file> element of numbered lines, counted from 1; images"
        " (.png, .jpg, .jpeg, .gif, .webp) and PDFs (.pdf) as they are, up to 5 MB each. A call returns"
        " at most 2000 lines and 50 KB of text, and cuts lines of more than 2000 characters; pass offset"
        " and limit to read on. Binary files are refused. Read a file before you patch it."
    )
    schema: ClassVar[schemas.Schema] = schemas.arguments(
        "filePath",
        filePath=("string", "Absolute path of the file; relative paths are not supported."),
        offset=("number", "Lines of a text to skip; 0 (the default) starts at the first line."),
        limit=("number", "The most lines of a text to show (default 2000)."),
    )
    may_create: ClassVar[bool] = False
    stale_wordings: ClassVar[Mapping[str, str]] = {
        "unread": "{path} must be read before patching",
        "deleted": "{path} was deleted after last read",
        "modified": "{path} has been modified externally since last read. Please re-read before patching.",
    }

    def checked(self, arguments: Mapping[str, Any], _name: str) -> LinesCall[float]:
        """Check the types of the arguments; unknown arguments are ignored."""
        found = issues(arguments, _KINDS)
        if found:
            raise self.refusal("Invalid arguments: " + "; ".join(found))
        offset, limit = arguments.get("offset", 0), arguments.get("limit", DEFAULT_LIMIT)
        return LinesCall(arguments["filePath"], float(offset), float(limit))

    def reply(self, call: LinesCall[float]) -> Output:
        """Read an image or a PDF by its extension, and any other file as text."""
        path = call.path
        # The contract accepts only absolute paths, and has no message of its own for relative ones.
        if not is_absolute(path):
            raise self.refusal(f"File not found: {path}")
        media_type = _MEDIA_TYPES.get(extension_of(path))
        try:
            file = self.open(path)
            if media_type is not None:
                return self._media(file, path, media_type)
            return self._text(file, call)
        except NotFoundError as error:
            raise self.refusal(f"File not found: {path}") from error
        except ReadError as error:
            noun = "file" if media_type is None else _noun(media_type)
            reason = self.failed_call(path, error).node("open")
            raise self.refusal(f"Cannot read {noun}: {path}: {reason}") from error

    def failure(self, message: str) -> Output:
        """Return an object with a message as its only text."""
        return {"context": message}

    def blocks(self, output: Output) -> list[Block]:
        """Return the context as text, followed by its image or document."""
        answer = output if isinstance(output, dict) else {"context": output}
        name = name_of(answer["context"])
        return [TextBlock(answer["context"]), *blocks_of(answer.get("result", ()), name=name)]

    def failed(self, output: Output) -> bool:
        """Return whether an output has neither a `<file>` element nor an image or document."""
        return "result" not in output and not output["context"].startswith("<file path=")

    def _text(self, file: OpenFile, call: LinesCall[float]) -> Output:
        path, offset, limit = call
        if b"\0" in file.head(HEAD_BYTES):
            raise self.refusal(f"Cannot read binary file: {path}")
        layout, first_number, total, end = _LAYOUT, None, LARGEST - 1, offset + limit
        if offset <= -1 or end <= -1:
            # They count from the end.
            total = file.window(1, 0, layout, encoding="utf-8").total_lines or 0
        start, count = sliced(offset, end, total)
        if offset < 0:
            offset = float(int(offset))
            first_number = int(max(-LARGEST, offset)) + 1
        elif not offset.is_integer():
            # Lines are numbered from `offset + 1`, whatever it is.
            layout = _layout(spelled(offset + 1)[len(str(start + 1)) :])
        window = file.window(start + 1, count, layout, first_number=first_number, encoding="utf-8")
        shown = window.last_line - window.first_line + 1
        self.context.note(file, kind="text", media_type="text/plain", key=("text", offset, limit))
        head = f'<file path="{path}" lines="{spelled(offset + 1)}-{spelled(offset + shown)}"'
        notice = _BUDGET_NOTICE if window.is_over_budget else ""
        return {"context": f'{head} total="{window.total_lines}">\n{window.text}\n</file>{notice}'}

    def _media(self, file: OpenFile, path: str, media_type: str) -> Output:
        """Answer with the file itself; with validation, only if it can be decoded."""
        noun, model = _noun(media_type), self.context.model
        kind = noun.lower()
        if file.size_bytes > MAX_MEDIA_BYTES:
            raise self.refusal(f"{'PDF' if kind == 'pdf' else 'Image'} file exceeds 5MB limit: {path}")
        if self.context.sees(kind) is False:
            raise self.refusal(f"Cannot read {noun}: {path}: the model does not accept {noun} input")
        shown_type, data = media_type, file.read(MAX_MEDIA_BYTES)
        if self.context.validate_media and kind == "image":
            image = fit(file, model or Model(), original="sound").image
            data, shown_type = image.data, image.media_type
        elif self.context.validate_media:
            fault = _pdf_fault(file, model)
            if fault is not None:
                raise self.refusal(f"Cannot read PDF: {path}: {fault}")
        text = file.work(partial(encoded, data, shown_type), len(data))
        self.context.note(file, kind=kind, form="visual", media_type=media_type, key=kind)
        part = {"type": "document" if kind == "pdf" else "image", "mediaType": shown_type, "data": text}
        return {"context": f"Read {noun}: {path}", "result": [part]}


def _noun(media_type: str) -> str:
    return "PDF" if media_type == PDF else "image"


def _pdf_fault(file: OpenFile, model: Model | None) -> str | None:
    """Return why the model does not accept a PDF, as a clause; `None`: it does."""
    pages, is_encrypted = count_pages(file)
    if is_encrypted:
        return "it is encrypted"
    excess = pdf_excess(model, pages, file.size_bytes)
    return excess and "it has {:,} {unit}, and the model accepts {:,}".format(*excess[:2], unit=excess[2])
