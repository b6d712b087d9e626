"""The base class of all errors, and how messages write paths, numbers and hints."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from inspect import signature
from types import EllipsisType
from typing import Any, ClassVar, NamedTuple, TypeAlias, TypeVar

from anyread.values import dumped, plain

_E = TypeVar("_E", bound="ReadError")
_Literal: TypeAlias = int | str | tuple[int, ...] | list[EllipsisType] | None


class Argument(NamedTuple):
    """An argument in a hint, kept apart so that a command line or a tool can spell it in its own syntax."""

    name: str
    value: _Literal = None
    """The value to pass; `None`: the argument is only mentioned; `[...]`: the caller fills in the list."""

    def __str__(self) -> str:
        if self.value is None:
            return self.name
        if isinstance(self.value, list):
            return f"{self.name}=[…]"
        return f"{self.name}={as_literal(self.value) if isinstance(self.value, str) else self.value}"


def as_literal(text: str) -> str:
    """Return a text in quotes, as an argument is written; as in JSON if it has quotes itself."""
    if '"' in text:
        text = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{text}"'


class ReadError(Exception):
    r"""A read failed: why, and what to do next.

    `str(error)` is two lines for a model: one sentence, then `hint: …` with the arguments of the next call.
    Every subclass is also the builtin exception that callers of `open` already catch.
    The keyword arguments of a subclass's constructor are its data fields, which are attributes of the same
    names.

    Args:
        path: The path as the caller passed it; bytes that are not UTF-8 are written as `\xff`.
        message: One sentence without a full stop.
        hint: What to do next, with the exact arguments to pass; the parts are joined.

    Example:
        >>> try:
        ...     anyread.read_sync("notes.md")
        ... except anyread.ReadError as error:
        ...     print(error.code)
        not_found
    """

    code: ClassVar[str] = "read_error"
    """A stable identifier for programs; the wording of messages may change, this never does."""
    system_errno: ClassVar[int | None] = None
    """`errno` of the subclasses that are an `OSError`."""

    path: str
    """The path as the caller passed it."""
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
        """Return the hint with its arguments in the syntax of another caller; `spelled` formats each."""
        return "".join(part if isinstance(part, str) else spelled(part) for part in self._hint)

    @property
    def data(self) -> dict[str, Any]:
        """The data fields of this error by name, as a new dictionary."""
        arguments = signature(type(self)).parameters.values()
        return {each.name: getattr(self, each.name) for each in arguments if each.kind is each.KEYWORD_ONLY}

    def to_dict(self, *, include_bytes: bool = False) -> dict[str, Any]:
        """Return the path and, under `error`, code, message, hint and data fields, as JSON values.

        Args:
            include_bytes: Ignored, because errors have no bytes; results have the same argument.
        """
        about = {"code": self.code, "message": self.message, "hint": self.hint, **self.data}
        return {"path": self.path, "error": plain(about, include_bytes=include_bytes)}

    def to_json(self) -> str:
        """Write the result of `to_dict` as a JSON object on one line."""
        return dumped(self.to_dict())

    def __reduce__(self) -> tuple[Callable[..., ReadError], tuple[Any, ...], dict[str, Any]]:
        return _rebuild, (type(self), self.path, self.data), self.__dict__


def tree(kind: type[ReadError] = ReadError) -> Iterator[type[ReadError]]:
    """Yield a class of errors and all that are derived from it."""
    yield kind
    for derived in kind.__subclasses__():
        yield from tree(derived)


def _rebuild(leaf: Callable[..., _E], path: str, data: dict[str, Any]) -> _E:
    return leaf(path, **data)


def fill_os_error(error: OSError, errno: int, path: str) -> None:
    """Set the attributes that callers of `open` check; `OSError.__init__` would take the message as errno."""
    error.errno = errno
    error.strerror = os.strerror(errno)
    error.filename = path


_CONTROLS = {code: repr(chr(code))[1:-1] for code in (*range(32), *range(127, 160), 0x2028, 0x2029)}


def escaped_path(path: str) -> str:
    r"""Escape the control characters of a path, such as `\n`, which could pass for the end of a line."""
    return path if path.isprintable() else path.translate(_CONTROLS)


def quoted(path: str) -> str:
    """Quote a path with backticks, on one line."""
    return f"`{escaped_path(path)}`"


def one_line(text: str, max_chars: int = 80) -> str:
    """Return a text that is not trusted on one line, without control characters and shortened."""
    shown = text[:max_chars]
    if not shown.isprintable():
        shown = "".join(c if c.isprintable() else repr(c)[1:-1] for c in shown)
    return shown if len(text) <= max_chars else f"{shown}…"


# No system call accepts a longer path (PATH_MAX), so a shortened path never names an existing file.
_LONGEST_PATH = 4096
_SHOWN_END = 200


def shortened(path: str) -> str:
    """Shorten a path that is too long to be valid, so that a message never repeats megabytes."""
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
    return f"{number:,} {singular(unit) if number == 1 else unit}"


def nearest(name: str, names: Iterable[str], most: int = 3, cutoff: float = 0.6) -> list[str]:
    """Return the names that are most like one; of many or long names, only a part is compared."""
    # Most programs do without these imports.
    from difflib import get_close_matches
    from heapq import nsmallest

    # The comparison takes time by the product of two lengths.
    folded = name[:_LONGEST_COMPARED].casefold()
    short = {each.casefold(): each for each in names if len(each) <= _LONGEST_COMPARED}
    likely = nsmallest(
        _MOST_COMPARED, short, key=lambda each: (each[:1] != folded[:1], abs(len(each) - len(folded)))
    )
    return [short[each] for each in get_close_matches(folded, likely, most, cutoff)]


_LONGEST_COMPARED = 40
_MOST_COMPARED = 200


def singular(unit: str) -> str:
    """Return what one of several is called: "line", "entry"."""
    return "entry" if unit == "entries" else unit.removesuffix("s")


def size(length: int) -> str:
    """Format a size in decimal units with one digit, as the footers of text do."""
    for unit, name in ((10**9, "GB"), (10**6, "MB"), (10**3, "kB")):
        if length >= unit:
            tenths = (length + unit // 20) // (unit // 10)
            return f"{tenths // 10:,}.{tenths % 10} {name}"
    return counted(length, "bytes")
