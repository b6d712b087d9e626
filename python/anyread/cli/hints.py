"""Hints, footers and notices with options in place of Python arguments."""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING, Any

from anyread.arguments.places import FilePlace
from anyread.arguments.request import ARGUMENTS
from anyread.arguments.types import Version
from anyread.errors.base import Argument

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from anyread.errors import ReadError
    from anyread.results import Continuation, Page

READ_OPTIONS = tuple(
    name
    for name, argument in ARGUMENTS.items()
    if argument.is_for_models and not isinstance(argument, Version)
)
"""The arguments of a read that are options of the same name."""
_OPTIONS = {name: f"--{name.replace('_', '-')}" for name in READ_OPTIONS} | {
    "roots": "--root",
    "deny": "--deny",
    "decompress": "--decompress",
}
_IN_LISTS = {"roots": "DIR", "deny": "GLOB"}
"""What each item of a list is called in the help."""
_FOOTER_ARGUMENTS = ("at", "offset", "pages", "column")
"""The arguments of the next call that a footer names, in its order."""


def next_call(continuation: Continuation, spelled: Callable[[Argument], str], separator: str) -> str:
    """Return the arguments of a continuation that determine where it starts."""
    arguments: Mapping[str, Any] = continuation.arguments
    named = [Argument(name, arguments[name]) for name in _FOOTER_ARGUMENTS if name in arguments]
    return separator.join(map(spelled, named))


def footer_of(page: Page) -> str:
    """Return a page's footer with the next call as options; empty if it has no footer."""
    footer: str = getattr(page, "footer", "")
    if page.next is None:
        return footer
    again = next_of(page.path, page.next)
    if page.next.arguments.get("ranges"):
        # A place has the address too.
        at = str(Argument("at", page.next.arguments.get("at")))
        footer = footer.replace(f"{at}, ranges=", "ranges=")
        return re.sub(r"ranges=\[\[[-\d, \[\]]*?\]\](, column=\d+)?", lambda _: again, footer)
    return footer.replace(next_call(page.next, str, ", "), again)


def next_of(path: str, continuation: Continuation) -> str:
    """Return the next call as options, or as a place if only that can say it."""
    if continuation.arguments.get("ranges"):
        return shlex.quote(str(FilePlace.of_next(path, continuation)))
    return next_call(continuation, option, " ")


def hint(error: ReadError, given: Mapping[str, Any] | None = None) -> str:
    """Return an error's hint with options instead of Python arguments, `--kind text`, or as another place.

    Args:
        error: The error.
        given: The arguments of the read; with `ranges`, the command line has a place.
    """
    if error.code == "not_a_regular_file" and error.path.startswith("/dev/fd/"):
        return "for the output of a command, use a pipe: `command | anyread -`"
    if error.code == "bad_argument" and "`ranges`" in error.message:
        return "name lines, pages or cells as in `main.py:10-20,80`, without an option that chooses others"
    if given is None or not given.get("ranges"):
        return error.hint_as(option)

    def spelled(argument: Argument) -> str:
        if argument.name not in {"offset", "pages"} or argument.value is None:
            return option(argument)
        following = {"at": given.get("at", ""), argument.name: argument.value}
        return shlex.quote(str(FilePlace.of_next(error.path, following)))

    return error.hint_as(spelled)


def option(argument: Argument) -> str:
    """Write an argument as an option, or unchanged if the command line has no such option."""
    name = _OPTIONS.get(argument.name)
    if name is None:
        return str(argument)
    if argument.value is None or argument.value is True:
        return name
    if isinstance(argument.value, tuple):
        return f"{name} {','.join(map(str, argument.value))}"
    if isinstance(argument.value, list):
        return f"{name} {_IN_LISTS[argument.name]}"
    return f"{name} {shlex.quote(str(argument.value))}"
