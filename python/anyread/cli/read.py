"""`anyread read`: show a window of each file."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any, cast

from anyread import Gutter, Limits, Reader
from anyread.errors import ReadError
from anyread.errors.base import Argument

from .hints import hint, option

if TYPE_CHECKING:
    from argparse import Namespace

    from anyread.results import Continuation, TextPage

    from .terminal import Terminal


def run(arguments: Namespace, terminal: Terminal) -> int:
    """Show the window of each file; give 1 if one could not be read."""
    limits = Limits(exact_total=arguments.exact_total)
    if arguments.max_tokens is not None:
        limits = replace(limits, max_tokens=arguments.max_tokens)
    gutter: Gutter = getattr(Gutter, arguments.gutter.upper().replace("-", "_"))
    reader = Reader(roots=arguments.root, limits=limits, gutter=gutter)
    # With a default of 1, `--offset 1 --tail 1` would not be told from `--tail 1`.
    offset = -arguments.tail if arguments.tail is not None else arguments.offset or 1
    status = 0
    shown = 0
    for file in arguments.files:
        try:
            page = reader.read_sync(
                file,
                offset=offset,
                limit=arguments.limit,
                column=arguments.column,
                encoding=arguments.encoding,
                kind=arguments.kind,
            )
        except ReadError as error:
            status = 1
            if arguments.json:
                terminal.out_json(error_object(error))
                terminal.flush()
            terminal.report(error)
            continue
        page = cast("TextPage", page)
        if arguments.json:
            terminal.out_json(page_object(page))
        else:
            if len(arguments.files) > 1:
                terminal.out(heading(page.path, is_first=not shown))
            show(page, terminal)
        shown += 1
        terminal.flush()
    return status


def show(page: TextPage, terminal: Terminal) -> None:
    """Write the text; the footer and the notices beside it where it goes into a pipe."""
    text = page.text
    if page.footer and not terminal.is_terminal:
        text = text[: -len(page.footer)].removesuffix("\n")
    if page.end_line >= page.start_line or text:
        terminal.out(f"{text}\n")
        terminal.flush()
    if page.footer and not terminal.is_terminal:
        terminal.err(page.footer)
    if page.next is not None and not page.footer:
        # The budget was too small for a footer; out here there is room.
        terminal.err(f"next: {_window(page.next)}")
    for notice in page.notices:
        terminal.err(f"anyread: {notice.code}: {notice.message}")


def heading(path: str, *, is_first: bool) -> str:
    """Name a file among several, as `head` and `tail` do."""
    name = path.replace("\n", "\\n")
    return f"{'' if is_first else chr(10)}==> {name} <==\n"


def page_object(page: TextPage) -> dict[str, Any]:
    """Give all fields of a page as JSON has them."""
    shown: dict[str, Any] = {"kind": page.kind}
    for field in fields(page):
        if not field.name.startswith("_"):
            shown[field.name] = getattr(page, field.name)
    shown["next"] = None if page.next is None else _object(page.next)
    shown["clipped"] = [_object(continuation) for continuation in page.clipped]
    shown["notices"] = [_object(notice) for notice in page.notices]
    shown["token_estimate"] = page.token_estimate
    shown["content"] = page.content
    return shown


def error_object(error: ReadError) -> dict[str, Any]:
    """Give an error as JSON has it, under the one key that pages do not have."""
    said = {"code": error.code, "message": error.message, "hint": hint(error)}
    return {"path": error.path, "error": {**said, **error.data}}


def _window(continuation: Continuation) -> str:
    arguments = continuation.arguments
    named = [Argument(name, arguments[name]) for name in ("offset", "column") if name in arguments]
    return " ".join(map(option, named))


def _object(value: Any) -> dict[str, Any]:
    return {field.name: getattr(value, field.name) for field in fields(value)}
