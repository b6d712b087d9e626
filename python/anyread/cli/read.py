"""`anyread read`: show a window of each file."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from typing import TYPE_CHECKING, Any

from anyread import Gutter, Limits, Reader
from anyread.errors import ReadError
from anyread.errors.base import Argument
from anyread.results import TextPage

from .hints import hint, option

if TYPE_CHECKING:
    from argparse import Namespace

    from anyread.results import Continuation, Page

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
                pages=arguments.pages,
                region=arguments.region,
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
        if arguments.json:
            terminal.out_json(page_object(page))
        else:
            if len(arguments.files) > 1:
                terminal.out(heading(page.path, is_first=not shown))
            show(page, terminal)
        if arguments.save is not None:
            status = max(status, _save(page, arguments.save, terminal))
        shown += 1
        terminal.flush()
    return status


def _save(page: Page, folder: str, terminal: Terminal) -> int:
    from .media import save

    try:
        for path in save(page, folder):
            terminal.err(f"saved {path}")
    except OSError as error:
        terminal.err(f"anyread: cannot save in `{folder}`: {error.strerror or error}")
        return 1
    return 0


def show(page: Page, terminal: Terminal) -> None:
    """Write the text; the footer and the notices beside it where it goes into a pipe."""
    if isinstance(page, TextPage):
        text, has_lines = page.text, page.end_line >= page.start_line
    else:
        from .media import described

        text, has_lines = described(page), False
    footer: str = getattr(page, "footer", "")
    if footer and not terminal.is_terminal and text.endswith(footer):
        text = text[: -len(footer)].removesuffix("\n")
    if has_lines or text:
        terminal.out(f"{text}\n")
        terminal.flush()
    if footer and not terminal.is_terminal:
        terminal.err(footer)
    if page.next is not None and not footer:
        # The budget was too small for a footer; out here there is room.
        terminal.err(f"next: {_window(page.next)}")
    for notice in page.notices:
        terminal.err(f"anyread: {notice.code}: {notice.message}")


def heading(path: str, *, is_first: bool) -> str:
    """Name a file among several, as `head` and `tail` do."""
    name = path.replace("\n", "\\n")
    return f"{'' if is_first else chr(10)}==> {name} <==\n"


def page_object(page: Page) -> dict[str, Any]:
    """Give all fields of a page as JSON has them; of pictures and documents, how large they are."""
    shown: dict[str, Any] = {"kind": page.kind, **_plain(page)}
    for name in ("token_estimate", "content"):
        if hasattr(page, name):
            shown[name] = getattr(page, name)
    return shown


def error_object(error: ReadError) -> dict[str, Any]:
    """Give an error as JSON has it, under the one key that pages do not have."""
    said = {"code": error.code, "message": error.message, "hint": hint(error)}
    return {"path": error.path, "error": {**said, **error.data}}


def _window(continuation: Continuation) -> str:
    arguments = continuation.arguments
    named = [Argument(name, arguments[name]) for name in ("offset", "column", "pages") if name in arguments]
    return " ".join(map(option, named))


def _plain(value: Any) -> Any:
    """Write a result as JSON has it; bytes are told by their number."""
    if is_dataclass(value):
        named = [field.name for field in fields(value) if not field.name.startswith("_")]
        return {name: _plain(getattr(value, name)) for name in named}
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {name: _plain(item) for name, item in value.items()}
    return len(value) if isinstance(value, bytes) else value
