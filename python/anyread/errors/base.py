"""The root of every error, and how errors spell paths, numbers and hints."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from types import EllipsisType
from typing import Any, ClassVar, NamedTuple, TypeAlias, TypeVar

_E = TypeVar("_E", bound="ReadError")
_Literal: TypeAlias = int | str | tuple[int, ...] | list[EllipsisType] | None


class Argument(NamedTuple):
    """An argument that a hint names, so that whoever shows the hint can spell it otherwise."""

    name: str
    value: _Literal = None
    """What to pass; `None`: the argument is only named; a list of `...` is for the caller to fill."""

    def __str__(self) -> str:
        if self.value is None:
            return self.name
        if isinstance(self.value, list):
            return f"{self.name}=[…]"
        return f'{self.name}="{self.value}"' if isinstance(self.value, str) else f"{self.name}={self.value}"


class ReadError(Exception):
    r"""Say why a read gave no result, and what to do next.

    `str(error)` is two lines that a model can act upon: one sentence, then `hint: …` with the
    arguments of a next call.
    Every leaf also is the builtin exception that callers of `open` already catch.
    The keyword arguments of a leaf's constructor are its data fields, attributes of the same names.

    Args:
        path: The path as the caller gave it, bytes that are not UTF-8 spelt `\xff`.
        message: One sentence without a full stop.
        hint: What to do next, with the exact arguments to pass; its parts follow one another.

    Example:
        >>> try:
        ...     anyread.read_sync("notes.tyt")
        ... except anyread.ReadError as error:
        ...     print(error.code)
        not_found
    """

    code: ClassVar[str] = "read_error"
    """A stable word for programs; it never changes, the wording may."""
    system_errno: ClassVar[int | None] = None
    """`errno` of the leaves that are an `OSError`."""

    path: str
    """The path as the caller gave it."""
    message: str
    """The first line of the text: one sentence."""
    hint: str
    """The second line of the text without its `hint: `."""

    def __init__(self, path: str, message: str, *hint: str | Argument) -> None:
        self.path = path
        self.message = message
        self._hint = hint
        self.hint = self.hint_as(str)
        super().__init__(f"{message}\nhint: {self.hint}")
        if isinstance(self, OSError) and self.system_errno is not None:
            fill_os_error(self, self.system_errno, path)

    def __str__(self) -> str:
        return f"{self.message}\nhint: {self.hint}"

    def hint_as(self, spelled: Callable[[Argument], str]) -> str:
        """Word the hint for who does not pass arguments as Python does; `spelled` writes each."""
        return "".join(part if isinstance(part, str) else spelled(part) for part in self._hint)

    @property
    def data(self) -> dict[str, Any]:
        """The data fields of this leaf by name, a new dictionary each time."""
        code = type(self).__init__.__code__
        first = code.co_argcount
        names = code.co_varnames[first : first + code.co_kwonlyargcount]
        return {name: getattr(self, name) for name in names}

    def __reduce__(self) -> tuple[Callable[..., ReadError], tuple[Any, ...], dict[str, Any]]:
        return _rebuild, (type(self), self.path, self.data), self.__dict__


def _rebuild(leaf: Callable[..., _E], path: str, data: dict[str, Any]) -> _E:
    return leaf(path, **data)


def fill_os_error(error: OSError, errno: int, path: str) -> None:
    """Set what callers of `open` look at; `OSError.__init__` would take a message for the errno."""
    error.errno = errno
    error.strerror = os.strerror(errno)
    error.filename = path


def quoted(path: str) -> str:
    """Put a path between backticks; a line feed in a name must not break the sentence."""
    return "`" + path.replace("\r", "\\r").replace("\n", "\\n") + "`"


# No system call accepts a longer path (PATH_MAX), so a shortened path never names an existing file.
_LONGEST_PATH = 4096
_SHOWN_END = 200


def shortened(path: str) -> str:
    """Leave out the middle of a path that is too long to be one; a message must not repeat megabytes."""
    if len(path) <= _LONGEST_PATH:
        return path
    left_out = len(path) - 2 * _SHOWN_END
    return f"{path[:_SHOWN_END]}…[{left_out:,} characters]…{path[-_SHOWN_END:]}"


def listed(paths: Iterable[str]) -> str:
    """Join quoted paths: "`a`, `b` or `c`"."""
    *first, last = [quoted(path) for path in paths]
    return f"{', '.join(first)} or {last}" if first else last


def counted(number: int, unit: str) -> str:
    """Write a number with thousands separators and its unit: "1 line", "1,234 lines"."""
    return f"{number:,} {unit.removesuffix('s') if number == 1 else unit}"
