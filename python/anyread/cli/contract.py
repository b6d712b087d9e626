"""`anyread read --tool NAME`: another agent's read tool, called as its host would call it."""

from __future__ import annotations

import json
import os
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from anyread.arguments.paths import displayed

from .hints import READ_OPTIONS
from .stdin import is_stdin

if TYPE_CHECKING:
    from argparse import Namespace

    from anyread import Reader
    from anyread.models.model import Model
    from anyread.tools import Output, Tool

_OWN_OPTIONS = ("gutter", "exact_total", "all")
"""Options of this library's own reader, which other contracts do not have."""
_LONG_CHARS = 2_000
_SHOWN_CHARS = 60


class UsageError(Exception):
    """The options cannot be combined; the message says why."""


class Call:
    """Call one tool with the arguments that the options specify.

    Args:
        arguments: The command line.
        reader: The reader that opens the files.
        model: What the model accepts; `None`: the limits of the contract apply.

    Raises:
        UsageError: The contract is unknown, or has no argument for one of the options.
    """

    def __init__(self, arguments: Namespace, reader: Reader, model: Model | None) -> None:
        from anyread.tools import tool

        self.model = model or reader.model
        """What the model that receives the message accepts."""
        self._directory = os.path.abspath(arguments.root[0] if arguments.root else ".")  # noqa: PTH100 - keeps links
        try:
            self.tool: Tool = tool(arguments.tool, cwd=self._directory, reader=reader, model=model)
        except ValueError as error:
            raise UsageError(str(error)) from None
        known = list(self.tool.input_schema["properties"])
        self._given = {**_options(arguments, known), **_object(arguments.arguments, known)}

    def output(self, file: str) -> Output:
        """Call the tool for one file; a relative path is relative to the first root.

        Raises:
            UsageError: The file is standard input, which has no path to pass to a tool.
        """
        if is_stdin(file):
            raise UsageError(f"--tool requires a path, which standard input does not have: {file}")
        # Some contracts accept only absolute paths.
        path = os.path.join(self._directory, file)  # noqa: PTH118 - the system resolves `..`
        return self.tool.call_sync({**self.tool.arguments_for(displayed(path)), **self._given})


def _options(arguments: Namespace, known: list[str]) -> dict[str, Any]:
    """Return the given options as the tool's arguments of the same names."""
    for name in _OWN_OPTIONS:
        if getattr(arguments, name):
            option = f"--{name.replace('_', '-')}"
            raise UsageError(f"{option} cannot be used with --tool, which shows lines in its own way")
    given = {name: getattr(arguments, name) for name in READ_OPTIONS if getattr(arguments, name) is not None}
    for name in given:
        if name not in known:
            raise UsageError(
                f"{arguments.tool!r} has no argument {name!r}; pass {', '.join(known)} with --arguments"
            )
    return given


def _object(text: str | None, known: list[str]) -> dict[str, Any]:
    """Parse the JSON of `--arguments`; unknown names are refused here, even if the contract ignores them."""
    if text is None:
        return {}
    try:
        given = json.loads(text)
    except ValueError as error:
        raise UsageError(f"--arguments is not valid JSON: {error}") from None
    if not isinstance(given, dict):
        raise UsageError(f"--arguments must be a JSON object, such as '{{\"{known[-1]}\": 1}}'")
    for name in given:
        if name not in known:
            near = get_close_matches(name, known, 1)
            meant = f" (did you mean {near[0]!r}?)" if near else ""
            raise UsageError(f"the tool has no argument {name!r}{meant}; it has {', '.join(known)}")
    return given


def shortened(value: Any) -> Any:
    """Shorten long strings without line breaks, such as base64, for a terminal."""
    if isinstance(value, str) and len(value) > _LONG_CHARS and "\n" not in value:
        return f"{value[:_SHOWN_CHARS]}… ({len(value):,} characters)"
    if isinstance(value, dict):
        return {name: shortened(item) for name, item in value.items()}
    return [shortened(item) for item in value] if isinstance(value, list) else value
