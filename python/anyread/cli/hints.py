"""Hints in the words of the command line."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from anyread.errors import ReadError
    from anyread.errors.base import Argument

_OPTIONS = {
    "offset": "--offset",
    "limit": "--limit",
    "column": "--column",
    "encoding": "--encoding",
    "kind": "--kind",
    "pages": "--pages",
    "region": "--region",
    "roots": "--root",
}


def hint(error: ReadError) -> str:
    """Word an error's hint with options where Python has arguments: `--kind text`."""
    return error.hint_as(option)


def option(argument: Argument) -> str:
    """Spell an argument as an option; one that the command line does not have stays as it is."""
    name = _OPTIONS.get(argument.name)
    if name is None:
        return str(argument)
    if argument.value is None:
        return name
    if isinstance(argument.value, tuple):
        return f"{name} {','.join(map(str, argument.value))}"
    return f"{name} DIR" if isinstance(argument.value, list) else f"{name} {shlex.quote(str(argument.value))}"
