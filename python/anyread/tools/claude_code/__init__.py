"""Claude Code's Read: the public types of its answers, and what its released program shows to a model.

Source: the types in `sdk-tools.d.ts` of the npm package of `REFERENCE` (read 2026-11-26), and what its
program answers to the calls of a scripted model (measured 2026-11-29).
"""

from __future__ import annotations

import errno
import json
import os
import re
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Final, NamedTuple, cast

from anyread._native import Layout, Window
from anyread.arguments.page_range import PageRange
from anyread.arguments.request import LARGEST, checked
from anyread.errors import DamagedFileError, OverBudgetError, ReadError
from anyread.models.model import Model
from anyread.running.calls import INLINE_BYTES
from anyread.tools.parts import schemas, utf16
from anyread.tools.parts.contract import Block, Contract, Mapping, OpenFile, Output, Refusal
from anyread.tools.parts.directories import names_in
from anyread.tools.parts.javascript import type_name
from anyread.tools.parts.media import PDF, attachment, count_pages, pdf_excess, read_media, rendered_pages
from anyread.tools.parts.media_types import CLOSED_EXTENSIONS, IMAGE_TYPES, extension_of
from anyread.tools.parts.notebook_json import NotebookError
from anyread.tools.parts.paths import from_shell

from . import answers
from .answers import MAX_PDF_PAGES, Notebook

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from anyread.results.image import ImageView
    from anyread.tools.parts.schemas import Schema

REFERENCE: Final = {"@anthropic-ai/claude-code": "2.1.332"}
"""The package that this contract follows, and its version."""
BOOLEANS: Final = {"true": True, "false": False}
_MAX_INTEGER: Final = 2**53 - 1
SCHEMA: Final = schemas.closed(
    schemas.arguments(
        "file_path",
        file_path=("string", "The absolute path of the file"),
        offset=schemas.argument(
            "integer", "The first line to read, counted from 1", minimum=0, maximum=_MAX_INTEGER
        ),
        limit=schemas.argument(
            "integer", "The number of lines to read", exclusiveMinimum=0, maximum=_MAX_INTEGER
        ),
        pages=("string", f'Pages of a PDF, such as "1-5", "3" or "10-20"; at most {MAX_PDF_PAGES}'),
        allow_large=("boolean", "Whether a text may be larger than the limits"),
    )
)
_TYPES: Final = {
    name: "number" if rules["type"] == "integer" else rules["type"]
    for name, rules in SCHEMA["properties"].items()
}
MAX_BYTES: Final = 256 * 1024
"""Bytes of a text that is read without `limit`."""
MAX_LARGE_BYTES: Final = 64 * 1024 * 1024
"""Bytes of text in an answer with `allow_large`."""
UNITS_PER_TOKEN: Final = 4
"""UTF-16 code units of text that count as a token."""
JSON_UNITS_PER_TOKEN: Final = 2
"""The same in `.json` files."""
FIRST_PAGE: Final = 0.85
"""The part of `max_tokens` that is shown of a whole file which is over it."""
PDF_DPI: Final = 100
"""Dots per inch of page images."""
_BINARY: Final = CLOSED_EXTENSIONS | {
    *(".dat", ".bmp", ".ico", ".tif", ".tiff", ".avif", ".heic", ".heif", ".epub", ".dmg", ".apk")
}
_DESCRIPTION: Final = f"""\
Reads a file of this machine: text, images, PDFs, Jupyter notebooks.

- `file_path` is absolute. Directories cannot be read.
- By default, the whole file is read; of a long one only the first lines are shown.
- `offset` and `limit` choose lines; a file over {MAX_BYTES // 1024} KB requires `limit`.
- Each line is preceded by its number, counted from 1, and a tab.
- A PDF of more than {answers.MAX_WHOLE_PDF_PAGES} pages requires `pages`, at most {MAX_PDF_PAGES} per call.
- A notebook is returned with all its cells and their outputs.
- For an empty file, a reminder is returned in place of content.
- Read several files with several calls at the same time.
"""
_LAYOUT: Final = partial(Layout, final_newline="starts", bom="drop")
_WHOLE: Final = _LAYOUT(max_bytes=MAX_LARGE_BYTES, over_budget="error")


