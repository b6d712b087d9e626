"""The facts about a file, without its content: the steps behind `Reader.info`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from anyread._native import Json, Layout, Opened
from anyread.errors import (
    BinaryFileError,
    FileChangedError,
    PasswordRequiredError,
    ReadError,
    ReadTimeoutError,
    UnsupportedFormatError,
    WrongKindError,
)
from anyread.formats import describe_opened
from anyread.formats.fallback import NoNotebookError
from anyread.kinds import kind_of
from anyread.results import TextPage
from anyread.results.info import Info
from anyread.running.calls import work

if TYPE_CHECKING:
    from anyread._native import Cancel, Directory
    from anyread.arguments.request import Request
    from anyread.engine import ReaderEngine
    from anyread.formats.parts import How
    from anyread.results import Notice, Unchanged

_OF_ALL = ("path", "resolved_path", "media_type", "size_bytes", "modified_ns", "version")
_OF_STATE = ("resolved_path", "size_bytes", "modified_ns", "version")
_HEAD_BYTES = 8 * 1024
"""The first bytes of a file, which are enough to detect its type."""
_LONGEST_OUTLINE = 800
"""The most characters of an outline."""
_OF_TEXT = (
    *("encoding", "encoding_confidence", "bom", "line_ending", "final_newline"),
    *("compression", "text_bytes", "verified"),
)


def describe(engine: ReaderEngine, name: bytes, request: Request, how: How) -> Info:
    """Describe the file of a path.

    Args:
        engine: The engine that opens and reads the file.
        name: The path.
        request: A request of one line; its `encoding` and `kind` replace detection.
        how: The settings of the reader.

    Raises:
        ReadError: The file cannot be opened or read.
        WrongKindError: It is not of the kind of the request.
    """
    try:
        found = engine.read(name, request)
    except (BinaryFileError, UnsupportedFormatError):
        # A file that cannot be shown can still be described. One of `/proc` has no size, but content.
        found = engine.open(name, repair=True, whole=_HEAD_BYTES)
        if kind_of(found.media_type, is_text=found.is_text) == "text":
            raise FileChangedError(found.path, change="rewritten") from None
    if not isinstance(found, Opened):
        return _of_text(engine, name, found, how)
    facts: dict[str, Any] = {}
    try:
        facts = dict(describe_opened(found, how, engine.target(name), request))
    except NoNotebookError as error:
        if request["kind"] is not None:
            raise WrongKindError(found.path, argument="kind", kind="text") from error
        notice = error.notice
        found = engine.read(name, {**request, "kind": "text"})
        return _of_text(engine, name, found, how, notice)
    except (ReadTimeoutError, WrongKindError):
        raise
    except PasswordRequiredError as error:
        facts = {"problem": error, "is_encrypted": True}
    except ReadError as error:
        facts = {"problem": error}
    own = {name: facts.pop(name) for name in [*facts] if name in Info.__dataclass_fields__}
    return Info(**{**_common(found), **own}, facts=facts or None)


def describe_directory(directory: Directory) -> Info:
    """Describe a directory."""
    return Info(**_common(directory), entries=len(directory))


def _of_text(
    engine: ReaderEngine, name: bytes, page: TextPage | Unchanged | Opened, how: How, *notices: Notice
) -> Info:
    if not isinstance(page, TextPage):
        raise TypeError(f"a request for text without a version was answered by {page!r}")
    facts = _common(page, *notices) | {name: getattr(page, name) for name in _OF_TEXT}
    facts["lines"] = page.total_lines
    if page.total_lines is None:
        # The page of a large file has only an estimate. The file may have changed since then.
        opened = engine.open(name, repair=True, whole=0)
        layout = Layout(line_ends="detected", total="always")
        window = work(
            lambda cancel: opened.window(1, 1, layout, encoding=page.encoding, cancel=cancel, may_wait=True),
            engine.target(name),
        )
        facts |= {name: getattr(opened, name) for name in _OF_STATE}
        facts |= {"lines": window.total_lines, "final_newline": window.final_newline}
    if page.media_type == "application/json" and not notices:
        opened = engine.open(name, repair=True, whole=0)
        shown = work(lambda cancel: _outline(opened, how, cancel), engine.target(name))
        facts["facts"] = {"outline": shown} if shown else None
    return Info(**facts)


def _outline(opened: Opened, how: How, cancel: Cancel | None) -> str:
    """Return the keys of the first value of a file of JSON, and how much is in each; empty without any."""
    json = how.native(Json)(opened, cancel=cancel)
    most = _LONGEST_OUTLINE
    rows, *_ = json.rows("sequence", json.begin, first=1, rows=1, chars=most, max_bytes=most, cancel=cancel)
    text = rows[0].text if rows and rows[0].wrong_at is None else ""
    return text if text.startswith(("{", "[")) else ""


def _common(found: TextPage | Opened | Directory, *notices: Notice) -> dict[str, Any]:
    """Return what is known about files of every kind."""
    facts = {name: getattr(found, name) for name in _OF_ALL}
    kind = found.kind if isinstance(found, TextPage) else kind_of(found.media_type, is_text=found.is_text)
    return {**facts, "kind": kind, "notices": (*found.notices, *notices)}
