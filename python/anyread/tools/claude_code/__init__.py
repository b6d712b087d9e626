"""Claude Code's Read, by the public types of its answers and the limits of the released program.

Source: the types in `sdk-tools.d.ts` of the npm package of `REFERENCE` (read 2026-11-26), and what its
program answers to the calls of a scripted model (measured 2026-11-28).

The wording of messages is this library's own.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal, NamedTuple, cast

from anyread._native import Layout
from anyread.arguments.page_range import PageRange
from anyread.arguments.request import LARGEST, checked
from anyread.errors import (
    BinaryFileError,
    DamagedFileError,
    OffsetPastEndError,
    OverBudgetError,
    TooLargeError,
)
from anyread.formats.fallback import NoNotebookError
from anyread.models.model import Model
from anyread.results import TextBlock
from anyread.running.calls import INLINE_BYTES
from anyread.tools.parts import schemas
from anyread.tools.parts.attachments import PDF, encoded, prepared
from anyread.tools.parts.contract import Context, Contract, Output, Refusal
from anyread.tools.parts.decoders import count_pages, read_media, read_pdf
from anyread.tools.parts.media_types import IMAGE_TYPES, extension_of

from . import answers

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from anyread._native import Window
    from anyread.reading.open_file import OpenFile
    from anyread.results import Block

REFERENCE: Final = {"@anthropic-ai/claude-code": "2.1.332"}
"""The package that this contract follows, and its version."""
MAX_BYTES: Final = 256 * 1024
"""Bytes of a text that is read without `limit`."""
MAX_LARGE_BYTES: Final = 64 * 1024 * 1024
"""Bytes of text in an answer with `allow_large`."""
UNITS_PER_TOKEN: Final = 4
"""UTF-16 code units of text that count as a token."""
JSON_DIVISOR: Final = 2
"""How many times fewer of them do in `.json` files."""
FIRST_PAGE: Final = 0.85
"""The part of `max_tokens` that is shown of a whole file which is over it."""
MAX_WHOLE_PDF_PAGES: Final = 10
"""The most pages of a PDF without `pages`."""
MAX_PDF_PAGES: Final = 20
"""The most pages of a PDF per call."""
PDF_DPI: Final = 100
"""Dots per inch of page images."""
_MEDIA_TYPES: Final = {**IMAGE_TYPES, ".pdf": PDF}


_DESCRIPTION: Final = f"""\
Reads a file of this machine: text, images, PDFs, Jupyter notebooks.

