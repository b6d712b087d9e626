"""Claude Code's Read, by its public description and the public types of its answers.

Source: the types in `sdk-tools.d.ts` of the npm package `@anthropic-ai/claude-code` 2.1.197, and the limits
that users report (all read 2026-11-21),
https://github.com/anthropics/claude-code/issues/51360
https://github.com/anthropics/claude-code/issues/60698

The arguments, the limits, the shapes of the answers and the reminder for an empty file are public.
The wording of messages is this library's own, and docs/tools.md lists the deviations, with reasons.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, cast

from anyread._native import b64encode
from anyread.errors import OffsetPastEndError, OverBudgetError, ReadError, TooLargeError, WrongKindError
from anyread.model import Model
from anyread.results import Unchanged
from anyread.results.pdf import PdfPages
from anyread.tools.decoders import count_pages, read_pdf
from anyread.tools.files import like, open_file, read_page
from anyread.tools.profile import Context, Definition, FileState, Output, Profile, Steps, worded

from . import answers

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    from anyread.results import Block
    from anyread.session import Record
    from anyread.tools.files import File

MAX_LINES = 2_000
"""Lines that are read without `limit`."""
MAX_LINE_CHARS = 2_000
"""Characters of a line that are shown."""
MAX_BYTES = 256 * 1024
"""Bytes of a file that is shown without a range."""
MAX_WHOLE_PDF_PAGES = 10
"""Pages of a PDF that is read without `pages`."""
MAX_PDF_PAGES = 20
PDF_DPI = 100
"""Pages of one call."""
_UNBOUNDED = 2**53 - 1
_PAGES = r"\s*([0-9]{1,9})\s*(?:(-)\s*([0-9]{1,9})?\s*)?"
_PICTURES = {
    "png": "image/png",
    "jpg": "image/jpeg",
    "jpeg": "image/jpeg",
    "gif": "image/gif",
    "webp": "image/webp",
}


_MAX_VIEWS = 10_000


class _Asked(NamedTuple):
    """A call's arguments, checked."""

    path: str
    offset: int | None
    limit: int | None
    pages: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaudeCodeSettings:
    """Set what Claude Code lets its users set, or decides by itself."""

    max_tokens: int = 25_000
    """Tokens of one answer's text."""
    stub_unchanged: bool = True
    """Whether the same read of an unchanged file is answered by `file_unchanged`; not after the host
    dropped the earlier answer from the history: then it is to call `session.forget()`."""


