"""One row of `survey`: the facts about a whole file, without its text."""

from __future__ import annotations

from functools import partial
from string import ascii_uppercase
from typing import TYPE_CHECKING, NamedTuple, get_type_hints

from anyread.errors import BinaryFileError, ReadError, UnsupportedFormatError
from anyread.reading.many import FileResult
from anyread.results import BasePage, Failed, SheetPage, TextPage
from anyread.running import threads

if TYPE_CHECKING:
    from anyread.arguments.paths import AnyPath
    from anyread.arguments.request import Request
    from anyread.reader import Reader
    from anyread.results import Page


class SurveyRow(NamedTuple):
    """The facts about one file; each default is the value of a fact that does not apply or is unknown."""

    size_bytes: int = -1
    """The file's size in bytes."""
    kind: str = ""
    """The kind as which the file is read, as of a page, or "binary"."""
    media_type: str = ""
    """The media type detected from the content."""
    encoding: str = ""
    """The encoding of a text, as the name of a Python codec."""
    line_ending: str = ""
    """How the lines of a text end: "lf", "crlf", "cr" or "mixed"."""
    lines: int = -1
    """The exact number of lines of a text."""
    tokens: int = 0
    """The tokens of the whole file as `text`: those of a page are exact with `Limits.tokenizer`."""
    version: str = ""
    """The version of the file."""
    error: str = ""
    """The `code` of the error, such as "not_found"; empty for a file that was read, and for a binary file."""
    error_message: str = ""
    """The message and the hint of the error, on two lines."""


SURVEY_TYPES: dict[str, type] = get_type_hints(SurveyRow)
"""The columns that `survey` returns, each with the type of its values, which are never `None`."""


def fact_of(result: FileResult, path: AnyPath, request: Request | ReadError, reader: Reader) -> SurveyRow:
    """Return the facts about a file from its first page; a longer file may be read again to complete them."""
    if isinstance(result, Failed):
        return _of_error(result.error)
    if not isinstance(result, BasePage) or isinstance(request, ReadError):
        raise TypeError(f"a read without `unless_version` was answered by {result!r}")
    known = SurveyRow(
        size_bytes=result.size_bytes,
        kind=result.kind,
        media_type=result.media_type,
        tokens=result.token_estimate,
        version=result.version,
    )
    if result.truncated:
        try:
            counted = threads.run(partial(_counted, result, path, reader))
        except ReadError as error:
            return _of_error(error)
        known = known._replace(tokens=max(known.tokens, counted))
    if not isinstance(result, TextPage):
        return known
    lines = result.total_lines
    if lines is None:
        # The page of a large file has only an estimate.
        try:
            lines = reader.info_sync(path, encoding=result.encoding, kind="text").lines
        except ReadError as error:
            return _of_error(error)
    return known._replace(
        encoding=result.encoding, line_ending=result.line_ending, lines=-1 if lines is None else lines
    )


def _counted(page: Page, path: AnyPath, reader: Reader) -> int:
    """Count the tokens of a whole file with a named tokenizer, or else extrapolate from its first page."""
    tokenizer = reader.limits.tokenizer
    if isinstance(page, SheetPage):
        return _counted_in_sheets(page, path, reader)
    if not isinstance(page, TextPage) or not isinstance(tokenizer, str):
        share = _text_share(page) if isinstance(page, TextPage) else page.shown_share()
        return int(page.token_estimate / max(share, 1e-12))
    return reader.open_sync(path).count_all_tokens(tokenizer)


def _text_share(page: TextPage) -> float:
    """Return which part of a text its first page shows, from 0 to 1."""
    return len(page.content.encode(page.encoding, "replace")) / max(page.size_bytes, 1)


def _counted_in_sheets(page: SheetPage, path: AnyPath, reader: Reader) -> int:
    """Extrapolate to all visible sheets by their dimensions: this one, and the others from the largest."""
    sheets = (reader.info_sync(path).facts or {}).get("sheets", ())
    rows = {sheet.name: _last_row(sheet.dimension) for sheet in sheets if sheet.state == "visible"}
    own = page.count or max(page.last, rows.pop(page.sheet, 0))
    rows.pop(page.sheet, None)
    tokens = page.token_estimate * own / max(1, page.last - page.first + 1)
    if rows:
        sample = reader.read_sync(path, at=max(rows, key=rows.__getitem__))
        shown = sample.last - sample.first + 1 if isinstance(sample, SheetPage) else 0
        tokens += sample.token_estimate * max(1, sum(rows.values())) / max(1, shown)
    return int(tokens)


def _last_row(dimension: str | None) -> int:
    """Return the last row of an area such as "B2:F20"; 0 without one."""
    digits = (dimension or "").rpartition(":")[2].lstrip(ascii_uppercase)
    return int(digits) if digits.isdecimal() else 0


def _of_error(error: ReadError) -> SurveyRow:
    if isinstance(error, BinaryFileError | UnsupportedFormatError):
        # A file that cannot be shown can still be described.
        kind = "binary" if isinstance(error, BinaryFileError) else ""
        return SurveyRow(size_bytes=error.size_bytes, kind=kind, media_type=error.media_type)
    return SurveyRow(error=error.code, error_message=str(error))
