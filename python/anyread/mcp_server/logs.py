"""Logging without characters that control a terminal."""

from __future__ import annotations

import logging


def log_in_printable_text() -> None:
    """Write warnings to standard error, unless the program has configured logging itself.

    Requests contain arbitrary client data, which could control the terminal if it were logged unescaped.
    """
    handler = logging.StreamHandler()
    handler.setFormatter(_Printable("%(message)s"))
    logging.basicConfig(handlers=[handler], level=logging.WARNING)


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