- `file_path` is absolute. Directories cannot be read.
- By default, the whole file is read; of a long one only the first lines are shown.
- `offset` and `limit` choose lines; a file over {MAX_BYTES // 1024} KB requires `limit`.
- Each line is preceded by its number, counted from 1, and a tab.
- A PDF of more than {MAX_WHOLE_PDF_PAGES} pages requires `pages`, at most {MAX_PDF_PAGES} per call.
- A notebook is returned with all its cells and their outputs.
- For an empty file, a reminder is returned in place of content.
- Read several files with several calls at the same time.
"""

_SCHEMA: Final = {
    **schemas.arguments(
        "file_path",
        file_path=schemas.argument("string", "The absolute path of the file"),
        offset=schemas.argument("integer", "The first line to read, counted from 1", minimum=0),
        limit=schemas.argument("integer", "The number of lines to read", minimum=1),
        pages=schemas.argument(
            "string", f'Pages of a PDF, such as "1-5", "3" or "10-20"; at most {MAX_PDF_PAGES}'
        ),
        allow_large=schemas.argument("boolean", "Whether a text may be larger than the limits"),
    ),
    "additionalProperties": False,
}


_LAYOUT: Final = partial(Layout, line_ends="detected", bom="drop")
_LARGE: Final = _LAYOUT(max_bytes=MAX_LARGE_BYTES, over_budget="error")


class _Layouts(NamedTuple):
    """The layouts of texts in which a token has so many code units."""

    whole: Layout
    """All of a file, if it is within the budget."""
    ranged: Layout
    """A range of lines; one over the budget is an error."""
    page: Layout
    """The first page of a file that is over the budget."""
    line: Layout
    """The beginning of a line that is longer than that."""

    @classmethod
    def of(cls, tokens: int, units: int, tokenizer: str | Callable[[str], int] | None) -> _Layouts:
        def within(part: float, over_budget: Literal["stop", "error"] = "stop") -> Layout:
            if tokenizer is not None:
                budget = partial(_LAYOUT, budget_unit="tokens", tokenizer=tokenizer)
                return budget(budget=int(tokens * part), over_budget=over_budget)
            budget = partial(_LAYOUT, budget_unit="utf16", budget_of="text")
            return budget(budget=int(tokens * units * part), over_budget=over_budget)

        length = int(tokens * units * FIRST_PAGE)
        line = _LAYOUT(clip_unit="utf16", clip_length=length, clip_marker=answers.CUT_MARKER)
        return cls(within(1), within(1, "error"), within(FIRST_PAGE), line)


class ClaudeArguments(NamedTuple):
    """The checked arguments of a call; they are also the key of its record in the session."""

    path: str
    offset: int | None
    limit: int | None
    pages: str | None
    """A range of pages without spaces."""
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
    schema: ClassVar[schemas.Schema] = _SCHEMA
    Settings: ClassVar[type[Any]] = ClaudeCodeSettings
    stale_wordings: ClassVar[Mapping[str, str]] = {
        "unread": "{path} has not been read yet: read it before writing to it.",
        "modified": "{path} was modified after it was read: read it again before writing to it.",
        "deleted": "{path} was deleted after it was read.",
    }

    def __init__(self, context: Context[ClaudeCodeSettings]) -> None:
        super().__init__(context)
        self._model = context.model or Model.anthropic()
        self._limits: dict[str, Any] = {
            "fill_one_line": False,
            "max_bytes": MAX_BYTES,
            "max_tokens": context.settings.max_tokens,
            "over_budget": "page",
        }
        tokens, tokenizer = context.settings.max_tokens, context.reader.limits.tokenizer
        self._layouts = [
            _Layouts.of(tokens, UNITS_PER_TOKEN // divisor, tokenizer) for divisor in (1, JSON_DIVISOR)
        ]

    def checked(self, arguments: Mapping[str, Any], _name: str) -> ClaudeArguments:
        """Check names, types and ranges, and the grammar of `pages`."""
        fault = _shape_fault(arguments) or _pages_fault(arguments.get("pages"))
        if fault is not None:
            raise self.refusal(f"InputValidationError: {fault}")
        path = self.context.resolve(arguments["file_path"])
        pages = _dashed(arguments.get("pages") or "") or None
        offset, limit = _number(arguments.get("offset")), _number(arguments.get("limit"))
        return ClaudeArguments(path, offset, limit, pages, bool(arguments.get("allow_large")))

    def reply(self, call: ClaudeArguments) -> Output:
        """Read a file by its content: text, image, PDF or notebook."""
        try:
            return self._read(call)
        except OverBudgetError as error:
            raise self._over_budget(call) from error

    def failure(self, message: str) -> Output:
        """Return an error in the format of a failed tool result."""
        return answers.refused(message)

    def blocks(self, output: Output) -> list[Block]:
        """Number the lines of a text, and convert the images and documents of other answers."""
        return answers.blocks(cast("Mapping[str, Any]", output))

    # -- one call

    def _read(self, call: ClaudeArguments) -> Output:
        file = self.open(call.path, repair=True)
        if self.context.settings.stub_unchanged and file.version:
            earlier = self.context.session.view(file.resolved_path, call, is_real=True)
            if earlier is not None and earlier.version == file.version:
                return answers.unchanged(call.path)
        sent_as = None if self.context.validate_media else _MEDIA_TYPES.get(extension_of(call.path))
        if sent_as is not None and file.kind not in {"image", "pdf"}:
            return self._unvalidated(call, file, sent_as)
        read = {"image": self._image, "pdf": self._pdf, "notebook": self._notebook}
        if file.kind not in read and not file.is_text:
            raise BinaryFileError(file.path, media_type=file.media_type, size_bytes=file.size_bytes)
        try:
            return read.get(file.kind, self._text)(call, file)
        except DamagedFileError:
            if sent_as is None:
                raise
            return self._unvalidated(call, file, sent_as)

    def _text(self, call: ClaudeArguments, file: OpenFile) -> Output:
        if file.size_bytes > MAX_BYTES and call.limit is None and not call.allow_large:
            raise self.refusal(
                f"the file has {file.size_bytes:,} bytes, and at most {MAX_BYTES:,} are read at once:"
                " pass offset and limit, or search the file for the lines that matter"
            )
        window, is_partial = self._window(call, file)
        if file.size_bytes <= INLINE_BYTES and window.first_line == 1 and not is_partial and not window.next:
            file.sha256()
        self._note(call, file, "text")
        return answers.text_of(call.path, window, is_partial=is_partial)

    def _window(self, call: ClaudeArguments, file: OpenFile) -> tuple[Window, bool]:
        """Return the lines of a call, and whether they are only the first page of a file over the budget."""
        offset, limit = call.offset or 1, call.limit or LARGEST
        if call.allow_large:
            return file.window(offset, limit, _LARGE), False
        layouts = self._layouts[call.path[-5:].lower() == ".json"]
        window = file.window(offset, limit, layouts.ranged if call.is_ranged else layouts.whole)
        if not window.is_over_budget:
            return window, False
        window = file.window(1, LARGEST, layouts.page)
        if window.last_line < window.first_line:
            window = file.window(1, 1, layouts.line)
        return window, True

    def _image(self, call: ClaudeArguments, file: OpenFile) -> Output:
        view = read_media(file, checked(file.path), model=self._model)
        self._note(call, file, "image", form="text" if view.image is None else "visual")
        return answers.image(view)

    def _notebook(self, call: ClaudeArguments, file: OpenFile) -> Output:
        request = checked(file.path, offset=call.offset or 1, limit=call.limit)
        limits = self._limits
        if call.is_ranged:
            limits = {**limits, "max_bytes": LARGEST, "over_budget": "error"}
        try:
            page = read_media(file, request, model=self._model, **limits)
        except NoNotebookError:
            # The file was detected as a notebook but is none, so it is shown as text.
            return self._text(call, file)
        except OffsetPastEndError as error:
            return answers.text(call.path, "", lines=0, start=error.offset, total=error.total_lines)
        is_text = all(isinstance(block, TextBlock) for block in page.blocks)
        self._note(call, file, "notebook", form="text" if is_text else "visual")
        return answers.notebook(call.path, page)

    def _pdf(self, call: ClaudeArguments, file: OpenFile) -> Output:
        path, pages, model = call.path, call.pages, self._model
        count, _ = count_pages(file, self.context.reader.pdf_passwords)
        refused = _too_many_pages(pages, count)
        if refused is not None:
            raise self.refusal(refused)
        if pages is not None:
            model = replace(model, inputs=model.inputs - {"pdf"})
        shown = read_pdf(
            file,
            pages=pages,
            model=model,
            dpi=PDF_DPI,
            max_pdf_pages=MAX_PDF_PAGES,
            max_images=MAX_PDF_PAGES,
            max_tokens=LARGEST,
        )
        sees = "image" in model.inputs
        self._note(call, file, "pdf", form="visual" if sees or shown.document is not None else "text")
        if shown.document is not None:
            return answers.pdf(path, prepared(shown.document), file.size_bytes, count)
        if sees:
            return answers.parts(path, shown)
        lines = shown.text.count("\n") + 1
        return answers.text(path, shown.text, lines=lines, start=1, total=lines)

    def _unvalidated(self, call: ClaudeArguments, file: OpenFile, media_type: str) -> Output:
        """Answer with an image or a PDF that does not decode, with the type of its name."""
        is_pdf, limits = media_type == PDF, self.context.reader.limits
        maximum = limits.max_pdf_file_bytes if is_pdf else limits.max_image_file_bytes
        if file.size_bytes > maximum:
            raise TooLargeError(file.path, size=file.size_bytes, maximum=maximum, unit="bytes")
        data = file.read(maximum)
        base64 = file.work(partial(encoded, data, media_type), len(data))
        self.context.note(file, kind="pdf" if is_pdf else "image", form="visual", media_type=media_type)
        if is_pdf:
            return answers.pdf(call.path, base64, len(data), None)
        return answers.image_of(base64, media_type, len(data))

    def _over_budget(self, call: ClaudeArguments) -> Refusal:
        most = f"{self.context.settings.max_tokens:,} tokens"
        if call.allow_large:
            most = f"{MAX_LARGE_BYTES:,} bytes"
        return self.refusal(
            f"the requested lines are over the {most} of one read:"
            " pass a smaller limit, or search the file for the lines that matter"
        )

    def _note(self, call: ClaudeArguments, file: OpenFile, kind: str, form: str = "text") -> None:
        _, offset, limit, pages, _ = call
        self.context.note(file, kind=kind, form=form, offset=offset, limit=limit, pages=pages, key=call)


def _too_many_pages(pages: str | None, count: int) -> str | None:
    """Word why these pages of a PDF are refused; `None`: they are not."""
    requested = None if pages is None else PageRange.parse(pages)
    if requested is None:
        if count <= MAX_WHOLE_PDF_PAGES:
            return None
        return (
            f"the PDF has {count:,} pages, and at most {MAX_WHOLE_PDF_PAGES} are read at once:"
            f' pass pages, such as pages="1-5", at most {MAX_PDF_PAGES} of them'
        )
    first, last = requested
    last = max(first, count) if last is None else last
    if last > count:
        return f'pages="{pages}" is past the end of the PDF, which has {count:,} pages'
    if last - first >= MAX_PDF_PAGES:
        return f"at most {MAX_PDF_PAGES} pages are read at once: {last - first + 1:,}"
    return None


def _shape_fault(arguments: Mapping[str, Any]) -> str | None:
    """Word what is wrong with the arguments other than `pages`; `None`: nothing."""
    path = arguments.get("file_path")
    if "file_path" not in arguments:
        return "the required parameter `file_path` is missing"
    if not isinstance(path, str) or not path or "\0" in path:
        return "`file_path` must be the path of a file"
    unknown = [name for name in arguments if name not in _SCHEMA["properties"]]
    if unknown:
        return f"there is no parameter `{unknown[0]}`; there are {', '.join(_SCHEMA['properties'])}"
    if not isinstance(arguments.get("allow_large", False), bool | None):
        return "`allow_large` must be true or false"
    for name, least in (("offset", 0), ("limit", 1)):
        number = _number(arguments.get(name))
        if arguments.get(name) is not None and (number is None or not least <= number <= LARGEST):
            return f"`{name}` must be an integer of {least} or more"
    return None


def _pages_fault(pages: object) -> str | None:
    if pages is None or (isinstance(pages, str) and not pages.strip()):
        return None
    found = PageRange.parse(_dashed(pages)) if isinstance(pages, str) else None
    if found is None or not found.is_rising:
        return '`pages` must be page numbers from 1, such as "1-5", "3" or "10-20"'
    if found.last is not None and found.last - found.first >= MAX_PDF_PAGES:
        return f"`pages` may have at most {MAX_PDF_PAGES} pages"
    return None


def _dashed(pages: str) -> str:
    """Return page numbers without the spaces around them."""
    return "-".join(map(str.strip, pages.split("-")))


def _number(value: object) -> int | None:
    """Return an integer, also from a string or a float with that value; `None` for anything else."""
    if isinstance(value, str):
        return int(value) if re.fullmatch(r"\s*[0-9]{1,18}\s*", value) else None
    if isinstance(value, float):
        return int(value) if value.is_integer() else None
    return value if isinstance(value, int) and not isinstance(value, bool) else None
