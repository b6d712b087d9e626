"""Errors about a file's content: its format, its size, and the budget for showing it."""

from __future__ import annotations

import errno as codes

from .base import Argument, ReadError, counted, quoted
from .next_steps import holds_a_tar, lines_of_gzip, next_step

_GZIP = "application/gzip"


class BinaryFileError(ReadError, ValueError):
    """The file is neither text nor anything else that can be shown.

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
        hint = next_step(media_type, path)
        if media_type == _GZIP and not holds_a_tar(path):
            hint = (*hint, ", or read it with ", Argument("decompress", value=True))
        super().__init__(path, message, *hint)


class UnsupportedFormatError(ReadError, ValueError):
    """The file's format is known, but cannot be shown.

    Args:
        path: The path as given.
        media_type: The media type, detected from the content.
        size_bytes: The file's size in bytes.
        compression: "gzip" if `media_type` is that of what was decompressed.
        is_followed: Whether the file can be read, but not be followed.
    """

    code = "unsupported_format"

    def __init__(
        self,
        path: str,
        *,
        media_type: str,
        size_bytes: int,
        compression: str | None = None,
        is_followed: bool = False,
    ) -> None:
        self.media_type = media_type
        self.size_bytes = size_bytes
        self.compression = compression
        self.is_followed = is_followed
        what = media_type if compression is None else f"{media_type} in {compression}"
        size = counted(size_bytes, "bytes")
        action = "followed" if is_followed else "shown"
        message = f"{quoted(path)} has a format that cannot be {action}: {what}, {size}"
        hint = next_step(media_type if compression is None else _GZIP, path)
        if is_followed:
            hint = ("read it, or follow the file that is still written",)
        super().__init__(path, message, *hint)


class DamagedFileError(ReadError, ValueError):
    """The file's format is known, but its content violates that format.

    Args:
        path: The path as given.
        media_type: The media type, detected from the first bytes.
        reason: What is wrong, as a clause.
    """

    code = "damaged"

    def __init__(self, path: str, *, media_type: str, reason: str) -> None:
        self.media_type = media_type
        self.reason = reason
        hint: tuple[str | Argument, ...] = (f"regenerate {quoted(path)}, or restore an intact copy of it",)
        if media_type == "application/octet-stream":
            # Such a file is decoded as an image or a PDF only if `kind` requests it.
            hint = ("pass ", Argument("kind", "text"), ", or leave ", Argument("kind"), " out")
        super().__init__(path, f"{quoted(path)} is a damaged {media_type}: {reason}", *hint)


class PasswordRequiredError(ReadError, PermissionError):
    """The file is encrypted, and none of the reader's passwords opens it; those are for PDFs.

    Args:
        path: The path as given.
        media_type: The media type of the file.
    """

    code = "password_required"
    system_errno = codes.EACCES

    def __init__(self, path: str, *, media_type: str = "application/pdf") -> None:
        self.media_type = media_type
        hint = "read a copy without a password"
        if media_type == "application/pdf":
            hint += ", or ask whoever runs this tool to configure the password"
        super().__init__(path, f"{quoted(path)} needs a password", hint)


class TooLargeError(ReadError, ValueError):
    """The file is larger than the limit for its format.

    Args:
        path: The path as given.
        size: The size, in `unit`.
        maximum: The limit, in `unit`.
        unit: What was counted, such as "bytes", "pixels", "pages", "entries" of a directory, "decompressed
            bytes" of one call, "bytes of text" in a gzip file, or "bytes of structure": what is kept of an
            Office file in memory.
        region: A part of an image within the limit, as an example; `None` for other files.
    """

    code = "too_large"

    def __init__(
        self,
        path: str,
        *,
        size: int,
        maximum: int,
        unit: str,
        region: tuple[int, int, int, int] | None = None,
    ) -> None:
        self.size = size
        self.maximum = maximum
        self.unit = unit
        self.region = region
        message = f"{quoted(path)} exceeds the limit of {counted(maximum, unit)}: {counted(size, unit)}"
        hint: tuple[str | Argument, ...] = (
            f"create a copy of {quoted(path)} with at most {counted(maximum, unit)}, and read that",
        )
        if unit == "entries":
            hint = (f"choose a directory or a file below it, as {quoted(path.rstrip('/') + '/NAME')}",)
        elif region is not None:
            hint = ("pass ", Argument("region", region), ", or another part of the image of that size")
        elif unit == "decompressed bytes":
            part = f"choose a part nearer to the start of {quoted(path)}"
            hint = (f"{part}, or save what you need of it as a smaller file, and read that",)
        elif unit == "bytes of text":
            hint = (f"save the lines that you need: {lines_of_gzip(path)}",)
        elif unit == "bytes of structure":
            hint = (f"save what you need of {quoted(path)} as a smaller file, and read that",)
        super().__init__(path, message, *hint)


class OverBudgetError(ReadError, ValueError):
    """The window exceeds the budget, and `Limits.over_budget` is "error".

    Args:
        path: The path as given.
        used: The minimum size of the window, in `unit`; more than `budget`.
        budget: The budget, in `unit`.
        unit: "tokens" or "bytes".
        largest_limit: The most lines, cells or pages of the window that fit; 0 if not even the first does.
        of: What it counts: "lines", "cells" or "pages"; "ranges" of any of these have no `largest_limit`.
        first: The first of them, counted from 1; used for pages.
    """

    code = "over_budget"

    def __init__(
        self,
        path: str,
        *,
        used: int,
        budget: int,
        unit: str,
        largest_limit: int,
        of: str = "lines",
        first: int = 1,
    ) -> None:
        self.used = used
        self.budget = budget
        self.unit = unit
        self.largest_limit = largest_limit
        self.of = of
        self.first = first
        takes = f"takes at least {counted(used, unit)}, and the budget is {budget:,}"
        message = f"this window of {quoted(path)} {takes}"
        if largest_limit:
            fitting = Argument("limit", largest_limit)
            if of == "pages":
                last = first + largest_limit - 1
                fitting = Argument("pages", str(first) if last == first else f"{first}-{last}")
            super().__init__(path, message, "pass ", fitting, f", the most {of} that fit")
        elif of == "ranges":
            super().__init__(path, message, "pass fewer or shorter ranges")
        else:
            # No argument of a read helps: every limit shows the first line, and every column the rest of it.
            rest = "the line of the JSON" if of == "cells" else "the column"
            hint = (
                f"its first {of.removesuffix('s')} alone exceeds the budget; use a reader with "
                f'Limits(over_budget="page"), which cuts it and returns {rest} at which it continues, '
                f"or with max_{unit} over {budget:,}"
            )
            super().__init__(path, message, hint)
