"""The contract of PilotDeck's `read_file`: a workspace, numbered lines, media, and stubs.

Source: the tool's code of 2026-05-25,
https://github.com/OpenBMB/PilotDeck/blob/19d1c80f1ef7684658a757fedd677e720d972e73/src/tool/builtin/readFile.ts
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Final

from anyread._native import Layout
from anyread.errors import OverBudgetError
from anyread.tools.parts.contract import Block, Context, Contract, Mapping, OpenFile, Output
from anyread.tools.parts.media import blocks_of
from anyread.tools.parts.media_types import IMAGE_TYPES, extension_of
from anyread.tools.parts.notebook_json import NoJsonError, NotebookError
from anyread.tools.parts.paths import name_of, resolved

from .answers import MAX_RESULT_BYTES, NAME, Json, RefusedCall, error, notebook_text, success, text_item
from .arguments import MAX_PAGES, SCHEMA, ReadFileArguments, require_schema, require_values
from .media import Pdf, sent_image
from .workspace import Workspace, WriteSnapshot, refused_write, text_hash

if TYPE_CHECKING:
    from anyread._native import Window
    from anyread.session import FileState

_TOKENIZER: Final = "o200k_base"
_MAX_TOKENS: Final = 25_000
_LONGEST_TOKEN_BYTES: Final = 128
_MAX_TEXT_BYTES: Final = 512 * 1024 * 1024
"""The most bytes of a text; a JavaScript string cannot be longer."""
_LAYOUT: Final = Layout(
    line_ends="lf+crlf",
    final_newline="starts",
    separator="|",
    bom="drop",
    # A text with more bytes exceeds the budget of tokens, whatever its content is.
    budget=_MAX_TOKENS * _LONGEST_TOKEN_BYTES,
    over_budget="error",
)
_BOM: Final = b"\xef\xbb\xbf"
_EMPTY: Final = "<system-reminder>Warning: the file exists but the contents are empty.</system-reminder>"
_PAST_END: Final = (
    "<system-reminder>Warning: the file exists but is shorter than the provided offset"
    " ({start}). The file has {total} lines.</system-reminder>"
)
_UNCHANGED: Final = (
    "File unchanged since the last read. Refer to the earlier read_file result instead of re-reading it."
)
_DESCRIPTION: Final = f"""Read a file in the workspace.

