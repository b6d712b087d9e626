"""Errors about what a file holds: its format, its size, and the budget for showing it."""

from __future__ import annotations

import errno as codes

from .base import Argument, ReadError, counted, quoted
from .next_steps import next_step


class BinaryFileError(ReadError, ValueError):
    """It is neither text nor anything else that can be shown.

    Args:
        path: The path as given.
        media_type: The media type, `application/octet-stream` if unknown.
        size_bytes: The file's size in bytes.
    """

    code = "binary"

    def __init__(self, path: str, *, media_type: str, size_bytes: int) -> None:
        self.media_type = media_type
        self.size_bytes = size_bytes
        message = f"{quoted(path)} is binary: {media_type}, {counted(size_bytes, 'bytes')}"
        super().__init__(path, message, *next_step(media_type, path))


class UnsupportedFormatError(ReadError, ValueError):
    """Its format is known and cannot be shown.

    Args:
        path: The path as given.
        media_type: The media type that its bytes say.
        size_bytes: The file's size in bytes.
    """

    code = "unsupported_format"

    def __init__(self, path: str, *, media_type: str, size_bytes: int) -> None:
        self.media_type = media_type
        self.size_bytes = size_bytes
        message = f"{quoted(path)} cannot be shown: {media_type}, {counted(size_bytes, 'bytes')}"
        super().__init__(path, message, *next_step(media_type, path))


class DamagedFileError(ReadError, ValueError):
    """Its format is known and its bytes do not hold to it.

    Args:
        path: The path as given.
        media_type: The media type that its first bytes say.
        reason: What is wrong, as a clause.
    """

    code = "damaged"

    def __init__(self, path: str, *, media_type: str, reason: str) -> None:
        self.media_type = media_type
        self.reason = reason
        hint: tuple[str | Argument, ...] = (f"regenerate {quoted(path)}, or restore an intact copy of it",)
        if media_type == "application/octet-stream":
            # Only `kind` makes an image or a PDF of such a file.
            hint = ("pass ", Argument("kind", "text"), ", or leave ", Argument("kind"), " out")
        super().__init__(path, f"{quoted(path)} is a damaged {media_type}: {reason}", *hint)


class PasswordRequiredError(ReadError, PermissionError):
    """It is encrypted and none of the reader's passwords opens it."""

    code = "password_required"
    system_errno = codes.EACCES

    def __init__(self, path: str) -> None:
        hint = "read a copy without password, or ask whoever runs this reader to give it one"
        super().__init__(path, f"{quoted(path)} needs a password", hint)


class TooLargeError(ReadError, ValueError):
    """It is over a size that its format must be decoded in.

    Args:
        path: The path as given.
        size: Its size in `unit`.
        maximum: The most that is allowed, in `unit`.
        unit: "bytes", "pixels" or "pages".
    """

    code = "too_large"

    def __init__(self, path: str, *, size: int, maximum: int, unit: str) -> None:
        self.size = size
        self.maximum = maximum
        self.unit = unit
        message = f"{quoted(path)} is over {counted(maximum, unit)}: {counted(size, unit)}"
        hint = f"make a copy of {quoted(path)} within {counted(maximum, unit)}, and read that"
        super().__init__(path, message, hint)


class OverBudgetError(ReadError, ValueError):
    """The window does not fit the budget, and `Limits.over_budget` asks to be told.

    Args:
        path: The path as given.
        used: What the window takes at least, in `unit`; more than `budget`.
        budget: What is allowed, in `unit`.
        unit: "tokens" or "bytes".
        largest_limit: The largest `limit` that fits; 0 if not even the first line (cell) does.
        of: What `limit` counts: "lines" or "cells".
    """

    code = "over_budget"

    def __init__(
        self, path: str, *, used: int, budget: int, unit: str, largest_limit: int, of: str = "lines"
    ) -> None:
        self.used = used
        self.budget = budget
        self.unit = unit
        self.largest_limit = largest_limit
        self.of = of
        takes = f"takes at least {counted(used, unit)} of {budget:,} allowed"
        message = f"this window of {quoted(path)} {takes}"
        if largest_limit:
            super().__init__(
                path, message, "pass ", Argument("limit", largest_limit), f", the most {of} that fit"
            )
        else:
            # No argument of a read helps: every limit shows the first line, and a column its rest.
            place = "the column to go on with" if of == "lines" else "where its JSON goes on"
            hint = (
                f"not even its first {of.removesuffix('s')} fits: read it with a reader of "
                f'Limits(over_budget="page"), which cuts it and names {place}, '
                f"or of a larger max_{unit} than {budget:,}"
            )
            super().__init__(path, message, hint)