class ClaudeArguments(NamedTuple):
    """The checked arguments of a call; they are also the key of its record in the session."""

    path: str
    offset: int | None
    limit: int | None
    pages: PageRange | None
    allow_large: bool
    """Whether the limits on text are lifted."""

    @property
    def is_ranged(self) -> bool:
        """Whether a range of lines was requested."""
        return self.offset is not None or self.limit is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaudeCodeSettings:
    """The settings of the `claude-code` contract."""

    max_tokens: int = 25_000
    """The maximum tokens of text in an answer."""
    stub_unchanged: bool = False
    """Whether a repeated read of an unchanged file is answered with `file_unchanged`, as older versions of
    Claude Code did. A host that removes the earlier answer from the history must call `session.forget()`."""


class ClaudeCode(Contract[ClaudeCodeSettings, ClaudeArguments]):
    """The contract of Claude Code's Read."""

    name: ClassVar[str] = "Read"
    description: ClassVar[str] = _DESCRIPTION
    schema: ClassVar[Schema] = SCHEMA
    Settings: ClassVar[type[Any]] = ClaudeCodeSettings
    stale_wordings: ClassVar[Mapping[str, str]] = {
        "unread": "{path} has not been read yet: read it before writing to it.",
        "modified": "{path} was modified after it was read: read it again before writing to it.",
        "deleted": "{path} was deleted after it was read.",
    }

    def checked(self, arguments: Mapping[str, Any], _name: str) -> ClaudeArguments:
        """Check names, types and ranges, the grammar of `pages`, and the extension of the file."""
        found = fault(arguments)
        if found is not None:
            raise self.refusal(f"InputValidationError: {found}")
        pages = "-".join(map(str.strip, arguments.get("pages", "").split("-")))
        found = pages_fault(pages) if pages else None
        if found is not None:
            raise self.refusal(found)
        path = self.context.resolve(from_shell(arguments["file_path"].strip()))
        extension = extension_of(path)
        if extension in _BINARY:
            raise self.refusal(
                "This tool cannot read binary files. The file appears to be a binary"
                f" {extension} file. Use a skill for this file type if one is available, or a shell command"
                " or script that can read the format."
            )
        offset, limit = positive(arguments.get("offset")), positive(arguments.get("limit"))
        allow_large = arguments.get("allow_large", False)
        allow_large = BOOLEANS[allow_large] if isinstance(allow_large, str) else allow_large
        return ClaudeArguments(path, offset, limit, PageRange.parse(pages), allow_large)

    def reply(self, call: ClaudeArguments) -> Output:
        """Read a file by its extension: text, image, PDF or notebook."""
        try:
            file = self.open(call.path)
        except ReadError as error:
            raise self._unopened(call.path, error) from error
        if self.context.settings.stub_unchanged and file.version:
            earlier = self.context.session.view(file.resolved_path, call, is_real=True)
            if earlier is not None and earlier.version == file.version:
                return answers.unchanged(call.path)
        extension = extension_of(call.path)
        if extension in IMAGE_TYPES or (not extension and file.media_type in IMAGE_TYPES.values()):
            return self._image(call, file)
        read = {".pdf": self._pdf, ".ipynb": self._notebook}.get(extension, self._text)
        return read(call, file)

    def failure(self, message: str) -> Output:
        """Return the refusal of a call; a failure while it runs is `answers.thrown`."""
        return answers.thrown(f"<tool_use_error>{message}</tool_use_error>")

    def blocks(self, output: Output) -> list[Block]:
        """Number the lines of a text, and convert the images and documents of other answers."""
        return answers.blocks(cast("Mapping[str, Any]", output))

    def _unopened(self, path: str, error: ReadError) -> Refusal:
        failed = self.failed_call(path, error)
        reason = failed.node("open")
        if failed.code == errno.ENOENT:
            near = self._near(path)
            reason = f"File does not exist. Note: your current working directory is {self.context.cwd}."
            reason += f" Did you mean {near}?" if near else ""
        elif failed.code == errno.ELOOP:
            reason = f"Refusing to read {path}: where it leads on disk could not be determined (a link on"
            reason += " the way could not be examined, or the links do not resolve)."
        elif failed.code == errno.EISDIR:
            reason += f" '{path}'"
        # What the host's rules refuse has no errno.
        return Refusal(answers.thrown(reason)) if failed.code else self.refusal(reason)

    def _near(self, path: str) -> str:
        """Return a file of the directory that has the same name with another extension; empty: none."""
        directory, name = os.path.split(path)
        names = names_in(self.context.reader, directory)
        stem = os.path.splitext(name)[0]  # noqa: PTH122 - text
        same = (each for each in names if os.path.splitext(each)[0] == stem and each != name)  # noqa: PTH122
        return min(same, default="")

    # -- text

    def _text(self, call: ClaudeArguments, file: OpenFile) -> Output:
        if file.size_bytes > MAX_BYTES and call.limit is None and not call.allow_large:
            raise _over(answers.size(file.size_bytes), f"size ({answers.size(MAX_BYTES)})")
        window, truncated = self._window(call, file)
        if not truncated and not window.next and window.first_line == 1 and file.size_bytes <= INLINE_BYTES:
            file.sha256()
        self._note(call, file, "text")
        return answers.text_of(call.path, window, answers.encoding_notice(file, window), truncated)

    def _window(self, call: ClaudeArguments, file: OpenFile) -> tuple[Window, str]:
        """Return the lines of a call, and a note if they are only the first page of a file over the limit."""
        windowed = partial(file.window, encoding=None if file.is_text else "utf-8")
        try:
            window = windowed(call.offset or 1, call.limit or LARGEST, _WHOLE)
        except OverBudgetError as error:
            most = answers.size(MAX_LARGE_BYTES)
            raise _over(f"over {most}", f"size ({most})") from error
        units = JSON_UNITS_PER_TOKEN if extension_of(call.path) == ".json" else UNITS_PER_TOKEN
        tokens, most_tokens = self._tokens(file, window.text, units), self.context.settings.max_tokens
        if tokens <= most_tokens or call.allow_large:
            return window, ""
        if call.is_ranged:
            raise _over(f"{tokens} tokens", f"tokens ({most_tokens})")
        total, tokenizer = window.total_lines, self.context.reader.limits.tokenizer
        length = int(most_tokens * units * FIRST_PAGE)
        page = _LAYOUT(budget=length, budget_unit="utf16", budget_of="text")
        if tokenizer is not None:
            page = _LAYOUT(budget=int(most_tokens * FIRST_PAGE), budget_unit="tokens", tokenizer=tokenizer)
        window, rest = windowed(1, LARGEST, page), "read it at once"
        if window.last_line < 1:
            # The program cuts the line with its number.
            window = windowed(1, 1, _LAYOUT(clip_unit="utf16", clip_length=length - len("1\t")))
            rest = "read line 1 to its end"
        last = window.last_line
        return window, (
            f"[Truncated: PARTIAL view — {call.path}: showing lines 1-{last} of {total} total ({tokens}"
            f" tokens, cap {most_tokens}). Call Read with offset={last + 1} limit={last} for the next page,"
            f" or with allow_large=true to {rest}.]"
        )

    def _tokens(self, file: OpenFile, text: str, units: int) -> int:
        """Count tokens with the host's tokenizer, where 0 is a number within the limit; else estimate."""
        tokenizer = self.context.reader.limits.tokenizer
        if callable(tokenizer):
            return tokenizer(text)
        if tokenizer is not None:
            return file.tokens_over(text, tokenizer, self.context.settings.max_tokens) or 0
        return -(-utf16.units(text) // units)

    # -- media

    def _image(self, call: ClaudeArguments, file: OpenFile) -> Output:
        if not file.size_bytes:
            raise Refusal(answers.thrown(f"Image file is empty: {call.path}"))
        if file.media_type not in IMAGE_TYPES.values():
            raise Refusal(answers.thrown(answers.not_an_image(call.path, file.head(8))))
        view: ImageView | None = None
        try:
            view = read_media(file, checked(file.path), model=self._model)
        except DamagedFileError:
            if self.context.validate_media:
                raise
        if view is None or (not self.context.validate_media and answers.is_unscaled(view)):
            media_type, base64 = attachment(self.context, file, file.media_type, kind="image")
            return answers.image_of(base64, media_type, file.size_bytes, view)
        self._note(call, file, "image", form="text" if view.image is None else "visual")
        return answers.image(view)

    def _notebook(self, call: ClaudeArguments, file: OpenFile) -> Output:
        try:
            cells = Notebook(file, self._model, self.context.validate_media).cells()
        except NotebookError as error:
            raise Refusal(answers.thrown(answers.no_notebook(error))) from error
        answer = answers.notebook(call.path, cells)
        tokens = self._tokens(file, self.summary(answer), UNITS_PER_TOKEN)
        if tokens > self.context.settings.max_tokens and not call.allow_large:
            raise _over(f"{tokens} tokens", f"tokens ({self.context.settings.max_tokens})", "jq with Bash")
        has_images = any("image" in each for cell in cells for each in cell.get("outputs", ()))
        self._note(call, file, "notebook", form="visual" if has_images else "text")
        return answer

    def _pdf(self, call: ClaudeArguments, file: OpenFile) -> Output:
        path, model, count, is_encrypted = call.path, self._model, None, False
        if not file.head(5).startswith(b"%PDF-"):
            raise Refusal(answers.thrown(answers.not_a_pdf(path, file.size_bytes)))
        try:
            count, is_encrypted = count_pages(file, self.context.reader.pdf_passwords)
        except DamagedFileError:
            if self.context.validate_media:
                raise
        refused = None if count is None else answers.pages_outside(call.pages, count)
        if refused is not None:
            raise Refusal(answers.thrown(refused))
        is_whole = call.pages is None and "pdf" in model.inputs and not is_encrypted
        if count is None or (is_whole and not pdf_excess(model, count, file.size_bytes)):
            sent = attachment(self.context, file, PDF, kind="pdf")
            return answers.pdf(path, sent.base64, file.size_bytes, count)
        first, last = call.pages or (1, count)
        seen = replace(model, image_types=("image/jpeg",)) if "image" in model.inputs else None
        limits = replace(self.context.reader.limits, dpi=PDF_DPI)
        _, pages = rendered_pages(file, range(first, (last or count) + 1), seen, limits)
        self._note(call, file, "pdf", form="visual" if seen else "text")
        if seen is None:
            return answers.page_texts(path, pages, count)
        return answers.parts(path, file.size_bytes, pages)

    @property
    def _model(self) -> Model:
        return self.context.model or Model.anthropic()

    def _note(self, call: ClaudeArguments, file: OpenFile, kind: str, form: str = "text") -> None:
        _, offset, limit, pages, _ = call
        pages_text = None if pages is None else str(pages)
        self.context.note(file, kind=kind, form=form, offset=offset, limit=limit, pages=pages_text, key=call)


def fault(arguments: Mapping[str, Any]) -> str | None:
    """Word what is wrong with the names, types and ranges of arguments; `None`: nothing."""
    faults = list(_faults(arguments))
    if faults:
        issues = "issues" if len(faults) > 1 else "issue"
        return "\n".join([f"Read failed due to the following {issues}:", *faults])
    big = [
        {
            "code": "too_big",
            "maximum": _MAX_INTEGER,
            "note": "Integers must be within the safe integer range.",
            "origin": "int",
            "inclusive": True,
            "path": [name],
            "message": f"Too big: expected int to be <={_MAX_INTEGER}",
        }
        for name in ("offset", "limit")
        if (_number(arguments.get(name)) or 0) > _MAX_INTEGER
    ]
    return json.dumps(big, indent=2) if big else None


def _faults(arguments: Mapping[str, Any]) -> Iterator[str]:
    if "file_path" not in arguments:
        yield "The required parameter `file_path` is missing"
    for name, value in arguments.items():
        expected, number = _TYPES.get(name), _number(value)
        received = type_name(value)
        if expected is None:
            yield f"An unexpected parameter `{name}` was provided"
        elif expected == "number" and number is not None:
            if number % 1 != 0:
                yield f"The parameter `{name}` type is expected as `int` but provided as `number`"
        elif received != expected and not (
            expected == "boolean" and received == "string" and value in BOOLEANS
        ):
            yield f"The parameter `{name}` type is expected as `{expected}` but provided as `{received}`"


def _number(value: object) -> float | None:
    """Return a number, also from its text or a list of only it; `None` for anything else."""
    if isinstance(value, list) and len(value) == 1:
        [value] = value
    if isinstance(value, str):
        return float(value) if re.fullmatch(r"\s*[+-]?[0-9]{1,18}(\.[0-9]{1,18})?\s*", value) else None
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def positive(value: object) -> int | None:
    """Return a number of lines, or that of a line; `None`: there is none, or it is ignored."""
    number = _number(value)
    return int(number) if number is not None and number > 0 else None


def pages_fault(pages: str) -> str | None:
    """Word what is wrong with a range of pages; `None`: nothing."""
    found = PageRange.parse(pages)
    if found is None or not found.is_rising:
        example = 'Use formats like "1-5", "3", or "10-20". Pages are 1-indexed.'
        return f'Invalid pages parameter: "{pages}". {example}'
    if found.last is None or found.last - found.first >= MAX_PDF_PAGES:
        exceeds = f"exceeds maximum of {MAX_PDF_PAGES} pages per request."
        return f'Page range "{pages}" {exceeds} Please use a smaller range.'
    return None


def _over(what: str, limit: str, how: str = "offset and limit parameters") -> Refusal:
    return Refusal(
        answers.thrown(
            f"File content ({what}) exceeds maximum allowed {limit}. Use {how} to read specific portions of"
            " the file, or search for specific content instead of reading the whole file."
        )
    )
