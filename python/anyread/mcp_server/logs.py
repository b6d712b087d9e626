"""Logging without characters that control a terminal."""

from __future__ import annotations

import logging
import sys
import time

import anyio

_INTERVAL_S = 60


def log_in_printable_text() -> None:
    """Write warnings to standard error, unless the program has configured logging itself.

    Requests contain arbitrary client data, which could control the terminal if it were logged unescaped.
    """
    handler = logging.StreamHandler()
    handler.setFormatter(_Printable("%(message)s"))
    handler.addFilter(_is_justified)
    handler.addFilter(_OnceAMinute())
    logging.basicConfig(handlers=[handler], level=logging.WARNING)


def _is_justified(record: logging.LogRecord) -> bool:
    """Return whether a warning is true.

    Version 1 of the SDK calls a cancellation invalid if it cannot be answered because its client has left.
    """
    has_left = isinstance(sys.exception(), anyio.ClosedResourceError | anyio.BrokenResourceError)
    return not (has_left and record.getMessage().startswith("Failed to validate notification"))


class _OnceAMinute(logging.Filter):
    """Drops what the same line of a library has logged in the last minute: clients can repeat it at will."""

    def __init__(self) -> None:
        super().__init__()
        self._logged: dict[tuple[str, int], float] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        place, now = (record.pathname, record.lineno), time.monotonic()
        if record.name.partition(".")[0] == "anyread":
            return True
        if now - self._logged.get(place, -_INTERVAL_S) < _INTERVAL_S:
            return False
        self._logged[place] = now
        return True


class _Printable(logging.Formatter):
    """Escape everything except printable characters and line feeds."""

    def format(self, record: logging.LogRecord) -> str:
        text = super().format(record)
        if text.isascii() and text.isprintable():
            return text
        return "".join(
            each if each == "\n" or each.isprintable() else each.encode("unicode_escape").decode()
            for each in text
        )
