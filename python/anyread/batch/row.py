"""One row of `read_rows`, whose fields are its columns."""

from __future__ import annotations

from typing import NamedTuple

from anyread.reading.many import FileResult
from anyread.results import BasePage, Failed, TextPage
from anyread.values import dumped, plain


class FileRow(NamedTuple):
    """What is known about one row; each default is the value of a fact that does not apply or is unknown.

    No value is ever `None`, so that Arrow infers the same types for every batch.
    """

    text: str = ""
    """The page's text for a model, with line numbers and footer."""
    start_line: int = 0
    """The first line shown, counted from 1; negative if counted from the end. For text only."""
    end_line: int = 0
    """The last line shown. For text only."""
    total_lines: int = -1
    """The number of lines in the file, for text; -1 if they were not counted."""
    truncated: bool = False
    """Whether the file goes on after the page, or something in it is clipped."""
    next: str = ""
    """The arguments that read what follows, as a JSON object; empty at the end of the file."""
    encoding: str = ""
    """The encoding of a text, as the name of a Python codec."""
    kind: str = ""
    """The kind as which the file is read, as of a page, or "binary"."""
    media_type: str = ""
    """The media type detected from the content."""
    size_bytes: int = -1
    """The file's size in bytes."""
    tokens: int = 0
    """The tokens of `text`: exact with `Limits.tokenizer`, otherwise an estimate."""
    lossy: bool = False
    """Whether something in a text could not be decoded or was replaced."""
    version: str = ""
    """The version of the file."""
    notices: str = ""
    """What else should be known about the page, one notice per line."""
    error: str = ""
    """The `code` of the error, such as "not_found"; empty for a file that was read."""
    error_message: str = ""
    """The message and the hint of the error, on two lines."""
    content: str = ""
    """The page's own text, without line numbers, markers and footer. For other kinds: `text`."""


def row_of(result: FileResult, *, with_content: bool) -> FileRow:
    """Return the row of a result; `content` is decoded only if requested."""
    if isinstance(result, Failed):
        return _of_error(result)
    if not isinstance(result, BasePage):
        raise TypeError(f"a read without `unless_version` was answered by {result!r}")
    text = result if isinstance(result, TextPage) else None
    return FileRow(
        text=result.text,
        start_line=0 if text is None else text.start_line,
        end_line=0 if text is None else text.end_line,
        total_lines=-1 if text is None or text.total_lines is None else text.total_lines,
        truncated=result.truncated,
        next=dumped(plain(result.next.arguments)) if result.next else "",
        encoding="" if text is None else text.encoding,
        kind=result.kind,
        media_type=result.media_type,
        size_bytes=result.size_bytes,
        tokens=result.token_estimate,
        lossy=text is not None and text.lossy,
        version=result.version,
        notices="\n".join(notice.message for notice in result.notices) if result.notices else "",
        content="" if not with_content else result.text if text is None else text.content,
    )


def _of_error(failed: Failed) -> FileRow:
    error = failed.error
    return FileRow(
        kind="binary" if error.code == "binary" else "",
        # Errors about the content know these.
        media_type=getattr(error, "media_type", ""),
        size_bytes=getattr(error, "size_bytes", -1),
        error=error.code,
        error_message=str(error),
    )
