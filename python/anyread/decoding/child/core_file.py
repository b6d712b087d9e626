"""A file that the core parses here, for a host that requires a sandbox.

The host names a function, a class or a method, and gets what it returns as JSON: an object of the core as the
list of its attributes in alphabetical order, after its number if it has methods, and bytes as their length.
"""

from __future__ import annotations

import errno
import json
import sys
from functools import cache
from types import SimpleNamespace
from typing import Any

from anyread import _native
from anyread.errors.base import ReadError

if sys.platform == "win32":
    import msvcrt


class CoreFile:
    """A file, and the objects that calls have returned.

    Args:
        descriptor: Its descriptor, which is copied.
        size_bytes: Where it ends for the host.
    """

    def __init__(self, descriptor: int, size_bytes: int) -> None:
        if sys.platform == "win32":
            descriptor = msvcrt.get_osfhandle(descriptor)
        self._opened = _native.open_passed(descriptor, size_bytes)
        self._objects: list[Any] = []

    def close(self) -> None:
        """Close the file, and forget what is known about it."""
        self._opened.close()
        _native.clear_caches()

    def call(self, header: dict[str, Any], payload: bytes) -> tuple[dict[str, Any], tuple[bytes, ...]]:
        """Make one call, and return a response with what it returned, or with the error that it raised."""

        def argument(found: dict[str, Any]) -> object:
            return self._opened if "file" in found else SimpleNamespace(**found)

        arguments, named = _as_tuples(json.loads(payload, object_hook=argument))
        number = header["object"]
        owner = _native if number is None else self._objects[number]
        fields: dict[str, Any] = {}
        data: list[bytes] = []
        try:
            answer = getattr(owner, header["name"])(*arguments, **dict(named))
        except ReadError as error:
            if getattr(error, "errno", None) == errno.ENOMEM:
                raise MemoryError from error
            fields, answer = {"raised": error.code}, error.data
        except (LookupError, ValueError) as error:
            fields, answer = {"raised": type(error).__name__}, error.args

        def plain(value: Any) -> object:
            if isinstance(value, bytes):
                data.append(value)
                return len(value)
            names, has_methods = _attributes(type(value).__name__)
            attributes = [getattr(value, name) for name in names]
            if not has_methods:
                return attributes
            self._objects.append(value)
            return [len(self._objects) - 1, *attributes]

        text = json.dumps(answer, ensure_ascii=False, default=plain).encode()
        return {**fields, "text_bytes": len(text)}, (text, *data)


def _as_tuples(value: Any) -> Any:
    """Return a value with tuples instead of lists: the core takes pairs as tuples only."""
    return tuple(map(_as_tuples, value)) if isinstance(value, list) else value


@cache
def _attributes(name: str) -> tuple[list[str], bool]:
    """Return the names of the attributes of the objects of a class, and whether they have methods."""
    kind = getattr(_native, name)
    names = [name for name in dir(kind) if not name.startswith("_")]
    attributes = [name for name in names if not callable(getattr(kind, name))]
    return attributes, len(attributes) < len(names)