class ClaudeCode(Profile[ClaudeCodeSettings]):
    """The contract of Claude Code's Read."""

    name: ClassVar[str] = "Read"
    Settings: ClassVar[type[Any]] = ClaudeCodeSettings

    def __init__(self, context: Context[ClaudeCodeSettings]) -> None:
        super().__init__(context)
        self._model = context.model or Model.anthropic()
        limits = replace(
            context.reader.limits,
            max_lines=MAX_LINES,
            max_line_chars=MAX_LINE_CHARS,
            fill_one_line=False,
            max_bytes=MAX_BYTES,
            max_tokens=context.settings.max_tokens,
            over_budget="page",
            exact_total=True,
        )
        self._whole = like(context.reader, limits=limits, model=self._model, session=context.session)
        ranged = replace(limits, max_bytes=_UNBOUNDED, over_budget="error")
        self._ranged = like(context.reader, limits=ranged, model=self._model, session=context.session)
        # Where the session has the view that a call gave: real path and key, by path and range as asked.
        self._views: dict[_Asked, tuple[str, Hashable]] = {}

    def definitions(self) -> list[Definition]:
        """Give the one tool."""
        return [Definition(self.name, _DESCRIPTION, _SCHEMA)]

    def validate(self, arguments: Mapping[str, Any], *, name: str) -> Output | None:  # noqa: ARG002 - one tool
        """Check names, types and ranges, and the grammar of `pages`."""
        wrong = _wrong_shape(arguments) or _wrong_pages(arguments.get("pages"))
        return None if wrong is None else answers.refused(f"InputValidationError: {wrong}")

    def steps(self, arguments: Mapping[str, Any], *, name: str) -> Steps[Output]:  # noqa: ARG002 - one tool
        """Read what the bytes are: text, picture, PDF or notebook."""
        path = self.context.resolve(arguments["file_path"])
        pages = (arguments.get("pages") or "").strip() or None
        asked = _Asked(path, _number(arguments.get("offset")), _number(arguments.get("limit")), pages)
        extension = path.rpartition("/")[2].rpartition(".")[2].lower()
        try:
            if not self.context.validate_media and (extension in _PICTURES or extension == "pdf"):
                return (yield from self._unvalidated(asked, _PICTURES.get(extension)))
            if extension == "pdf":
                file = yield from open_file(self.context.reader, path)
                if file.media_type == "application/pdf":
                    return (yield from self._pdf(asked, file))
            return (yield from self._page(asked))
        except OffsetPastEndError as error:
            return answers.text(path, "", lines=0, start=error.offset, total=error.total_lines)
        except OverBudgetError:
            return answers.refused(_over_budget(self.context.settings.max_tokens))
        except ReadError as error:
            return answers.refused(worded(error))

    def blocks(self, output: Output) -> list[Block]:
        """Number the lines of a text, and take pictures and documents out of the others."""
        return answers.blocks(cast("Mapping[str, Any]", output))

    def failed(self, output: Output) -> bool:
        """Look for `is_error`, which only failures have."""
        return "is_error" in output

    def freshness(self, state: FileState, path: str) -> str | None:
        """Refuse to write to what was not read, or was changed since."""
        return None if state == "fresh" else _STALE[state].format(path=path)

    def _earlier(self, asked: _Asked) -> Record | None:
        """Give the record of the same read; `None` if there was none, or it is not to be referred to."""
        real_path, key = self._views.get(asked, ("", None))
        if not real_path or not self.context.settings.stub_unchanged:
            return None
        return self.context.session.view(real_path, key)

    def _keep(self, asked: _Asked, record: Record | None) -> None:
        """Know where the session has this read, should it be asked for again."""
        if record is not None:
            if len(self._views) >= _MAX_VIEWS:
                self._views.clear()
            self._views[asked] = record.path, record.key

    def _page(self, asked: _Asked) -> Steps[Output]:
        """Read text, a picture or a notebook as the reader does; its session remembers."""
        path, offset, limit, _ = asked
        is_ranged = offset is not None or limit is not None
        reader = self._ranged if is_ranged else self._whole
        earlier = self._earlier(asked)
        version = earlier.version or None if earlier else None
        try:
            page = yield from read_page(reader, path, offset=offset or 1, limit=limit, unless_version=version)
        except WrongKindError:
            # Lines of a picture: the range says nothing of it.
            page = yield from read_page(reader, path, unless_version=version)
        if isinstance(page, PdfPages):
            # A PDF by another name.
            return (yield from self._pdf(asked, (yield from open_file(self.context.reader, path))))
        if isinstance(page, Unchanged):
            return answers.unchanged(path)
        if self._views.get(asked, ("",))[0] != page.resolved_path:
            self._keep(asked, self.context.session.snapshot(page.resolved_path))
        return answers.of_page(path, page, max_lines=None if is_ranged else MAX_LINES)

    def _pdf(self, asked: _Asked, file: File) -> Steps[Output]:
        path, pages = asked.path, asked.pages
        earlier = self._earlier(asked)
        if earlier is not None and file.version and earlier.version == file.version:
            return answers.unchanged(path)
        count, _ = yield from count_pages(file, self.context.reader.pdf_passwords)
        refused = _too_many_pages(pages, count)
        if refused is not None:
            return answers.refused(refused)
        model = self._model
        if pages is not None:
            model = replace(model, inputs=model.inputs - {"pdf"})
        shown = yield from read_pdf(
            file,
            pages=pages,
            model=model,
            dpi=PDF_DPI,
            max_pdf_pages=MAX_PDF_PAGES,
            max_images=MAX_PDF_PAGES,
            max_tokens=_UNBOUNDED,
        )
        sees = "image" in self._model.inputs
        form = "visual" if sees or shown.document is not None else "text"
        self._keep(asked, self.context.note(file, kind="pdf", form=form, pages=pages))
        if shown.document is not None:
            return answers.pdf(path, shown.document.base64, file.size_bytes, count)
        if sees:
            return answers.parts(path, shown)
        lines = shown.text.count("\n") + 1
        return answers.text(path, shown.text, lines=lines, start=1, total=lines)

    def _unvalidated(self, asked: _Asked, media_type: str | None) -> Steps[Output]:
        """Answer as who believes a file's name does; `None` stands for a PDF."""
        file = yield from open_file(self.context.reader, asked.path)
        limits = self.context.reader.limits
        maximum = limits.max_image_file_bytes if media_type else limits.max_pdf_file_bytes
        if file.size_bytes > maximum:
            raise TooLargeError(file.path, size=file.size_bytes, maximum=maximum, unit="bytes")
        data = yield from file.read(maximum)
        base64 = yield from file.work(partial(b64encode, data), len(data))
        self.context.note(file, kind="image" if media_type else "pdf", form="visual", media_type=media_type)
        if media_type is None:
            return answers.pdf(asked.path, base64, len(data), None)
        return answers.image_of(base64, media_type, len(data))


