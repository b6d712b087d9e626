"""The process that runs a function under test: `python function_child.py module:function`.

It uses only the standard library and no other file of this package, so that the interpreter of any
environment can run it. Requests and answers are one JSON object per line, on standard input and output.
"""

from __future__ import annotations

import asyncio
import dataclasses
import importlib
import inspect
import json
import os
import sys
from collections.abc import Mapping
from typing import Any


def plain(value: Any) -> Any:
    """Return a value as JSON has it; bytes become a dictionary with their Latin-1 text."""
    if value is None or isinstance(value, str | int | float | bool):
        return value
    if isinstance(value, bytes | bytearray | memoryview):
        return {"__bytes__": bytes(value).decode("latin-1")}
    if isinstance(value, Mapping):
        return {str(name): plain(member) for name, member in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(member) for member in value]
    return _plain_object(value)


def _plain_object(value: Any) -> Any:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    return plain(value.model_dump()) if hasattr(value, "model_dump") else str(value)


def call(function: Any, arguments: dict[str, Any]) -> dict[str, Any]:
    """Call the function and return the answer: its value, or the text of its exception."""
    try:
        value = function(**arguments)
        if inspect.isawaitable(value):
            value = asyncio.run(_awaited(value))
        return {"value": plain(value), "failed": False}
    except Exception as failure:  # noqa: BLE001 - an exception is an answer
        return {"value": f"{type(failure).__name__}: {failure}", "failed": True}


async def _awaited(value: Any) -> Any:
    return await value


def main() -> None:
    """Answer requests until standard input ends."""
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
    # Some readers print to standard output.
    os.dup2(2, 1)
    # The directory of this file must not hide modules of the standard library or of the environment.
    sys.path[0] = os.getcwd()  # noqa: PTH109 - a string
    module, _, name = sys.argv[1].partition(":")
    function: Any = importlib.import_module(module)
    for part in name.split("."):
        function = getattr(function, part)

    def reply(message: dict[str, Any]) -> None:
        replies.write(json.dumps(message) + "\n")
        replies.flush()

    reply({"parameters": list(inspect.signature(function).parameters)})
    for line in sys.stdin:
        reply(call(function, json.loads(line)))


if __name__ == "__main__":
    main()
