"""`anyread read --follow`: the last lines of files, then what is appended, as `tail -F` shows it."""

from __future__ import annotations

import re
import select
import sys
import time
from typing import TYPE_CHECKING

from anyread import Reader
from anyread.errors import BadArgumentError, BinaryFileError, ReadError
from anyread.errors.base import quoted

from .colors import ERROR, GUTTER
from .hints import READ_OPTIONS
from .read import error_object, selected_gutter
from .showing import number_pattern
from .stdin import is_stdin
from .terminal import PREFIX

if TYPE_CHECKING:
    from argparse import Namespace

    from anyread.arguments.gutter import Gutter
    from anyread.reading.following import Follow
    from anyread.results import Appended

    from .terminal import Terminal

_LAST_LINES = 10
_POLL_S = 0.25
_OF_PAGES = (
    *(name for name in READ_OPTIONS if name not in {"offset", "encoding", "kind"}),
    "exact_total",
    "all",
)
_OF_MODELS = ("save", "model", "target", "tool", "arguments")
_AFTER = {
    "rotated": "the path leads to another file now, which is followed from its start",
    "truncated": "the file was truncated or rewritten, and is followed from its start",
}


def run(arguments: Namespace, terminal: Terminal) -> int:
    """Follow the files until Ctrl-C; return 1 if none is left, 2 if the options cannot be combined."""
    for name in (*_OF_PAGES, *_OF_MODELS):
        if getattr(arguments, name):
            option = "for" if name == "target" else name.replace("_", "-")
            terminal.err(f"anyread: --follow cannot be combined with --{option}")
            return 2
    if arguments.kind not in {None, "text"}:
        terminal.err(f"anyread: --follow cannot be combined with --kind {arguments.kind}")
        return 2
    if any(map(is_stdin, arguments.files)):
        terminal.err("anyread: --follow requires a path, which standard input does not have")
        return 2
    return _follow(arguments, terminal)


def _follow(arguments: Namespace, terminal: Terminal) -> int:
    reader = Reader(roots=arguments.root, deny=arguments.deny, decompress=arguments.decompress)
    appending = _Appending(arguments, terminal)
    offset = -_LAST_LINES if arguments.offset is None else arguments.offset
    try:
        following: dict[str, Follow] = {
            file: reader.follow(file, offset=offset, encoding=arguments.encoding, kind=arguments.kind)
            for file in arguments.files
        }
    except BadArgumentError as error:
        terminal.report(error)
        return 2
    while following:
        has_grown = False
        for file, follow in list(following.items()):
            try:
                appended = follow.poll_sync()
            except BadArgumentError as error:
                # The encoding is unknown, for every file.
                appending.report(error)
                return 2
            except ReadError as error:
                appending.report(error)
                del following[file]
                continue
            if appended is not None:
                has_grown = True
                appending.show(appended)
        if not has_grown:
            if _is_abandoned():
                raise BrokenPipeError
            time.sleep(_POLL_S)
    return 1


class _Appending:
    """What was appended to several files, in the order in which it is found."""

    def __init__(self, arguments: Namespace, terminal: Terminal) -> None:
        self._terminal = terminal
        self._gutter: Gutter = selected_gutter(arguments)
        pattern = number_pattern(self._gutter)
        self._styles = [] if pattern is None else [(pattern, GUTTER)]
        self._has_headings = len(arguments.files) > 1
        self._is_json: bool = arguments.json
        self._path: str | None = None
        self._is_unfinished = False

    def show(self, appended: Appended) -> None:
        """Show text, below a heading if it is from another file than the previous one."""
        terminal = self._terminal
        if self._is_json:
            terminal.out_json(appended.to_dict())
        else:
            is_other = appended.path != self._path
            if self._is_unfinished and (is_other or appended.after is not None):
                self._end_line()
            if appended.after is not None:
                skipped = appended.skipped_bytes
                without = f", without the {skipped:,} NULs before its text" if skipped else ""
                terminal.notice(appended.after, f"{_AFTER[appended.after]}{without}: {quoted(appended.path)}")
            if is_other and self._has_headings:
                terminal.out_heading(appended.path, is_first=self._path is None)
            self._path = appended.path
            terminal.out_colored(self._numbered(appended), self._styles if appended.start_line else ())
            self._is_unfinished = not appended.text.endswith("\n")
        terminal.flush()

    def report(self, error: ReadError) -> None:
        """Report an error about one of the files."""
        if self._is_json:
            self._terminal.out_json(error_object(error))
            self._terminal.flush()
        elif self._is_unfinished:
            self._end_line()
        if isinstance(error, BinaryFileError):
            # The hint of the error is for reads.
            text = f"only text can be followed: {quoted(error.path)} is {error.media_type}"
            hint = "pass --kind text to follow its bytes as text"
            self._terminal.err(f"anyread: {error.code}: {text} (hint: {hint})", [(PREFIX, ERROR)])
        else:
            self._terminal.report(error)

    def _end_line(self) -> None:
        self._terminal.out("\n")
        self._terminal.flush()
        self._is_unfinished = False

    def _numbered(self, appended: Appended) -> str:
        text = appended.text.replace("\r\n", "\n")
        gutter, line = self._gutter, appended.start_line
        if gutter.separator is None or line is None:
            return text
        shown = []
        # Lines end at LF only, as they are counted.
        for index, part in enumerate(re.findall(r"[^\n]*\n|[^\n]+", text)):
            # The rest of a line that was shown before it was complete has no number.
            is_rest = self._is_unfinished and not index
            number = "" if is_rest else gutter.before(line + index)
            shown.append(f"{number}{part}")
        return "".join(shown)


def _is_abandoned() -> bool:
    """Return whether the program that reads the output has exited."""
    if sys.stdout is None or not hasattr(select, "poll"):
        return False
    poll = select.poll()
    poll.register(sys.stdout.fileno(), 0)
    return any(events & (select.POLLERR | select.POLLHUP) for _, events in poll.poll(0))