- file_path is relative to the workspace or absolute, and must be inside it; a file that does not exist \
returns an error, which does no harm
- Without offset and limit the complete file is read, which is best; with them, a range of lines counted \
from 1
- Each line is preceded by its number
- Images (PNG, JPEG, GIF, WebP) are shown if the model accepts images
- A PDF with more than 10 pages requires pages, such as "1-5"; at most {MAX_PAGES} pages per call
- A Jupyter notebook is shown as text: its cells and their outputs
- Directories cannot be read
- For a file without contents, a reminder is returned in place of the contents"""


@dataclass(frozen=True, slots=True, kw_only=True)
class PilotdeckSettings:
    """The settings of the `pilotdeck` contract."""

    additional_roots: tuple[str, ...] = ()
    """Further directories whose files may be read, absolute or relative to `cwd`."""
    bypass_permissions: bool = False
    """Whether files outside the workspace are read too; by default they are refused."""


class Pilotdeck(Contract[PilotdeckSettings, ReadFileArguments]):
    """PilotDeck's `read_file`; if the host has not set a model, it is assumed to accept only text."""

    name: ClassVar[str] = NAME
    description: ClassVar[str] = _DESCRIPTION
    schema: ClassVar[Json] = SCHEMA
    aliases: ClassVar[tuple[str, ...]] = ("Read",)
    kind: ClassVar[str] = "filesystem"
    max_result_bytes: ClassVar[int | None] = MAX_RESULT_BYTES
    Settings: ClassVar[type[PilotdeckSettings]] = PilotdeckSettings

    def __init__(self, context: Context[PilotdeckSettings]) -> None:
        super().__init__(context)
        settings = context.settings
        self._workspace = Workspace(
            context.cwd, settings.additional_roots, is_confined=not settings.bypass_permissions
        )

    def checked(self, arguments: Mapping[str, Any], _name: str) -> ReadFileArguments:
        """Check the arguments: first by the schema, then their values, including the name of the file."""
        require_schema(arguments)
        given = ReadFileArguments.of(arguments, self._workspace.cwd)
        require_values(given)
        return given

    def failure(self, message: str) -> Output:
        """Return an error of the tool."""
        return error("tool_execution_failed", message)

    def blocks(self, output: Output) -> list[Block]:
        """Convert an output: its content, then the media of the message that follows it."""
        name = name_of(str((output.get("data") or {}).get("filePath", ""))) or "document.pdf"
        attached = (message["content"] for message in output.get("supplementalMessages", ()))
        return blocks_of([*output["content"], *(item for items in attached for item in items)], name=name)

    def failed(self, output: Output) -> bool:
        """Return whether the output's type is "error"."""
        return bool(output["type"] == "error")

    def freshness(self, state: FileState, path: str) -> str | None:
        """Word the refusal to write to a file that was not read as text, or has changed since."""
        absolute = resolved(self._workspace.cwd, path)
        return refused_write(state, absolute, self.context.session.snapshot(absolute))

    # -- one call

    def reply(self, given: ReadFileArguments) -> Output:
        """Read a file, unless the model has seen this view of it."""
        file, relative = self._workspace.open(self.context.reader, given)
        facts = {"filePath": relative, "kind": given.kind}
        earlier = self.context.session.view(file.resolved_path, given.key, is_real=True)
        if earlier is not None and earlier.stamp.modified_ns // 1_000_000 == file.modified_ns // 1_000_000:
            return success(text_item(_UNCHANGED), {**facts, "unchanged": True}, metadata={"unchanged": True})
        read, maximum = self._text, _MAX_TEXT_BYTES
        if given.kind != "text":
            limits = self.context.reader.limits
            read, maximum = {
                "notebook": (self._notebook, limits.max_notebook_bytes),
                "image": (self._image, limits.max_image_file_bytes),
                "pdf": (self._pdf, limits.max_pdf_file_bytes),
            }[given.kind]
        if file.size_bytes > maximum:
            size = file.size_bytes
            message = f"{relative} has {size:,} bytes, over the limit of {maximum:,} bytes for its kind."
            raise RefusedCall("tool_execution_failed", message, sizeBytes=size, maxBytes=maximum)
        try:
            return read(given, file, facts)
        except OverBudgetError as fault:
            raise _over_budget(relative) from fault

    def _text(self, given: ReadFileArguments, file: OpenFile, facts: Json) -> Json:
        if file.find_nul() >= 0:
            raise RefusedCall("invalid_tool_input", f"{given.absolute} appears to be a binary file.")
        window = file.window(*given.lines, _LAYOUT, encoding="utf-8")
        is_empty = file.size_bytes <= len(_BOM) and file.head(len(_BOM) + 1) in {b"", _BOM}
        return self._lines(given, file, window, 0 if is_empty else window.total_lines or 0, facts)

    def _notebook(self, given: ReadFileArguments, file: OpenFile, facts: Json) -> Json:
        data, path = file.read(file.size_bytes), given.absolute

        def render() -> tuple[Window, int]:
            text, count = notebook_text(data)
            return _LAYOUT.window(text, *given.lines), count

        try:
            window, count = file.work(render, len(data))
        except NoJsonError as fault:
            message = f"Notebook {path} is not valid JSON."
            raise RefusedCall("invalid_tool_input", message, cause=str(fault)) from fault
        except NotebookError as fault:
            message = f"Notebook {path} cannot be shown: {fault}."
            raise RefusedCall("tool_execution_failed", message) from fault
        return self._lines(given, file, window, window.total_lines or 0, {**facts, "cellCount": count})

    def _lines(
        self, given: ReadFileArguments, file: OpenFile, window: Window, total: int, facts: Json
    ) -> Json:
        """Answer with a window of a text that has `total` lines."""
        count = window.last_line - window.first_line + 1 if total else 0
        offset = given.offset or 1
        start = offset if count else min(offset, total + 1)
        text = window.text
        if given.kind == "text" and (not count or text == f"{start}|"):
            # A window of one blank line counts as empty.
            text = _PAST_END.format(start=start, total=total) if total else _EMPTY
        if file.tokens_over(text, _TOKENIZER, _MAX_TOKENS) is not None:
            raise _over_budget(facts["filePath"])
        modified_ms, content_hash = file.modified_ns // 1_000_000, text_hash(file, kind=given.kind)
        snapshot = WriteSnapshot(given.absolute, modified_ms, content_hash, given.offset, given.limit)
        self._note(given, file, write_snapshot=snapshot)
        is_truncated = offset > 1 or (given.limit is not None and given.limit < total)
        numbers = {"startLine": start, "endLine": start + count - 1, "totalLines": total}
        facts = {**facts, **numbers, "truncated": is_truncated}
        return success(text_item(text), facts, metadata={"truncated": is_truncated})

    def _image(self, given: ReadFileArguments, file: OpenFile, facts: Json) -> Json:
        model, media_type = self.context.model, IMAGE_TYPES[extension_of(given.absolute)]
        if model is None or "image" not in model.inputs:
            notice = (
                f"[Image file: {facts['filePath']}, {file.size_bytes} bytes, {media_type}."
                " Current model does not support image input.]"
            )
            return success(text_item(notice), {**facts, "modelSupportsImage": False})
        data = file.read(file.size_bytes)
        image = sent_image(file, data, media_type, model, is_validated=self.context.validate_media)
        self._note(given, file, media_type=image.media_type, form="visual")
        sizes = {"mimeType": image.media_type, "bytes": len(image.data), "originalBytes": len(data)}
        return success(image.item(file, model.image_detail), {**facts, **sizes})

    def _pdf(self, given: ReadFileArguments, file: OpenFile, facts: Json) -> Json:
        answer = Pdf(file, facts["filePath"], self.context).answer(given.pages)
        if "supplementalMessages" in answer:
            self._note(given, file, form="visual")
        return answer

    def _note(self, given: ReadFileArguments, file: OpenFile, **about: Any) -> None:
        _, offset, limit, pages, _, kind, key = given
        self.context.note(file, kind=kind, offset=offset, limit=limit, pages=pages, key=key, **about)


def _over_budget(relative: str) -> RefusedCall:
    message = (
        f"File content from {relative} exceeds the text token budget."
        " Use offset and limit to read a smaller portion."
    )
    return RefusedCall("result_too_large", message)
