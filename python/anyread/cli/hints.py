"""Hints, footers and notices with options in place of Python arguments."""

from __future__ import annotations

import re
import shlex
from ast import literal_eval
from typing import TYPE_CHECKING, Any

from anyread.errors.base import Argument

if TYPE_CHECKING:
    from anyread.errors import ReadError

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


_PYTHON = re.compile(
    r"""\b(offset|limit|column|encoding|kind|pages|region)=(?:("[^"]*"|-?[0-9]+|\([0-9, ]+\))|(?=\s|$))"""
)


def in_options(text: str) -> str:
    """Replace the arguments in a footer or notice with options: `next: --offset 3`."""
    return _PYTHON.sub(_spelled, text).replace(", --", " --")


def _spelled(found: re.Match[str]) -> str:
    name, written = found.groups()
    value: Any = literal_eval(written) if written else None
    return option(Argument(name, value))


def hint(error: ReadError) -> str:
    """Return an error's hint with options instead of Python arguments: `--kind text`."""
    return error.hint_as(option)


def option(argument: Argument) -> str:
    """Write an argument as an option; an argument that the command line does not have is unchanged."""
    name = _OPTIONS.get(argument.name)
    if name is None:
        return str(argument)
    if argument.value is None:
        return name
    if isinstance(argument.value, tuple):
        return f"{name} {','.join(map(str, argument.value))}"
    return f"{name} DIR" if isinstance(argument.value, list) else f"{name} {shlex.quote(str(argument.value))}"