def _over_budget(max_tokens: int) -> str:
    return (
        f"the lines asked for are over the {max_tokens:,} tokens of one read:"
        " pass a smaller limit, or search the file for the lines that matter"
    )


def _too_many_pages(pages: str | None, count: int) -> str | None:
    """Say why these pages of a PDF are not read."""
    if pages is None:
        if count <= MAX_WHOLE_PDF_PAGES:
            return None
        return (
            f"the PDF has {count:,} pages, and more than {MAX_WHOLE_PDF_PAGES} are not read at once:"
            f' pass pages, such as pages="1-5", at most {MAX_PDF_PAGES} of them'
        )
    first, last = _range(pages, count)
    if last > count:
        return f'pages="{pages}" is past the end of the PDF, which has {count:,} pages'
    if last - first >= MAX_PDF_PAGES:
        return f"at most {MAX_PDF_PAGES} pages are read at once: {last - first + 1:,}"
    return None


def _wrong_shape(arguments: Mapping[str, Any]) -> str | None:
    """Say what is wrong with the arguments, `pages` aside."""
    path = arguments.get("file_path")
    if "file_path" not in arguments:
        return "the required parameter `file_path` is missing"
    if not isinstance(path, str) or not path or "\0" in path:
        return "`file_path` must be the path of a file"
    unknown = [name for name in arguments if name not in _SCHEMA["properties"]]
    if unknown:
        return f"there is no parameter `{unknown[0]}`; there are {', '.join(_SCHEMA['properties'])}"
    for name, least in (("offset", 0), ("limit", 1)):
        value = arguments.get(name)
        if value is None:
            continue
        number = _number(value)
        if number is None or not least <= number <= _UNBOUNDED:
            return f"`{name}` must be an integer of {least} or more"
    return None


def _wrong_pages(pages: object) -> str | None:
    if pages is None or (isinstance(pages, str) and not pages.strip()):
        return None
    accepted = '`pages` must be page numbers from 1, such as "1-5", "3" or "10-20"'
    found = re.fullmatch(_PAGES, pages) if isinstance(pages, str) else None
    if found is None or int(found[1]) < 1:
        return accepted
    if found[3] is not None:
        first, last = int(found[1]), int(found[3])
        if last < first:
            return accepted
        if last - first >= MAX_PDF_PAGES:
            return f"`pages` may have at most {MAX_PDF_PAGES} pages"
    return None


def _range(pages: str, count: int) -> tuple[int, int]:
    """Give the first and the last page of a text that `_wrong_pages` let pass."""
    first, dash, last = pages.partition("-")
    start = int(first)
    return start, int(last) if last.strip() else max(start, count) if dash else start


def _number(value: object) -> int | None:
    """Give an integer, also of a text or a float that is one; `None` for what is none."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, float):
        return int(value) if value.is_integer() else None
    return int(value) if re.fullmatch(r"\s*[0-9]{1,18}\s*", value) else None


_STALE = {
    "unread": "{path} has not been read yet: read it before writing to it.",
    "modified": "{path} was modified after it was read: read it again before writing to it.",
    "deleted": "{path} was deleted after it was read.",
}

_DESCRIPTION = f"""\
Reads a file of this machine: text, pictures, PDFs, Jupyter notebooks.

- `file_path` is absolute. A folder cannot be read.
- By default up to {MAX_LINES:,} lines are read from the start of the file.
- `offset` and `limit` choose other lines: for files that are too large.
- Lines longer than {MAX_LINE_CHARS:,} characters are cut.
- Each line comes with its number and a tab before it, counted from 1.
- A PDF of more than {MAX_WHOLE_PDF_PAGES} pages needs `pages`, at most {MAX_PDF_PAGES} of them a call.
- A notebook comes with all its cells and their outputs.
- An empty file is answered by a reminder in place of content.
- Several files are best read by several calls at a time.
"""

_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "file_path": {"type": "string", "description": "The absolute path of the file"},
        "offset": {"type": "integer", "minimum": 0, "description": "The line to start at, counted from 1"},
        "limit": {"type": "integer", "minimum": 1, "description": "How many lines to read"},
        "pages": {
            "type": "string",
            "description": f'Pages of a PDF, such as "1-5", "3" or "10-20"; at most {MAX_PDF_PAGES}',
        },
    },
    "required": ["file_path"],
    "additionalProperties": False,
}
